import type { Certificates } from "./Certificates.ts"
import { payloadBytes, violationIn } from "./FcmMessage.ts"
import { OAuth } from "./OAuth.ts"
import { listenSecure, type Exchange } from "./SecureServer.ts"
import { isObject, isUuid, parseObject, Simulator, type Listen, type Running, type Stats } from "./Simulator.ts"

export interface FcmOptions extends Listen {
  readonly certificates: Certificates
  readonly projectId: string
  readonly clientEmail: string
  /** PEM: the public half of the service account's key. */
  readonly publicKey: string
  readonly keyId?: string
  /** Seconds that an access token lives; 3,599 unless given, as with Google. */
  readonly tokenLifetime?: number
  /** Registration tokens that start with these are answered accordingly. */
  readonly tokens?: {
    /** 404 UNREGISTERED. */
    readonly unregistered?: string
    /** 400 INVALID_ARGUMENT about the token. */
    readonly invalid?: string
    /** 403 SENDER_ID_MISMATCH. */
    readonly mismatch?: string
  }
}

export interface RunningFcm extends Running {
  /** The service account's token_uri. */
  readonly tokenUri: string
  readonly stats: () => Stats & {
    /** Access tokens issued since the start: a sender needs one an hour. */
    readonly tokensIssued: number
  }
  /** Ends all access tokens at once: the next request of each sender is UNAUTHENTICATED. */
  readonly revokeTokens: () => void
}

const PAYLOAD_BYTES = 4096
const FCM_ERROR = "type.googleapis.com/google.firebase.fcm.v1.FcmError"
const BAD_REQUEST = "type.googleapis.com/google.rpc.BadRequest"

/** FCM's error codes: the HTTP status, the canonical status, and the message Google gives. */
const ERRORS: Readonly<Record<string, readonly [status: number, canonical: string, message: string]>> = {
  UNREGISTERED: [404, "NOT_FOUND", "Requested entity was not found."],
  INVALID_ARGUMENT: [400, "INVALID_ARGUMENT", "The registration token is not a valid FCM registration token"],
  SENDER_ID_MISMATCH: [403, "PERMISSION_DENIED", "SenderId mismatch"],
  PERMISSION_DENIED: [403, "PERMISSION_DENIED", "Permission 'cloudmessaging.messages.create' denied"],
  THIRD_PARTY_AUTH_ERROR: [401, "UNAUTHENTICATED", "Auth error from APNS or Web Push Service"],
  QUOTA_EXCEEDED: [429, "RESOURCE_EXHAUSTED", "Message sending quota exceeded."],
  INTERNAL: [500, "INTERNAL", "Internal error encountered."],
  UNAVAILABLE: [503, "UNAVAILABLE", "The service is currently unavailable."]
}
const CODE: Readonly<Record<number, string>> = {
  400: "INVALID_ARGUMENT",
  401: "THIRD_PARTY_AUTH_ERROR",
  403: "PERMISSION_DENIED",
  404: "UNREGISTERED",
  429: "QUOTA_EXCEEDED",
  500: "INTERNAL",
  503: "UNAVAILABLE"
}

/** A registration token of today: an instance id, a colon and at least 100 more characters; older ones are one word. */
const TOKEN = /^[A-Za-z0-9_-]{8,}:?[A-Za-z0-9_-]{80,}$/

/** Starts a stand-in for Firebase Cloud Messaging (HTTP v1) and Google's OAuth token endpoint, on one port. */
export const start = async (options: FcmOptions): Promise<RunningFcm> => {
  const simulator = new Simulator()
  const oauth = new OAuth({ ...options, keyId: options.keyId, lifetime: options.tokenLifetime ?? 3599 })
  const sendPath = `/v1/projects/${options.projectId}/messages:send`
  const { tokens } = options
  let accepted = 0

  const reply = (
    exchange: Exchange,
    code: number,
    status: string,
    message: string,
    details: ReadonlyArray<Readonly<Record<string, unknown>>>,
    retryAfter?: number
  ): void => {
    const retry = retryAfter === undefined ? undefined : { "retry-after": String(retryAfter) }
    exchange.answer(
      code,
      { "content-type": "application/json; charset=UTF-8", ...retry },
      JSON.stringify({ error: { code, message, status, details } })
    )
  }
  const replyFcm = (exchange: Exchange, code: string, status?: number, retryAfter?: number): void => {
    const [usual, canonical, message] = ERRORS[code] ?? [status ?? 500, code, code]
    reply(exchange, status ?? usual, canonical, message, [{ "@type": FCM_ERROR, errorCode: code }], retryAfter)
  }
  const replyField = (exchange: Exchange, field: string, description: string): void =>
    reply(exchange, 400, "INVALID_ARGUMENT", description, [
      { "@type": BAD_REQUEST, fieldViolations: [{ field, description }] }
    ])

  const send = (exchange: Exchange): void => {
    simulator.requests++
    if (!oauth.admits(exchange.headers["authorization"])) {
      simulator.refused("UNAUTHENTICATED")
      return reply(
        exchange,
        401,
        "UNAUTHENTICATED",
        "Request had invalid authentication credentials. Expected OAuth 2 access token, login cookie or other valid authentication credential.",
        [
          {
            "@type": "type.googleapis.com/google.rpc.ErrorInfo",
            reason: "ACCESS_TOKEN_EXPIRED",
            domain: "googleapis.com"
          }
        ]
      )
    }
    const field = (name: string, description: string): void => {
      simulator.refused(`INVALID_ARGUMENT ${name}`)
      replyField(exchange, name, description)
    }
    if (!String(exchange.headers["content-type"]).startsWith("application/json")) {
      return field("content-type", "The body must be application/json")
    }
    const body = parseObject(exchange.body)
    if (body === undefined) return field("", "Invalid JSON payload received. Unexpected token.")
    const violation = violationIn(body)
    if (violation !== undefined) return field(violation.field, violation.description)
    const message = body["message"] as Record<string, unknown>
    if (payloadBytes(message) > PAYLOAD_BYTES) {
      return field("message", "Android message is too big: at most 4096 bytes")
    }
    const refuse = (code: string): void => {
      simulator.refused(code)
      replyFcm(exchange, code)
    }
    const token = message["token"]
    if (typeof token !== "string" || !TOKEN.test(token)) return refuse("INVALID_ARGUMENT")
    if (tokens?.invalid !== undefined && token.startsWith(tokens.invalid)) return refuse("INVALID_ARGUMENT")
    if (tokens?.unregistered !== undefined && token.startsWith(tokens.unregistered)) return refuse("UNREGISTERED")
    if (tokens?.mismatch !== undefined && token.startsWith(tokens.mismatch)) return refuse("SENDER_ID_MISMATCH")
    const data = isObject(message["data"]) ? message["data"] : {}
    const notification = data["service_notification_id"]
    const device = data["service_device_id"]
    if (!isUuid(notification) || !isUuid(device)) {
      simulator.malformed++
      return field("message.data", "service_notification_id and service_device_id must be UUIDs")
    }
    simulator.settle([token, device, notification], {
      accept: () => simulator.ledger.add(notification, device),
      ok: () =>
        exchange.answer(
          200,
          { "content-type": "application/json; charset=UTF-8" },
          `{"name":"projects/${options.projectId}/messages/0:${Date.now()}${++accepted}"}`
        ),
      refuse: ({ reason, retryAfter, status }) =>
        replyFcm(exchange, reason ?? CODE[status] ?? "INTERNAL", status, retryAfter),
      goaway: () => exchange.goaway("Shutdown"),
      reset: exchange.reset,
      close: exchange.drop
    })
  }

  const handle = (exchange: Exchange): void => {
    if (exchange.method === "POST" && exchange.path === sendPath) return send(exchange)
    if (exchange.method === "POST" && exchange.path === "/token")
      return oauth.token(exchange, (error) => simulator.refused(error))
    simulator.refused("NOT_FOUND")
    // A wrong project in the path is what PERMISSION_DENIED stands for; any other path does not exist.
    if (/^\/v1\/projects\/[^/]+\/messages:send$/.test(exchange.path)) return replyFcm(exchange, "PERMISSION_DENIED")
    exchange.answer(404, { "content-type": "text/html; charset=UTF-8" }, "<title>Error 404 (Not Found)</title>")
  }

  const listening = await listenSecure({
    ...options,
    http1: true,
    maxConcurrentStreams: 100,
    onConnection: () => simulator.connections++,
    handle
  })
  oauth.audience = `${listening.url}/token`
  return {
    ...simulator.running(listening),
    tokenUri: oauth.audience,
    stats: () => ({ ...simulator.stats(), tokensIssued: oauth.issued }),
    revokeTokens: () => oauth.revoke()
  }
}
