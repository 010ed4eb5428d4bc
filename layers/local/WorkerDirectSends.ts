import { Effect, Layer } from "effect"
import type { AppId } from "../../services/domain/Ids.ts"
import type { Priority } from "../../services/domain/sending/Notification.ts"
import { LeaseHolder } from "../../services/ports/operations/LeaseHolder.ts"
import { DirectSends } from "../../services/ports/sending/DirectSends.ts"
import type { Report } from "./DirectProtocol.ts"
import { fromWire, isOrder } from "./DirectProtocol.ts"
import type { Channel } from "./ProcessChannel.ts"

/** How often a worker that has no session at the database looks whether it has one. */
const LOOK = "200 millis"

/** Direct sends of a worker process: it accepts none, and takes what comes over the channel. */
export const layerOf = (channel: Channel): Layer.Layer<never, never, LeaseHolder> =>
  Layer.effect(
    DirectSends,
    Effect.map(LeaseHolder, ({ id }) => ({
      taker: () => null,
      give: () => {},
      take: Effect.fnUntraced(function* (receive, isFree) {
        const tell = (report: Report) => channel.send(report)
        const said = new Set<string>()
        const tellBusy = (appId: AppId, priority: Priority) => {
          // Once for all that came together.
          const key = `${appId}:${priority}`
          if (said.size === 0) setImmediate(() => said.clear())
          if (said.has(key)) return
          said.add(key)
          tell({ direct: "busy", appId, priority })
        }
        yield* Effect.acquireRelease(
          Effect.sync(() =>
            channel.onMessage((message) => {
              if (!isOrder(message)) return
              for (const one of message.list) {
                const direct = fromWire(one)
                const { appId, priority } = direct.batch
                if (!isFree(appId, priority)) tellBusy(appId, priority)
                receive(direct)
              }
            })
          ),
          (stop) =>
            Effect.sync(() => {
              tell({ direct: "gone" })
              stop()
            })
        )
        yield* Effect.forkScoped(
          Effect.gen(function* () {
            let holder = id()
            for (; holder === null; holder = id()) yield* Effect.sleep(LOOK)
            tell({ direct: "ready", holder })
          })
        )
      })
    }))
  )
