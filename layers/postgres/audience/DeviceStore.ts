import { Effect, Layer, Option } from "effect"
import { SqlClient } from "effect/sql"
import { isSqlError } from "effect/sql/SqlError"
import { hash } from "node:crypto"
import type { Device, Environment, Platform, RegisterDevice } from "../../../services/domain/audience/Device.ts"
import { storedToken } from "../../../services/domain/audience/Device.ts"
import type { AppId, DeviceId } from "../../../services/domain/Ids.ts"
import { uuidFloor } from "../../../services/domain/Ids.ts"
import { storedZone } from "../../../services/domain/ZoneNames.ts"
import { uuidv7 } from "../../../services/ports/NewId.ts"
import type { DeviceFilter, NamedDevice, Registered } from "../../../services/ports/audience/DeviceStore.ts"
import { DeviceStore } from "../../../services/ports/audience/DeviceStore.ts"
import type { StoreError } from "../../../services/ports/StoreError.ts"
import { notedOfImport, notedOfPeople } from "../access/auditEntry.ts"
import { coalesce, refusalBySql } from "../server/Coalesce.ts"
import { integers, isUuid, textArrayText, texts, uuids } from "../server/columns.ts"
import { ofRows } from "../server/ofRows.ts"
import { growing } from "../operations/Statistics.ts"
import { asSignOfLife } from "../server/signsOfLife.ts"
import { storeError } from "../server/storeError.ts"
import { deviceConditions, tagConditions } from "./segments.ts"
import { readPage } from "./windows.ts"

interface DeviceRow {
  readonly id: DeviceId
  readonly platform: Platform
  readonly token: string
  readonly user_id: string | null
  readonly tags: ReadonlyArray<string>
  readonly timezone: string | null
  readonly environment: Environment
  readonly metadata: Device["metadata"]
  readonly p256dh: string | null
  readonly auth: string | null
  readonly active: boolean
  readonly invalid_reason: string | null
  readonly created_at: Date
  readonly last_seen_at: Date
}

const COLUMNS =
  "id, platform, token, user_id, tags, timezone, environment, metadata, p256dh, auth, active, invalid_reason, created_at, last_seen_at"

const deviceOf = (row: DeviceRow): Device => ({
  id: row.id,
  platform: row.platform,
  token: row.token,
  userId: row.user_id,
  tags: row.tags,
  timezone: row.timezone,
  environment: row.environment,
  metadata: row.metadata,
  p256dh: row.p256dh,
  auth: row.auth,
  status: row.active ? "active" : "invalid",
  invalidReason: row.invalid_reason,
  createdAt: row.created_at.getTime(),
  lastSeenAt: row.last_seen_at.getTime()
})

/** The key of a token: 16 bytes of its SHA-256, in hexadecimal digits. */
const keyOf = (token: string): string => hash("sha256", token, "hex").slice(0, 32)

/** One call of `register`. */
interface Registration {
  readonly appId: AppId
  readonly devices: ReadonlyArray<RegisterDevice>
}

/** A device of a call. */
interface Line {
  /** Application and token. */
  readonly place: string
  readonly appId: AppId
  readonly key: string
  /** The key of the token that the device had before, if that was another one. */
  readonly before: string | null
  /** Of a row that is new. */
  readonly id: string
  readonly token: string
  readonly device: RegisterDevice
}

const lineOf = (appId: AppId, device: RegisterDevice): Line => {
  const { platform, previous_token: previous } = device
  const token = storedToken(device)
  const key = keyOf(token)
  const given = previous === undefined ? key : keyOf(storedToken({ platform, token: previous }))
  return { place: appId + key, appId, key, before: given === key ? null : given, id: uuidv7(), token, device }
}

/** One call of `among`. */
interface Naming {
  readonly appId: AppId
  readonly ids: ReadonlyArray<string>
}

/** Clocks of nodes and of the database may differ by so much: ids are drawn by the one, created_at by the other. */
const SKEW_MS = 600_000

/** Calls of at most so many rows travel together. */
const FEW = 100
/** Rows of a statement that stands for many calls. */
const ROWS = 256
const AT_ONCE = 2
/** How often devices are registered together, at most, that met others at a bad moment. */
const MOST_TRIES = 3

/**
 * Somebody registered a token at the moment at which a row was moved to it, or PostgreSQL ended a deadlock. A token that is
 * there is seen the next time.
 */
const isOfMoment = (error: StoreError): boolean =>
  refusalBySql(error) === "moment" || (isSqlError(error.cause) && error.cause.reason._tag === "UniqueViolation")

/**
 * Lines by turns, so that all are written as if one after another: those of a turn are written at once, and a token that
 * one of them calls its device's former one is no other's token there, nor the former one of another token's device.
 */
const turnsOf = (lines: ReadonlyArray<Line>): ReadonlyArray<ReadonlyArray<Line>> => {
  if (lines.length === 1 || lines.every(({ before }) => before === null)) return [lines]
  const turns: Array<Array<Line>> = []
  /** By place: the last turn with a line of the token, and the last one in which it is a former one, of which token's device. */
  const named = new Map<string, number>()
  const former = new Map<string, { readonly turn: number; readonly place: string }>()
  for (const line of lines) {
    const { appId, before, place } = line
    let turn = Math.max(named.get(place) ?? 0, (former.get(place)?.turn ?? -1) + 1)
    if (before !== null) {
      const left = appId + before
      const last = former.get(left)
      turn = Math.max(
        turn,
        (named.get(left) ?? -1) + 1,
        last === undefined ? 0 : last.turn + (last.place === place ? 0 : 1)
      )
      former.set(left, { turn, place })
    }
    named.set(place, turn)
    const others = turns[turn]
    if (others === undefined) turns.push([line])
    else others.push(line)
  }
  return turns
}

export const layer: Layer.Layer<DeviceStore, never, SqlClient.SqlClient> = Layer.effect(
  DeviceStore,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const columns = sql.literal(COLUMNS)
    const grew = yield* growing(["devices"])

    /**
     * Gives rows the tokens that their devices have now, before these are registered. Where there is a row of the new
     * token as well, that one goes on, and the old one is of a device that is no more. A person's row is moved for that
     * person alone, whose identity was proven: a token can be known to others.
     */
    const renameTokens = Effect.fnUntraced(function* (turn: ReadonlyArray<Line>) {
      const moved = turn.filter(({ before }) => before !== null)
      if (moved.length === 0) return
      const namesOf = (lines: ReadonlyArray<Line>) => sql`
        unnest(${uuids(lines.map(({ appId }) => appId))}, ${texts(lines.map(({ before }) => before))},
        ${texts(lines.map(({ key }) => key))}, ${texts(lines.map(({ token }) => token))},
        ${texts(lines.map(({ device }) => device.user_id ?? null))}) AS t (app_id, before, key, token, user_id)`
      const isTheirs = sql`d.app_id = t.app_id AND d.token_hash = decode(t.before, 'hex')
        AND (d.user_id IS NULL OR d.user_id = t.user_id)`
      // Behind the first line of a token there is a row of it.
      const first = new Map(turn.toReversed().map((line) => [line.place, line]))
      yield* sql`
        UPDATE devices d SET token_hash = decode(t.key, 'hex'), token = t.token
        FROM ${namesOf(moved.filter((line) => first.get(line.place) === line))}
        WHERE ${isTheirs} AND NOT EXISTS (
          SELECT 1 FROM devices n WHERE n.app_id = t.app_id AND n.token_hash = decode(t.key, 'hex'))`
      yield* sql`
        DELETE FROM devices d USING ${namesOf(moved)} WHERE ${isTheirs}`
    })

    /** Of lines with one token the last wins, whole. */
    const writeTurn = Effect.fnUntraced(function* (unsorted: ReadonlyArray<Line>) {
      // Everyone who locks many devices does so in the order of their keys, so that no two can wait for each other.
      const turn = unsorted.toSorted((a, b) => (a.place === b.place ? 0 : a.place < b.place ? -1 : 1))
      const byPlace = new Map(turn.map((line) => [line.place, line]))
      const lines = [...byPlace.values()]
      yield* renameTokens(turn)
      const rows = yield* sql<{ readonly id: string; readonly app_id: string; readonly key: string }>`
        INSERT INTO devices AS d (app_id, id, token_hash, platform, environment, token, p256dh, auth, user_id, timezone,
          tags, metadata)
        SELECT t.app_id, t.id, decode(t.key, 'hex'), t.platform, coalesce(t.environment, 'production'), t.token, 
          t.p256dh, t.auth, t.user_id, t.timezone, coalesce(t.tags::text[], '{}'), coalesce(t.metadata::json, '{}')
        FROM unnest(${uuids(lines.map((line) => line.appId))}, ${uuids(lines.map((line) => line.id))},
          ${texts(lines.map((line) => line.key))}, ${texts(lines.map((line) => line.device.platform))},
          ${texts(lines.map((line) => line.device.environment ?? null))},
          ${texts(lines.map((line) => line.token))},
          ${texts(lines.map((line) => line.device.web_push_p256dh ?? null))},
          ${texts(lines.map((line) => line.device.web_push_auth ?? null))},
          ${texts(lines.map((line) => line.device.user_id ?? null))},
          ${texts(lines.map((line) => storedZone(line.device.timezone)))},
          ${texts(lines.map((line) => (line.device.tags === undefined ? null : textArrayText([...new Set(line.device.tags)]))))},
          ${texts(lines.map((line) => (line.device.metadata === undefined ? null : JSON.stringify(line.device.metadata))))}
        ) AS t (app_id, id, key, platform, environment, token, p256dh, auth, user_id, timezone, tags, metadata)
        ON CONFLICT (app_id, token_hash) DO UPDATE SET
          last_seen_at = now(),
          active = true,
          invalid_reason = NULL,
          platform = excluded.platform,
          environment = excluded.environment,
          user_id = excluded.user_id,
          timezone = excluded.timezone,
          tags = excluded.tags,
          metadata = excluded.metadata,
          p256dh = excluded.p256dh,
          auth = excluded.auth
        RETURNING d.app_id, d.id, encode(d.token_hash, 'hex') AS key`
      yield* grew(lines.length)
      const ids = new Map(rows.map((row) => [row.app_id + row.key, row.id as DeviceId]))
      return turn.map((line): readonly [Line, Registered] => {
        const { place } = line
        const id = ids.get(place)!
        // A new row has the id that was drawn for it; of several lines the first one made it.
        const created = byPlace.get(place)?.id === id
        if (created) byPlace.delete(place)
        return [line, { id, created }]
      })
    })

    /** Several calls, of several applications, as if one after another. Of several turns, what is refused leaves none behind. */
    const registerAll = Effect.fnUntraced(function* (calls: ReadonlyArray<Registration>) {
      const lines = calls.map(({ appId, devices }) => devices.map((device) => lineOf(appId, device)))
      const turns = turnsOf(lines.flat())
      const written = Effect.forEach(turns, writeTurn)
      const answers = new Map((yield* turns.length === 1 ? written : sql.withTransaction(written)).flat())
      return lines.map((call) => call.map((line) => answers.get(line)!))
    }, storeError("DeviceStore.register"))

    const registerFew = yield* coalesce({
      run: (calls: ReadonlyArray<Registration>) => asSignOfLife(sql)(registerAll(calls)),
      weight: ({ devices }: Registration) => devices.length,
      refusalOf: refusalBySql,
      ownerOf: ({ appId }) => appId,
      rows: ROWS,
      atOnce: AT_ONCE
    })

    const registerTogether: DeviceStore["Service"]["register"] = (appId, devices) => {
      const call = { appId, devices }
      const alone = Effect.map(registerAll([call]), (answers) => answers[0]!)
      return notedOfImport(
        sql,
        appId,
        alone,
        (registered) =>
          registered.map(({ created, id }, i) => ({
            action: "device.registered",
            target: id,
            details: { platform: devices[i]!.platform, created }
          })),
        devices.length <= FEW ? registerFew(call) : alone
      ).pipe(Effect.catchTag("SqlError", (error) => storeError("DeviceStore.register")(Effect.fail(error))))
    }

    /** What meets somebody at each try goes in halves: it is one line in the end that does, and the others are written. */
    const registerAgain = (
      appId: AppId,
      devices: ReadonlyArray<RegisterDevice>,
      tries: number
    ): ReturnType<typeof registerTogether> =>
      registerTogether(appId, devices).pipe(
        Effect.catchIf(isOfMoment, (error) => {
          if (tries < MOST_TRIES) return registerAgain(appId, devices, tries + 1)
          if (devices.length === 1) return Effect.fail(error)
          const half = devices.length >> 1
          return Effect.zipWith(
            registerAgain(appId, devices.slice(0, half), 1),
            registerAgain(appId, devices.slice(half), 1),
            (first, second) => [...first, ...second]
          )
        })
      )

    const register: DeviceStore["Service"]["register"] = (appId, devices) =>
      devices.length === 0 ? Effect.succeed([]) : registerAgain(appId, devices, 1)

    const removeByToken: DeviceStore["Service"]["removeByToken"] = (appId, token) =>
      sql`
        DELETE FROM devices d USING (
          VALUES (${keyOf(token)}, NULL), (${keyOf(storedToken({ platform: "ios", token }))}, 'ios')
        ) AS t (key, platform)
        WHERE d.token_hash = decode(t.key, 'hex')
          AND ${ofRows(sql, sql`d.app_id = ${appId} AND d.platform = coalesce(t.platform, d.platform)`)}
        RETURNING d.id`.pipe(
        Effect.map((rows) => rows.length > 0),
        storeError("DeviceStore.removeByToken")
      )

    const remove: DeviceStore["Service"]["remove"] = (appId, id) =>
      notedOfPeople(
        sql,
        appId,
        Effect.map(
          sql`DELETE FROM devices WHERE app_id = ${appId} AND id = ${id} RETURNING id`,
          (rows) => rows.length > 0
        ),
        (isGone) => (isGone ? [{ action: "device.deleted", target: id }] : [])
      ).pipe(storeError("DeviceStore.remove"))

    const find: DeviceStore["Service"]["find"] = (appId, id) =>
      sql<DeviceRow>`SELECT ${columns} FROM devices WHERE app_id = ${appId} AND id = ${id}`.pipe(
        Effect.map((rows) => Option.map(Option.fromUndefinedOr(rows[0]), deviceOf)),
        storeError("DeviceStore.find")
      )

    const update: DeviceStore["Service"]["update"] = (appId, id, change) => {
      const set = [
        ...(change.user_id === undefined ? [] : [sql`user_id = ${change.user_id}`]),
        ...(change.tags === undefined ? [] : [sql`tags = ${texts([...new Set(change.tags)])}`]),
        ...(change.timezone === undefined ? [] : [sql`timezone = ${storedZone(change.timezone)}`]),
        ...(change.environment === undefined ? [] : [sql`environment = ${change.environment}`]),
        ...(change.metadata === undefined ? [] : [sql`metadata = ${JSON.stringify(change.metadata)}::json`])
      ]
      if (set.length === 0) return find(appId, id)
      const written = sql<DeviceRow>`
        UPDATE devices SET ${sql.csv(set)} WHERE app_id = ${appId} AND id = ${id} RETURNING ${columns}`
      return notedOfPeople(
        sql,
        appId,
        Effect.map(written, (rows) => Option.map(Option.fromUndefinedOr(rows[0]), deviceOf)),
        Option.match({
          onNone: () => [],
          onSome: () => [{ action: "device.changed" as const, target: id, details: { fields: Object.keys(change) } }]
        })
      ).pipe(storeError("DeviceStore.update"))
    }

    const ownTags = ({ tagsAll, tagsAny }: DeviceFilter) =>
      tagConditions(sql, "devices", { ...(tagsAll && { tags_all: tagsAll }), ...(tagsAny && { tags_any: tagsAny }) })

    const conditionsOf = (filter: DeviceFilter) => {
      const { createdBefore, createdFrom, environment, platform, seenBefore, seenFrom, segment, status } = filter
      return [
        ...(platform === undefined ? [] : [sql`platform = ${platform}`]),
        ...(environment === undefined ? [] : [sql`environment = ${environment}`]),
        ...(status === undefined ? [] : [sql`active = ${status === "active"}`]),
        ...ownTags(filter),
        ...(createdFrom === undefined ? [] : [sql`created_at >= ${new Date(createdFrom)}`]),
        ...(createdBefore === undefined ? [] : [sql`created_at < ${new Date(createdBefore)}`]),
        ...(seenFrom === undefined ? [] : [sql`last_seen_at >= ${new Date(seenFrom)}`]),
        ...(seenBefore === undefined ? [] : [sql`last_seen_at < ${new Date(seenBefore)}`]),
        ...(segment === undefined ? [] : [sql`active`, ...deviceConditions(sql, segment)])
      ]
    }

    /** Ids begin with their time: a span of time is a span of the key. */
    const spanOf = ({ createdBefore, createdFrom }: DeviceFilter) => [
      ...(createdFrom === undefined ? [] : [sql`id >= ${uuidFloor(Math.max(0, createdFrom - SKEW_MS))}::uuid`]),
      ...(createdBefore === undefined ? [] : [sql`id < ${uuidFloor(Math.max(0, createdBefore + SKEW_MS))}::uuid`])
    ]

    /** Never prepared: the best plan depends on how many devices a tag has, which a plan made once cannot know. */
    const list: DeviceStore["Service"]["list"] = (appId, filter, after, limit) => {
      const { segment = null, status, userId } = filter
      // None that is inactive is in a segment.
      if (segment !== null && status === "invalid") return Effect.succeed({ items: [], next: null })
      const span = spanOf(filter)
      const conditions = [...conditionsOf(filter), ...span]
      // The devices of a user are few and found by their index; the fence keeps the planner from walking all in order.
      const from =
        userId === undefined
          ? sql`SELECT ${columns} FROM devices WHERE ${sql.and([sql`app_id = ${appId}`, ...conditions])}`
          : sql`SELECT * FROM (
              SELECT ${columns} FROM devices
              WHERE ${sql.and([sql`app_id = ${appId}`, sql`user_id = ${userId}`, ...conditions])} OFFSET 0
            ) AS theirs WHERE true`
      const tags = [...ownTags(filter), ...(segment === null ? [] : tagConditions(sql, "devices", segment))]
      const isFew = userId !== undefined
      const wanted = { table: "devices", appId, segment, isFew, tags, span, after, limit } as const
      return readPage(
        sql,
        wanted,
        (after, end, limit) =>
          sql<DeviceRow>`
            ${from} ${after === null ? sql`` : sql`AND id > ${after}`} ${end === null ? sql`` : sql`AND id <= ${end}`}
            ORDER BY id LIMIT ${limit}`.unprepared
      ).pipe(
        Effect.map(({ items, next }) => ({ items: items.map(deviceOf), next })),
        storeError("DeviceStore.list")
      )
    }

    const ofUsers: DeviceStore["Service"]["ofUsers"] = (appId, userIds, limit) =>
      sql<DeviceRow>`
        SELECT theirs.* FROM unnest(${texts([...new Set(userIds)])}) AS t (user_id) CROSS JOIN LATERAL (
          SELECT * FROM (
            SELECT ${columns} FROM devices WHERE app_id = ${appId} AND user_id = t.user_id OFFSET 0
          ) AS of_user ORDER BY id LIMIT ${limit}
        ) AS theirs`.pipe(
        Effect.map((rows) => Map.groupBy(rows.map(deviceOf), ({ userId }) => userId!)),
        storeError("DeviceStore.ofUsers")
      )

    const amongAll = Effect.fnUntraced(function* (calls: ReadonlyArray<Naming>) {
      const ids = calls.map((call) => [...new Set(call.ids.filter(isUuid))])
      const rows = yield* sql<NamedDevice & { readonly call: number }>`
        SELECT t.call, d.id, d.platform, d.active
        FROM unnest(${integers(ids.flatMap((own, call) => own.map(() => call)))},
          ${uuids(ids.flatMap((own, call) => own.map(() => calls[call]!.appId)))}, ${uuids(ids.flat())}
        ) AS t (call, app_id, id) CROSS JOIN LATERAL (
          SELECT id, platform, active FROM devices WHERE app_id = t.app_id AND id = t.id OFFSET 0
        ) AS d`
      const found: Array<Array<NamedDevice>> = calls.map(() => [])
      for (const { call, id, platform, active } of rows) found[call]!.push({ id, platform, active })
      return found
    }, storeError("DeviceStore.among"))

    const amongFew = yield* coalesce({
      run: amongAll,
      weight: ({ ids }: Naming) => ids.length,
      refusalOf: refusalBySql,
      rows: ROWS,
      atOnce: AT_ONCE
    })

    const among: DeviceStore["Service"]["among"] = (appId, ids) =>
      ids.length <= FEW ? amongFew({ appId, ids }) : Effect.map(amongAll([{ appId, ids }]), (answers) => answers[0]!)

    return DeviceStore.of({ register, removeByToken, remove, find, update, list, ofUsers, among })
  })
)
