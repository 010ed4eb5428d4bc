import { PgClient, PgTypes } from "@effect/sql-pg"
import type { Schema } from "effect"
import { Effect, Layer, Option } from "effect"
import type { AppId, InboxMessageId } from "../../../services/domain/Ids.ts"
import { uuidv7 } from "../../../services/ports/NewId.ts"
import { inRoom } from "../../../services/ports/operations/InRoom.ts"
import type { InboxMessage, InboxNews } from "../../../services/domain/inbox/Inbox.ts"
import { Room } from "../../../services/domain/operations/Room.ts"
import { InboxStore } from "../../../services/ports/inbox/InboxStore.ts"
import { notedOfPeople } from "../access/auditEntry.ts"
import { coalesce, refusalBySql } from "../server/Coalesce.ts"
import { integers, texts, uuids } from "../server/columns.ts"
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
  /** Of those that are shown, which are left out where they do not fit. */
  readonly bytes: number
  readonly fits: boolean
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
/** The same for all readers of a statement who ask for what they do not know the size of, the shortest first. */
const NEWS_AT_ONCE = 1 << 20
/** What does not fit there has so much room in a process while it is read. */
const LARGE_NEWS = 4 << 20

interface Asked {
  readonly appId: AppId
  readonly userId: string
  readonly after: string | null
  /** Bytes for which there is room; null: it is not known how many there are. */
  readonly room: number | null
}

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

    const sinceAll = Effect.fnUntraced(function* (readers: ReadonlyArray<Asked>) {
      const positions = readers.map(({ after }) => (after === null || isPosition(after) ? after : null))
      const size = sql`coalesce(octet_length(title), 0) + coalesce(octet_length(body), 0) +
        coalesce(octet_length(url), 0) + octet_length(data::text)`
      // How long they are shows without reading them; those that fit are looked up by their ids.
      const rows = yield* sql<NewsRow>`
        SELECT t.place::integer AS place, pg_current_snapshot()::text AS position,
          coalesce(pg_snapshot_xmax(t.after) > pg_snapshot_xmax(pg_current_snapshot()), false) AS "isAhead",
          (SELECT count(*)::integer FROM inbox_messages m WHERE m.contact_id = t.contact_id AND m.read_at IS NULL) AS unread,
          t.count::integer AS count, t.bytes::integer AS bytes, t.fits, news.messages
        FROM (
          SELECT sized.*, CASE WHEN room IS NULL
            THEN sum(bytes) OVER (PARTITION BY room IS NULL ORDER BY bytes, place) <= ${NEWS_AT_ONCE}
            ELSE bytes <= room END AS fits
          FROM (
            SELECT t.after, t.room, t.place, p.id AS contact_id, news.count, coalesce(news.bytes, 0) AS bytes, news.ids
            FROM (
              SELECT app_id, user_id, after::pg_snapshot AS after, room, place
              FROM unnest(${uuids(readers.map(({ appId }) => appId))}, ${texts(readers.map(({ userId }) => userId))},
                ${texts(positions)}, ${integers(readers.map(({ room }) => room))})
                WITH ORDINALITY AS t (app_id, user_id, after, room, place)
            ) AS t LEFT JOIN LATERAL (
              SELECT id FROM contacts WHERE app_id = t.app_id AND external_id = t.user_id OFFSET 0
            ) AS p ON true
            LEFT JOIN LATERAL (
              SELECT count(*), array_agg(m.id) FILTER (WHERE m.bytes <= ${NEWS_BYTES} AND m.number <= ${NEWS}) AS ids,
                max(m.bytes) FILTER (WHERE m.bytes <= ${NEWS_BYTES} AND m.number <= ${NEWS}) AS bytes
              FROM (
                SELECT n.id, sum(n.size) OVER (ORDER BY n.id DESC) AS bytes, row_number() OVER (ORDER BY n.id DESC) AS number
                FROM (
                  SELECT id, ${size} AS size FROM (
                    SELECT * FROM inbox_messages m WHERE m.contact_id = p.id ORDER BY m.id DESC LIMIT ${LOOKED_AT}
                  ) AS newest
                  WHERE NOT pg_visible_in_snapshot(newest.written_by, t.after) ORDER BY id DESC LIMIT ${NEWS + 1}
                ) AS n
              ) AS m
            ) AS news ON true OFFSET 0
          ) AS sized
        ) AS t LEFT JOIN LATERAL (
          SELECT json_agg(m ORDER BY m.id DESC) AS messages
          FROM unnest(CASE WHEN t.fits THEN t.ids END) AS i (id) CROSS JOIN LATERAL (
            SELECT ${columns} FROM inbox_messages WHERE contact_id = t.contact_id AND id = i.id OFFSET 0
          ) AS m
        ) AS news ON true`
      const byPlace = new Map(rows.map((row) => [row.place, row]))
      return readers.map(({ after }, i): InboxNews | number => {
        const { bytes, count, fits, isAhead, messages, position, unread } = byPlace.get(i + 1)!
        if (!fits) return bytes
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

    const ask = yield* coalesce({
      run: sinceAll,
      weight: () => 1,
      refusalOf: refusalBySql,
      rows: 500,
      atOnce: 2
    })
    const large = new Room(LARGE_NEWS)
    /** Whose news do not fit into a statement with others' asks again when there is room for them. */
    const since: InboxStore["Service"]["since"] = Effect.fnUntraced(function* (reader) {
      let news = yield* ask({ ...reader, room: null })
      while (typeof news === "number") news = yield* inRoom(large, reader.appId, news)(ask({ ...reader, room: news }))
      return news
    })

    return InboxStore.of({ post, list, unread, read, readAll, since })
  })
)
