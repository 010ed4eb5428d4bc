import { Effect, Layer } from "effect"
import type { AppId } from "../../services/domain/Ids.ts"
import type { Priority } from "../../services/domain/sending/Notification.ts"
import { LeaseHolder } from "../../services/ports/operations/LeaseHolder.ts"
import type { DirectSendsShape } from "../../services/ports/sending/DirectSends.ts"
import { DirectSends } from "../../services/ports/sending/DirectSends.ts"
import type { Report } from "./DirectProtocol.ts"
import { fromWire, isOrder, READY_MS } from "./DirectProtocol.ts"
import type { Channel } from "./ProcessChannel.ts"

type Receiver = Parameters<DirectSendsShape["take"]>

/** Direct sends of a worker process: it accepts none, and takes what comes over the channel. */
export const layerOf = (channel: Channel): Layer.Layer<never, never, LeaseHolder> =>
  Layer.effect(
    DirectSends,
    Effect.gen(function* () {
      const { id, presentSince } = yield* LeaseHolder
      const tell = (report: Report) => channel.send(report)
      // It stays when it takes no more: what was on its way then is to be given back.
      let receiver: Receiver | null = null
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
            if (!isOrder(message) || receiver === null) return
            const [receive, isFree] = receiver
            for (const one of message.list) {
              const direct = fromWire(one)
              const { appId, priority } = direct.batch
              if (!isFree(appId, priority)) tellBusy(appId, priority)
              receive(direct)
            }
          })
        ),
        (stop) => Effect.sync(stop)
      )
      return {
        taker: () => null,
        give: () => {},
        take: Effect.fnUntraced(function* (...given: Receiver) {
          let isReady = false
          const gone = () => {
            if (isReady) tell({ direct: "gone" })
            isReady = false
          }
          // Said again and again, so that nothing comes to a process that is frozen, or has lost its session.
          const say = Effect.sync(() => {
            const holder = presentSince() === null ? null : id()
            if (holder === null) return gone()
            isReady = true
            tell({ direct: "ready", holder })
          })
          yield* Effect.acquireRelease(
            Effect.sync(() => void (receiver = given)),
            () => Effect.sync(gone)
          )
          yield* Effect.forkScoped(Effect.forever(Effect.andThen(say, Effect.sleep(READY_MS))))
        })
      }
    })
  )
