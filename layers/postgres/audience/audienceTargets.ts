import { Effect } from "effect"
import type { SqlClient } from "effect/sql"
import type { ProviderKind } from "../../../services/domain/sending/Credential.ts"
import type { Environment } from "../../../services/domain/audience/Device.ts"
import type { AppId } from "../../../services/domain/Ids.ts"
import type { Person } from "../../../services/domain/messages/Template.ts"
import type { AudienceStore, Target } from "../../../services/ports/audience/AudienceStore.ts"
import { coalesce, refusalBySql } from "../server/Coalesce.ts"
import { isUuid, uuids } from "../server/columns.ts"
import { rowsOf } from "../server/ofRows.ts"
import { peopleOf } from "./people.ts"
import { storeError } from "../server/storeError.ts"

/*
 * What is known of recipients whose ids are in hand, at the moment of sending: where they are reached, who of them wants
 * nothing, and what time it is where they are.
 */

const platformOf = { apns: "ios", fcm: "android", webpush: "web" } as const

/** One call of `targets`. */
interface Aim {
  readonly appId: AppId
  readonly provider: ProviderKind
  readonly ids: ReadonlyArray<string>
  readonly withOwner: boolean
}

/** Calls of at most so many ids travel together. */
const FEW = 16

/** Of a row of devices that says whose they are. */
const ownedOf = (row: ReadonlyArray<unknown>): Target => ({ ...targetOf(row), userId: row[6] as string | null })

const targetOf = (row: ReadonlyArray<unknown>): Target => ({
  id: row[0] as string,
  address: row[1] as string,
  seenAt: (row[2] as Date).getTime(),
  environment: (row[3] as Environment | undefined) ?? "production",
  p256dh: (row[4] as string | null | undefined) ?? null,
  auth: (row[5] as string | null | undefined) ?? null
})

export const audienceTargets = (sql: SqlClient.SqlClient) =>
  Effect.gen(function* () {
    /**
     * Devices whose person takes no push are nobody's target. Most applications have no such people, which is seen once
     * for a statement; else it costs a look-up a device, in an index of such people. Never hashed nor joined.
     */
    const wantsPush = (appId: AppId) => sql`(
      NOT EXISTS (SELECT 1 FROM contacts WHERE app_id = ${appId} AND no_push)
      OR coalesce((
        SELECT false FROM contacts p WHERE p.app_id = devices.app_id AND p.external_id = devices.user_id AND p.no_push
      ), true)
    )`

    const readTargets: AudienceStore["Service"]["targets"] = Effect.fnUntraced(function* (
      appId,
      provider,
      ids,
      withPerson,
      withOwner = false
    ) {
      const wanted = ids.filter(isUuid)
      if (withPerson === true) {
        const people = yield* peopleOf(sql, appId, provider, wanted)
        return people.map((row): Target => {
          const person = row[6] as Person
          return { ...targetOf(row), userId: (person.device["user_id"] as string | undefined) ?? null, person }
        })
      }
      const owner = withOwner ? sql`, user_id` : sql``
      const ownerAlone = withOwner ? sql`, NULL, NULL, user_id` : sql``
      const rows = yield* (
        provider === "smtp"
          ? sql`SELECT c.id, c.address, c.created_at FROM ${rowsOf(sql, "channels", appId, wanted)} AS c
              WHERE c.kind = 'email' AND c.status = 'active'`
          : provider === "inbox"
            ? sql`SELECT c.id, p.external_id, c.created_at FROM ${rowsOf(sql, "channels", appId, wanted)} AS c
                CROSS JOIN LATERAL (SELECT external_id, no_inbox FROM contacts WHERE id = c.contact_id OFFSET 0) AS p
                WHERE c.kind = 'inbox' AND NOT p.no_inbox`
            : provider === "webpush"
              ? sql`SELECT id, token, last_seen_at, environment, p256dh, auth${owner} FROM ${rowsOf(sql, "devices", appId, wanted)} AS devices
                WHERE active AND platform = 'web' AND ${wantsPush(appId)}`
              : sql`SELECT id, token, last_seen_at, environment${ownerAlone} FROM ${rowsOf(sql, "devices", appId, wanted)} AS devices
                WHERE active AND platform = ${platformOf[provider]} AND ${wantsPush(appId)}`
      ).values
      return rows.map(withOwner ? ownedOf : targetOf)
    }, storeError("AudienceStore.targets"))

    /** Single messages of one way read their targets together. */
    const readFew = Effect.fnUntraced(function* (calls: ReadonlyArray<Aim>) {
      const byWay = new Map<string, Array<Aim>>()
      for (const call of calls) {
        const way = `${call.appId}:${call.provider}:${call.withOwner}`
        const others = byWay.get(way)
        if (others === undefined) byWay.set(way, [call])
        else others.push(call)
      }
      const found = yield* Effect.forEach(
        byWay.values(),
        (those) => {
          const { appId, provider, withOwner } = those[0]!
          const ids = new Set(those.flatMap(({ ids }) => ids))
          return Effect.map(readTargets(appId, provider, [...ids], false, withOwner), (rows) => {
            const byId = new Map(rows.map((row) => [row.id, row]))
            return those.map((call) => [call, call.ids.flatMap((id) => byId.get(id) ?? [])] as const)
          })
        },
        { concurrency: "unbounded" }
      )
      const answers = new Map(found.flat())
      return calls.map((call) => answers.get(call)!)
    })
    const targetsOfFew = yield* coalesce({
      run: readFew,
      weight: ({ ids }: Aim) => ids.length,
      refusalOf: refusalBySql,
      rows: 256,
      atOnce: 2
    })
    const targets: AudienceStore["Service"]["targets"] = (appId, provider, ids, withPerson, withOwner = false) =>
      ids.length <= FEW && withPerson !== true
        ? targetsOfFew({ appId, provider, ids, withOwner })
        : readTargets(appId, provider, ids, withPerson, withOwner)

    const unsubscribed: AudienceStore["Service"]["unsubscribed"] = Effect.fnUntraced(function* (appId, provider, ids) {
      const wanted = ids.filter(isUuid)
      const rows = yield* sql<{ readonly id: string }>`${
        provider === "smtp"
          ? sql`SELECT c.id FROM ${rowsOf(sql, "channels", appId, wanted)} AS c
              WHERE c.kind = 'email' AND c.status = 'unsubscribed'`
          : provider === "inbox"
            ? sql`SELECT c.id FROM ${rowsOf(sql, "channels", appId, wanted)} AS c
                CROSS JOIN LATERAL (SELECT no_inbox FROM contacts WHERE id = c.contact_id OFFSET 0) AS p
                WHERE c.kind = 'inbox' AND p.no_inbox`
            : sql`SELECT id FROM ${rowsOf(sql, "devices", appId, wanted)} AS devices
                WHERE active AND NOT ${wantsPush(appId)}`
      }`
      return rows.map(({ id }) => id)
    }, storeError("AudienceStore.unsubscribed"))

    const zones: AudienceStore["Service"]["zones"] = Effect.fnUntraced(function* (appId, recipients) {
      const devices = [...recipients.apns, ...recipients.fcm, ...recipients.webpush]
      const channels = [...recipients.smtp, ...recipients.inbox]
      const rows = yield* sql<{ readonly id: string; readonly zone: string | null }>`
        SELECT d.id, coalesce(d.timezone, (
          SELECT p.timezone FROM contacts p WHERE p.app_id = d.app_id AND p.external_id = d.user_id
        )) AS zone FROM devices d WHERE d.app_id = ${appId} AND d.id = ANY(${uuids(devices)})
        UNION ALL
        SELECT c.id, p.timezone FROM channels c JOIN contacts p ON p.id = c.contact_id
        WHERE c.app_id = ${appId} AND c.id = ANY(${uuids(channels)})`.unprepared
      const found = new Map<string, string>()
      for (const { id, zone } of rows) if (zone !== null) found.set(id, zone)
      return found
    }, storeError("AudienceStore.zones"))

    return { targets, unsubscribed, zones }
  })
