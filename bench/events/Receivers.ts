import type { Socket } from "node:net"
import { createServer } from "node:net"
import { serveOrders } from "../Child.ts"

/*
 * Customers' servers on one port, HTTP/1.1 over bare sockets. `POST /slow` is answered after `SLOW_MS`, everything else
 * at once. Of what is answered at once they note when it came and how old its event was: sender and receivers share the
 * clock of one machine. Run by `Stage.servant` with a port.
 */

export interface ReceiversOrder {
  /** Forgets what was noted, before (`reset`) or after (`take`) it is answered. */
  readonly what: "reset" | "count" | "take"
}

export interface ReceiversAnswer {
  readonly posts: number
  /** Posts that wait for their late answer now. */
  readonly slowOpen: number
  /** Epoch milliseconds of the first and the last post; 0 without one. */
  readonly first: number
  readonly last: number
  /** Milliseconds from each event to its arrival; empty unless taken. */
  readonly ages: ReadonlyArray<number>
}

const SLOW_MS = 9_000
const OK = Buffer.from("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
const END = "\r\n\r\n"
const LENGTH = /content-length: *(\d+)/i
const STAMP = '"timestamp":"'

let ages: Array<number> = []
let posts = 0
let slowOpen = 0
let first = 0
let last = 0

const note = (body: string): void => {
  const now = Date.now()
  const at = body.indexOf(STAMP) + STAMP.length
  ages.push(now - Date.parse(body.slice(at, at + 24)))
  posts++
  if (first === 0) first = now
  last = now
}

const converse = (socket: Socket): void => {
  let pending = ""
  socket.setNoDelay(true)
  socket.setEncoding("latin1")
  socket.on("error", () => socket.destroy())
  socket.on("data", (chunk: string) => {
    pending += chunk
    for (;;) {
      const end = pending.indexOf(END)
      if (end === -1) return
      const whole = end + END.length + Number(LENGTH.exec(pending.slice(0, end))?.[1] ?? 0)
      if (pending.length < whole) return
      const isSlow = pending.startsWith("POST /slow ")
      if (isSlow) {
        slowOpen++
        setTimeout(() => {
          slowOpen--
          if (socket.writable) socket.write(OK)
        }, SLOW_MS)
      } else {
        note(pending.slice(end + END.length, whole))
        socket.write(OK)
      }
      pending = pending.slice(whole)
    }
  })
}

createServer(converse).listen(Number(process.argv[2]), "127.0.0.1", () =>
  serveOrders<ReceiversOrder, ReceiversAnswer>(async ({ what }) => {
    if (what === "reset") [ages, posts, first, last] = [[], 0, 0, 0]
    const answer = { posts, slowOpen, first, last, ages: what === "take" ? ages : [] }
    if (what === "take") [ages, posts, first, last] = [[], 0, 0, 0]
    return answer
  })
)
