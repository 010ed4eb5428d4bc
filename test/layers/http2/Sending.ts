import { Effect, Exit, Layer, Scope } from "effect"
import { mkdtempSync, writeFileSync } from "node:fs"
import { once } from "node:events"
import * as http2 from "node:http2"
import type { AddressInfo } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { read, Settings } from "../../../layers/config/Settings.ts"
import {
  type Http2Answer,
  type Http2Batch,
  Http2Client,
  type Http2Failure,
  type Http2Pool,
  type Http2PoolOptions
} from "../../../services/ports/outbound/Http2Client.ts"
import { certificates } from "./RawPeer.ts"

export type ClientLayer = Layer.Layer<Http2Client, never, Settings>

const caFile = join(mkdtempSync(join(tmpdir(), "heliograph-http2-")), "ca.pem")
writeFileSync(caFile, certificates.ca)

/** What became of a batch: for each index its call, with how many calls there were. */
export class Results {
  readonly answers = new Map<number, Http2Answer>()
  readonly failures = new Map<number, Http2Failure>()
  calls = 0
  private readonly wakers: Array<() => void> = []

  /** Resolves once so many calls were made. */
  async reached(calls: number): Promise<void> {
    while (this.calls < calls) await new Promise<void>((resolve) => this.wakers.push(resolve))
  }

  called(): void {
    this.calls++
    for (const wake of this.wakers.splice(0)) wake()
  }
}

/** The headers that some test looks at. */
const KEPT = new Set("a x-path x-index x-seen x-a x-149 x-absent retry-after set-cookie apns-id".split(" "))

/** An answer lasts as long as its call: what tests look at later is read from it in time. */
const kept = (answer: Http2Answer): Http2Answer => {
  const headers = new Map([...KEPT].map((name) => [name, answer.header(name)]))
  return {
    status: answer.status,
    header: (name) => {
      if (!KEPT.has(name)) throw new Error(`${name} was not kept`)
      return headers.get(name)
    },
    body: answer.body
  }
}

export const makeBatch = (results: Results, count: number, rest: Partial<Http2Batch> = {}): Http2Batch => ({
  count,
  common: [["content-type", "text/plain"]],
  credential: [["authorization", "bearer secret"]],
  path: (index) => `/device/${index}`,
  headers: (index) => [["x-index", String(index)]],
  body: (index) => `body ${index}`,
  onAnswer: (index, answer) => {
    results.answers.set(index, kept(answer))
    results.called()
  },
  onFailure: (index, failure) => {
    results.failures.set(index, failure)
    results.called()
  },
  ...rest
})

/** A pool to a loopback port, as a test holds it. */
export interface Sender {
  readonly pool: Http2Pool
  readonly start: (
    count: number,
    rest?: Partial<Http2Batch>
  ) => { readonly results: Results; readonly done: Promise<Results> }
  readonly send: (count: number, rest?: Partial<Http2Batch>) => Promise<Results>
  readonly renew: () => Promise<void>
  /** Closes the pool's scope. */
  readonly close: () => Promise<void>
}

/** The layer with settings that trust the tests' authority. */
export const trusting = (
  layer: ClientLayer,
  env: Record<string, string> = { OUTBOUND_CA_FILE: caFile }
): Layer.Layer<Http2Client> => Layer.provide(layer, Layer.succeed(Settings, read(env)))

export const openSender = async (
  layer: ClientLayer,
  port: number,
  options: Partial<Http2PoolOptions> = {},
  env?: Record<string, string>
): Promise<Sender> => {
  const scope = Effect.runSync(Scope.make())
  const pool = await Effect.gen(function* () {
    const client = yield* Http2Client
    return yield* client.pool({
      origin: { host: "localhost", port, address: "127.0.0.1" },
      connections: 1,
      connectTimeoutMs: 10_000,
      requestTimeoutMs: 20_000,
      pingAfterMs: 20_000,
      maxBody: 10_000,
      ...options
    })
  }).pipe(Effect.provideService(Scope.Scope, scope), Effect.provide(trusting(layer, env)), Effect.runPromise)
  const start: Sender["start"] = (count, rest) => {
    const results = new Results()
    const done = Effect.runPromise(pool.send(makeBatch(results, count, rest))).then(() => {
      // Exactly one call for each index, whatever the peer did.
      if (results.calls !== count || results.answers.size + results.failures.size !== count) {
        throw new Error(`${results.calls} calls for ${count} requests`)
      }
      return results
    })
    done.catch(() => {})
    return { results, done }
  }
  return {
    pool,
    start,
    send: (count, rest) => start(count, rest).done,
    renew: () => Effect.runPromise(pool.renew),
    close: () => Effect.runPromise(Scope.close(scope, Exit.void))
  }
}

export interface NodeServer {
  readonly port: number
  readonly sessions: ReadonlyArray<http2.ServerHttp2Session>
  readonly close: () => Promise<void>
}

/** Node's own HTTP/2 server. */
export const startNodeServer = async (
  onStream: (stream: http2.ServerHttp2Stream, headers: http2.IncomingHttpHeaders, body: string) => void,
  options: http2.SecureServerOptions = {},
  host = "127.0.0.1"
): Promise<NodeServer> => {
  const sessions: Array<http2.ServerHttp2Session> = []
  const { key, cert } = certificates
  const server = http2.createSecureServer({ key, cert, ...options })
  server.on("session", (session) => sessions.push(session))
  server.on("stream", (stream, headers) => {
    const chunks: Array<Buffer> = []
    stream.on("error", () => {})
    stream.on("data", (chunk: Buffer) => chunks.push(chunk))
    stream.on("end", () => {
      // The client may have reset it meanwhile.
      if (stream.destroyed) return
      onStream(stream as http2.ServerHttp2Stream, headers, Buffer.concat(chunks).toString("utf8"))
    })
  })
  server.on("sessionError", () => {})
  server.listen(0, host)
  await once(server, "listening")
  return {
    port: (server.address() as AddressInfo).port,
    sessions,
    close: async () => {
      for (const session of sessions) session.destroy()
      server.close()
      await once(server, "close")
    }
  }
}
