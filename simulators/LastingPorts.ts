import { createServer } from "node:net"

/** Whether nobody listens there now. */
export const isFree = (host: string, port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const server = createServer()
    server.once("error", () => resolve(false))
    server.listen({ host, port, exclusive: true }, () => server.close(() => resolve(true)))
  })

/**
 * Gives ports of loopback for servers that will be started later, or killed and come back to them: each of the `count`
 * from `first` on once, beginning anywhere, if nobody listens there. They should lie below 32,768, where systems take no
 * ports for outgoing connections: one that the system chose might be given to such a connection meanwhile, to a client's,
 * even, that seeks the server and so finds itself.
 */
export const lastingPorts = (first: number, count: number): (() => Promise<number>) => {
  let given = Math.floor(Math.random() * count)
  return async () => {
    for (let tries = 0; tries < count; tries++) {
      const port = first + (given++ % count)
      if (await isFree("127.0.0.1", port)) return port
    }
    throw new Error(`All ports of 127.0.0.1 from ${first} to ${first + count - 1} are taken. Stop what listens there.`)
  }
}
