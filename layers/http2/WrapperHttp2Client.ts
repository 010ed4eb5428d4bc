import { Effect, Layer } from "effect"
import { Http2Client } from "../../services/ports/outbound/Http2Client.ts"
import type { Settings } from "../config/Settings.ts"
import { makeDials } from "./Dial.ts"
import { makePool } from "./Pool.ts"
import { WrapperConnection } from "./WrapperConnection.ts"

/** The port over `http2-wrapper`: well proven, and many times the CPU of the engine's own client. */
export const layer: Layer.Layer<Http2Client, never, Settings> = Layer.effect(
  Http2Client,
  Effect.map(makeDials, (dials) => ({
    pool: (options) => {
      const dial = dials()
      return makePool(options, (options, owner) => new WrapperConnection(options, owner, dial))
    }
  }))
)
