import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import type { Fragment } from "effect/sql/Statement"
import type { Platform } from "../../../services/domain/audience/Device.ts"
import type { AppId, ChannelId, NotificationId } from "../../../services/domain/Ids.ts"
import { uuidv7 } from "../../../services/ports/NewId.ts"
import type { KeptAudience, Way } from "../../../services/domain/sending/Notification.ts"
import type { Person } from "../../../services/domain/messages/Template.ts"
import type { AudiencePage } from "../../../services/ports/audience/AudienceStore.ts"
import { AudienceStore } from "../../../services/ports/audience/AudienceStore.ts"
import { addressKey, formerKey } from "./addresses.ts"
import { audienceRows } from "./audienceRows.ts"
import { readerOf } from "./people.ts"
import { audienceTargets } from "./audienceTargets.ts"
import { unmakeErasedAddresses } from "./erasures.ts"
import { alongTheKey, byValues } from "../server/byValues.ts"
import { texts, uuids } from "../server/columns.ts"
import { rowsOf } from "../server/ofRows.ts"
import { makeFewAtOnce } from "../server/fewAtOnce.ts"
import { inboxChannels } from "../inbox/inboxChannels.ts"
import { countRows, NO_ONE } from "./countRows.ts"
import { filterOf, isByTags, isDevicesOnly, isSparse } from "./segments.ts"
import { storeError } from "../server/storeError.ts"
import { WINDOW, windowEnd } from "./windows.ts"

/**
 * Where a page begins, as `<part>:<offset>:<after>`. Part: `d` for devices, then `c` for e-mail channels, then `i` for
 * inboxes. Offset: in a list of ids or addresses, how many of them are behind it, in their order. After: in any other
 * audience, the last id of the page before, a contact's for inboxes. Such an id never changes, so nobody can move from
 * one page to another; a device's user can.
 */
interface Place {
  readonly part: Part
  readonly offset: number
  readonly after: string
}

type Part = "d" | "c" | "i"

const PARTS = { push: "d", email: "c", inbox: "i" } as const satisfies Record<Way, Part>

const startOf = (part: Part): Place => ({ part, offset: 0, after: "" })

const placeOf = (cursor: string | null, first: Part): Place => {
  if (cursor === null) return startOf(first)
  const [part, offset, after] = cursor.split(":")
  return { part: part === "c" || part === "i" ? part : "d", offset: Number(offset), after: after ?? "" }
}

const cursorOf = ({ part, offset, after }: Place): string => `${part}:${offset}:${after}`

const none: ReadonlyArray<string> = []
const NOBODY: AudiencePage["recipients"] = { apns: none, fcm: none, webpush: none, smtp: none, inbox: none }

/** Audiences that a process counts at once: each may read all of an application, and has a connection meanwhile. */
const COUNTS = 2

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
    const { contactsOf, ensureContacts, inboxesOf } = inboxChannels(sql)
    const { channelsOf, devicesOf, devicesWhere, peopleWithInbox } = audienceRows(sql)
    const { targets, unsubscribed, zones } = yield* audienceTargets(sql)
    const fewCounts = yield* makeFewAtOnce(COUNTS)

    /**
     * A page in the order of ids. Never prepared: the best plan depends on how many devices a tag or a list of users has,
     * which a plan made once for all cannot know.
     */
    const devicePage = Effect.fnUntraced(function* (from: Fragment, limit: number) {
      const rows = yield* sql<DeviceRow>`${from} ORDER BY id LIMIT ${limit}`.unprepared
      const ids = { ios: [] as Array<string>, android: [] as Array<string>, web: [] as Array<string> }
      for (const row of rows) ids[row.platform].push(row.id)
      const recipients = { ...NOBODY, apns: ids.ios, fcm: ids.android, webpush: ids.web }
      return { recipients, size: rows.length, last: rows.at(-1)?.id ?? "" }
    })

    const channelPage = Effect.fnUntraced(function* (from: Fragment, limit: number) {
      const rows = yield* sql<{ readonly id: string }>`${from} ORDER BY id LIMIT ${limit}`.unprepared
      const recipients = { ...NOBODY, smtp: rows.map((row) => row.id) }
      return { recipients, size: rows.length, last: rows.at(-1)?.id ?? "" }
    })

    const channelsByKey = (appId: AppId, keys: ReadonlyArray<string>) =>
      sql<{ readonly id: string; readonly key: string; readonly active: boolean }>`
        SELECT c.id, t.key, c.status <> 'suppressed' AS active FROM unnest(${texts(keys)}) AS t (key) CROSS JOIN LATERAL (
          SELECT id, status FROM channels WHERE app_id = ${appId} AND kind = 'email' AND address_key = t.key OFFSET 0
        ) AS c`

    /**
     * The channels of addresses, made where there are none. In two steps: an insert that does nothing answers nothing. In
     * the place of an address whose person was erased after the notification was accepted stands an id of nobody.
     */
    const channelsOfAddresses = Effect.fnUntraced(function* (
      appId: AppId,
      addresses: ReadonlyMap<string, string>,
      keys: ReadonlyArray<string>,
      notification: NotificationId | null
    ) {
      const known = yield* channelsByKey(appId, keys)
      const knownKeys = new Set(known.map((row) => row.key))
      const missing = keys.filter((key) => !knownKeys.has(key))
      const made = missing.length === 0 ? [] : yield* makeChannels(appId, addresses, missing, notification)
      const there = [...known, ...made]
      const gone = Array.from({ length: keys.length - there.length }, () => uuidv7())
      return { ...NOBODY, smtp: [...there.flatMap(({ active, id }) => (active ? [id] : [])), ...gone] }
    })

    const makeChannels = Effect.fnUntraced(function* (
      appId: AppId,
      addresses: ReadonlyMap<string, string>,
      keys: ReadonlyArray<string>,
      notification: NotificationId | null
    ) {
      const drafts = keys.map(() => uuidv7() as ChannelId)
      yield* sql`
        INSERT INTO channels (app_id, id, kind, address, address_key)
        SELECT ${appId}::uuid, t.id, 'email', t.address, t.key
        FROM unnest(${uuids(drafts)}, ${texts(keys.map((key) => addresses.get(key)!))},
          ${texts(keys)}) AS t (id, address, key)
        ON CONFLICT (app_id, kind, address_key) DO NOTHING`
      if (notification !== null) {
        const former = keys.map((key) => formerKey(addresses.get(key)!))
        yield* unmakeErasedAddresses(sql, appId, { ids: drafts, former }, notification)
      }
      return yield* channelsByKey(appId, keys)
    }, sql.withTransaction)

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

    /** Channels named by their ids: also those of people who unsubscribed, which are skipped by name. */
    const namedChannels = Effect.fnUntraced(function* (
      appId: AppId,
      ways: ReadonlyArray<Way>,
      keys: ReadonlyArray<string>
    ) {
      const rows = yield* sql<{ readonly id: string; readonly kind: "email" | "inbox" }>`
        SELECT c.id, c.kind FROM ${rowsOf(sql, "channels", appId, keys)} AS c WHERE c.status <> 'suppressed' ORDER BY c.id`
      const of = (kind: "email" | "inbox") =>
        ways.includes(kind) ? rows.filter((row) => row.kind === kind).map(({ id }) => id) : none
      return { ...NOBODY, smtp: of("email"), inbox: of("inbox") }
    })

    /** Contacts with an inbox, in the order of their ids; those who want no messages there are left out. */
    const inboxPage = Effect.fnUntraced(function* (appId: AppId, from: Fragment, limit: number) {
      const people = yield* sql<{ readonly id: string }>`${from} ORDER BY id LIMIT ${limit}`.unprepared
      const ids = people.map(({ id }) => id)
      const channels = yield* inboxesOf(appId, ids)
      return { recipients: { ...NOBODY, inbox: channels }, size: ids.length, last: ids.at(-1) ?? "" }
    })

    /** Where a page ends that looks for the few of many who match; null: where it is full. */
    const endOf = (appId: AppId, audience: KeptAudience, { after, part }: Place, limit: number) => {
      const filter = filterOf(audience)
      const table = ({ d: "devices", c: "channels", i: "contacts" } as const)[part]
      return filter !== null && isSparse(filter)
        ? windowEnd(sql, table, appId, after === "" ? null : after, limit * WINDOW)
        : Effect.succeed(null)
    }
    const until = (end: string | null, id: Fragment) => (end === null ? [] : [sql`${id} <= ${end}`])

    const partOf = Effect.fnUntraced(function* (appId: AppId, audience: KeptAudience, place: Place, limit: number) {
      const { after, part } = place
      const end = yield* endOf(appId, audience, place, limit)
      const within = (id: Fragment) => until(end, id)
      const found = yield* part === "d"
        ? devicePage(devicesOf(appId, audience, after, within(sql`devices.id`)), limit)
        : part === "c"
          ? channelPage(channelsOf(appId, audience, after, within(sql`c.id`)), limit)
          : inboxPage(appId, peopleWithInbox(appId, audience, after, within(sql`p.id`)), limit)
      const { last, recipients, size } = found
      return { recipients, after: size === limit ? last : end }
    })

    /**
     * The inboxes of users, who become contacts where they are none. In the place of who was erased after the
     * notification was accepted, or is being erased, stands an id of nobody: such a recipient is gone.
     */
    const inboxesOfUsers = Effect.fnUntraced(function* (
      appId: AppId,
      users: ReadonlyArray<string>,
      notification: NotificationId | null
    ) {
      const people = yield* notification === null
        ? ensureContacts(appId, users)
        : contactsOf(appId, users, notification)
      const wanting = people.flatMap(({ id, noInbox }) => (noInbox ? [] : [id]))
      const inboxes = yield* inboxesOf(appId, wanting)
      const gone = users.length - people.length + (wanting.length - inboxes.length)
      return { ...NOBODY, inbox: [...inboxes, ...Array.from({ length: gone }, () => uuidv7())] }
    })

    const page: AudienceStore["Service"]["page"] = Effect.fnUntraced(function* (
      appId,
      audience,
      ways,
      cursor,
      limit,
      notification = null
    ) {
      // Who asks for a platform means devices.
      const parts = ways.filter((way) => way === "push" || !isDevicesOnly(filterOf(audience))).map((way) => PARTS[way])
      const first = parts[0]
      if (first === undefined) return { recipients: NOBODY, next: null }
      const place = placeOf(cursor, first)
      const { device_ids, channel_ids, emails, user_ids } = audience
      if (emails !== undefined && !ways.includes("email")) return { recipients: NOBODY, next: null }

      if (device_ids !== undefined) {
        return yield* listed(device_ids.map(lower), place, limit, (keys) =>
          Effect.map(
            devicePage(devicesWhere(appId, "", [sql`id = ANY(${uuids(keys)})`]), keys.length),
            ({ recipients }) => recipients
          )
        )
      }
      if (channel_ids !== undefined) {
        return yield* listed(channel_ids.map(lower), place, limit, (keys) => namedChannels(appId, ways, keys))
      }
      if (emails !== undefined) {
        // In the order in which nodes of the release before have them: a plan may go on where one of theirs has stopped.
        const spellings = new Map(emails.map((address) => [formerKey(address), address]))
        const addresses = new Map<string, string>()
        for (const spelling of inOrder([...spellings.keys()])) {
          const address = spellings.get(spelling)!
          const key = addressKey(address)
          if (!addresses.has(key)) addresses.set(key, address)
        }
        return yield* listed([...spellings.keys()], place, limit, (written) => {
          // A mailbox is on the page of its first spelling.
          const keys = written.flatMap((spelling) => {
            const address = spellings.get(spelling)!
            const key = addressKey(address)
            return addresses.get(key) === address ? [key] : []
          })
          return channelsOfAddresses(appId, addresses, keys, notification)
        })
      }

      const then = parts[parts.indexOf(place.part) + 1]
      const nextPart = then === undefined ? null : cursorOf(startOf(then))
      if (place.part === "i" && user_ids !== undefined) {
        const { next, recipients } = yield* listed(user_ids, place, limit, (users) =>
          inboxesOfUsers(appId, users, notification)
        )
        return { recipients, next: next ?? nextPart }
      }
      const reading = partOf(appId, audience, place, limit)
      // Who is about everybody walks along the index, also through an application that was registered a moment ago.
      const { after, recipients } = yield* (isAboutEverybody(audience) ? alongTheKey : byValues)(sql, reading)
      return { recipients, next: after === null ? nextPart : cursorOf({ ...place, after }) }
    }, storeError("AudienceStore.page"))

    const addressee = Effect.fnUntraced(function* (appId: AppId, addresses: ReadonlyArray<string>) {
      const known = yield* channelsByKey(appId, addresses.map(addressKey))
      const [found] = yield* targets(
        appId,
        "smtp",
        known.map(({ id }) => id),
        true
      )
      if (found?.person !== undefined) return found.person
      const keys = new Set(known.map(({ key }) => key))
      const email = addresses.find((address) => !keys.has(addressKey(address)))
      return email === undefined ? null : newPerson({ email })
    })

    const reader = Effect.fnUntraced(function* (appId: AppId, audience: KeptAudience, limit: number) {
      const { channel_ids, user_ids } = audience
      if (channel_ids !== undefined) {
        const { inbox } = yield* namedChannels(appId, ["inbox"], [...new Set(channel_ids.map(lower))])
        const [found] = yield* targets(appId, "inbox", inbox.slice(0, limit), true)
        return found?.person ?? null
      }
      const end = yield* endOf(appId, audience, startOf("i"), limit)
      const people = peopleWithInbox(appId, audience, "", until(end, sql`p.id`))
      const finding = sql<{ readonly id: string }>`${people} ORDER BY id LIMIT 1`.unprepared
      const [found] = yield* (isAboutEverybody(audience) ? alongTheKey : byValues)(sql, finding)
      if (found !== undefined) return (yield* readerOf(sql, found.id))[0]?.person ?? null
      if (user_ids === undefined) return null
      const [newcomer] = yield* sql<{ readonly id: string }>`
        SELECT t.id FROM unnest(${texts(user_ids)}) WITH ORDINALITY AS t (id, place) WHERE NOT EXISTS (
          SELECT FROM contacts WHERE app_id = ${appId} AND external_id = t.id OFFSET 0
        ) ORDER BY t.place LIMIT 1`
      return newcomer === undefined ? null : newPerson({ external_id: newcomer.id, tags: [] })
    })

    const someone: AudienceStore["Service"]["someone"] = Effect.fnUntraced(function* (appId, audience, way, limit) {
      const { device_ids, emails } = audience
      if (emails !== undefined) return way === "email" ? yield* addressee(appId, emails.slice(0, limit)) : null
      if (way === "email" || device_ids !== undefined || isDevicesOnly(filterOf(audience))) return null
      return yield* reader(appId, audience, limit)
    }, storeError("AudienceStore.someone"))

    const count: AudienceStore["Service"]["count"] = Effect.fnUntraced(function* (appId, audience, ways, timeoutMs) {
      const { channel_ids, device_ids, emails, user_ids } = audience
      const wants = (way: Way) => ways.includes(way) && (way === "push" || !isDevicesOnly(filterOf(audience)))
      if (emails !== undefined) {
        const keys = [...new Set(emails.map(addressKey))]
        const inactive = (yield* channelsByKey(appId, keys)).filter(({ active }) => !active)
        return { recipients: { ...NO_ONE, smtp: wants("email") ? keys.length - inactive.length : 0 }, isExact: true }
      }
      if (channel_ids !== undefined) {
        const { inbox, smtp } = yield* namedChannels(appId, ways, [...new Set(channel_ids.map(lower))])
        return { recipients: { ...NO_ONE, smtp: smtp.length, inbox: inbox.length }, isExact: true }
      }
      const isListed = user_ids !== undefined || device_ids !== undefined
      const counted = yield* countRows(sql, appId, timeoutMs, isListed ? null : fewCounts, {
        devices: (more) =>
          !wants("push")
            ? null
            : device_ids !== undefined
              ? devicesWhere(appId, "", [sql`id = ANY(${uuids(device_ids.map(lower))})`, ...more])
              : devicesOf(appId, audience, "", more),
        channels: wants("email") && device_ids === undefined ? channelsOf(appId, audience, "") : null,
        inboxes: wants("inbox") && device_ids === undefined ? peopleWithInbox(appId, audience, "") : null
      })
      if (user_ids === undefined || !wants("inbox")) return counted
      // Users who are no contacts yet become some.
      const known = yield* sql<{ readonly id: string }>`
        SELECT external_id AS id FROM contacts WHERE app_id = ${appId} AND external_id = ANY(${texts(user_ids)})`
      const made = new Set(user_ids).size - known.length
      return { ...counted, recipients: { ...counted.recipients, inbox: counted.recipients.inbox + made } }
    }, storeError("AudienceStore.count"))

    return AudienceStore.of({ zones, page, count, someone, targets, unsubscribed })
  })
)

/** Nothing but reading everybody's row leads to those it means; tags and users have their indexes. */
const isAboutEverybody = (audience: KeptAudience): boolean =>
  !isByTags(filterOf(audience)) && audience.user_ids === undefined

/** What is known of somebody who becomes a recipient by being written to. */
const newPerson = (contact: Person["contact"]): Person => ({
  locale: null,
  device: {},
  contact: { ...contact, attributes: {} }
})

const lower = (id: string): string => id.toLowerCase()
