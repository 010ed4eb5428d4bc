import { expect, it } from "@effect/vitest"
import { Deferred, Effect, Fiber, Latch, Logger, Option } from "effect"
import { TestClock } from "effect/testing"
import { createHmac } from "node:crypto"
import type { AppId, EventChunkId, WebhookId, WebhookWorkId } from "../../../../services/domain/Ids.ts"
import { uuidv7 } from "../../../../services/ports/NewId.ts"
import type { WebhookActorWork } from "../../../../services/engine/webhooks/WebhookActor.ts"
import { makeWebhookActor } from "../../../../services/engine/webhooks/WebhookActor.ts"
import { deliveryHeaders } from "../../../../services/engine/webhooks/Attempt.ts"
import type { WebhookResults, WebhookWork } from "../../../../services/ports/webhooks/WebhookStore.ts"
import { StoreError } from "../../../../services/ports/StoreError.ts"
import { Tracing } from "../../../../services/ports/operations/Tracing.ts"
import type { WebhookAnswer, WebhookSender } from "../../../../services/ports/webhooks/WebhookClient.ts"
import { postAllBy } from "../../../doubles/webhooks/postAll.ts"

const id = uuidv7() as WebhookId
const appId = uuidv7() as AppId

const item = (size: number, attempts = 0): WebhookWork => ({
  id: uuidv7() as WebhookWorkId,
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

/** What a claim takes from the front. */
const taken = (items: Array<WebhookWork>, limit: number, events: number): Array<WebhookWork> => {
  const some: Array<WebhookWork> = []
  for (let size = 0; some.length < limit && size < events && items.length > 0; size += some.at(-1)!.positions.length) {
    some.push(items.shift()!)
  }
  return some
}

const OK: WebhookAnswer = { _tag: "Status", status: 204 }
const hmac = (secret: string, text: string) => createHmac("sha256", secret).update(text).digest("hex")

const setup = (
  items: Array<WebhookWork>,
  answer: (index: number) => Effect.Effect<WebhookAnswer>,
  {
    finish = () => Effect.succeed(true),
    wroteTogether = () => {},
    ...over
  }: Partial<Omit<WebhookActorWork, "finish">> & {
    readonly finish?: (results: WebhookResults) => Effect.Effect<boolean, StoreError>
    readonly wroteTogether?: (items: number) => void
  } = {}
) => {
  const posted: Array<{ url: string; body: string; headers: ReadonlyMap<string, string> }> = []
  const finished: Array<WebhookResults> = []
  let idle = 0
  const post: WebhookSender["post"] = (url, headers, body) => {
    posted.push({ url, body, headers: new Map(headers) })
    return answer(posted.length - 1)
  }
  const actor = makeWebhookActor(id, {
    endpoint: Effect.succeed(Option.some({ id, appId, url: "https://webhook.example/x", secrets: ["s"], epoch: 3 })),
    claim: (limit, events) => Effect.sync(() => taken(items, limit, events)),
    claimSmall: (limit, size) =>
      Effect.sync(() => {
        const isSmall = (it: WebhookWork) => it.positions.length <= size
        const some = items.filter(isSmall).slice(0, limit)
        for (const it of some) items.splice(items.indexOf(it), 1)
        return some
      }),
    hasRetries: Effect.succeed(false),
    claimOldest: Effect.succeed([]),
    claimWaiting: Effect.sync(() => items.splice(0, 1).map((work) => ({ work, positions: [0] }))),
    untilOpen: Effect.void,
    mayBegin: () => true,
    finish: (all) => {
      wroteTogether(all.length)
      return Effect.forEach(all, (results) => {
        finished.push(results)
        return finish(results)
      })
    },
    nextDue: Effect.succeed(Option.none()),
    nextDueOldest: Effect.succeed(Option.some(3_600_000)),
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
    const { actor, posted, finished, idle } = setup([item(30), item(5), item(1)], () => Effect.succeed(OK))
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
    const { actor, posted } = setup([item(50)], () => Effect.as(Deferred.await(gate), OK))
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
    const { actor, finished } = setup([item(4, 1)], (index) => Effect.succeed(answers[index]!))
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

it.effect("gives a delivery up after its last attempt, and counts it towards disabling the webhook", () =>
  Effect.gen(function* () {
    const { actor, finished } = setup([item(3, 2)], (index) =>
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

it.effect("stops at a run of failures, gives the rest back unused, and probes with one that uses up no attempt", () =>
  Effect.gen(function* () {
    let isUp = false
    const work = [item(40)]
    const { actor, finished, posted } = setup(work, () =>
      Effect.succeed(isUp ? OK : { _tag: "NoAnswer", reason: "connection refused" })
    )
    yield* Effect.forkChild(actor.run)
    yield* TestClock.adjust(1)
    const tried = posted.length
    expect(tried).toBeLessThanOrEqual(5 + 8)
    expect(finished.at(-1)!.remaining.length).toBe(40 - tried)
    expect(finished.at(-1)!.releaseAfterMs).not.toBeNull()

    work.push(item(40))
    yield* TestClock.adjust(1_500)
    expect(posted.length).toBe(tried + 1)
    expect(finished.at(-1)).toMatchObject({ tried: [], retry: null, exhausted: [], releaseAfterMs: 0 })
    expect(finished.at(-1)!.remaining.length).toBe(40)

    isUp = true
    work.push(item(40), item(30))
    yield* TestClock.adjust(5_000)
    // One found that the receiver is back; the rest of its work item is given back, and all others go at once.
    expect(posted.length).toBe(tried + 1 + 1 + 30)
    expect(finished.flatMap(({ delivered }) => delivered).length).toBe(31)
  })
)

it.effect("pauses no longer when the service's clock is set back meanwhile", () =>
  Effect.gen(function* () {
    const work = [item(40)]
    const { actor, posted } = setup(work, () => Effect.succeed({ _tag: "NoAnswer", reason: "connection refused" }))
    yield* Effect.forkChild(actor.run)
    yield* TestClock.adjust(1)
    const tried = posted.length
    work.push(item(40))
    yield* TestClock.setTime(-3_600_000)
    yield* TestClock.adjust(1_000)
    // The test's clock wakes by what was set back; timers do not.
    actor.wake()
    yield* TestClock.adjust(1)
    expect(posted.length).toBe(tried + 1)
  })
)

it.effect("posts the oldest deliveries of a failing receiver on their own schedule, all at once, and no others", () =>
  Effect.gen(function* () {
    const oldest = [item(1, 1), item(4), item(1, 2)]
    const turnOf = (work: WebhookWork) => ({ work, positions: work.positions.slice(0, 2) })
    const { actor, finished, posted } = setup(
      [],
      () => Effect.delay(Effect.succeed<WebhookAnswer>({ _tag: "Status", status: 500 }), 9_000),
      { hasRetries: Effect.succeed(true), claimOldest: Effect.sync(() => oldest.splice(0).map(turnOf)) }
    )
    yield* Effect.forkChild(actor.run)
    yield* TestClock.adjust(1)
    expect(posted).toHaveLength(4)
    yield* TestClock.adjust(9_000)
    const retried = (delayMs: number) =>
      finished.flatMap(({ retry }) => (retry?.delayMs === delayMs ? retry.positions : [])).toSorted()
    expect([retried(30_000), retried(60_000)]).toEqual([[0, 1], [0]])
    expect(
      finished.filter(({ releaseAfterMs }) => releaseAfterMs === 0).map(({ remaining }) => remaining)
    ).toContainEqual([2, 3])
    expect(finished.find(({ exhausted }) => exhausted.length > 0)).toMatchObject({
      exhausted: [{ position: 0, error: "answered 500" }]
    })
  })
)

it.effect("stays while a receiver fails, however long its deliveries wait, and ends when there are none", () =>
  Effect.gen(function* () {
    let due = Option.some(480_000)
    const { actor, idle } = setup([], () => Effect.succeed(OK), {
      hasRetries: Effect.succeed(true),
      nextDueOldest: Effect.sync(() => due)
    })
    yield* Effect.forkChild(actor.run)
    yield* TestClock.adjust(400_000)
    expect(idle()).toBe(0)
    due = Option.none()
    yield* TestClock.adjust(60_000)
    expect(idle()).toBe(1)
  })
)

it.effect("stops working on what another has taken over", () =>
  Effect.gen(function* () {
    const { actor, posted } = setup([item(1000)], () => Effect.delay(Effect.succeed(OK), 1), {
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
    const finished: Array<WebhookResults> = []
    const { actor, posted } = setup([item(300)], () => Effect.delay(Effect.succeed(OK), 1_000), {
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
    const items = [item(3)]
    const late = Effect.delay(
      Effect.sync(() => items.splice(0, 1)),
      60_000
    )
    const { actor, finished, posted } = setup([], () => Effect.succeed(OK), { claim: () => late })
    yield* Effect.forkChild(actor.run)
    yield* TestClock.adjust(60_000)
    expect(posted).toEqual([])
    expect(finished.map(({ releaseAfterMs, remaining }) => [releaseAfterMs, remaining.length])).toEqual([[0, 3]])
  })
)

it.effect("posts nothing for a webhook that is gone or disabled", () =>
  Effect.gen(function* () {
    const { actor, posted } = setup([item(3)], () => Effect.succeed(OK), { endpoint: Effect.succeed(Option.none()) })
    yield* Effect.forkChild(actor.run)
    yield* TestClock.adjust(1)
    expect(posted).toEqual([])
  })
)

const endpoint = { id, appId, url: "https://webhook.example/x", secrets: ["s"], epoch: 3 }

it.effect("logs each attempt with its moment, its latency and its answer", () =>
  Effect.gen(function* () {
    const answers: ReadonlyArray<WebhookAnswer> = [OK, { _tag: "NoAnswer", reason: "timeout" }]
    const { actor, finished } = setup(
      [item(2)],
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

it.effect("posts with a new address and secret from the next attempt on, also within a work item", () =>
  Effect.gen(function* () {
    let current = endpoint
    const { actor, posted } = setup([item(6)], () => Effect.delay(Effect.succeed(OK), 900), {
      concurrency: 1,
      endpoint: Effect.sync(() => Option.some(current))
    })
    yield* Effect.forkChild(actor.run)
    yield* TestClock.adjust(1)
    current = { ...endpoint, url: "https://webhook.example/moved", secrets: [] }
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

it.effect("gives the rest of a work item back, untried, when its webhook is disabled meanwhile", () =>
  Effect.gen(function* () {
    let current: Option.Option<typeof endpoint> = Option.some(endpoint)
    const { actor, finished, posted } = setup([item(100)], () => Effect.delay(Effect.succeed(OK), 600), {
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

it.effect("counts what was posted before a webhook was enabled anew for its old epoch", () =>
  Effect.gen(function* () {
    let current = endpoint
    const work = [item(40, 2)]
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

it.effect("forgets its pause when the webhook is enabled anew", () =>
  Effect.gen(function* () {
    let current: Option.Option<typeof endpoint> = Option.some(endpoint)
    let isUp = false
    const work = [item(40)]
    const { actor, posted } = setup(
      work,
      () => Effect.succeed(isUp ? OK : { _tag: "NoAnswer", reason: "connection refused" }),
      { endpoint: Effect.sync(() => current) }
    )
    yield* Effect.forkChild(actor.run)
    yield* TestClock.adjust(1)
    const tried = posted.length
    work.push(item(30))
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

it.effect("writes the results of a large work item in a number of writes that does not grow with it", () =>
  Effect.gen(function* () {
    const written = function* (size: number) {
      const { actor, finished, posted } = setup([item(size)], () => Effect.delay(Effect.succeed(OK), 15), {
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
    const { actor, finished, posted } = setup([item(1_000)], () => Effect.delay(Effect.succeed(OK), 1), {
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
      [item(300)],
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
      [item(500)],
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
    const { actor, finished } = setup([item(30)], (index) => Effect.delay(Effect.succeed(OK), index < 10 ? 1 : 9_000), {
      concurrency: 20
    })
    yield* Effect.forkChild(actor.run)
    yield* TestClock.adjust(1)
    yield* TestClock.adjust(1_000)
    expect(finished.map(({ delivered }) => delivered.length)).toEqual([10])
  })
)

/** Singles whose bodies name them, so that what was posted can be told from what was not. */
const singles = (count: number) => Array.from({ length: count }, () => item(1))

it.effect(
  "has as many posts of single events under way as its concurrency, and begins the next as places come free",
  () =>
    Effect.gen(function* () {
      let underWay = 0
      let most = 0
      const { actor, finished, posted } = setup(singles(40), () =>
        Effect.gen(function* () {
          most = Math.max(most, ++underWay)
          yield* Effect.sleep(1_000)
          underWay--
          return OK
        })
      )
      yield* Effect.forkChild(actor.run)
      yield* TestClock.adjust(1)
      expect(posted).toHaveLength(8)
      for (let second = 2; second <= 5; second++) {
        yield* TestClock.adjust(1_000)
        expect(posted).toHaveLength(8 * second)
      }
      yield* TestClock.adjust(1_000)
      expect(most).toBe(8)
      expect(finished.flatMap(({ delivered }) => delivered)).toHaveLength(40)
    })
)

it.effect("begins what comes while a slow work item is under way, when it is woken", () =>
  Effect.gen(function* () {
    const work = [item(1)]
    const { actor, finished, posted } = setup(work, (index) =>
      Effect.delay(Effect.succeed(OK), index === 0 ? 9_000 : 1)
    )
    yield* Effect.forkChild(actor.run)
    yield* TestClock.adjust(1)
    expect(posted).toHaveLength(1)
    for (let i = 0; i < 3; i++) {
      work.push(item(1), item(3))
      actor.wake()
      // A post each, and the gap between two writes.
      yield* TestClock.adjust(1)
      yield* TestClock.adjust(30)
      expect(posted).toHaveLength(1 + 4 * (i + 1))
      expect(finished).toHaveLength(2 * (i + 1))
    }
    yield* TestClock.adjust(9_000)
    expect(finished).toHaveLength(7)
    expect(finished.every(({ delivered, remaining }) => delivered.length > 0 && remaining.length === 0)).toBe(true)
  })
)

it.effect("writes the results of many single events together", () =>
  Effect.gen(function* () {
    const writes: Array<number> = []
    const work = singles(1_000)
    const { actor, finished, posted } = setup(work, () => Effect.delay(Effect.succeed(OK), 1), {
      concurrency: 20,
      wroteTogether: (count) => writes.push(count)
    })
    yield* Effect.forkChild(actor.run)
    for (let at = 0; at < 100; at++) yield* TestClock.adjust(1)
    expect(posted).toHaveLength(1_000)
    expect(finished.flatMap(({ delivered }) => delivered)).toHaveLength(1_000)
    // No more often than once in 25 ms, and at the end.
    expect(writes.length).toBeLessThanOrEqual(5)
  })
)

it.effect("gives half of its places to single events that come while a large work item is posted", () =>
  Effect.gen(function* () {
    const work = [item(10_000)]
    const { actor, finished } = setup(work, () => Effect.delay(Effect.succeed(OK), 1_000))
    yield* Effect.forkChild(actor.run)
    for (let second = 0; second < 5; second++) yield* TestClock.adjust(1_000)
    work.push(item(2_000), ...singles(12))
    actor.wake()
    for (let second = 0; second < 6; second++) yield* TestClock.adjust(1_000)
    const whole = finished.filter(({ delivered, remaining }) => delivered.length === 1 && remaining.length === 0)
    expect(whole).toHaveLength(12)
    // The large one goes on beside them.
    const large = finished.filter(({ remaining }) => remaining.length > 0).flatMap(({ delivered }) => delivered)
    expect(large.length).toBeGreaterThanOrEqual(5 * 8 + 3 * 4)
  })
)

it.effect(
  "ends a run of exhausted deliveries of one work item by a success of another, and counts none of it as in a row",
  () =>
    Effect.gen(function* () {
      // Nothing of the first is written before the second is through.
      const { actor, finished } = setup(
        [item(2, 2), item(1)],
        (index) =>
          Effect.delay(
            Effect.succeed<WebhookAnswer>(index === 1 ? OK : { _tag: "Status", status: 500 }),
            [10, 20, 30][index]!
          ),
        { concurrency: 3 }
      )
      yield* Effect.forkChild(actor.run)
      for (let at = 0; at < 50; at++) yield* TestClock.adjust(1)
      const exhausted = finished.filter((results) => results.exhausted.length > 0)
      expect(exhausted.flatMap((results) => results.exhausted)).toHaveLength(2)
      const count = exhausted.reduce((run, { streak }) => (streak.reset ? streak.trailing : run + streak.leading), 0)
      expect(count).toBe(1)
    })
)

it.effect("gives everything that it has not begun back when it is told to stop", () =>
  Effect.gen(function* () {
    let isStopping = false
    const { actor, finished, posted } = setup(
      [...singles(12), item(50)],
      () => Effect.delay(Effect.succeed(OK), 1_000),
      {
        isStopping: () => isStopping
      }
    )
    const running = yield* Effect.forkChild(actor.run)
    yield* TestClock.adjust(1)
    isStopping = true
    actor.wake()
    yield* TestClock.adjust(1_000)
    yield* Fiber.join(running)
    expect(posted).toHaveLength(8)
    const begun = finished.filter(({ delivered }) => delivered.length > 0)
    expect(begun.every(({ remaining }) => remaining.length === 0)).toBe(true)
    expect(begun).toHaveLength(8)
    const back = finished.filter(({ delivered }) => delivered.length === 0)
    expect(back.every(({ releaseAfterMs, tried }) => releaseAfterMs === 0 && tried.length === 0)).toBe(true)
    expect(back.length).toBeGreaterThan(0)
  })
)

it.effect("writes what it knows and gives the rest back when it is interrupted", () =>
  Effect.gen(function* () {
    const { actor, finished } = setup(singles(3), (index) => (index === 0 ? Effect.succeed(OK) : Effect.never))
    const running = yield* Effect.forkChild(actor.run)
    yield* TestClock.adjust(1)
    yield* Fiber.interrupt(running)
    expect(finished.flatMap(({ delivered }) => delivered)).toHaveLength(1)
    const back = finished.filter(({ remaining }) => remaining.length > 0)
    expect(back.map(({ releaseAfterMs }) => releaseAfterMs)).toEqual([0, 0])
  })
)

it.effect("goes on with what is under way when no more can be claimed, and claims again", () =>
  Effect.gen(function* () {
    let isAway = false
    const work = singles(2)
    const { actor, finished, posted } = setup(work, () => Effect.delay(Effect.succeed(OK), 3_000), {
      concurrency: 2,
      claim: (limit, events) =>
        Effect.suspend(() =>
          isAway
            ? Effect.fail(new StoreError({ operation: "claim", cause: "away" }))
            : Effect.sync(() => taken(work, limit, events))
        )
    })
    yield* Effect.forkChild(actor.run)
    yield* TestClock.adjust(1)
    expect(posted).toHaveLength(2)
    isAway = true
    work.push(item(1))
    actor.wake()
    yield* TestClock.adjust(2_000)
    isAway = false
    for (let second = 0; second < 5; second++) yield* TestClock.adjust(1_000)
    expect(posted).toHaveLength(3)
    expect(finished.flatMap(({ delivered }) => delivered)).toHaveLength(3)
  }).pipe(Effect.provide(Logger.layer([])))
)
