import { Effect, Layer, ManagedRuntime } from "effect"
import { randomBytes } from "node:crypto"
import { readFileSync } from "node:fs"
import http2 from "node:http2"
import { Client, fetch as undiciFetch, Agent } from "undici"
import { layer as fcmLayer } from "../../layers/fcm/FcmProvider.ts"
import { layer as settingsLayer } from "../../layers/config/Settings.ts"
import * as own from "../../layers/http2/OwnHttp2Client.ts"
import { layer as outboundLayer } from "../../layers/outbound/OutboundPolicy.ts"
import { layer as poolsLayer } from "../../layers/outbound/PushPools.ts"
import { layer as smallRequests } from "../../layers/outbound/SmallRequests.ts"
import type { AppId, NotificationId } from "../../services/domain/Ids.ts"
import { uuidv7 } from "../../services/ports/NewId.ts"
import type { Message } from "../../services/domain/sending/Notification.ts"
import { FcmProvider } from "../../services/ports/sending/Provider.ts"
import type { FleetDescription } from "../../simulators/Fleet.ts"
import { serveOrders } from "../Child.ts"
import { CONTENT } from "../mailing/Content.ts"

/*
 * One way of sending a message to many FCM tokens, in a process of its own: one messages:send for each. Arguments: which,
 * port, authorities' certificate file, the service account as JSON.
 */

export interface SendOrder {
  readonly count: number
}
export interface SendAnswer {
  readonly seconds: number
}

const [kind, port, caFile, accountText] = process.argv.slice(2) as [string, string, string, string]
const account = JSON.parse(accountText) as FleetDescription["credentials"]["fcm"]["service_account"]
const ca = readFileSync(caFile, "utf8")
const origin = `https://localhost:${port}`
const path = `/v1/projects/${account.project_id}/messages:send`
const BATCH = 500
const BATCHES = 2
/** Of the others: a little below the sink's limit of 1,000, at which node:http2 has streams refused. */
const AT_ONCE = 900
const TOKENS = Array.from(
  { length: 4096 },
  () => `${randomBytes(8).toString("hex")}:${randomBytes(70).toString("hex")}`
)
const IDS = TOKENS.map(() => uuidv7())

type Send = (count: number) => Promise<unknown>

const provider = async (): Promise<Send> => {
  const settings = settingsLayer({ OUTBOUND_CA_FILE: caFile, OUTBOUND_ALLOW_CIDRS: "127.0.0.0/8,::1/128" })
  const base = Layer.merge(
    own.layer,
    Layer.merge(poolsLayer, smallRequests).pipe(Layer.provideMerge(outboundLayer))
  ).pipe(Layer.provideMerge(settings))
  const runtime = ManagedRuntime.make(fcmLayer.pipe(Layer.provide(base)))
  const { send } = await runtime.runPromise(Effect.service(FcmProvider))
  const appId = uuidv7() as AppId
  const credential = {
    appId,
    version: 1,
    config: { kind: "fcm" as const, value: { service_account: account, endpoint: origin } },
    suspendedReason: null
  }
  return (count) => {
    const message: Message = {
      notificationId: uuidv7() as NotificationId,
      appId,
      content: CONTENT,
      priority: "bulk",
      expiresAt: Date.now() + 259_200_000,
      nowOrNever: false,
      collapseKey: null,
      overrides: {}
    }
    const starts = Array.from({ length: Math.ceil(count / BATCH) }, (_, n) => n * BATCH)
    return runtime.runPromise(
      Effect.forEach(
        starts,
        (start) => {
          const targets = Array.from({ length: Math.min(BATCH, count - start) }, (_, i) => ({
            id: IDS[(start + i) & 4095]!,
            address: TOKENS[(start + i) & 4095]!,
            environment: "production" as const,
            p256dh: null,
            auth: null,
            seenAt: 0
          }))
          return send({ message, credential, targets }, (_, outcome) => {
            if (outcome._tag !== "Ok" || outcome.messageId === null) throw new Error(JSON.stringify(outcome))
          })
        },
        { concurrency: BATCHES, discard: true }
      )
    )
  }
}

/** What a sender without templates serialises for each message. */
const bodyOf = (notificationId: string, index: number): string =>
  JSON.stringify({
    message: {
      token: TOKENS[index & 4095],
      notification: CONTENT,
      data: { service_notification_id: notificationId, service_device_id: IDS[index & 4095] },
      android: { priority: "NORMAL", ttl: "259200s" }
    }
  })

const AUTHORIZATION = `Bearer ${randomBytes(120).toString("base64url")}`
const named = (status: number, text: string): void => {
  if (status !== 200 || typeof (JSON.parse(text) as { name?: unknown }).name !== "string") {
    throw new Error(`answered ${status} ${text}`)
  }
}

const each = async (count: number, one: (index: number) => Promise<void>): Promise<void> => {
  let next = 0
  const worker = async () => {
    while (next < count) await one(next++)
  }
  await Promise.all(Array.from({ length: AT_ONCE }, worker))
}

const nodeHttp2 = async (): Promise<Send> => {
  const session = http2.connect(origin, { ca })
  await new Promise((resolve, reject) => session.once("remoteSettings", resolve).once("error", reject))
  const headers = { ":method": "POST", ":path": path, authorization: AUTHORIZATION, "content-type": "application/json" }
  return (count) => {
    const notificationId = uuidv7()
    return each(
      count,
      (index) =>
        new Promise((resolve, reject) => {
          const stream = session.request(headers)
          let status = 0
          let text = ""
          stream.setEncoding("utf8")
          stream.on("response", (answer) => (status = answer[":status"] ?? 0))
          stream.on("data", (chunk: string) => (text += chunk))
          stream.on("error", reject)
          stream.on("end", () => {
            named(status, text)
            resolve()
          })
          stream.end(bodyOf(notificationId, index))
        })
    )
  }
}

const undici = async (): Promise<Send> => {
  const client = new Client(origin, {
    connect: { ca },
    allowH2: true,
    maxConcurrentStreams: AT_ONCE,
    pipelining: AT_ONCE
  })
  return (count) => {
    const notificationId = uuidv7()
    return each(count, async (index) => {
      const { body, statusCode } = await client.request({
        method: "POST",
        path,
        headers: { authorization: AUTHORIZATION, "content-type": "application/json" },
        body: bodyOf(notificationId, index)
      })
      named(statusCode, await body.text())
    })
  }
}

const fetching = async (): Promise<Send> => {
  const dispatcher = new Agent({
    connect: { ca },
    allowH2: true,
    maxConcurrentStreams: AT_ONCE,
    pipelining: AT_ONCE,
    connections: 1
  })
  return (count) => {
    const notificationId = uuidv7()
    return each(count, async (index) => {
      const response = await undiciFetch(origin + path, {
        dispatcher,
        method: "POST",
        headers: { authorization: AUTHORIZATION, "content-type": "application/json" },
        body: bodyOf(notificationId, index)
      })
      named(response.status, await response.text())
    })
  }
}

const SENDERS: Readonly<Record<string, () => Promise<Send>>> = {
  provider,
  "node:http2": nodeHttp2,
  undici,
  fetch: fetching
}
const send = await SENDERS[kind]!()
serveOrders<SendOrder, SendAnswer>(async ({ count }) => {
  const begun = performance.now()
  await send(count)
  return { seconds: (performance.now() - begun) / 1000 }
})
