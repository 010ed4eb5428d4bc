import { once } from "node:events"
import type { AddressInfo, Socket } from "node:net"
import * as tls from "node:tls"
import { makeCertificates } from "../../../simulators/Certificates.ts"

/** One authority for all tests of a file: the sender is told to trust it. */
export const certificates = makeCertificates(["localhost", "push.test", "127.0.0.1", "::1"])

export interface Frame {
  readonly type: number
  readonly flags: number
  readonly id: number
  readonly payload: Buffer
}

export const TYPES = {
  data: 0,
  headers: 1,
  priority: 2,
  reset: 3,
  settings: 4,
  push: 5,
  ping: 6,
  goaway: 7,
  window: 8,
  continuation: 9
} as const

/** A frame's bytes: written here once more, so that a mistake of the client's writer cannot hide in its tests. */
export const frame = (type: number, flags: number, id: number, payload: Uint8Array = Buffer.alloc(0)): Buffer => {
  const head = Buffer.alloc(9)
  head.writeUIntBE(payload.length, 0, 3)
  head[3] = type
  head[4] = flags
  head.writeUInt32BE(id, 5)
  return Buffer.concat([head, payload])
}

export const uint32 = (...values: ReadonlyArray<number>): Buffer => {
  const out = Buffer.alloc(4 * values.length)
  values.forEach((value, i) => out.writeUInt32BE(value, 4 * i))
  return out
}

export const settings = (...values: ReadonlyArray<readonly [id: number, value: number]>): Buffer =>
  frame(
    TYPES.settings,
    0,
    0,
    Buffer.concat(
      values.map(([id, value]) => {
        const out = Buffer.alloc(6)
        out.writeUInt16BE(id, 0)
        out.writeUInt32BE(value, 2)
        return out
      })
    )
  )
const SETTINGS_ACK = frame(TYPES.settings, 1, 0)

const text = (value: string): Buffer => {
  const bytes = Buffer.from(value, "latin1")
  if (bytes.length < 127) return Buffer.concat([Buffer.from([bytes.length]), bytes])
  const left = bytes.length - 127
  return Buffer.concat([Buffer.from([127, (left & 0x7f) | 0x80, left >> 7]), bytes])
}

/** A header block of literals without indexing. */
export const block = (...fields: ReadonlyArray<readonly [name: string, value: string]>): Buffer =>
  Buffer.concat(fields.flatMap(([name, value]) => [Buffer.from([0]), text(name), text(value)]))

/** HEADERS with END_HEADERS, and END_STREAM when it is the whole answer. */
export const headers = (
  id: number,
  fields: ReadonlyArray<readonly [name: string, value: string]>,
  last = true
): Buffer => frame(TYPES.headers, last ? 5 : 4, id, block(...fields))
export const ok = (id: number): Buffer => headers(id, [[":status", "200"]])
export const data = (id: number, body: string | Uint8Array, last = true): Buffer =>
  frame(TYPES.data, last ? 1 : 0, id, Buffer.from(body as string))
export const reset = (id: number, code: number): Buffer => frame(TYPES.reset, 0, id, uint32(code))
export const goaway = (last: number, code = 0): Buffer => frame(TYPES.goaway, 0, 0, uint32(last, code))

const PREFACE = 24

/** A connection that a test plays the server of: frames come one by one, bytes go out as they are. */
export class RawConnection {
  readonly socket: tls.TLSSocket
  readonly closed: Promise<void>
  /** Whether the client's SETTINGS are acknowledged as they come. */
  acknowledges = true
  /** Frames that nobody has asked for yet. */
  private readonly frames: Array<Frame> = []
  private bytes = Buffer.alloc(0)
  private skipped = false
  private waiting: { readonly wanted: (frame: Frame) => boolean; readonly resolve: (frame: Frame) => void } | undefined

  constructor(socket: tls.TLSSocket) {
    this.socket = socket
    socket.on("error", () => {})
    this.closed = new Promise((resolve) => socket.once("close", () => resolve()))
    socket.on("data", (chunk: Buffer) => this.take(chunk))
  }

  send(...parts: ReadonlyArray<Uint8Array>): void {
    if (this.socket.writable) this.socket.write(Buffer.concat(parts))
  }

  /** The next frame of a type; those before it stay for others. */
  next(type: number, wanted: (frame: Frame) => boolean = () => true): Promise<Frame> {
    const fits = (frame: Frame) => frame.type === type && wanted(frame)
    const at = this.frames.findIndex(fits)
    if (at !== -1) return Promise.resolve(this.frames.splice(at, 1)[0]!)
    return new Promise((resolve) => {
      this.waiting = { wanted: fits, resolve }
    })
  }

  /** A request's stream, once its last frame has come. */
  async request(): Promise<number> {
    const head = await this.next(TYPES.headers)
    if ((head.flags & 1) === 0) await this.next(TYPES.data, (frame) => frame.id === head.id && (frame.flags & 1) === 1)
    return head.id
  }

  /** How many frames of a type came and were not asked for. */
  pending(type: number): number {
    return this.frames.filter((frame) => frame.type === type).length
  }

  private take(chunk: Buffer): void {
    this.bytes = Buffer.concat([this.bytes, chunk])
    if (!this.skipped) {
      if (this.bytes.length < PREFACE) return
      this.bytes = this.bytes.subarray(PREFACE)
      this.skipped = true
    }
    while (this.bytes.length >= 9) {
      const end = 9 + this.bytes.readUIntBE(0, 3)
      if (this.bytes.length < end) return
      const { bytes } = this
      const frame: Frame = {
        type: bytes[3]!,
        flags: bytes[4]!,
        id: bytes.readUInt32BE(5),
        payload: Buffer.from(bytes.subarray(9, end))
      }
      this.bytes = bytes.subarray(end)
      if (this.acknowledges && frame.type === TYPES.settings && frame.flags === 0) this.send(SETTINGS_ACK)
      const { waiting } = this
      if (waiting !== undefined && waiting.wanted(frame)) {
        this.waiting = undefined
        waiting.resolve(frame)
      } else this.frames.push(frame)
    }
  }
}

export interface RawPeer {
  readonly port: number
  readonly connections: ReadonlyArray<RawConnection>
  readonly close: () => Promise<void>
}

/** A TLS server that offers HTTP/2 and leaves everything after the handshake to `play`, once per connection. */
export const startRawPeer = async (
  play: (connection: RawConnection, number: number) => unknown,
  options: tls.TlsOptions = {}
): Promise<RawPeer> => {
  const connections: Array<RawConnection> = []
  const { key, cert } = certificates
  const server = tls.createServer({ key, cert, ALPNProtocols: ["h2"], ...options }, (socket) => {
    const connection = new RawConnection(socket)
    connections.push(connection)
    void play(connection, connections.length)
  })
  server.on("tlsClientError", () => {})
  // Also those that have not shaken hands yet: one that does so later, and reads nothing, would keep the server.
  const sockets = new Set<Socket>()
  server.on("connection", (socket: Socket) => {
    sockets.add(socket)
    socket.once("close", () => sockets.delete(socket))
  })
  server.listen(0, "127.0.0.1")
  await once(server, "listening")
  return {
    port: (server.address() as AddressInfo).port,
    connections,
    close: async () => {
      const closed = once(server, "close")
      server.close()
      for (const { socket } of connections) socket.destroy()
      for (const socket of sockets) socket.destroy()
      await closed
    }
  }
}
