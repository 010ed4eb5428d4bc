import { connect } from "node:net"
import type { Socket } from "node:net"

const print = (line: string): void => void process.stdout.write(`${line}\n`)

/*
 * The load: connections that each have one request under way. It reads its orders as JSON, one a line, from its standard
 * input, and answers each with what happened. The client is as lean as can be, because it shares the cores with the
 * server: requests are written as bytes, answers are found by their Content-Length.
 */

export interface Order {
  readonly port: number
  readonly path: string
  readonly authorization: string
  readonly connections: number
  readonly ms: number
  /** A device's registration with a token that was never seen, or a notification to one of these devices. */
  readonly devices: ReadonlyArray<string> | null
}

export interface Outcome {
  readonly answered: number
  readonly refused: number
  readonly firstRefusal: string | null
  readonly seconds: number
  /** Milliseconds. */
  readonly p50: number
  readonly p99: number
}

let serial = Date.now()

const bodyOf = (devices: Order["devices"]): string => {
  serial++
  if (devices === null) {
    const token = serial.toString(16).padStart(64, "0")
    return `{"token":"${token}","platform":"ios","user_id":"user-${serial}","tags":["news","beta"],"timezone":"Europe/Berlin"}`
  }
  const id = devices[serial % devices.length]
  return `{"to":{"device_ids":["${id}"]},"content":{"title":"Hello","body":"The first light of the day ${serial}"},"priority":"high"}`
}

const CONTENT_LENGTH = /content-length: (\d+)/i

const run = async (order: Order): Promise<Outcome> => {
  const head = `POST ${order.path} HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: ${order.authorization}\r\nContent-Type: application/json\r\nContent-Length: `
  const times: Array<number> = []
  let refused = 0
  let firstRefusal: string | null = null
  const startedAt = performance.now()
  const endsAt = startedAt + order.ms

  const converse = (socket: Socket): Promise<void> =>
    new Promise((resolve, reject) => {
      let sentAt = 0
      let pending = ""
      const next = () => {
        sentAt = performance.now()
        if (sentAt >= endsAt) {
          socket.destroy()
          return resolve()
        }
        const body = bodyOf(order.devices)
        socket.write(`${head}${body.length}\r\n\r\n${body}`)
      }
      socket.setEncoding("latin1")
      socket.on("data", (chunk: string) => {
        pending += chunk
        const end = pending.indexOf("\r\n\r\n")
        if (end === -1) return
        const length = Number(CONTENT_LENGTH.exec(pending)?.[1] ?? 0)
        if (pending.length < end + 4 + length) return
        if (pending.startsWith("HTTP/1.1 20")) times.push(performance.now() - sentAt)
        else {
          refused++
          firstRefusal ??= pending
        }
        pending = ""
        next()
      })
      socket.on("error", reject)
      next()
    })

  await Promise.all(
    Array.from({ length: order.connections }, () => converse(connect({ port: order.port, noDelay: true })))
  )
  const seconds = (performance.now() - startedAt) / 1000
  times.sort((a, b) => a - b)
  const at = (share: number) => times[Math.min(times.length - 1, Math.floor(times.length * share))] ?? Number.NaN
  return { answered: times.length, refused, firstRefusal, seconds, p50: at(0.5), p99: at(0.99) }
}

process.stdin.setEncoding("utf8")
let input = ""
for await (const chunk of process.stdin) {
  input += chunk
  for (let end = input.indexOf("\n"); end !== -1; end = input.indexOf("\n")) {
    const order = JSON.parse(input.slice(0, end)) as Order
    input = input.slice(end + 1)
    print(JSON.stringify(await run(order)))
  }
}
