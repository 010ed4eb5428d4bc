import { expect, it } from "@effect/vitest"
import { Deferred, Effect, Latch, Option } from "effect"
import { TestClock } from "effect/testing"
import { createHmac } from "node:crypto"
import type { AppId, EventChunkId, HookId, HookWorkId } from "../../../services/domain/Ids.ts"
import { uuidv7 } from "../../../services/domain/Ids.ts"
import type { HookActorWork } from "../../../services/engine/HookActor.ts"
import { deliveryHeaders, makeHookActor } from "../../../services/engine/HookActor.ts"
import type { HookResults, HookWork } from "../../../services/ports/HookStore.ts"
import { Tracing } from "../../../services/ports/Tracing.ts"
import type { WebhookAnswer, WebhookSender } from "../../../services/ports/WebhookClient.ts"
import { postAllBy } from "../../doubles/postAll.ts"

const id = uuidv7() as HookId
const appId = uuidv7() as AppId

const piece = (size: number, attempts = 0): HookWork => ({
  id: uuidv7() as HookWorkId,
  fence: 1,
  attempts,
  positions: Array.from({ length: size }, (_, i) => i),
  chunk: {
    id: uuidv7() as EventChunkId,
    appId,
    event: "NOTIFICATION_SENT",
    at: 0,
    size,
    common: { notificationId: "n" },
    columns: { deviceId: Array.from({ length: size }, (_, i) => `d${i}`) }
  }
})

const OK: WebhookAnswer = { _tag: "Status", status: 204 }
const hmac = (secret: string, text: string) => createHmac("sha256", secret).update(text).digest("hex")

const setup = (
  pieces: Array<HookWork>,
  answer: (index: number) => Effect.Effect<WebhookAnswer>,
  over: Partial<HookActorWork> = {}
) => {
  const posted: Array<{ url: string; body: string; headers: ReadonlyMap<string, string> }> = []
  const finished: Array<HookResults> = []
  let idle = 0
  const post: WebhookSender["post"] = (url, headers, body) => {
    posted.push({ url, body, headers: new Map(headers) })
    return answer(posted.length - 1)
  }
  const actor = makeHookActor(id, {
    endpoint: Effect.succeed(Option.some({ id, appId, url: "https://hook.example/x", secrets: ["s"], epoch: 3 })),
    claim: Effect.sync(() => pieces.splice(0, 2)),
    claimMostTried: Effect.sync(() => pieces.splice(0, 1)),
    finish: (results) =>
      Effect.sync(() => {
        finished.push(results)
        return true
      }),
    nextDue: Effect.succeed(Option.none()),
    sender: { post, postAll: postAllBy(post) },
    hmac,
    tracing: Tracing.defaultValue(),
    onIdle: () => idle++,
    isStopping: () => false,
    retryDelaysMs: [30_000, 60_000],
    timeoutMs: 10_000,
    leaseMs: 60_000,
    concurrency: 8,
    disableAfter: 50,
    idleMs: 10_000,
    ...over
  })
  return { actor, posted, finished, idle: () => idle }
}

it("signs the text that is sent with the moment of the attempt", () => {
  const headers = new Map(deliveryHeaders(["key"], '{"a":1}', 1_700_000_000_999, hmac))
  expect(headers.get("x-service-signature")).toBe(`t=1700000000, v1=${hmac("key", '1700000000.{"a":1}')}`)
  expect(headers.get("content-type")).toBe("application/json")
  expect(new Map(deliveryHeaders([], "{}", 0, hmac)).has("x-service-signature")).toBe(false)
})

it("signs with every secret of a rotation in the one header, the current one first", () => {
  const headers = deliveryHeaders(["new", "old"], "{}", 5_000, hmac).filter(([name]) => name === "x-service-signature")
  expect(headers).toEqual([["x-service-signature", `t=5, v1=${hmac("new", "5.{}")}, v1=${hmac("old", "5.{}")}`]])
})

it.effect("posts every event once and writes what came of it", () =>
  Effect.gen(function* () {
    const { actor, posted, finished, idle } = setup([piece(30), piece(5), piece(1)], () => Effect.succeed(OK))
    yield* Effect.forkChild(actor.run)
    yield* TestClock.adjust(1)
    expect(posted.length).toBe(36)
    expect(new Set(posted.map(({ body }) => JSON.parse(body).id)).size).toBe(36)
    expect(finished.flatMap(({ delivered }) => delivered).length).toBe(36)
    expect(finished.every(({ remaining, epoch }) => remaining.length === 0 && epoch === 3)).toBe(true)
    expect(finished.every(({ streak }) => streak.reset && streak.leading === 0 && streak.longest === 0)).toBe(true)
    yield* TestClock.adjust(10_000)
    expect(idle()).toBe(1)
  })
)

it.effect("has no more posts under way than its concurrency", () =>
  Effect.gen(function* () {
    const gate = yield* Deferred.make<void>()
    const { actor, posted } = setup([piece(50)], () => Effect.as(Deferred.await(gate), OK))
    yield* Effect.forkChild(actor.run)
    yield* TestClock.adjust(1)
    expect(posted.length).toBe(8)
    yield* Deferred.succeed(gate, undefined)
    yield* TestClock.adjust(1)
    expect(posted.length).toBe(50)
  })
)

it.effect("tries a failed delivery again after the delay of its attempt", () =>
  Effect.gen(function* () {
    const answers: ReadonlyArray<WebhookAnswer> = [
      { _tag: "Status", status: 500 },
      { _tag: "Status", status: 302 },
      { _tag: "NoAnswer", reason: "timeout" },
      OK
    ]
    const { actor, finished } = setup([piece(4, 1)], (index) => Effect.succeed(answers[index]!))
    yield* Effect.forkChild(actor.run)
    yield* TestClock.adjust(1)
    expect(finished.length).toBe(1)
    expect(finished[0]!.retry).toEqual({ positions: expect.any(Array), delayMs: 60_000 })
    expect(finished[0]!.retry!.positions.length).toBe(3)
    expect(finished[0]!.delivered.length).toBe(1)
    expect(finished[0]!.exhausted).toEqual([])
    expect(finished[0]!.streak).toMatchObject({ leading: 0, longest: 0 })
  })
)

it.effect("gives a delivery up after its last attempt, and counts it towards disabling the hook", () =>
  Effect.gen(function* () {
    const { actor, finished } = setup([piece(3, 2)], (index) =>
      Effect.succeed(index === 0 ? OK : { _tag: "Status", status: 410 })
    )
    yield* Effect.forkChild(actor.run)
    yield* TestClock.adjust(1)
    expect(finished[0]!.retry).toBeNull()
    expect(finished[0]!.exhausted.map(({ error }) => error)).toEqual(["answered 410", "answered 410"])
    expect(finished[0]!.streak).toEqual({
      leading: 0,
      reset: true,
      longest: 2,
      trailing: 2,
      reason: "answered 410"
    })
  })
)

it.effect("pauses after a run of failures, gives the rest back unused, and probes with one", () =>
  Effect.gen(function* () {
    let isUp = false
    const work = [piece(40)]
    const { actor, finished, posted } = setup(work, () =>
      Effect.succeed(isUp ? OK : { _tag: "NoAnswer", reason: "connection refused" })
    )
    yield* Effect.forkChild(actor.run)
    yield* TestClock.adjust(1)
    const tried = posted.length
    expect(tried).toBeLessThanOrEqual(5 + 8)
    expect(finished.at(-1)!.remaining.length).toBe(40 - tried)
    expect(finished.at(-1)!.releaseAfterMs).not.toBeNull()

    work.push(piece(40))
    yield* TestClock.adjust(1_500)
    expect(posted.length).toBe(tried + 1)

    isUp = true
    work.push(piece(40))
    yield* TestClock.adjust(5_000)
    expect(posted.length).toBe(tried + 1 + 40)
    expect(finished.at(-1)!.delivered.length).toBe(40)
  })
)

it.effect("pauses no longer when the service's clock is set back meanwhile", () =>
  Effect.gen(function* () {
    const work = [piece(40)]
    const { actor, posted } = setup(work, () => Effect.succeed({ _tag: "NoAnswer", reason: "connection refused" }))
    yield* Effect.forkChild(actor.run)
    yield* TestClock.adjust(1)
    const tried = posted.length
    work.push(piece(40))
    yield* TestClock.setTime(-3_600_000)
    yield* TestClock.adjust(1_000)
    // The test's clock wakes by what was set back; timers do not.
    actor.wake()
    yield* TestClock.adjust(1)
    expect(posted.length).toBe(tried + 1)
  })
)

it.effect("probes with what was tried most", () =>
  Effect.gen(function* () {
    const tried = [piece(1, 2)]
    const { actor, finished } = setup([piece(5)], () => Effect.succeed({ _tag: "Status", status: 500 }), {
      claimMostTried: Effect.sync(() => tried.splice(0, 1))
    })
    yield* Effect.forkChild(actor.run)
    yield* TestClock.adjust(1)
    expect(tried).toHaveLength(1)
    yield* TestClock.adjust(1_000)
    expect(tried).toHaveLength(0)
    expect(finished.at(-1)!.exhausted).toEqual([{ position: 0, error: "answered 500" }])
  })
)

it.effect("stops working on what another has taken over", () =>
  Effect.gen(function* () {
    const { actor, posted } = setup([piece(1000)], () => Effect.delay(Effect.succeed(OK), 1), {
      finish: () => Effect.succeed(false)
    })
    yield* Effect.forkChild(actor.run)
    for (let at = 0; at < 200; at++) yield* TestClock.adjust(1)
    // Eight in a millisecond, up to the first write.
    expect(posted.length).toBeGreaterThan(0)
    expect(posted.length).toBeLessThan(250)
  })
)

it.effect("begins no post after its lease while the database takes no results, and gives the rest back", () =>
  Effect.gen(function* () {
    const isBack = yield* Latch.make(false)
    const finished: Array<HookResults> = []
    const { actor, posted } = setup([piece(300)], () => Effect.delay(Effect.succeed(OK), 1_000), {
      concurrency: 1,
      finish: (results) =>
        Effect.andThen(
          isBack.await,
          Effect.sync(() => {
            finished.push(results)
            return true
          })
        )
    })
    yield* Effect.forkChild(actor.run)
    yield* TestClock.adjust(100_000)
    // As many as begin within the lease of a minute.
    expect(posted.length).toBe(60)
    yield* isBack.open
    yield* TestClock.adjust(1)
    expect(finished.flatMap(({ delivered }) => delivered)).toHaveLength(60)
    expect(finished.at(-1)).toMatchObject({ releaseAfterMs: 0 })
    expect(finished.at(-1)!.remaining).toHaveLength(240)
  })
)

it.effect("posts nothing of what it was given after the lease", () =>
  Effect.gen(function* () {
    const pieces = [piece(3)]
    const late = Effect.delay(
      Effect.sync(() => pieces.splice(0, 1)),
      60_000
    )
    const { actor, finished, posted } = setup([], () => Effect.succeed(OK), { claim: late })
    yield* Effect.forkChild(actor.run)
    yield* TestClock.adjust(60_000)
    expect(posted).toEqual([])
    expect(finished.map(({ releaseAfterMs, remaining }) => [releaseAfterMs, remaining.length])).toEqual([[0, 3]])
  })
)

it.effect("posts nothing for a hook that is gone or disabled", () =>
  Effect.gen(function* () {
    const { actor, posted } = setup([piece(3)], () => Effect.succeed(OK), { endpoint: Effect.succeed(Option.none()) })
    yield* Effect.forkChild(actor.run)
    yield* TestClock.adjust(1)
    expect(posted).toEqual([])
  })
)

const endpoint = { id, appId, url: "https://hook.example/x", secrets: ["s"], epoch: 3 }

it.effect("logs each attempt with its moment, its latency and its answer", () =>
  Effect.gen(function* () {
    const answers: ReadonlyArray<WebhookAnswer> = [OK, { _tag: "NoAnswer", reason: "timeout" }]
    const { actor, finished } = setup(
      [piece(2)],
      (index) => Effect.delay(Effect.succeed(answers[index]!), index === 0 ? 40 : 9_000),
      { concurrency: 1 }
    )
    yield* Effect.forkChild(actor.run)
    yield* TestClock.adjust(9_040)
    expect(finished.flatMap(({ tried }) => tried)).toEqual([
      { position: 1, at: 0, latencyMs: 40, outcome: 204 },
      { position: 0, at: 40, latencyMs: 9_000, outcome: "timeout" }
    ])
  })
)

it.effect("posts with a new address and secret from the next attempt on, also within a piece of work", () =>
  Effect.gen(function* () {
    let current = endpoint
    const { actor, posted } = setup([piece(6)], () => Effect.delay(Effect.succeed(OK), 900), {
      concurrency: 1,
      endpoint: Effect.sync(() => Option.some(current))
    })
    yield* Effect.forkChild(actor.run)
    yield* TestClock.adjust(1)
    current = { ...endpoint, url: "https://hook.example/moved", secrets: [] }
    for (let i = 0; i < 6; i++) yield* TestClock.adjust(900)
    const urls = posted.map(({ url }) => url)
    expect(urls).toHaveLength(6)
    const moved = urls.indexOf(current.url)
    expect(moved).toBeGreaterThan(0)
    expect(moved).toBeLessThan(4)
    expect(urls.slice(moved).every((url) => url === current.url)).toBe(true)
    expect(posted.map(({ headers }) => headers.has("x-service-signature")).indexOf(false)).toBe(moved)
  })
)

it.effect("gives the rest of a piece back, untried, when its hook is disabled meanwhile", () =>
  Effect.gen(function* () {
    let current: Option.Option<typeof endpoint> = Option.some(endpoint)
    const { actor, finished, posted } = setup([piece(100)], () => Effect.delay(Effect.succeed(OK), 600), {
      concurrency: 4,
      endpoint: Effect.sync(() => current)
    })
    yield* Effect.forkChild(actor.run)
    yield* TestClock.adjust(1)
    current = Option.none()
    for (let i = 0; i < 10; i++) yield* TestClock.adjust(600)
    expect(posted.length).toBeLessThan(20)
    const last = finished.at(-1)!
    expect(last.releaseAfterMs).not.toBeNull()
    expect(last.remaining.length).toBe(100 - posted.length)
    expect(finished.flatMap(({ delivered }) => delivered).length).toBe(posted.length)
  })
)

it.effect("counts what was posted before a hook was enabled anew for its old epoch", () =>
  Effect.gen(function* () {
    let current = endpoint
    const work = [piece(40, 2)]
    const { actor, finished } = setup(
      work,
      () => Effect.delay(Effect.succeed<WebhookAnswer>({ _tag: "Status", status: 500 }), 1_100),
      { concurrency: 2, endpoint: Effect.sync(() => Option.some(current)) }
    )
    yield* Effect.forkChild(actor.run)
    yield* TestClock.adjust(1)
    current = { ...endpoint, epoch: 4 }
    for (let i = 0; i < 4; i++) yield* TestClock.adjust(1_100)
    expect(finished.length).toBeGreaterThan(0)
    expect(finished.every(({ epoch }) => epoch === 3)).toBe(true)
    expect(finished.at(-1)!.remaining.length).toBeGreaterThan(30)
  })
)

it.effect("forgets its pause when the hook is enabled anew", () =>
  Effect.gen(function* () {
    let current: Option.Option<typeof endpoint> = Option.some(endpoint)
    let isUp = false
    const work = [piece(40)]
    const { actor, posted } = setup(
      work,
      () => Effect.succeed(isUp ? OK : { _tag: "NoAnswer", reason: "connection refused" }),
      { endpoint: Effect.sync(() => current) }
    )
    yield* Effect.forkChild(actor.run)
    yield* TestClock.adjust(1)
    const tried = posted.length
    work.push(piece(30))
    actor.wake()
    yield* TestClock.adjust(1)
    // Woken, it stays paused.
    expect(posted.length).toBe(tried)
    isUp = true
    current = Option.some({ ...endpoint, epoch: 4 })
    actor.wake()
    yield* TestClock.adjust(1)
    expect(posted.length).toBe(tried + 30)
  })
)

it.effect("writes the results of a large piece in a number of writes that does not grow with it", () =>
  Effect.gen(function* () {
    const written = function* (size: number) {
      const { actor, finished, posted } = setup([piece(size)], () => Effect.delay(Effect.succeed(OK), 15), {
        concurrency: 50
      })
      yield* Effect.forkChild(actor.run)
      while (finished.at(-1)?.remaining.length !== 0) yield* TestClock.adjust(15)
      expect(posted.length).toBe(size)
      expect(finished.flatMap(({ delivered }) => delivered).length).toBe(size)
      return finished.length
    }
    expect(yield* written(500)).toBe(5)
    expect(yield* written(10_000)).toBeLessThanOrEqual(16)
  })
)

it.effect("writes the results of a fast receiver no more than once in 25 ms", () =>
  Effect.gen(function* () {
    const { actor, finished, posted } = setup([piece(1_000)], () => Effect.delay(Effect.succeed(OK), 1), {
      concurrency: 10
    })
    yield* Effect.forkChild(actor.run)
    for (let at = 0; at < 101; at++) yield* TestClock.adjust(1)
    expect(posted.length).toBe(1_000)
    const written = finished.map(({ delivered }) => delivered.length)
    expect(written.reduce((sum, some) => sum + some)).toBe(1_000)
    // After 25, 50, 75 and 100 ms, and at the end.
    expect(written.length).toBeLessThanOrEqual(5)
    expect(Math.max(...written)).toBeLessThanOrEqual(260)
  })
)

it.effect("writes what came at once after the gap, though no further answer comes", () =>
  Effect.gen(function* () {
    const { actor, finished } = setup(
      [piece(300)],
      (index) => Effect.delay(Effect.succeed(OK), index < 150 ? 1 : 9_000),
      { concurrency: 200 }
    )
    yield* Effect.forkChild(actor.run)
    yield* TestClock.adjust(1)
    yield* TestClock.adjust(30)
    expect(finished.map(({ delivered }) => delivered.length)).toEqual([150])
  })
)

it.effect("writes what came during a write after the gap, though no further answer comes", () =>
  Effect.gen(function* () {
    const finished: Array<number> = []
    let writeMs = 50
    const { actor } = setup(
      [piece(500)],
      (index) => Effect.delay(Effect.succeed(OK), index < 100 ? 1 : index < 200 ? 40 : 9_000),
      {
        concurrency: 400,
        finish: ({ delivered }) =>
          Effect.suspend(() => {
            finished.push(delivered.length)
            return Effect.delay(Effect.succeed(true), writeMs)
          })
      }
    )
    yield* Effect.forkChild(actor.run)
    for (let at = 0; at < 100; at++) yield* TestClock.adjust(1)
    writeMs = 0
    expect(finished).toEqual([100, 100])
    // The second write ends, so that nothing keeps the actor.
    for (let at = 0; at < 50; at++) yield* TestClock.adjust(1)
  })
)

it.effect("writes a few results after a second, though no further answer comes", () =>
  Effect.gen(function* () {
    const { actor, finished } = setup(
      [piece(30)],
      (index) => Effect.delay(Effect.succeed(OK), index < 10 ? 1 : 9_000),
      { concurrency: 20 }
    )
    yield* Effect.forkChild(actor.run)
    yield* TestClock.adjust(1)
    yield* TestClock.adjust(1_000)
    expect(finished.map(({ delivered }) => delivered.length)).toEqual([10])
  })
)
