import { Effect, Layer } from "effect"
import { layer as settingsOf } from "../../../../layers/config/Settings.ts"
import { WriteGate } from "../../../../services/engine/operations/WriteGate.ts"
import { LeaseHolder } from "../../../../services/ports/operations/LeaseHolder.ts"

/** The gate of a process whose session at the database lasts, and takes every write. */
export const openGate = WriteGate.layer.pipe(
  Layer.provide(
    Layer.mock(LeaseHolder, {
      beat: () => Effect.void,
      blame: () => Effect.void,
      id: () => null,
      presentSince: () => -Infinity
    })
  ),
  Layer.provide(settingsOf({})),
  Layer.orDie
)
