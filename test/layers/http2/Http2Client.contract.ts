import { vi } from "vitest"
import { bounds } from "./contract/Bounds.ts"
import { connections } from "./contract/Connections.ts"
import { ending } from "./contract/Ending.ts"
import { flowControl } from "./contract/FlowControl.ts"
import { limits } from "./contract/Limits.ts"
import { requests } from "./contract/Requests.ts"
import { streams } from "./contract/Streams.ts"
import { unprocessed } from "./contract/Unprocessed.ts"
import { wrongs } from "./contract/Wrongs.ts"
import { makeStage } from "./contract/Stage.ts"
import type { ClientLayer } from "./Sending.ts"

/** Every promise of services/ports/outbound/Http2Client.ts, for whichever layer. */
export const http2ClientContract = (name: string, layer: ClientLayer): void => {
  // A promise that is not kept shows as a wait for ever.
  vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 })
  const stage = makeStage(name, layer)
  for (const group of [requests, connections, streams, flowControl, limits, bounds, unprocessed, wrongs, ending]) {
    group(stage)
  }
}
