import { readFileSync } from "node:fs"
import type { TLSSocket } from "node:tls"
import { createServer } from "node:tls"
import { serveOrders } from "../Child.ts"

/*
 * A push provider that thinks nothing: TLS and HTTP/2 frames, 200 for every request that has ended, no look at headers
 * or bodies. It costs about a microsecond a request, so that what sends to it can be seen. It proves nothing about what
 * was sent: the simulators do. Run by `Stage.servant` with a port, a key file, a certificate file, the body that answers
 * are to have (empty: none), and a mark (empty: none) for those who must know when each message came: it looks for the mark
 * in every body, and notes the serial number behind it.
 */

export interface SinkOrder {
  /** Forgets what was noted so far. */
  readonly reset: boolean
}

export interface SinkAnswer {
  readonly requests: number
  readonly connections: number
  /** When bodies longer than `NOTABLE` bytes began to arrive, milliseconds since the epoch. */
  readonly notable: ReadonlyArray<number>
  /** Serial numbers behind the mark, and when they arrived, milliseconds since the epoch; told when they are forgotten. */
  readonly marked: ReadonlyArray<readonly [serial: number, at: number]>
}

/** A body beyond this is a latency probe; those of mailings are shorter. */
const NOTABLE = 1000

/** Digits of a serial number. */
const DIGITS = 13

const [port, keyFile, certFile, body = "", mark = ""] = process.argv.slice(2)
const DATA = 0
const HEADERS = 1
const SETTINGS = 4
const PING = 6
const END_STREAM = 1
const ACK = 1
const PREFACE = 24
const HEAD = 9
/** The connection's window is opened wide at once, and again after so many bytes. */
const REFILL = 1 << 28

let requests = 0
let connections = 0
let notable: Array<number> = []
let marked: Array<readonly [number, number]> = []

const frame = (type: number, flags: number, stream: number, payload: Uint8Array): Buffer => {
  const bytes = Buffer.alloc(HEAD + payload.length)
  bytes.writeUIntBE(payload.length, 0, 3)
  bytes[3] = type
  bytes[4] = flags
  bytes.writeUInt32BE(stream, 5)
  bytes.set(payload, HEAD)
  return bytes
}

const setting = (id: number, value: number): Buffer => {
  const bytes = Buffer.alloc(6)
  bytes.writeUInt16BE(id, 0)
  bytes.writeUInt32BE(value, 2)
  return bytes
}

const window = (bytes: number): Buffer => {
  const payload = Buffer.alloc(4)
  payload.writeUInt32BE(bytes, 0)
  return frame(8, 0, 0, payload)
}

const GREETING = Buffer.concat([
  // MAX_CONCURRENT_STREAMS as APNs announces it, and bodies of any size.
  frame(SETTINGS, 0, 0, Buffer.concat([setting(3, 1000), setting(4, 0x7fffffff)])),
  window(REFILL * 4)
])

/** HEADERS, whose block is `:status 200` of the static table, and the body, if there is one; stream 0 for the time being. */
const OK = Uint8Array.of(0x88)
const END_HEADERS = 4
const ANSWER =
  body === ""
    ? frame(HEADERS, END_STREAM | END_HEADERS, 0, OK)
    : Buffer.concat([frame(HEADERS, END_HEADERS, 0, OK), frame(DATA, END_STREAM, 0, Buffer.from(body))])
/** Where the stream's number stands in it. */
const ANSWER_STREAMS = body === "" ? [5] : [5, HEAD + 1 + 5]

const note = (data: Buffer): void => {
  const at = data.indexOf(mark, 0, "latin1")
  if (at === -1) return
  const serial = Number(data.toString("latin1", at + mark.length, at + mark.length + DIGITS))
  marked.push([serial, performance.timeOrigin + performance.now()])
}

const converse = (socket: TLSSocket): void => {
  connections++
  let isGreeted = false
  let pending: Buffer = Buffer.alloc(0)
  let received = 0
  socket.setNoDelay(true)
  socket.on("error", () => socket.destroy())
  socket.write(GREETING)
  socket.on("data", (chunk: Buffer) => {
    const bytes = pending.length === 0 ? chunk : Buffer.concat([pending, chunk])
    let at = 0
    if (!isGreeted) {
      if (bytes.length < PREFACE) return void (pending = bytes)
      isGreeted = true
      at = PREFACE
    }
    const ended: Array<number> = []
    const others: Array<Buffer> = []
    while (at + HEAD <= bytes.length) {
      const length = (bytes[at]! << 16) | (bytes[at + 1]! << 8) | bytes[at + 2]!
      if (at + HEAD + length > bytes.length) break
      const type = bytes[at + 3]!
      const flags = bytes[at + 4]!
      if (type === DATA) {
        received += length
        if (length > NOTABLE) notable.push(performance.timeOrigin + performance.now())
        if (mark !== "" && length > 0) note(bytes.subarray(at + HEAD, at + HEAD + length))
      }
      if (type <= HEADERS) {
        if (flags & END_STREAM) {
          ended.push(((bytes[at + 5]! & 0x7f) << 24) | (bytes[at + 6]! << 16) | (bytes[at + 7]! << 8) | bytes[at + 8]!)
        }
      } else if (type === SETTINGS && !(flags & ACK)) others.push(frame(SETTINGS, ACK, 0, Buffer.alloc(0)))
      else if (type === PING && !(flags & ACK))
        others.push(frame(PING, ACK, 0, bytes.subarray(at + HEAD, at + HEAD + 8)))
      at += HEAD + length
    }
    pending = at === bytes.length ? Buffer.alloc(0) : Buffer.from(bytes.subarray(at))
    if (received > REFILL) {
      others.push(window(received))
      received = 0
    }
    if (ended.length > 0) {
      requests += ended.length
      const answers = Buffer.alloc(ended.length * ANSWER.length)
      let to = 0
      for (const stream of ended) {
        answers.set(ANSWER, to)
        for (const at of ANSWER_STREAMS) answers.writeUInt32BE(stream, to + at)
        to += ANSWER.length
      }
      others.push(answers)
    }
    if (others.length > 0) socket.write(others.length === 1 ? others[0]! : Buffer.concat(others))
  })
}

const server = createServer(
  { key: readFileSync(keyFile!), cert: readFileSync(certFile!), ALPNProtocols: ["h2"] },
  converse
)
server.on("tlsClientError", () => {})
server.listen(Number(port), "127.0.0.1", () =>
  serveOrders<SinkOrder, SinkAnswer>(async ({ reset }) => {
    const answer = { requests, connections, notable, marked: reset ? marked : [] }
    if (reset) {
      requests = 0
      notable = []
      marked = []
    }
    return answer
  })
)
