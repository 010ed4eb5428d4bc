import fastify from "fastify"
import { randomBytes, randomUUID } from "node:crypto"
import type { AddressInfo } from "node:net"
import { Pool } from "pg"
import { serveOrders } from "../Child.ts"
import { notificationOf, providerOf } from "../mailing/NodeApn.ts"

/*
 * What anyone would write in an afternoon: a route that inserts a row and answers, then sends by @parse/node-apn, then
 * updates the row. It has fewer duties than the engine: tokens stand in its memory, one key is compared, and a message that
 * is under way when the process dies stays `queued` for ever. Arguments: sink's port, authority's certificate file,
 * database's URL, number of devices.
 */

export interface ServerOrder {
  readonly what: "describe"
}
export interface ServerAnswer {
  readonly port: number
  readonly authorization: string
  readonly devices: ReadonlyArray<string>
}

interface Body {
  readonly to: { readonly device_ids: ReadonlyArray<string> }
  readonly content: { readonly title: string; readonly body: string }
}

const CONNECTIONS = 20

const text = { type: "string" } as const
const schema = {
  body: {
    type: "object",
    required: ["to", "content"],
    properties: {
      to: {
        type: "object",
        required: ["device_ids"],
        properties: { device_ids: { type: "array", items: text, minItems: 1, maxItems: 1 } }
      },
      content: { type: "object", required: ["title", "body"], properties: { title: text, body: text } }
    }
  }
} as const

const [sinkPort, caFile, url, count] = process.argv.slice(2) as [string, string, string, string]
const pool = new Pool({ connectionString: url, max: CONNECTIONS })
await pool.query(`CREATE TABLE notifications (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, device_id uuid NOT NULL, title text NOT NULL, body text NOT NULL,
  status text NOT NULL DEFAULT 'queued', error text, created_at timestamptz NOT NULL DEFAULT now(), sent_at timestamptz
)`)
const provider = providerOf({ port: Number(sinkPort), caFile })
const tokens = new Map<string, string>(
  Array.from({ length: Number(count) }, () => [randomUUID(), randomBytes(32).toString("hex")])
)
const authorization = `ApiKey ${randomBytes(24).toString("hex")}`

const send = async (id: string, device: string, token: string, content: Body["content"]): Promise<void> => {
  const { failed } = await provider.send(notificationOf(id, device, content), token)
  const failure = failed[0] === undefined ? null : JSON.stringify(failed[0])
  await pool.query("UPDATE notifications SET status = $2, error = $3, sent_at = now() WHERE id = $1", [
    id,
    failure === null ? "sent" : "failed",
    failure
  ])
}

const app = fastify()
app.post<{ Body: Body }>("/api/v1/notifications", { schema }, async (request, reply) => {
  if (request.headers.authorization !== authorization) return reply.code(401).send({ error: "unauthorized" })
  const { content, to } = request.body
  const device = to.device_ids[0]!
  const token = tokens.get(device)
  if (token === undefined) return reply.code(404).send({ error: "unknown device" })
  const { rows } = await pool.query<{ readonly id: string }>(
    "INSERT INTO notifications (device_id, title, body) VALUES ($1, $2, $3) RETURNING id",
    [device, content.title, content.body]
  )
  const { id } = rows[0]!
  void send(id, device, token, content)
  return reply.code(202).send({ id, status: "queued" })
})
await app.listen({ port: 0, host: "127.0.0.1" })

serveOrders<ServerOrder, ServerAnswer>(async () => ({
  port: (app.server.address() as AddressInfo).port,
  authorization,
  devices: [...tokens.keys()]
}))
