import type { ClientBase } from "pg"
import { Client } from "pg"
import type { AppId, ContactId, WebhookId, WorkflowId, NotificationId } from "../../../services/domain/Ids.ts"
import { uuidv7 } from "../../../services/ports/NewId.ts"

/**
 * Rows for the lists by the million. What makes that quick: ids are made once for all tables; a table is filled without
 * the indexes that no constraint needs, which are built afterwards; triggers and foreign keys are not asked, because
 * what they hold is so by construction; and nothing waits for a disk.
 */

/** An application, and what of it the rows of the lists belong to. */
export interface Place {
  readonly app: AppId
  readonly webhook: WebhookId
  readonly contact: ContactId
  readonly notification: NotificationId
  readonly workflow: WorkflowId
}

/** The user id of the place's contact. */
export const READER = "reader"

interface Table {
  /** What tells its rows apart, and stands for the `id` they were made from. */
  readonly key: string
  readonly columns: string
  /** A row for each `i`, `id` and `at` (the time in the id) of what stands behind FROM. */
  readonly values: (place: Place) => string
  /** What follows FROM: which ones there are rows for, or which go into one. */
  readonly among?: string
}

/** What half of all have, what few have, and the number between that is the dearest to look for in a million. */
const TAGS = `CASE WHEN i % 2 = 0 THEN '{half}'::text[] WHEN i % 10000 = 1 THEN '{rare}' WHEN i % 141 = 1 THEN '{some}'
  ELSE '{}' END`

/** Every table that a list is read from. One whose rows others point at comes before them. */
export const TABLES = {
  contacts: {
    key: "id",
    columns: "app_id, id, external_id, tags",
    values: ({ app }) => `'${app}', id, 'u' || i,
      ${TAGS}`
  },
  devices: {
    key: "id",
    columns: "app_id, id, token_hash, platform, environment, active, token, user_id, tags, created_at",
    values: ({ app }) => `'${app}', id, uuid_send(id), CASE WHEN i % 2 = 0 THEN 'ios' ELSE 'android' END,
      CASE WHEN i % 5 = 0 THEN 'sandbox' ELSE 'production' END, i % 7 <> 0, id::text, 'u' || i,
      ${TAGS}, at`
  },
  channels: {
    key: "id",
    columns: "app_id, id, kind, address, address_key, status",
    values: ({ app }) => `'${app}', id, 'email', 'a' || i, 'a' || i,
      CASE WHEN i % 5 = 0 THEN 'unsubscribed' ELSE 'active' END`
  },
  notifications: {
    key: "id",
    columns: "app_id, id, status, priority, request, expires_at, plan_done, completed_at",
    values: ({ app }) =>
      `'${app}', id, CASE WHEN i % 5 = 0 THEN 'cancelled' WHEN i % 2000 = 1 THEN 'scheduled' ELSE 'completed' END,
      'bulk', '{"to":{"all":true},"content":{"title":"x"}}', at, true, at`
  },
  deliveries: {
    key: "recipient_id",
    columns: "notification_id, recipient_id, provider, status, attempts",
    values: ({ notification }) => `'${notification}', id, 'a', 's', 1`,
    among: "WHERE i % 4 = 0"
  },
  packed_deliveries: {
    key: "first_id",
    columns: "notification_id, first_id, last_id, provider, status, attempts, size, recipients",
    values: ({ notification }) => `'${notification}', (array_agg(id ORDER BY id))[1],
      (array_agg(id ORDER BY id DESC))[1], 'a', 's', 1, count(*), array_agg(id ORDER BY id)`,
    among: "WHERE i % 4 <> 0 GROUP BY i / 500"
  },
  inbox_messages: {
    key: "id",
    columns: "app_id, id, contact_id, title",
    values: ({ app, contact }) => `'${app}', id, '${contact}', 'x'`
  },
  event_chunks: {
    key: "id",
    columns: "app_id, id, event, at, size, common, columns",
    values: ({ app }) => `'${app}', id, 'NOTIFICATION_SENT', at, 1, '{}', '{}'`
  },
  webhook_work_items: {
    key: "id",
    columns: "id, webhook_id, chunk_id",
    values: ({ webhook }) => `id, '${webhook}', id`
  },
  dead_letters: {
    key: "id",
    columns: "app_id, id, kind, error, attempts, webhook_id, notification_id",
    values: ({ app, webhook, notification }) => `'${app}', id,
      CASE WHEN i % 2 = 0 THEN 'webhook' ELSE 'notification' END, 'answered 500', 6,
      CASE WHEN i % 2 = 0 THEN '${webhook}'::uuid END, CASE WHEN i % 2 = 1 THEN '${notification}'::uuid END`
  },
  replays: { key: "id", columns: "app_id, id, filter, status", values: ({ app }) => `'${app}', id, '{}', 'completed'` },
  api_keys: {
    key: "id",
    columns: "app_id, id, kind, hash, hint",
    values: ({ app }) => `'${app}', id, 'public', uuid_send(id) || uuid_send(id), 'pk_'`
  },
  audit_log: {
    key: "id",
    columns: "app_id, id, actor_kind, action, details",
    values: ({ app }) => `'${app}', id, 'system', 'api_key.created', '{}'`
  },
  template_versions: { key: "id", columns: "app_id, id, body", values: ({ app }) => `'${app}', id, '{"locales":{}}'` },
  templates: { key: "id", columns: "app_id, id, name, version_id", values: ({ app }) => `'${app}', id, 'x', id` },
  segments: { key: "id", columns: "app_id, id, name, filter", values: ({ app }) => `'${app}', id, 'x', '{}'` },
  webhooks: {
    key: "id",
    columns: "app_id, id, name, url",
    values: ({ app }) => `'${app}', id, 'x', 'https://example.com/'`
  },
  workflows: {
    key: "id",
    columns: "app_id, id, name, status, version_id, trigger_type",
    values: ({ app }) => `'${app}', id, 'x', CASE WHEN i % 5 = 0 THEN 'archived' ELSE 'draft' END, id, 'api'`
  },
  workflow_versions: {
    key: "id",
    columns: "id, workflow_id, version, definition",
    // No two have one number, whenever they are made.
    values: ({ workflow }) => `id, '${workflow}', (extract(epoch FROM at) * 1000)::bigint % 2147483647,
      '{"trigger":{"type":"api"},"steps":[{"key":"later","type":"DELAY","seconds":60}],"reentry":"always"}'`
  },
  executions: {
    key: "id",
    columns: "app_id, id, workflow_id, version_id, contact_id, user_id, status, position, created_at, ended_at",
    values: ({ app, contact, workflow }) => `'${app}', id, CASE WHEN i % 3 = 0 THEN '${workflow}'::uuid ELSE id END,
      '${workflow}', '${contact}', CASE WHEN i % 7 = 0 THEN '${READER}' ELSE 'u' || i END,
      CASE WHEN i % 5 = 0 THEN 'cancelled' WHEN i % 2000 = 1 THEN 'failed' WHEN i % 2 = 0 THEN 'waiting'
        ELSE 'completed' END, 0, at, CASE WHEN i % 5 = 0 OR i % 2 = 1 THEN at END`
  },
  execution_timers: {
    key: "execution_id",
    columns: "app_id, execution_id, due_at",
    values: ({ app }) => `'${app}', id, now() + interval '1 day'`,
    among: "WHERE i % 2 = 0 AND i % 5 <> 0"
  }
} satisfies Readonly<Record<string, Table>>
export type TableName = keyof typeof TABLES

/** An INSERT of a table's rows out of whatever has the columns `i`, `id` and `at`. */
export const insertOf = (table: TableName, place: Place, from: string): string => {
  const { among = "", columns, values }: Table = TABLES[table]
  return `INSERT INTO ${table} (${columns}) SELECT ${values(place)} FROM ${from} ${among}`
}

/** Two rows follow each other by a minute. */
export const GAP_MS = 60_000

/** An id of a time and of text: the same text gives the same id. Both are SQL. */
const idOf = (ms: string, text: string): string =>
  `(lpad(to_hex(${ms}), 12, '0') || '7' || substr(${text}, 1, 3) || '8' || substr(${text}, 4, 15))::uuid`

/**
 * Ids for `count` rows whose times end at `endMs`, in their order, as a table of this session named `ids`; `salt` tells
 * them from others of the same times.
 */
const makeIds = async (client: ClientBase, count: number, endMs: number, salt: string): Promise<void> => {
  await client.query("DROP TABLE IF EXISTS ids")
  await client.query(`CREATE TEMPORARY TABLE ids AS
    SELECT i, ${idOf("ms", "noise")} AS id, to_timestamp(ms / 1000.0) AS at FROM (
      SELECT i, ${endMs} + (i - ${count})::bigint * ${GAP_MS} AS ms, md5(i || '${salt}') AS noise
      FROM generate_series(1, ${count}) AS i OFFSET 0
    ) AS drawn`)
}

/** The indexes that no constraint needs, taken away; answers how to make them again. */
const dropIndexes = async (client: ClientBase, tables: ReadonlyArray<string>): Promise<ReadonlyArray<string>> => {
  const { rows } = await client.query<{ name: string; definition: string }>(
    `SELECT indexrelid::regclass::text AS name, pg_get_indexdef(indexrelid) AS definition FROM pg_index x
     WHERE indrelid::regclass::text = ANY($1)
       AND NOT EXISTS (SELECT 1 FROM pg_constraint WHERE conindid = x.indexrelid)`,
    [tables]
  )
  for (const { name } of rows) await client.query(`DROP INDEX ${name}`)
  return rows.map(({ definition }) => definition)
}

/** A connection that waits for no disk and for no time limit, for as long as `work` takes. */
export const withClient = async <A>(url: string, work: (client: Client) => Promise<A>): Promise<A> => {
  const client = new Client({ connectionString: url })
  await client.connect()
  try {
    await client.query("SET synchronous_commit = off")
    return await work(client)
  } finally {
    await client.end()
  }
}

/** What the rows of an application belong to, made anew. */
export const makePlace = async (client: ClientBase, app: AppId): Promise<Place> => {
  const place = {
    app,
    webhook: uuidv7() as WebhookId,
    contact: uuidv7() as ContactId,
    notification: uuidv7() as NotificationId,
    workflow: uuidv7() as WorkflowId
  }
  await client.query("INSERT INTO webhooks (id, app_id, name, url) VALUES ($1, $2, 'x', 'https://example.com/')", [
    place.webhook,
    app
  ])
  await client.query("INSERT INTO contacts (id, app_id, external_id) VALUES ($1, $2, $3)", [place.contact, app, READER])
  // Whose versions there are many of: beside these, the one that it shows.
  await client.query(
    "INSERT INTO workflows (app_id, id, name, version_id, trigger_type) VALUES ($1, $2, 'x', $2, 'api')",
    [app, place.workflow]
  )
  await client.query(
    `INSERT INTO workflow_versions (id, workflow_id, version, definition)
     VALUES ($1, $1, 0, '{"trigger":{"type":"api"},"steps":[{"key":"later","type":"DELAY","seconds":60}],"reentry":"always"}')`,
    [place.workflow]
  )
  await client.query(
    `INSERT INTO notifications (id, app_id, status, priority, request, expires_at, plan_done, completed_at)
     VALUES ($1, $2, 'completed', 'bulk', '{"to":{"all":true},"content":{"title":"x"}}', now(), true, now())`,
    [place.notification, app]
  )
  return place
}

/**
 * Puts rows for each place into each of the tables, so many as it says, the last of them of now. What the last place's
 * rows were made from stays in the session's table `ids`.
 */
export const fill = async (
  client: ClientBase,
  tables: ReadonlyArray<TableName>,
  places: ReadonlyArray<readonly [Place, number]>
): Promise<void> => {
  const now = Date.now()
  await client.query("SET session_replication_role = replica")
  await client.query("SET maintenance_work_mem = '512MB'")
  const indexes = await dropIndexes(client, tables)
  for (const [place, count] of places) {
    await makeIds(client, count, now, place.app)
    for (const table of tables) await client.query(insertOf(table, place, "ids"))
  }
  for (const index of indexes) await client.query(index)
  // Also so that nothing tidies up beside what is measured.
  for (const table of tables) await client.query(`VACUUM ANALYZE ${table}`)
  await client.query("RESET session_replication_role")
}
