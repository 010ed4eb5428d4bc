import { spawn } from "node:child_process"
import { randomUUID } from "node:crypto"
import { once } from "node:events"
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import type { IncomingMessage } from "node:http"
import { request } from "node:http"
import { connect } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { text } from "node:stream/consumers"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { Effect } from "effect"
import { SignIn } from "../../services/engine/people/SignIn.ts"
import { lastingPort } from "../Ports.ts"
import { program } from "../Programs.ts"
import { closed } from "../Sockets.ts"
import type { TestServer } from "./http/TestServer.ts"
import { startServer } from "./http/TestServer.ts"

/** The load balancer of docker-compose.yml: a real nginx with deploy/nginx.conf, in front of the API. */

const LIMIT = 5
let server: TestServer
let port: number
/** The same for a service that people reach over TLS, which ends before the balancer. */
let secure: TestServer
let securePort: number
const PUBLIC = "https://push.example.com"
const stops: Array<() => Promise<void>> = []

/** The same file, but for addresses, and for where nginx may write. */
const adapted = (text: string, folder: string, at: number, to: number): string => {
  const temporary = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map(
    (name) => `${name}_temp_path ${folder}/${name};`
  )
  return text
    .replace("http {", `http {\n  access_log off;\n  ${temporary.join("\n  ")}`)
    .replace(/listen 80;/, `listen 127.0.0.1:${at};`)
    .replaceAll(/server api\d:8080/g, `server 127.0.0.1:${to}`)
}

/** Starts the balancer in front of a server; answers its port. */
const balance = async (to: number): Promise<number> => {
  const folder = mkdtempSync(join(tmpdir(), "heliograph-balancer-"))
  const port = await Effect.runPromise(lastingPort)
  mkdirSync(join(folder, "logs"))
  const config = join(folder, "nginx.conf")
  const shipped = readFileSync(new URL("../../deploy/nginx.conf", import.meta.url), "utf8")
  writeFileSync(config, adapted(shipped, folder, port, to))
  const more = `daemon off; pid ${folder}/nginx.pid;${process.getuid?.() === 0 ? " user root;" : ""}`
  const errors = join(folder, "error.log")
  const nginx = spawn(program("nginx", "nginx-light"), ["-p", folder, "-c", config, "-e", errors, "-g", more], {
    stdio: ["ignore", "ignore", "pipe"]
  })
  stops.push(async () => {
    const ended = once(nginx, "exit")
    nginx.kill("SIGTERM")
    await ended
    rmSync(folder, { recursive: true, force: true })
  })
  let said = ""
  nginx.stderr!.on("data", (chunk) => (said += String(chunk)))
  const isUp = () =>
    new Promise<boolean>((resolve) => {
      const socket = connect(port, "127.0.0.1", () => {
        socket.destroy()
        resolve(true)
      }).on("error", () => resolve(false))
    })
  while (!(await isUp())) if (nginx.exitCode !== null) throw new Error(`nginx ended: ${said}`)
  return port
}

beforeAll(async () => {
  server = await startServer({
    // As compose does: the proxy's own address alone.
    trustedProxies: "127.0.0.1",
    importLimit: 2 ** 30,
    rateLimits: { anonymous: { requests: LIMIT, windowMs: 60_000 } }
  })
  stops.push(server.stop)
  port = await balance(server.port)
  secure = await startServer({ trustedProxies: "127.0.0.1", baseUrl: PUBLIC })
  stops.push(secure.stop)
  securePort = await balance(secure.port)
})

afterAll(async () => {
  for (const stop of stops.toReversed()) await stop()
})

const statusOf = async (target: string, headers: Record<string, string> = {}): Promise<number> => {
  // As it stands: fetch would take `..` out of it.
  const socket = connect(port, "127.0.0.1")
  const more = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`)
  socket.write(`GET ${target} HTTP/1.1\r\nHost: api\r\nConnection: close\r\n${more.join("")}\r\n`)
  let text = ""
  socket.setEncoding("utf8").on("data", (chunk: string) => (text += chunk))
  await closed(socket)
  return Number(/^HTTP\/1\.1 (\d+)/.exec(text)![1])
}

describe("the shipped load balancer", () => {
  it("hides the numbers of the nodes, under every name that the path could have", async () => {
    const paths = ["/metrics", "/metrics/", "/metrics;x", "/metrics?a=1", "/metrics/a", "/metricsx", "//metrics"]
    const aliases = ["/%6detrics", "/metrics%3Bx", "/./metrics", "/a/../metrics", "/metrics%2F", "/METRICS", "/readyz"]
    for (const path of [...paths, ...aliases]) {
      await server.sql`DELETE FROM rate_limits`
      expect([path, [404, 429].includes(await statusOf(path))]).toEqual([path, true])
    }
    expect(await statusOf("/healthz")).toBe(200)
  })

  it("is believed about its clients, and they are not: forged headers change nobody's budget", async () => {
    await server.sql`DELETE FROM rate_limits`
    const statuses: Array<number> = []
    for (let i = 0; i < 400; i++) {
      const forged = `198.51.${i >> 8}.${i & 255}`
      statuses.push(
        await statusOf("/nothing", {
          "x-forwarded-for": i % 2 === 0 ? forged : `${forged}, 127.0.0.1`,
          "x-real-ip": forged
        })
      )
    }
    expect(statuses.filter((status) => status === 404).length).toBeLessThanOrEqual(LIMIT)
    expect(statuses.filter((status) => status === 429).length).toBeGreaterThanOrEqual(400 - LIMIT)
    expect(await server.sql`SELECT key FROM rate_limits`).toEqual([{ key: "anonymous:127.0.0.1" }])
  })
})

describe("an import through the shipped load balancer", () => {
  it("comes whole, and is answered line by line when it has, however much it is", async () => {
    const lines = 20_000
    const asked = request({
      host: "127.0.0.1",
      port,
      method: "POST",
      path: "/api/v1/devices/import",
      headers: { authorization: `ApiKey ${server.ours.secretKey}`, "content-type": "application/x-ndjson" }
    })
    // Large lines: more of them than fits into the buffers on the way, of which nginx passes on no more once it is answered.
    const metadata = { note: "x".repeat(500) }
    const all = Array.from({ length: lines }, (_, i) =>
      JSON.stringify({ token: i.toString(16).padStart(64, "0"), platform: "ios", metadata })
    )
    asked.end(all.join("\n"))
    const [response] = (await once(asked, "response")) as [IncomingMessage]
    const answers = (await text(response)).trimEnd().split("\n")
    expect(answers).toHaveLength(lines)
    expect(answers.filter((line) => !line.includes('"created":true'))).toEqual([])
    expect(JSON.parse(answers.at(-1)!).line).toBe(lines)
  })
})

/** What Chromium, Firefox and Safari (16.4 and later) send with a `fetch` to the page's own origin, over TLS. */
const OVER_TLS = { "sec-fetch-site": "same-origin", "sec-fetch-mode": "cors", "sec-fetch-dest": "empty" }

interface Told {
  readonly status: number
  readonly json: any
}

/** A POST as a browser sends it: with the cookie of a session that has just begun, and these headers. */
const askAs = async (of: TestServer, port: number, headers: Readonly<Record<string, string>>): Promise<Told> => {
  const email = `${randomUUID()}@example.com`
  const { token } = await of.run(
    Effect.gen(function* () {
      const signIn = yield* SignIn
      const code = yield* signIn.codeForOperator(email, "sign_in")
      return yield* signIn.verifyCode(email, code, { device: null, userAgent: "" })
    })
  )
  const asked = request({
    host: "127.0.0.1",
    port,
    method: "POST",
    path: "/api/graphql",
    headers: { "content-type": "application/json", cookie: `service_session=${token}`, ...headers }
  })
  asked.end(JSON.stringify({ query: "{ me { email } }" }))
  const [response] = (await once(asked, "response")) as [IncomingMessage]
  const told = JSON.parse(await text(response))
  if (response.statusCode === 200) expect(told).toEqual({ data: { me: { email } } })
  return { status: response.statusCode!, json: told }
}

describe("a page of our own behind the shipped load balancer", () => {
  it("is known over TLS that ends before it, by what browsers say of it", async () => {
    const ours = { host: "push.example.com", origin: PUBLIC }
    expect((await askAs(secure, securePort, { ...ours, ...OVER_TLS })).status).toBe(200)
    // A service worker of ours, and a POST whose page says no more than that it is ours.
    expect((await askAs(secure, securePort, { host: ours.host, "sec-fetch-site": "same-origin" })).status).toBe(200)
  })

  it("is known where a browser, or plain HTTP, says no Sec-Fetch-Site: by the origin, with its port", async () => {
    // Safari before 16.4.
    expect((await askAs(secure, securePort, { host: "push.example.com", origin: PUBLIC })).status).toBe(200)
    // TLS on another port, which is not in BASE_URL.
    const other = { host: "push.example.com:8443", origin: `${PUBLIC}:8443` }
    expect((await askAs(secure, securePort, other)).status).toBe(200)
    // Browsers say it to trustworthy addresses alone: HTTPS and localhost.
    for (const host of ["192.168.7.20:8080", "push.lan:8080", "push.lan"]) {
      expect([host, (await askAs(server, port, { host, origin: `http://${host}` })).status]).toEqual([host, 200])
    }
    expect((await askAs(server, port, { host: "localhost:8080", origin: "http://localhost:8080" })).status).toBe(200)
  })

  it("is nobody else's: pages of other sites, ports and schemes are refused, with what to do", async () => {
    const host = "push.example.com"
    const refused: ReadonlyArray<readonly [Record<string, string>, RegExp]> = [
      [{ host, origin: PUBLIC, "sec-fetch-site": "cross-site" }, /Sec-Fetch-Site: cross-site/],
      [{ host, origin: "https://other.example.com", "sec-fetch-site": "same-site" }, /Sec-Fetch-Site: same-site/],
      [
        { host, origin: "https://other.example.com" },
        /of https:\/\/push\.example\.com \(BASE_URL\).*https:\/\/other\.example\.com.*set BASE_URL/
      ],
      [{ host, origin: `${PUBLIC}:8443` }, /pass on Host as it came, with its port/],
      [{ host, origin: "http://push.example.com" }, /comes from http:\/\/push\.example\.com/],
      [{ host, origin: "null" }, /comes from null/],
      [{ host }, /neither Sec-Fetch-Site nor Origin/]
    ]
    for (const [headers, words] of refused) {
      const { json, status } = await askAs(secure, securePort, headers)
      expect([headers, status, json.error.code]).toEqual([headers, 403, "forbidden"])
      expect(json.error.message).toMatch(words)
      expect(json.error.message).toContain("Authorization: Bearer")
    }
  })
})
