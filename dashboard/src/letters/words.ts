import { reasonOf } from "../notifications/reasons.ts"
import { PROVIDER } from "../notifications/words.ts"
import { moment } from "../parts/time.ts"
import type { DeadLettersQuery, ReplaysQuery } from "./operations.ts"

export type Letter = DeadLettersQuery["deadLetters"]["nodes"][number]

/** Why the last attempt failed, and what helps, where that is known. */
export const whyWords = (error: string): readonly [means: string, remedy: string | null] => {
  const known = reasonOf(error)
  if (known !== null) return known
  const status = /^answered (\d+)$/.exec(error)?.[1]
  if (status !== undefined) return [`The receiver answered ${status}`, null]
  if (error === "timeout") return ["There was no answer in time", null]
  return [error, null]
}

/** What stands against sending it again. */
export const OBSTACLE: Readonly<Record<NonNullable<Letter["cannotReplayBecause"]>, string>> = {
  REPLAYED: "Sent again",
  RECIPIENT_GONE: "The recipient is gone",
  CONTENT_REFUSED: "No provider takes this content",
  WEBHOOK: "Only the webhook's page delivers it again"
}

/** Which dead letters a filter of sends means, in a sentence without its end. */
export const filterWords = (filter: ReplaysQuery["replays"]["nodes"][number]["filter"]): string =>
  [
    filter.provider ? `Messages by ${PROVIDER[filter.provider]}` : "All messages",
    filter.notificationId ? "of one notification" : null,
    "that finally failed",
    filter.error ? `because “${whyWords(filter.error)[0]}”` : null,
    filter.from ? `from ${moment(filter.from)}` : null,
    filter.to ? `until ${moment(filter.to)}` : null
  ]
    .filter((part) => part !== null)
    .join(" ")
