import { readFileSync } from "node:fs"
import { isIP } from "node:net"
import * as tls from "node:tls"
import { Effect } from "effect"
import type { Http2Failure, Http2Origin } from "../../services/ports/outbound/Http2Client.ts"
import { Settings } from "../config/Settings.ts"
import { failure } from "./Http2Connection.ts"

/**
 * Opens a TLS socket that speaks HTTP/2; tells `done` once, with undefined or why it did not come about. With `read`,
 * what the peer says is handed to it, in memory that the next chunk is written over, and not to `data`.
 */
export type Dial = (
  origin: Http2Origin,
  done: (failure: Http2Failure | undefined) => void,
  read?: (bytes: Buffer, length: number) => void
) => tls.TLSSocket

/** For all connections: a chunk is done with before the next one is read. It holds the largest record of TLS. */
const shared = Buffer.allocUnsafeSlow(1 << 14)

export const bareHost = (host: string): string => host.replace(/^\[(.*)\]$/, "$1")

/** The :authority of an origin. */
export const authorityOf = (origin: Http2Origin): string => {
  const host = bareHost(origin.host)
  const shown = isIP(host) === 6 ? `[${host}]` : host
  return origin.port === 443 ? shown : `${shown}:${origin.port}`
}

/**
 * Makes a way to dial for each pool, so for one origin and one credential: connections of a pool resume each other's TLS
 * sessions, which spares both ends most of a handshake; nobody else's.
 * Trust is Node's own (its roots, NODE_EXTRA_CA_CERTS, NODE_TLS_REJECT_UNAUTHORIZED), widened by `outboundCaFile`.
 * Dies when that file cannot be read.
 */
export const makeDials: Effect.Effect<() => Dial, never, Settings> = Effect.gen(function* () {
  const { outboundCaFile } = yield* Settings
  const trust: tls.SecureContextOptions =
    outboundCaFile === null
      ? {}
      : { ca: [...tls.getCACertificates("default"), yield* Effect.sync(() => readFileSync(outboundCaFile, "utf8"))] }
  // One context for all connections: parsing a hundred root certificates costs more than a handshake.
  const secureContext = tls.createSecureContext(trust)
  return () => dialWith(secureContext)
})

const dialWith = (secureContext: tls.SecureContext): Dial => {
  /** The last one that the origin gave; one is enough, as it says of none that it counts once. */
  let session: Buffer | undefined
  return (origin, done, read) => {
    const host = bareHost(origin.host)
    const socket = tls.connect({
      host: origin.address ?? host,
      port: origin.port,
      // SNI knows no addresses; the certificate is then checked against the address itself.
      ...(isIP(host) === 0 ? { servername: host } : {}),
      ALPNProtocols: ["h2"],
      secureContext,
      ...(session !== undefined && { session }),
      ...(read !== undefined && {
        onread: {
          buffer: shared,
          callback: (length: number) => {
            read(shared, length)
            return true
          }
        }
      })
    })
    socket.setNoDelay(true)
    socket.on("session", (it) => (session = it))
    let told = false
    const tell = (failure: Http2Failure | undefined) => {
      if (told) return
      told = true
      // Whatever is wrong, it shall not be an old session.
      if (failure !== undefined) session = undefined
      done(failure)
    }
    socket.once("connect", () => {
      if (origin.allows !== undefined && !origin.allows(socket.remoteAddress ?? "")) {
        tell(failure("connect", "the address may not be called", true))
        socket.destroy()
      }
    })
    socket.once("secureConnect", () =>
      tell(socket.alpnProtocol === "h2" ? undefined : failure("not_http2", "the peer does not offer HTTP/2", true))
    )
    socket.on("error", (error: NodeJS.ErrnoException) =>
      tell(
        error.code === "ERR_SSL_TLSV1_ALERT_NO_APPLICATION_PROTOCOL"
          ? failure("not_http2", "the peer does not offer HTTP/2", true)
          : failure("connect", error.code ?? error.message, true)
      )
    )
    socket.once("close", () => tell(failure("connect", "the connection was closed while it was made", true)))
    return socket
  }
}
