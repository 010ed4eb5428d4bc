import { Schema } from "effect"
import { Locale } from "../audience/Contact.ts"
import { Metadata, NewUserId, Tags, UserId } from "../audience/Device.ts"
import { tagList } from "../audience/Segment.ts"
import { Variables } from "../messages/Template.ts"
import type { Actor } from "../access/Audit.ts"
import type { AppId, WorkflowId, WorkflowVersionId } from "../Ids.ts"
import { SegmentId } from "../Ids.ts"
import { Name, text } from "../Text.ts"
import { TimeZone } from "../Time.ts"
import { MessageState, StepKey } from "./Conditions.ts"
import { cronFault } from "./Cron.ts"
import { MOST_STEPS, Steps } from "./Steps.ts"

/** People whom one request names, at most. A larger audience is described. */
const USERS = 1000

/** Who enters a workflow: people, by the application's own ids of them, or contacts that a description fits. */
export const Entrants = Schema.Struct({
  all: Schema.optionalKey(Schema.Literal(true)),
  user_ids: Schema.optionalKey(Schema.Array(NewUserId).check(Schema.isMinLength(1), Schema.isMaxLength(USERS))),
  tags_any: Schema.optionalKey(tagList),
  tags_all: Schema.optionalKey(tagList),
  segment_id: Schema.optionalKey(SegmentId)
}).check(
  Schema.makeFilter(({ all, segment_id, tags_all, tags_any, user_ids }) => {
    const kinds = [
      all && "all",
      user_ids && "user_ids",
      segment_id && "segment_id",
      (tags_any ?? tags_all) && "tags_any, tags_all"
    ].filter((kind) => typeof kind === "string")
    if (kinds.length === 1) return undefined
    return kinds.length === 0
      ? "must name people: all, user_ids, segment_id, or tags_any, tags_all"
      : `must use one kind of selector, not ${kinds.join(" and ")}`
  })
)
export type Entrants = typeof Entrants.Type

/** The name of an event of the application's own. */
export const CustomEventName = text(128)

export const Trigger = Schema.Union([
  Schema.Struct({ type: Schema.Literal("api") }),
  Schema.Struct({ type: Schema.Literal("event"), event: CustomEventName }),
  Schema.Struct({ type: Schema.Literal("tag_added"), tag: text(64) }),
  Schema.Struct({ type: Schema.Literal("segment_entered"), segment_id: SegmentId }),
  Schema.Struct({
    type: Schema.Literal("schedule"),
    cron: Schema.String.check(Schema.makeFilter((pattern: string) => cronFault(pattern) ?? undefined)),
    timezone: TimeZone,
    to: Entrants
  })
]).annotate({ identifier: "WorkflowTrigger" })
export type Trigger = typeof Trigger.Type

/** The segment that a trigger waits for, as its id is kept: a request may write it in capitals. */
export const segmentOf = (trigger: Extract<Trigger, { readonly type: "segment_entered" }>): SegmentId =>
  trigger.segment_id.toLowerCase() as SegmentId

/** How often a person may enter. */
export const Reentry = Schema.Literals(["always", "when_ended", "once"]).annotate({
  description:
    "`always`: as often as triggered. `when_ended`: not while a run of the person is under way. `once`: never again, whatever became of the run. Whoever may not enter is passed over."
})
export type Reentry = typeof Reentry.Type

const fields = { name: Name, trigger: Trigger, steps: Steps, reentry: Reentry }

/** POST /workflows. */
export const CreateWorkflow = Schema.Struct({
  name: fields.name,
  trigger: fields.trigger,
  steps: fields.steps,
  reentry: Schema.optionalKey(fields.reentry)
})
export type CreateWorkflow = typeof CreateWorkflow.Type

/** PATCH /workflows/:id. What is left out stays. */
export const UpdateWorkflow = Schema.Struct({
  name: Schema.optionalKey(fields.name),
  trigger: Schema.optionalKey(fields.trigger),
  steps: Schema.optionalKey(fields.steps),
  reentry: Schema.optionalKey(fields.reentry),
  version: Schema.optionalKey(
    Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 2_147_483_647 })).annotate({
      description: "Which version was changed: where others have made a later one by now, the answer is 409."
    })
  )
})
export type UpdateWorkflow = typeof UpdateWorkflow.Type

/** What a version says: it never changes. */
export type Definition = Required<CreateWorkflow>

export const WorkflowStatus = Schema.Literals(["draft", "active", "archived"])
export type WorkflowStatus = typeof WorkflowStatus.Type

export interface Workflow {
  readonly id: WorkflowId
  readonly appId: AppId
  readonly status: WorkflowStatus
  /** Counts the changes, from 1. */
  readonly version: number
  readonly versionId: WorkflowVersionId
  readonly definition: Definition
  readonly createdAt: number
  readonly updatedAt: number
}

/** A version, as whoever looks back sees it. */
export interface PastVersion {
  readonly id: WorkflowVersionId
  readonly version: number
  readonly createdAt: number
  readonly actor: Actor
  /** Of a person who still has an account. */
  readonly actorEmail: string | null
  /** Runs of it that are under way. */
  readonly runs: number
}

/** The same, with what it says. */
export interface WholeVersion extends PastVersion {
  readonly definition: Omit<Definition, "name">
}

/** POST /workflows/:id/trigger. */
export const TriggerWorkflow = Schema.Struct({ to: Entrants, data: Schema.optionalKey(Variables) })
export type TriggerWorkflow = typeof TriggerWorkflow.Type

const byStep = <S extends Schema.Constraint>(value: S) =>
  Schema.Record(StepKey, value).check(Schema.isMaxProperties(MOST_STEPS))

/** POST /workflows/:id/dry-run. */
export const RehearseWorkflow = Schema.Struct({
  user_id: Schema.optionalKey(UserId.annotate({ description: "A contact, whose way is tried." })),
  contact: Schema.optionalKey(
    Schema.Struct({
      attributes: Schema.optionalKey(Metadata),
      tags: Schema.optionalKey(Tags),
      locale: Schema.optionalKey(Schema.NullOr(Locale)),
      timezone: Schema.optionalKey(Schema.NullOr(TimeZone))
    }).annotate({ description: "Somebody made up, in the place of `user_id`." })
  ),
  data: Schema.optionalKey(Variables.annotate({ description: "What the trigger brings." })),
  outcomes: Schema.optionalKey(
    byStep(Schema.Array(MessageState).check(Schema.isMaxLength(MessageState.literals.length))).annotate({
      description: "What becomes of the messages of SEND steps, by key. Left out: `sent`."
    })
  ),
  events: Schema.optionalKey(
    byStep(Variables).annotate({
      description: "The data of the events that WAIT_FOR steps hear, by key. Left out: none comes in time."
    })
  ),
  answers: Schema.optionalKey(
    byStep(
      Schema.Struct({
        status: Schema.Int.check(Schema.isBetween({ minimum: 200, maximum: 599 })),
        body: Schema.optionalKey(Schema.Json)
      })
    ).annotate({
      description:
        "What FETCH steps are answered, by key, each try the same. Left out: 200 without a body. Nobody is asked."
    })
  )
}).check(
  Schema.makeFilter(
    ({ contact, user_id }) =>
      contact === undefined ||
      user_id === undefined || { path: ["contact"], issue: "takes the place of user_id: send one of them" }
  )
)
export type RehearseWorkflow = typeof RehearseWorkflow.Type

/** POST /events/custom. */
export const RaiseEvent = Schema.Struct({
  event: CustomEventName,
  user_id: NewUserId,
  data: Schema.optionalKey(Variables)
})
export type RaiseEvent = typeof RaiseEvent.Type
