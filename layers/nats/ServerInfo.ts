import { connect } from "node:net"

/** What a server says of itself to whoever connects, as far as it explains why a connection does not come about. */
export interface ServerInfo {
  /** It takes only clients whose certificate it trusts. */
  readonly tls_verify?: boolean
}

const TIMEOUT_MS = 2000
const MOST = 65_536
const PORT = 4222

/** Asks a server (`host:port`) of NATS; null when it does not say. */
export const serverInfoOf = (server: string): Promise<ServerInfo | null> =>
  new Promise((resolve) => {
    const { hostname, port } = new URL(`nats://${server}`)
    const socket = connect({ host: hostname.replace(/^\[(.*)\]$/, "$1"), port: Number(port) || PORT })
    const end = (info: ServerInfo | null) => {
      socket.destroy()
      resolve(info)
    }
    let text = ""
    socket.setTimeout(TIMEOUT_MS, () => end(null))
    socket.setEncoding("utf8")
    socket.on("error", () => end(null))
    socket.on("close", () => end(null))
    socket.on("data", (more: string) => {
      text += more
      const line = /^INFO (\{.*\})\s*\r\n/.exec(text)?.[1]
      if (line === undefined) return text.length > MOST ? end(null) : undefined
      try {
        end(JSON.parse(line) as ServerInfo)
      } catch {
        end(null)
      }
    })
  })

/**
 * Why a connection over TLS ended without a word: the client waits in vain for an answer when a server has refused its
 * certificate, for with TLS 1.3 the refusal comes after the handshake.
 */
export const explain = async (server: string, error: unknown): Promise<unknown> => {
  if (!(error instanceof Error) || error.name !== "TimeoutError") return error
  const info = await serverInfoOf(server)
  return info?.tls_verify === true ? new Error("client certificate required", { cause: error }) : error
}
