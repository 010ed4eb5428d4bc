import type { IpNetwork } from "effect/net"
import type { IncomingMessage, Server, ServerResponse } from "node:http"
import type { Socket } from "node:net"
import { isProxy, peerAddress } from "./ClientAddress.ts"

/*
 * What connections may cost beside their requests. Headers have 20 seconds, also on a connection on which nothing has
 * come yet; bodies and imports have deadlines of their own. What is left is bounded here.
 */

/** How long what is left of a body may take after its answer, which nobody wants any more, and how much it may be. */
const REST_MS = 5_000
const REST_BYTES = 64 << 20
const LOOK_MS = 100

const hasBody = ({ headers }: IncomingMessage): boolean =>
  headers["content-length"] !== undefined || headers["transfer-encoding"] !== undefined

/**
 * Sees to the rest of a request that was answered before all of it was there. It is read for a while, and thrown away,
 * also where the connection closes with the answer: many clients, and Apache as a proxy, read no answer before they have
 * sent everything. Closed under their hands, they know of a broken connection and of no answer. Node closes at once,
 * Effect's server half a second later, by `destroySoon` and `destroy`, which are the connection's own again afterwards.
 */
export const endRest = (request: IncomingMessage, response: ServerResponse): void => {
  if (request.complete || !hasBody(request)) return
  const { socket } = request
  const own = { destroy: socket.destroy.bind(socket), destroySoon: socket.destroySoon.bind(socket) }
  let timer: NodeJS.Timeout | undefined
  const release = () => {
    clearInterval(timer)
    socket.off("close", release)
    Object.assign(socket, own)
  }
  const over = () => {
    release()
    socket.destroy()
  }
  const readOn = () => {
    if (timer !== undefined) return
    const [until, most] = [performance.now() + REST_MS, socket.bytesRead + REST_BYTES]
    // The client sees the end of its answer.
    socket.end()
    request.removeAllListeners("data").resume()
    timer = setInterval(() => {
      if (request.complete || performance.now() >= until || socket.bytesRead >= most) over()
    }, LOOK_MS).unref()
    request.once("end", over)
    socket.once("end", over)
  }
  const isAnswered = () => response.writableFinished && !request.complete
  socket.destroySoon = () => (isAnswered() ? readOn() : own.destroySoon())
  socket.destroy = (error) => {
    if (isAnswered() && error === undefined) readOn()
    else {
      release()
      own.destroy(error)
    }
    return socket
  }
  socket.once("close", release)
  // The next request of the connection may come long before an answer's time is over: each would listen beside the others.
  request.once("close", () => {
    if (request.complete && timer === undefined) release()
  })
  // Mostly all of it is there, and about to be read.
  setImmediate(() => {
    if (request.complete) return release()
    const wait = () => {
      if ((response as { readonly _last?: boolean })._last === true) return readOn()
      setTimeout(() => (request.complete ? release() : over()), REST_MS).unref()
    }
    if (response.writableFinished) wait()
    else response.prependOnceListener("finish", wait)
  })
}

export interface ConnectionRules {
  /** Open at once from one address, at most. */
  readonly perAddress: number
  /** Not counted: all of their clients come by way of them. */
  readonly trustedProxies: ReadonlyArray<IpNetwork.IpNetwork>
}

/** Closes connections of an address that has as many as it may. It learns nothing: an answer to each would cost more. */
export const boundConnections = (
  server: Server<typeof IncomingMessage>,
  { perAddress, trustedProxies }: ConnectionRules
): void => {
  const isTrusted = isProxy(trustedProxies)
  const open = new Map<string, number>()
  server.on("connection", (socket: Socket) => {
    const peer = socket.remoteAddress ?? ""
    if (isTrusted(peer)) return
    const address = peerAddress(peer)
    const count = open.get(address) ?? 0
    if (count >= perAddress) {
      socket.destroy()
      return
    }
    open.set(address, count + 1)
    socket.once("close", () => {
      const left = open.get(address)! - 1
      if (left === 0) open.delete(address)
      else open.set(address, left)
    })
  })
}
