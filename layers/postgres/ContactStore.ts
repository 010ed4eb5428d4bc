import { PgTypes } from "@effect/sql-pg"
import type { Schema } from "effect"
import { Effect, Layer, Option } from "effect"
import { SqlClient } from "effect/sql"
import type { Fragment } from "effect/sql/Statement"
import type { Contact, UpsertContact } from "../../services/domain/Contact.ts"
import type { AppId, ContactId } from "../../services/domain/Ids.ts"
import { ContactStore } from "../../services/ports/ContactStore.ts"
import { coalesce, isRefusedBySql } from "./Coalesce.ts"
import { texts } from "./columns.ts"
import { pageOf } from "./pages.ts"
import { growing } from "./Statistics.ts"
import { storeError } from "./storeError.ts"
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

/** Tags of a contact, at most. */
const TAGS = 100

export const layer: Layer.Layer<ContactStore, never, SqlClient.SqlClient> = Layer.effect(
  ContactStore,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const write = writeContacts(sql)
    const grew = yield* growing(["contacts", "channels"])

    /** The address is the channel's own: the one that the contact was given, else the first that was linked to it. */
    const select = (where: ReadonlyArray<Fragment>) => sql<ContactRow>`
      SELECT p.id, p.external_id, p.attributes, p.tags, p.locale, p.timezone, p.no_push, p.no_email, p.no_inbox,
        p.created_at, p.updated_at,
        (SELECT c.address FROM channels c WHERE c.contact_id = p.id AND c.kind = 'email'
         ORDER BY c.address_key IS DISTINCT FROM p.email_key, c.id LIMIT 1) AS email
      FROM contacts p WHERE ${sql.and(where)}`

    const one = (appId: AppId, id: ContactId) =>
      Effect.map(select([sql`p.app_id = ${appId}`, sql`p.id = ${id}`]), (rows) =>
        Option.map(Option.fromUndefinedOr(rows[0]), contactOf)
      )

    /** The external id of a contact, whose row stays locked until the transaction ends. */
    const lock = (appId: AppId, id: ContactId) =>
      Effect.map(
        sql<{ readonly external_id: string }>`
          SELECT external_id FROM contacts WHERE app_id = ${appId} AND id = ${id} FOR UPDATE`,
        (rows) => rows[0]?.external_id ?? null
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
      isRefusal: isRefusedBySql,
      rows: ROWS,
      atOnce: AT_ONCE
    })

    const upsert: ContactStore["Service"]["upsert"] = (appId, contacts) => {
      if (contacts.length === 0) return Effect.succeed([])
      const call = { appId, contacts }
      return contacts.length <= FEW ? upsertFew(call) : Effect.map(upsertAll([call]), ([answer]) => answer!)
    }

    const tag: ContactStore["Service"]["tag"] = (appId, externalIds, { add = [], remove = [] }) =>
      sql<{ readonly externalId: string; readonly fits: boolean }>`
        WITH theirs AS MATERIALIZED (
          SELECT id, external_id, tags FROM contacts WHERE app_id = ${appId} AND external_id = ANY(${texts(externalIds)})
          ORDER BY external_id COLLATE "C" FOR NO KEY UPDATE
        ), changed AS MATERIALIZED (
          SELECT id, external_id, ARRAY(
            SELECT tag FROM unnest(tags || ${texts(add)}) WITH ORDINALITY AS t (tag, place)
            WHERE tag <> ALL(${texts(remove)}) GROUP BY tag ORDER BY min(place)
          ) AS tags FROM theirs
        ), written AS (
          UPDATE contacts p SET tags = changed.tags, updated_at = now() FROM changed
          WHERE p.id = changed.id AND cardinality(changed.tags) <= ${TAGS}
        )
        SELECT external_id AS "externalId", cardinality(tags) <= ${TAGS} AS fits FROM changed`.pipe(
        storeError("ContactStore.tag")
      )

    const find: ContactStore["Service"]["find"] = (appId, id) => one(appId, id).pipe(storeError("ContactStore.find"))

    const list: ContactStore["Service"]["list"] = (appId, filter, after, limit) => {
      const { externalId, tag } = filter
      return sql<ContactRow>`${select([
        sql`p.app_id = ${appId}`,
        ...(after === null ? [] : [sql`p.id > ${after}`]),
        ...(externalId === undefined ? [] : [sql`p.external_id = ${externalId}`]),
        // Said aloud because the index on tags leaves out contacts without any.
        ...(tag === undefined ? [] : [sql`p.tags <> '{}'`, sql`p.tags @> ${texts([tag])}`])
      ])} ORDER BY p.id LIMIT ${limit + 1}`.unprepared.pipe(
        Effect.map((rows) => pageOf(rows.map(contactOf), limit)),
        storeError("ContactStore.list")
      )
    }

    const update: ContactStore["Service"]["update"] = (appId, id, change) =>
      Effect.gen(function* () {
        const externalId = yield* lock(appId, id)
        if (externalId === null) return Option.none()
        const line: UpsertContact = { ...change, external_id: externalId }
        yield* write(appId, [line])
        return yield* one(appId, id)
      }).pipe(sql.withTransaction, storeError("ContactStore.update"))

    const prefer: ContactStore["Service"]["prefer"] = (appId, id, { push, email, inbox }) =>
      Effect.gen(function* () {
        if ((yield* lock(appId, id)) === null) return Option.none()
        const not = (wanted: boolean | undefined) => PgTypes.bool(wanted === undefined ? null : !wanted)
        yield* sql`
          UPDATE contacts SET no_push = coalesce(${not(push)}, no_push), no_email = coalesce(${not(email)}, no_email),
            no_inbox = coalesce(${not(inbox)}, no_inbox), updated_at = now()
          WHERE app_id = ${appId} AND id = ${id}`
        for (const [kind, isWanted] of [
          ["email", email],
          ["inbox", inbox]
        ] as const) {
          if (isWanted === undefined) continue
          const [from, to] = isWanted ? ["unsubscribed", "active"] : ["active", "unsubscribed"]
          // Locked in the order in which everybody locks channels.
          yield* sql`
            WITH theirs AS (
              SELECT id FROM channels WHERE contact_id = ${id} AND kind = ${kind} AND status = ${from}
              ORDER BY address_key FOR NO KEY UPDATE
            )
            UPDATE channels SET status = ${to} WHERE app_id = ${appId} AND id IN (SELECT id FROM theirs)`
        }
        return yield* one(appId, id)
      }).pipe(sql.withTransaction, storeError("ContactStore.prefer"))

    const remove: ContactStore["Service"]["remove"] = (appId, id) =>
      Effect.gen(function* () {
        const externalId = yield* lock(appId, id)
        if (externalId === null) return false
        yield* sql`
          WITH theirs AS (
            SELECT id FROM devices WHERE app_id = ${appId} AND user_id = ${externalId} ORDER BY token_hash FOR UPDATE
          )
          DELETE FROM devices WHERE app_id = ${appId} AND id IN (SELECT id FROM theirs)`
        // Channels and inbox messages go with it.
        yield* sql`DELETE FROM contacts WHERE app_id = ${appId} AND id = ${id}`
        return true
      }).pipe(sql.withTransaction, storeError("ContactStore.remove"))

    return ContactStore.of({ upsert, tag, find, list, update, prefer, remove })
  })
)
