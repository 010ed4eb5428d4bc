import { expect, it } from "@effect/vitest"
import { Deferred, Effect, Fiber } from "effect"
import { eventually, makeSystem } from "../System.ts"

const KEYS = Array.from({ length: 300 }, (_, i) => `order-${i}`)
const BODY = { to: { all: true }, content: { title: "Title" } }

it.live(
  "gives a client that repeats its requests after a crash the same notifications, and never two for one key",
  () =>
    Effect.gen(function* () {
      // Keys are taken, and the accept lingers: the crash leaves some of them without an answer.
      const system = yield* makeSystem({ ACCEPT_LINGER_MS: "300" })
      const answered = new Map<string, string>()
      const isUnderWay = yield* Deferred.make<void>()
      /** The status; 0 when the connection was cut. */
      const post = (key: string) =>
        system.call("POST", "/api/v1/notifications", BODY, { "idempotency-key": key }).pipe(
          Effect.map(({ body, status }) => {
            if (status === 202) {
              const before = answered.get(key)
              if (before !== undefined) expect(body.id).toBe(before)
              answered.set(key, body.id)
            }
            return status
          }),
          Effect.tap(() => (answered.size >= 60 ? Deferred.succeed(isUnderWay, undefined) : Effect.void)),
          Effect.catchDefect(() => Effect.succeed(0))
        )
      const fiber = yield* Effect.forkChild(Effect.forEach(KEYS, post, { concurrency: 24 }))
      yield* Deferred.await(isUnderWay)
      yield* system.engine.kill
      const statuses = yield* Fiber.join(fiber)
      expect(statuses).toContain(0)
      yield* system.startEngine()
      const startedAt = Date.now()
      // Keys whose requests died before their work are free again when it is known that their process has: 409 until then.
      yield* Effect.forEach(KEYS, (key) => eventually(post(key), (status) => status === 202), { concurrency: 24 })
      // Their leases last for twenty.
      expect(Date.now() - startedAt).toBeLessThan(15_000)
      expect(new Set(answered.values()).size).toBe(KEYS.length)
      const listed: Array<string> = []
      let cursor: string | null = ""
      while (cursor !== null) {
        const { body }: { body: { data: Array<{ id: string }>; next_cursor: string | null } } = yield* system.call(
          "GET",
          `/api/v1/notifications?limit=100${cursor === "" ? "" : `&cursor=${cursor}`}`
        )
        listed.push(...body.data.map(({ id }) => id))
        cursor = body.next_cursor
      }
      expect(listed.toSorted()).toEqual([...answered.values()].toSorted())
    }),
  240_000
)
