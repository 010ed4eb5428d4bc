import type { Scope } from "effect"
import { Effect, Layer } from "effect"
import { once } from "node:events"
import type { RequestListener } from "node:http"
import { createServer } from "node:http"
import type { AddressInfo, Server, Socket } from "node:net"
import { layer as settingsLayer } from "../../../layers/config/Settings.ts"
import { layerWith as policyWith } from "../../../layers/outbound/OutboundPolicy.ts"
import { layerWith } from "../../../layers/webhook/WebhookClient.ts"
import { WebhookClient } from "../../../services/ports/webhooks/WebhookClient.ts"
import type { DnsServer } from "../../DnsServer.ts"
import { makeDnsServer } from "../../DnsServer.ts"

export const HEADERS = [["content-type", "application/json"]] as const
export const ok: RequestListener = (request, response) => {
  request.resume().on("end", () => response.end("thanks"))
}

export const listen = <S extends Server>(server: S, host = "127.0.0.1") =>
  Effect.gen(function* () {
    const sockets = new Set<Socket>()
    let connections = 0
    server.on("connection", (socket: Socket) => {
      connections++
      sockets.add(socket.on("close", () => sockets.delete(socket)).on("error", () => {}))
    })
    yield* Effect.acquireRelease(
      Effect.promise(async () => {
        server.listen(0, host)
        await once(server, "listening")
      }),
      () =>
        Effect.promise(async () => {
          for (const socket of sockets) socket.destroy()
          await new Promise((resolve) => server.close(resolve))
        })
    )
    return { port: (server.address() as AddressInfo).port, sockets, connections: () => connections }
  })

export const receiver = (handler: RequestListener, host?: string) => listen(createServer(handler), host)

/** The client under the real rules, with loopback opened and name servers of the test's own. */
export const make = (
  options: { readonly opened?: string; readonly caFile?: string; readonly checkMs?: number } = {}
): Effect.Effect<WebhookClient["Service"] & { readonly dns: DnsServer }, never, Scope.Scope> =>
  Effect.gen(function* () {
    const dns = yield* makeDnsServer
    const settings = settingsLayer({
      OUTBOUND_ALLOW_CIDRS: options.opened ?? "127.0.0.0/8",
      OUTBOUND_CA_FILE: options.caFile
    })
    const policy = policyWith({ servers: [dns.address], hostsFile: "/nonexistent", cacheMs: 0 })
    const live = layerWith({ checkMs: options.checkMs ?? 1000 }).pipe(
      Layer.provide(policy),
      Layer.provide(settings),
      Layer.orDie
    )
    const context = yield* Layer.build(live)
    return { ...(yield* Effect.provide(WebhookClient, context)), dns }
  })

export const noAnswer = (reason: string) => ({ _tag: "NoAnswer", reason }) as const
export const status = (code: number) => ({ _tag: "Status", status: code }) as const
