import { PgTypes } from "@effect/sql-pg"
import { Effect, Layer, Option } from "effect"
import { SqlClient } from "effect/sql"
import type { Channel, EmailChannel } from "../../../services/domain/audience/Channel.ts"
import type { AppId, ChannelId, ContactId } from "../../../services/domain/Ids.ts"
import { uuidv7 } from "../../../services/ports/NewId.ts"
import type { NamedChannel } from "../../../services/ports/audience/ChannelStore.ts"
import { ChannelStore } from "../../../services/ports/audience/ChannelStore.ts"
import { isAscii } from "../../../services/domain/audience/EmailAddress.ts"
import { addressKey, formerKey } from "./addresses.ts"
import { notedOfPeople } from "../access/auditEntry.ts"
import { byValues } from "../server/byValues.ts"
import { coalesce, refusalBySql } from "../server/Coalesce.ts"
import { integers, isUuid, texts, uuids } from "../server/columns.ts"
import { inboxChannels } from "../inbox/inboxChannels.ts"
import { ofRows } from "../server/ofRows.ts"
import { pageOf } from "../server/pages.ts"
import { storeError } from "../server/storeError.ts"

interface ChannelRow {
  readonly id: ChannelId
  readonly kind: Channel["kind"]
  readonly address: string | null
  readonly contact_id: ContactId | null
  readonly status: Channel["status"]
  readonly created_at: Date
}

const COLUMNS = "id, kind, address, contact_id, status, created_at"

const channelOf = (row: ChannelRow): Channel => ({
  id: row.id,
  kind: row.kind,
  address: row.address,
  contactId: row.contact_id,
  status: row.status,
  createdAt: row.created_at.getTime()
})

/** A row to be written: the lines of one address, each laid over the one before it. */
interface Line {
  readonly key: string
  readonly id: string
  channel: EmailChannel
}

/** One call of `among`. */
interface Naming {
  readonly appId: AppId
  readonly ids: ReadonlyArray<string>
}

export const layer: Layer.Layer<ChannelStore, never, SqlClient.SqlClient> = Layer.effect(
  ChannelStore,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const columns = sql.literal(COLUMNS)

    type Upserted = { readonly id: ChannelId; readonly created: boolean }

    const noting = <E, R>(appId: AppId, written: Effect.Effect<ReadonlyArray<Upserted>, E, R>) =>
      notedOfPeople(sql, appId, written, (channels) =>
        channels.map(({ created, id }) => ({ action: created ? "channel.created" : "channel.changed", target: id }))
      )

    const writeAll = Effect.fnUntraced(function* (appId: AppId, channels: ReadonlyArray<EmailChannel>) {
      const byKey = new Map<string, Line>()
      const keys = channels.map((channel) => {
        const key = addressKey(channel.address)
        const line = byKey.get(key)
        if (line === undefined) byKey.set(key, { key, id: uuidv7(), channel })
        else line.channel = { ...line.channel, ...channel }
        return key
      })
      // Contacts and channels are locked in the order of their keys, so that no two calls can wait for each other.
      const lines = [...byKey.values()].sort((a, b) => (a.key < b.key ? -1 : 1))
      const users = [...new Set(lines.flatMap((line) => line.channel.user_id ?? []))].sort()
      const cleared = lines.filter((line) => line.channel.user_id === null).map((line) => line.key)
      // The updates that change nothing are there for their RETURNING: it sees rows that a concurrent call has made.
      const rows = yield* sql<{ readonly id: string; readonly key: string }>`
        WITH people AS (
          INSERT INTO contacts (id, app_id, external_id)
          SELECT t.id, ${PgTypes.uuid(appId)}, t.external_id
          FROM unnest(${uuids(users.map(() => uuidv7()))}, ${texts(users)}) AS t (id, external_id)
          ON CONFLICT (app_id, external_id) DO UPDATE SET external_id = excluded.external_id
          RETURNING id, external_id, no_email
        )
        INSERT INTO channels AS c (app_id, id, contact_id, kind, address, address_key, status)
        SELECT ${PgTypes.uuid(appId)}, t.id, people.id, t.kind, t.address, t.key,
          CASE WHEN people.no_email THEN 'unsubscribed' ELSE 'active' END
        FROM unnest(${uuids(lines.map((line) => line.id))}, ${texts(lines.map((line) => line.key))},
          ${texts(lines.map((line) => line.channel.kind))}, ${texts(lines.map((line) => line.channel.address))},
          ${texts(lines.map((line) => line.channel.user_id ?? null))}
        ) WITH ORDINALITY AS t (id, key, kind, address, external_id, place)
        LEFT JOIN people ON people.external_id = t.external_id
        ORDER BY t.place
        ON CONFLICT (app_id, kind, address_key) DO UPDATE SET contact_id = CASE
          WHEN excluded.contact_id IS NOT NULL THEN excluded.contact_id
          WHEN excluded.address_key = ANY(${texts(cleared)}) THEN NULL
          ELSE c.contact_id END,
          status = CASE WHEN c.status = 'active' THEN excluded.status ELSE c.status END
        RETURNING c.id, c.address_key AS key`
      const ids = new Map(rows.map((row) => [row.key, row.id as ChannelId]))
      return keys.map((key) => {
        const id = ids.get(key)!
        const created = byKey.get(key)?.id === id
        if (created) byKey.delete(key)
        return { id, created }
      })
    })

    const upsert: ChannelStore["Service"]["upsert"] = (appId, channels) =>
      channels.length === 0
        ? Effect.succeed([])
        : noting(appId, writeAll(appId, channels)).pipe(storeError("ChannelStore.upsert"))

    const find: ChannelStore["Service"]["find"] = (appId, id) =>
      sql<ChannelRow>`SELECT ${columns} FROM channels WHERE app_id = ${appId} AND id = ${id}`.pipe(
        Effect.map((rows) => Option.map(Option.fromUndefinedOr(rows[0]), channelOf)),
        storeError("ChannelStore.find")
      )

    const list: ChannelStore["Service"]["list"] = (appId, { address, contactId, status }, after, limit) =>
      byValues(
        sql,
        sql<ChannelRow>`
        SELECT ${columns} FROM channels WHERE ${sql.and([
          sql`app_id = ${appId}`,
          ...(status === undefined ? [] : [sql`status = ${status}`]),
          ...(contactId === undefined ? [] : [sql`contact_id = ${contactId}`]),
          ...(address === undefined ? [] : [sql`kind = 'email'`, sql`address_key = ${addressKey(address)}`]),
          ...(after === null ? [] : [sql`id > ${after}`])
        ])} ORDER BY id LIMIT ${limit + 1}`.unprepared
      ).pipe(
        Effect.map((rows) => pageOf(rows.map(channelOf), limit)),
        storeError("ChannelStore.list")
      )

    const ofContacts: ChannelStore["Service"]["ofContacts"] = (appId, contactIds, limit) =>
      sql<ChannelRow & { readonly contact_id: ContactId }>`
        SELECT theirs.* FROM unnest(${uuids([...new Set(contactIds)])}) AS t (id) CROSS JOIN LATERAL (
          SELECT ${columns} FROM channels WHERE contact_id = t.id AND ${ofRows(sql, sql`app_id = ${appId}`)}
          ORDER BY id LIMIT ${limit}
        ) AS theirs`.pipe(
        Effect.map((rows) => Map.groupBy(rows.map(channelOf), ({ contactId }) => contactId!)),
        storeError("ChannelStore.ofContacts")
      )

    const remove: ChannelStore["Service"]["remove"] = (appId, id) =>
      notedOfPeople(
        sql,
        appId,
        Effect.map(
          sql`DELETE FROM channels WHERE app_id = ${appId} AND id = ${id} RETURNING id`,
          (rows) => rows.length > 0
        ),
        (isGone) => (isGone ? [{ action: "channel.deleted", target: id }] : [])
      ).pipe(storeError("ChannelStore.remove"))

    const amongAll = Effect.fnUntraced(function* (calls: ReadonlyArray<Naming>) {
      const ids = calls.map((call) => [...new Set(call.ids.filter(isUuid))])
      const rows = yield* sql<NamedChannel & { readonly call: number }>`
        SELECT t.call, c.id, c.kind, c.status <> 'suppressed' AS active
        FROM unnest(${integers(ids.flatMap((own, call) => own.map(() => call)))},
          ${uuids(ids.flatMap((own, call) => own.map(() => calls[call]!.appId)))}, ${uuids(ids.flat())}
        ) AS t (call, app_id, id) CROSS JOIN LATERAL (
          SELECT id, kind, status FROM channels WHERE app_id = t.app_id AND id = t.id OFFSET 0
        ) AS c`
      const found: Array<Array<NamedChannel>> = calls.map(() => [])
      for (const { call, id, kind, active } of rows) found[call]!.push({ id, kind, active })
      return found
    }, storeError("ChannelStore.among"))

    const amongFew = yield* coalesce({
      run: amongAll,
      weight: ({ ids }: Naming) => ids.length,
      refusalOf: refusalBySql,
      rows: 256,
      atOnce: 2
    })

    const among: ChannelStore["Service"]["among"] = (appId, ids) =>
      ids.length <= 100 ? amongFew({ appId, ids }) : Effect.map(amongAll([{ appId, ids }]), (answers) => answers[0]!)

    const { ensureContacts, inboxesOf } = inboxChannels(sql)
    const isEmail = ofRows(sql, sql`kind = 'email'`)
    const writeInbox = Effect.fnUntraced(function* (appId: AppId, userId: string) {
      const [contact] = yield* ensureContacts(appId, [userId])
      const [old] = yield* sql<{ readonly id: ChannelId }>`
        SELECT id FROM channels WHERE app_id = ${appId} AND kind = 'inbox' AND address_key = ${contact!.id}`
      if (old !== undefined) return { id: old.id, created: false }
      const [id] = yield* inboxesOf(appId, [contact!.id])
      return { id: id as ChannelId, created: true }
    })
    // One that is there stays as it is.
    const ensureInbox: ChannelStore["Service"]["ensureInbox"] = (appId, userId) =>
      notedOfPeople(sql, appId, writeInbox(appId, userId), ({ created, id }) =>
        created ? [{ action: "channel.created", target: id }] : []
      ).pipe(storeError("ChannelStore.ensureInbox"))

    /**
     * The channels of an address that has one channel but for two sorts: one that the migration 39 has set aside, whose
     * links in mails of before are still followed, and one that a node of the release before has made meanwhile. First
     * the one that mail goes to.
     */
    const sharing = Effect.fnUntraced(function* (appId: AppId, id: ChannelId) {
      const [named] = yield* sql<{ readonly address: string }>`
        SELECT address FROM channels WHERE app_id = ${appId} AND id = ${id} AND ${isEmail}`
      if (named === undefined || isAscii(named.address)) return [id]
      const keys = [...new Set([addressKey(named.address), formerKey(named.address)])]
      const rows = yield* sql<{ readonly id: ChannelId }>`
        SELECT c.id FROM unnest(${texts(keys)}) WITH ORDINALITY AS t (key, place) CROSS JOIN LATERAL (
          SELECT id FROM channels WHERE app_id = ${appId} AND kind = 'email' AND address_key = t.key OFFSET 0
        ) AS c ORDER BY t.place`
      return [...new Set([...rows.map((row) => row.id), id])]
    })

    const subscribe: ChannelStore["Service"]["subscribe"] = (appId, named, isWanted) =>
      Effect.gen(function* () {
        const ids = yield* sharing(appId, named)
        const id = ids[0]!
        // Contacts are locked before their channels, as everywhere.
        const [owner] = yield* sql<{ readonly id: string }>`
          SELECT p.id FROM channels c JOIN contacts p ON p.id = ANY(ARRAY[c.contact_id])
          WHERE c.app_id = ${appId} AND c.id = ${id} AND ${ofRows(sql, sql`c.kind = 'email'`)} FOR UPDATE OF p`
        const [from, to] = isWanted ? ["unsubscribed", "active"] : ["active", "unsubscribed"]
        for (const one of ids) {
          yield* sql`
            UPDATE channels SET status = ${to}
            WHERE app_id = ${appId} AND id = ${one} AND ${isEmail} AND status = ${from}`
        }
        if (owner !== undefined) {
          yield* sql`
            UPDATE contacts SET no_email = ${!isWanted}, updated_at = now()
            WHERE id = ${owner.id} AND no_email <> ${!isWanted} AND (${isWanted} OR NOT EXISTS (
              SELECT 1 FROM channels WHERE contact_id = ${owner.id} AND kind = 'email' AND status = 'active'
            ))`
        }
        const rows = yield* sql<ChannelRow>`
          SELECT ${columns} FROM channels WHERE app_id = ${appId} AND id = ${id} AND ${isEmail}`
        return Option.map(Option.fromUndefinedOr(rows[0]), channelOf)
      }).pipe(
        sql.withTransaction,
        (work) =>
          notedOfPeople(sql, appId, work, (found) =>
            Option.isNone(found)
              ? []
              : [{ action: "channel.changed", target: found.value.id, details: { status: found.value.status } }]
          ),
        storeError("ChannelStore.subscribe")
      )

    return ChannelStore.of({ upsert, ensureInbox, subscribe, find, list, ofContacts, remove, among })
  })
)
