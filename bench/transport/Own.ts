import { Effect, Layer, Scope } from "effect"
import { join } from "node:path"
import { read, Settings } from "../../layers/config/Settings.ts"
import * as own_ from "../../layers/http2/OwnHttp2Client.ts"
import * as wrapper from "../../layers/http2/WrapperHttp2Client.ts"
import { type Header, Http2Client } from "../../services/ports/outbound/Http2Client.ts"

/** What all senders say. */
export interface Told {
  readonly before: string
  readonly after: string
  readonly idOf: (index: number) => string
  readonly tokenOf: (index: number) => string
  readonly authorization: string
  readonly common: ReadonlyArray<Header>
}

const PATH = "/3/device/"

/** The port's two layers. `shared`: what paths and bodies have in common is given once, as the APNs provider does. */
export const own = async (
  which: "own" | "wrapper",
  port: number,
  folder: string,
  connections: number,
  told: Told,
  shared: boolean
): Promise<(requests: number) => Promise<void>> => {
  const layer = which === "own" ? own_.layer : wrapper.layer
  const settings = Layer.succeed(Settings, read({ OUTBOUND_CA_FILE: join(folder, "ca.pem") }))
  const scope = Effect.runSync(Scope.make())
  const pool = await Effect.flatMap(Http2Client, (client) =>
    client.pool({
      origin: { host: "localhost", port, address: "127.0.0.1" },
      connections,
      connectTimeoutMs: 10_000,
      requestTimeoutMs: 30_000,
      pingAfterMs: 15_000,
      maxBody: 16_384
    })
  ).pipe(Scope.provide(scope), Effect.provide(Layer.provide(layer, settings)), Effect.runPromise)
  const { before, after, idOf, tokenOf, common } = told
  return async (requests) => {
    let wrong: unknown
    await Effect.runPromise(
      pool.send({
        count: requests,
        common,
        credential: [["authorization", told.authorization]],
        headers: (index) => [["apns-id", idOf(index)]],
        ...(shared
          ? { base: PATH, path: tokenOf, around: [before, after] as const, body: idOf }
          : {
              path: (index: number) => PATH + tokenOf(index),
              body: (index: number) => before + idOf(index) + after
            }),
        onAnswer: (_, answer) => {
          if (answer.status !== 200) wrong = answer.status
        },
        onFailure: (_, failure) => {
          wrong = failure.message
        }
      })
    )
    if (wrong !== undefined) throw new Error(`not sent: ${String(wrong)}`)
  }
}
