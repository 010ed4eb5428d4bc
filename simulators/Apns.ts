import { createPublicKey, randomUUID, type KeyObject } from "node:crypto"
import { ApnsTokens } from "./ApnsTokens.ts"
import type { Refusal } from "./Behaviour.ts"
import type { Certificates } from "./Certificates.ts"
import { listenSecure, type Connection, type Exchange } from "./SecureServer.ts"
import { isObject, isUuid, parseObject, Simulator, type Listen, type Running } from "./Simulator.ts"

/** Device tokens that are answered by what they start with (hexadecimal, lower case). */
export interface TokenRules {
  /** 410 Unregistered. */
  readonly unregistered?: string
  /** 400 BadDeviceToken, in both environments. */
  readonly bad?: string
  /** Belongs to the sandbox: production answers BadDeviceToken. The sandbox knows no other tokens. */
  readonly sandbox?: string
}

export interface ApnsOptions extends Listen {
  readonly certificates: Certificates
  readonly environment: "production" | "sandbox"
  readonly teamId: string
  readonly keyId: string
  /** PEM. */
  readonly publicKey: string
  readonly bundleId: string
  readonly tokens?: TokenRules
  /** How many different provider tokens of the team pass within 20 minutes; 4 unless given. Apple's own number is not published. */
  readonly tokenUpdates?: number
  /** Streams allowed on a connection after its first authenticated answer; 1,000 unless given. */
  readonly maxConcurrentStreams?: number
}

/** Reasons of Apple's table, and the status that each goes with. */
const STATUS: Readonly<Record<string, number>> = {
  ExpiredProviderToken: 403,
  Forbidden: 403,
  InvalidProviderToken: 403,
  MissingProviderToken: 403,
  UnrelatedKeyIdInToken: 403,
  BadEnvironmentKeyInToken: 403,
  BadPath: 404,
  MethodNotAllowed: 405,
  ExpiredToken: 410,
  Unregistered: 410,
  PayloadTooLarge: 413,
  TooManyProviderTokenUpdates: 429,
  TooManyRequests: 429,
  InternalServerError: 500,
  ServiceUnavailable: 503,
  Shutdown: 503
}
/** What APNs says with a status when a rule gives no reason of its own. */
const REASON: Readonly<Record<number, string>> = {
  400: "BadDeviceToken",
  403: "InvalidProviderToken",
  410: "Unregistered",
  429: "TooManyRequests",
  500: "InternalServerError",
  503: "ServiceUnavailable"
}

const PAYLOAD_BYTES = 4096
const VOIP_BYTES = 5120
/** What each push type appends to the bundle id in its topic. */
const TOPIC_SUFFIX: Readonly<Record<string, string>> = {
  alert: "",
  background: "",
  controls: "",
  location: ".location-query",
  voip: ".voip",
  complication: ".complication",
  fileprovider: ".pushkit.fileprovider",
  liveactivity: ".push-type.liveactivity",
  pushtotalk: ".voip-ptt",
  widgets: ".push-type.widgets"
}
const DEVICE_PATH = /^\/3\/device\/([0-9a-fA-F]*)$/
/** An expiration beyond this many seconds from now is a date in milliseconds. */
const FAR_FUTURE = 10 * 365 * 86_400

/** Starts a stand-in for one environment of the Apple Push Notification service. */
export const start = async (options: ApnsOptions): Promise<Running> => {
  const simulator = new Simulator()
  const key: KeyObject = createPublicKey(options.publicKey)
  const tokens = new ApnsTokens(key, options.teamId, options.keyId, options.tokenUpdates ?? 4)
  const { bundleId, environment } = options
  const unregistered = options.tokens?.unregistered
  const bad = options.tokens?.bad
  const sandbox = options.tokens?.sandbox
  const authenticated = new WeakSet<Connection>()

  /** Why the headers other than the token are refused. */
  const headerMistake = (exchange: Exchange): string | undefined => {
    const { headers } = exchange
    const type = headers["apns-push-type"]
    const suffix = typeof type === "string" ? TOPIC_SUFFIX[type] : undefined
    if (suffix === undefined) return "InvalidPushType"
    const topic = headers["apns-topic"]
    if (topic === undefined || topic === "") return "MissingTopic"
    if (typeof topic !== "string" || !/^[A-Za-z0-9.-]+$/.test(topic)) return "BadTopic"
    if (topic !== bundleId + suffix) return "TopicDisallowed"
    const priority = headers["apns-priority"]
    if (priority !== undefined && priority !== "10" && priority !== "5" && priority !== "1") return "BadPriority"
    // Without the header the priority is 10, which a background push must not have.
    if (type === "background" && priority !== "5") return "BadPriority"
    const expiration = headers["apns-expiration"]
    if (expiration !== undefined) {
      if (typeof expiration !== "string" || !/^\d{1,15}$/.test(expiration)) return "BadExpirationDate"
      if (Number(expiration) > Date.now() / 1000 + FAR_FUTURE) return "BadExpirationDate"
    }
    const collapse = headers["apns-collapse-id"]
    if (collapse !== undefined && Buffer.byteLength(String(collapse)) > 64) return "BadCollapseId"
    const id = headers["apns-id"]
    if (id !== undefined && !isUuid(String(id).toLowerCase())) return "BadMessageId"
    return undefined
  }

  const tokenMistake = (token: string): string | undefined => {
    if (token === "") return "MissingDeviceToken"
    if (token.length < 64 || token.length > 400 || token.length % 2 === 1) return "BadDeviceToken"
    if (bad !== undefined && token.startsWith(bad)) return "BadDeviceToken"
    if (unregistered !== undefined && token.startsWith(unregistered)) return "Unregistered"
    const ofSandbox = sandbox !== undefined && token.startsWith(sandbox)
    if (sandbox !== undefined && ofSandbox !== (environment === "sandbox")) return "BadDeviceToken"
    return undefined
  }

  const handle = (exchange: Exchange): void => {
    simulator.requests++
    const id = (exchange.headers["apns-id"] as string | undefined) ?? randomUUID().toUpperCase()
    const reply = (reason: string, status = STATUS[reason] ?? 400, rule?: Refusal): void => {
      const body: { reason: string; timestamp?: number } = { reason }
      // The moment since which the token is known to be dead, in milliseconds.
      if (status === 410) body.timestamp = rule?.timestamp ?? Date.now()
      const retry = rule?.retryAfter === undefined ? undefined : { "retry-after": String(rule.retryAfter) }
      exchange.answer(status, { "apns-id": id, "content-type": "application/json", ...retry }, JSON.stringify(body))
    }
    const refuse = (reason: string): void => {
      simulator.refused(reason)
      reply(reason)
    }

    if (exchange.method !== "POST") return refuse("MethodNotAllowed")
    const path = DEVICE_PATH.exec(exchange.path)
    if (path === null) return refuse(exchange.path.startsWith("/3/device/") ? "BadDeviceToken" : "BadPath")
    const denied = tokens.mistake(exchange.headers["authorization"])
    if (denied !== undefined) return refuse(denied)
    if (!authenticated.has(exchange.connection)) {
      authenticated.add(exchange.connection)
      // Apple opens a connection with room for one request, and makes room once it knows the sender.
      exchange.connection.session?.settings({ maxConcurrentStreams: options.maxConcurrentStreams ?? 1000 })
    }
    const mistake = headerMistake(exchange)
    if (mistake !== undefined) return refuse(mistake)
    const { body } = exchange
    if (body.length === 0) return refuse("PayloadEmpty")
    if (body.length > (exchange.headers["apns-push-type"] === "voip" ? VOIP_BYTES : PAYLOAD_BYTES)) {
      return refuse("PayloadTooLarge")
    }
    const token = path[1]!.toLowerCase()
    const dead = tokenMistake(token)
    if (dead !== undefined) return refuse(dead)
    const payload = parseObject(body)
    if (payload === undefined || !isObject(payload["aps"])) return refuse("BadPayload")
    const notification = payload["service_notification_id"]
    const device = payload["service_device_id"]
    if (!isUuid(notification) || !isUuid(device)) {
      simulator.malformed++
      return refuse("MissingServiceIds")
    }
    simulator.settle([token, device, notification], {
      accept: () => simulator.ledger.add(notification, device),
      ok: () => exchange.answer(200, { "apns-id": id }),
      refuse: (rule) => reply(rule.reason ?? REASON[rule.status] ?? "InternalServerError", rule.status, rule),
      goaway: () => exchange.goaway("Shutdown"),
      reset: exchange.reset,
      close: exchange.drop
    })
  }

  const listening = await listenSecure({
    ...options,
    http1: false,
    maxConcurrentStreams: 1,
    onConnection: () => simulator.connections++,
    handle
  })
  return simulator.running(listening)
}
