import { PgTypes } from "@effect/sql-pg"
import { Effect } from "effect"
import type { SqlClient } from "effect/sql"
import type { Actor } from "../../../services/domain/access/Audit.ts"
import type { Environment } from "../../../services/domain/audience/Device.ts"
import type { ProviderKind } from "../../../services/domain/sending/Credential.ts"
import type { BatchId } from "../../../services/domain/Ids.ts"
import type { Priority } from "../../../services/domain/sending/Notification.ts"
import { isoTime } from "../../../services/domain/Time.ts"
import { uuidv7InOrder } from "../../../services/ports/NewId.ts"
import type {
  ClaimedMessage,
  FewUsers,
  NewNotification,
  OnlyDevice
} from "../../../services/ports/sending/NotificationStore.ts"
import {
  doubles,
  integers,
  milliseconds,
  smallints,
  textArrayText,
  texts,
  times,
  uuidArrayText,
  uuids
} from "../server/columns.ts"
import { ACCEPT, ACCEPT_ALONE } from "./acceptStatement.ts"
import { leavingOut } from "./leavingOut.ts"
import { sizeOf } from "./notificationRows.ts"

/** A notification on its way into the table, with its request as text. */
export interface Arrival {
  readonly notification: NewNotification
  readonly priority: Priority
  readonly request: string
  /** Its only recipient, if the statement is to look it up and to plan it as `batch`. */
  readonly device: OnlyDevice | null
  /** Its only recipients, if the statement is to look their devices up, and to plan them where they are few. */
  readonly users: FewUsers | null
  /** Who sends it, where that is written down. */
  readonly sender: Actor | null
  /** Gets what became of it when its caller has left. */
  readonly unheard: (arrived: Arrived) => void
}

export interface Arrived {
  /** False when another request has taken its key. */
  readonly isKept: boolean
  /** Epoch milliseconds. */
  readonly createdAt: number
  readonly device: "unknown" | "inactive" | ProviderKind | null
  readonly claimed: ReadonlyArray<ClaimedMessage>
  /** Of the batches of users' devices that were not leased. */
  readonly left: ReadonlyArray<ProviderKind>
}

/** What was read of devices, a column each: null where there are none, or this one was not leased. */
interface ToSend {
  readonly versions?: ReadonlyArray<number | null>
  readonly accepted?: ReadonlyArray<number | null>
  readonly tokens?: ReadonlyArray<string>
  readonly environments?: ReadonlyArray<Environment>
  readonly seen?: ReadonlyArray<number>
  readonly p256dh?: ReadonlyArray<string | null>
  readonly auth?: ReadonlyArray<string | null>
}

/** Devices of users. Null: none at all. */
interface Reached extends ToSend {
  /** Which arrival's, counted from 1. */
  readonly places: ReadonlyArray<number> | null
  readonly batches: ReadonlyArray<BatchId>
  readonly ids: ReadonlyArray<string>
  readonly providers: ReadonlyArray<ProviderKind>
}

interface AcceptedRow extends ToSend {
  readonly at: Date
  readonly kept: ReadonlyArray<string>
  readonly devices: string
  readonly reached?: Reached
}

/** The same of one notification, whose device is read or not. */
interface AloneRow extends Pick<AcceptedRow, "at" | "kept" | "devices" | "reached"> {
  readonly version?: number | null
  readonly accepted_at: number | null
  readonly token: string
  readonly environment: Environment
  readonly seen_at: number
  readonly p256dh: string | null
  readonly auth: string | null
}

const asMany = ({ accepted_at, auth, environment, p256dh, seen_at, token, version, ...row }: AloneRow): AcceptedRow =>
  version === undefined
    ? row
    : {
        ...row,
        versions: [version],
        accepted: [accepted_at],
        tokens: [token],
        environments: [environment],
        seen: [seen_at],
        p256dh: [p256dh],
        auth: [auth]
      }

/** What the statement says of each device, in one character. */
const DEVICE: Readonly<Record<string, Arrived["device"]>> = {
  "-": null,
  "?": "unknown",
  x: "inactive",
  i: "apns",
  a: "fcm",
  w: "webpush"
}

/** A batch that was leased, as a claim would have found it: what was read of its only device stands at `index`. */
const claimedOf = (
  { notification, priority }: Arrival,
  at: Date,
  read: ToSend,
  index: number,
  { batch, id, provider }: { readonly batch: BatchId; readonly id: string; readonly provider: ProviderKind }
): ClaimedMessage | null => {
  const version = read.versions?.[index] ?? null
  if (version === null) return null
  const { appId, id: notificationId, ttlMs } = notification
  return {
    batch: {
      id: batch,
      appId,
      notificationId,
      provider,
      priority,
      attempts: 0,
      reason: null,
      fence: 1,
      suspicion: 0,
      isDoubtful: false,
      credential: { version, suspendedReason: null, acceptedAt: read.accepted![index]! },
      expiresAt: null,
      recipients: [id]
    },
    target: {
      id,
      address: read.tokens![index]!,
      environment: read.environments![index]!,
      p256dh: read.p256dh![index]!,
      auth: read.auth![index]!,
      seenAt: read.seen![index]!
    },
    expiresAt: at.getTime() + ttlMs
  }
}

/** What became of the devices of users: by arrival, the batches that were leased, and the ways of the others. */
const sharedOf = (arrivals: ReadonlyArray<Arrival>, { at, reached }: AcceptedRow) => {
  const found = new Map<number, { readonly claimed: Array<ClaimedMessage>; readonly left: Array<ProviderKind> }>()
  reached?.places?.forEach((place, index) => {
    let those = found.get(place - 1)
    if (those === undefined) found.set(place - 1, (those = { claimed: [], left: [] }))
    const { batches, ids, providers } = reached
    const provider = providers[index]!
    const which = { batch: batches[index]!, id: ids[index]!, provider }
    const claimed = claimedOf(arrivals[place - 1]!, at, reached, index, which)
    if (claimed !== null) those.claimed.push(claimed)
    else if (!those.left.includes(provider)) those.left.push(provider)
  })
  return found
}

const NONE: Pick<Arrived, "claimed" | "left"> = { claimed: [], left: [] }

/** What the log says of a notification: to whom by which selectors, and when, but neither ids of people nor content. */
const detailsOf = ({ request: { template_id, to }, sendAt }: NewNotification) => {
  const { filter: _, ...selectors } = to
  return {
    to: Object.keys(selectors),
    ...(to.segment_id === undefined ? {} : { segment_id: to.segment_id }),
    ...(template_id === undefined ? {} : { template_id }),
    ...(sendAt == null ? {} : { send_at: isoTime(sendAt) })
  }
}

const sendMany = leavingOut<AcceptedRow>(ACCEPT)
const sendAlone = leavingOut<AloneRow>(ACCEPT_ALONE)

export const acceptNotifications = (sql: SqlClient.SqlClient) =>
  Effect.fnUntraced(function* (arrivals: ReadonlyArray<Arrival>) {
    const rows = yield* accept(sql, arrivals)
    const row = rows[0]!
    const createdAt = row.at.getTime()
    const mine = new Set(row.kept)
    const shared = sharedOf(arrivals, row)
    return arrivals.map((arrival, index): Arrived => {
      const { id, settlement } = arrival.notification
      const device = DEVICE[row.devices[index] ?? "-"] ?? null
      const isKept = !settlement || device === "unknown" || mine.has(id)
      if (arrival.device === null) return { isKept, createdAt, device, ...(shared.get(index) ?? NONE) }
      const which = { ...arrival.device, provider: device as ProviderKind }
      const claimed = claimedOf(arrival, row.at, row, index, which)
      return { isKept, createdAt, device, claimed: claimed === null ? [] : [claimed], left: [] }
    })
  })

/** Columns of which each notification has a value. */
const ALL = { uuids, texts, doubles, integers, times }
/** The same of a notification alone. */
const ONE: typeof ALL = {
  uuids: ([value]) => PgTypes.uuid(value ?? null),
  texts: ([value]) => PgTypes.text(value ?? null),
  doubles: ([value]) => PgTypes.float8(value!),
  integers: ([value]) => PgTypes.int4(value ?? null),
  times: ([value]) => PgTypes.timestamptz(value ?? null)
}

const leaseOf = ({ device, users }: Arrival) => (device ?? users)?.lease ?? null

const accept = (sql: SqlClient.SqlClient, arrivals: ReadonlyArray<Arrival>) => {
  const notifications = arrivals.map(({ notification }) => notification)
  const settled = notifications.flatMap(({ id, settlement }) => (settlement ? { id, ...settlement } : []))
  const batches = arrivals.flatMap(({ notification, priority }) =>
    (notification.batches ?? []).map((batch) => ({ ...batch, notification, priority }))
  )
  const sent = arrivals.flatMap(({ notification, sender }) => (sender === null ? [] : { notification, sender }))
  const [devices, users, keys, planned] = [
    arrivals.some(({ device }) => device !== null),
    arrivals.some(({ users }) => users !== null),
    settled.length > 0,
    batches.length > 0
  ]
  const holders = arrivals.map(leaseOf)
  const leaseMs = holders.find((lease) => lease !== null)?.ms ?? null
  const leases = leaseMs !== null
  const parts = {
    devices,
    users,
    leases,
    "devices, leases": devices && leases,
    "users, leases": users && leases,
    templates: notifications.some(({ request }) => request.template !== undefined),
    keys,
    entries: sent.length > 0,
    "entries, keys": sent.length > 0 && keys,
    batches: planned,
    "batches, keys": planned && keys,
    "devices, keys": devices && keys,
    "users, keys": users && keys
  }
  const isAlone = arrivals.length === 1
  const each = isAlone ? ONE : ALL
  const parameters = [
    () => each.uuids(notifications.map(({ id }) => id)),
    () => each.uuids(notifications.map(({ appId }) => appId)),
    () => each.texts(arrivals.map(({ priority }) => priority)),
    () => each.texts(arrivals.map(({ request }) => request)),
    () => each.doubles(notifications.map(({ ttlMs }) => ttlMs)),
    () => each.integers(notifications.map(({ batches }) => (batches === null ? null : sizeOf(batches)))),
    () => each.times(notifications.map(({ sendAt }) => sendAt ?? null)),
    () => each.texts(notifications.map(({ trace }) => trace ?? null)),
    () => each.uuids(arrivals.map(({ device }) => device?.id ?? null)),
    () => each.uuids(arrivals.map(({ device }) => device?.batch ?? null)),
    () => each.uuids(notifications.map(({ request }) => request.template?.version ?? null)),
    () => each.integers(holders.map((lease) => lease?.holder ?? null)),
    () => milliseconds(leaseMs ?? 0),
    () => uuids(settled.map(({ id }) => id)),
    () => uuids(settled.map(({ claim }) => claim.appId)),
    () => texts(settled.map(({ claim }) => claim.route)),
    () => texts(settled.map(({ claim }) => claim.key)),
    () => uuids(settled.map(({ claim }) => claim.holder)),
    () => smallints(settled.map(({ answer }) => answer.status)),
    () => texts(settled.map(({ answer }) => answer.body)),
    () => texts(settled.map(({ answer }) => answer.location)),
    () => uuids(batches.map((batch) => batch.id)),
    () => uuids(batches.map((batch) => batch.notification.id)),
    () => uuids(batches.map((batch) => batch.notification.appId)),
    () => texts(batches.map((batch) => batch.provider)),
    () => texts(batches.map((batch) => batch.priority)),
    () => texts(batches.map((batch) => uuidArrayText(batch.recipients))),
    () => each.texts(arrivals.map(({ users }) => (users === null ? null : textArrayText(users.ids)))),
    () => uuids(sent.map(() => uuidv7InOrder())),
    () => uuids(sent.map(({ notification }) => notification.id)),
    () => texts(sent.map(({ sender }) => sender.kind)),
    () => texts(sent.map(({ sender }) => sender.id)),
    () => texts(sent.map(({ notification }) => JSON.stringify(detailsOf(notification))))
  ]
  return isAlone
    ? Effect.map(sendAlone(sql, parts, parameters), (rows) => rows.map(asMany))
    : sendMany(sql, parts, parameters)
}
