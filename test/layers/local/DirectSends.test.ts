import { expect, it } from "@effect/vitest"
import { Context, Effect, Exit, Layer, Queue, Scope } from "effect"
import { MessageChannel } from "node:worker_threads"
import { DirectHub, layerOf as hubLayer } from "../../../layers/local/DirectSends.ts"
import { ofPort } from "../../../layers/local/ProcessChannel.ts"
import { layerOf } from "../../../layers/local/WorkerDirectSends.ts"
import type { AppId, BatchId, NotificationId } from "../../../services/domain/Ids.ts"
import type { HolderId } from "../../../services/ports/operations/HolderStore.ts"
import { LeaseHolder } from "../../../services/ports/operations/LeaseHolder.ts"
import { uuidv7 } from "../../../services/ports/NewId.ts"
import type { DirectBatch } from "../../../services/ports/sending/DirectSends.ts"
import { DirectSends } from "../../../services/ports/sending/DirectSends.ts"

const app = uuidv7() as AppId
const other = uuidv7() as AppId

const direct = (appId: AppId = app, askedAt = performance.now()): DirectBatch => {
  const notificationId = uuidv7() as NotificationId
  const device = uuidv7()
  return {
    batch: {
      id: uuidv7() as BatchId,
      appId,
      notificationId,
      provider: "webpush",
      priority: "high",
      attempts: 0,
      reason: null,
      fence: 1,
      suspicion: 0,
      isDoubtful: false,
      credential: { version: 7, suspendedReason: null, acceptedAt: null },
      expiresAt: null,
      recipients: [device]
    },
    message: {
      notificationId,
      appId,
      content: { title: "Grüße 😀 \u0000 \ud800", data: { nested: [1, null] } },
      priority: "high",
      expiresAt: 1_790_000_000_123,
      nowOrNever: true,
      collapseKey: null,
      overrides: {}
    },
    target: { id: device, address: "a", environment: "production", p256dh: "p", auth: "a", seenAt: 1_790_000_000_000 },
    siblings: 2,
    askedAt
  }
}

/** The process as a holder of leases, with a session that can end. */
const holderOf = (id: number) => {
  const session: { since: number | null } = { since: -Infinity }
  const layer = Layer.mock(LeaseHolder, { id: () => id as HolderId, presentSince: () => session.since })
  return { layer, session }
}

/** A process that accepts, by itself. It keeps what it accepts in a turn, where it can send, when `isNext` says so. */
const makeHubOf = Effect.fnUntraced(function* (isNext: () => boolean) {
  const own = holderOf(1)
  const context = yield* Layer.build(Layer.fresh(hubLayer(() => ({ isNext }))).pipe(Layer.provide(own.layer)))
  return { session: own.session, sends: Context.get(context, DirectSends), hub: Context.get(context, DirectHub) }
})
const makeHub = makeHubOf(() => true)

type Hub = Effect.Success<typeof makeHub>

/** A worker of it that takes what comes, until it is stopped or cut off. */
const makeWorker = Effect.fnUntraced(function* (
  { hub }: Hub,
  id: number,
  isFree: (appId: AppId) => boolean = () => true
) {
  const { port1, port2 } = new MessageChannel()
  yield* Effect.addFinalizer(() => Effect.sync(() => port1.close()))
  const attached = yield* Scope.make()
  yield* Scope.provide(hub.attach(ofPort(port1)), attached)
  const { layer, session } = holderOf(id)
  const context = yield* Layer.build(Layer.fresh(layerOf(ofPort(port2))).pipe(Layer.provide(layer)))
  const taken = yield* Queue.unbounded<DirectBatch>()
  const scope = yield* Scope.make()
  const sends = Context.get(context as Context.Context<never>, DirectSends)
  yield* Scope.provide(
    sends.take((one) => void Queue.offerUnsafe(taken, one), isFree),
    scope
  )
  return {
    id: id as HolderId,
    session,
    sends,
    taken,
    stop: Scope.close(scope, Exit.void),
    /** The channel breaks off. */
    cut: Effect.sync(() => port2.close()),
    detach: Scope.close(attached, Exit.void)
  }
})

const turn = Effect.callback<void>((resume) => void setImmediate(() => resume(Effect.void)))

/** Waits until who takes messages of the application is as it should be. */
const untilTaker = ({ sends }: Hub, is: (taker: HolderId | null) => boolean, appId = app): Effect.Effect<void> =>
  Effect.suspend(() =>
    is(sends.taker(appId, "high"))
      ? Effect.void
      : Effect.andThen(Effect.sleep("5 millis"), untilTaker({ sends } as Hub, is, appId))
  )

it.live("DirectSends name nobody where nobody sends, and take nothing that is given all the same", () =>
  Effect.gen(function* () {
    const { sends } = yield* makeHub
    expect(sends.taker(app, "high")).toBe(null)
    sends.give(1 as HolderId, direct())
  }).pipe(Effect.scoped)
)

it.live("DirectSends go to the process itself as they are, where it sends, is free, and has its session", () =>
  Effect.gen(function* () {
    const { sends, session } = yield* makeHub
    const taken: Array<DirectBatch> = []
    const scope = yield* Scope.make()
    const busy = new Set<AppId>([other])
    yield* Scope.provide(
      sends.take(
        (one) => taken.push(one),
        (appId) => !busy.has(appId)
      ),
      scope
    )
    expect([sends.taker(app, "high"), sends.taker(other, "high")]).toEqual([1, null])
    session.since = null
    expect(sends.taker(app, "high")).toBe(null)
    session.since = 0
    const one = direct()
    sends.give(sends.taker(app, "high")!, one)
    expect(taken).toEqual([one])
    yield* Scope.close(scope, Exit.void)
    expect(sends.taker(app, "high")).toBe(null)
    // Accepted for it while it was still there: it gives it back.
    sends.give(1 as HolderId, one)
    expect(taken).toEqual([one, one])
  }).pipe(Effect.scoped)
)

it.live(
  "DirectSends of a process with workers stay with it by turns, as its share says, and go to who is free of both",
  () =>
    Effect.gen(function* () {
      const turns: Array<boolean> = []
      const node = yield* makeHubOf(() => turns.shift() ?? true)
      const busy = new Set<AppId>()
      const worker = yield* makeWorker(node, 2)
      yield* untilTaker(node, (taker) => taker === worker.id)
      yield* node.sends.take(
        () => {},
        (appId) => !busy.has(appId)
      )
      const named = Effect.map(turn, () => [1, 2].map(() => node.sends.taker(app, "high")))
      yield* turn
      turns.push(true, false, true)
      expect([yield* named, yield* named, yield* named]).toEqual([
        [1, 1],
        [2, 2],
        [1, 1]
      ])
      // One of both is not free: the other takes it, whosever turn it is.
      busy.add(app)
      expect(yield* named).toEqual([2, 2])
      busy.clear()
      node.session.since = null
      expect(yield* named).toEqual([2, 2])
      node.session.since = 0
      yield* worker.detach
      turns.push(false)
      expect(yield* named).toEqual([1, 1])
    }).pipe(Effect.scoped)
)

it.live("DirectSends reach a worker as they were given, with the moment of their claim", () =>
  Effect.gen(function* () {
    const node = yield* makeHub
    const worker = yield* makeWorker(node, 2)
    yield* untilTaker(node, (taker) => taker === worker.id)
    const given = direct(app, performance.now() - 1234)
    node.sends.give(worker.id, given)
    const { askedAt, ...rest } = yield* Queue.take(worker.taken)
    const { askedAt: before, ...same } = given
    expect(rest).toEqual(same)
    // By the machine's clock: how long the channel took is counted in.
    expect(Math.abs(askedAt - before)).toBeLessThan(600)
  }).pipe(Effect.scoped)
)

it.live("DirectSends of one turn go to one worker, and those of the next one to another", () =>
  Effect.gen(function* () {
    const node = yield* makeHub
    const workers = [yield* makeWorker(node, 2), yield* makeWorker(node, 3)]
    const seen = new Set<HolderId>()
    yield* untilTaker(node, (taker) => {
      if (taker !== null) seen.add(taker)
      return seen.size === 2
    })
    const named: Array<HolderId> = []
    for (let i = 0; i < 4; i++) {
      yield* turn
      const takers = [1, 2, 3].map(() => node.sends.taker(app, "high")!)
      expect(new Set(takers).size).toBe(1)
      named.push(takers[0]!)
    }
    expect(named[0]).not.toBe(named[1])
    expect(named.slice(2)).toEqual(named.slice(0, 2))
    const all = workers.map(({ id }) => [direct(), direct()].map((one) => ({ id, one })))
    for (const { id, one } of all.flat()) node.sends.give(id, one)
    for (const [i, { taken }] of workers.entries()) {
      const got = yield* Queue.takeN(taken, 2)
      expect(got.map(({ batch }) => batch.id)).toEqual(all[i]!.map(({ one }) => one.batch.id))
    }
  }).pipe(Effect.scoped)
)

it.live("DirectSends pass a worker by for a moment that has no room for the application, and go on with others'", () =>
  Effect.gen(function* () {
    const node = yield* makeHub
    const worker = yield* makeWorker(node, 2, (appId) => appId === other)
    yield* untilTaker(node, (taker) => taker === worker.id)
    const one = direct()
    node.sends.give(worker.id, one)
    // It gets what was accepted for it already.
    expect((yield* Queue.take(worker.taken)).batch).toEqual(one.batch)
    // However late this looks: what is given meanwhile is answered the same.
    yield* untilTaker(node, (taker) => {
      if (taker !== null) node.sends.give(taker, direct())
      return taker === null
    })
    expect(node.sends.taker(other, "high")).toBe(worker.id)
    expect(node.sends.taker(app, "bulk")).toBe(worker.id)
    yield* untilTaker(node, (taker) => taker === worker.id)
  }).pipe(Effect.scoped)
)

it.live("DirectSends go to no worker that stops; what is on its way to it arrives, to be given back", () =>
  Effect.gen(function* () {
    const node = yield* makeHub
    const worker = yield* makeWorker(node, 2)
    yield* untilTaker(node, (taker) => taker === worker.id)
    const one = direct()
    node.sends.give(worker.id, one)
    yield* worker.stop
    expect((yield* Queue.take(worker.taken)).batch).toEqual(one.batch)
    yield* untilTaker(node, (taker) => taker === null)
    node.sends.give(worker.id, direct())
  }).pipe(Effect.scoped)
)

it.live("DirectSends go to no worker whose channel is gone, though messages were named for it", () =>
  Effect.gen(function* () {
    const node = yield* makeHub
    const lost = yield* makeWorker(node, 2)
    yield* untilTaker(node, (taker) => taker === lost.id)
    node.sends.give(lost.id, direct())
    yield* lost.cut
    yield* untilTaker(node, (taker) => taker === null)
    // What was accepted for it before is left to the end of its session.
    node.sends.give(lost.id, direct())
    const next = yield* makeWorker(node, 3)
    yield* untilTaker(node, (taker) => taker === next.id)
    yield* next.detach
    expect(node.sends.taker(app, "high")).toBe(null)
  }).pipe(Effect.scoped)
)

it.live("DirectSends go to no worker that has fallen silent, as a frozen one does, until it is heard again", () =>
  Effect.gen(function* () {
    const node = yield* makeHub
    const { port1, port2 } = new MessageChannel()
    yield* Effect.addFinalizer(() => Effect.sync(() => port1.close()))
    yield* node.hub.attach(ofPort(port1))
    const says = { direct: "ready", holder: 2 }
    for (let i = 0; i < 2; i++) {
      yield* untilTaker(node, (taker) => {
        if (taker === null) port2.postMessage(says)
        return taker === 2
      })
      yield* untilTaker(node, (taker) => taker === null)
    }
  }).pipe(Effect.scoped)
)

it.live("DirectSends wait for a worker's session at the database, and pass it by while it has none", () =>
  Effect.gen(function* () {
    const node = yield* makeHub
    const worker = yield* makeWorker(node, 2)
    yield* untilTaker(node, (taker) => taker === worker.id)
    worker.session.since = null
    yield* untilTaker(node, (taker) => taker === null)
    worker.session.since = performance.now()
    yield* untilTaker(node, (taker) => taker === worker.id)
  }).pipe(Effect.scoped)
)

it.live("DirectSends of a worker name nobody: it accepts none", () =>
  Effect.gen(function* () {
    const node = yield* makeHub
    const { sends } = yield* makeWorker(node, 2)
    expect(sends.taker(app, "high")).toBe(null)
    sends.give(2 as HolderId, direct())
  }).pipe(Effect.scoped)
)
