import { Context, Effect, Layer, Semaphore } from "effect"
import type { Links } from "../../services/ports/engagement/Links.ts"
import type { OutboundPolicy } from "../../services/ports/outbound/OutboundPolicy.ts"
import type { Provider } from "../../services/ports/sending/Provider.ts"
import { SmtpProvider } from "../../services/ports/sending/Provider.ts"
import type { Settings } from "../config/Settings.ts"

/**
 * The provider of `SmtpProvider.ts`, loaded with the first mail: what composes and posts mail costs each process some
 * 12 MB, and most processes send none.
 */
export const layer: Layer.Layer<SmtpProvider, never, OutboundPolicy | Links | Settings> = Layer.effect(
  SmtpProvider,
  Effect.gen(function* () {
    const scope = yield* Effect.scope
    const context = yield* Effect.context<OutboundPolicy | Links | Settings>()
    const one = yield* Semaphore.make(1)
    let loaded: Provider | undefined
    const load = Effect.gen(function* () {
      if (loaded !== undefined) return loaded
      const { layer } = yield* Effect.promise(() => import("./SmtpProvider.ts"))
      const built = yield* Layer.buildWithScope(layer, scope)
      return (loaded = Context.get(built, SmtpProvider))
    }).pipe(Effect.provide(context), one.withPermits(1))

    return {
      send: (batch, onOutcome) =>
        loaded === undefined
          ? Effect.flatMap(load, (provider) => provider.send(batch, onOutcome))
          : loaded.send(batch, onOutcome),
      window: 500
    } satisfies Provider
  })
)
