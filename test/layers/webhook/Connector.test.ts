import { expect, it } from "@effect/vitest"
import { once } from "node:events"
import type { AddressInfo, Socket as ServerSocket } from "node:net"
import { createServer, Socket } from "node:net"
import { createSecureContext } from "node:tls"
import { joinWrites, makeConnector } from "../../../layers/webhook/Connector.ts"

it("hands what is written while corked to the socket as one chunk, byte for byte", () => {
  const chunks: Array<unknown> = []
  const socket = joinWrites(new Socket())
  socket._write = (chunk, _, done) => {
    chunks.push(chunk)
    done()
  }
  socket.cork()
  socket.write("x-name: \u00e9\r\n\r\n", "latin1")
  socket.write(Buffer.from('{"é":"🔑"}'))
  socket.uncork()
  expect(chunks).toEqual([Buffer.concat([Buffer.from("x-name: \u00e9\r\n\r\n", "latin1"), Buffer.from('{"é":"🔑"}')])])
  // And tells every writer that it is done.
  expect(socket.writableLength).toBe(0)
  socket.destroy()
})

const beingOpened = () => process.getActiveResourcesInfo().filter((kind) => kind === "ConnectWrap").length

it("opens sixteen sockets in a turn of the event loop, the others in those that follow, and again after a pause", async () => {
  const accepted = new Set<ServerSocket>()
  const server = createServer((socket) => accepted.add(socket.on("error", () => {}))).listen(0, "127.0.0.1")
  await once(server, "listening")
  const { port } = server.address() as AddressInfo
  const to = { secure: false, host: "127.0.0.1", address: "127.0.0.1", port }
  const connect = makeConnector(
    to,
    createSecureContext(),
    () => true,
    () => 10_000
  )
  const order: Array<number> = []
  const open = (n: number) =>
    new Promise<Socket>((resolve, reject) =>
      connect({} as never, (error, socket) => {
        if (error !== null) return reject(error)
        order.push(n)
        resolve(socket)
      })
    )
  const opened: Array<Socket> = []
  for (const count of [100, 3, 100]) {
    const before = beingOpened()
    const opening = Array.from({ length: count }, (_, n) => open(n))
    // Node begins with it when the caller is done.
    await new Promise<void>((resolve) => process.nextTick(resolve))
    expect(beingOpened() - before).toBe(Math.min(count, 16))
    opened.push(...(await Promise.all(opening)))
    expect(order.splice(0)).toEqual(Array.from({ length: count }, (_, n) => n))
  }
  for (const socket of [...opened, ...accepted]) socket.destroy()
  await new Promise((resolve) => server.close(resolve))
})
