import { Effect, Layer } from "effect"
import { Http2Client } from "../../services/ports/Http2Client.ts"
import type { Settings } from "../config/Settings.ts"
import { makeDial } from "./Dial.ts"
import { makePool } from "./Pool.ts"
import { WrapperLink } from "./WrapperLink.ts"

/** The port over `http2-wrapper`: well proven, and many times the CPU of the engine's own client. */
export const layer: Layer.Layer<Http2Client, never, Settings> = Layer.effect(
  Http2Client,
  Effect.map(makeDial, (dial) => ({
    pool: (options) => makePool(options, (options, owner) => new WrapperLink(options, owner, dial))
  }))
)
