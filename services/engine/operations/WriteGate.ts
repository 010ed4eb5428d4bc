import { Context, Effect, Exit, Layer } from "effect"
import type { Placed } from "../../domain/operations/Places.ts"
import { Places } from "../../domain/operations/Places.ts"
import type { Claimed } from "../../ports/operations/LeaseHolder.ts"
import { LeaseHolder } from "../../ports/operations/LeaseHolder.ts"
import { EngineSettings } from "../../ports/EngineSettings.ts"
import { Metrics } from "../../ports/operations/Metrics.ts"
import type { StoreError } from "../../ports/StoreError.ts"
import { webhookLeaseMs } from "../sending/Leases.ts"

/*
 * The process's gate: what cannot be written is not sent.
 *
 * States   open     requests to providers and webhooks begin
 *          closed   a write of results is overdue by a second, or failed, and none asked for since has succeeded; or the
 *                   process's session at the database is not known to last. Nothing begins. What is under way comes to
 *                   its end, its results are kept, and writing them is tried until it succeeds.
 *          shut     the process is about to end. As closed, for good.
 *
 * A work item whose own write is overdue begins nothing either, though others can be written.
 */

/** A write that takes longer is overdue. Results wait for a quarter of a second before they are written. */
const OVERDUE_MS = 750
/** How often the process shows that it lives. */
const BEAT_MS = 500
/** How often those who wait for the gate look. */
const LOOK_MS = 50

export type Kind = "batches" | "webhookWork"

interface Write extends Placed {
  readonly kind: Kind
  readonly items: ReadonlyArray<Claimed>
  /** Of `performance.now()`: when it was asked for, or the try of it that failed last. */
  since: number
  /** When the latest try began. */
  triedAt: number
  hasFailed: boolean
}

/** One try of a write, of which there may be several. */
export type Try = <A>(attempt: Effect.Effect<A, StoreError>) => Effect.Effect<A, StoreError>

export class WriteGate extends Context.Service<
  WriteGate,
  {
    /**
     * Runs what writes work items, noted from now to its end. Each try of it goes through the function that it is
     * given, so that failures are known before they are over.
     */
    readonly writing: <A, E, R>(
      kind: Kind,
      items: ReadonlyArray<Claimed>,
      write: (attempt: Try) => Effect.Effect<A, E, R>
    ) => Effect.Effect<A, E, R>
    /**
     * Whether requests of a work item may begin that was claimed, or prolonged last, at `since` (of
     * `performance.now()`).
     */
    readonly mayBegin: (id: string, since: number) => boolean
    /** Whether the process was taken for living by all others since then: what it held is its own still. */
    readonly isUnbroken: (since: number) => boolean
    /** Lets this work item alone begin anything; null lets all again. */
    readonly only: (id: string | null) => void
    /** Lets nothing begin any more, for good. */
    readonly shut: () => void
    /** Notes the batch that is to blame should the process end now; null: any of those in hand. As well as it can. */
    readonly blame: (id: string | null) => Effect.Effect<void>
    /** Waits until the gate is open; for a work item, until its own results are written too. */
    readonly open: (id?: string) => Effect.Effect<void>
  }
>()("heliograph/engine/WriteGate") {
  /** Beats while the layer lives. */
  static readonly layer = Layer.effect(
    WriteGate,
    Effect.gen(function* () {
      const holder = yield* LeaseHolder
      const settings = yield* EngineSettings
      const metrics = yield* Metrics
      const leases = { leaseMs: settings.leaseMs, webhookLeaseMs: webhookLeaseMs(settings) }
      const writes = new Places<Write>()
      let succeededAt = -Infinity
      let only: string | null = null
      let isShut = false

      const isOverdue = (write: Write, now: number): boolean => write.hasFailed || now - write.since > OVERDUE_MS
      /** In most moments there are none, or a few. */
      const takesWrites = (now: number): boolean => {
        for (const write of writes.all()) if (write.since > succeededAt && isOverdue(write, now)) return false
        return true
      }
      const isWritten = (id: string, now: number): boolean => {
        for (const write of writes.all()) {
          if (isOverdue(write, now) && write.items.some((item) => item.id === id)) return false
        }
        return true
      }
      const isAllowed = (id: string | undefined): boolean => !isShut && (only === null || only === id)
      const isOpen = (now: number): boolean => holder.presentSince() !== null && takesWrites(now)
      const isUnbroken = (since: number): boolean => {
        const from = holder.presentSince()
        return from !== null && from <= since
      }

      const writing: WriteGate["Service"]["writing"] = (kind, items, write) =>
        Effect.suspend(() => {
          const now = performance.now()
          const noted: Write = { kind, items, since: now, triedAt: now, hasFailed: false, place: -1 }
          writes.enter(noted)
          const attempt: Try = (one) =>
            Effect.suspend(() => {
              noted.triedAt = performance.now()
              return Effect.tapError(one, ({ refused }) =>
                Effect.sync(() => {
                  // A refusal for what the results say is an answer: the database takes others.
                  if (refused === true) return
                  noted.hasFailed = true
                  noted.since = noted.triedAt
                })
              )
            })
          return Effect.onExit(write(attempt), (exit) =>
            Effect.sync(() => {
              writes.leave(noted)
              if (Exit.isSuccess(exit)) succeededAt = Math.max(succeededAt, noted.triedAt)
            })
          )
        })

      const open: WriteGate["Service"]["open"] = (id) =>
        Effect.suspend(() => {
          const now = performance.now()
          return isAllowed(id) && isOpen(now) && (id === undefined || isWritten(id, now))
            ? Effect.void
            : Effect.andThen(Effect.sleep(LOOK_MS), open(id))
        })

      const overdue = (kind: Kind, now: number): ReadonlyArray<Claimed> =>
        writes.all().flatMap((write) => (write.kind === kind && isOverdue(write, now) ? write.items : []))
      let isSilent = false
      const beat = Effect.suspend(() => {
        const now = performance.now()
        return holder.beat({ ...leases, batches: overdue("batches", now), webhookWork: overdue("webhookWork", now) })
      }).pipe(
        Effect.tap(() => Effect.sync(() => (isSilent = false))),
        Effect.catch((error) => {
          if (isSilent) return Effect.void
          isSilent = true
          return Effect.logWarning("The database takes no writes: nothing more is sent until it does", error)
        }),
        Effect.catchDefect((defect) => Effect.logError("The process could not show that it lives", defect))
      )
      yield* beat
      yield* Effect.acquireRelease(
        Effect.sync(() =>
          metrics.watch(() => [
            { name: "heliograph_gates_closed", labels: {}, value: isOpen(performance.now()) ? 0 : 1 }
          ])
        ),
        (stop) => Effect.sync(stop)
      )
      yield* Effect.forkScoped(Effect.forever(Effect.andThen(Effect.sleep(BEAT_MS), beat)))

      return WriteGate.of({
        writing,
        mayBegin: (id, since) => {
          if (!isAllowed(id) || !isUnbroken(since)) return false
          if (writes.size === 0) return true
          const now = performance.now()
          return takesWrites(now) && isWritten(id, now)
        },
        isUnbroken,
        only: (id) => {
          only = id
        },
        shut: () => {
          isShut = true
        },
        blame: (id) => Effect.ignore(holder.blame(id)),
        open
      })
    })
  )
}
