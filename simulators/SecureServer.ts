import { createServer as createHttp1, type IncomingMessage, type ServerResponse } from "node:http"
import { createServer as createHttp2, type ServerHttp2Session, type ServerHttp2Stream } from "node:http2"
import type { AddressInfo, Socket } from "node:net"
import { createServer as createTls, type TLSSocket } from "node:tls"
import type { Certificates } from "./Certificates.ts"
import { authorityOf, type Listen } from "./Simulator.ts"

/** One request, read to its end, over HTTP/2 or HTTP/1.1. */
export interface Exchange {
  readonly method: string
  readonly path: string
  /** Host and port as the client named them. */
  readonly authority: string
  readonly headers: Readonly<Record<string, string | ReadonlyArray<string> | undefined>>
  readonly body: Buffer
  /** The connection: one object for all its requests. */
  readonly connection: Connection
  readonly answer: (status: number, headers: Readonly<Record<string, string>>, body?: string) => void
  /** Resets the stream; over HTTP/1.1 there is only the connection to cut. */
  readonly reset: (code: number) => void
  /** GOAWAY: this request and later ones are not processed, those before it are. */
  readonly goaway: (reason: string) => void
  /** Cuts the connection; orderly, when the answers to everything else that was taken have gone out. */
  readonly drop: (orderly: boolean) => void
}

export interface Connection {
  readonly session: ServerHttp2Session | null
  readonly socket: TLSSocket
  /** The highest stream that was handed to the simulator. */
  highest: number
  /** When the last one was, of `performance.now()`. */
  handledAt: number
  /** After GOAWAY: the last stream that is processed; -1 when none is any more. */
  last: number
}

export interface SecureServerOptions extends Listen {
  readonly certificates: Certificates
  readonly http1: boolean
  readonly maxConcurrentStreams: number
  readonly onConnection: () => void
  readonly handle: (exchange: Exchange) => void
}

/** More than any provider takes: the simulator refuses what is too large by its own rule, this only bounds memory. */
const BODY_LIMIT = 1 << 20
/** How long after a GOAWAY the client may take to leave. Milliseconds. */
const GOAWAY_GRACE = 1000
const CANCEL = 8

const nothing = () => {}

/** A class, because an object of closures for each request is what a server of 20,000 requests a second would feel. */
class StreamExchange implements Exchange {
  readonly headers: Exchange["headers"]
  readonly connection: Connection
  readonly body: Buffer
  readonly #stream: ServerHttp2Stream
  wentAway = false

  constructor(stream: ServerHttp2Stream, headers: Exchange["headers"], connection: Connection, body: Buffer) {
    this.#stream = stream
    this.headers = headers
    this.connection = connection
    this.body = body
  }
  get method(): string {
    return this.headers[":method"] as string
  }
  get path(): string {
    return this.headers[":path"] as string
  }
  get authority(): string {
    return (this.headers[":authority"] ?? this.headers["host"] ?? "") as string
  }
  readonly answer = (status: number, headers: Readonly<Record<string, string>>, body?: string): void => {
    const stream = this.#stream
    if (stream.destroyed || stream.closed) return
    if (body === undefined) {
      stream.respond({ ":status": status, ...headers }, { endStream: true })
    } else {
      stream.respond({ ":status": status, ...headers })
      stream.end(body)
    }
  }
  readonly reset = (code: number): void => {
    if (!this.#stream.destroyed) this.#stream.close(code)
  }
  readonly goaway = (reason: string): void => {
    const { connection } = this
    const { session } = connection
    if (session === null || session.destroyed) return
    this.wentAway = true
    const id = this.#stream.id!
    if (connection.last > connection.highest) {
      connection.last = connection.highest
      session.goaway(0, connection.last, Buffer.from(JSON.stringify({ reason })))
      const leave = (): void => {
        // What was processed late, on a slow machine, still gets its answer.
        const left = connection.handledAt + GOAWAY_GRACE - performance.now()
        if (left > 0) setTimeout(leave, left).unref()
        else session.destroy()
      }
      setTimeout(leave, GOAWAY_GRACE).unref()
    }
    // A later stream was processed already, so last-stream-id covers this one too: it must be told by itself.
    if (id <= connection.last) this.reset(7)
  }
  readonly drop = (orderly: boolean): void => {
    const { connection } = this
    if (!orderly) return void connection.socket.destroy()
    connection.last = -1
    this.wentAway = true
    // Answers that a rule delays have gone out by then. The end comes after what was written, unlike a reset.
    setTimeout(() => connection.socket.end(), GOAWAY_GRACE).unref()
  }
}

const onStream = (
  connection: Connection,
  stream: ServerHttp2Stream,
  headers: Exchange["headers"],
  handle: (exchange: Exchange) => void
): void => {
  let first: Buffer | undefined
  let chunks: Array<Buffer> | undefined
  let size = 0
  stream.on("error", nothing)
  stream.on("data", (chunk: Buffer) => {
    size += chunk.length
    if (size > BODY_LIMIT) return stream.close(CANCEL)
    if (first === undefined) first = chunk
    else (chunks ??= [first]).push(chunk)
  })
  stream.on("end", () => {
    const id = stream.id!
    // Streams beyond a GOAWAY's last-stream-id were promised not to be processed. A stream that the client itself
    // reset ends too, but is destroyed or aborted by then.
    if (id > connection.last || stream.destroyed || stream.aborted || size > BODY_LIMIT) return
    const body = chunks === undefined ? (first ?? Buffer.alloc(0)) : Buffer.concat(chunks)
    const exchange = new StreamExchange(stream, headers, connection, body)
    connection.handledAt = performance.now()
    handle(exchange)
    if (!exchange.wentAway && id > connection.highest) connection.highest = id
  })
}

const onRequest = (
  connection: Connection,
  request: IncomingMessage,
  response: ServerResponse,
  handle: (exchange: Exchange) => void
): void => {
  const chunks: Array<Buffer> = []
  let size = 0
  request.on("error", nothing)
  response.on("error", nothing)
  request.on("data", (chunk: Buffer) => {
    size += chunk.length
    if (size > BODY_LIMIT) request.destroy()
    else chunks.push(chunk)
  })
  request.on("end", () => {
    const drop = () => void connection.socket.destroy()
    handle({
      method: request.method!,
      path: request.url!,
      authority: request.headers.host ?? "",
      headers: request.headers,
      body: Buffer.concat(chunks),
      connection,
      answer: (status, headers, body) => {
        if (response.destroyed) return
        response.writeHead(status, { ...headers, "content-length": Buffer.byteLength(body ?? "") })
        response.end(body)
      },
      reset: drop,
      goaway: drop,
      drop
    })
  })
}

/**
 * TLS with ALPN in front of node's own HTTP/2 and HTTP/1.1 servers. They are not joined by `allowHTTP1`, because its
 * compatibility layer would also wrap each HTTP/2 stream.
 */
export const listenSecure = async (
  options: SecureServerOptions
): Promise<{ readonly port: number; readonly url: string; readonly close: () => Promise<void> }> => {
  const { certificates, handle } = options
  const sockets = new Map<TLSSocket, Connection>()
  // The TCP sockets beneath: those in the middle of a handshake would keep a closing server open.
  const tcp = new Set<Socket>()
  let opening: TLSSocket | undefined

  const http2 = createHttp2({
    settings: { maxConcurrentStreams: options.maxConcurrentStreams, enablePush: false },
    maxSessionMemory: 100,
    // A sender's cancelled streams are its right; the default limit would end the connection of a slow test.
    streamResetBurst: 100_000,
    streamResetRate: 100_000
  })
  http2.on("session", (session) => {
    const socket = opening!
    const connection: Connection = { session, socket, highest: 0, handledAt: 0, last: Number.POSITIVE_INFINITY }
    sockets.set(socket, connection)
    session.on("error", nothing)
    session.on("stream", (stream, headers) => onStream(connection, stream, headers, handle))
  })
  http2.on("sessionError", nothing)

  const http1 = createHttp1({ keepAliveTimeout: 0 }, (request, response) => {
    const connection = sockets.get(request.socket as TLSSocket)
    if (connection !== undefined) onRequest(connection, request, response, handle)
  })

  const server = createTls({
    cert: certificates.cert,
    key: certificates.key,
    minVersion: "TLSv1.2",
    ALPNProtocols: options.http1 ? ["h2", "http/1.1"] : ["h2"]
  })
  server.on("tlsClientError", nothing)
  server.on("connection", (socket) => {
    tcp.add(socket)
    socket.on("close", () => tcp.delete(socket))
  })
  server.on("secureConnection", (socket) => {
    socket.on("error", nothing)
    socket.setNoDelay(true)
    socket.on("close", () => sockets.delete(socket))
    options.onConnection()
    if (socket.alpnProtocol === "h2") {
      opening = socket
      http2.emit("connection", socket)
    } else if (options.http1) {
      sockets.set(socket, { session: null, socket, highest: 0, handledAt: 0, last: Number.POSITIVE_INFINITY })
      http1.emit("connection", socket)
    } else {
      // A client that offers no ALPN at all gets past the negotiation, but there is only HTTP/2 here.
      socket.destroy()
    }
  })

  const host = options.host ?? "127.0.0.1"
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject)
    server.listen(options.port ?? 0, host, 1024, resolve)
  })
  const { port } = server.address() as AddressInfo
  return {
    port,
    url: `https://${authorityOf(options, port)}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        for (const socket of tcp) socket.destroy()
      })
  }
}
