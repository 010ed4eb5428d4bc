import { Queue, Worker } from "bullmq"
import { randomUUID } from "node:crypto"
import { Pool } from "pg"
import { serveOrders } from "../Child.ts"
import { notificationOf, providerOf } from "./NodeApn.ts"

/*
 * The usual home-made stack in one process: devices in PostgreSQL, one BullMQ job for each of them, a worker that sends
 * by @parse/node-apn and writes one row for each delivery. Arguments: sink's port, authority's certificate file,
 * database's URL, Redis' port, how many devices there are.
 */

export interface SendOrder {
  readonly count: number
}
export interface SendAnswer {
  readonly seconds: number
  readonly rows: number
}

interface Data {
  readonly notification: string
  readonly device: string
  readonly token: string
}

const CONCURRENCY = 200
const CONNECTIONS = 20
const PAGE = 1000

const [port, caFile, url, redisPort, devices] = process.argv.slice(2) as [string, string, string, string, string]
const pool = new Pool({ connectionString: url, max: CONNECTIONS })
await pool.query(`CREATE TABLE devices (id uuid PRIMARY KEY, token text NOT NULL)`)
await pool.query(
  `INSERT INTO devices SELECT gen_random_uuid(), md5(n::text) || md5((-n)::text) FROM generate_series(1, $1::int) AS n`,
  [Number(devices)]
)
await pool.query(`CREATE TABLE deliveries (
  id uuid PRIMARY KEY, notification_id uuid NOT NULL, device_id uuid NOT NULL, status text NOT NULL, error text,
  created_at timestamptz NOT NULL DEFAULT now()
)`)
await pool.query(`CREATE INDEX deliveries_notification ON deliveries (notification_id)`)

const connection = { host: "127.0.0.1", port: Number(redisPort) }
const provider = providerOf({ port: Number(port), caFile })
const queue = new Queue<Data>("pushes", { connection })

let left = 0
let finished = () => {}
const worker = new Worker<Data>(
  "pushes",
  async ({ data }) => {
    const { failed } = await provider.send(notificationOf(data.notification, data.device), data.token)
    const failure = failed[0] === undefined ? null : JSON.stringify(failed[0])
    await pool.query(
      "INSERT INTO deliveries (id, notification_id, device_id, status, error) VALUES ($1, $2, $3, $4, $5)",
      [randomUUID(), data.notification, data.device, failure === null ? "sent" : "failed", failure]
    )
  },
  { connection, concurrency: CONCURRENCY, removeOnComplete: { count: 0 } }
)
worker.on("completed", () => {
  if (--left === 0) finished()
})
worker.on("failed", (_, error) => {
  throw error
})
await worker.waitUntilReady()

serveOrders<SendOrder, SendAnswer>(async ({ count }) => {
  const notification = randomUUID()
  const begun = performance.now()
  left = count
  const done = new Promise<void>((resolve) => (finished = resolve))
  let after = "00000000-0000-0000-0000-000000000000"
  for (let added = 0; added < count;) {
    const { rows } = await pool.query<{ readonly id: string; readonly token: string }>(
      "SELECT id, token FROM devices WHERE id > $1 ORDER BY id LIMIT $2",
      [after, Math.min(PAGE, count - added)]
    )
    await queue.addBulk(rows.map(({ id, token }) => ({ name: "push", data: { notification, device: id, token } })))
    added += rows.length
    after = rows.at(-1)!.id
  }
  await done
  const seconds = (performance.now() - begun) / 1000
  const { rows } = await pool.query<{ readonly n: string }>(
    "SELECT count(*) AS n FROM deliveries WHERE notification_id = $1 AND status = 'sent'",
    [notification]
  )
  return { seconds, rows: Number(rows[0]!.n) }
})
