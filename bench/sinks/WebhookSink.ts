import type { Socket } from "node:net"
import { createServer } from "node:net"
import { serveOrders } from "../Child.ts"
import type { SinkAnswer, SinkOrder } from "./Http2Sink.ts"

/*
 * A customer's server that thinks nothing: HTTP/1.1 POSTs with a Content-Length, each answered 200, no look at what they
 * say. Run by `Stage.servant` with a port. It counts; the simulators check signatures and ids.
 */

const OK = Buffer.from("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
const END = "\r\n\r\n"
const LENGTH = /content-length: *(\d+)/i

let requests = 0
let connections = 0

const converse = (socket: Socket): void => {
  connections++
  let pending = ""
  socket.setNoDelay(true)
  socket.setEncoding("latin1")
  socket.on("error", () => socket.destroy())
  socket.on("data", (chunk: string) => {
    pending += chunk
    let answers = 0
    for (;;) {
      const end = pending.indexOf(END)
      if (end === -1) break
      const length = Number(LENGTH.exec(pending.slice(0, end))?.[1] ?? 0)
      const whole = end + END.length + length
      if (pending.length < whole) break
      pending = pending.slice(whole)
      answers++
    }
    requests += answers
    if (answers === 1) socket.write(OK)
    else if (answers > 1) socket.write(Buffer.concat(Array.from({ length: answers }, () => OK)))
  })
}

createServer(converse).listen(Number(process.argv[2]), "127.0.0.1", () =>
  serveOrders<SinkOrder, SinkAnswer>(async ({ reset }) => {
    const answer = { requests, connections, notable: [], marked: [] }
    if (reset) requests = 0
    return answer
  })
)
