import type { Duration } from "effect"
import { Context, Effect, Layer, Option, Schema, Scope, Semaphore } from "effect"
import type { AppId } from "../../domain/Ids.ts"
import type { InboxNews } from "../../domain/inbox/Inbox.ts"
import { InboxNotices } from "../../ports/inbox/InboxNotices.ts"
import { InboxStore } from "../../ports/inbox/InboxStore.ts"
import { Metrics } from "../../ports/operations/Metrics.ts"
import { make as makeSignal } from "../operations/Signal.ts"
import type { Signal } from "../operations/Signal.ts"

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

/** As many readers as may be are there already: on the process, or of somebody among them. */
export class TooManyReaders extends Schema.TaggedError<TooManyReaders>()("TooManyReaders", {
  of: Schema.Literals(["process", "application", "user", "address"])
}) {}

/** Who wants to read. Room is counted for each of them. */
export interface InboxSeat {
  readonly appId: AppId
  readonly userId: string
  /** Of the client, as text that is good for counting only; null for servers, which read for many. */
  readonly address: string | null
}

export interface InboxReaderOptions extends InboxSeat {
  /** Where the reader is, from the news that it had last; null: it begins now. */
  readonly after: string | null
  /** What lets it read, by a name that many readers share. Asked every second, once for all of them. */
  readonly pass: { readonly name: string; readonly isGood: Effect.Effect<boolean> }
  /** Whether this one may still read. Asked at each beat. */
  readonly isAllowed: Effect.Effect<boolean>
}

/** What comes next: news, a beat when there was none for a while, or the end. */
export type Next = InboxNews | "beat" | "end"

export interface InboxReader {
  readonly next: Effect.Effect<Next>
  readonly close: () => void
}

interface Entry {
  readonly key: string
  readonly seat: InboxSeat
  readonly pass: InboxReaderOptions["pass"]
  readonly signal: Signal
  isDirty: boolean
  isBeaten: boolean
  isEnded: boolean
}

export interface InboxStreamRules {
  /** Readers on this process, and of one application, user or address among them, at most. */
  readonly max: number
  readonly maxOfApp: number
  readonly maxOfUser: number
  readonly maxOfAddress: number
  /** How often passes are asked for; after how many times, readers hear a beat. */
  readonly tick: Duration.Input
  readonly ticksOfBeat: number
  /** The node takes no new work: readers are sent to another one. */
  readonly isStopping: () => boolean
}

/** Counts by name; what is not counted any more is forgotten. */
const makeTally = () => {
  const counts = new Map<string, number>()
  const of = (name: string) => counts.get(name) ?? 0
  return {
    of,
    add: (name: string, change: number) => {
      const now = of(name) + change
      if (now === 0) counts.delete(name)
      else counts.set(name, now)
    }
  }
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
  static readonly layer = ({
    isStopping,
    max,
    maxOfAddress,
    maxOfApp,
    maxOfUser,
    tick,
    ticksOfBeat
  }: InboxStreamRules) =>
    Layer.effect(
      InboxStreams,
      Effect.gen(function* () {
        const store = yield* InboxStore
        const notices = yield* InboxNotices
        const metrics = yield* Metrics
        const scope = yield* Effect.scope
        const readers = new Map<string, Set<Entry>>()
        const ofApp = makeTally()
        const ofUser = makeTally()
        const ofAddress = makeTally()
        let count = 0
        let isClosed = false

        const each = (set: Iterable<Entry> | undefined, change: (entry: Entry) => void): void => {
          for (const entry of set ?? []) {
            change(entry)
            entry.signal.signal()
          }
        }
        const all = () => [...readers.values()].flatMap((set) => [...set])
        const dirty = (entry: Entry) => void (entry.isDirty = true)
        const end = (entry: Entry) => void (entry.isEnded = true)

        // A node without readers holds no connection for them.
        const isListening = { value: false }
        const lock = yield* Semaphore.make(1)
        const listen = lock.withPermits(1)(
          Effect.suspend(() => {
            if (isListening.value) return Effect.void
            isListening.value = true
            return notices
              .listen((notice) => {
                if (notice === null) return each(all(), dirty)
                for (const key of notice.keys) each(readers.get(`${notice.appId}:${key}`), dirty)
              })
              .pipe(Effect.provideService(Scope.Scope, scope))
          })
        )

        const watch = Effect.gen(function* () {
          for (let ticks = 1; ; ticks++) {
            yield* Effect.sleep(tick)
            const entries = all()
            if (isStopping()) each(entries, end)
            const byPass = Map.groupBy(entries, ({ pass }) => pass.name)
            yield* Effect.forEach(
              byPass.values(),
              (ofPass) => Effect.map(ofPass[0]!.pass.isGood, (isGood) => (isGood ? undefined : each(ofPass, end))),
              { concurrency: 8, discard: true }
              // Who got no answer reads on.
            ).pipe(Effect.timeoutOption(TIMEOUT))
            if (ticks % ticksOfBeat === 0) each(all(), (entry) => void (entry.isBeaten = true))
          }
        })
        yield* Effect.forkScoped(watch)
        yield* Effect.acquireRelease(
          Effect.sync(() =>
            metrics.watch(() => [{ name: "heliograph_inbox_streams" as const, labels: {}, value: count }])
          ),
          (stop) => Effect.sync(stop)
        )
        yield* Effect.addFinalizer(() =>
          Effect.sync(() => {
            isClosed = true
            each(all(), end)
          })
        )

        const nameOf = ({ appId, userId }: InboxSeat) => `${appId}:${userId}`
        /** The newest is the one to go: an older one that was ended would come back at once, and end another. */
        const check = (seat: InboxSeat) => {
          const full =
            count >= max || isStopping()
              ? "process"
              : ofApp.of(seat.appId) >= maxOfApp
                ? "application"
                : ofUser.of(nameOf(seat)) >= maxOfUser
                  ? "user"
                  : seat.address !== null && ofAddress.of(seat.address) >= maxOfAddress
                    ? "address"
                    : null
          return full === null ? Effect.void : Effect.fail(new TooManyReaders({ of: full }))
        }

        const add = (entry: Entry) => {
          count++
          ofApp.add(entry.seat.appId, 1)
          ofUser.add(nameOf(entry.seat), 1)
          if (entry.seat.address !== null) ofAddress.add(entry.seat.address, 1)
          const set = readers.get(entry.key) ?? new Set()
          readers.set(entry.key, set.add(entry))
        }
        const remove = (entry: Entry) => {
          const set = readers.get(entry.key)
          if (set?.delete(entry) !== true) return
          if (set.size === 0) readers.delete(entry.key)
          count--
          ofApp.add(entry.seat.appId, -1)
          ofUser.add(nameOf(entry.seat), -1)
          if (entry.seat.address !== null) ofAddress.add(entry.seat.address, -1)
        }

        const open = Effect.fnUntraced(function* ({
          address,
          after,
          appId,
          isAllowed,
          pass,
          userId
        }: InboxReaderOptions) {
          const seat = { address, appId, userId }
          yield* check(seat)
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
          add(entry)
          yield* listen

          const next = Effect.gen(function* () {
            while (true) {
              if (entry.isEnded || isClosed || isStopping()) return "end" as const
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
          return { next, close: () => remove(entry) }
        })

        return InboxStreams.of({ open, check })
      })
    )
}
