import type { Tone } from "../parts/page.tsx"
import type { Fault } from "./faults.ts"
import type { RunQuery, RunsQuery, WorkflowsQuery } from "./operations.ts"
import { spanWords } from "./span.ts"
import type { Step, StepType } from "./steps.ts"

export type Run = RunsQuery["executions"]["nodes"][number]
export type Happening = NonNullable<RunQuery["execution"]>["history"][number]
type Words<Key extends string> = Readonly<Record<Key, readonly [words: string, tone: Tone]>>

export const STATUS: Words<WorkflowsQuery["workflows"]["nodes"][number]["status"]> = {
  DRAFT: ["Draft", "waiting"],
  ACTIVE: ["Active", "good"],
  ARCHIVED: ["Archived", "still"]
}

export const RUN: Words<Run["status"]> = {
  RUNNING: ["Running", "busy"],
  WAITING: ["Waiting", "waiting"],
  COMPLETED: ["Completed", "good"],
  FILTERED: ["Filtered out", "still"],
  FAILED: ["Failed", "bad"],
  CANCELLED: ["Cancelled", "still"]
}

export const OUTCOME: Words<Happening["outcome"]> = {
  PASSED: ["Passed", "good"],
  STOPPED: ["Stopped here", "still"],
  WAITING: ["Waits", "waiting"],
  SKIPPED: ["Skipped", "still"],
  MERGED: ["Into another run's digest", "still"],
  TIMED_OUT: ["Nothing came in time", "waiting"],
  FAILED: ["Failed", "bad"],
  CANCELLED: ["Cancelled", "still"]
}

/** Why a run was cancelled. */
export const REASON: Readonly<Record<NonNullable<Run["reason"]>, string>> = {
  OPERATOR: "by somebody",
  ARCHIVED: "the workflow was archived",
  DELETED: "the workflow was deleted"
}

export const REENTRY = {
  ALWAYS: "as often as they come",
  WHEN_ENDED: "not while a run of theirs is under way",
  ONCE: "once"
} as const

export const TYPE: Readonly<Record<StepType, string>> = {
  SEND: "Send",
  DELAY: "Wait",
  FILTER: "Go on only if",
  BRANCH: "Choose a way",
  DIGEST: "Collect",
  THROTTLE: "Limit",
  FETCH: "Ask a server",
  UPDATE_CONTACT: "Change the contact",
  WAIT_FOR: "Wait for an event"
}

type Json = Readonly<Record<string, unknown>>
const text = (value: unknown): string => {
  if (Array.isArray(value)) return value.map(text).join(", ")
  return typeof value === "string" ? value : JSON.stringify(value)
}
const list = (value: unknown): ReadonlyArray<unknown> => (Array.isArray(value) ? value : [])
const OPS: Readonly<Record<string, string>> = {
  equals: "is",
  not_equals: "is not",
  greater: "is more than",
  less: "is less than",
  contains: "contains",
  exists: "is set",
  in: "is one of"
}

const compared = (what: string) => (one: unknown) => {
  const { name, op, value } = one as { readonly name: string; readonly op: string; readonly value?: unknown }
  return `${what}${name} ${OPS[op] ?? op.replaceAll("_", " ")}${value === undefined ? "" : ` ${text(value)}`}`
}

/** Conditions in words; all of them have to fit. */
export const conditionWords = (conditions: unknown): string => {
  if (typeof conditions !== "object" || conditions === null) return "always"
  const said = Object.entries(conditions as Json).flatMap(([name, value]): ReadonlyArray<string> => {
    switch (name) {
      case "attributes":
        return list(value).map(compared(""))
      case "data":
        return list(value).map(compared("data."))
      case "steps":
        return list(value).map((one) => {
          const { is, key, not } = one as { readonly key: string; readonly is: string; readonly not?: boolean }
          return `${key} was ${not ? "not " : ""}${is}`
        })
      case "any":
        return [
          `(${list(value)
            .map((one) => conditionWords(one))
            .join(" or ")})`
        ]
      default:
        return [
          `${name.replaceAll("_", " ")}: ${list(value).length > 0 ? list(value).map(text).join(", ") : text(value)}`
        ]
    }
  })
  return said.length === 0 ? "always" : said.join(" and ")
}

const spanOf = (seconds: unknown): string => (typeof seconds === "number" ? spanWords(seconds) : "some time")

/** What a step does, in a line. */
export const stepWords = (step: Step): string => {
  const content = (step["content"] ?? {}) as Json
  switch (step.type) {
    case "SEND": {
      const ways = list(step["channels"]).map(text).join(", ")
      const what =
        step["template_id"] === undefined ? (content["title"] ?? content["subject"] ?? content["body"]) : "a template"
      return [what === undefined ? "a message" : text(what), ways && `by ${ways}`].filter(Boolean).join(", ")
    }
    case "DELAY": {
      if (step["until"] !== undefined) return `until ${text(step["until"])} on their clock`
      if (step["window"] === undefined) return spanOf(step["seconds"])
      const { from, to } = step["window"] as Json
      return `for a moment between ${text(from)} and ${text(to)}`
    }
    case "FILTER":
      return conditionWords(step["conditions"])
    case "BRANCH":
      return "the first whose conditions fit"
    case "DIGEST":
      return `what comes within ${spanOf(step["seconds"])}${step["by"] === undefined ? "" : `, by ${text(step["by"])}`}`
    case "THROTTLE":
      return `${text(step["at_most"])} within ${spanOf(step["per_seconds"])}`
    case "FETCH":
      return `${text(step["method"] ?? (step["body"] === undefined ? "GET" : "POST"))} ${text(step["url"])}`
    case "UPDATE_CONTACT":
      return [
        ...list(step["tags_add"]).map((tag) => `+ ${text(tag)}`),
        ...list(step["tags_remove"]).map((tag) => `− ${text(tag)}`),
        ...Object.entries((step["attributes"] ?? {}) as Json).map(([name, value]) => `${name} = ${text(value)}`)
      ].join(", ")
    case "WAIT_FOR":
      return `${text(step["event"])}, for ${spanOf(step["seconds"])} at most`
  }
}

const FIELD: Readonly<Record<string, string>> = {
  key: "The key",
  name: "The name",
  seconds: "The length of time",
  per_seconds: "The length of time",
  until: "The time of day",
  "window.from": "“From”",
  "window.to": "“To”",
  "window.days": "The days",
  timezone: "The time zone",
  conditions: "The conditions",
  template_id: "The template",
  "content.title": "The title",
  "content.body": "The body",
  "content.url": "“Leads to”",
  "content.image": "The picture",
  "content.subject": "The subject",
  "content.html": "The HTML",
  content: "The message",
  channels: "What it is sent by",
  variables: "The variables",
  ttl: "“Worthless after”",
  collapse_key: "The key whose message it replaces",
  url: "The URL",
  body: "The body",
  at_most: "The number",
  by: "What tells them apart",
  event: "The event",
  "match.event": "The event's path",
  "match.run": "The run's path",
  tags_add: "The tags to add",
  tags_remove: "The tags to take away",
  attributes: "The attributes",
  branches: "The ways",
  "": "It"
}

/** A fault of a step, as a sentence. */
export const faultWords = ({ field, message }: Fault): string => {
  const [, way, rest] = /^branches\[(\d+)\]\.?(.*)$/.exec(field) ?? []
  const words = FIELD[field] ?? (/conditions/.test(field) ? "A condition" : field)
  return way === undefined
    ? `${words} ${message}.`
    : `Way ${Number(way) + 1}: ${FIELD[rest!] ?? "a condition"} ${message}.`
}

/** What lets people in. */
export const triggerWords = (trigger: unknown): string => {
  const { cron, event, segment_id, tag, timezone, type } = (trigger ?? {}) as Json
  switch (type) {
    case "event":
      return `the event ${text(event)}`
    case "tag_added":
      return `the tag ${text(tag)} is added`
    case "segment_entered":
      return `coming into segment ${text(segment_id)}`
    case "schedule":
      return `the times ${text(cron)}${timezone === undefined ? "" : `, ${text(timezone)}`}`
    default:
      return "a call of the API"
  }
}

/** Whose a run is. Of who was deleted nothing stays that names them. */
export const nameOf = ({ userId }: Pick<Run, "userId">): string => (userId === "" ? "Deleted contact" : userId)
