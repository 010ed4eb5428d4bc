import { Effect, Layer, Option, Result } from "effect"
import type { SecureContext } from "node:tls"
import { createSecureContext } from "node:tls"
import type { CheckedUrl } from "../../services/ports/outbound/OutboundPolicy.ts"
import { OutboundPolicy } from "../../services/ports/outbound/OutboundPolicy.ts"
import type { WebhookAnswer, WebhookPost, WebhookSender } from "../../services/ports/webhooks/WebhookClient.ts"
import { WebhookClient } from "../../services/ports/webhooks/WebhookClient.ts"
import type { Settings } from "../config/Settings.ts"
import { trust } from "../config/Trust.ts"
import { makeConnector } from "./Connector.ts"
import { Deadlines } from "./Deadlines.ts"
import { Post } from "./Post.ts"
import { isConnectError } from "./reason.ts"
import { AddressPool } from "./AddressPool.ts"

export interface WebhookClientOptions {
  /** How long a checked address counts, milliseconds; 0 checks for every post. */
  readonly checkMs: number
}

/** Where a checked URL leads. `URL` makes these texts anew whenever it is asked, which shows at this rate. */
interface Target {
  readonly checked: CheckedUrl
  readonly origin: string
  readonly path: string
}

const targetOf = (checked: CheckedUrl): Target => ({
  checked,
  origin: checked.url.origin,
  path: checked.url.pathname + checked.url.search
})

type Headers = ReadonlyArray<readonly [name: string, value: string]>

const noAnswer = (reason: string): WebhookAnswer => ({ _tag: "NoAnswer", reason })

/** A webhook's own connections and deadlines, and what is known of where its URL leads. */
class Sender implements WebhookSender {
  readonly #policy: OutboundPolicy["Service"]
  readonly #secureContext: SecureContext
  readonly #connections: number
  readonly #checkMs: number
  readonly #deadlines = new Deadlines()
  #checked: { readonly text: string; readonly until: number; readonly it: Target } | null = null
  #pool: AddressPool | null = null
  /** Grows when an address could not be reached, so that the next of its name comes to its turn. */
  #turn = 0
  #timeoutMs = 0
  #closed = false
  readonly #retired = new Set<AddressPool>()

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
      const send = (to: Target) =>
        Effect.callback<WebhookAnswer>((resume) => {
          const post = this.#send(to, headers, body, timeoutMs, deadline, null, (answer) =>
            resume(Effect.succeed(answer))
          )
          return Effect.sync(() => post.abandon())
        })
      const known = this.#known(url)
      if (known !== null) return send(known)
      return Effect.flatMap(this.#check(url, timeoutMs), (it) => ("_tag" in it ? Effect.succeed(it) : send(it)))
    })

  readonly postAll: WebhookSender["postAll"] = (next, atOnce) =>
    Effect.suspend(() => {
      const group = {}
      let open = 0
      /** Waits for its address to be checked; nothing else begins meanwhile. */
      let held: WebhookPost | null = null
      let isFilling = false
      let broken: Effect.Effect<void> | null = null
      let wake: (how: Effect.Effect<void>) => void = () => {}

      const start = (it: WebhookPost, to: Target, deadline: number): void => {
        open++
        this.#send(to, it.headers, it.body, it.timeoutMs, deadline, group, (answer) => {
          open--
          // Undici takes what its handlers throw for an error of the connection: a defect has to be told here.
          try {
            it.settle(answer)
            fill()
          } catch (defect) {
            broken = Effect.die(defect)
            wake(broken)
          }
        })
      }

      const hasRoom = (): boolean => held === null && open < atOnce

      const fill = (): void => {
        // An answer at once, within `start`, must not fill from within: the stack would grow with every one of them.
        if (isFilling || broken !== null) return
        isFilling = true
        try {
          while (hasRoom()) {
            const it = next()
            if (it === null) break
            const to = this.#known(it.url)
            if (to === null) held = it
            else start(it, to, performance.now() + it.timeoutMs)
          }
        } finally {
          isFilling = false
        }
        if (held !== null || open === 0) wake(Effect.void)
      }

      /** Until an address has to be checked, or everything is over. */
      const filled = Effect.callback<void>((resume) => {
        wake = resume
        if (broken === null) fill()
        else resume(broken)
      })
      const check = (it: WebhookPost) => {
        const deadline = performance.now() + it.timeoutMs
        return Effect.map(this.#check(it.url, it.timeoutMs), (to) => {
          held = null
          if ("_tag" in to) it.settle(to)
          else start(it, to, deadline)
        })
      }
      const all: Effect.Effect<void> = Effect.flatMap(filled, () =>
        held === null ? Effect.void : Effect.flatMap(check(held), () => all)
      )
      return Effect.ensuring(
        all,
        Effect.sync(() => {
          for (const post of this.#deadlines.all()) {
            if (post instanceof Post && post.group === group && post.isWaiting) post.abandon()
          }
        })
      )
    })

  /** Where the URL leads, when it was found allowed a moment ago. */
  #known(url: string): Target | null {
    const known = this.#checked
    return known !== null && known.text === url && known.until > performance.now() ? known.it : null
  }

  #check(url: string, timeoutMs: number): Effect.Effect<Target | WebhookAnswer> {
    return Effect.map(
      Effect.timeoutOption(Effect.result(this.#policy.check(url)), timeoutMs),
      Option.match({
        onNone: () => noAnswer("timeout"),
        onSome: Result.match({
          onFailure: (refused) => noAnswer(refused.message),
          onSuccess: (checked) => {
            const it = targetOf(checked)
            this.#checked = { text: url, until: performance.now() + this.#checkMs, it }
            return it
          }
        })
      })
    )
  }

  #send(
    to: Target,
    headers: Headers,
    body: string,
    timeoutMs: number,
    deadline: number,
    group: object | null,
    answered: (answer: WebhookAnswer) => void
  ): Post {
    this.#timeoutMs = timeoutMs
    const pool = this.#poolFor(to)
    const post = new Post(deadline, this.#deadlines, group, (answer, error) => {
      if (error !== null && to.checked.addresses.length > 1 && isConnectError(error)) this.#avoid(pool)
      answered(answer)
    })
    if (this.#closed) {
      post.end("connection closed")
      return post
    }
    const flat: Array<string> = []
    for (const [name, value] of headers) flat.push(name, value)
    pool.send({ path: to.path, method: "POST", headers: flat, body }, post)
    return post
  }

  /** The connections to an address that the name still has; one to any other address is not used again. */
  #poolFor({ checked: to, origin }: Target): AddressPool {
    const known = this.#pool
    if (known !== null && known.origin === origin && to.addresses.includes(known.address)) return known
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
    if (known !== null) this.#retire(known)
    this.#pool = new AddressPool(origin, address, connector, this.#connections, (it) => this.#retired.delete(it))
    return this.#pool
  }

  /** What is under way on it ends by itself. */
  #retire(pool: AddressPool): void {
    this.#retired.add(pool)
    pool.retire()
  }

  #avoid(pool: AddressPool): void {
    if (this.#pool !== pool) return
    this.#turn++
    this.#retire(pool)
    this.#pool = null
  }

  readonly close: Effect.Effect<void> = Effect.promise(async () => {
    this.#closed = true
    for (const it of this.#deadlines.all()) it.end("connection closed")
    const pools = [...this.#retired, ...(this.#pool === null ? [] : [this.#pool])]
    this.#pool = null
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
