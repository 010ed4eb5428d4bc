import { Effect, Layer } from "effect"
import { Http2Client } from "../../services/ports/outbound/Http2Client.ts"
import type { Settings } from "../config/Settings.ts"
import { makeDials } from "./Dial.ts"
import { OwnConnection } from "./OwnConnection.ts"
import { makePool } from "./Pool.ts"

/** The port by the engine's own HTTP/2 client: see README.md in this folder. */
export const layer: Layer.Layer<Http2Client, never, Settings> = Layer.effect(
  Http2Client,
  Effect.map(makeDials, (dials) => ({
    pool: (options) => {
      const dial = dials()
      return makePool(options, (options, owner) => new OwnConnection(options, owner, dial))
    }
  }))
)
