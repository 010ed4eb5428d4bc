import { PgClient, PgTypes } from "@effect/sql-pg"
import type { Schema } from "effect"
import { Effect, Layer, Option } from "effect"
import type { AppId, InboxMessageId } from "../../../services/domain/Ids.ts"
import { uuidv7 } from "../../../services/ports/NewId.ts"
import type { InboxMessage, InboxNews } from "../../../services/domain/inbox/Inbox.ts"
import { InboxStore } from "../../../services/ports/inbox/InboxStore.ts"
import { notedOfPeople } from "../access/auditEntry.ts"
import { coalesce, refusalBySql } from "../server/Coalesce.ts"
import { texts, uuids } from "../server/columns.ts"
import { notify } from "./InboxNotices.ts"
import { inboxChannels } from "./inboxChannels.ts"
import type { Cut } from "../server/pages.ts"
import { cutByBytes, cutPageOf } from "../server/pages.ts"
import { storeError } from "../server/storeError.ts"

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

interface NewsRow {
  readonly place: number
  readonly position: string
  readonly isAhead: boolean
  readonly unread: number
  /** Of the messages that there are, up to one more than are shown. */
  readonly count: number
  readonly messages: ReadonlyArray<
    Omit<MessageRow, "created_at" | "read_at"> & { readonly created_at: string; readonly read_at: string | null }
  > | null
}

/** Messages that a reader is told of at once, and the newest of an inbox among which they are looked for. */
const NEWS = 100
const LOOKED_AT = 500
/**
 * Bytes of their text, and no more: all of a reader's are one value of the answer, in which a character may take six
 * bytes, and the connection, which others use as well, ends with a value of 16 MiB.
 */
const NEWS_BYTES = 1 << 20

/** A snapshot as PostgreSQL writes it, `xmin:xmax:xip,…`, which it refuses to read when it is in any other order. */
const isPosition = (text: string): boolean => {
  const [, least, most, open] = /^(\d{1,18}):(\d{1,18}):((?:\d{1,18}(?:,\d{1,18})*)?)$/.exec(text) ?? []
  if (least === undefined || most === undefined || open === undefined || text.length > 8192) return false
  const ids = open === "" ? [] : open.split(",").map(BigInt)
  const [xmin, xmax] = [BigInt(least), BigInt(most)]
  return xmin > 0n && xmin <= xmax && ids.every((id, i) => id >= xmin && id < xmax && (i === 0 || id > ids[i - 1]!))
}

export const layer: Layer.Layer<InboxStore, never, PgClient.PgClient> = Layer.effect(
  InboxStore,
  Effect.gen(function* () {
    const sql = yield* PgClient.PgClient
    const columns = sql.literal(COLUMNS)
    const { ensureContacts } = inboxChannels(sql)

    const owner = (appId: AppId, userId: string) =>
      sql`contact_id = (SELECT id FROM contacts WHERE app_id = ${appId} AND external_id = ${userId})`

    const insert = Effect.fnUntraced(function* (appId: AppId, message: Parameters<InboxStore["Service"]["post"]>[1]) {
      const people = (yield* ensureContacts(appId, message.user_ids)).filter(({ noInbox }) => !noInbox)
      const rows = yield* sql`
        INSERT INTO inbox_messages (id, app_id, contact_id, title, body, url, data)
        SELECT t.id, ${PgTypes.uuid(appId)}, p.id, ${PgTypes.text(message.title ?? null)},
          ${PgTypes.text(message.body ?? null)}, ${PgTypes.text(message.url ?? null)},
          ${PgTypes.text(JSON.stringify(message.data ?? {}))}::json
        FROM unnest(${uuids(people.map(() => uuidv7()))}, ${uuids(people.map(({ id }) => id))}) AS t (id, contact_id)
        JOIN contacts p ON p.id = ANY(ARRAY[t.contact_id]) AND NOT p.no_inbox
        ORDER BY p.external_id COLLATE "C" FOR KEY SHARE OF p
        RETURNING id`
      return rows.length
    })
    const post: InboxStore["Service"]["post"] = (appId, message) =>
      notedOfPeople(sql, appId, insert(appId, message), (messages) => [
        { action: "inbox_messages.posted", target: null, details: { messages } }
      ]).pipe(storeError("InboxStore.post"))

    const list: InboxStore["Service"]["list"] = (appId, userId, before, limit) => {
      const page = sql`
        SELECT ${columns} FROM inbox_messages WHERE ${sql.and([
          owner(appId, userId),
          ...(before === null ? [] : [sql`id < ${before}`])
        ])} ORDER BY id DESC LIMIT ${limit + 1}`
      const bytes = sql`coalesce(octet_length(body), 0) + octet_length(data::text)`
      return sql<MessageRow & Cut>`${cutByBytes(sql, "newest first", page, bytes)}`.pipe(
        Effect.map((rows) => cutPageOf(rows, messageOf, limit)),
        storeError("InboxStore.list")
      )
    }

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
        Effect.tap((message) => (Option.isSome(message) ? notify(sql, appId, userId) : Effect.void)),
        storeError("InboxStore.read")
      )

    const readAll: InboxStore["Service"]["readAll"] = (appId, userId) =>
      sql`
        WITH theirs AS (
          SELECT id FROM inbox_messages WHERE ${owner(appId, userId)} AND read_at IS NULL ORDER BY id FOR UPDATE
        )
        UPDATE inbox_messages SET read_at = now() WHERE id = ANY(ARRAY(SELECT id FROM theirs))
        RETURNING id`.pipe(
        Effect.map((rows) => rows.length),
        Effect.tap((count) => (count > 0 ? notify(sql, appId, userId) : Effect.void)),
        storeError("InboxStore.readAll")
      )

    const sinceAll = Effect.fnUntraced(function* (
      readers: ReadonlyArray<Parameters<InboxStore["Service"]["since"]>[0]>
    ) {
      const positions = readers.map(({ after }) => (after === null || isPosition(after) ? after : null))
      const rows = yield* sql<NewsRow>`
        SELECT t.place::integer AS place, pg_current_snapshot()::text AS position,
          coalesce(pg_snapshot_xmax(t.after) > pg_snapshot_xmax(pg_current_snapshot()), false) AS "isAhead",
          (SELECT count(*)::integer FROM inbox_messages m WHERE m.contact_id = p.id AND m.read_at IS NULL) AS unread,
          news.messages, coalesce(news.count, 0)::integer AS count
        FROM (
          SELECT app_id, user_id, after::pg_snapshot AS after, place
          FROM unnest(${uuids(readers.map(({ appId }) => appId))}, ${texts(readers.map(({ userId }) => userId))},
            ${texts(positions)}) WITH ORDINALITY AS t (app_id, user_id, after, place)
        ) AS t LEFT JOIN LATERAL (
          SELECT id FROM contacts WHERE app_id = t.app_id AND external_id = t.user_id OFFSET 0
        ) AS p ON true
        LEFT JOIN LATERAL (
          SELECT count(*), json_agg(m.message ORDER BY m.number) FILTER (WHERE m.bytes <= ${NEWS_BYTES} AND m.number <= ${NEWS}) AS messages
          FROM (
            SELECT n AS message, sum(
                coalesce(octet_length(n.title), 0) + coalesce(octet_length(n.body), 0) +
                coalesce(octet_length(n.url), 0) + octet_length(n.data::text)
              ) OVER (ORDER BY n.id DESC) AS bytes, row_number() OVER (ORDER BY n.id DESC) AS number
            FROM (
              SELECT ${columns} FROM (
                SELECT * FROM inbox_messages m WHERE m.contact_id = p.id ORDER BY m.id DESC LIMIT ${LOOKED_AT}
              ) AS newest
              WHERE NOT pg_visible_in_snapshot(newest.written_by, t.after) ORDER BY id DESC LIMIT ${NEWS + 1}
            ) AS n
          ) AS m
        ) AS news ON true`
      const byPlace = new Map(rows.map((row) => [row.place, row]))
      return readers.map(({ after }, i): InboxNews => {
        const { count, isAhead, messages, position, unread } = byPlace.get(i + 1)!
        const found = (messages ?? []).map((row) =>
          messageOf({
            ...row,
            created_at: new Date(row.created_at),
            read_at: row.read_at === null ? null : new Date(row.read_at)
          })
        )
        const isLost = after !== null && (positions[i] === null || isAhead)
        return { position, unread, messages: found.reverse(), isCut: isLost || count > found.length }
      })
    }, storeError("InboxStore.since"))

    const since = yield* coalesce({
      run: sinceAll,
      weight: () => 1,
      refusalOf: refusalBySql,
      rows: 500,
      atOnce: 2
    })

    return InboxStore.of({ post, list, unread, read, readAll, since })
  })
)
