import { Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import { describe, expect, it } from "@effect/vitest"
import { layer } from "../../../layers/outbound/PushPools.ts"
import type { Http2Origin, Http2Pool } from "../../../services/ports/outbound/Http2Client.ts"
import { OutboundPolicy, OutboundRefused } from "../../../services/ports/outbound/OutboundPolicy.ts"
import { PushPools } from "../../../services/ports/outbound/PushPools.ts"

const TRUSTED = "https://trusted.example.org"

/** Pools that only tell when they open and close, and a policy whose answers the test sets. */
const bench = (capacity = 10) =>
  Effect.gen(function* () {
    const opened: Array<Http2Origin> = []
    const closed: Array<string> = []
    const checked: Array<string> = []
    const answers = new Map<string, ReadonlyArray<string> | OutboundRefused>()
    const open = (origin: Http2Origin) =>
      Effect.acquireRelease(
        Effect.sync((): Http2Pool => {
          opened.push(origin)
          return { send: () => Effect.void, renew: Effect.void }
        }),
        () => Effect.sync(() => closed.push(origin.host))
      )
    const policy = Layer.succeed(OutboundPolicy, {
      refusal: () => null,
      allows: () => true,
      checkHost: () => Effect.die("unused"),
      check: (url) => {
        checked.push(url)
        const answer = answers.get(url) ?? ["192.0.2.1"]
        return answer instanceof OutboundRefused
          ? Effect.fail(answer)
          : Effect.succeed({
              url: new URL(url),
              address: answer[0]!,
              addresses: answer,
              family: 4 as const,
              port: Number(new URL(url).port || 443)
            })
      }
    })
    const pools = yield* Effect.flatMap(PushPools, ({ make }) =>
      make({ open, trusted: new Set([TRUSTED]), capacity })
    ).pipe(Effect.provide(Layer.provide(layer, policy)))
    const use = (owner: string, url: string) => pools.use(owner, url, (pool) => Effect.succeed(pool))
    return { pools, use, opened, closed, checked, answers }
  })

const A = "https://a.example.org"
const B = "https://b.example.org:8443"

describe("PushPools", () => {
  it.effect("share a pool between the batches of one owner and origin, and no other", () =>
    Effect.gen(function* () {
      const { checked, opened, use } = yield* bench()
      const first = yield* use("one", A)
      expect(yield* use("one", A)).toBe(first)
      expect(yield* use("two", A)).not.toBe(first)
      expect(yield* use("one", B)).not.toBe(first)
      expect(opened).toMatchObject([
        { host: "a.example.org", port: 443, address: "192.0.2.1" },
        { host: "a.example.org", port: 443 },
        { host: "b.example.org", port: 8443 }
      ])
      expect(checked).toEqual([A, A, B])
    })
  )

  it.effect("connect to the provider's own origins by name, unchecked", () =>
    Effect.gen(function* () {
      const { checked, opened, use } = yield* bench()
      yield* use("one", TRUSTED)
      expect(opened).toEqual([{ host: "trusted.example.org", port: 443 }])
      expect(checked).toEqual([])
    })
  )

  it.effect("close a pool that nobody has used for a while", () =>
    Effect.gen(function* () {
      const { closed, use } = yield* bench()
      yield* use("one", A)
      yield* TestClock.adjust("4 minutes")
      expect(closed).toEqual([])
      yield* TestClock.adjust("2 minutes")
      expect(closed).toEqual(["a.example.org"])
    })
  )

  it.effect("check an address again from time to time, and move when the name has moved or is refused", () =>
    Effect.gen(function* () {
      const { answers, checked, closed, opened, use } = yield* bench()
      const first = yield* use("one", A)
      yield* use("one", A)
      expect(checked).toHaveLength(1)

      yield* TestClock.adjust("61 seconds")
      answers.set(A, ["192.0.2.9", "192.0.2.1"])
      expect(yield* use("one", A)).toBe(first)
      expect(checked).toHaveLength(2)

      yield* TestClock.adjust("61 seconds")
      answers.set(A, new OutboundRefused({ message: "no answer", transient: true }))
      expect(yield* use("one", A)).toBe(first)

      yield* TestClock.adjust("61 seconds")
      answers.set(A, ["192.0.2.2"])
      expect(yield* use("one", A)).not.toBe(first)
      expect(opened.at(-1)).toMatchObject({ address: "192.0.2.2" })
      expect(closed).toEqual(["a.example.org"])

      yield* TestClock.adjust("61 seconds")
      answers.set(A, new OutboundRefused({ message: "private", transient: false }))
      expect((yield* Effect.flip(use("one", A))).message).toBe("private")
    })
  )

  it.effect("keep no refusal: the next batch asks again", () =>
    Effect.gen(function* () {
      const { answers, use } = yield* bench()
      answers.set(A, new OutboundRefused({ message: "no answer", transient: true }))
      expect((yield* Effect.flip(use("one", A))).transient).toBe(true)
      answers.delete(A)
      yield* use("one", A)
    })
  )

  it.effect("make room by closing the longest idle, and refuse for a moment when all are in use", () =>
    Effect.gen(function* () {
      const { closed, pools, use } = yield* bench(2)
      yield* use("one", A)
      yield* TestClock.adjust("1 second")
      yield* use("one", B)
      yield* use("one", TRUSTED)
      expect(closed).toEqual(["a.example.org"])
      const refused = yield* pools.use("one", B, () => pools.use("one", TRUSTED, () => Effect.flip(use("one", A))))
      expect(refused.transient).toBe(true)
    })
  )

  it.effect("forget a pool whose address did not answer", () =>
    Effect.gen(function* () {
      const { pools, use } = yield* bench()
      const first = yield* use("one", A)
      yield* pools.forget("one", A)
      expect(yield* use("one", A)).not.toBe(first)
    })
  )
})
