import { once } from "node:events"
import { connect } from "node:net"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { closed } from "../../../Sockets.ts"
import type { TestServer } from "../TestServer.ts"
import { startServer } from "../TestServer.ts"

let server: TestServer
beforeAll(async () => {
  server = await startServer()
})
afterAll(() => server.stop())

const rawExchange = async (text: string): Promise<string> => {
  const socket = connect(server.port, "127.0.0.1")
  socket.write(text)
  let answer = ""
  socket.on("data", (chunk: Buffer) => (answer += chunk.toString()))
  await closed(socket)
  return answer
}

/** Other ways to write a path, which frameworks and proxies take for the same. */
const aliasesOf = (path: string) => {
  const last = path.at(-1)!
  const [, first, rest] = /^\/([^/]+)(.*)$/.exec(path) ?? []
  if (first === undefined) return ["//", "/;x", "/;", "/.", "/..", "/%2F", "/%00", "/./", "/a/.."]
  return [
    `${path}/`,
    `${path};x`,
    `${path};`,
    `${path}/;x`,
    `${path}//`,
    `${path}/.`,
    `${path}/..`,
    `/${path}`,
    `/.${path}`,
    `/a/..${path}`,
    `/${first}/${rest}`,
    `${path.slice(0, -1)}%${last.charCodeAt(0).toString(16)}`,
    `/%${first.charCodeAt(0).toString(16)}${path.slice(2)}`,
    `${path}%2F`,
    `${path}%3Fa`,
    `${path}%00`,
    path.toUpperCase()
  ].filter((alias) => alias !== path)
}

describe("a connection", () => {
  it("goes on behind a request that asks for another protocol, as Java's client does with each", async () => {
    const asking = "Connection: Upgrade, HTTP2-Settings\r\nHTTP2-Settings: AAEAAEAAAAIAAAAAAAMAAAAA\r\nUpgrade: h2c\r\n"
    const head = `GET /api/v1/contacts HTTP/1.1\r\nHost: a\r\nAuthorization: ApiKey ${server.ours.secretKey}\r\n`
    const socket = connect(server.port, "127.0.0.1")
    let answers = ""
    for (let n = 1; n <= 3; n++) {
      socket.write(`${head}${asking}\r\n`)
      while (answers.split("HTTP/1.1 200 OK").length <= n) {
        const [chunk] = (await once(socket, "data")) as [Buffer]
        answers += chunk.toString()
      }
    }
    socket.write(`${head}Connection: close\r\n\r\n`)
    socket.on("data", (chunk: Buffer) => (answers += chunk.toString()))
    await closed(socket)
    expect(answers.split("HTTP/1.1 200 OK")).toHaveLength(5)
    expect(answers.match(/Connection: close/gi)).toHaveLength(1)
  })

  it("has no way past the door by such a request", async () => {
    const answer = await rawExchange("GET /healthz HTTP/1.1\r\nConnection: Upgrade, close\r\nUpgrade: h2c\r\n\r\n")
    expect(answer).toMatch(/^HTTP\/1\.1 400 /)
  })
})

describe("paths", () => {
  it("are matched exactly: nothing answers under another name", async () => {
    const key = server.ours.secretKey
    const places = Object.keys(server.document.paths).map(
      (template) => new RegExp(`^${template.replace(/\{[^}]+\}/g, "[^/?#;]+")}$`)
    )
    for (const [template, methods] of Object.entries(server.document.paths)) {
      const path = template.replace(/\{[^}]+\}/g, crypto.randomUUID())
      // `/devices/impor%74` is no other name of `/devices/import`: it names a device, though none that could be there.
      for (const alias of aliasesOf(path).filter((other) => !places.some((place) => place.test(other)))) {
        for (const method of Object.keys(methods)) {
          const answer = await rawExchange(
            `${method.toUpperCase()} ${alias} HTTP/1.1\r\nHost: a\r\nConnection: close\r\nAuthorization: ApiKey ${key}\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n{}`
          )
          expect(answer, `${method} ${alias}`).toMatch(/^HTTP\/1\.1 404 /)
          expect(answer, `${method} ${alias}`).toContain('"not_found"')
        }
      }
    }
  })

  it("are none with an origin in front", async () => {
    for (const origin of ["http://evil.example", `http://127.0.0.1:${server.port}`, "https://a"]) {
      for (const target of ["/metrics", "/healthz", "/", "/api/v1/devices", "", "/metrics?a"]) {
        const answer = await rawExchange(`GET ${origin}${target} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`)
        expect(answer, origin + target).toMatch(/^HTTP\/1\.1 404 /)
      }
    }
  })

  it("may have any query, and `?` alone", async () => {
    for (const path of ["/healthz?", "/healthz?a=b;c/d", "/healthz?%00"]) {
      expect((await server.call("GET", path)).status).toBe(200)
    }
  })
})

describe("paths and methods", () => {
  it.each(["/api", "/api/v1/nothing", "/API/V1/DEVICES", "/api/v2/devices", "//api/v1/devices", "/api/v1/devices/a/b"])(
    "answers 404 for %s",
    async (path) => {
      const answer = await server.call("GET", path, { key: server.ours.secretKey })
      expect(answer.status).toBe(404)
      expect(answer.json.error.code).toBe("not_found")
    }
  )

  it("answers people who open an address in a browser with a page that says what is wrong, and programs as ever", async () => {
    const accept = "text/html,application/xhtml+xml,*/*;q=0.8"
    const of = (path: string, headers: Record<string, string>, method = "GET") =>
      fetch(server.baseUrl + path, { method, headers })
    for (const path of ["/apps/x/nosuch", "/nosuch?<script>", "/c/a/b", `/u/${"a".repeat(20)}`]) {
      const page = await of(path, { accept })
      const text = await page.text()
      expect([page.status, page.headers.get("content-type")]).toEqual([404, "text/html; charset=utf-8"])
      expect(page.headers.get("content-security-policy")).toContain("default-src 'none'")
      expect(text).toContain(path.startsWith("/c/") || path.startsWith("/u/") ? "This link is not" : "nothing at this")
      expect(text).not.toContain("<script")
      for (const other of [of(path, {}), of(path, { accept }, "POST")]) {
        expect((await other).headers.get("content-type")).toMatch(/^application\/json/)
      }
    }
    const api = await of("/api/v1/nosuch", { accept })
    expect([api.status, ((await api.json()) as any).error.code]).toEqual([404, "not_found"])
  })

  it.each(["not-a-uuid", "123", "%zz", "a".repeat(500), "%00"])("answers 404 for the id %s", async (id) => {
    const answer = await server.call("GET", `/api/v1/devices/${id}`, { key: server.ours.secretKey })
    expect(answer.status).toBe(404)
  })

  it("answers 405 with Allow for a method that a path does not have", async () => {
    const answer = await server.call("PUT", "/api/v1/devices", { key: server.ours.secretKey })
    expect(answer.status).toBe(405)
    expect(answer.json.error.code).toBe("method_not_allowed")
    expect(answer.headers.get("allow")).toBe("GET, HEAD")
    const other = await server.call("POST", `/api/v1/webhooks/${crypto.randomUUID()}`, { key: server.ours.secretKey })
    expect(other.headers.get("allow")).toBe("GET, HEAD, PATCH, DELETE")
  })

  it("answers methods that nobody heard of", async () => {
    const answer = await rawExchange("PROPFIND /api/v1/devices HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
    expect(answer).toContain("HTTP/1.1 405 ")
    expect(answer).toContain('"method_not_allowed"')
  })

  it("answers HEAD like GET, without a body", async () => {
    const answer = await server.call("HEAD", "/healthz")
    expect(answer.status).toBe(200)
    expect(answer.text).toBe("")
  })

  it("answers what is not HTTP in the form of all errors", async () => {
    const answer = await rawExchange("NONSENSE\r\n\r\n")
    expect(answer).toContain("HTTP/1.1 400 ")
    expect(JSON.parse(answer.slice(answer.indexOf("{"))).error.code).toBe("validation_error")
    const large = await rawExchange(`GET / HTTP/1.1\r\nHost: a\r\nX: ${"x".repeat(100_000)}\r\n\r\n`)
    expect(large).toContain("HTTP/1.1 431 ")
    expect(JSON.parse(large.slice(large.indexOf("{"))).error.code).toBe("payload_too_large")
  })

  it.each([
    ["a request of HTTP/1.1 without a Host", "GET /healthz HTTP/1.1\r\n\r\n", 400],
    ["one on the fast path", "POST /api/v1/events HTTP/1.1\r\nContent-Length: 2\r\n\r\n{}", 400],
    [
      "another coding than chunked",
      "GET /healthz HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n",
      501
    ],
    ["an expectation that nobody meets", "GET /healthz HTTP/1.1\r\nHost: a\r\nExpect: cake\r\n\r\n", 417]
  ])("refuses %s in the form of all errors, with the headers of all answers", async (_, text, status) => {
    const answer = await rawExchange(text)
    expect(answer).toContain(`HTTP/1.1 ${status} `)
    for (const name of ["x-request-id", "x-ratelimit-limit", "x-ratelimit-remaining", "x-ratelimit-reset"])
      expect(answer).toMatch(new RegExp(`^${name}: \\S+\r$`, "im"))
    expect(JSON.parse(answer.slice(answer.indexOf("{"))).error.code).toBe("validation_error")
  })

  it.each(["Host", "Authorization", "Content-Type", "Idempotency-Key", "X-Identity-Hash"])(
    "refuses a second %s, of which a proxy may have heeded the other, and does nothing",
    async (name) => {
      const token = `${crypto.randomUUID()}`.replaceAll("-", "")
      const fields = [
        "Host: a",
        `Authorization: ApiKey ${server.ours.publicKey}`,
        "Content-Type: application/json",
        "Idempotency-Key: once",
        "X-Identity-Hash: 0",
        "Connection: close"
      ]
      const again = fields.find((field) => field.startsWith(`${name}:`))!
      const body = JSON.stringify({ token, platform: "ios" })
      const send = (path: string, more: ReadonlyArray<string>) =>
        rawExchange(
          `POST ${path} HTTP/1.1\r\n${[...fields, ...more].join("\r\n")}\r\nContent-Length: ${body.length}\r\n\r\n${body}`
        )
      for (const path of ["/api/v1/public/devices", "/api/v1/public/devices?"]) {
        for (const other of [again, again.toLowerCase(), `${name}: b`]) {
          const answer = await send(path, [other])
          expect(answer, other).toMatch(/^HTTP\/1\.1 400 /)
          expect(JSON.parse(answer.slice(answer.indexOf("{"))).error).toMatchObject({
            code: "validation_error",
            message: `The header ${name.toLowerCase()} came more than once. Send it once.`
          })
        }
      }
      // Created, and not known already.
      expect(await send("/api/v1/public/devices", [])).toMatch(/^HTTP\/1\.1 201 /)
    }
  )

  it("answers CONNECT, which opens no way to anywhere, and closes", async () => {
    const answer = await rawExchange("CONNECT example.com:443 HTTP/1.1\r\nHost: example.com:443\r\n\r\n")
    expect(answer).toContain("HTTP/1.1 405 ")
    for (const name of ["x-request-id", "x-ratelimit-limit", "x-ratelimit-remaining", "x-ratelimit-reset", "allow"])
      expect(answer).toMatch(new RegExp(`^${name}: [^\r]+\r$`, "im"))
    expect(answer).toMatch(/^connection: close\r$/im)
    expect(JSON.parse(answer.slice(answer.indexOf("{"))).error.code).toBe("method_not_allowed")
  })

  it("needs no Host of clients that speak HTTP/1.0", async () => {
    expect(await rawExchange("GET /healthz HTTP/1.0\r\n\r\n")).toContain("HTTP/1.1 200 ")
  })

  it("keeps a connection through refusals", async () => {
    const request = (path: string, end = "") => `GET ${path} HTTP/1.1\r\nHost: a\r\n${end}\r\n`
    const answer = await rawExchange(
      request("/nothing") + request("/api/v1/devices") + request("/healthz", "Connection: close\r\n")
    )
    expect(answer.match(/HTTP\/1\.1 \d+/g)).toEqual(["HTTP/1.1 404", "HTTP/1.1 401", "HTTP/1.1 200"])
  })
})

describe("CORS", () => {
  const isOpenTo = (headers: Headers) => headers.get("access-control-allow-origin")

  it("answers any origin on public paths, errors included, and never with credentials", async () => {
    const key = server.ours.publicKey
    const headers = { origin: "https://shop.example" }
    const body = { token: "abababababababab", platform: "ios" }
    const answers = [
      await server.call("POST", "/api/v1/public/devices", { key, body, headers }),
      await server.call("POST", "/api/v1/public/devices", { key, body: {}, headers }),
      await server.call("POST", "/api/v1/public/devices", { body, headers }),
      await server.call("PUT", "/api/v1/public/devices", { key, headers }),
      await server.call("GET", `/api/v1/public/apps/${server.theirs.appId}/vapid`, { key, headers })
    ]
    expect(answers.map(({ status }) => status)).toEqual([201, 400, 401, 405, 401])
    for (const answer of answers) {
      expect(isOpenTo(answer.headers)).toBe("*")
      expect(answer.headers.get("access-control-allow-credentials")).toBeNull()
      expect(answer.headers.get("access-control-expose-headers")).toContain("X-Request-Id")
    }
  })

  it("answers a browser's preflight without a key", async () => {
    const answer = await server.call("OPTIONS", "/api/v1/public/devices", {
      headers: {
        origin: "https://shop.example",
        "access-control-request-method": "POST",
        "access-control-request-headers": "authorization,content-type,x-identity-hash"
      }
    })
    expect(answer.status).toBe(204)
    expect(isOpenTo(answer.headers)).toBe("*")
    expect(answer.headers.get("access-control-allow-methods")).toBe("POST, DELETE")
    const allowed = answer.headers.get("access-control-allow-headers")!.toLowerCase()
    for (const name of ["authorization", "content-type", "x-identity-hash"]) expect(allowed).toContain(name)
  })

  it("opens no other path", async () => {
    const headers = { origin: "https://shop.example", "access-control-request-method": "GET" }
    const answers = [
      await server.call("GET", "/api/v1/devices", { key: server.ours.secretKey, headers }),
      await server.call("GET", "/api/v1/devices", { headers }),
      await server.call("OPTIONS", "/api/v1/devices", { headers }),
      await server.call("GET", "/healthz", { headers }),
      await server.call("GET", "/nothing", { headers })
    ]
    expect(answers.map(({ status }) => status)).toEqual([200, 401, 405, 200, 404])
    for (const answer of answers) expect(isOpenTo(answer.headers)).toBeNull()
  })
})
