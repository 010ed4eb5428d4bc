import { Effect, Schema } from "effect"

/** What was waited for did not happen in time. */
export class NeverCame extends Schema.TaggedError<NeverCame>()("NeverCame", {
  what: Schema.String,
  seconds: Schema.Number,
  last: Schema.Unknown
}) {
  override get message() {
    return `${this.what}: not within ${this.seconds} s; the last answer was ${JSON.stringify(this.last)}`
  }
}

const POLL = "25 millis"

/** Asks again and again until the answer is as it should be. Failures to answer are answers that are not. */
export const until = Effect.fnUntraced(function* <A, E, R>(
  what: string,
  ask: Effect.Effect<A, E, R>,
  isThere: (answer: A) => boolean,
  seconds = 90
) {
  const giveUpAt = performance.now() + seconds * 1000
  let last: unknown = null
  while (performance.now() < giveUpAt) {
    const answer = yield* Effect.result(ask)
    if (answer._tag === "Success" && isThere(answer.success)) return answer.success
    last = answer._tag === "Success" ? answer.success : String(answer.failure)
    yield* Effect.sleep(POLL)
  }
  return yield* new NeverCame({ what, seconds, last })
})
