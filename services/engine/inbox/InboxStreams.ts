import type { Duration } from "effect"
import { Context, Effect, Layer, Option, Scope, Semaphore } from "effect"
import type { InboxNews } from "../../domain/inbox/Inbox.ts"
import { InboxNotices } from "../../ports/inbox/InboxNotices.ts"
import { InboxStore } from "../../ports/inbox/InboxStore.ts"
import { Metrics } from "../../ports/operations/Metrics.ts"
import { make as makeSignal } from "../operations/Signal.ts"
import type { Entry, InboxPass, InboxRoom, InboxSeat } from "./InboxReaders.ts"
import { InboxReaders, TooManyReaders } from "./InboxReaders.ts"

/*
 * Live readers of inboxes: one actor for each open connection, in the fiber of its request.
 *
 * States   quiet   its reader has everything that is known of
 *          dirty   there may be more: read from the store, from where the reader is
 *          ended   the key was revoked, the identity is no longer proven, or the node stops
 *
 * Mailbox  "look again", from three sides: a notice that the inbox has changed, the beat, the end. It holds nothing:
 *          what a reader has not taken yet stays in the store, so a slow one costs no memory, and gets it all at once.
 *
 * Reads of many readers travel as one statement. One fiber beats for all of them.
 */

/** How long a reader's questions may stay without an answer: nobody waits longer than for a beat. */
const TIMEOUT = "4 seconds"

export interface InboxReaderOptions extends InboxSeat {
  /** Where the reader is, from the news that it had last; null: it begins now. */
  readonly after: string | null
  readonly pass: InboxPass
  /** Whether this one may still read. Asked at each beat. */
  readonly isAllowed: Effect.Effect<boolean>
}

/** What comes next: news, a beat when there was none for a while, or the end. */
export type Next = InboxNews | "beat" | "end"

export interface InboxReader {
  readonly next: Effect.Effect<Next>
  readonly close: () => void
}

export interface InboxStreamRules extends InboxRoom {
  /** How often passes are asked for; after how many times, readers hear a beat. */
  readonly tick: Duration.Input
  readonly ticksOfBeat: number
  /** The node takes no new work: readers are sent to another one. */
  readonly isStopping: () => boolean
}

export class InboxStreams extends Context.Service<
  InboxStreams,
  {
    /** Fails when there is no room. The reader must be closed. */
    readonly open: (options: InboxReaderOptions) => Effect.Effect<InboxReader, TooManyReaders>
    /** Whether there is room for one more. */
    readonly check: (seat: InboxSeat) => Effect.Effect<void, TooManyReaders>
  }
>()("heliograph/engine/InboxStreams") {
  static readonly layer = (rules: InboxStreamRules) =>
    Layer.effect(
      InboxStreams,
      Effect.suspend(() => make(rules))
    )
}

/** A process with its readers. */
interface Streams {
  readonly rules: InboxStreamRules
  readonly store: InboxStore["Service"]
  readonly notices: InboxNotices["Service"]
  readonly readers: InboxReaders
  /** Listens to notices, from the first time on. */
  readonly listen: Effect.Effect<void>
  isClosed: boolean
}

const make = Effect.fnUntraced(function* (rules: InboxStreamRules) {
  const notices = yield* InboxNotices
  const metrics = yield* Metrics
  const readers = new InboxReaders(rules)
  const listen = yield* makeListen(notices, readers)
  const streams: Streams = { rules, store: yield* InboxStore, notices, readers, listen, isClosed: false }
  yield* Effect.forkScoped(watch(streams))
  yield* Effect.acquireRelease(
    Effect.sync(() =>
      metrics.watch(() => [{ name: "heliograph_inbox_streams" as const, labels: {}, value: readers.count }])
    ),
    (stop) => Effect.sync(stop)
  )
  yield* Effect.addFinalizer(() =>
    Effect.sync(() => {
      streams.isClosed = true
      each(readers.all(), end)
    })
  )
  return InboxStreams.of({ open: (options) => open(streams, options), check: (seat) => check(streams, seat) })
})

const each = (entries: Iterable<Entry>, change: (entry: Entry) => void): void => {
  for (const entry of entries) {
    change(entry)
    entry.signal.signal()
  }
}
const dirty = (entry: Entry) => void (entry.isDirty = true)
const beat = (entry: Entry) => void (entry.isBeaten = true)
const end = (entry: Entry) => void (entry.isEnded = true)

/** A node without readers holds no connection for them. */
const makeListen = Effect.fnUntraced(function* (notices: InboxNotices["Service"], readers: InboxReaders) {
  const scope = yield* Effect.scope
  const lock = yield* Semaphore.make(1)
  let isListening = false
  return lock.withPermits(1)(
    Effect.suspend(() => {
      if (isListening) return Effect.void
      isListening = true
      return notices
        .listen((notice) => {
          if (notice === null) return each(readers.all(), dirty)
          for (const key of notice.keys) each(readers.of(`${notice.appId}:${key}`), dirty)
        })
        .pipe(Effect.provideService(Scope.Scope, scope))
    })
  )
})

/** Ends those whose pass is no longer good, and beats. */
const watch = Effect.fnUntraced(function* ({ readers, rules }: Streams) {
  for (let ticks = 1; ; ticks++) {
    yield* Effect.sleep(rules.tick)
    const entries = readers.all()
    if (rules.isStopping()) each(entries, end)
    const byPass = Map.groupBy(entries, ({ pass }) => pass.name)
    yield* Effect.forEach(
      byPass.values(),
      (ofPass) => Effect.map(ofPass[0]!.pass.isGood, (isGood) => (isGood ? undefined : each(ofPass, end))),
      { concurrency: 8, discard: true }
      // Who got no answer reads on.
    ).pipe(Effect.timeoutOption(TIMEOUT))
    if (ticks % rules.ticksOfBeat === 0) each(readers.all(), beat)
  }
})

const check = ({ readers, rules }: Streams, seat: InboxSeat) => {
  const full = rules.isStopping() ? "process" : readers.fullFor(seat)
  return full === null ? Effect.void : Effect.fail(new TooManyReaders({ of: full }))
}

const open = Effect.fnUntraced(function* (streams: Streams, options: InboxReaderOptions) {
  const { address, after, appId, isAllowed, pass, userId } = options
  const { listen, notices, readers, rules, store } = streams
  const seat = { address, appId, userId }
  yield* check(streams, seat)
  const entry: Entry = {
    key: `${appId}:${notices.keyOf(userId)}`,
    seat,
    pass,
    signal: makeSignal(),
    isDirty: true,
    isBeaten: false,
    isEnded: false
  }
  let position = after
  let unread = -1
  readers.add(entry)
  yield* listen

  const next = Effect.gen(function* () {
    while (true) {
      if (entry.isEnded || streams.isClosed || rules.isStopping()) return "end" as const
      if (entry.isBeaten) {
        entry.isBeaten = false
        const allowed = yield* Effect.timeoutOption(isAllowed, TIMEOUT)
        return Option.getOrElse(allowed, () => true) ? ("beat" as const) : ("end" as const)
      }
      if (entry.isDirty) {
        entry.isDirty = false
        const question = Effect.timeout(store.since({ appId, userId, after: position }), TIMEOUT)
        const news = yield* Effect.option(question)
        // A database that is away is asked again at the next beat; the reader stays.
        if (news._tag === "None") entry.isDirty = true
        else {
          position = news.value.position
          const isNew = news.value.isCut || news.value.messages.length > 0 || news.value.unread !== unread
          unread = news.value.unread
          if (isNew) return news.value
          continue
        }
      }
      yield* entry.signal.wait
    }
  })
  return { next, close: () => readers.remove(entry) }
})
