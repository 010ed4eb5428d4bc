import { expect, it } from "@effect/vitest"
import { Socket } from "node:net"
import { joinWrites } from "../../../layers/webhook/Connector.ts"

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
