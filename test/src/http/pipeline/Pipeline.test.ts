import { once } from "node:events"
import type { IncomingMessage } from "node:http"
import { request as httpRequest } from "node:http"
import { connect } from "node:net"
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest"
import { closed } from "../../../Sockets.ts"
import type { TestServer } from "../TestServer.ts"
import { BODY_LIMIT, startServer } from "../TestServer.ts"

let server: TestServer
beforeAll(async () => {
  server = await startServer()
})
afterAll(() => server.stop())

const PATH = "/api/v1/public/devices"
const DEVICE = '{"token":"abababababababab","platform":"ios"}'
const post = (raw: string | Uint8Array<ArrayBuffer>, headers: Record<string, string> = {}) =>
  server.call("POST", PATH, { key: server.ours.publicKey, raw, headers })

/** Sends bytes as they are and reads until the server closes. */
const rawExchange = async (text: string): Promise<string> => {
  const socket = connect(server.port, "127.0.0.1")
  socket.write(text)
  let answer = ""
  socket.on("data", (chunk: Buffer) => (answer += chunk.toString()))
  await closed(socket)
  return answer
}

describe("a whole number that no double holds", () => {
  const contact = (id: string) =>
    server.call("POST", "/api/v1/contacts", {
      key: server.ours.secretKey,
      raw: `{"external_id":"numbers","attributes":{"list":[{"id":${id}}]}}`
    })

  it.each([
    "9007199254740993",
    "-9007199254740993",
    "1234567890123456789",
    "12345678901234567890123",
    // However it is written.
    "9007199254740993.0",
    "9007199254740993e0",
    "9.007199254740993E15",
    "0.9007199254740993e+16",
    "-12345678901234567890.123",
    `${"12".repeat(60)}.0`,
    // Doubles, which are written with other digits when they are read: ids of a service whose last bits are zeros.
    "1541815603606036480",
    "-1541815603606036480",
    "18446744073709551616",
    "36028797018963968",
    `${2n ** 1000n}`
  ])("is refused by name, and not changed: %s", async (id) => {
    const answer = await contact(id)
    expect(answer.status).toBe(400)
    expect(answer.json.error.details).toEqual([
      {
        field: "attributes.list[0].id",
        message: "is a number beyond 2^53, which would be changed; send it as a text"
      }
    ])
  })

  it("is named by its place, not by that of one which is as large as it would be", async () => {
    const { json } = await server.call("POST", "/api/v1/contacts", {
      key: server.ours.secretKey,
      raw: '{"external_id":"numbers","attributes":{"fine":9007199254740992,"wrong":9007199254740993}}'
    })
    expect(json.error.details.map(({ field }: { field: string }) => field)).toEqual(["attributes.wrong"])
  })

  it.each([
    "1234567890123456789",
    "[1234567890123456789]",
    "[0,\n\t-1234567890123456789 ]",
    '{"a": 1234567890123456789}',
    '["a \\\\", 1234567890123456789]',
    '["\\"", "\\\\\\"", -1234567890123456789]',
    "[1.5e3,1234567890123456789]"
  ])("is found wherever a number can be: %j", async (value) => {
    const answer = await contact(value)
    expect(answer.status).toBe(400)
    expect(answer.json.error.details[0].message).toContain("beyond 2^53")
  })

  it.each([
    "9007199254740991",
    "9007199254740992",
    "9007199254740992.000",
    "1234567890123456800",
    // As C writes a double, with 17 digits.
    "9.9999999999999992e22",
    "3.6028797018963968e+16",
    "1e300",
    "0.1234567890123456789",
    "1234567.1234567890123456789e-2",
    "1e21"
  ])("is taken where it stays what it is: %s", async (id) => {
    const { json, status } = await contact(id)
    expect(status).toBeLessThan(300)
    const kept = await server.call("GET", `/api/v1/contacts/${json.id}`, { key: server.ours.secretKey })
    expect(kept.json.attributes).toEqual({ list: [{ id: Number(id) }] })
  })

  it.each([
    '"1234567890123456789"',
    '"a\\", 1234567890123456789, \\""',
    '[1234567890123456, "[\\\\\\":1234567890123456789,"]',
    '{"a, 1234567890123456789": 1234567890123456}'
  ])("is no text that looks like one: %s", async (value) => {
    expect((await contact(value)).status).toBeLessThan(300)
  })

  const mutate = (attributes: string, variables?: string) =>
    server.call("POST", "/api/graphql", {
      key: server.ours.secretKey,
      raw: `{"query":${JSON.stringify(
        `mutation${variables === undefined ? "" : "($n: JSON)"} { upsertContact(appId: "${server.ours.appId}", input: { externalId: "numbers", attributes: ${attributes} }) { id } }`
      )}${variables === undefined ? "" : `,"variables":${variables}`}}`
    })

  it.each(["9007199254740993", "-9007199254740993", "9007199254740993.0", "9.007199254740993e15"])(
    "is refused in GraphQL as well, in a query and in its variables: %s",
    async (id) => {
      for (const answer of [
        await mutate(`{ list: [0, { id: ${id} }] }`),
        await mutate("$n", `{"n":{"list":[0,{"id":${id}}]}}`)
      ]) {
        expect(answer.status).toBe(400)
        const { details } = answer.json.errors[0].extensions
        expect(details).toEqual([
          {
            field: expect.stringMatching(/^(input\.attributes|variables\.n)\.list\[1\]\.id$/),
            message: "is a number beyond 2^53, which would be changed; send it as a text"
          }
        ])
      }
    }
  )

  it("is refused once where GraphQL wants another type", async () => {
    const { json } = await server.call("POST", "/api/graphql", {
      key: server.ours.secretKey,
      body: {
        query: `{ contacts(appId: "${server.ours.appId}", first: 9007199254740993) { nodes { id } } }`
      }
    })
    expect(json.errors).toEqual([expect.objectContaining({ message: expect.stringContaining("Int") })])
  })

  it.each(["9007199254740992", "1e21", "1e300"])("is taken by GraphQL where it stays what it is: %s", async (id) => {
    for (const answer of [await mutate(`{ id: ${id} }`), await mutate("$n", `{"n":{"id":${id}}}`)]) {
      const path = `/api/v1/contacts/${answer.json.data.upsertContact.id}`
      const kept = await server.call("GET", path, { key: server.ours.secretKey })
      expect(kept.json.attributes).toEqual({ id: Number(id) })
    }
  })
})

describe("the body", () => {
  it.each([
    ["nothing", "", "is empty"],
    ["text that is no JSON", "hello", "is not valid JSON"],
    ["JSON that is cut short", '{"token":"abc', "is not valid JSON"],
    ["two values", `${DEVICE}${DEVICE}`, "is not valid JSON at position"],
    ["a NaN", '{"token":NaN}', "is not valid JSON"]
  ])("is refused when it is %s", async (_, raw, message) => {
    const answer = await post(raw)
    expect(answer.status).toBe(400)
    expect(answer.json.error.details).toEqual([{ field: "body", message: expect.stringContaining(message) }])
  })

  it("never comes back in an error, whatever it holds", async () => {
    const secret = "sk_very_secret_value"
    for (const raw of [`{"token":"${secret}`, `{"token":"${secret}","platform":"${secret}","user_id":["${secret}"]}`]) {
      const answer = await post(raw)
      expect(answer.status).toBe(400)
      expect(answer.text).not.toContain(secret)
    }
  })

  it("is refused when it is not UTF-8", async () => {
    const answer = await post(
      new Uint8Array(Buffer.from('{"token":"abababababababab","platform":"ios\xff"}', "latin1"))
    )
    expect(answer.json.error.details).toEqual([{ field: "body", message: "must be UTF-8" }])
  })

  it("is refused when it holds characters that no database text can hold", async () => {
    for (const text of ["a\\u0000b", "a\\ud800b"]) {
      const answer = await post(`{"token":"abababababababab","platform":"ios","tags":["x","${text}"]}`)
      expect(answer.status).toBe(400)
      expect(answer.json.error.details[0].field).toBe("tags[1]")
    }
    expect((await post('{"token":"abababababababab","platform":"ios","tags":["\\ud83d\\ude00"]}')).status).toBe(201)
  })

  it("is refused when it is nested too deeply, however deep", async () => {
    for (const depth of [32, 30_000]) {
      const raw = `{"token":"abababababababab","platform":"ios","metadata":{"a":${"[".repeat(depth)}1234567890123456${"]".repeat(depth)}}}`
      const answer = await post(raw)
      expect(answer.status).toBe(400)
      expect(answer.json.error.details[0].message).toContain("nested deeper than 32")
    }
    const raw = `{"token":"abababababababab","platform":"ios","metadata":{"a":${"[".repeat(30)}${"]".repeat(30)}}}`
    expect((await post(raw)).status).toBe(201)
  })

  it("cannot reach a prototype", async () => {
    for (const raw of [
      '{"token":"abababababababab","platform":"ios","__proto__":{"polluted":1}}',
      '{"token":"abababababababab","platform":"ios","metadata":{"a":{"__proto__":{"polluted":1}}}}',
      '{"token":"abababababababab","platform":"ios","metadata":{"\\u005f_proto__":{"polluted":1}}}'
    ]) {
      const answer = await post(raw)
      expect(answer.status).toBe(400)
      expect(answer.json.error.details[0].field).toContain("__proto__")
    }
    expect(({} as Record<string, unknown>)["polluted"]).toBeUndefined()
    expect(
      (await post('{"token":"abababababababab","platform":"ios","metadata":{"constructor":{"prototype":1}}}')).status
    ).toBe(201)
  })

  it("is refused over the limit, with its length announced and without", async () => {
    const raw = `{"token":"${"a".repeat(BODY_LIMIT)}","platform":"ios"}`
    const answer = await post(raw)
    expect(answer.status).toBe(413)
    expect(answer.json.error.code).toBe("payload_too_large")

    const chunked = httpRequest({
      port: server.port,
      method: "POST",
      path: PATH,
      headers: { authorization: `Public ${server.ours.publicKey}`, "content-type": "application/json" }
    })
    chunked.on("error", () => {})
    const answered = once(chunked, "response")
    for (let i = 0; i < 4; i++) chunked.write("x".repeat(BODY_LIMIT / 2))
    const [response] = (await answered) as [IncomingMessage]
    expect(response.statusCode).toBe(413)
    chunked.destroy()
  })

  it("comes in any number of chunks", async () => {
    const request = httpRequest({
      port: server.port,
      method: "POST",
      path: PATH,
      headers: { authorization: `Public ${server.ours.publicKey}`, "content-type": "application/json" }
    })
    const answered = once(request, "response")
    for (const character of '{"token":"abababababababab","platform":"ios","tags":["ü"]}') request.write(character)
    request.end()
    const [response] = (await answered) as [IncomingMessage]
    expect(response.statusCode).toBe(201)
    response.resume()
  })

  it("is given up when the rest of it does not come", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] })
    try {
      const request = httpRequest({
        port: server.port,
        method: "POST",
        path: PATH,
        headers: {
          authorization: `Public ${server.ours.publicKey}`,
          "content-type": "application/json",
          "content-length": "100"
        }
      })
      request.on("error", () => {})
      const answered = once(request, "response") as Promise<[IncomingMessage]>
      request.write('{"token":')
      const responses: Array<IncomingMessage> = []
      void answered.then((answer) => responses.push(...answer))
      // Others than the body's have timers too, and before it, which wait for the database: time goes five times as fast.
      for (let last = performance.now(); responses.length === 0;) {
        const at = performance.now()
        vi.advanceTimersByTime((at - last) * 5)
        last = at
        await new Promise((resolve) => setImmediate(resolve))
      }
      expect(responses[0]!.statusCode).toBe(408)
      request.destroy()
    } finally {
      vi.useRealTimers()
    }
  })

  it("is sent by a client that waits for 100 Continue", async () => {
    const answer = await rawExchange(
      `POST ${PATH} HTTP/1.1\r\nHost: a\r\nConnection: close\r\nAuthorization: Public ${server.ours.publicKey}\r\n` +
        `Content-Type: application/json\r\nContent-Length: ${DEVICE.length}\r\nExpect: 100-continue\r\n\r\n${DEVICE}`
    )
    expect(answer).toContain("HTTP/1.1 100 Continue")
    expect(answer).toContain("HTTP/1.1 201 Created")
  })

  it.each([
    ["no content type", { "content-type": "" }],
    ["a form", { "content-type": "application/x-www-form-urlencoded" }],
    ["another JSON type", { "content-type": "application/merge-patch+json" }],
    ["a compressed body", { "content-encoding": "gzip" }]
  ])("is refused as %s", async (_, headers) => {
    const answer = await post(DEVICE, headers as unknown as Record<string, string>)
    expect(answer.status).toBe(415)
    expect(answer.json.error.code).toBe("unsupported_media_type")
  })

  it("may name a charset", async () => {
    expect((await post(DEVICE, { "content-type": "Application/JSON; charset=utf-8" })).status).toBe(201)
  })

  it("gets at most twenty details, and how many there are at least", async () => {
    const { json } = await server.call("POST", "/api/v1/notifications", {
      key: server.ours.secretKey,
      body: { to: { device_ids: Array.from({ length: 200 }, () => "no-uuid") }, content: { title: "x" } }
    })
    expect(json.error.details.length).toBe(20)
    expect(json.error.details[19].field).toBe("to.device_ids[19]")
    expect(json.error.message).toContain("and at least 19 more")
  })

  it("gets its long field names cut", async () => {
    const answer = await post(`{"token":"abababababababab","platform":"ios","${"k".repeat(5000)}":1}`)
    expect(answer.status).toBe(400)
    expect(answer.text.length).toBeLessThan(1000)
  })
})

describe("keys", () => {
  const endpoint = (authorization: string | undefined, path = "/api/v1/devices") =>
    server.call("GET", path, { headers: authorization === undefined ? {} : { authorization } })

  it.each([
    ["is missing", () => undefined],
    ["is empty", () => ""],
    ["is a scheme alone", () => "ApiKey"],
    ["is a key alone", () => server.ours.secretKey],
    ["is garbled", () => "ApiKey not-a-key"],
    [
      "has a wrong checksum",
      () => `ApiKey ${server.ours.secretKey.slice(0, -1)}${server.ours.secretKey.endsWith("A") ? "B" : "A"}`
    ],
    ["is unknown", () => `ApiKey ${server.keys.generate("secret")}`],
    ["is a secret key under another scheme word", () => `Bearer ${server.ours.secretKey}`],
    ["is a secret key as a public one", () => `Public ${server.ours.secretKey}`],
    ["is basic authentication", () => "Basic dXNlcjpwYXNz"]
  ])("answers 401 when the Authorization header %s", async (_, authorization) => {
    const answer = await endpoint(authorization())
    expect(answer.status).toBe(401)
    expect(answer.json.error.code).toBe("unauthorized")
    expect(answer.headers.get("www-authenticate")).toContain("ApiKey")
    expect(answer.text).not.toContain(server.ours.secretKey)
  })

  it("names the header it wants", async () => {
    expect((await endpoint(undefined)).json.error.message).toContain("Authorization: ApiKey sk_")
    const onPublic = await server.call("POST", PATH, { raw: DEVICE })
    expect(onPublic.status).toBe(401)
    expect(onPublic.json.error.message).toContain("Authorization: Public pk_")
  })

  it("answers 403 to a public key on every other endpoint, under any scheme word", async () => {
    const secretRoutes = Object.entries(server.document.paths).flatMap(([path, methods]) =>
      Object.entries(methods)
        .filter(([, { security }]) => security.length === 1 && "secretKey" in security[0]!)
        .map(([method]) => [method.toUpperCase(), path.replace("{id}", crypto.randomUUID())] as const)
    )
    expect(secretRoutes.length).toBeGreaterThan(20)
    for (const [method, path] of secretRoutes) {
      for (const scheme of ["Public", "ApiKey", "Bearer", "apikey"]) {
        const answer = await server.call(method, path, {
          headers: { authorization: `${scheme} ${server.ours.publicKey}` }
        })
        expect(answer.status, `${scheme} ${method} ${path}`).toBe(403)
        expect(answer.json.error.code).toBe("forbidden")
      }
    }
  })

  it("answers 401 on every endpoint that wants a key and gets none", async () => {
    for (const [path, methods] of Object.entries(server.document.paths)) {
      for (const [method, { security }] of Object.entries(methods)) {
        if (security.length === 0) continue
        const answer = await server.call(method.toUpperCase(), path.replace("{id}", crypto.randomUUID()))
        expect(answer.status, `${method} ${path}`).toBe(401)
      }
    }
  })

  it("takes either key on the public surface, with scheme words in any case", async () => {
    for (const authorization of [
      `Public ${server.ours.publicKey}`,
      `public ${server.ours.publicKey}`,
      `ApiKey ${server.ours.publicKey}`,
      `APIKEY ${server.ours.secretKey}`
    ]) {
      expect((await server.call("POST", PATH, { raw: DEVICE, headers: { authorization } })).status).toBe(201)
    }
  })

  it("asks the database for no key whose checksum is wrong", async () => {
    const before = server.outage.count("ApplicationStore.findKey")
    await endpoint("ApiKey sk_000000000000000000000000000000AA")
    expect(server.outage.count("ApplicationStore.findKey")).toBe(before)
  })
})

describe("when something fails", () => {
  it("answers 503 with Retry-After while the database is down, and recovers", async () => {
    const key = server.ours.secretKey
    await server.call("GET", "/api/v1/devices", { key })
    server.outage.isDown = true
    try {
      for (const [method, path] of [
        ["GET", "/api/v1/devices"],
        ["GET", `/api/v1/notifications/${crypto.randomUUID()}`],
        ["GET", "/api/v1/webhooks"],
        ["GET", "/api/v1/channels"],
        ["GET", "/api/v1/credentials"]
      ] as const) {
        const answer = await server.call(method, path, { key })
        expect(answer.status).toBe(503)
        expect(answer.json.error.code).toBe("unavailable")
        expect(Number(answer.headers.get("retry-after"))).toBeGreaterThan(0)
        expect(answer.text).not.toContain("connection refused")
      }
    } finally {
      server.outage.isDown = false
    }
    expect((await server.call("GET", "/api/v1/devices", { key })).status).toBe(200)
  })

  it("answers 500 without a word about what broke", async () => {
    const answer = await server.call("GET", "/broken")
    expect(answer.status).toBe(500)
    expect(answer.json.error.code).toBe("internal_error")
    expect(answer.text).not.toContain("a secret of ours")
    const [line] = server.logs.filter((line) => line.includes("a secret of ours"))
    expect(line).toContain(answer.json.error.request_id)
    expect(line).toContain("/broken")
  })

  it("logs a refusal no more than a success", async () => {
    const before = server.logs.length
    await server.call("GET", "/api/v1/devices", { key: server.ours.secretKey })
    await server.call("GET", "/api/v1/devices")
    await server.call("GET", "/nothing")
    await post("{")
    expect(server.logs.length).toBe(before)
  })
})
