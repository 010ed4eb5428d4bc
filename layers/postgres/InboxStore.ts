import { PgTypes } from "@effect/sql-pg"
import type { Schema } from "effect"
import { Effect, Layer, Option } from "effect"
import { SqlClient } from "effect/sql"
import type { AppId, InboxMessageId } from "../../services/domain/Ids.ts"
import { uuidv7 } from "../../services/domain/Ids.ts"
import type { InboxMessage } from "../../services/domain/Inbox.ts"
import { InboxStore } from "../../services/ports/InboxStore.ts"
import { texts, uuids } from "./columns.ts"
import { pageOf } from "./pages.ts"
import { storeError } from "./storeError.ts"

interface MessageRow {
  readonly id: InboxMessageId
  readonly title: string | null
  readonly body: string | null
  readonly url: string | null
  readonly data: Readonly<Record<string, Schema.Json>>
  readonly created_at: Date
  readonly read_at: Date | null
}

const COLUMNS = "id, title, body, url, data, created_at, read_at"

const messageOf = (row: MessageRow): InboxMessage => ({
  id: row.id,
  title: row.title,
  body: row.body,
  url: row.url,
  data: row.data,
  createdAt: row.created_at.getTime(),
  readAt: row.read_at?.getTime() ?? null
})

export const layer: Layer.Layer<InboxStore, never, SqlClient.SqlClient> = Layer.effect(
  InboxStore,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const columns = sql.literal(COLUMNS)

    const owner = (appId: AppId, userId: string) =>
      sql`contact_id = (SELECT id FROM contacts WHERE app_id = ${appId} AND external_id = ${userId})`

    const post: InboxStore["Service"]["post"] = Effect.fnUntraced(function* (appId, message) {
      // Contacts are locked in the order in which everybody locks them.
      const users = [...new Set(message.user_ids)].sort()
      const rows = yield* sql`
        WITH people AS (
          INSERT INTO contacts (id, app_id, external_id)
          SELECT t.id, ${PgTypes.uuid(appId)}, t.external_id
          FROM unnest(${uuids(users.map(() => uuidv7()))}, ${texts(users)}) WITH ORDINALITY AS t (id, external_id, place)
          ORDER BY t.place
          ON CONFLICT (app_id, external_id) DO UPDATE SET external_id = excluded.external_id
          RETURNING id, external_id, no_inbox
        )
        INSERT INTO inbox_messages (id, app_id, contact_id, title, body, url, data)
        SELECT t.id, ${PgTypes.uuid(appId)}, people.id, ${PgTypes.text(message.title ?? null)},
          ${PgTypes.text(message.body ?? null)}, ${PgTypes.text(message.url ?? null)},
          ${PgTypes.text(JSON.stringify(message.data ?? {}))}::json
        FROM people JOIN unnest(${uuids(users.map(() => uuidv7()))}, ${texts(users)}) AS t (id, external_id)
          ON t.external_id = people.external_id
        WHERE NOT people.no_inbox
        RETURNING id`
      return rows.length
    }, storeError("InboxStore.post"))

    const list: InboxStore["Service"]["list"] = (appId, userId, before, limit) =>
      sql<MessageRow>`
        SELECT ${columns} FROM inbox_messages WHERE ${sql.and([
          owner(appId, userId),
          ...(before === null ? [] : [sql`id < ${before}`])
        ])} ORDER BY id DESC LIMIT ${limit + 1}`.pipe(
        Effect.map((rows) => pageOf(rows.map(messageOf), limit)),
        storeError("InboxStore.list")
      )

    const unread: InboxStore["Service"]["unread"] = (appId, userId) =>
      sql<{ readonly count: number }>`
        SELECT count(*)::integer AS count FROM inbox_messages
        WHERE ${owner(appId, userId)} AND read_at IS NULL`.pipe(
        Effect.map((rows) => rows[0]!.count),
        storeError("InboxStore.unread")
      )

    const read: InboxStore["Service"]["read"] = (appId, userId, id) =>
      sql<MessageRow>`
        UPDATE inbox_messages SET read_at = coalesce(read_at, now()) WHERE id = ${id} AND ${owner(appId, userId)}
        RETURNING ${columns}`.pipe(
        Effect.map((rows) => Option.map(Option.fromUndefinedOr(rows[0]), messageOf)),
        storeError("InboxStore.read")
      )

    const readAll: InboxStore["Service"]["readAll"] = (appId, userId) =>
      sql`
        WITH theirs AS (
          SELECT id FROM inbox_messages WHERE ${owner(appId, userId)} AND read_at IS NULL ORDER BY id FOR UPDATE
        )
        UPDATE inbox_messages SET read_at = now() WHERE id IN (SELECT id FROM theirs)
        RETURNING id`.pipe(
        Effect.map((rows) => rows.length),
        storeError("InboxStore.readAll")
      )

    return InboxStore.of({ post, list, unread, read, readAll })
  })
)
