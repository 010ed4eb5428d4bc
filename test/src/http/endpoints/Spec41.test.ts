import { createHmac } from "node:crypto"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { uuidv7 } from "../../../../services/ports/NewId.ts"
import { follow } from "../EventReader.ts"
import type { TestServer } from "../TestServer.ts"
import { startServer } from "../TestServer.ts"

/*
 * Spec 4.1, row by row: events, track and the inbox, with what holds for all of them.
 */

let server: TestServer
const USER = "user-42"
let messageId = ""
let ids = { notification_id: "", device_id: "" }

beforeAll(async () => {
  server = await startServer()
  ids = await server.makeDelivery(server.ours)
  const { secretKey } = server.ours
  const body = { user_ids: [USER], title: "Hello" }
  expect((await server.call("POST", "/api/v1/inbox/messages", { key: secretKey, body })).status).toBe(201)
  messageId = (await server.call("GET", `/api/v1/public/inbox?user_id=${USER}`, { key: secretKey })).json.data[0].id
})
afterAll(() => server.stop())

interface Row {
  readonly method: "GET" | "POST"
  readonly path: () => string
  readonly body?: () => unknown
  readonly status: number
  /** Of the answer's body. */
  readonly fields: ReadonlyArray<string>
  readonly isOfUser: boolean
}

const accepted = { status: 202, fields: ["accepted"], isOfUser: false } as const
const ofUser = { status: 200, isOfUser: true } as const

const ROWS: ReadonlyArray<readonly [name: string, row: Row]> = [
  [
    "POST /events delivered",
    { method: "POST", path: () => "/api/v1/events", body: () => ({ type: "delivered", ...ids }), ...accepted }
  ],
  [
    "POST /events opened",
    { method: "POST", path: () => "/api/v1/events", body: () => ({ type: "opened", ...ids }), ...accepted }
  ],
  [
    "POST /events clicked",
    { method: "POST", path: () => "/api/v1/events", body: () => ({ type: "clicked", ...ids }), ...accepted }
  ],
  ["POST /track", { method: "POST", path: () => "/api/v1/track", body: () => ids, ...accepted }],
  [
    "GET /public/inbox",
    { method: "GET", path: () => "/api/v1/public/inbox", fields: ["data", "next_cursor"], ...ofUser }
  ],
  [
    "GET /public/inbox/unread_count",
    { method: "GET", path: () => "/api/v1/public/inbox/unread_count", fields: ["unread_count"], ...ofUser }
  ],
  [
    "POST /public/inbox/:id/read",
    {
      method: "POST",
      path: () => `/api/v1/public/inbox/${messageId}/read`,
      fields: ["body", "created_at", "data", "id", "read_at", "title", "url"],
      ...ofUser
    }
  ],
  [
    "POST /public/inbox/read_all",
    { method: "POST", path: () => "/api/v1/public/inbox/read_all", fields: ["read"], ...ofUser }
  ]
]

const hashOf = (user: string): string => createHmac("sha256", server.ours.identitySecret).update(user).digest("hex")

/** Asks as a client with the public key does; `over` changes the request's headers. */
const ask = ({ body, isOfUser, method, path }: Row, over: Record<string, string> = {}) => {
  const headers = {
    authorization: `Public ${server.ours.publicKey}`,
    ...(isOfUser ? { "x-identity-hash": hashOf(USER) } : {}),
    ...over
  }
  return server.call(method, isOfUser ? `${path()}?user_id=${USER}` : path(), {
    headers,
    ...(body === undefined ? {} : { body: body() })
  })
}

describe.each(ROWS)("spec 4.1, %s", (_, row) => {
  it("answers the public key with the status and the fields that are said, again and again", async () => {
    for (const _ of [1, 2]) {
      const answer = await ask(row)
      expect(answer.status, answer.text).toBe(row.status)
      expect(Object.keys(answer.json).toSorted()).toEqual(row.fields)
    }
  })

  it("takes a public key under any scheme word, a secret key as ApiKey, and nothing else", async () => {
    const { publicKey, secretKey } = server.ours
    for (const word of ["Public", "ApiKey", "Bearer", "public"]) {
      expect((await ask(row, { authorization: `${word} ${publicKey}` })).status).toBe(row.status)
    }
    expect((await ask(row, { authorization: `ApiKey ${secretKey}` })).status).toBe(row.status)
    for (const authorization of ["", "Public", `Public ${publicKey}x`, `Public ${server.keys.generate("public")}`]) {
      const answer = await ask(row, { authorization })
      expect([answer.status, answer.json.error.code]).toEqual([401, "unauthorized"])
    }
  })

  it("answers any origin, also when it refuses", async () => {
    for (const over of [{}, { authorization: "Public nothing" }]) {
      const answer = await ask(row, { origin: "https://shop.example", ...over })
      expect(answer.headers.get("access-control-allow-origin")).toBe("*")
      expect(answer.headers.has("access-control-allow-credentials")).toBe(false)
    }
    const preflight = await fetch(`${server.baseUrl}${row.path()}`, {
      method: "OPTIONS",
      headers: {
        origin: "https://shop.example",
        "access-control-request-method": row.method,
        "access-control-request-headers": "authorization,content-type,x-identity-hash"
      }
    })
    expect(preflight.status).toBe(204)
    expect(preflight.headers.get("access-control-allow-methods")).toContain(row.method)
    expect(preflight.headers.get("access-control-allow-headers")?.toLowerCase()).toContain("x-identity-hash")
  })

  it("knows nothing of another application's", async () => {
    const authorization = `Public ${server.theirs.publicKey}`
    const hash = createHmac("sha256", server.theirs.identitySecret).update(USER).digest("hex")
    const answer = await ask(row, { authorization, ...(row.isOfUser ? { "x-identity-hash": hash } : {}) })
    if (!row.isOfUser || row.path().includes(messageId)) return expect(answer.status).toBe(404)
    expect(
      [answer.json.data?.length, answer.json.unread_count, answer.json.read].filter((n) => n !== undefined)
    ).toEqual([0])
  })
})

describe.each(ROWS.filter(([, { isOfUser }]) => isOfUser))("spec 5.3, %s", (_, row) => {
  it("is for who proves to be the user", async () => {
    for (const hash of [undefined, "", "x", hashOf("user-4"), hashOf(USER).slice(1), `${hashOf(USER)}0`]) {
      const answer = await server.call(row.method, `${row.path()}?user_id=${USER}`, {
        headers: {
          authorization: `Public ${server.ours.publicKey}`,
          ...(hash === undefined ? {} : { "x-identity-hash": hash })
        }
      })
      expect([answer.status, answer.json.error.code]).toEqual([401, "identity_unverified"])
    }
    const nobody = await server.call(row.method, row.path(), {
      headers: { authorization: `Public ${server.ours.publicKey}`, "x-identity-hash": hashOf(USER) }
    })
    expect([nobody.status, nobody.json.error.code]).toEqual([400, "validation_error"])
  })
})

describe("the public key", () => {
  it("is forbidden everywhere else, under any scheme word", async () => {
    const secret = Object.entries(server.document.paths).flatMap(([path, operations]) =>
      Object.entries(operations)
        .filter(
          ([, { security }]) =>
            security.some((scheme) => "secretKey" in scheme) && security.every((scheme) => !("publicKey" in scheme))
        )
        .map(([method]) => ({ method: method.toUpperCase(), path: path.replace(/\{[^}]+\}/g, uuidv7()) }))
    )
    expect(secret.length).toBeGreaterThan(30)
    for (const { method, path } of secret) {
      for (const word of ["Public", "ApiKey", "Bearer"]) {
        const answer = await server.call(method, path, {
          headers: { authorization: `${word} ${server.ours.publicKey}` }
        })
        expect([method, path, answer.status, answer.json.error.code]).toEqual([method, path, 403, "forbidden"])
      }
    }
  })

  it("follows an inbox live by the same rules", async () => {
    const url = `${server.baseUrl}/api/v1/public/inbox/stream?user_id=${USER}`
    const headers = { authorization: `Public ${server.ours.publicKey}`, "x-identity-hash": hashOf(USER) }
    const reader = await follow(url, headers)
    await reader.until(() => reader.unread() !== undefined)
    reader.close()
    const { "x-identity-hash": _, ...unproven } = headers
    expect((await follow(url, unproven)).response.status).toBe(401)
  })
})
