import { Effect, Layer } from "effect"
import { mkdtemp, rm } from "node:fs/promises"
import type { AddressInfo, Socket } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { createServer } from "node:tls"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { layer as settingsOf } from "../../../layers/config/Settings.ts"
import { layer as policy } from "../../../layers/outbound/OutboundPolicy.ts"
import { layer } from "../../../layers/outbound/SmallRequests.ts"
import type { SmallRequest } from "../../../services/ports/outbound/SmallRequests.ts"
import { SmallRequests } from "../../../services/ports/outbound/SmallRequests.ts"
import { makeCertificates, writeCa } from "../../../simulators/Certificates.ts"
import { MALFORMED } from "../../Sockets.ts"

const certificates = makeCertificates()
const sockets = new Set<Socket>()
/** What the server writes when a request's head is there; null: nothing. */
let answer: string | null = ""
/** Whether it ends the connection after that. */
let ends = false
let asked = ""
const server = createServer({ cert: certificates.cert, key: certificates.key }, (socket) => {
  sockets.add(socket)
  socket.on("error", () => {})
  socket.on("data", (bytes) => {
    asked += bytes.toString("latin1")
    if (answer === null || !asked.includes("\r\n\r\n")) return
    if (ends) socket.end(answer)
    else socket.write(answer)
  })
})
let url: string
let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "heliograph-small-"))
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  url = `https://localhost:${(server.address() as AddressInfo).port}/token?a=b`
})
afterAll(async () => {
  for (const socket of sockets) socket.destroy()
  server.close()
  await rm(folder, { recursive: true })
})

const send = async (request: Partial<SmallRequest> = {}, env: Readonly<Record<string, string>> = {}) => {
  asked = ""
  const settings = settingsOf({
    OUTBOUND_ALLOW_CIDRS: "127.0.0.0/8,::1/128",
    OUTBOUND_CA_FILE: await writeCa(certificates, folder),
    ...env
  })
  const requests = layer.pipe(Layer.provide(policy), Layer.provide(settings))
  const whole = {
    url,
    method: "POST",
    headers: { accept: "application/json" },
    body: "a=1",
    deadlineMs: 5000,
    ...request
  }
  return Effect.runPromise(
    Effect.flatMap(SmallRequests, (all) => Effect.result(all.send(whole))).pipe(Effect.provide(requests))
  )
}
const failure = async (request: Partial<SmallRequest> = {}, env: Readonly<Record<string, string>> = {}) => {
  const result = await send(request, env)
  if (result._tag === "Success") throw new Error(`There was an answer: ${JSON.stringify(result.success)}`)
  return result.failure
}
const ok = (body: string, head = "") =>
  `HTTP/1.1 200 OK\r\ncontent-length: ${Buffer.byteLength(body)}\r\n${head}\r\n${body}`

describe("a small request", () => {
  it("is sent as it is, and its answer read whole", async () => {
    answer = ok("héllo", "retry-after: 3\r\nset-cookie: a\r\nset-cookie: b\r\n")
    const result = await send()
    expect(result).toMatchObject({
      success: { status: 200, body: "héllo", headers: { "retry-after": "3", "set-cookie": ["a", "b"] } }
    })
    expect(asked).toMatch(/^POST \/token\?a=b HTTP\/1\.1\r\n/)
    expect(asked).toMatch(/\r\naccept: application\/json\r\n/)
    // A server may take any coding where a request names none.
    expect(asked).toMatch(/\r\naccept-encoding: identity\r\n/)
    expect(asked).toMatch(/\r\nhost: localhost:\d+\r\n/i)
    expect(asked).toMatch(/\r\n\r\na=1$/)
  })

  it("follows no redirect, and takes any status for an answer", async () => {
    answer = "HTTP/1.1 302 Found\r\nlocation: https://169.254.169.254/\r\ncontent-length: 0\r\n\r\n"
    expect(await send()).toMatchObject({ success: { status: 302, body: "" } })
  })

  it.each([
    ["is too large", () => ok("x".repeat(70_000))],
    [
      "comes in crumbs",
      () => `HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n${"1\r\nx\r\n".repeat(2000)}0\r\n\r\n`
    ],
    ["comes after interim answers without end", () => `${"HTTP/1.1 103 Early Hints\r\n\r\n".repeat(1000)}${ok("x")}`],
    ["is none of HTTP", () => "SSH-2.0-x\r\n\r\n"]
  ])("has no answer when it %s", async (_, make) => {
    answer = make()
    expect(await failure()).toMatchObject({ _tag: "NoAnswer", message: expect.stringMatching(/./) })
  })

  it.each([
    ["in one piece", ok("x".repeat(70_000))],
    ["without a length", `HTTP/1.1 200 OK\r\nconnection: close\r\n\r\n${"x".repeat(70_000)}`]
  ])("says of an answer that is too large that it is, %s", async (_, large) => {
    answer = large
    expect(await failure()).toMatchObject({ _tag: "NoAnswer", isTooLarge: true, message: /64 KB/ })
  })

  it("waits no longer than its deadline, for the head and for the rest", async () => {
    for (const silence of [null, "HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\nhalf"]) {
      answer = silence
      expect(await failure({ deadlineMs: 200 })).toMatchObject({ _tag: "NoAnswer", message: "no answer in time" })
    }
  })

  it("calls nobody whom the outbound rules do not let it, and nobody without TLS", async () => {
    answer = ok("x")
    expect(await failure({}, { OUTBOUND_ALLOW_CIDRS: "" })).toMatchObject({ _tag: "OutboundRefused" })
    expect(await failure({ url: url.replace("https:", "http:") })).toMatchObject({ _tag: "OutboundRefused" })
    expect(asked).toBe("")
    // An address of our own code needs no leave.
    expect(await send({ isOurs: true }, { OUTBOUND_ALLOW_CIDRS: "" })).toMatchObject({ success: { body: "x" } })
  })

  it("says in plain words why there is no answer: no address, and no names of a certificate", async () => {
    const plainly = async (request: Partial<SmallRequest>) => {
      const error = await failure(request)
      return error._tag === "NoAnswer" ? error.reason : error
    }
    expect(await plainly({ url: "https://localhost:1/" })).toBe("connection refused")
    answer = `HTTP/1.1 200 OK\r\nx: ${"y".repeat(20_000)}\r\n\r\n`
    expect(await plainly({})).toBe("the answer's headers are too long")
  })

  it.each(MALFORMED)("says of an answer that it %s", async (_, reason, malformed) => {
    answer = malformed
    expect(await failure()).toMatchObject({ _tag: "NoAnswer", reason })
  })

  it.each([
    ["chunk sizes that are none", "transfer-encoding: chunked\r\n\r\nzz\r\nok\r\n0\r\n\r\n"],
    ["a chunk that is longer than it says", "transfer-encoding: chunked\r\n\r\n2\r\nokok\r\n0\r\n\r\n"]
  ])("says of %s that they are not HTTP", async (_, rest) => {
    answer = `HTTP/1.1 200 OK\r\n${rest}`
    expect(await failure()).toMatchObject({ reason: "the answer is not HTTP" })
  })

  it.each([
    ["within its length", "content-length: 5\r\n"],
    ["within its length, as it said", "connection: close\r\ncontent-length: 5\r\n"],
    ["within a chunk", "transfer-encoding: chunked\r\n"],
    ["within a chunk, as it said", "connection: close\r\ntransfer-encoding: chunked\r\n"]
  ])("says of an answer that its server cut short %s that the connection was closed", async (_, head) => {
    answer = `HTTP/1.1 200 OK\r\n${head}\r\n5\r\n`
    ends = true
    try {
      expect(await failure()).toMatchObject({ _tag: "NoAnswer", reason: "connection closed" })
    } finally {
      ends = false
    }
  })

  it("believes only whom TLS trusts", async () => {
    answer = ok("x")
    const other = await mkdtemp(join(tmpdir(), "heliograph-small-"))
    const OUTBOUND_CA_FILE = await writeCa(makeCertificates(), other)
    expect(await failure({}, { OUTBOUND_CA_FILE })).toMatchObject({
      _tag: "NoAnswer",
      reason: "the certificate is not trusted",
      tlsFault: "tls_certificate_unknown_authority"
    })
    await rm(other, { recursive: true })
    expect(asked).toBe("")
  })
})
