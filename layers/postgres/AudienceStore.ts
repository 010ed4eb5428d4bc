import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import type { Fragment } from "effect/sql/Statement"
import type { Environment, Platform } from "../../services/domain/Device.ts"
import type { AppId } from "../../services/domain/Ids.ts"
import { uuidv7 } from "../../services/domain/Ids.ts"
import type { Audience } from "../../services/domain/Notification.ts"
import type { AudiencePage, Target } from "../../services/ports/AudienceStore.ts"
import { AudienceStore } from "../../services/ports/AudienceStore.ts"
import { addressKey } from "./addresses.ts"
import { isUuid, texts, uuids } from "./columns.ts"
import { storeError } from "./storeError.ts"

/**
 * Where a page begins, as `<part>:<offset>:<after>`. Part: `d` for devices, then `c` for channels. Offset: in a list of
 * ids or addresses, how many of them are behind it, in their order. After: in any other audience, the last id of the
 * page before. A recipient's id never changes, so nobody can move from one page to another; a device's user can.
 */
interface Place {
  readonly part: "d" | "c"
  readonly offset: number
  readonly after: string
}

const START: Place = { part: "d", offset: 0, after: "" }

const placeOf = (cursor: string | null): Place => {
  if (cursor === null) return START
  const [part, offset, after] = cursor.split(":")
  return { part: part === "c" ? "c" : "d", offset: Number(offset), after: after ?? "" }
}

const cursorOf = ({ part, offset, after }: Place): string => `${part}:${offset}:${after}`

const platformOf = { apns: "ios", fcm: "android", webpush: "web" } as const

const none: ReadonlyArray<string> = []
const NOBODY: AudiencePage["recipients"] = { apns: none, fcm: none, webpush: none, smtp: none }

/** Distinct keys in an order that every page finds again. */
const inOrder = (keys: ReadonlyArray<string>): ReadonlyArray<string> => [...new Set(keys)].sort()

interface DeviceRow {
  readonly id: string
  readonly platform: Platform
}

export const layer: Layer.Layer<AudienceStore, never, SqlClient.SqlClient> = Layer.effect(
  AudienceStore,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient

    /**
     * Never prepared: the best plan depends on how many devices a tag or a list of users has, which a plan made once for
     * all cannot know.
     */
    const devicePage = Effect.fnUntraced(function* (from: Fragment, limit: number) {
      const rows = yield* sql<DeviceRow>`${from} ORDER BY id LIMIT ${limit}`.unprepared
      const ids = { ios: [] as Array<string>, android: [] as Array<string>, web: [] as Array<string> }
      for (const row of rows) ids[row.platform].push(row.id)
      const recipients = { apns: ids.ios, fcm: ids.android, webpush: ids.web, smtp: none }
      return { recipients, size: rows.length, last: rows.at(-1)?.id ?? "" }
    })

    const channelPage = Effect.fnUntraced(function* (from: Fragment, limit: number) {
      const rows = yield* sql<{ readonly id: string }>`${from} ORDER BY id LIMIT ${limit}`.unprepared
      const recipients = { ...NOBODY, smtp: rows.map((row) => row.id) }
      return { recipients, size: rows.length, last: rows.at(-1)?.id ?? "" }
    })

    const devicesWhere = (appId: AppId, after: string, conditions: ReadonlyArray<Fragment>): Fragment =>
      sql`SELECT id, platform FROM devices WHERE ${sql.and([
        sql`app_id = ${appId}`,
        sql`active`,
        ...(after === "" ? [] : [sql`id > ${after}`]),
        ...conditions
      ])}`

    /** The devices of users are few and found by their index; the fence keeps the planner from walking all devices in order of id. */
    const devicesOfUsers = (appId: AppId, after: string, users: ReadonlyArray<string>): Fragment =>
      sql`SELECT id, platform FROM (
        SELECT id, platform FROM devices WHERE app_id = ${appId} AND user_id = ANY(${texts(users)}) AND active OFFSET 0
      ) AS theirs WHERE ${after === "" ? sql`true` : sql`id > ${after}`}`

    const channelsOfUsers = (appId: AppId, after: string, users: ReadonlyArray<string>): Fragment =>
      sql`SELECT id FROM (
        SELECT c.id FROM contacts p JOIN channels c ON c.contact_id = p.id
        WHERE p.app_id = ${appId} AND p.external_id = ANY(${texts(users)}) AND c.app_id = ${appId}
          AND c.kind = 'email' AND c.status = 'active' OFFSET 0
      ) AS theirs WHERE ${after === "" ? sql`true` : sql`id > ${after}`}`

    /** The e-mail channels of people with the tags or in the time zone: those of the contact itself, not of its devices. */
    const channelsOfContacts = (appId: AppId, after: string, conditions: ReadonlyArray<Fragment>): Fragment =>
      sql`SELECT c.id FROM contacts p JOIN channels c ON c.contact_id = p.id WHERE ${sql.and([
        sql`p.app_id = ${appId}`,
        sql`c.app_id = ${appId}`,
        sql`c.kind = 'email'`,
        sql`c.status = 'active'`,
        ...(after === "" ? [] : [sql`c.id > ${after}`]),
        ...conditions
      ])}`

    const emailChannels = (appId: AppId, after: string): Fragment =>
      sql`SELECT id FROM channels WHERE app_id = ${appId} AND kind = 'email' AND status = 'active'
        AND ${after === "" ? sql`true` : sql`id > ${after}`}`

    const channelsByKey = (appId: AppId, keys: ReadonlyArray<string>) =>
      sql<{ readonly id: string; readonly key: string; readonly active: boolean }>`
        SELECT id, address_key AS key, status = 'active' AS active FROM channels
        WHERE app_id = ${appId} AND kind = 'email' AND address_key = ANY(${texts(keys)})`

    /** The channels of addresses, made where there are none. In two steps: an insert that does nothing answers nothing. */
    const channelsOfAddresses = Effect.fnUntraced(function* (
      appId: AppId,
      addresses: ReadonlyMap<string, string>,
      keys: ReadonlyArray<string>
    ) {
      const known = yield* channelsByKey(appId, keys)
      const knownKeys = new Set(known.map((row) => row.key))
      const missing = keys.filter((key) => !knownKeys.has(key))
      if (missing.length === 0) return known
      yield* sql`
        INSERT INTO channels (app_id, id, kind, address, address_key)
        SELECT ${appId}::uuid, t.id, 'email', t.address, t.key
        FROM unnest(${uuids(missing.map(() => uuidv7()))}, ${texts(missing.map((key) => addresses.get(key)!))},
          ${texts(missing)}) AS t (id, address, key)
        ON CONFLICT (app_id, kind, address_key) DO NOTHING`
      return [...known, ...(yield* channelsByKey(appId, missing))]
    })

    /** Conditions on a device, or on a contact where no platform is asked for: their columns have the same names. */
    const attributes = (audience: Audience): ReadonlyArray<Fragment> => {
      const { tags_any, tags_all, platforms, timezone } = audience
      return [
        // Said aloud because the index on tags leaves out devices without any.
        ...(tags_any || tags_all ? [sql`tags <> '{}'`] : []),
        ...(tags_any ? [sql`tags && ${texts(tags_any)}`] : []),
        ...(tags_all ? [sql`tags @> ${texts(tags_all)}`] : []),
        ...(platforms ? [sql`platform = ANY(${texts(platforms)})`] : []),
        ...(timezone === undefined ? [] : [sql`timezone = ${timezone}`])
      ]
    }

    /** A page of those whose keys the audience lists. `find` answers the recipients of some keys. */
    const listed = Effect.fnUntraced(function* <E>(
      keys: ReadonlyArray<string>,
      place: Place,
      limit: number,
      find: (keys: ReadonlyArray<string>) => Effect.Effect<AudiencePage["recipients"], E>
    ) {
      const end = place.offset + limit
      const ordered = inOrder(keys)
      const recipients = yield* find(ordered.slice(place.offset, end))
      return { recipients, next: end < ordered.length ? cursorOf({ ...place, offset: end }) : null }
    })

    const devices = (appId: AppId, audience: Audience, after: string, limit: number) =>
      devicePage(
        audience.user_ids === undefined
          ? devicesWhere(appId, after, attributes(audience))
          : devicesOfUsers(appId, after, audience.user_ids),
        limit
      )

    const channels = (appId: AppId, audience: Audience, after: string, limit: number) =>
      channelPage(
        audience.user_ids !== undefined
          ? channelsOfUsers(appId, after, audience.user_ids)
          : audience.all === true
            ? emailChannels(appId, after)
            : channelsOfContacts(appId, after, attributes(audience)),
        limit
      )

    const page: AudienceStore["Service"]["page"] = Effect.fnUntraced(function* (appId, audience, email, cursor, limit) {
      const place = placeOf(cursor)
      const { device_ids, channel_ids, emails } = audience
      if ((channel_ids !== undefined || emails !== undefined) && !email) return { recipients: NOBODY, next: null }

      if (device_ids !== undefined) {
        return yield* listed(device_ids.map(lower), place, limit, (keys) =>
          Effect.map(
            devicePage(devicesWhere(appId, "", [sql`id = ANY(${uuids(keys)})`]), keys.length),
            ({ recipients }) => recipients
          )
        )
      }
      if (channel_ids !== undefined) {
        return yield* listed(channel_ids.map(lower), place, limit, (keys) =>
          Effect.map(
            channelPage(sql`${emailChannels(appId, "")} AND id = ANY(${uuids(keys)})`, keys.length),
            ({ recipients }) => recipients
          )
        )
      }
      if (emails !== undefined) {
        const addresses = new Map(emails.map((address) => [addressKey(address), address]))
        return yield* listed([...addresses.keys()], place, limit, (keys) =>
          Effect.map(channelsOfAddresses(appId, addresses, keys), (rows) => ({
            ...NOBODY,
            smtp: rows.filter((row) => row.active).map((row) => row.id)
          }))
        )
      }

      const read = place.part === "d" ? devices : channels
      const { recipients, size, last } = yield* read(appId, audience, place.after, limit)
      if (size === limit) return { recipients, next: cursorOf({ ...place, after: last }) }
      // Who asks for a platform means devices.
      const hasChannels = email && audience.platforms === undefined
      return { recipients, next: place.part === "d" && hasChannels ? cursorOf({ ...START, part: "c" }) : null }
    }, storeError("AudienceStore.page"))

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

    const targets: AudienceStore["Service"]["targets"] = Effect.fnUntraced(function* (appId, provider, ids) {
      const wanted = uuids(ids.filter(isUuid))
      const rows = yield* (
        provider === "smtp"
          ? sql`SELECT id, address, created_at FROM channels
              WHERE app_id = ${appId} AND id = ANY(${wanted}) AND kind = 'email' AND status = 'active'`
          : provider === "webpush"
            ? sql`SELECT id, token, last_seen_at, environment, p256dh, auth FROM devices
                WHERE app_id = ${appId} AND id = ANY(${wanted}) AND active AND platform = 'web'
                  AND ${wantsPush(appId)}`
            : sql`SELECT id, token, last_seen_at, environment FROM devices
                WHERE app_id = ${appId} AND id = ANY(${wanted}) AND active AND platform = ${platformOf[provider]}
                  AND ${wantsPush(appId)}`
      ).values
      return rows.map(targetOf)
    }, storeError("AudienceStore.targets"))

    return AudienceStore.of({ page, targets })
  })
)

const lower = (id: string): string => id.toLowerCase()

const targetOf = (row: ReadonlyArray<unknown>): Target => ({
  id: row[0] as string,
  address: row[1] as string,
  seenAt: (row[2] as Date).getTime(),
  environment: (row[3] as Environment | undefined) ?? "production",
  p256dh: (row[4] as string | null | undefined) ?? null,
  auth: (row[5] as string | null | undefined) ?? null
})
