import { connect, createServer, type Socket } from "node:net"
import { serveOrders } from "../Child.ts"

/*
 * A line of some length: hands on what comes, both ways, after half of its round trip each.
 * Arguments: the port to hand on to, the round trip in milliseconds. Answers the only order with its own port.
 */

const [port, roundTripMs] = process.argv.slice(2).map(Number) as [number, number]

const late = (from: Socket, to: Socket): void => {
  const later = (act: () => void) => setTimeout(act, roundTripMs / 2)
  from.on("data", (chunk) => later(() => to.write(chunk)))
  from.on("end", () => later(() => to.end()))
  from.on("error", () => to.destroy())
}

const server = createServer({ noDelay: true }, (near) => {
  const far = connect({ host: "127.0.0.1", port, noDelay: true })
  late(near, far)
  late(far, near)
})
server.listen(0, "127.0.0.1", () =>
  serveOrders(async () => ({ port: (server.address() as { readonly port: number }).port }))
)
