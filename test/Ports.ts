import { Effect } from "effect"
import { once } from "node:events"
import { createServer } from "node:net"

/** Below the ports that systems give to outgoing connections. */
const [FIRST, LAST] = [20_000, 29_999]

/**
 * A port on loopback for a server that will be killed and come back to it. One that the system chose might be given to
 * an outgoing connection meanwhile: to a client's, even, that seeks the server and so finds itself.
 */
export const lastingPort: Effect.Effect<number> = Effect.promise(async () => {
  while (true) {
    const port = FIRST + Math.floor(Math.random() * (LAST - FIRST + 1))
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
