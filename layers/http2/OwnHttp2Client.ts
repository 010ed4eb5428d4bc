import { Effect, Layer } from "effect"
import { Http2Client } from "../../services/ports/Http2Client.ts"
import type { Settings } from "../config/Settings.ts"
import { makeDial } from "./Dial.ts"
import { OwnLink } from "./OwnLink.ts"
import { makePool } from "./Pool.ts"

/** The port by the engine's own HTTP/2 client: see README.md in this folder. */
export const layer: Layer.Layer<Http2Client, never, Settings> = Layer.effect(
  Http2Client,
  Effect.map(makeDial, (dial) => ({
    pool: (options) => makePool(options, (options, owner) => new OwnLink(options, owner, dial))
  }))
)
