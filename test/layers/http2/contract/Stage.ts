import { afterEach } from "vitest"
import type * as http2 from "node:http2"
import type { Http2Failure, Http2PoolOptions } from "../../../../services/ports/outbound/Http2Client.ts"
import * as raw from "../RawPeer.ts"
import { type RawConnection, type RawPeer, startRawPeer } from "../RawPeer.ts"
import { type ClientLayer, type NodeServer, openSender, type Sender, startNodeServer } from "../Sending.ts"

/** What the tests of a layer act on. All that is opened by it is closed after each test. */
export interface Stage {
  readonly name: string
  readonly layer: ClientLayer
  /** Closed after the test, the last one first. */
  readonly cleanups: Array<() => Promise<void>>
  readonly open: (port: number, options?: Partial<Http2PoolOptions>, env?: Record<string, string>) => Promise<Sender>
  readonly nodeServer: (...args: Parameters<typeof startNodeServer>) => Promise<NodeServer>
  readonly rawPeer: (...args: Parameters<typeof startRawPeer>) => Promise<RawPeer>
  /** Answers 200 with the request's path, index and body. */
  readonly echo: Parameters<typeof startNodeServer>[0]
  /** Speaks as a correct server does: greets, and answers every request with 200. */
  readonly wellBehaved: (connection: RawConnection) => Promise<void>
}

export const makeStage = (name: string, layer: ClientLayer): Stage => {
  const cleanups: Array<() => Promise<void>> = []
  afterEach(async () => {
    // Senders first: a server would wait for their connections.
    for (const cleanup of cleanups.splice(0).reverse()) await cleanup()
  })
  return {
    name,
    layer,
    cleanups,
    open: async (port, options, env) => {
      const sender = await openSender(layer, port, options, env)
      cleanups.push(sender.close)
      return sender
    },
    nodeServer: async (...args) => {
      const server = await startNodeServer(...args)
      cleanups.push(server.close)
      return server
    },
    rawPeer: async (...args) => {
      const peer = await startRawPeer(...args)
      cleanups.push(peer.close)
      return peer
    },
    echo: (stream: http2.ServerHttp2Stream, headers: http2.IncomingHttpHeaders, body: string) => {
      stream.respond({ ":status": 200, "x-path": headers[":path"], "x-index": headers["x-index"] })
      stream.end(body)
    },
    wellBehaved: async (connection) => {
      connection.send(raw.settings())
      for (;;) connection.send(raw.ok(await connection.request()))
    }
  }
}

export const briefly = (failures: ReadonlyMap<number, Http2Failure>): ReadonlyArray<string> =>
  [...failures.values()].map(({ reason, unprocessed }) => (unprocessed ? `${reason}, unprocessed` : reason))
