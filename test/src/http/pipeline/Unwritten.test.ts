import { once } from "node:events"
import type { Server, ServerResponse } from "node:http"
import { createServer } from "node:http"
import type { AddressInfo, Socket } from "node:net"
import { connect } from "node:net"
import { afterEach, describe, expect, it } from "vitest"
import { GracefulShutdown } from "../../../../src/http/pipeline/GracefulShutdown.ts"
import { Unwritten } from "../../../../src/http/pipeline/Unwritten.ts"

const MEGABYTE = 1 << 20
/** More than the buffers of a connection take. */
const ANSWER = "x".repeat(32 * MEGABYTE)

let server: Server
const clients: Array<Socket> = []
afterEach(() => {
  for (const client of clients.splice(0)) client.destroy()
  server.close()
})

/** A server that answers at length, and what its answers hold. */
const start = async (
  most: number,
  answer: (response: ServerResponse) => void = (response) => void response.end(ANSWER)
): Promise<Unwritten> => {
  const unwritten = new Unwritten(most)
  server = createServer({ ServerResponse: new GracefulShutdown().responses(unwritten) }, (_, response) =>
    answer(response)
  )
  server.listen(0, "127.0.0.1")
  await once(server, "listening")
  return unwritten
}

/** A client that asks, and reads the beginning alone. */
const ask = async (): Promise<Socket> => {
  const client = connect((server.address() as AddressInfo).port, "127.0.0.1")
  clients.push(client)
  client.on("error", () => {})
  client.write("GET / HTTP/1.1\r\nHost: x\r\n\r\n")
  await once(client, "readable")
  return client
}

const read = async (client: Socket): Promise<number> => {
  let bytes = 0
  client.on("data", (chunk: Buffer) => {
    bytes += chunk.length
    if (bytes >= ANSWER.length) client.end()
  })
  await once(client, "close")
  return bytes
}

describe("answers that nobody reads", () => {
  it("are counted until they have gone out", async () => {
    const unwritten = await start(1024 * MEGABYTE)
    const client = await ask()
    expect(unwritten.bytes).toBeGreaterThanOrEqual(ANSWER.length)
    await read(client)
    expect(unwritten.bytes).toBe(0)
  })

  it("are counted no longer when their client has gone", async () => {
    const unwritten = await start(1024 * MEGABYTE)
    const client = await ask()
    const closed = new Promise<void>((resolve) =>
      server.once("request", (request) => request.socket.once("close", () => resolve()))
    )
    const other = await ask()
    other.destroy()
    await closed
    expect(unwritten.bytes).toBeLessThan(2 * ANSWER.length)
    await read(client)
  })

  it("are given up for new ones beyond what all may hold, the oldest first", async () => {
    const unwritten = await start(80 * MEGABYTE)
    const [oldest, second, newest] = [await ask(), await ask(), await ask()]
    expect(unwritten.bytes).toBeLessThanOrEqual(80 * MEGABYTE)
    expect(await read(oldest)).toBeLessThan(ANSWER.length)
    expect(await read(second)).toBeGreaterThanOrEqual(ANSWER.length)
    expect(await read(newest)).toBeGreaterThanOrEqual(ANSWER.length)
  })

  it("are counted of streams as well, until they have gone out, and are given up there", async () => {
    const streams: Array<ServerResponse> = []
    const unwritten = await start(80 * MEGABYTE, (response) => {
      streams.push(response)
      response.write(ANSWER)
    })
    const oldest = await ask()
    expect(unwritten.bytes).toBeGreaterThanOrEqual(ANSWER.length)
    const drained = once(streams[0]!, "drain")
    oldest.on("data", () => {})
    await drained
    expect(unwritten.bytes).toBe(0)
    oldest.pause()
    streams[0]!.write(ANSWER)
    const second = await ask()
    const newest = await ask()
    expect(streams.map(({ destroyed }) => destroyed)).toEqual([true, false, false])
    expect(unwritten.bytes).toBeLessThanOrEqual(80 * MEGABYTE)
    for (const stream of streams.slice(1)) stream.end()
    expect(await read(second)).toBeGreaterThanOrEqual(ANSWER.length)
    expect(await read(newest)).toBeGreaterThanOrEqual(ANSWER.length)
    expect(unwritten.bytes).toBe(0)
  })

  it("are counted of small pieces of a stream too, of which there may be many", async () => {
    const { promise, resolve } = Promise.withResolvers<void>()
    let counted = 0
    const unwritten: Unwritten = await start(80 * MEGABYTE, (response) => {
      response.write("x".repeat(20_000), () => resolve())
      counted = unwritten.bytes
    })
    await ask()
    await promise
    expect(counted).toBeGreaterThanOrEqual(20_000)
    expect(unwritten.bytes).toBe(0)
  })
})
