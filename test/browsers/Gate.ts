import { once } from "node:events"
import { createServer } from "node:http"
import { request } from "node:http"
import type { AddressInfo } from "node:net"

/** What stands between browsers and the service: passes on, or is as a network that is away. */
export interface Gate {
  readonly url: string
  /** For requests whose line (`POST /api/v1/events`) fits; `hang`: taken, and never answered. The last that fits counts. */
  readonly set: (line: RegExp, mode: "open" | "refuse" | "hang") => void
  /** `POST /api/v1/events`, with what came with it, oldest first. */
  readonly asked: Array<{ readonly line: string; readonly body: string }>
  readonly close: () => Promise<void>
}

export const openGate = async (service: string): Promise<Gate> => {
  const rules: Array<readonly [RegExp, "open" | "refuse" | "hang"]> = []
  const asked: Gate["asked"] = []
  const server = createServer(async (incoming, answer) => {
    const chunks: Array<Buffer> = []
    for await (const chunk of incoming) chunks.push(chunk as Buffer)
    const body = Buffer.concat(chunks)
    const line = `${incoming.method} ${incoming.url}`
    if (incoming.method !== "OPTIONS") asked.push({ line, body: body.toString() })
    const mode = rules.findLast(([pattern]) => pattern.test(line))?.[1] ?? "open"
    if (mode === "refuse") return void incoming.socket.destroy()
    if (mode === "hang" && incoming.method !== "OPTIONS") return
    const upstream = request(service + incoming.url, { method: incoming.method, headers: incoming.headers })
    upstream.on("response", (response) => {
      answer.writeHead(response.statusCode!, response.headers)
      response.pipe(answer)
    })
    upstream.on("error", () => incoming.socket.destroy())
    answer.on("close", () => upstream.destroy())
    upstream.end(body)
  })
  server.listen(0, "127.0.0.1")
  await once(server, "listening")
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    set: (line, mode) => void rules.push([line, mode]),
    asked,
    close: async () => {
      server.close()
      server.closeAllConnections()
    }
  }
}
