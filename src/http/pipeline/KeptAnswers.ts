import type { AppId } from "../../../services/domain/Ids.ts"
import type { KeptAnswer } from "../../../services/ports/access/IdempotencyStore.ts"
import { KEPT_MS } from "../../../services/ports/access/IdempotencyStore.ts"
import { now } from "../../../services/ports/Now.ts"
import { ApiError, errorBody, STATUS } from "./ApiError.ts"

/*
 * How much is kept of answers for repetitions. A short request may have a long answer, and a day of them would fill the
 * disk. Of most, an answer is shorter than its row.
 */

/** Bytes of an answer that are not counted. */
const SMALL = 4096
/** Bytes of an answer, at most: one with the largest template is shorter. */
const MOST = 1 << 20
/** Bytes of all others of an application that a process keeps in a day. */
const MOST_OF_APPLICATION = 32 << 20

/** What stands in the place of an answer: the work was done, and is not to be done again. */
const NOT_KEPT = new ApiError(
  "conflict",
  "The first request with this Idempotency-Key was carried out, and its answer was too large to be kept. Read what it made; the next request needs a new key."
)

export interface KeptAnswers {
  /** What is kept of an answer. `holder`: the id of its request. */
  readonly bounded: (appId: AppId, holder: string, answer: KeptAnswer) => KeptAnswer
}

export const makeKeptAnswers = (): KeptAnswers => {
  let bytesOf = new Map<AppId, number>()
  let endsAt = 0
  return {
    bounded: (appId, holder, answer) => {
      const bytes = Buffer.byteLength(answer.body)
      if (bytes <= SMALL) return answer
      if (now() >= endsAt) [bytesOf, endsAt] = [new Map(), now() + KEPT_MS]
      const all = (bytesOf.get(appId) ?? 0) + bytes
      if (bytes <= MOST && all <= MOST_OF_APPLICATION) {
        bytesOf.set(appId, all)
        return answer
      }
      return { status: STATUS.conflict, body: errorBody(NOT_KEPT, holder), location: answer.location }
    }
  }
}
