import { randomUUID } from "node:crypto"
import type { ClientHttp2Session } from "node:http2"
import { Agent, request as undici } from "undici"
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest"
import { start, type RunningFcm } from "../../simulators/Fcm.ts"
import { certificates, endedWith, jwt, now, open, pem, request, rsaKeys, type Answer } from "./Client.ts"

const PROJECT = "demo-project"
const EMAIL = "sender@demo-project.iam.gserviceaccount.com"
const SCOPE = "https://www.googleapis.com/auth/firebase.messaging"
const keys = rsaKeys()
const stranger = rsaKeys()
const agent = new Agent({ connect: { ca: certificates.ca } })
const token = `cabcdefghijklmnopqrstu:APA91b${"x".repeat(134)}`

const options = {
  certificates,
  projectId: PROJECT,
  clientEmail: EMAIL,
  publicKey: pem(keys.publicKey),
  keyId: "key-1",
  tokens: { unregistered: "cdead", invalid: "cbad", mismatch: "cother" }
}

let fcm: RunningFcm
let session: ClientHttp2Session
let access: string

const claims = (over: Readonly<Record<string, unknown>> = {}, at: RunningFcm = fcm) => ({
  iss: EMAIL,
  scope: SCOPE,
  aud: at.tokenUri,
  iat: now(),
  exp: now() + 3600,
  ...over
})

interface TokenAnswer {
  readonly status: number
  readonly body: Readonly<Record<string, unknown>>
}

const authorize = async (
  assertion: string,
  at: RunningFcm = fcm,
  grant = "urn:ietf:params:oauth:grant-type:jwt-bearer",
  type = "application/x-www-form-urlencoded"
): Promise<TokenAnswer> => {
  const answer = await undici(at.tokenUri, {
    method: "POST",
    headers: { "content-type": type },
    body: new URLSearchParams({ grant_type: grant, assertion }).toString(),
    dispatcher: agent
  })
  return { status: answer.statusCode, body: (await answer.body.json()) as Readonly<Record<string, unknown>> }
}

const accessToken = async (at: RunningFcm = fcm): Promise<string> => {
  const { body } = await authorize(jwt(keys.privateKey, "RS256", claims({}, at), { kid: "key-1" }), at)
  return String(body["access_token"])
}

type Fields = Readonly<Record<string, unknown>>

const message = (over: Fields = {}): Fields => ({
  token,
  notification: { title: "Hello", body: "World" },
  data: { service_notification_id: randomUUID(), service_device_id: randomUUID() },
  android: { priority: "HIGH", ttl: "3600s", collapse_key: "news" },
  ...over
})

const send = (
  inner: unknown = message(),
  over: Readonly<Record<string, string>> = {},
  to: ClientHttp2Session = session
): Promise<Answer> =>
  request(
    to,
    {
      ":path": `/v1/projects/${PROJECT}/messages:send`,
      authorization: `Bearer ${access}`,
      "content-type": "application/json",
      ...over
    },
    typeof inner === "string" ? inner : JSON.stringify({ message: inner })
  )

interface GoogleError {
  readonly code: number
  readonly status: string
  readonly message: string
  readonly details: ReadonlyArray<{
    readonly "@type": string
    readonly errorCode?: string
    readonly fieldViolations?: ReadonlyArray<{ readonly field: string; readonly description: string }>
  }>
}
const errorOf = async (answer: Promise<Answer>): Promise<GoogleError> => {
  const { body, status } = await answer
  const { error } = JSON.parse(body) as { error: GoogleError }
  expect(error.code).toBe(status)
  return error
}

beforeAll(async () => {
  fcm = await start(options)
  session = await open(fcm.url)
})
beforeEach(async () => {
  fcm.control.set()
  fcm.reset()
  access ??= await accessToken()
})
afterAll(async () => {
  session.destroy()
  await agent.close()
  await fcm.close()
})

describe("the OAuth endpoint of the FCM simulator", () => {
  it("gives an access token with its lifetime to the service account, over HTTP/1.1", async () => {
    const answer = await authorize(jwt(keys.privateKey, "RS256", claims(), { kid: "key-1" }))
    expect(answer.status).toBe(200)
    expect(answer.body).toMatchObject({ expires_in: 3599, token_type: "Bearer" })
  })

  it.each([
    ["another account", () => jwt(keys.privateKey, "RS256", claims({ iss: "other@example.com" })), "invalid_grant"],
    ["another key", () => jwt(stranger.privateKey, "RS256", claims()), "invalid_grant"],
    ["another key id", () => jwt(keys.privateKey, "RS256", claims(), { kid: "key-2" }), "invalid_grant"],
    ["another audience", () => jwt(keys.privateKey, "RS256", claims({ aud: "https://example.com" })), "invalid_grant"],
    [
      "an end more than an hour away",
      () => jwt(keys.privateKey, "RS256", claims({ exp: now() + 7200 })),
      "invalid_grant"
    ],
    [
      "an end in the past",
      () => jwt(keys.privateKey, "RS256", claims({ iat: now() - 7200, exp: now() - 3600 })),
      "invalid_grant"
    ],
    ["no end", () => jwt(keys.privateKey, "RS256", claims({ exp: undefined })), "invalid_grant"],
    ["no scope for messages", () => jwt(keys.privateKey, "RS256", claims({ scope: "email" })), "invalid_scope"],
    ["no JWT", () => "abc", "invalid_grant"]
  ])("refuses an assertion of %s", async (_, make, error) => {
    expect(await authorize(make())).toMatchObject({ status: 400, body: { error } })
    expect(fcm.stats().refused).toEqual({ [error]: 1 })
  })

  it("refuses another grant and a body that is no form", async () => {
    const assertion = jwt(keys.privateKey, "RS256", claims())
    expect((await authorize(assertion, fcm, "password")).body["error"]).toBe("unsupported_grant_type")
    expect((await authorize(assertion, fcm, undefined, "application/json")).body["error"]).toBe("invalid_request")
  })
})

describe("the FCM simulator", () => {
  it("accepts a right message, names it, and counts it by its ids", async () => {
    const ids = { service_notification_id: randomUUID(), service_device_id: randomUUID() }
    const answer = await send(message({ data: { ...ids, more: "text" } }))
    expect(answer.status).toBe(200)
    expect((JSON.parse(answer.body) as { name: string }).name).toMatch(/^projects\/demo-project\/messages\/./)
    expect(fcm.received()).toEqual(new Map([[`${ids.service_notification_id}:${ids.service_device_id}`, 1]]))
  })

  it("gives each message a name of its own", async () => {
    const names = await Promise.all(Array.from({ length: 50 }, async () => (await send()).body))
    expect(new Set(names).size).toBe(50)
  })

  it("refuses a token that it did not issue, that has expired, or that was revoked", async () => {
    expect((await errorOf(send(message(), { authorization: "Bearer ya29.mine" }))).status).toBe("UNAUTHENTICATED")
    const brief = await start({ ...options, tokenLifetime: 0 })
    const connection = await open(brief.url)
    const expired = await accessToken(brief)
    const late = await errorOf(send(message(), { authorization: `Bearer ${expired}` }, connection))
    expect([late.code, late.status]).toEqual([401, "UNAUTHENTICATED"])
    connection.destroy()
    await brief.close()

    fcm.revokeTokens()
    expect((await errorOf(send())).status).toBe("UNAUTHENTICATED")
    access = await accessToken()
    expect((await send()).status).toBe(200)
  })

  it.each([
    ["an unknown field", message({ titel: "x" }), "message"],
    ["a number in data", message({ data: { n: 1 } }), 'message.data["n"]'],
    ["a reserved key in data", message({ data: { from: "me" } }), "message.data"],
    ["a title that is no text", message({ notification: { title: 7 } }), "message.notification.title"],
    ["a ttl in numbers", message({ android: { ttl: 3600 } }), "message.android.ttl"],
    ["a ttl without its unit", message({ android: { ttl: "3600" } }), "message.android.ttl"],
    ["a ttl beyond four weeks", message({ android: { ttl: "2419201s" } }), "message.android.ttl"],
    ["an unknown priority", message({ android: { priority: "urgent" } }), "message.android.priority"],
    ["a token and a topic", message({ topic: "news" }), "message"],
    ["no target", message({ token: undefined }), "message"],
    ["ids missing from data", message({ data: {} }), "message.data"],
    ["more than 4096 bytes", message({ notification: { body: "x".repeat(4097) } }), "message"]
  ])("refuses a message with %s, naming the field", async (_, inner, field) => {
    const error = await errorOf(send(inner))
    expect(error.status).toBe("INVALID_ARGUMENT")
    expect(error.details[0]?.["@type"]).toBe("type.googleapis.com/google.rpc.BadRequest")
    expect(error.details[0]?.fieldViolations?.[0]?.field).toBe(field)
    expect(fcm.stats().accepted).toBe(0)
  })

  it.each([
    ["a body that is no JSON", "{"],
    ["a body without message", "{}"]
  ])("refuses %s", async (_, body) => {
    expect((await errorOf(send(body))).status).toBe("INVALID_ARGUMENT")
  })

  it("refuses a body that does not say it is JSON", async () => {
    expect((await errorOf(send(message(), { "content-type": "text/plain" }))).code).toBe(400)
  })

  it("accepts fields by their JSON names and a ttl with a fraction", async () => {
    const answer = await send(
      message({ android: { collapseKey: "a", ttl: "3.5s", priority: "normal" }, fcmOptions: {} })
    )
    expect(answer.status).toBe(200)
  })

  it.each([
    [`cdead${token.slice(5)}`, 404, "NOT_FOUND", "UNREGISTERED"],
    [`cbadd${token.slice(5)}`, 400, "INVALID_ARGUMENT", "INVALID_ARGUMENT"],
    [`cother${token.slice(6)}`, 403, "PERMISSION_DENIED", "SENDER_ID_MISMATCH"],
    ["not a token", 400, "INVALID_ARGUMENT", "INVALID_ARGUMENT"]
  ])("answers for the token %.7s… with %d %s", async (dead, code, status, errorCode) => {
    expect(await errorOf(send(message({ token: dead })))).toMatchObject({
      code,
      status,
      details: [{ "@type": "type.googleapis.com/google.firebase.fcm.v1.FcmError", errorCode }]
    })
  })

  it("denies another project and does not know other paths", async () => {
    const denied = await errorOf(send(message(), { ":path": "/v1/projects/other/messages:send" }))
    expect([denied.code, denied.status]).toEqual([403, "PERMISSION_DENIED"])
    expect((await send(message(), { ":path": "/fcm/send" })).status).toBe(404)
  })

  it("throttles, fails and resets as told, in Google's shape", async () => {
    fcm.control.set(
      { do: "throttle", retryAfter: 5, first: 1 },
      { do: "refuse", status: 503, first: 1 },
      { do: "refuse", status: 403, reason: "SENDER_ID_MISMATCH", first: 1 },
      { do: "reset", first: 1 }
    )
    const throttled = await send()
    expect(throttled.headers["retry-after"]).toBe("5")
    expect(JSON.parse(throttled.body)).toMatchObject({
      error: { code: 429, status: "RESOURCE_EXHAUSTED", details: [{ errorCode: "QUOTA_EXCEEDED" }] }
    })
    expect(await errorOf(send())).toMatchObject({ status: "UNAVAILABLE", details: [{ errorCode: "UNAVAILABLE" }] })
    expect(await errorOf(send())).toMatchObject({ code: 403, details: [{ errorCode: "SENDER_ID_MISMATCH" }] })
    expect(await endedWith(send())).toBe(7)
    expect((await send()).status).toBe(200)
    expect(fcm.stats().accepted).toBe(1)
  })
})
