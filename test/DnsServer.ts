import type { Scope } from "effect"
import { Effect } from "effect"
import { createSocket } from "node:dgram"
import { once } from "node:events"
import { isIPv4, isIPv6 } from "node:net"
import type { AddressInfo } from "node:net"

/** `silent`: no answer at all. `broken`: SERVFAIL. Names that are not listed do not exist. */
export type DnsRecord = ReadonlyArray<string> | "silent" | "broken"

export interface DnsServer {
  readonly address: string
  readonly records: Map<string, DnsRecord>
  /** Every question, as `A name` or `AAAA name`. */
  readonly questions: Array<string>
}

const A = 1
const AAAA = 28

const v6Bytes = (address: string): Buffer => {
  const groups = new URL(`http://[${address}]`).hostname.slice(1, -1).split("::")
  const [head = [], tail = []] = groups.map((part) => (part === "" ? [] : part.split(":")))
  const all = [...head, ...Array.from({ length: 8 - head.length - tail.length }, () => "0"), ...tail]
  return Buffer.from(all.map((group) => group.padStart(4, "0")).join(""), "hex")
}

/** A name server on loopback that answers what a test says. */
export const makeDnsServer: Effect.Effect<DnsServer, never, Scope.Scope> = Effect.gen(function* () {
  const records = new Map<string, DnsRecord>()
  const questions: Array<string> = []
  const socket = yield* Effect.acquireRelease(
    Effect.promise(async () => {
      const socket = createSocket("udp4")
      socket.bind(0, "127.0.0.1")
      await once(socket, "listening")
      return socket
    }),
    (socket) => Effect.sync(() => socket.close())
  )
  socket.on("message", (query, peer) => {
    const labels: Array<string> = []
    let at = 12
    while (query[at] !== 0) {
      labels.push(query.toString("latin1", at + 1, at + 1 + query[at]!))
      at += 1 + query[at]!
    }
    const end = at + 5
    const type = query.readUInt16BE(at + 1)
    const name = labels.join(".").toLowerCase()
    questions.push(`${type === A ? "A" : "AAAA"} ${name}`)
    const record = records.get(name)
    if (record === "silent") return
    const fits = Array.isArray(record) ? record.filter(type === A ? isIPv4 : type === AAAA ? isIPv6 : () => false) : []
    const answers = fits.map((address: string) => {
      const data = type === A ? Buffer.from(address.split(".").map(Number)) : v6Bytes(address)
      const head = Buffer.from([0xc0, 0x0c, 0, type, 0, 1, 0, 0, 0, 0, 0, data.length])
      return Buffer.concat([head, data])
    })
    const code = record === "broken" ? 2 : record === undefined ? 3 : 0
    const head = Buffer.from([query[0]!, query[1]!, 0x81, 0x80 | code, 0, 1, 0, answers.length, 0, 0, 0, 0])
    socket.send(Buffer.concat([head, query.subarray(12, end), ...answers]), peer.port, peer.address)
  })
  return { address: `127.0.0.1:${(socket.address() as AddressInfo).port}`, records, questions }
})
