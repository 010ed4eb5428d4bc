import { Schema, Struct } from "effect"
import { Metadata, Tags } from "../audience/Device.ts"
import { JsonRecord } from "../Json.ts"
import { LocalTime } from "../sending/LocalTime.ts"
import { requestParts } from "../sending/Notification.ts"
import { TemplateContent, Variables } from "../messages/Template.ts"
import { Name, text, maxLength, withoutNul } from "../Text.ts"
import { TimeZone } from "../Time.ts"
import { Conditions, StepKey } from "./Conditions.ts"

/*
 * The steps of a workflow, as they are written in its definition.
 */

/** A year, in seconds. */
const YEAR_S = 31_536_000
const MONTH_S = 2_678_400

const Seconds = (most: number) => Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: most }))

/** Where a value stands in what the run carries. */
const DataPath = text(256).check(
  Schema.isPattern(/^(data|steps)(\.[^.]+)+$/u, { message: "must be a path below data or steps, such as data.thread" })
)

const common = { key: StepKey, name: Schema.optionalKey(Name) }

const { channels, collapse_key, overrides, priority, template_id, track, ttl } = requestParts

/** Sends one message to the person of the run. What it says may use the run's data: `{{ data.order.id }}`. */
export const SendStep = Schema.Struct({
  ...common,
  type: Schema.Literal("SEND"),
  content: Schema.optionalKey(
    TemplateContent.annotate({ description: "Liquid, as of a template: the run's data is under `data` and `steps`." })
  ),
  ...Struct.map(
    { channels, template_id, variables: Variables, ttl, priority, collapse_key, overrides, track },
    Schema.optionalKey
  ),
  wait_for_outcome: Schema.optionalKey(
    Schema.Literal(true).annotate({
      description:
        "The run goes on when the message has ended, for a day at most, and fails where all of it failed. Left out, it goes on at once."
    })
  )
}).check(
  Schema.makeFilter(({ content, template_id, variables }) => {
    if (template_id === undefined) {
      if (content === undefined) return { path: ["content"], issue: "is required, or a template_id" }
      return variables === undefined || { path: ["variables"], issue: "belong to a template_id" }
    }
    return content === undefined || { path: ["template_id"], issue: "takes the place of content: send one of them" }
  })
)
export type SendStep = typeof SendStep.Type

/** A span of the day on the person's clock; where it ends before it begins, it lasts over midnight. */
const Window = Schema.Struct({
  from: LocalTime,
  to: LocalTime,
  days: Schema.optionalKey(
    Schema.Array(Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 7 })))
      .check(Schema.isMinLength(1), Schema.isMaxLength(7))
      .annotate({ description: "Days of the week on which it begins, from 1, Monday. Left out: all." })
  )
}).check(
  Schema.makeFilter(({ from, to }) => from !== to || { path: ["to"], issue: "must not be the same time as from" })
)
export type Window = typeof Window.Type

const oneOf =
  <K extends string>(...names: ReadonlyArray<K>) =>
  (step: { readonly [P in K]?: unknown }) => {
    const given = names.filter((name) => step[name] !== undefined)
    return given.length === 1 || `must have one of ${names.join(", ")}`
  }

/** Waits: for a while, until a time of day on the person's clock, or until a window is open on it. */
export const DelayStep = Schema.Struct({
  ...common,
  type: Schema.Literal("DELAY"),
  seconds: Schema.optionalKey(Seconds(YEAR_S)),
  until: Schema.optionalKey(LocalTime),
  window: Schema.optionalKey(Window),
  timezone: Schema.optionalKey(TimeZone.annotate({ description: "Of people whose own zone is not known." }))
}).check(
  Schema.makeFilter(oneOf("seconds", "until", "window")),
  Schema.makeFilter(
    ({ seconds, timezone }) =>
      seconds === undefined ||
      timezone === undefined || { path: ["timezone"], issue: "must be left out beside seconds" }
  )
)
export type DelayStep = typeof DelayStep.Type

/** Stops runs whom the conditions do not fit. */
export const FilterStep = Schema.Struct({ ...common, type: Schema.Literal("FILTER"), conditions: Conditions })
export type FilterStep = typeof FilterStep.Type

/** Collects what comes for the same person and key, and goes on once with the list. */
export const DigestStep = Schema.Struct({
  ...common,
  type: Schema.Literal("DIGEST"),
  by: Schema.optionalKey(
    DataPath.annotate({ description: "What tells digests of one person apart. Left out: one for the person." })
  ),
  seconds: Seconds(MONTH_S),
  sliding: Schema.optionalKey(
    Schema.Literal(true).annotate({
      description: "Each one more begins `seconds` anew, up to ten times of it after the first."
    })
  ),
  at_most: Schema.optionalKey(
    Schema.Int.check(Schema.isBetween({ minimum: 2, maximum: 1000 })).annotate({
      description: "So many close the digest before its time."
    })
  )
})
export type DigestStep = typeof DigestStep.Type

/** Lets so many runs of a person and key through in a span of time, and stops those beyond. */
export const ThrottleStep = Schema.Struct({
  ...common,
  type: Schema.Literal("THROTTLE"),
  by: Schema.optionalKey(DataPath),
  at_most: Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 1000 })),
  per_seconds: Seconds(MONTH_S)
})
export type ThrottleStep = typeof ThrottleStep.Type

const isHttpUrl = (value: string): boolean =>
  URL.canParse(value) &&
  ["http:", "https:"].includes(new URL(value).protocol) &&
  new URL(value).username + new URL(value).password === ""

const HeaderValue = Schema.String.check(
  maxLength(1024),
  Schema.isPattern(/^[\x20-\x7e]*$/, { message: "must be printable ASCII" })
)
/** What the client writes itself, what is said between two ends of a connection only, and what asks for other answers. */
const TAKEN =
  /^(?:host|content-(?:length|type|encoding)|transfer-encoding|connection|keep-alive|te|trailer|upgrade|expect|idempotency-key|accept-encoding|range|http2-settings|proxy-.*)$/i
const Headers = Schema.Record(Schema.String, HeaderValue).check(
  Schema.isMaxProperties(20),
  Schema.makeFilter((headers) => {
    const seen = new Set<string>()
    for (const name of Object.keys(headers)) {
      if (!/^[A-Za-z0-9][A-Za-z0-9-]{0,63}$/.test(name) || TAKEN.test(name)) {
        return { path: [name], issue: "must be a header's name, and none that the request has by itself" }
      }
      if (seen.has(name.toLowerCase())) return { path: [name], issue: "must be there once, in whichever letters" }
      seen.add(name.toLowerCase())
    }
    return undefined
  })
)

/** Asks a server. Its answer is under `steps.<key>`: `status`, and `body` where it is JSON. */
export const FetchStep = Schema.Struct({
  ...common,
  type: Schema.Literal("FETCH"),
  method: Schema.optionalKey(
    Schema.Literals(["GET", "POST", "PUT", "PATCH"]).annotate({ description: "Left out: GET, and POST with a body." })
  ),
  url: text(2048)
    .check(
      Schema.makeFilter(
        (value: string) =>
          value.includes("{") || isHttpUrl(value) || "must be an http or https URL without a user name or password"
      )
    )
    .annotate({ description: "Liquid, as the content of SEND." }),
  headers: Schema.optionalKey(
    Headers.annotate({
      description:
        "Kept sealed, and not given back: their values are read as `********`. Sent so, they stay as they are, as long as the step keeps its `key` and `url`."
    })
  ),
  body: Schema.optionalKey(JsonRecord.annotate({ description: "Sent as JSON. Its texts are Liquid." }))
}).check(
  Schema.makeFilter(
    ({ body, method }) =>
      body === undefined || method !== "GET" || { path: ["body"], issue: "must be left out with GET" }
  )
)
export type FetchStep = typeof FetchStep.Type

/** What JSON can say and a contact cannot have: U+0000, and halves of characters. */
const UNSTORABLE = /(?:^|[^\\])(?:\\\\)*\\u(?:0000|d[89a-f][0-9a-f]{2})/

/** Changes the person's contact; one who is none yet becomes one. */
export const UpdateContactStep = Schema.Struct({
  ...common,
  type: Schema.Literal("UPDATE_CONTACT"),
  tags_add: Schema.optionalKey(Tags),
  tags_remove: Schema.optionalKey(Tags),
  attributes: Schema.optionalKey(
    Metadata.check(
      Schema.makeFilter(
        (value: unknown) =>
          !UNSTORABLE.test(JSON.stringify(value)) || "must not contain the character U+0000, nor halves of characters"
      )
    ).annotate({ description: "Laid over those that are there; null removes one." })
  )
}).check(
  Schema.makeFilter(({ attributes = {}, tags_add = [], tags_remove = [] }) => {
    if (tags_add.length + tags_remove.length + Object.keys(attributes).length === 0) {
      return "must have tags_add, tags_remove or attributes"
    }
    const both = tags_add.findIndex((tag) => tags_remove.includes(tag))
    return both === -1 || { path: ["tags_add", both], issue: "must not be removed as well" }
  })
)
export type UpdateContactStep = typeof UpdateContactStep.Type

/** Waits for an event of the person. Its data, or that none came, is under `steps.<key>`: `data`, `timed_out`. */
export const WaitForStep = Schema.Struct({
  ...common,
  type: Schema.Literal("WAIT_FOR"),
  event: text(128),
  match: Schema.optionalKey(
    Schema.Struct({ event: text(256).check(withoutNul), run: DataPath }).annotate({
      description: "The event's value at the path `event` has to equal the run's at the path `run`."
    })
  ),
  seconds: Seconds(YEAR_S)
})
export type WaitForStep = typeof WaitForStep.Type

/** Goes on with the steps of the first branch whose conditions fit, or with `else`; then with what follows. */
export interface BranchStep {
  readonly key: string
  readonly name?: string
  readonly type: "BRANCH"
  readonly branches: ReadonlyArray<{ readonly conditions: Conditions; readonly steps: ReadonlyArray<Step> }>
  readonly else?: ReadonlyArray<Step>
}

export type Step =
  | SendStep
  | DelayStep
  | FilterStep
  | BranchStep
  | DigestStep
  | ThrottleStep
  | FetchStep
  | UpdateContactStep
  | WaitForStep

/** Steps of one list, at most. All of a workflow's together have the same bound. */
export const MOST_STEPS = 100

const inside = Schema.Array(Schema.suspend((): Schema.Codec<Step, unknown> => Step)).check(
  Schema.isMaxLength(MOST_STEPS)
)

export const BranchStep = Schema.Struct({
  ...common,
  type: Schema.Literal("BRANCH"),
  branches: Schema.Array(Schema.Struct({ conditions: Conditions, steps: inside })).check(
    Schema.isMinLength(1),
    Schema.isMaxLength(10)
  ),
  else: Schema.optionalKey(inside)
})

export const Step = Schema.Union([
  SendStep,
  DelayStep,
  FilterStep,
  BranchStep,
  DigestStep,
  ThrottleStep,
  FetchStep,
  UpdateContactStep,
  WaitForStep
]).annotate({ identifier: "WorkflowStep" })

export const Steps = Schema.Array(Step).check(Schema.isMinLength(1), Schema.isMaxLength(MOST_STEPS))
