import { execFile } from "node:child_process"
import { generateKeyPairSync } from "node:crypto"
import { readFileSync, writeFileSync } from "node:fs"
import http2 from "node:http2"
import { join } from "node:path"
import { promisify } from "node:util"
import { program, serveOrders } from "../Child.ts"
import type { Told } from "./Own.ts"

/*
 * One sender in a process of its own, whose CPU is what is measured. Arguments: which, the port, the folder of `prepare`,
 * how many connections. Each order is a number of requests; the answer is how long they took, all answered with 200.
 */

export interface Order {
  readonly requests: number
}
export interface Done {
  readonly seconds: number
}

const [which, portText, folder, connectionsText] = process.argv.slice(2) as [string, string, string, string]
const port = Number(portText)
const connections = Number(connectionsText)
const tokens = JSON.parse(readFileSync(join(folder, "tokens.json"), "utf8")) as ReadonlyArray<string>

/** 311 bytes: the alert, and the id that differs for each recipient. */
const BEFORE = `{"aps":{"alert":{"title":"Sale","body":"${"Everything must go. ".repeat(8)}"}},"service_device_id":"`
const AFTER = `","pad":"${"x".repeat(311 - BEFORE.length - 36 - 11)}"}`
const ids = Array.from({ length: 4096 }, (_, n) => `01941b2e-7c10-7d3a-9f00-3b1f${String(n).padStart(8, "0")}`)
const idOf = (index: number) => ids[index & 4095]!
const tokenOf = (index: number) => tokens[index % tokens.length]!
const AUTHORIZATION = `bearer ${"t".repeat(200)}`
const COMMON = [
  ["apns-topic", "com.example.app"],
  ["apns-push-type", "alert"],
  ["apns-priority", "10"],
  ["apns-expiration", "0"]
] as const

/** Runs `start` for each index, `width` at once; it calls its second argument when the answer is there. */
const atOnce = (count: number, width: number, start: (index: number, done: (status: unknown) => void) => void) =>
  new Promise<void>((resolve, reject) => {
    let next = 0
    let left = count
    const done = (status: unknown) => {
      if (status !== 200) return reject(new Error(`answered ${String(status)}`))
      if (--left === 0) return resolve()
      if (next < count) start(next++, done)
    }
    while (next < Math.min(width, count)) start(next++, done)
  })

const told: Told = { before: BEFORE, after: AFTER, idOf, tokenOf, authorization: AUTHORIZATION, common: COMMON }

const senders: Record<string, () => Promise<(requests: number) => Promise<unknown>>> = {
  own: async () => (await import("./Own.ts")).own("own", port, folder, connections, told, true),
  "own-bodies": async () => (await import("./Own.ts")).own("own", port, folder, connections, told, false),
  wrapper: async () => (await import("./Own.ts")).own("wrapper", port, folder, connections, told, false),

  // A hundred streams a connection: with more at once, node:http2 needs more for each.
  node: async () => {
    const sessions = Array.from({ length: connections }, () => http2.connect(`https://localhost:${port}`))
    const headers = Object.fromEntries([...COMMON, ["authorization", AUTHORIZATION], [":method", "POST"]])
    return (requests) =>
      atOnce(requests, 100 * connections, (index, done) => {
        const stream = sessions[index % connections]!.request({
          ...headers,
          ":path": `/3/device/${tokenOf(index)}`,
          "apns-id": idOf(index)
        })
        let status: unknown
        stream.on("response", (answer) => (status = answer[":status"]))
        stream.on("error", done)
        stream.on("data", () => {})
        stream.on("end", () => done(status))
        stream.end(BEFORE + idOf(index) + AFTER)
      })
  },

  undici: async () => {
    const { Client } = await import("undici")
    const ca = readFileSync(join(folder, "ca.pem"), "utf8")
    const clients = Array.from(
      { length: connections },
      () =>
        new Client(`https://localhost:${port}`, {
          allowH2: true,
          pipelining: 100,
          maxConcurrentStreams: 100,
          connect: { ca }
        })
    )
    const headers = Object.fromEntries([...COMMON, ["authorization", AUTHORIZATION]])
    return (requests) =>
      atOnce(requests, 100 * connections, (index, done) => {
        let status: unknown
        clients[index % connections]!.dispatch(
          {
            method: "POST",
            path: `/3/device/${tokenOf(index)}`,
            headers: { ...headers, "apns-id": idOf(index) },
            body: BEFORE + idOf(index) + AFTER
          },
          {
            onRequestStart: () => {},
            onResponseStart: (_, code) => void (status = code),
            onResponseData: () => {},
            onResponseEnd: () => done(status),
            onResponseError: (_, error) => done(error)
          }
        )
      })
  },

  // A thousand tokens a call, one call after the other: the most it does.
  "node-apn": async () => {
    const { default: apn } = await import("@parse/node-apn")
    const { privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" })
    const key = privateKey.export({ type: "pkcs8", format: "pem" }) as string
    const provider = new apn.Provider({
      token: { key, keyId: "ABC123DEFG", teamId: "DEF123GHIJ" },
      production: false,
      // It needs the port twice: for the authority and for the socket.
      address: `localhost:${port}`,
      port,
      requestTimeout: 60_000
    } as ConstructorParameters<typeof apn.Provider>[0])
    return async (requests) => {
      for (let sent = 0; sent < requests; sent += tokens.length) {
        const note = new apn.Notification({ topic: "com.example.app", pushType: "alert", priority: 10, expiry: 0 })
        note.rawPayload = JSON.parse(BEFORE + idOf(sent) + AFTER)
        const { failed } = await provider.send(note, tokens.slice(0, requests - sent))
        if (failed.length > 0) throw new Error(`not sent: ${JSON.stringify(failed[0])}`)
      }
    }
  },

  // In C. It takes the tokens in turn; body and apns-id are the same each time.
  h2load: async () => {
    const uris = join(folder, `uris-${port}`)
    writeFileSync(uris, tokens.map((token) => `https://127.0.0.1:${port}/3/device/${token}`).join("\n"))
    const headers = [...COMMON, ["authorization", AUTHORIZATION], ["apns-id", ids[0]!]]
    const args = headers.flatMap(([name, value]) => ["-H", `${name}: ${value}`])
    const load = ["-c", String(connections), "-m", "1000", "-w", "20", "-W", "24", "-d", join(folder, "payload")]
    const h2load = program("h2load", "nghttp2-client")
    return async (requests) => {
      const { stdout } = await promisify(execFile)(h2load, ["-n", String(requests), ...load, ...args, "-i", uris])
      if (!stdout.includes(`status codes: ${requests} 2xx`)) throw new Error(stdout)
    }
  }
}

const send = await senders[which]!()
serveOrders<Order, Done>(async ({ requests }) => {
  const begun = performance.now()
  await send(requests)
  return { seconds: (performance.now() - begun) / 1000 }
})
