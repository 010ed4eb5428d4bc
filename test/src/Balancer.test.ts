import { spawn } from "node:child_process"
import { once } from "node:events"
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { connect } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { Effect } from "effect"
import { lastingPort } from "../Ports.ts"
import { program } from "../Programs.ts"
import { closed } from "../Sockets.ts"
import type { TestServer } from "./http/TestServer.ts"
import { startServer } from "./http/TestServer.ts"

/** The load balancer of docker-compose.yml: a real nginx with deploy/nginx.conf, in front of the API. */

const LIMIT = 5
let server: TestServer
let nginx: ReturnType<typeof spawn>
let port: number
const folder = mkdtempSync(join(tmpdir(), "heliograph-balancer-"))

/** The same file, but for addresses, and for where nginx may write. */
const adapted = (text: string): string => {
  const temporary = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map(
    (name) => `${name}_temp_path ${folder}/${name};`
  )
  return text
    .replace("http {", `http {\n  access_log off;\n  ${temporary.join("\n  ")}`)
    .replace(/listen 80;/, `listen 127.0.0.1:${port};`)
    .replaceAll(/server api\d:8080/g, `server 127.0.0.1:${server.port}`)
}

beforeAll(async () => {
  server = await startServer({
    // As compose does: the proxy's own address alone.
    trustedProxies: "127.0.0.1",
    rateLimits: { anonymous: { requests: LIMIT, windowMs: 60_000 } }
  })
  port = await Effect.runPromise(lastingPort)
  mkdirSync(join(folder, "logs"))
  const config = join(folder, "nginx.conf")
  writeFileSync(config, adapted(readFileSync(new URL("../../deploy/nginx.conf", import.meta.url), "utf8")))
  const more = `daemon off; pid ${folder}/nginx.pid;${process.getuid?.() === 0 ? " user root;" : ""}`
  const errors = join(folder, "error.log")
  nginx = spawn(program("nginx", "nginx-light"), ["-p", folder, "-c", config, "-e", errors, "-g", more], {
    stdio: ["ignore", "ignore", "pipe"]
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
})

afterAll(async () => {
  const ended = once(nginx, "exit")
  nginx.kill("SIGTERM")
  await ended
  await server.stop()
  rmSync(folder, { recursive: true, force: true })
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
