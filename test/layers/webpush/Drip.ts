import { once } from "node:events"
import type { AddressInfo } from "node:net"
import * as tls from "node:tls"
import * as raw from "../http2/RawPeer.ts"
import { RawConnection } from "../http2/RawPeer.ts"

/**
 * A process of its own, so that what it holds is not counted as the sender's: push services that take every message
 * (201), and then say the bodies of their answers in frames of one byte, one answer after the other, without an end.
 */
export interface Order {
  readonly key: string
  readonly cert: string
  readonly services: number
  /** Each service begins with the bodies when so many messages have come. */
  readonly messages: number
  /** One-byte DATA frames of each body. */
  readonly frames: number
}

const serve = async ({ key, cert, messages, frames }: Order): Promise<number> => {
  let taken = 0
  const bodies: Array<() => void> = []
  const server = tls.createServer({ key, cert, ALPNProtocols: ["h2"] }, async (socket) => {
    const connection = new RawConnection(socket)
    connection.send(raw.settings())
    for (;;) {
      const id = await connection.request()
      connection.send(raw.headers(id, [[":status", "201"]], false))
      const byte = raw.data(id, "x", false)
      bodies.push(() => connection.send(Buffer.alloc(byte.length * frames, byte)))
      if (++taken >= messages) for (const body of bodies.splice(0)) body()
    }
  })
  server.on("tlsClientError", () => {})
  server.listen(0, "127.0.0.1")
  await once(server, "listening")
  return (server.address() as AddressInfo).port
}

process.once("message", async (order: Order) => {
  process.send!(await Promise.all(Array.from({ length: order.services }, () => serve(order))))
})
process.once("disconnect", () => process.exit())
