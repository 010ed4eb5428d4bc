import type { Scope } from "effect"
import { Context, Effect, Layer } from "effect"
import type { AppId } from "../../services/domain/Ids.ts"
import type { Priority } from "../../services/domain/sending/Notification.ts"
import type { HolderId } from "../../services/ports/operations/HolderStore.ts"
import { LeaseHolder } from "../../services/ports/operations/LeaseHolder.ts"
import type { DirectBatch } from "../../services/ports/sending/DirectSends.ts"
import { DirectSends } from "../../services/ports/sending/DirectSends.ts"
import type { Order, Report } from "./DirectProtocol.ts"
import { isReport, SILENT_MS, toWire } from "./DirectProtocol.ts"
import type { OwnShare } from "./OwnShare.ts"
import { ownShare } from "./OwnShare.ts"
import type { Channel } from "./ProcessChannel.ts"

/*
 * Direct sends of a process that accepts: it sends itself where it takes part in sending and its thread has the time
 * (OwnShare.ts), else it hands them to the worker processes of its node, over the channel of each.
 */

/** How long a worker gets nothing of an application that it had no room for. */
const BUSY_MS = 1_000
/** Applications of which that is known, at most: one that is forgotten is asked for again. */
const MOST_BUSY = 10_000

/** The worker processes that take direct sends. */
export class DirectHub extends Context.Service<
  DirectHub,
  {
    /** Hands messages to the process at the other end of the channel, as long as it takes any. */
    readonly attach: (channel: Channel) => Effect.Effect<void, never, Scope.Scope>
  }
>()("heliograph/layers/DirectHub") {}

interface Taker {
  readonly holder: () => HolderId | null
  readonly isFree: (appId: AppId, priority: Priority) => boolean
  readonly give: (direct: DirectBatch) => void
}

const keyOf = (appId: AppId, priority: Priority): string => `${appId}:${priority}`

/** A worker process as a taker. What is given in one turn of the event loop goes in one message. */
const worker = (channel: Channel, changed: (taker: Taker | null) => void): (() => void) => {
  let holder: HolderId | null = null
  let heardAt = -Infinity
  const busyUntil = new Map<string, number>()
  let waiting: Array<DirectBatch> = []
  const taker: Taker = {
    holder: () => holder,
    isFree: (appId, priority) => {
      const now = performance.now()
      return now - heardAt < SILENT_MS && (busyUntil.get(keyOf(appId, priority)) ?? 0) < now
    },
    give: (direct) => {
      if (waiting.length === 0) {
        setImmediate(() => {
          const list = waiting.map(toWire)
          waiting = []
          channel.send({ direct: "take", list } satisfies Order)
        })
      }
      waiting.push(direct)
    }
  }
  const stop = channel.onMessage((message) => {
    if (!isReport(message)) return
    const report: Report = message
    switch (report.direct) {
      case "ready":
        holder = report.holder
        heardAt = performance.now()
        return changed(taker)
      case "gone":
        return changed(null)
      case "busy":
        if (busyUntil.size >= MOST_BUSY) busyUntil.clear()
        return void busyUntil.set(keyOf(report.appId, report.priority), performance.now() + BUSY_MS)
    }
  })
  const close = () => {
    stop()
    changed(null)
  }
  channel.onClose(close)
  return close
}

/** `makeShare`: how much of what may go to either goes to the process itself. */
export const layerOf = (makeShare: () => Pick<OwnShare, "isNext">): Layer.Layer<DirectHub, never, LeaseHolder> =>
  Layer.effectContext(
    Effect.map(LeaseHolder, ({ id, presentSince }) => {
      const share = makeShare()
      let own: Taker | null = null
      const workers = new Map<Channel, Taker>()
      /** By holder: those who were named lately. */
      const named = new Map<HolderId, Taker>()
      /** All that is accepted in one turn goes to one worker: the more go together, the less each costs. */
      let turn = 0
      let isTurning = false
      /** Whether this turn's go to the process itself. */
      let isOwn = true
      const nextTurn = () => {
        turn++
        isTurning = false
      }

      const choose = (appId: AppId, priority: Priority): Taker | null => {
        if (workers.size > 0 && !isTurning) {
          isTurning = true
          isOwn = own === null || share.isNext()
          setImmediate(nextTurn)
        }
        const self = own !== null && own.holder() !== null && own.isFree(appId, priority) ? own : null
        if (self !== null && (isOwn || workers.size === 0)) return self
        const free = [...workers.values()].filter((taker) => taker.isFree(appId, priority))
        return free.length === 0 ? self : free[turn % free.length]!
      }
      const directSends = DirectSends.of({
        taker: (appId, priority) => {
          const taker = choose(appId, priority)
          const holder = taker?.holder() ?? null
          if (taker !== null && holder !== null) named.set(holder, taker)
          return holder
        },
        // Who has gone since then holds it until its session ends: that frees it.
        give: (holder, direct) => named.get(holder)?.give(direct),
        take: (receive, isFree) =>
          Effect.asVoid(
            Effect.acquireRelease(
              Effect.sync(() => {
                own = { holder: () => (presentSince() === null ? null : id()), isFree, give: receive }
              }),
              () => Effect.sync(() => (own = null))
            )
          )
      })
      const hub: DirectHub["Service"] = {
        attach: (channel) =>
          Effect.asVoid(
            Effect.acquireRelease(
              Effect.sync(() =>
                worker(channel, (taker) => {
                  if (taker !== null) return void workers.set(channel, taker)
                  const gone = workers.get(channel)
                  workers.delete(channel)
                  for (const [holder, taker] of named) if (taker === gone) named.delete(holder)
                })
              ),
              (close) => Effect.sync(close)
            )
          )
      }
      return Context.add(Context.make(DirectSends, directSends), DirectHub, hub)
    })
  )

export const layer: Layer.Layer<DirectHub, never, LeaseHolder> = layerOf(ownShare)
