import { connect } from "node:net"
import type { Socket } from "node:net"
import { CONTACTS, CREATE_HOOK, DELETE_HOOK, PAGE } from "./Queries.ts"

const print = (line: string): void => void process.stdout.write(`${line}\n`)

/*
 * The load: connections that each have one request under way, for a time. Reads orders as JSON, one a line, and answers
 * each with what happened. An application has twenty webhooks at most: each connection creates one, and deletes it
 * again before the next.
 */

export interface Order {
  readonly port: number
  readonly authorization: string
  readonly appId: string
  readonly connections: number
  readonly ms: number
  /** `list`: the contacts by the REST API. */
  readonly what: "contacts" | "hooks" | "list"
}

export interface Outcome {
  readonly answered: number
  readonly firstRefusal: string | null
  readonly seconds: number
  /** Milliseconds. */
  readonly p50: number
  readonly p99: number
}

const CONTENT_LENGTH = /content-length: (\d+)/i

/** Bodies, one after another; each may need what the answer before it said. */
const bodiesOf = ({ appId, what }: Order) => {
  if (what === "contacts") {
    const body = JSON.stringify({ query: CONTACTS, variables: { appId, first: PAGE } })
    return () => body
  }
  let serial = 0
  return (answer: string) => {
    const { createHook } = answer === "" ? {} : JSON.parse(answer).data
    if (createHook !== undefined) return JSON.stringify({ query: DELETE_HOOK, variables: { id: createHook.id } })
    const input = { name: `Hook ${++serial}`, url: "https://93.184.215.14/hooks", events: ["NOTIFICATION_SENT"] }
    return JSON.stringify({ query: CREATE_HOOK, variables: { appId, input } })
  }
}

const run = async (order: Order): Promise<Outcome> => {
  const isList = order.what === "list"
  const target = isList ? `GET /api/v1/contacts?limit=${PAGE}` : "POST /api/graphql"
  const head = `${target} HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: ${order.authorization}\r\nAccept: application/json\r\n`
  const times: Array<number> = []
  let firstRefusal: string | null = null
  const startedAt = performance.now()
  const endsAt = startedAt + order.ms

  const client = (): Promise<void> =>
    new Promise((resolve, reject) => {
      const socket: Socket = connect({ port: order.port, noDelay: true })
      const bodyAfter = bodiesOf(order)
      let sentAt = 0
      let pending = ""
      let isOver = false
      const post = (answer: string) => {
        const body = isList ? "" : bodyAfter(answer)
        sentAt = performance.now()
        socket.write(
          isList
            ? `${head}\r\n`
            : `${head}Content-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`
        )
      }
      socket.setEncoding("latin1")
      socket.on("connect", () => post(""))
      socket.on("data", (chunk: string) => {
        pending += chunk
        const end = pending.indexOf("\r\n\r\n")
        if (end === -1) return
        const length = Number(CONTENT_LENGTH.exec(pending)?.[1] ?? 0)
        if (pending.length < end + 4 + length) return
        const answer = pending.slice(end + 4)
        if (pending.startsWith("HTTP/1.1 200")) times.push(performance.now() - sentAt)
        else firstRefusal ??= pending
        pending = ""
        // Leaves no webhook behind.
        const isWhole = order.what !== "hooks" || !answer.includes("createHook")
        if (performance.now() < endsAt || !isWhole) return post(answer)
        isOver = true
        socket.destroy()
        resolve()
      })
      socket.on("error", reject)
      socket.on("close", () => {
        if (!isOver) reject(new Error("The server closed a connection with a request under way"))
      })
    })

  await Promise.all(Array.from({ length: order.connections }, client))
  times.sort((a, b) => a - b)
  const at = (share: number) => times[Math.min(times.length - 1, Math.floor(times.length * share))] ?? Number.NaN
  const seconds = (performance.now() - startedAt) / 1000
  return { answered: times.length, firstRefusal, seconds, p50: at(0.5), p99: at(0.99) }
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
