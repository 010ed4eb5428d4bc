import type { Socket } from "node:net"
import { createServer } from "node:net"
import { serveOrders } from "../Child.ts"
import type { SinkAnswer, SinkOrder } from "./Http2Sink.ts"

/*
 * A mail server that thinks nothing: it says yes to every command, takes every mail to its last dot, and looks at none.
 * Run by `Stage.servant` with a port. It counts; the simulators check what mails say.
 */

const END_OF_MAIL = "\r\n.\r\n"
const END_OF_LINE = "\r\n"
const OK = "250 2.0.0 Ok\r\n"
const ANSWERS: Readonly<Record<string, string>> = {
  EHLO: "250-sink\r\n250-8BITMIME\r\n250-ENHANCEDSTATUSCODES\r\n250 SMTPUTF8\r\n",
  DATA: "354 Go ahead\r\n"
}

let requests = 0
let connections = 0

const converse = (socket: Socket): void => {
  connections++
  let pending = ""
  let isMail = false
  socket.setNoDelay(true)
  socket.setEncoding("latin1")
  socket.on("error", () => socket.destroy())
  socket.on("data", (chunk: string) => {
    pending += chunk
    let answer = ""
    for (;;) {
      const mark = isMail ? END_OF_MAIL : END_OF_LINE
      const end = pending.indexOf(mark)
      if (end === -1) break
      const line = pending.slice(0, end)
      pending = pending.slice(end + mark.length)
      if (isMail) requests++
      const command = isMail ? "" : line.slice(0, 4).toUpperCase()
      isMail = command === "DATA"
      answer += ANSWERS[command] ?? OK
      if (command === "QUIT") return void socket.end(answer)
    }
    if (answer !== "") socket.write(answer)
  })
  socket.write("220 sink ESMTP\r\n")
}

createServer(converse).listen(Number(process.argv[2]), "127.0.0.1", () =>
  serveOrders<SinkOrder, SinkAnswer>(async ({ reset }) => {
    const answer = { requests, connections, notable: [], marked: [] }
    if (reset) requests = 0
    return answer
  })
)
