import { createPublicKey, randomUUID } from "node:crypto"
import { decrypt } from "http_ece"
import type { Certificates } from "./Certificates.ts"
import { readJwt } from "./Jwt.ts"
import { listenSecure, type Exchange } from "./SecureServer.ts"
import { PushSockets } from "./PushSockets.ts"
import { isUuid, parseObject, Simulator, type Listen, type Running, type Stats } from "./Simulator.ts"
import { Subscriptions, type Subscription } from "./Subscriptions.ts"

export interface WebPushOptions extends Listen {
  /** Where browsers connect; any free port, unless given. */
  readonly browserPort?: number
  readonly certificates: Certificates
  /** What the subscriptions' keys are derived from. */
  readonly seed: string
  /** The application server key (base64url) that subscriptions were made for; any, unless given. */
  readonly applicationServerKey?: string
  /** Decrypt every message (`all`, the default), or each nth. */
  readonly decrypt?: "all" | number
  /** Ids with this prefix (letters before the first dot) answer 410. */
  readonly gone?: string
}

export interface RunningWebPush extends Running {
  /** Where real browsers connect, and what they have. */
  readonly browsers: PushSockets
  /** The subscription at `index`; `prefix` is `s` unless given. */
  readonly subscription: (index: number, prefix?: string) => Subscription
  readonly stats: () => Stats & {
    /** Messages whose plaintext was read; the others are counted under their subscription's id alone. */
    readonly decrypted: number
    /** Messages whose sender key had served an earlier one (RFC 8291 asks for a fresh one). */
    readonly reusedSenderKeys: number
  }
}

/** One record of aes128gcm: what every push service takes. */
const BODY_BYTES = 4096
/** Seconds: the longest life of a VAPID token. */
const VAPID_LIFETIME = 86_400
/** Seconds that clocks may differ. */
const SKEW = 60
/** Salt (16), record size (4), length of the key id (1), key id (65), the tag and the delimiter (17). */
const SMALLEST_BODY = 103
/** Tokens and sender keys remembered at a time: bounded, since the sender decides how many there are. */
const REMEMBERED = 100_000

/**
 * Starts a stand-in for a browser vendor's push service (RFC 8030, 8188, 8291, 8292): for subscriptions that it makes up,
 * and for those of real browsers that connect to it.
 */
export const start = async (options: WebPushOptions): Promise<RunningWebPush> => {
  const simulator = new Simulator()
  const subscriptions = new Subscriptions(options.seed)
  const sockets = new PushSockets()
  const nth = options.decrypt === undefined || options.decrypt === "all" ? 1 : options.decrypt
  /** Verified authorization headers by the authority they were used at, with their ends in seconds. */
  const verified = new Map<string, number>()
  /** Sender keys, alone and with their salt, with the tag of the message they were used for. */
  const senderKeys = new Map<string, string>()
  let reused = 0
  let decrypted = 0
  let considered = 0

  const vapidMistake = (exchange: Exchange, subscribedKey: string | undefined): string | undefined => {
    const header = exchange.headers["authorization"]
    if (typeof header !== "string") return "missing VAPID authorization"
    const now = Date.now() / 1000
    const key = `${exchange.authority} ${header}`
    const end = verified.get(key)
    const isOther = subscribedKey !== undefined && !header.includes(subscribedKey)
    if (end !== undefined && !isOther) return end > now - SKEW ? undefined : "VAPID token has expired"
    const scheme = /^vapid\s+(.+)$/i.exec(header)
    if (scheme === null) return "authorization is not of the scheme vapid"
    const fields = new Map(
      scheme[1]!.split(",").map((field) => {
        const at = field.indexOf("=")
        return [field.slice(0, at).trim(), field.slice(at + 1).trim()] as const
      })
    )
    const jwt = readJwt(fields.get("t") ?? "")
    const publicKey = Buffer.from(fields.get("k") ?? "", "base64url")
    if (jwt === undefined) return "VAPID t is not a JWT"
    if (publicKey.length !== 65 || publicKey[0] !== 4) return "VAPID k is not a public key of P-256"
    if (subscribedKey !== undefined && fields.get("k") !== subscribedKey) {
      return "VAPID k is not the key of the subscription"
    }
    const { aud, exp, sub } = jwt.claims
    try {
      const jwk = {
        kty: "EC",
        crv: "P-256",
        x: publicKey.subarray(1, 33).toString("base64url"),
        y: publicKey.subarray(33).toString("base64url")
      }
      if (!jwt.signedBy(createPublicKey({ key: jwk, format: "jwk" }), "ES256")) return "VAPID signature is wrong"
    } catch {
      return "VAPID k is not a public key of P-256"
    }
    if (aud !== `https://${exchange.authority}`) return "VAPID aud is not this origin"
    if (typeof exp !== "number" || exp <= now) return "VAPID token has expired"
    if (exp > now + VAPID_LIFETIME + SKEW) return "VAPID exp is more than 24 hours away"
    if (typeof sub !== "string" || !/^(mailto:[^\s@]+@[^\s@]+|https:\/\/\S+)$/.test(sub)) {
      return "VAPID sub is no mailto: or https: address"
    }
    if (verified.size >= REMEMBERED) verified.clear()
    verified.set(key, exp)
    return undefined
  }

  const headerMistake = (exchange: Exchange): string | undefined => {
    const { headers } = exchange
    const ttl = headers["ttl"]
    if (typeof ttl !== "string" || !/^\d{1,10}$/.test(ttl)) return "TTL is missing or not a number of seconds"
    if (headers["content-encoding"] !== "aes128gcm") return "Content-Encoding is not aes128gcm"
    const topic = headers["topic"]
    if (topic !== undefined && !/^[A-Za-z0-9_-]{1,32}$/.test(String(topic))) {
      return "Topic is not 1 to 32 characters of base64url"
    }
    const urgency = headers["urgency"]
    if (urgency !== undefined && !/^(very-low|low|normal|high)$/.test(String(urgency))) return "Urgency is unknown"
    return undefined
  }

  /**
   * A key pair of the sender's is to serve one message; used with the same salt for another text, both are laid open.
   * The very same bytes again are a retry, which is the sender's right.
   */
  const noteSenderKey = (body: Buffer): string | undefined => {
    const key = body.toString("latin1", 21, 86)
    const salted = key + body.toString("latin1", 0, 16)
    const tag = body.toString("latin1", body.length - 16)
    const earlier = senderKeys.get(salted)
    if (earlier !== undefined) return earlier === tag ? undefined : "salt and sender key were used before"
    if (senderKeys.has(key)) reused++
    if (senderKeys.size >= REMEMBERED) senderKeys.clear()
    senderKeys.set(key, tag)
    senderKeys.set(salted, tag)
    return undefined
  }

  const handle = (exchange: Exchange): void => {
    simulator.requests++
    const reply = (status: number, message: string, retryAfter?: number): void => {
      const retry = retryAfter === undefined ? undefined : { "retry-after": String(retryAfter) }
      exchange.answer(
        status,
        { "content-type": "application/json", ...retry },
        JSON.stringify({ code: status, error: message })
      )
    }
    const refuse = (status: number, message: string): void => {
      simulator.refused(message)
      reply(status, message)
    }
    if (!exchange.path.startsWith("/push/")) return refuse(404, "no such resource")
    if (exchange.method !== "POST") return refuse(405, "method is not POST")
    const id = exchange.path.slice("/push/".length)
    const isBrowser = id.startsWith("browser.")
    const keys = isBrowser ? undefined : subscriptions.keys(id)
    const subscribed = isBrowser ? sockets.find(id) : { applicationServerKey: options.applicationServerKey }
    if (isBrowser && subscribed === undefined) return refuse(410, "subscription is gone")
    if (!isBrowser && keys === undefined) return refuse(404, "no such subscription")
    const headers = headerMistake(exchange)
    if (headers !== undefined) return refuse(400, headers)
    const denied = vapidMistake(exchange, subscribed?.applicationServerKey)
    if (denied !== undefined) return refuse(/scheme|missing|not a JWT/.test(denied) ? 401 : 403, denied)
    if (keys !== undefined && keys.prefix === options.gone) return refuse(410, "subscription is gone")
    const { body } = exchange
    if (body.length > BODY_BYTES) return refuse(413, "body is larger than 4096 bytes")
    if (body.length < SMALLEST_BODY || body[20] !== 65) return refuse(400, "body is not a message of RFC 8291")
    if (body.length - 86 > body.readUInt32BE(16)) return refuse(400, "body has more than one record")
    const repeated = noteSenderKey(body)
    if (repeated !== undefined) return refuse(400, repeated)

    let first = ""
    let second = id
    // A real browser's message is for itself to read.
    if (keys !== undefined && considered++ % nth === 0) {
      let plaintext: Buffer
      try {
        plaintext = decrypt(body, { version: "aes128gcm", privateKey: keys.pair, authSecret: subscriptions.auth(id) })
      } catch {
        return refuse(400, "body cannot be decrypted")
      }
      decrypted++
      const payload = parseObject(plaintext)
      const notification = payload?.["service_notification_id"]
      const device = payload?.["service_device_id"]
      if (!isUuid(notification) || !isUuid(device)) {
        simulator.malformed++
        return refuse(400, "service_notification_id or service_device_id is missing")
      }
      first = notification
      second = device
    }
    simulator.settle([id, second, first], {
      accept: () => {
        // What a browser gets cannot be read here: each message counts as one of its own.
        simulator.ledger.add(first, isBrowser ? `${second} ${simulator.requests}` : second)
        if (!isBrowser) return
        const { topic, ttl } = exchange.headers
        sockets.send(id, body, Number(ttl), topic as string | undefined)
      },
      ok: () =>
        exchange.answer(201, {
          location: `https://${exchange.authority}/message/${randomUUID()}`,
          ttl: exchange.headers["ttl"] as string
        }),
      refuse: ({ reason, retryAfter, status }) => reply(status, reason ?? "refused by rule", retryAfter),
      goaway: () => exchange.goaway("Shutdown"),
      reset: exchange.reset,
      close: exchange.drop
    })
  }

  const listening = await listenSecure({
    ...options,
    http1: true,
    maxConcurrentStreams: 256,
    onConnection: () => simulator.connections++,
    handle
  })
  sockets.origin = listening.url
  await sockets.listen({ ...options, port: options.browserPort ?? 0 })
  return {
    ...simulator.running(listening),
    browsers: sockets,
    close: async () => {
      await Promise.all([sockets.close(), listening.close()])
    },
    subscription: (index, prefix) => subscriptions.subscription(listening.url, index, prefix),
    stats: () => ({ ...simulator.stats(), decrypted, reusedSenderKeys: reused }),
    reset: () => {
      simulator.reset()
      senderKeys.clear()
      reused = decrypted = considered = 0
    }
  }
}
