import type { Socket } from "node:net"
import { connect as connectTcp, isIP } from "node:net"
import type { SecureContext } from "node:tls"
import { connect as connectTls } from "node:tls"
import type { buildConnector } from "undici"
import { guardAnswers } from "../../services/ports/outbound/AnswerBytes.ts"
import { Deadline } from "../../services/ports/outbound/Deadline.ts"

/** The socket reached an address that may not be called. */
export class AddressRefused extends Error {}

/** No connection came about in time. */
export class ConnectTimeout extends Error {}

/**
 * Sockets that a process opens in one turn of its event loop. Each becomes several events of the turns that follow, and
 * hundreds at a time, of receivers that close every connection, keep all else that the process does waiting for them.
 */
const OPENED_A_TURN = 16

/** First come, first served. */
const waiting: Array<() => void> = []
let opened = 0

const openNow = (open: () => void): void => {
  if (opened++ === 0) setImmediate(nextTurn)
  open()
}

const nextTurn = (): void => {
  opened = 0
  for (const open of waiting.splice(0, OPENED_A_TURN)) openNow(open)
}

/** Calls `open` in this turn, or in one of the next. */
const inTurn = (open: () => void): void => {
  if (opened < OPENED_A_TURN) openNow(open)
  else waiting.push(open)
}

export interface Destination {
  readonly secure: boolean
  /** The host of the URL without brackets: what the certificate must be for, and SNI unless it is an address. */
  readonly host: string
  /** A literal that was checked; nothing is resolved here. */
  readonly address: string
  readonly port: number
}

/**
 * What is written while a socket is corked leaves it as one chunk. Undici writes a head and a body; given both, Node
 * makes a list of them and a store for the head, which costs more than to copy 500 bytes: an eighth of a whole post.
 */
export const joinWrites = (socket: Socket): Socket => {
  socket._writev = (parts, done) => {
    const chunks = parts.map(({ chunk, encoding }: (typeof parts)[number]) =>
      typeof chunk === "string" ? Buffer.from(chunk, encoding) : chunk
    )
    socket._write(Buffer.concat(chunks), "buffer" as BufferEncoding, done)
  }
  return socket
}

/** Opens sockets to one checked address. `allows` judges where the socket really ended up, before a byte is written. */
export const makeConnector = (
  to: Destination,
  secureContext: SecureContext,
  allows: (address: string) => boolean,
  timeoutMs: () => number
): buildConnector.connector => {
  /** TLS sessions are kept for this address only: resuming one costs a fraction of a new handshake. */
  let session: Buffer | undefined

  const open = (): Socket => {
    const where = { host: to.address, port: to.port, noDelay: true, keepAlive: true, keepAliveInitialDelay: 60_000 }
    if (!to.secure) return guardAnswers(joinWrites(connectTcp(where)))
    const socket = connectTls({
      ...where,
      secureContext,
      ALPNProtocols: ["http/1.1"],
      // SNI knows no addresses; without a name the certificate is checked against the address.
      ...(isIP(to.host) === 0 ? { servername: to.host } : {}),
      ...(session === undefined ? {} : { session })
    })
    return guardAnswers(joinWrites(socket.on("session", (it) => (session = it))))
  }

  return (_, callback) =>
    inTurn(() => {
      const socket = open()
      let told = false
      const tell = (error: Error | null): void => {
        timer.clear()
        if (told) return
        told = true
        if (error === null) callback(null, socket)
        else {
          socket.destroy()
          callback(error, null)
        }
      }
      const timer = new Deadline(timeoutMs(), () => tell(new ConnectTimeout("no connection in time")))
      socket.once("connect", () => {
        if (!allows(socket.remoteAddress ?? "")) tell(new AddressRefused("the address is not allowed"))
        else if (!to.secure) tell(null)
      })
      if (to.secure) socket.once("secureConnect", () => tell(null))
      // It stays for the socket's whole life: later errors are the pool's, which has its own ears.
      socket.on("error", tell)
      socket.once("close", () => tell(new Error("closed while it was made")))
    })
}
