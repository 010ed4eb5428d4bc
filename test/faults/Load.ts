import type { Scope } from "effect"
import { Effect, Fiber } from "effect"
import { randomUUID } from "node:crypto"
import type { Engine } from "./Engine.ts"

/*
 * A customer's server: it posts notifications, each with an Idempotency-Key, and repeats a post with the same key at the
 * next node until one answers 202, as the SDKs do. What it knows of the service is what it was answered.
 */

export interface Accepted {
  readonly id: string
  readonly at: number
}

export interface Load {
  /** Those that were answered 202. */
  readonly accepted: ReadonlyArray<Accepted>
  /** Posts that had to be repeated. */
  readonly repeats: () => number
  /** Sends one, and waits until it is accepted. */
  readonly post: Effect.Effect<Accepted>
  /** Sends until it is stopped, a few at a time. */
  readonly start: Effect.Effect<void, never, Scope.Scope>
  /** Waits for what was posted to be accepted, and sends no more. */
  readonly stop: Effect.Effect<void>
}

const TIMEOUT_MS = 4000
const PAUSE = "50 millis"
/** Between two posts of one sender: the load is steady, and leaves the machine something to recover with. */
const PACE_MS = 150
const SENDERS = 2

export interface LoadOptions {
  /** How many post at once, and the pause of each after an answer; a few that are in no hurry unless given. */
  readonly senders?: number
  readonly paceMs?: number
}

export interface Posting {
  /** Posts with an Idempotency-Key, to one node after the other, until one answers 202. */
  readonly post: (path: string, body: unknown) => Effect.Effect<any>
  /** Posts that had to be repeated. */
  readonly repeats: () => number
}

export const makePosting = (engines: ReadonlyArray<Pick<Engine, "url">>, secretKey: string): Posting => {
  let turn = 0
  let repeats = 0

  const once = (path: string, key: string, text: string) =>
    Effect.promise(async () => {
      const engine = engines[turn++ % engines.length]!
      try {
        const response = await fetch(`${engine.url}/api/v1${path}`, {
          method: "POST",
          headers: {
            authorization: `ApiKey ${secretKey}`,
            "content-type": "application/json",
            "idempotency-key": key
          },
          body: text,
          signal: AbortSignal.timeout(TIMEOUT_MS)
        })
        const answer: unknown = await response.json()
        if (response.status === 202) return answer
        // Whatever is no outage or conflict with the own first try is a mistake of this program.
        if (response.status < 500 && response.status !== 409 && response.status !== 429) {
          throw new TypeError(`${response.status} ${JSON.stringify(answer)}`)
        }
        return null
      } catch (error) {
        if (error instanceof TypeError && /^\d{3} /.test(error.message)) throw error
        return null
      }
    })

  const post = Effect.fnUntraced(function* (path: string, body: unknown) {
    const key = randomUUID()
    const text = JSON.stringify(body)
    while (true) {
      const answer = yield* once(path, key, text)
      if (answer !== null) return answer
      repeats++
      yield* Effect.sleep(PAUSE)
    }
  })
  return { post, repeats: () => repeats }
}

export const makeLoad = (
  engines: ReadonlyArray<Engine>,
  secretKey: string,
  body: (number: number) => unknown,
  { paceMs = PACE_MS, senders = SENDERS }: LoadOptions = {}
): Load => {
  const accepted: Array<Accepted> = []
  const posting = makePosting(engines, secretKey)
  let count = 0
  let goesOn = (): boolean => false
  let fibers: ReadonlyArray<Fiber.Fiber<void>> = []

  const post = Effect.gen(function* () {
    const { id } = (yield* posting.post("/notifications", body(count++))) as { readonly id: string }
    const one = { id, at: performance.now() }
    accepted.push(one)
    return one
  })

  const sender = Effect.gen(function* () {
    while (goesOn()) {
      yield* post
      yield* Effect.sleep(paceMs)
    }
  })

  return {
    accepted,
    repeats: posting.repeats,
    post,
    start: Effect.gen(function* () {
      goesOn = () => true
      fibers = yield* Effect.forEach(Array.from({ length: senders }), () => Effect.forkScoped(sender))
    }),
    stop: Effect.gen(function* () {
      goesOn = () => false
      yield* Effect.forEach(fibers, Fiber.join, { discard: true })
    })
  }
}
