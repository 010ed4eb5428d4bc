import { expect, it } from "@effect/vitest"
import { Deferred, Effect, Fiber, Semaphore } from "effect"
import { TestClock } from "effect/testing"
import { uuidv7 } from "../../../../services/ports/NewId.ts"
import type { AppId, BatchId, NotificationId } from "../../../../services/domain/Ids.ts"
import type { LaneWork } from "../../../../services/engine/sending/Lane.ts"
import { laneId, laneKey, makeLane } from "../../../../services/engine/sending/Lane.ts"
import type { LaneReport, Progress } from "../../../../services/engine/sending/Results.ts"
import type { ClaimedBatch } from "../../../../services/ports/sending/BatchStore.ts"
import { StoreError } from "../../../../services/ports/StoreError.ts"

const key = { appId: uuidv7() as AppId, provider: "apns", priority: "bulk" } as const
const QUIET: LaneReport = { slow: null, suspend: null, isProved: true }

/** Lets fibers that wait for each other, not for time, come to rest. */
const settle = Effect.repeat(TestClock.adjust(1), { times: 300 })

const batch = (recipients = 1): ClaimedBatch => ({
  id: uuidv7() as BatchId,
  appId: key.appId,
  notificationId: uuidv7() as NotificationId,
  provider: "apns",
  priority: "bulk",
  attempts: 0,
  reason: null,
  fence: 1,
  suspicion: 0,
  isDoubtful: false,
  credential: { version: 1, suspendedReason: null, acceptedAt: null },
  expiresAt: null,
  recipients: Array.from({ length: recipients }, () => "a")
})

/** A lane over a list of waiting batches; `report` answers what sending each one says. */
const setup = Effect.fnUntraced(function* (options: {
  readonly waiting: number
  readonly send?: (index: number, probe: boolean, progress: Progress) => Effect.Effect<LaneReport, StoreError>
  readonly over?: Partial<LaneWork>
}) {
  let waiting = options.waiting
  let started = 0
  const probes: Array<boolean> = []
  const idle = yield* Deferred.make<void>()
  const permits = yield* Semaphore.make(100)
  const work: LaneWork = {
    claim: () =>
      Effect.sync(() => {
        if (waiting === 0) return []
        waiting--
        return [batch()]
      }),
    send: (_, probe, progress) => {
      probes.push(probe)
      return options.send?.(started++, probe, progress) ?? Effect.succeed(QUIET)
    },
    onEnd: () => {},
    onIdle: () => Effect.runSync(Deferred.succeed(idle, undefined)),
    isStopping: () => false,
    isRepaired: () => Effect.succeed(false),
    permits,
    strays: { left: 8 },
    maxWindow: 4,
    pauseMs: 30_000,
    repairMs: 2_000,
    idleMs: 10_000,
    ...options.over
  }
  const lane = makeLane(key, work)
  return {
    lane,
    idle,
    probes,
    permits,
    waiting: () => waiting,
    add: (n: number) => {
      waiting += n
      lane.wake()
    }
  }
})

it("names a lane by its application and provider, and reads the name again", () => {
  expect(laneKey(laneId(key), "bulk")).toEqual(key)
  expect(laneKey("nonsense", "high")).toBeNull()
})

it.effect("takes batches until there are none, and ends after a time without work", () =>
  Effect.gen(function* () {
    const { lane, idle, probes, waiting } = yield* setup({ waiting: 10 })
    const fiber = yield* Effect.forkChild(lane.run)
    yield* settle
    expect(waiting()).toBe(0)
    expect(probes.length).toBe(10)
    yield* TestClock.adjust(10_000)
    yield* Deferred.await(idle)
    yield* Fiber.join(fiber)
  })
)

it.effect("starts again at once when it is woken", () =>
  Effect.gen(function* () {
    const { lane, add, probes } = yield* setup({ waiting: 0 })
    yield* Effect.forkChild(lane.run)
    yield* TestClock.adjust(1)
    add(3)
    yield* TestClock.adjust(1)
    expect(probes.length).toBe(3)
  })
)

it.effect("takes single messages together, in one place of its window, and large batches one by one", () =>
  Effect.gen(function* () {
    const gate = yield* Deferred.make<void>()
    const sizes = [1, 1, 1, 1, 500, 500]
    const limits: Array<number> = []
    const { lane, probes } = yield* setup({
      waiting: 0,
      send: () => Effect.as(Deferred.await(gate), QUIET),
      over: {
        // As the store does: no more than make up a large batch.
        claim: (limit) =>
          Effect.sync(() => {
            limits.push(limit)
            const few = sizes[0] === 1 ? sizes.filter((size) => size === 1).length : 1
            return sizes.splice(0, Math.min(limit, few)).map((size) => batch(size))
          })
      }
    })
    yield* Effect.forkChild(lane.run)
    yield* settle
    // One alone, three together, one large; and the next large one has the last place.
    expect(probes.length).toBe(6)
    expect(lane.running()).toBe(4)
    expect(limits[0]).toBe(1)
    expect(limits[1]).toBeGreaterThan(1)
    expect(limits[3]).toBe(1)
    yield* Deferred.succeed(gate, undefined)
    yield* settle
    expect(lane.running()).toBe(0)
  })
)

it.effect("takes single messages one by one while another node found their credential refused", () =>
  Effect.gen(function* () {
    const gate = yield* Deferred.make<void>()
    const limits: Array<number> = []
    let left = 3
    const { lane } = yield* setup({
      waiting: 0,
      send: () => Effect.as(Deferred.await(gate), QUIET),
      over: {
        claim: (limit) =>
          Effect.sync(() => {
            limits.push(limit)
            return left-- > 0
              ? [{ ...batch(), credential: { version: 1, suspendedReason: "InvalidProviderToken", acceptedAt: null } }]
              : []
          })
      }
    })
    yield* Effect.forkChild(lane.run)
    yield* settle
    expect(limits).toEqual([1, 1, 1, 1])
    yield* Deferred.succeed(gate, undefined)
  })
)

it.effect("is taught by each message of those that it took together", () =>
  Effect.gen(function* () {
    const batches = [[batch()], Array.from({ length: 5 }, () => batch())]
    const { lane } = yield* setup({
      waiting: 0,
      send: (index) => Effect.succeed(index === 3 ? { slow: { reason: "quota", ms: 60_000 }, suspend: null } : QUIET),
      over: { claim: () => Effect.sync(() => batches.shift() ?? []) }
    })
    yield* Effect.forkChild(lane.run)
    yield* settle
    expect(lane.state()).toMatchObject({ _tag: "slowed", reason: "quota" })
  })
)

it.effect("halves its window once for messages that it took together, and waits as long as the longest says", () =>
  Effect.gen(function* () {
    const waits = [60_000, 1_000, 90_000, 1_000]
    const batches = [Array.from({ length: 4 }, () => batch())]
    const { lane } = yield* setup({
      waiting: 0,
      send: (index) => Effect.succeed({ slow: { reason: `${waits[index]!}`, ms: waits[index]! }, suspend: null }),
      over: { claim: () => Effect.sync(() => batches.shift() ?? []) }
    })
    yield* Effect.forkChild(lane.run)
    yield* settle
    expect(lane.state()).toMatchObject({ _tag: "slowed", reason: "90000" })
    expect(lane.window()).toBe(2)
  })
)

it.effect("stays held by a refused credential when others of the messages that it took together are over a limit", () =>
  Effect.gen(function* () {
    const batches = [Array.from({ length: 3 }, () => batch())]
    const { lane } = yield* setup({
      waiting: 0,
      send: (index) =>
        Effect.succeed(
          index === 1
            ? { slow: null, suspend: "InvalidProviderToken" }
            : { slow: { reason: "quota", ms: 60_000 }, suspend: null }
        ),
      over: { claim: () => Effect.sync(() => batches.shift() ?? []) }
    })
    yield* Effect.forkChild(lane.run)
    yield* settle
    expect(lane.state()).toMatchObject({ _tag: "paused", reason: "InvalidProviderToken" })
  })
)

it.effect("has no more batches under way than its window", () =>
  Effect.gen(function* () {
    const gate = yield* Deferred.make<void>()
    const { lane, waiting } = yield* setup({ waiting: 10, send: () => Effect.as(Deferred.await(gate), QUIET) })
    yield* Effect.forkChild(lane.run)
    yield* TestClock.adjust(1)
    expect(lane.running()).toBe(4)
    expect(waiting()).toBe(6)
    yield* Deferred.succeed(gate, undefined)
    yield* TestClock.adjust(1)
    expect(waiting()).toBe(0)
  })
)

it.effect(
  "gives the place of a large batch to the next when an eighth of its recipients are left, and not before",
  () =>
    Effect.gen(function* () {
      const gate = yield* Deferred.make<void>()
      const all: Array<Progress> = []
      const strays = { left: 8 }
      const { lane, permits } = yield* setup({
        waiting: 0,
        send: (_, __, progress) => {
          all.push(progress)
          return Effect.as(Deferred.await(gate), QUIET)
        },
        over: { maxWindow: 1, strays, claim: () => Effect.sync(() => (all.length < 3 ? [batch(500)] : [])) }
      })
      yield* Effect.forkChild(lane.run)
      yield* TestClock.adjust(10_000)
      expect(all.map(({ left }) => left)).toEqual([500])
      all[0]!.left = 63
      yield* TestClock.adjust(10_000)
      expect(all.length).toBe(1)
      all[0]!.left = 62
      yield* TestClock.adjust(250)
      expect(all.length).toBe(2)
      all[1]!.left = 1
      yield* TestClock.adjust(250)
      expect(all.length).toBe(3)
      // They are under way all the same, and the lane does not end without them.
      expect(lane.running()).toBe(3)
      expect(strays.left).toBe(6)
      yield* TestClock.adjust(20_000)
      yield* Deferred.succeed(gate, undefined)
      yield* settle
      expect(lane.running()).toBe(0)
      expect(strays.left).toBe(8)
      expect(yield* permits.take(100)).toBe(100)
    })
)

it.effect(
  "gives the place of half a batch to the next when nothing more is answered for a second, of what is taken",
  () =>
    Effect.gen(function* () {
      const gate = yield* Deferred.make<void>()
      const all: Array<Progress> = []
      const { lane } = yield* setup({
        waiting: 0,
        send: (_, __, progress) => {
          all.push(progress)
          return Effect.as(Deferred.await(gate), QUIET)
        },
        over: { maxWindow: 1, claim: () => Effect.sync(() => (all.length < 2 ? [batch(500)] : [])) }
      })
      yield* Effect.forkChild(lane.run)
      yield* TestClock.adjust(1)
      const first = all[0]!
      first.left = 250
      yield* TestClock.adjust(10_000)
      // It may answer nobody but by refusals.
      expect(all.length).toBe(1)
      first.isTaken = true
      for (let left = 249; left > 240; left--) {
        first.left = left
        yield* TestClock.adjust(750)
      }
      expect(all.length).toBe(1)
      yield* TestClock.adjust(500)
      expect(all.length).toBe(2)
      // More than half.
      all[1]!.isTaken = true
      all[1]!.left = 251
      yield* TestClock.adjust(10_000)
      expect(lane.running()).toBe(2)
      yield* Deferred.succeed(gate, undefined)
    })
)

it.effect("gives the place of small messages to the next when others are answered, and not while nobody is", () =>
  Effect.gen(function* () {
    const gates = yield* Effect.all(Array.from({ length: 6 }, () => Deferred.make<void>()))
    const claims = [[batch()], Array.from({ length: 4 }, () => batch()), [batch()]]
    const { lane, probes } = yield* setup({
      waiting: 0,
      send: (index) => Effect.as(Deferred.await(gates[index]!), QUIET),
      over: { maxWindow: 1, claim: () => Effect.sync(() => claims.shift() ?? []) }
    })
    yield* Effect.forkChild(lane.run)
    yield* TestClock.adjust(10_000)
    // Nothing says that the provider answers anybody.
    expect(probes.length).toBe(1)
    yield* Deferred.succeed(gates[0]!, undefined)
    yield* settle
    expect(probes.length).toBe(5)
    yield* TestClock.adjust(10_000)
    expect(probes.length).toBe(5)
    for (const gate of gates.slice(1, 4)) yield* Deferred.succeed(gate, undefined)
    yield* TestClock.adjust(250)
    expect(probes.length).toBe(6)
    expect(lane.running()).toBe(2)
    yield* Deferred.succeed(gates[4]!, undefined)
    yield* Deferred.succeed(gates[5]!, undefined)
    yield* settle
    expect(lane.running()).toBe(0)
  })
)

it.effect("gives no place away for messages that ran out of time, also of those that were claimed as they came", () =>
  Effect.gen(function* () {
    const gate = yield* Deferred.make<void>()
    const claims = [[batch()], [batch()]]
    const { lane, probes } = yield* setup({
      waiting: 0,
      send: (index) =>
        index === 0 ? Effect.as(Deferred.await(gate), QUIET) : Effect.succeed({ ...QUIET, isProved: false }),
      over: { maxWindow: 1, claim: () => Effect.sync(() => claims.shift() ?? []) }
    })
    yield* Effect.forkChild(lane.run)
    yield* TestClock.adjust(1)
    lane.beginDirect()
    lane.endDirect()
    lane.beginDirect()
    yield* lane.sendDirect(batch())
    yield* TestClock.adjust(10_000)
    expect(probes.length).toBe(2)
    lane.beginDirect()
    lane.noteAnswer()
    yield* TestClock.adjust(250)
    expect(probes.length).toBe(3)
    yield* Deferred.succeed(gate, undefined)
  })
)

it.effect("lets no more wait without a place than all lanes may together", () =>
  Effect.gen(function* () {
    const gate = yield* Deferred.make<void>()
    const strays = { left: 4 }
    const { lane, probes } = yield* setup({
      waiting: 10,
      send: (_, __, progress) =>
        Effect.suspend(() => {
          progress.left = 0
          return Effect.as(Deferred.await(gate), QUIET)
        }),
      over: { maxWindow: 1, strays }
    })
    yield* Effect.forkChild(lane.run)
    yield* TestClock.adjust(20_000)
    // As many as are left to others, and the one in its place.
    expect(probes.length).toBe(3)
    expect(strays.left).toBe(2)
    yield* Deferred.succeed(gate, undefined)
    yield* settle
    expect(probes.length).toBe(10)
    expect(strays.left).toBe(4)
  })
)

it.effect("keeps the place of a message that tries a refused credential until it is answered", () =>
  Effect.gen(function* () {
    const gate = yield* Deferred.make<void>()
    const { lane, probes } = yield* setup({
      waiting: 10,
      send: (index, _, progress) =>
        index === 0
          ? Effect.succeed({ slow: null, suspend: "InvalidProviderToken" })
          : Effect.suspend(() => {
              progress.left = 0
              return Effect.as(Deferred.await(gate), QUIET)
            }),
      over: { maxWindow: 1 }
    })
    yield* Effect.forkChild(lane.run)
    yield* TestClock.adjust(30_000)
    expect(probes).toEqual([false, true])
    yield* TestClock.adjust(20_000)
    expect(probes.length).toBe(2)
    yield* Deferred.succeed(gate, undefined)
  })
)

it.effect("waits as long as the provider says when it is over a limit, with half the window after that", () =>
  Effect.gen(function* () {
    const { lane, waiting } = yield* setup({
      waiting: 10,
      send: (index) => Effect.succeed(index < 4 ? { slow: { reason: "quota", ms: 60_000 }, suspend: null } : QUIET),
      over: { maxWindow: 4 }
    })
    yield* Effect.forkChild(lane.run)
    yield* TestClock.adjust(1)
    expect(lane.state()._tag).toBe("slowed")
    expect(lane.window()).toBeLessThan(4)
    const left = waiting()
    expect(left).toBeGreaterThan(0)
    lane.wake()
    yield* TestClock.adjust(59_000)
    expect(waiting()).toBe(left)
    yield* TestClock.adjust(2_000)
    expect(waiting()).toBe(0)
    expect(lane.state()._tag).toBe("open")
  })
)

it.effect("waits no longer when the service's clock is set back meanwhile", () =>
  Effect.gen(function* () {
    const { lane, waiting } = yield* setup({
      waiting: 10,
      send: (index) => Effect.succeed(index < 4 ? { slow: { reason: "quota", ms: 60_000 }, suspend: null } : QUIET)
    })
    yield* Effect.forkChild(lane.run)
    yield* TestClock.adjust(1)
    expect(lane.state()._tag).toBe("slowed")
    yield* TestClock.setTime(-3_600_000)
    yield* TestClock.adjust(60_000)
    // The test's clock wakes by what was set back; timers do not.
    lane.wake()
    yield* TestClock.adjust(1)
    expect(waiting()).toBe(0)
    expect(lane.state()._tag).toBe("open")
  })
)

it.effect("probes a refused credential with one batch at a time, and opens when one gets through", () =>
  Effect.gen(function* () {
    const { lane, probes, waiting } = yield* setup({
      waiting: 10,
      send: (index) => Effect.succeed(index < 5 ? { slow: null, suspend: "InvalidProviderToken" } : QUIET),
      over: { maxWindow: 4 }
    })
    yield* Effect.forkChild(lane.run)
    yield* TestClock.adjust(1)
    const first = probes.length
    expect(lane.state()).toMatchObject({ _tag: "paused", reason: "InvalidProviderToken" })
    expect(first).toBeLessThanOrEqual(4)
    while (probes.length < 5) {
      const before = probes.length
      yield* TestClock.adjust(30_000)
      if (probes.length < 6) expect(probes.length - before).toBe(1)
    }
    yield* TestClock.adjust(30_000)
    expect(lane.state()._tag).toBe("open")
    expect(waiting()).toBe(0)
    expect(probes.slice(first, 5).every((isProbe) => isProbe)).toBe(true)
  })
)

it.effect(
  "starts its first batch although other lanes hold everything that is shared, and more only when there is room",
  () =>
    Effect.gen(function* () {
      const gate = yield* Deferred.make<void>()
      const taken = yield* Semaphore.make(1)
      yield* taken.take(1)
      const { lane, waiting } = yield* setup({
        waiting: 3,
        send: (index) => (index === 0 ? Effect.as(Deferred.await(gate), QUIET) : Effect.succeed(QUIET)),
        over: { permits: taken }
      })
      yield* Effect.forkChild(lane.run)
      yield* settle
      expect([lane.running(), waiting()]).toEqual([1, 2])
      yield* Deferred.succeed(gate, undefined)
      yield* settle
      expect([lane.running(), waiting()]).toEqual([0, 0])
    })
)

it.effect("goes on soon after the credential was replaced", () =>
  Effect.gen(function* () {
    let isRepaired = false
    const { lane, waiting } = yield* setup({
      waiting: 3,
      send: () => Effect.sync(() => (isRepaired ? QUIET : { slow: null, suspend: "BadCertificate" })),
      over: { maxWindow: 1, isRepaired: () => Effect.sync(() => isRepaired) }
    })
    yield* Effect.forkChild(lane.run)
    yield* TestClock.adjust(1)
    expect(waiting()).toBe(2)
    isRepaired = true
    yield* TestClock.adjust(2_000)
    expect(waiting()).toBe(0)
  })
)

it.effect("waits no longer for a provider's limit once the credential that was over it is replaced", () =>
  Effect.gen(function* () {
    let current = 1
    const asked: Array<number | null> = []
    const { lane, waiting } = yield* setup({
      waiting: 3,
      send: () =>
        Effect.sync(() => (current === 2 ? QUIET : { slow: { reason: "quota", ms: 3_600_000 }, suspend: null })),
      over: {
        maxWindow: 1,
        isRepaired: ({ version }) =>
          Effect.sync(() => {
            asked.push(version)
            return version !== current
          })
      }
    })
    yield* Effect.forkChild(lane.run)
    yield* TestClock.adjust(60_000)
    expect(waiting()).toBe(2)
    expect(asked.length).toBeGreaterThanOrEqual(29)
    expect(asked.length).toBeLessThanOrEqual(31)
    // A wake-up is no reason to ask the database again.
    lane.wake()
    lane.wake()
    yield* TestClock.adjust(1)
    expect(asked.length).toBeLessThanOrEqual(31)
    current = 2
    yield* TestClock.adjust(2_000)
    expect(waiting()).toBe(0)
    expect(lane.state()._tag).toBe("open")
    expect(new Set(asked)).toEqual(new Set([1]))
  })
)

it.effect("gives its permit back when a batch breaks, and goes on", () =>
  Effect.gen(function* () {
    const { lane, waiting, permits } = yield* setup({
      waiting: 200,
      send: (index) => (index % 2 === 0 ? Effect.die(new Error("broken")) : Effect.succeed(QUIET))
    })
    yield* Effect.forkChild(lane.run)
    yield* settle
    expect(waiting()).toBe(0)
    expect(yield* permits.takeIfAvailable(100)).toBe(true)
  })
)

it.effect("looks again after a moment when the store cannot answer", () =>
  Effect.gen(function* () {
    let failures = 2
    let claims = 0
    const { lane, permits } = yield* setup({
      waiting: 0,
      over: {
        claim: () => {
          claims++
          return failures-- > 0
            ? Effect.fail(new StoreError({ operation: "claim", cause: "down" }))
            : Effect.succeed([])
        }
      }
    })
    yield* Effect.forkChild(lane.run)
    yield* TestClock.adjust(1)
    expect(claims).toBe(1)
    yield* TestClock.adjust(2_100)
    expect(claims).toBe(3)
    expect(yield* permits.takeIfAvailable(100)).toBe(true)
  })
)

it.effect("takes nothing new while the node stops", () =>
  Effect.gen(function* () {
    const { lane, waiting } = yield* setup({ waiting: 5, over: { isStopping: () => true } })
    yield* Effect.forkChild(lane.run)
    yield* TestClock.adjust(1)
    expect(waiting()).toBe(5)
  })
)

it.effect("goes on after a claim that broke, and does not drop what is under way for it", () =>
  Effect.gen(function* () {
    const gate = yield* Deferred.make<void>()
    let claims = 0
    let ended = 0
    const { lane, probes, permits } = yield* setup({
      waiting: 0,
      send: () => Effect.as(Deferred.await(gate), QUIET),
      over: {
        claim: () =>
          Effect.suspend(() => {
            claims++
            return claims === 2 ? Effect.die("broken") : Effect.succeed(claims <= 3 ? [batch()] : [])
          }),
        onEnd: () => ended++
      }
    })
    yield* Effect.forkChild(lane.run)
    yield* settle
    expect([claims, lane.running(), ended]).toEqual([2, 1, 0])
    yield* TestClock.adjust(1_000)
    expect(probes.length).toBe(2)
    yield* Deferred.succeed(gate, undefined)
    yield* settle
    expect([lane.running(), ended]).toEqual([0, 2])
    yield* permits.take(100)
  })
)

it.effect("takes messages that are claimed already up to a bound, beside its window, and stays while one is left", () =>
  Effect.gen(function* () {
    let ends = 0
    const { lane, idle } = yield* setup({ waiting: 0, over: { onEnd: () => void ends++ } })
    yield* Effect.forkChild(lane.run)
    let taken = 0
    for (; lane.takesDirect(); taken++) lane.beginDirect()
    expect([taken, lane.running(), lane.window()]).toEqual([5000, 5000, 4])
    lane.endDirect()
    expect(lane.takesDirect()).toBe(true)
    for (; taken > 2; taken--) lane.endDirect()
    yield* settle
    yield* TestClock.adjust(60_000)
    expect(yield* Deferred.isDone(idle)).toBe(false)
    lane.endDirect()
    yield* TestClock.adjust(10_000)
    yield* Deferred.await(idle)
    expect([lane.running(), ends]).toEqual([0, 5000])
  })
)

it.effect("takes no messages that are claimed already while it waits, and again when a batch has got through", () =>
  Effect.gen(function* () {
    const reports: Array<LaneReport> = [{ ...QUIET, slow: { reason: "429", ms: 5000 } }, QUIET]
    const { add, lane } = yield* setup({ waiting: 0, send: (index) => Effect.succeed(reports[index] ?? QUIET) })
    yield* Effect.forkChild(lane.run)
    // One of them is told to wait.
    lane.beginDirect()
    yield* lane.sendDirect(batch())
    expect([lane.state()._tag, lane.takesDirect(), lane.running()]).toEqual(["slowed", false, 0])
    // The wait alone says nothing of the limit.
    yield* TestClock.adjust(6000)
    expect(lane.takesDirect()).toBe(false)
    add(1)
    yield* settle
    expect([lane.state()._tag, lane.takesDirect()]).toEqual(["open", true])
  })
)

it.effect("ends a message that was claimed already though its sending breaks, and takes others", () =>
  Effect.gen(function* () {
    const { lane } = yield* setup({ waiting: 0, send: () => Effect.die(new Error("broken")) })
    yield* Effect.forkChild(lane.run)
    lane.beginDirect()
    yield* lane.sendDirect(batch())
    expect([lane.running(), lane.takesDirect()]).toEqual([0, true])
  })
)
