import { createHmac, timingSafeEqual } from "node:crypto"
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import type { Behaviour, Refusal } from "./Behaviour.ts"
import { authorityOf, parseObject, Simulator, type Listen, type Running, type Stats } from "./Simulator.ts"
import { eventMistake } from "./WebhookEvent.ts"

export interface ReceiverOptions {
  /** The path is `/webhooks/<name>`. */
  readonly name: string
  /** Without one, requests must be unsigned. */
  readonly secret?: string | undefined
}

export interface WebhooksOptions extends Listen {
  /** One receiver named `webhook` without a secret, unless given. */
  readonly receivers?: ReadonlyArray<ReceiverOptions>
}

/** One customer's endpoint: its own rules and counts. */
export interface Receiver {
  readonly name: string
  readonly url: string
  readonly secret: string | undefined
  readonly control: Behaviour
  readonly stats: () => Stats
  /** How often each event id was received and accepted. */
  readonly received: () => Map<string, number>
  readonly entries: () => Iterable<readonly [key: string, count: number]>
}

export interface RunningWebhooks extends Running {
  readonly receivers: ReadonlyArray<Receiver>
  readonly stats: () => Stats & { readonly receivers: Readonly<Record<string, Stats>> }
  /** The receiver of that name; throws when there is none. */
  readonly receiver: (name: string) => Receiver
}

interface Webhook {
  readonly name: string
  readonly secret: string | undefined
  readonly simulator: Simulator
}

const BODY_LIMIT = 1 << 20
/** Seconds that a signature's time may differ from the clock (spec 6.2). */
const WINDOW = 300
/** One `v1` for each secret: there are two while the sender's secret is rotated. */
const SIGNATURE = /^t=(\d{1,12})((?:, v1=[0-9a-f]{64})+)$/

const signatureMistake = (request: IncomingMessage, body: Buffer, secret: string | undefined): string | undefined => {
  const header = request.headers["x-service-signature"]
  if (secret === undefined) return header === undefined ? undefined : "signed though there is no secret"
  if (typeof header !== "string") return "signature is missing"
  const parts = SIGNATURE.exec(header)
  if (parts === null) return "signature is malformed"
  const expected = createHmac("sha256", secret).update(`${parts[1]}.`).update(body).digest()
  const given = parts[2]!.split(", v1=").slice(1)
  if (!given.some((hex) => timingSafeEqual(expected, Buffer.from(hex, "hex")))) return "signature is wrong"
  return Math.abs(Date.now() / 1000 - Number(parts[1])) > WINDOW ? "signature is too old or too new" : undefined
}

const EMPTY = { "content-length": "0" }

/** Starts customers' servers, one for each receiver, on one port; each has rules and counts of its own. */
export const start = async (options: WebhooksOptions = {}): Promise<RunningWebhooks> => {
  const total = new Simulator()
  const named = options.receivers ?? [{ name: "webhook" }]
  const byPath = new Map(
    named.map(({ name, secret }): readonly [path: string, Webhook] => [
      `/webhooks/${name}`,
      { name, secret, simulator: new Simulator() }
    ])
  )

  const judge = (request: IncomingMessage, response: ServerResponse, body: Buffer): void => {
    total.requests++
    const answer = (status: number, reason?: string, retryAfter?: number): void => {
      if (response.destroyed) return
      if (status === 200) {
        response.writeHead(200, EMPTY).end()
        return
      }
      const text = reason ?? ""
      const headers: Record<string, string | number> = { "content-length": Buffer.byteLength(text) }
      if (retryAfter !== undefined) headers["retry-after"] = retryAfter
      // A redirect needs a place to go to: a sender that followed it would be seen as "no such receiver".
      if (status >= 300 && status <= 399) headers["location"] = "/elsewhere"
      response.writeHead(status, headers).end(text)
    }
    const found = byPath.get(request.url!)
    if (found === undefined) {
      total.refused("no such receiver")
      return answer(404, "no such receiver")
    }
    const { secret, simulator } = found
    simulator.requests++
    const refuse = (status: number, reason: string): void => {
      simulator.refused(reason)
      total.refused(reason)
      answer(status, reason)
    }
    if (request.method !== "POST") return refuse(405, "method is not POST")
    if (request.headers["content-type"] !== "application/json")
      return refuse(415, "content-type is not application/json")
    const unsigned = signatureMistake(request, body, secret)
    if (unsigned !== undefined) return refuse(401, unsigned)
    const event = parseObject(body)
    if (event === undefined) return refuse(400, "body is not a JSON object")
    const wrong = eventMistake(event)
    if (wrong !== undefined) return refuse(400, wrong)
    const id = event["id"] as string
    const cut = () => request.socket.destroy()
    const on = {
      accept: () => {
        simulator.ledger.add("", id)
        total.ledger.add(found.name, id)
      },
      ok: () => answer(200),
      refuse: ({ reason, retryAfter, status }: Refusal) => answer(status, reason ?? "refused by rule", retryAfter),
      goaway: cut,
      reset: cut,
      close: cut
    }
    // A rule for all receivers goes before a receiver's own.
    if (total.control.rules.length > 0) {
      const names = [id, found.name]
      const rule = total.control.next(...names)
      if (rule !== undefined) return total.enact(rule, on)
    }
    simulator.settle([id, event["event"] as string], on)
  }

  const server = createServer({ keepAliveTimeout: 60_000, noDelay: true }, (request, response) => {
    let first: Buffer | undefined
    let chunks: Array<Buffer> | undefined
    let size = 0
    request.on("error", () => {})
    response.on("error", () => {})
    request.on("data", (chunk: Buffer) => {
      size += chunk.length
      if (size > BODY_LIMIT) return request.destroy()
      if (first === undefined) first = chunk
      else (chunks ??= [first]).push(chunk)
    })
    request.on("end", () => {
      const body = chunks === undefined ? (first ?? Buffer.alloc(0)) : Buffer.concat(chunks)
      judge(request, response, body)
    })
  })
  server.on("connection", () => total.connections++)

  const host = options.host ?? "127.0.0.1"
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject)
    server.listen(options.port ?? 0, host, 1024, () => resolve())
  })
  const { port } = server.address() as AddressInfo
  const url = `http://${authorityOf(options, port)}`
  const receivers = [...byPath].map(([path, { name, secret, simulator }]): Receiver => ({
    name,
    url: `${url}${path}`,
    secret,
    control: simulator.control,
    stats: () => simulator.stats(),
    received: () => new Map(simulator.ledger.entries()),
    entries: () => simulator.ledger.entries()
  }))
  return {
    ...total.running({
      port,
      url,
      close: () =>
        new Promise((resolve) => {
          server.close(() => resolve())
          server.closeAllConnections()
        })
    }),
    stats: () => ({
      ...total.stats(),
      receivers: Object.fromEntries(receivers.map((receiver) => [receiver.name, receiver.stats()]))
    }),
    reset: () => {
      total.reset()
      for (const { simulator } of byPath.values()) simulator.reset()
    },
    receivers,
    receiver: (name) => {
      const found = receivers.find((receiver) => receiver.name === name)
      if (found === undefined) throw new Error(`There is no receiver ${name}`)
      return found
    }
  }
}
