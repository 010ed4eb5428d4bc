import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { parseRules, type Behaviour } from "./Behaviour.ts"
import { authorityOf, parseObject, type Listen, type Stats } from "./Simulator.ts"

/** What the control API needs of a simulator. */
export interface Controlled {
  readonly control: Behaviour
  readonly stats: () => Stats
  readonly entries: () => Iterable<readonly [key: string, count: number]>
}

export interface ControlOptions extends Listen {
  readonly simulators: ReadonlyMap<string, Controlled>
  /** Answered to GET /fleet. */
  readonly description: () => unknown
  readonly reset: () => void
  /** Ends all access tokens that FCM's stand-in has issued. */
  readonly revokeTokens: () => void
}

const BODY_LIMIT = 1 << 20
/** Lines written at a time: a million receipts are not one string. */
const LINES = 2000

const readBody = async (request: IncomingMessage): Promise<Buffer> => {
  const chunks: Array<Buffer> = []
  let size = 0
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length
    if (size > BODY_LIMIT) throw new Error("the body is too large")
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}

const json = (response: ServerResponse, status: number, value: unknown): void => {
  response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(value))
}

const writeReceived = async (response: ServerResponse, simulator: Controlled): Promise<void> => {
  response.writeHead(200, { "content-type": "application/x-ndjson" })
  let lines = ""
  let pending = 0
  for (const entry of simulator.entries()) {
    lines += `${JSON.stringify(entry)}\n`
    if (++pending < LINES) continue
    if (!response.write(lines)) {
      await new Promise<void>((resolve) => {
        const goOn = () => {
          response.off("drain", goOn).off("close", goOn)
          resolve()
        }
        response.on("drain", goOn).on("close", goOn)
      })
      if (response.destroyed) return
    }
    lines = ""
    pending = 0
  }
  response.end(lines)
}

/**
 * The simulators' remote control, for processes other than their own:
 *
 * - `GET /fleet`: addresses and credentials. `GET /stats`: counters by simulator.
 * - `GET /received/<simulator>`: one line `["key",count]` for each accepted message.
 * - `POST /behaviour` `{"simulator": "apns", "rules": […]}` replaces that simulator's rules (see Behaviour.ts).
 *   A webhook receiver is named `webhooks/<name>`.
 * - `POST /reset` forgets what was received. `POST /revoke-tokens` ends FCM's access tokens.
 */
export const startControl = async (
  options: ControlOptions
): Promise<{ readonly url: string; readonly close: () => Promise<void> }> => {
  const { simulators } = options
  const handle = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const path = request.url ?? ""
    const route = `${request.method} ${path}`
    if (route === "GET /fleet") return json(response, 200, options.description())
    if (route === "GET /stats") {
      const stats = [...simulators].map(([name, simulator]) => [name, simulator.stats()] as const)
      return json(response, 200, Object.fromEntries(stats))
    }
    if (request.method === "GET" && path.startsWith("/received/")) {
      const simulator = simulators.get(decodeURIComponent(path.slice("/received/".length)))
      if (simulator !== undefined) return writeReceived(response, simulator)
    }
    if (route === "POST /behaviour") {
      const body = parseObject(await readBody(request))
      if (body === undefined) return json(response, 400, { error: "the body must be a JSON object" })
      const name = String(body["simulator"])
      const simulator = simulators.get(name)
      if (simulator === undefined) {
        return json(response, 400, { error: `simulator must be one of ${[...simulators.keys()].join(", ")}` })
      }
      try {
        simulator.control.set(...parseRules(body["rules"]))
      } catch (error) {
        return json(response, 400, { error: (error as Error).message })
      }
      return json(response, 200, { simulator: name, rules: simulator.control.rules })
    }
    if (route === "POST /reset") {
      options.reset()
      return json(response, 200, {})
    }
    if (route === "POST /revoke-tokens") {
      options.revokeTokens()
      return json(response, 200, {})
    }
    json(response, 404, { error: "there is no such thing here" })
  }
  const server = createServer((request, response) => {
    response.on("error", () => {})
    handle(request, response).catch(() => response.destroy())
  })
  const host = options.host ?? "127.0.0.1"
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject)
    server.listen(options.port ?? 0, host, () => resolve())
  })
  return {
    url: `http://${authorityOf(options, (server.address() as AddressInfo).port)}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      })
  }
}
