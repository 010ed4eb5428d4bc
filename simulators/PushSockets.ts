import { createHmac, randomBytes, randomUUID } from "node:crypto"
import type { IncomingMessage } from "node:http"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import type { WebSocket } from "ws"
import { WebSocketServer } from "ws"
import { isObject, type Listen } from "./Simulator.ts"

/** A message on its way to a browser, as the sender encrypted it. */
interface Waiting {
  readonly channel: string
  readonly version: string
  readonly topic: string | undefined
  readonly body: Buffer
  /** Epoch milliseconds. */
  readonly until: number
}

/** A browser: known by its id for as long as this process lives. */
interface Browser {
  readonly uaid: string
  socket: WebSocket | null
  /** Channels that have a subscription, with the application server key each was made for (base64url), if any. */
  readonly channels: Map<string, string | undefined>
  readonly waiting: Array<Waiting>
}

/** What a push service sees of browsers; see `PushSockets`. */
export interface BrowserStats {
  /** Connected now. */
  readonly connected: number
  readonly subscriptions: number
  /** Acknowledged by browsers: decrypted and handed to the worker, not decrypted, not delivered otherwise. */
  readonly delivered: number
  readonly undecrypted: number
  readonly undelivered: number
  /** Sent and not acknowledged, or waiting for their browser. */
  readonly waiting: number
}

const DELIVERED = 100
const UNDECRYPTED = 101
/** Messages that wait for one browser, at most. */
const MOST_WAITING = 5000

/** base64url with or without padding, as one text. */
const plainKey = (key: string): string => key.replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "")

/**
 * The side of a push service that browsers talk to: Mozilla's protocol over WebSocket, so that a real Firefox
 * (`dom.push.serverURL`) subscribes here and gets what senders post. Messages wait for a browser that is away.
 */
export class PushSockets {
  readonly #secret = randomBytes(32)
  readonly #browsers = new Map<string, Browser>()
  /** Ids of endpoints, with the browser and channel behind each. */
  readonly #endpoints = new Map<string, { readonly browser: Browser; readonly channel: string }>()
  #delivered = 0
  #undecrypted = 0
  #undelivered = 0
  #server: { readonly url: string; readonly close: () => Promise<void> } | undefined
  /** The prefix of endpoints: `https://host:port/push/`. */
  origin = ""

  /** The address for `dom.push.serverURL`. */
  get url(): string {
    return this.#server!.url
  }

  async listen({ host = "127.0.0.1", port: wanted = 0 }: Listen): Promise<void> {
    const http = createServer((_, response) => response.writeHead(426).end())
    const sockets = new WebSocketServer({
      server: http,
      maxPayload: 1 << 20,
      handleProtocols: (offered) => (offered.has("push-notification") ? "push-notification" : false)
    })
    sockets.on("connection", (socket: WebSocket, _request: IncomingMessage) => this.#connected(socket))
    await new Promise<void>((resolve, reject) => {
      http.once("error", reject)
      http.listen(wanted, host, resolve)
    })
    const { port } = http.address() as AddressInfo
    this.#server = {
      url: `ws://localhost:${port}/`,
      close: () =>
        new Promise((resolve) => {
          for (const socket of sockets.clients) socket.terminate()
          sockets.close()
          http.close(() => resolve())
        })
    }
  }

  async close(): Promise<void> {
    await this.#server?.close()
  }

  stats(): BrowserStats {
    const browsers = [...this.#browsers.values()]
    return {
      connected: browsers.filter(({ socket }) => socket !== null).length,
      subscriptions: this.#endpoints.size,
      delivered: this.#delivered,
      undecrypted: this.#undecrypted,
      undelivered: this.#undelivered,
      waiting: browsers.reduce((sum, { waiting }) => sum + waiting.length, 0)
    }
  }

  /** The subscription behind an endpoint's id; undefined when no browser has it, or has it any more. */
  find(id: string): { readonly applicationServerKey: string | undefined } | undefined {
    const endpoint = this.#endpoints.get(id)
    return endpoint && { applicationServerKey: endpoint.browser.channels.get(endpoint.channel) }
  }

  /** Ends subscriptions as push services do now and then: the next message to one of them is answered 410. */
  expire(): void {
    this.#endpoints.clear()
  }

  /** Takes a message for a subscription that `find` knows. A topic replaces what waits under the same one. */
  send(id: string, body: Buffer, ttl: number, topic: string | undefined): void {
    const { browser, channel } = this.#endpoints.get(id)!
    const replaced = topic === undefined ? -1 : browser.waiting.findIndex((one) => one.topic === topic)
    if (replaced >= 0) browser.waiting.splice(replaced, 1)
    if (browser.waiting.length >= MOST_WAITING) browser.waiting.shift()
    const message = { channel, version: randomUUID(), topic, body, until: Date.now() + ttl * 1000 }
    browser.waiting.push(message)
    this.#post(browser, message)
  }

  #post({ socket }: Browser, { body, channel, version }: Waiting): void {
    socket?.send(
      JSON.stringify({
        messageType: "notification",
        channelID: channel,
        version,
        data: body.toString("base64url"),
        headers: { encoding: "aes128gcm" }
      })
    )
  }

  #connected(socket: WebSocket): void {
    let browser: Browser | undefined
    const answer = (message: unknown): void => socket.send(JSON.stringify(message))
    socket.on("error", () => socket.terminate())
    socket.on("close", () => {
      if (browser?.socket === socket) browser.socket = null
    })
    socket.on("message", (data) => {
      let message: unknown
      try {
        message = JSON.parse(String(data))
      } catch {
        return socket.close(1007)
      }
      if (!isObject(message)) return socket.close(1007)
      // A ping is an empty object, and its answer another one.
      if (Object.keys(message).length === 0) return answer({})
      if (message["messageType"] === "hello") return void (browser = this.#hello(socket, message, answer))
      if (browser !== undefined) this.#handle(browser, message, answer)
    })
  }

  #hello(socket: WebSocket, message: Record<string, unknown>, answer: (message: unknown) => void): Browser {
    const given = String(message["uaid"] ?? "")
    const known = this.#browsers.get(given)
    const uaid = known === undefined ? randomBytes(16).toString("hex") : given
    const browser = known ?? { uaid, socket, channels: new Map(), waiting: [] }
    browser.socket = socket
    this.#browsers.set(uaid, browser)
    answer({ messageType: "hello", uaid, status: 200, use_webpush: true, broadcasts: {} })
    const now = Date.now()
    browser.waiting.splice(0, Infinity, ...browser.waiting.filter(({ until }) => until >= now))
    for (const waiting of browser.waiting) this.#post(browser, waiting)
    return browser
  }

  #handle(browser: Browser, message: Record<string, unknown>, answer: (message: unknown) => void): void {
    const channel = String(message["channelID"] ?? "")
    switch (message["messageType"]) {
      case "register": {
        const key = typeof message["key"] === "string" ? plainKey(message["key"]) : undefined
        const id = this.#endpointOf(browser, channel)
        browser.channels.set(channel, key)
        this.#endpoints.set(id, { browser, channel })
        return answer({
          messageType: "register",
          channelID: channel,
          status: 200,
          pushEndpoint: `${this.origin}/push/${id}`
        })
      }
      case "unregister":
        this.#endpoints.delete(this.#endpointOf(browser, channel))
        browser.channels.delete(channel)
        return answer({ messageType: "unregister", channelID: channel, status: 200 })
      case "ack":
        for (const update of Array.isArray(message["updates"]) ? message["updates"] : []) {
          if (isObject(update)) this.#acknowledged(browser, update)
        }
        return
      case "broadcast_subscribe":
      case "nack":
        return
    }
  }

  #acknowledged({ waiting }: Browser, { code = DELIVERED, version }: Record<string, unknown>): void {
    const at = waiting.findIndex((message) => message.version === version)
    if (at < 0) return
    waiting.splice(at, 1)
    if (code === DELIVERED) this.#delivered++
    else if (code === UNDECRYPTED) this.#undecrypted++
    else this.#undelivered++
  }

  /** Nobody who does not have it can guess it. */
  #endpointOf({ uaid }: Browser, channel: string): string {
    return `browser.${createHmac("sha256", this.#secret).update(`${uaid} ${channel}`).digest("base64url")}`
  }
}
