import { expect, it } from "@effect/vitest"
import { Effect, Option } from "effect"
import { once } from "node:events"
import type { AddressInfo, Socket } from "node:net"
import { connect, createServer } from "node:net"
import { untilRead } from "./Sockets.ts"

const KIB = 1024

const server = Effect.acquireRelease(
  Effect.promise(async () => {
    const listening = createServer({ pauseOnConnect: true }).listen(0, "127.0.0.1")
    await once(listening, "listening")
    return listening
  }),
  (listening) => Effect.sync(() => listening.close())
)

it.live.skipIf(process.platform !== "linux")("waits until a server has read what was sent to it", () =>
  Effect.gen(function* () {
    const listening = yield* server
    const { port } = listening.address() as AddressInfo
    const ports = new Set([port])
    for (const size of [KIB, 256 * KIB]) {
      const client = yield* Effect.acquireRelease(
        Effect.sync(() => connect(port, "127.0.0.1")),
        (socket) => Effect.sync(() => socket.destroy())
      )
      const [accepted] = yield* Effect.promise(() => once(listening, "connection") as Promise<[Socket]>)
      yield* Effect.promise(() => new Promise<void>((written) => client.write(Buffer.alloc(size), () => written())))
      expect(Option.isNone(yield* Effect.timeoutOption(untilRead(ports), "200 millis"))).toBe(true)
      let received = 0
      accepted.on("data", (data: Buffer) => (received += data.length)).resume()
      yield* untilRead(ports)
      expect(received).toBe(size)
    }
  })
)
