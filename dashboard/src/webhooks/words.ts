import type { Tone } from "../parts/page.tsx"
import { moment } from "../parts/time.ts"
import type { HookDeliveriesQuery, HooksQuery } from "./operations.ts"

export type Hook = HooksQuery["hooks"]["nodes"][number]
export type HookDelivery = HookDeliveriesQuery["hookDeliveries"]["nodes"][number]

/** What a webhook can be told, as people say it, and when that happens. */
export const EVENTS: Readonly<Record<string, readonly [words: string, happens: string]>> = {
  NOTIFICATION_SENT: ["Message sent", "A provider took the message of one recipient"],
  NOTIFICATION_FAILED: ["Message failed", "One recipient finally got nothing"],
  NOTIFICATION_DELIVERED: ["Message delivered", "The device said that it arrived"],
  NOTIFICATION_OPENED: ["Message opened", "The message was opened"],
  NOTIFICATION_CLICKED: ["Message clicked", "A link of it was followed"],
  WORKFLOW_COMPLETED: ["Run completed", "A run of a workflow did its last step"],
  WORKFLOW_FILTERED: ["Run filtered out", "A filter or a throttle ended a run"],
  WORKFLOW_FAILED: ["Run failed", "A step of a run finally failed"],
  WORKFLOW_CANCELLED: ["Run cancelled", "Somebody ended a run, or archived its workflow"]
}
export const GROUPS = [
  ["Notifications, for every recipient", "NOTIFICATION_"],
  ["Runs of workflows", "WORKFLOW_"]
] as const

export const eventWords = (event: string): string => EVENTS[event]?.[0] ?? event

/** What it is told, in one line. */
export const eventsWords = (events: ReadonlyArray<string>): string =>
  events.length === 0 ? "Everything" : events.map(eventWords).join(", ")

export const hookState = ({ disabledReason, isActive }: Pick<Hook, "isActive" | "disabledReason">) =>
  isActive
    ? (["Active", "good"] as const)
    : disabledReason === null
      ? (["Switched off", "still"] as const)
      : (["Disabled", "bad"] as const)

/** Why the service disabled it, with the moment in the words and the zone of the reader. */
export const disabledWords = (reason: string): string =>
  `${reason.replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/, (at) => moment(at))}.`

export const DELIVERY: Readonly<Record<HookDelivery["status"], readonly [words: string, tone: Tone]>> = {
  DELIVERED: ["Delivered", "good"],
  PENDING: ["Waiting", "waiting"],
  RETRYING: ["Trying again", "busy"],
  EXHAUSTED: ["Missed", "bad"]
}

type Answer = Pick<HookDelivery["answers"][number], "reason" | "responseStatus" | "latencyMs">

/** One attempt and what came of it; while it is under way, none. */
export const attemptWords = (number: number, answer: Answer | undefined): string => {
  if (answer === undefined) return `Attempt ${number}`
  const { latencyMs, reason, responseStatus } = answer
  const words = responseStatus === null ? (reason ?? "no answer") : `answered ${responseStatus}`
  return `Attempt ${number}: ${words}, after ${latencyMs} ms`
}

/** What a receiver answered, or why it did not. */
export const answerWords = ({ reason, responseStatus }: Pick<HookDelivery, "reason" | "responseStatus">): string =>
  responseStatus === null ? (reason ?? "–") : String(responseStatus)
