import { Effect, Layer, Option, Result } from "effect"
import type { SecureContext } from "node:tls"
import { createSecureContext } from "node:tls"
import { Pool } from "undici"
import type { CheckedUrl } from "../../services/ports/OutboundPolicy.ts"
import { OutboundPolicy } from "../../services/ports/OutboundPolicy.ts"
import type { WebhookAnswer, WebhookSender } from "../../services/ports/WebhookClient.ts"
import { WebhookClient } from "../../services/ports/WebhookClient.ts"
import type { Settings } from "../config/Settings.ts"
import { trust } from "../config/Trust.ts"
import { makeConnector } from "./Connector.ts"
import { Deadlines } from "./Deadlines.ts"
import { Post } from "./Post.ts"
import { isConnectError } from "./reason.ts"

export interface WebhookClientOptions {
  /** How long a checked address counts, milliseconds; 0 checks for every post. */
  readonly checkMs: number
}

/** Connections to one address of one origin. */
interface Route {
  readonly origin: string
  readonly address: string
  readonly pool: Pool
}

const timedOut: WebhookAnswer = { _tag: "NoAnswer", reason: "timeout" }

/** A hook's own connections and deadlines, and what is known of where its URL leads. */
class Sender implements WebhookSender {
  readonly #policy: OutboundPolicy["Service"]
  readonly #secureContext: SecureContext
  readonly #connections: number
  readonly #checkMs: number
  readonly #deadlines = new Deadlines()
  #checked: { readonly text: string; readonly until: number; readonly it: CheckedUrl } | null = null
  #route: Route | null = null
  /** Grows when an address could not be reached, so that the next of its name comes to its turn. */
  #turn = 0
  #timeoutMs = 0
  #closed = false
  readonly #retired = new Set<Pool>()

  constructor(
    policy: OutboundPolicy["Service"],
    secureContext: SecureContext,
    connections: number,
    options: WebhookClientOptions
  ) {
    this.#policy = policy
    this.#secureContext = secureContext
    this.#connections = connections
    this.#checkMs = options.checkMs
  }

  readonly post: WebhookSender["post"] = (url, headers, body, timeoutMs) =>
    Effect.suspend(() => {
      const deadline = performance.now() + timeoutMs
      this.#timeoutMs = timeoutMs
      const known = this.#checked
      if (known !== null && known.text === url && known.until > performance.now()) {
        return this.#send(known.it, headers, body, deadline)
      }
      return Effect.flatMap(
        Effect.timeoutOption(Effect.result(this.#policy.check(url)), timeoutMs),
        Option.match({
          onNone: () => Effect.succeed(timedOut),
          onSome: Result.match({
            onFailure: (refused) => Effect.succeed<WebhookAnswer>({ _tag: "NoAnswer", reason: refused.message }),
            onSuccess: (it) => {
              this.#checked = { text: url, until: performance.now() + this.#checkMs, it }
              return this.#send(it, headers, body, deadline)
            }
          })
        })
      )
    })

  #send(
    to: CheckedUrl,
    headers: ReadonlyArray<readonly [name: string, value: string]>,
    body: string,
    deadline: number
  ): Effect.Effect<WebhookAnswer> {
    return Effect.callback<WebhookAnswer>((resume) => {
      if (this.#closed) return resume(Effect.succeed({ _tag: "NoAnswer", reason: "connection closed" }))
      const route = this.#routeTo(to)
      const post = new Post(deadline, this.#deadlines, (answer, error) => {
        if (error !== null && to.addresses.length > 1 && isConnectError(error)) this.#avoid(route)
        resume(Effect.succeed(answer))
      })
      const flat: Array<string> = []
      for (const [name, value] of headers) flat.push(name, value)
      route.pool.dispatch({ path: to.url.pathname + to.url.search, method: "POST", headers: flat, body }, post)
      return Effect.sync(() => post.abandon())
    })
  }

  /** The pool of an address that the name still has; a connection to any other one is not used again. */
  #routeTo(to: CheckedUrl): Route {
    const known = this.#route
    if (known !== null && known.origin === to.url.origin && to.addresses.includes(known.address)) return known
    const address = to.addresses[this.#turn % to.addresses.length]!
    const connector = makeConnector(
      {
        secure: to.url.protocol === "https:",
        host: to.url.hostname.replace(/^\[(.*)\]$/, "$1"),
        address,
        port: to.port
      },
      this.#secureContext,
      this.#policy.allows,
      () => this.#timeoutMs
    )
    const pool = new Pool(to.url.origin, {
      connections: this.#connections,
      connect: connector,
      allowH2: false,
      // The deadline of the post covers these.
      headersTimeout: 0,
      bodyTimeout: 0
    })
    if (known !== null) this.#retire(known)
    this.#route = { origin: to.url.origin, address, pool }
    return this.#route
  }

  /** What is under way on it ends by itself. */
  #retire(route: Route): void {
    this.#retired.add(route.pool)
    void route.pool.close().finally(() => this.#retired.delete(route.pool))
  }

  #avoid(route: Route): void {
    if (this.#route !== route) return
    this.#turn++
    this.#retire(route)
    this.#route = null
  }

  readonly close: Effect.Effect<void> = Effect.promise(async () => {
    this.#closed = true
    this.#deadlines.endAll("connection closed")
    const pools = [...this.#retired, ...(this.#route === null ? [] : [this.#route.pool])]
    this.#route = null
    await Promise.all(pools.map((pool) => pool.destroy()))
  })
}

export const layerWith = (
  options: WebhookClientOptions
): Layer.Layer<WebhookClient, never, OutboundPolicy | Settings> =>
  Layer.effect(
    WebhookClient,
    Effect.gen(function* () {
      const policy = yield* OutboundPolicy
      // One context for all connections: parsing a hundred root certificates costs more than a handshake.
      const secureContext = createSecureContext(yield* trust)
      return {
        open: (connections) =>
          Effect.acquireRelease(
            Effect.sync(() => new Sender(policy, secureContext, connections, options)),
            (sender) => sender.close
          )
      }
    })
  )

/** An address is checked for every attempt; attempts within the same second share the check. */
export const layer: Layer.Layer<WebhookClient, never, OutboundPolicy | Settings> = layerWith({ checkMs: 1000 })
