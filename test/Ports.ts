import { Effect } from "effect"
import { once } from "node:events"
import { createServer } from "node:net"

/** Below the ports that systems give to outgoing connections. */
const [FIRST, LAST] = [20_000, 29_999]
/** Ports of a worker of the tests, or of whatever else runs this. */
const OWN = 1_000

/** Test files that run at the same time have ports of their own, and one file gives each of them once. */
const from = FIRST + (Number(process.env["VITEST_POOL_ID"] ?? 0) % ((LAST - FIRST + 1) / OWN)) * OWN
let given = Math.floor(Math.random() * OWN)

/**
 * A port on loopback for a server that will be started later, or killed and come back to it. One that the system chose
 * might be given to an outgoing connection meanwhile: to a client's, even, that seeks the server and so finds itself.
 */
export const lastingPort: Effect.Effect<number> = Effect.promise(async () => {
  while (true) {
    const port = from + (given++ % OWN)
    const server = createServer()
    const isFree = await new Promise<boolean>((resolve) => {
      server.once("error", () => resolve(false))
      server.listen(port, "127.0.0.1", () => resolve(true))
    })
    if (!isFree) continue
    server.close()
    await once(server, "close")
    return port
  }
})
