import { execFileSync, spawn } from "node:child_process"
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { connect, createServer } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import * as own from "../../../layers/http2/OwnHttp2Client.ts"
import * as wrapper from "../../../layers/http2/WrapperHttp2Client.ts"
import { certificates } from "./RawPeer.ts"
import { openSender } from "./Sending.ts"

/** Conversations with servers that others wrote. Node's own stands in the contract suite. */
const PLACES = ["/usr/sbin", "/usr/bin", "/usr/local/sbin", "/usr/local/bin"]

/** A program's path: from the usual places, else out of Debian's package when this runs as root. */
const program = (name: string, debian: string): string => {
  const find = () =>
    [...(process.env["PATH"] ?? "").split(":"), ...PLACES].map((p) => join(p, name)).find((p) => existsSync(p))
  const found = find()
  if (found !== undefined) return found
  if (process.getuid?.() === 0 && existsSync("/usr/bin/apt-get")) {
    // Two test files must not run apt at once: it waits for its own lock.
    const wait = ["-o", "DPkg::Lock::Timeout=120"]
    execFileSync("apt-get", ["update", "-qq"], { stdio: "ignore" })
    execFileSync("apt-get", [...wait, "install", "-y", "-qq", "--no-install-recommends", debian], {
      stdio: "ignore",
      env: { ...process.env, DEBIAN_FRONTEND: "noninteractive" }
    })
  }
  const installed = find()
  if (installed === undefined) throw new Error(`${name} is missing: install it, on Debian by apt-get install ${debian}`)
  return installed
}

const freePort = async (): Promise<number> => {
  const server = createServer().listen(0, "127.0.0.1")
  await new Promise((resolve) => server.once("listening", resolve))
  const { port } = server.address() as { port: number }
  await new Promise((resolve) => server.close(resolve))
  return port
}

/** Resolves once something listens there; rejects with what the program said if it ended. */
const listening = async (port: number, child: ReturnType<typeof spawn>): Promise<void> => {
  let said = ""
  child.stderr?.on("data", (chunk) => (said += String(chunk)))
  for (;;) {
    if (child.exitCode !== null) throw new Error(`the server ended: ${said}`)
    const up = await new Promise<boolean>((resolve) => {
      const socket = connect(port, "127.0.0.1", () => {
        socket.destroy()
        resolve(true)
      }).on("error", () => resolve(false))
    })
    if (up) return
    await new Promise((resolve) => setImmediate(resolve))
  }
}

const folder = mkdtempSync(join(tmpdir(), "heliograph-servers-"))
const children: Array<ReturnType<typeof spawn>> = []
const ports = { nghttpd: 0, nginx: 0 }

beforeAll(async () => {
  const key = join(folder, "key.pem")
  const cert = join(folder, "cert.pem")
  writeFileSync(key, certificates.key)
  writeFileSync(cert, certificates.cert)
  writeFileSync(join(folder, "index.html"), "hello from nghttpd")

  ports.nghttpd = await freePort()
  const nghttpd = spawn(
    program("nghttpd", "nghttp2-server"),
    ["-a", "127.0.0.1", "-d", folder, "--echo-upload", "-m", "50", String(ports.nghttpd), key, cert],
    { stdio: ["ignore", "ignore", "pipe"] }
  )
  children.push(nghttpd)
  await listening(ports.nghttpd, nghttpd)

  ports.nginx = await freePort()
  for (const name of ["body", "logs"]) mkdirSync(join(folder, name))
  writeFileSync(
    join(folder, "nginx.conf"),
    `daemon off; pid ${folder}/nginx.pid; error_log stderr crit; master_process off;
     events { worker_connections 64; }
     http {
       access_log off; client_body_temp_path ${folder}/body;
       proxy_temp_path ${folder}/proxy; fastcgi_temp_path ${folder}/fastcgi;
       uwsgi_temp_path ${folder}/uwsgi; scgi_temp_path ${folder}/scgi;
       server {
         listen 127.0.0.1:${ports.nginx} ssl http2;
         ssl_certificate ${cert}; ssl_certificate_key ${key};
         http2_max_concurrent_streams 20; keepalive_requests 100;
         location /device/ { add_header x-path $uri; return 200 "path $uri agent $http_x_index"; }
         location /gone { return 410 "gone"; }
       }
     }`
  )
  const nginx = spawn(program("nginx", "nginx-light"), ["-c", join(folder, "nginx.conf"), "-p", folder], {
    stdio: ["ignore", "ignore", "pipe"]
  })
  children.push(nginx)
  await listening(ports.nginx, nginx)
}, 300_000)

afterAll(async () => {
  for (const child of children) {
    const ended = new Promise((resolve) => child.once("exit", resolve))
    if (child.exitCode === null && child.kill()) await ended
  }
  rmSync(folder, { recursive: true, force: true })
})

describe.each([
  ["own", own.layer],
  ["http2-wrapper", wrapper.layer]
])("%s", (_, layer) => {
  it("sends bodies to nghttpd and gets each of them back", async () => {
    const sender = await openSender(layer, ports.nghttpd)
    const body = (index: number) => `${index} `.repeat((index * 7) % 900)
    const { answers } = await sender.send(1500, { body })
    expect(answers.size).toBe(1500)
    for (const [index, answer] of answers) expect([answer.status, answer.body]).toEqual([200, body(index)])
    await sender.close()
  })

  it("gets large bodies through nghttpd's windows, both ways", async () => {
    const sender = await openSender(layer, ports.nghttpd, { maxBody: 1_000_000 })
    const body = (index: number) => `${index} `.repeat(100_000)
    const { answers } = await sender.send(5, { body })
    expect([...answers].map(([index, answer]) => answer.body === body(index))).toEqual([true, true, true, true, true])
    await sender.close()
  })

  it("gives each request its own answer from nginx, through the GOAWAYs after every hundred requests", async () => {
    const sender = await openSender(layer, ports.nginx, { connections: 2 })
    const { answers, failures } = await sender.send(1000)
    expect(failures).toEqual(new Map())
    for (const [index, answer] of answers) {
      expect([answer.status, answer.header("x-path"), answer.body]).toEqual([
        200,
        `/device/${index}`,
        `path /device/${index} agent ${index}`
      ])
    }
    const { answers: gone } = await sender.send(3, { path: () => "/gone" })
    expect([...gone.values()].map((answer) => [answer.status, answer.body])).toEqual([
      [410, "gone"],
      [410, "gone"],
      [410, "gone"]
    ])
    await sender.close()
  })
})
