import { connect } from "node:net"
import type { Socket } from "node:net"

const print = (line: string): void => void process.stdout.write(`${line}\n`)

/*
 * The load: connections that each have one request under way. It reads its orders as JSON, one a line, from its standard
 * input, and answers each with what happened. The client is as lean as can be, because it shares the cores with the
 * server: requests are written as bytes, answers are found by their Content-Length.
 *
 * In a closed loop each connection sends its next request when the answer is there, for a time. In an open one, requests
 * come at random moments, so many a second, whatever became of those before: what waits for an answer is no reason to wait.
 */

export interface Order {
  readonly port: number
  readonly path: string
  readonly authorization: string
  /** All of them in a closed loop; in an open one those that are there at its beginning: more are opened as they are needed. */
  readonly connections: number
  /** A closed loop: for how long. */
  readonly ms: number
  /** An open loop, which `ms` does not matter to: the same moments for the same seed. */
  readonly open?: { readonly perSecond: number; readonly count: number; readonly seed: number }
  /** A device's registration with a token that was never seen, or a notification to one of these devices. */
  readonly devices: ReadonlyArray<string> | null
  /** What `devices` names: a device itself, or its user. */
  readonly to?: "device_ids" | "user_ids"
  /** Of notifications; the service's default unless given. */
  readonly priority?: "high"
  /** Whether the answer is to say when each request was sent. */
  readonly isTimed?: boolean
}

export interface Outcome {
  readonly answered: number
  readonly refused: number
  readonly firstRefusal: string | null
  readonly seconds: number
  /** Milliseconds. */
  readonly p50: number
  readonly p99: number
  /** When the request with each serial number, from `first` on, was sent: milliseconds since the epoch. */
  readonly sent: { readonly first: number; readonly at: ReadonlyArray<number> } | null
}

/** Stands before a request's serial number in the body of its message. */
export const MARK = "The first light of the day "

let serial = Date.now()

const bodyOf = ({ devices, priority, to = "device_ids" }: Pick<Order, "devices" | "priority" | "to">): string => {
  serial++
  if (devices === null) {
    const token = serial.toString(16).padStart(64, "0")
    return `{"token":"${token}","platform":"ios","user_id":"user-${serial}","tags":["news","beta"],"timezone":"Europe/Berlin"}`
  }
  const id = devices[serial % devices.length]
  const rest = priority === undefined ? "" : `,"priority":"${priority}"`
  return `{"to":{"${to}":["${id}"]},"content":{"title":"Hello","body":"${MARK}${serial}"}${rest}}`
}

const CONTENT_LENGTH = /content-length: (\d+)/i

/** Numbers between 0 and 1 that look random and are the same for the same seed (mulberry32). */
const randomFrom = (seed: number) => (): number => {
  seed = (seed + 0x6d2b79f5) | 0
  let mixed = Math.imul(seed ^ (seed >>> 15), 1 | seed)
  mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
  return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
}

interface Client {
  readonly post: () => void
  readonly close: () => void
  /** Whether it has been idle for so long that the server may be closing it just now. */
  readonly isStale: () => boolean
}

/** Of 5 seconds, which servers on node:http wait for the next request. */
const STALE_MS = 3000

const run = async (order: Order): Promise<Outcome> => {
  const head = `POST ${order.path} HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: ${order.authorization}\r\nContent-Type: application/json\r\nContent-Length: `
  const times: Array<number> = []
  const sent = { first: serial + 1, at: [] as Array<number> }
  let refused = 0
  let firstRefusal: string | null = null

  const connected = (
    whenConnected: (client: Client) => void,
    whenAnswered: (client: Client) => void,
    fail: (error: Error) => void
  ): void => {
    const socket: Socket = connect({ port: order.port, noDelay: true })
    let sentAt = 0
    let freeAt = 0
    let isFree = false
    let pending = ""
    const client: Client = {
      post: () => {
        isFree = false
        sentAt = performance.now()
        const body = bodyOf(order)
        if (order.isTimed === true) sent.at.push(performance.timeOrigin + sentAt)
        socket.write(`${head}${body.length}\r\n\r\n${body}`)
      },
      close: () => socket.destroy(),
      isStale: () => performance.now() - freeAt > STALE_MS
    }
    const free = () => {
      isFree = true
      freeAt = performance.now()
    }
    socket.setEncoding("latin1")
    socket.on("connect", () => {
      free()
      whenConnected(client)
    })
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
      free()
      whenAnswered(client)
    })
    socket.on("error", (error) => {
      if (!isFree) fail(error)
    })
    socket.on("close", () => {
      if (!isFree) fail(new Error("The server closed a connection with a request under way"))
    })
  }

  const closed = (): Promise<void> =>
    new Promise((resolve, reject) => {
      const endsAt = performance.now() + order.ms
      let left = order.connections
      const next = (client: Client) => {
        if (performance.now() < endsAt) return client.post()
        client.close()
        if (--left === 0) resolve()
      }
      for (let n = 0; n < order.connections; n++) connected(next, next, reject)
    })

  const open = ({ count, perSecond, seed }: NonNullable<Order["open"]>): Promise<void> =>
    new Promise((resolve, reject) => {
      const random = randomFrom(seed)
      // The last one to become idle is the first to be taken: if that is stale, all are.
      let idle: Array<Client> = []
      const taken = (): Client | undefined => {
        if (idle.at(-1)?.isStale() !== true) return idle.pop()
        for (const client of idle) client.close()
        idle = []
        return undefined
      }
      let [due, asked, answered] = [0, 0, 0]
      const whenAnswered = (client: Client) => {
        idle.push(client)
        if (++answered < count) return
        for (const each of idle) each.close()
        resolve()
      }
      const send = (): void => {
        for (; asked < count && due <= performance.now(); asked++) {
          const client = taken()
          if (client === undefined) connected((fresh) => fresh.post(), whenAnswered, reject)
          else client.post()
          due -= (Math.log(1 - random()) * 1000) / perSecond
        }
        if (asked < count) setTimeout(send, Math.max(0, due - performance.now()))
      }
      const whenConnected = (client: Client) => {
        idle.push(client)
        if (idle.length < order.connections) return
        due = performance.now()
        send()
      }
      for (let n = 0; n < order.connections; n++) connected(whenConnected, whenAnswered, reject)
    })

  const startedAt = performance.now()
  await (order.open === undefined ? closed() : open(order.open))
  const seconds = (performance.now() - startedAt) / 1000
  times.sort((a, b) => a - b)
  const at = (share: number) => times[Math.min(times.length - 1, Math.floor(times.length * share))] ?? Number.NaN
  return {
    answered: times.length,
    refused,
    firstRefusal,
    seconds,
    p50: at(0.5),
    p99: at(0.99),
    sent: order.isTimed === true ? sent : null
  }
}

if (import.meta.main) {
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
}
