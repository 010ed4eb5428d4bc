import { PgClient, PgTypes } from "@effect/sql-pg"
import { Effect, Layer, Option, Schema } from "effect"
import type { SqlClient } from "effect/sql"
import type { Fragment } from "effect/sql/Statement"
import type { AuditAction, AuditNote } from "../../../services/domain/access/Audit.ts"
import type { Contact, UpsertContact } from "../../../services/domain/audience/Contact.ts"
import { MOST_TAGS, UserId } from "../../../services/domain/audience/Device.ts"
import type { AppId, ContactId } from "../../../services/domain/Ids.ts"
import { uuidv7 } from "../../../services/ports/NewId.ts"
import type { ContactKey } from "../../../services/ports/audience/ContactStore.ts"
import { ContactStore } from "../../../services/ports/audience/ContactStore.ts"
import { coalesce, refusalBySql } from "../server/Coalesce.ts"
import { texts, uuids } from "../server/columns.ts"
import { ofRows } from "../server/ofRows.ts"
import { notify } from "../inbox/InboxNotices.ts"
import { eraseMessages } from "../workflows/eraseMessages.ts"
import { eraseRuns } from "../workflows/eraseRuns.ts"
import { noteErasure } from "./erasures.ts"
import { pageOf } from "../server/pages.ts"
import { growing } from "../operations/Statistics.ts"
import { notedOfImport, notedOfPeople, record } from "../access/auditEntry.ts"
import { permittedToPeople } from "../access/permitted.ts"
import { storeError } from "../server/storeError.ts"
import { searchContacts } from "./searchContacts.ts"
import { contactConditions, isDevicesOnly, tagConditions } from "./segments.ts"
import { readPage } from "./windows.ts"
import { writeContacts } from "./writeContacts.ts"

interface ContactRow {
  readonly id: ContactId
  readonly external_id: string
  readonly email: string | null
  readonly attributes: Readonly<Record<string, Schema.Json>>
  readonly tags: ReadonlyArray<string>
  readonly locale: string | null
  readonly timezone: string | null
  readonly no_push: boolean
  readonly no_email: boolean
  readonly no_inbox: boolean
  readonly created_at: Date
  readonly updated_at: Date
}

const contactOf = (row: ContactRow): Contact => ({
  id: row.id,
  externalId: row.external_id,
  email: row.email,
  attributes: row.attributes,
  tags: row.tags,
  locale: row.locale,
  timezone: row.timezone,
  preferences: { push: !row.no_push, email: !row.no_email, inbox: !row.no_inbox },
  createdAt: row.created_at.getTime(),
  updatedAt: row.updated_at.getTime()
})

/** One call of `upsert`. */
interface Upserting {
  readonly appId: AppId
  readonly contacts: ReadonlyArray<UpsertContact>
}

type Upserted = { readonly id: ContactId; readonly created: boolean }

/** Calls of at most so many rows travel together, in statements of at most so many. */
const FEW = 100
const ROWS = 256
const AT_ONCE = 2

const noteOf = (action: AuditAction, target: ContactId, fields: ReadonlyArray<string>): AuditNote => ({
  action,
  target,
  details: { fields }
})

/** Nobody can have another. */
const isUserId = Schema.is(UserId)

export const layer: Layer.Layer<ContactStore, never, PgClient.PgClient | SqlClient.SqlClient> = Layer.effect(
  ContactStore,
  Effect.gen(function* () {
    const sql = yield* PgClient.PgClient
    const write = writeContacts(sql)
    const grew = yield* growing(["contacts", "channels"])

    /** The address is the channel's own: the one that the contact was given, else the first that was linked to it. */
    const select = (where: ReadonlyArray<Fragment>) => sql<ContactRow>`
      SELECT p.id, p.external_id, p.attributes, p.tags, p.locale, p.timezone, p.no_push, p.no_email, p.no_inbox,
        p.created_at, p.updated_at,
        (SELECT c.address FROM channels c WHERE c.contact_id = p.id AND c.kind = 'email'
         ORDER BY c.address_key IS DISTINCT FROM p.email_key, c.id LIMIT 1) AS email
      FROM contacts p WHERE ${sql.and(where)}`

    const named = (key: ContactKey) =>
      typeof key === "string" ? sql`p.id = ${key}` : sql`p.external_id = ${key.externalId}`

    const one = (appId: AppId, key: ContactKey) =>
      Effect.map(select([sql`p.app_id = ${appId}`, named(key)]), (rows) =>
        Option.map(Option.fromUndefinedOr(rows[0]), contactOf)
      )

    /** Both ids of a contact, whose row stays locked until the transaction ends. */
    const lock = (appId: AppId, key: ContactKey) =>
      Effect.map(
        sql<{ readonly id: ContactId; readonly externalId: string }>`
          SELECT id, external_id AS "externalId" FROM contacts p WHERE p.app_id = ${appId} AND ${named(key)} FOR UPDATE`,
        ([row]) => (row === undefined ? null : { ...row, isThere: true })
      )

    /** Several calls in one transaction; applications in the order in which everybody takes them. */
    const writeAll = Effect.fnUntraced(function* (calls: ReadonlyArray<Upserting>) {
      const answers = new Map<Upserting, ReadonlyArray<Upserted>>()
      const byApp = Map.groupBy(calls, ({ appId }) => appId)
      for (const appId of [...byApp.keys()].sort()) {
        const own = byApp.get(appId)!
        const written = yield* write(
          appId,
          own.flatMap(({ contacts }) => contacts)
        )
        let at = 0
        for (const call of own) answers.set(call, written.slice(at, (at += call.contacts.length)))
      }
      return calls.map((call) => answers.get(call)!)
    }, sql.withTransaction)

    const upsertAll = (calls: ReadonlyArray<Upserting>) =>
      writeAll(calls).pipe(
        Effect.tap(() => grew(calls.reduce((sum, { contacts }) => sum + contacts.length, 0))),
        storeError("ContactStore.upsert")
      )

    const upsertFew = yield* coalesce({
      run: upsertAll,
      weight: ({ contacts }: Upserting) => contacts.length,
      refusalOf: refusalBySql,
      ownerOf: ({ appId }) => appId,
      rows: ROWS,
      atOnce: AT_ONCE
    })

    const upsert: ContactStore["Service"]["upsert"] = (appId, contacts) => {
      if (contacts.length === 0) return Effect.succeed([])
      const call = { appId, contacts }
      const alone = Effect.map(upsertAll([call]), ([answer]) => answer!)
      return notedOfImport(
        sql,
        appId,
        alone,
        (upserted) =>
          upserted.map(({ created, id }, i) => {
            const { external_id: _, ...change } = contacts[i]!
            return noteOf(created ? "contact.created" : "contact.changed", id, Object.keys(change))
          }),
        contacts.length <= FEW ? upsertFew(call) : alone
      ).pipe(Effect.catchTag("SqlError", (error) => storeError("ContactStore.upsert")(Effect.fail(error))))
    }

    /** A change of one contact, which there may not be, with what of it is written down where a person makes it. */
    const changing = <E, R>(
      appId: AppId,
      fields: ReadonlyArray<string>,
      change: Effect.Effect<Option.Option<Contact>, E, R>
    ) =>
      notedOfPeople(sql, appId, change, (changed) =>
        Option.isNone(changed) || fields.length === 0 ? [] : [noteOf("contact.changed", changed.value.id, fields)]
      )

    const tag: ContactStore["Service"]["tag"] = (appId, externalIds, { add = [], remove = [] }) => {
      const written = sql<{ readonly id: ContactId; readonly externalId: string; readonly fits: boolean }>`
        WITH theirs AS MATERIALIZED (
          SELECT p.id, p.external_id, p.tags FROM (
            SELECT DISTINCT ${appId}::uuid, * FROM unnest(${texts(externalIds)})
          ) AS t (app_id, external_id)
          JOIN contacts p ON p.app_id = ANY(ARRAY[t.app_id]) AND p.external_id = t.external_id
          ORDER BY t.external_id COLLATE "C" FOR NO KEY UPDATE OF p
        ), changed AS MATERIALIZED (
          SELECT id, external_id, ARRAY(
            SELECT tag FROM unnest(tags || ${texts(add)}) WITH ORDINALITY AS t (tag, place)
            WHERE tag <> ALL(${texts(remove)}) GROUP BY tag ORDER BY min(place)
          ) AS tags FROM theirs
        ), written AS (
          UPDATE contacts p SET tags = changed.tags, updated_at = now() FROM changed
          WHERE p.id = ANY(ARRAY[changed.id]) AND cardinality(changed.tags) <= ${MOST_TAGS}
        )
        SELECT id, external_id AS "externalId", cardinality(tags) <= ${MOST_TAGS} AS fits FROM changed`
      // In a transaction, because others share a connection with a statement, and would wait for a thousand rows.
      return notedOfPeople(sql, appId, sql.withTransaction(written), (changed) =>
        changed.flatMap(({ fits, id }) => (fits ? noteOf("contact.changed", id, ["tags"]) : []))
      ).pipe(storeError("ContactStore.tag"))
    }

    const find: ContactStore["Service"]["find"] = (appId, key) => one(appId, key).pipe(storeError("ContactStore.find"))

    const findMany: ContactStore["Service"]["findMany"] = (appId, keys) => {
      const ids = keys.filter((key) => typeof key === "string")
      const externalIds = keys.flatMap((key) => (typeof key === "string" ? [] : [key.externalId]))
      const wanted = sql`SELECT unnest(${uuids(ids)}) UNION ALL
        SELECT c.id FROM unnest(${texts(externalIds)}) AS t (external_id)
        CROSS JOIN LATERAL (
          SELECT id FROM contacts WHERE app_id = ${appId} AND external_id = t.external_id OFFSET 0
        ) AS c`
      return keys.length === 0
        ? Effect.succeed([])
        : select([sql`p.id = ANY(ARRAY(${wanted}))`, ofRows(sql, sql`p.app_id = ${appId}`)]).pipe(
            Effect.map((rows) => rows.map(contactOf)),
            storeError("ContactStore.findMany")
          )
    }

    const list: ContactStore["Service"]["list"] = (appId, { externalId, segment = null, tag }, after, limit) => {
      if (isDevicesOnly(segment)) return Effect.succeed({ items: [], next: null })
      const own = tag === undefined ? [] : tagConditions(sql, "p", { tags_all: [tag] })
      const conditions = [
        sql`p.app_id = ${appId}`,
        ...(externalId === undefined ? [] : [sql`p.external_id = ${externalId}`]),
        ...own,
        ...(segment === null ? [] : contactConditions(sql, segment))
      ]
      const tags = [...own, ...(segment === null ? [] : tagConditions(sql, "p", segment))]
      const isFew = externalId !== undefined
      const wanted = { table: "contacts p", appId, segment, isFew, tags, span: [], after, limit } as const
      return readPage(
        sql,
        wanted,
        (after, end, limit) =>
          sql<ContactRow>`${select([
            ...conditions,
            ...(after === null ? [] : [sql`p.id > ${after}`]),
            ...(end === null ? [] : [sql`p.id <= ${end}`])
          ])} ORDER BY p.id LIMIT ${limit}`.unprepared
      ).pipe(
        Effect.map(({ items, next }) => ({ items: items.map(contactOf), next })),
        storeError("ContactStore.list")
      )
    }

    const search: ContactStore["Service"]["search"] = Effect.fnUntraced(function* (appId, prefix, after, limit) {
      const ids = yield* searchContacts(sql, appId, prefix, after, limit + 1).pipe(storeError("ContactStore.search"))
      const found = new Map((yield* findMany(appId, ids)).map((contact) => [contact.id, contact]))
      const { next } = pageOf(
        ids.map((id) => ({ id })),
        limit
      )
      return { items: ids.slice(0, limit).flatMap((id) => found.get(id) ?? []), next }
    })

    const update: ContactStore["Service"]["update"] = (appId, key, change) =>
      Effect.gen(function* () {
        const found = yield* lock(appId, key)
        if (found === null) return Option.none()
        const line: UpsertContact = { ...change, external_id: found.externalId }
        yield* write(appId, [line])
        return yield* one(appId, found.id)
      }).pipe(
        sql.withTransaction,
        (work) => changing(appId, Object.keys(change), work),
        storeError("ContactStore.update")
      )

    const prefer: ContactStore["Service"]["prefer"] = (appId, key, { push, email, inbox }) =>
      Effect.gen(function* () {
        const found = yield* lock(appId, key)
        if (found === null) return Option.none()
        const { id } = found
        const not = (wanted: boolean | undefined) => PgTypes.bool(wanted === undefined ? null : !wanted)
        yield* sql`
          UPDATE contacts SET no_push = coalesce(${not(push)}, no_push), no_email = coalesce(${not(email)}, no_email),
            no_inbox = coalesce(${not(inbox)}, no_inbox), updated_at = now()
          WHERE app_id = ${appId} AND id = ${id} AND (no_push, no_email, no_inbox) IS DISTINCT FROM
            (coalesce(${not(push)}, no_push), coalesce(${not(email)}, no_email), coalesce(${not(inbox)}, no_inbox))`
        for (const [kind, isWanted] of [
          ["email", email],
          ["inbox", inbox]
        ] as const) {
          if (isWanted === undefined) continue
          const [from, to] = isWanted ? ["unsubscribed", "active"] : ["active", "unsubscribed"]
          // Locked in the order in which everybody locks channels.
          yield* sql`
            WITH theirs AS (
              SELECT app_id, id FROM channels WHERE contact_id = ${id} AND kind = ${kind} AND status = ${from}
              ORDER BY address_key FOR NO KEY UPDATE
            )
            UPDATE channels c SET status = ${to} FROM theirs
            WHERE c.app_id = ANY(ARRAY[theirs.app_id]) AND c.id = theirs.id`
        }
        return yield* one(appId, id)
      }).pipe(sql.withTransaction, (work) => changing(appId, ["preferences"], work), storeError("ContactStore.prefer"))

    /**
     * Holds the place of a person who is no contact, whom a notification may be about to make one. Answers whether one
     * has done so meanwhile.
     */
    const hold = Effect.fnUntraced(function* (appId: AppId, externalId: string) {
      const draft = uuidv7() as ContactId
      const [row] = yield* sql<{ readonly id: ContactId }>`
        INSERT INTO contacts (id, app_id, external_id) VALUES (${draft}, ${appId}, ${externalId})
        ON CONFLICT (app_id, external_id) DO UPDATE SET external_id = excluded.external_id RETURNING id`
      return { id: row!.id, externalId, isThere: row!.id !== draft }
    })

    const eraseTheRest = Effect.fnUntraced(function* (
      appId: AppId,
      gone: { readonly externalId: string; readonly id: ContactId; readonly left: ReadonlyArray<string> }
    ) {
      const told = yield* eraseRuns(sql, appId, gone, false)
      yield* eraseMessages(sql, appId, gone.externalId, [...gone.left, ...told], false)
    })

    const remove: ContactStore["Service"]["remove"] = (appId, key) =>
      Effect.gen(function* () {
        const found =
          (yield* lock(appId, key)) ??
          (typeof key === "object" && isUserId(key.externalId) ? yield* hold(appId, key.externalId) : null)
        if (found === null) return null
        const { externalId, id, isThere } = found
        const told = isThere ? yield* eraseRuns(sql, appId, { externalId, id }, true) : []
        const left = yield* eraseMessages(sql, appId, externalId, told, true)
        const devices = yield* sql`
          WITH theirs AS (
            SELECT app_id, id FROM devices WHERE app_id = ${appId} AND user_id = ${externalId}
            ORDER BY token_hash FOR UPDATE
          )
          DELETE FROM devices d USING theirs
          WHERE d.app_id = ANY(ARRAY[theirs.app_id]) AND d.id = theirs.id RETURNING d.id`
        yield* noteErasure(sql, appId, id)
        // Channels and inbox messages go with it.
        yield* sql`DELETE FROM contacts WHERE app_id = ${appId} AND id = ${id}`
        if (!isThere && devices.length === 0) return null
        yield* record(sql, appId, "contact.deleted", id, { devices: devices.length })
        return { externalId, id, left }
      }).pipe(
        (removal) => permittedToPeople(sql, appId, removal),
        // Runs that were being moved, and messages that were being planned: those who did have waited for the contact, and it
        // for nobody.
        Effect.tap((gone) => (gone === null ? Effect.void : sql.withTransaction(eraseTheRest(appId, gone)))),
        // Whoever reads their inbox counts anew.
        Effect.tap((gone) => (gone === null ? Effect.void : notify(sql, appId, gone.externalId))),
        Effect.map((gone) => gone !== null),
        // Both, once it has begun: nobody asks again for somebody who is gone.
        Effect.uninterruptible,
        storeError("ContactStore.remove")
      )

    return ContactStore.of({ upsert, tag, find, findMany, list, search, update, prefer, remove })
  })
)
