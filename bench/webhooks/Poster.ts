import { Queue, Worker } from "bullmq"
import { Effect, Layer, ManagedRuntime, Scope } from "effect"
import { createHmac, randomUUID } from "node:crypto"
import { Pool } from "undici"
import { layer as settingsLayer } from "../../layers/config/Settings.ts"
import { layer as outboundLayer } from "../../layers/outbound/OutboundPolicy.ts"
import { layer as webhookLayer } from "../../layers/webhook/WebhookClient.ts"
import { deliveryHeaders } from "../../services/engine/webhooks/Attempt.ts"
import type { WebhookAnswer, WebhookPost } from "../../services/ports/webhooks/WebhookClient.ts"
import { WebhookClient } from "../../services/ports/webhooks/WebhookClient.ts"
import { serveOrders } from "../Child.ts"

/*
 * One way of posting signed events to a customer's server, in a process of its own, 64 at once over kept connections of
 * HTTP/1.1. All sign the same text with the same secret. Arguments: which, the receiver's port, Redis' port.
 */

export interface PostOrder {
  readonly count: number
}
export interface PostAnswer {
  readonly seconds: number
}

const AT_ONCE = 64
const SECRET = "whsec_5f8a1c0e7b2d4936a1c8e0f7d5b3"
const [kind, port, redisPort] = process.argv.slice(2) as [string, string, string]
const origin = `http://127.0.0.1:${port}`
const url = `${origin}/webhook`

/** About 400 bytes. */
const bodyOf = (index: number): string =>
  `{"id":"${randomUUID()}","event":"NOTIFICATION_SENT","appId":"01941b2e-7c10-7d3a-9f00-3b1f00000000","timestamp":"2026-01-01T00:00:00.000Z","payload":{"notificationId":"01941b2e-7c10-7d3a-9f00-3b1f00000001","deviceId":"01941b2e-7c10-7d3a-9f00-3b1f${String(index).padStart(8, "0")}","messageId":"8b1a9953-c461-1296-a827-abf8c47804d7","padding":"${"x".repeat(60)}"}}`

const hmac = (secret: string, text: string): string => createHmac("sha256", secret).update(text, "utf8").digest("hex")
const headersOf = (body: string) => deliveryHeaders([SECRET], body, Date.now(), hmac)

type Post = (count: number) => Promise<unknown>

const each = async (count: number, one: (body: string) => Promise<void>): Promise<void> => {
  let next = 0
  const worker = async () => {
    while (next < count) await one(bodyOf(next++))
  }
  await Promise.all(Array.from({ length: AT_ONCE }, worker))
}

const expected = (status: number): void => {
  if (status !== 200) throw new Error(`answered ${status}`)
}

const own = async (): Promise<Post> => {
  const settings = settingsLayer({ OUTBOUND_ALLOW_CIDRS: "127.0.0.0/8" })
  const runtime = ManagedRuntime.make(webhookLayer.pipe(Layer.provide(outboundLayer), Layer.provide(settings)))
  const scope = Effect.runSync(Scope.make())
  const client = await runtime.runPromise(Effect.service(WebhookClient))
  const sender = await runtime.runPromise(Scope.provide(client.open(AT_ONCE), scope))
  return (count) => {
    let posted = 0
    let taken = 0
    const next = (): WebhookPost | null => {
      if (posted === count) return null
      const body = bodyOf(posted++)
      const settle = (answer: WebhookAnswer) => {
        expected(answer._tag === "Status" ? answer.status : 0)
        taken++
      }
      return { url, headers: headersOf(body), body, timeoutMs: 10_000, settle }
    }
    return Effect.runPromise(sender.postAll(next, AT_ONCE)).then(() => {
      if (taken !== count) throw new Error(`${taken} answers to ${count} posts`)
    })
  }
}

const viaDispatch = async (): Promise<Post> => {
  const pool = new Pool(origin, { connections: AT_ONCE, pipelining: 1 })
  return (count) =>
    each(
      count,
      (body) =>
        new Promise((resolve, reject) => {
          let status = 0
          pool.dispatch(
            { method: "POST", path: "/webhook", headers: headersOf(body).flat(), body },
            {
              onRequestStart() {},
              onResponseStart(_: unknown, code: number) {
                status = code
              },
              onResponseData() {},
              onResponseEnd: () => {
                expected(status)
                resolve()
              },
              onResponseError: (_: unknown, error: Error) => reject(error)
            }
          )
        })
    )
}

const viaRequest = async (): Promise<Post> => {
  const pool = new Pool(origin, { connections: AT_ONCE, pipelining: 1 })
  return (count) =>
    each(count, async (text) => {
      const { body, statusCode } = await pool.request({
        method: "POST",
        path: "/webhook",
        headers: headersOf(text).flat(),
        body: text
      })
      expected(statusCode)
      await body.dump()
    })
}

const fetched = async (body: string): Promise<void> => {
  const response = await fetch(url, {
    method: "POST",
    headers: headersOf(body).map(([name, value]): [string, string] => [name, value]),
    body,
    redirect: "manual",
    signal: AbortSignal.timeout(10_000)
  })
  expected(response.status)
  await response.arrayBuffer()
}

const viaFetch = async (): Promise<Post> => (count) => each(count, fetched)

/** One job for each event, as most have it. */
const viaBullMq = async (): Promise<Post> => {
  const connection = { host: "127.0.0.1", port: Number(redisPort) }
  const queue = new Queue<{ readonly body: string }>("webhooks", { connection })
  let left = 0
  let finished = () => {}
  const worker = new Worker<{ readonly body: string }>("webhooks", ({ data }) => fetched(data.body), {
    connection,
    concurrency: AT_ONCE,
    removeOnComplete: { count: 0 }
  })
  worker.on("completed", () => {
    if (--left === 0) finished()
  })
  worker.on("failed", (_, error) => {
    throw error
  })
  await worker.waitUntilReady()
  return async (count) => {
    left = count
    const done = new Promise<void>((resolve) => (finished = resolve))
    for (let from = 0; from < count; from += 1000) {
      const bodies = Array.from({ length: Math.min(1000, count - from) }, (_, i) => bodyOf(from + i))
      await queue.addBulk(bodies.map((body) => ({ name: "webhook", data: { body } })))
    }
    await done
  }
}

const POSTERS: Readonly<Record<string, () => Promise<Post>>> = {
  own,
  dispatch: viaDispatch,
  request: viaRequest,
  fetch: viaFetch,
  bullmq: viaBullMq
}
const post = await POSTERS[kind]!()
serveOrders<PostOrder, PostAnswer>(async ({ count }) => {
  const begun = performance.now()
  await post(count)
  return { seconds: (performance.now() - begun) / 1000 }
})
