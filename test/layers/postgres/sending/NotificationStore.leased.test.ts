import { expect, layer } from "@effect/vitest"
import { Effect, Option } from "effect"
import { SqlClient } from "effect/sql"
import { giveRows } from "../../../../layers/postgres/sending/directBatches.ts"
import type { AppId, BatchId, NotificationId } from "../../../../services/domain/Ids.ts"
import type { KeptRequest } from "../../../../services/domain/sending/Notification.ts"
import { messageOf } from "../../../../services/domain/sending/Notification.ts"
import { IdempotencyStore } from "../../../../services/ports/access/IdempotencyStore.ts"
import { AudienceStore } from "../../../../services/ports/audience/AudienceStore.ts"
import { ContactStore } from "../../../../services/ports/audience/ContactStore.ts"
import { uuidv7 } from "../../../../services/ports/NewId.ts"
import { HolderStore } from "../../../../services/ports/operations/HolderStore.ts"
import { BatchStore } from "../../../../services/ports/sending/BatchStore.ts"
import { CredentialStore } from "../../../../services/ports/sending/CredentialStore.ts"
import type { NewNotification } from "../../../../services/ports/sending/NotificationStore.ts"
import { FEW_DEVICES, NotificationStore } from "../../../../services/ports/sending/NotificationStore.ts"
import { HELLO, newApp } from "../Stores.ts"
import { accept, android, APNS, devicesOf, FCM, HOLDER, ios, LEASE, newSender, stores, TTL, web } from "./Leased.ts"

interface SharedRow {
  readonly id: string
  readonly recipients: ReadonlyArray<string>
}

/** Accepts a message to users, leased unless said otherwise; with its batches as they are. */
const acceptFor = Effect.fnUntraced(function* (
  appId: AppId,
  users: ReadonlyArray<string>,
  more: { readonly isLeased?: boolean } & Partial<NewNotification> = {}
) {
  const notifications = yield* NotificationStore
  const sql = yield* SqlClient.SqlClient
  const { isLeased = true, ...over } = more
  const id = uuidv7() as NotificationId
  const accepted = yield* notifications.acceptForUsers(
    { id, appId, request: HELLO, ttlMs: TTL, batches: null, ...over },
    { ids: users, lease: isLeased ? { holder: HOLDER, ms: LEASE } : null }
  )
  const rows = yield* sql<SharedRow>`
    SELECT id, app_id, priority, recipients, fence, lease_holder, done, pending,
      lease_until > now() AND lease_until <= now() + ${LEASE} * interval '1 ms' AS is_leased
    FROM all_batches WHERE notification_id = ${id} ORDER BY id`
  return { id, accepted, rows }
})

const rowOf = Effect.fnUntraced(function* (batch: BatchId) {
  const sql = yield* SqlClient.SqlClient
  const rows = yield* sql<Record<string, unknown>>`
    SELECT fence, lease_holder, lease_until > now() AND lease_until <= now() + ${LEASE} * interval '1 ms' AS is_leased, done,
      pending FROM all_batches WHERE id = ${batch}`
  return rows[0]
})
const LEASED = { fence: 1, lease_holder: HOLDER, is_leased: true, done: false, pending: 1 }
const LEFT = { fence: 0, lease_holder: null, is_leased: null, done: false, pending: 1 }

layer(stores)("NotificationStore, leasing a message as it accepts it", (it) => {
  it.effect("leases it in the name of the holder, with all that a claim, its message and its target would be", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const notifications = yield* NotificationStore
      const batches = yield* BatchStore
      const audiences = yield* AudienceStore
      const app = yield* newSender
      const ids = yield* devicesOf(app, [ios({ environment: "sandbox" }), android({ user_id: "u" }), web()])
      // Moments with fractions of a millisecond, which whoever reads them by themselves never sees.
      yield* sql`UPDATE devices SET last_seen_at = '2026-01-02 03:04:05.678912Z' WHERE app_id = ${app}`
      yield* sql`UPDATE credentials SET accepted_at = '2026-02-03 04:05:06.789923Z' WHERE app_id = ${app} AND kind <> 'fcm'`
      const request: KeptRequest = {
        ...HELLO,
        content: { title: "Grüße 😀", data: { nested: [1, null] } },
        priority: "high",
        collapse_key: "k",
        ttl: 0
      }
      const made = yield* Effect.forEach(ids, (id) => accept(app, id, { request }), { concurrency: "unbounded" })
      for (const [i, provider] of (["apns", "fcm", "webpush"] as const).entries()) {
        const { accepted, batch, id } = made[i]!
        expect(yield* rowOf(batch)).toEqual(LEASED)
        expect(accepted).toMatchObject({ provider, notification: { id, appId: app, status: "queued" } })
        const claimed = accepted!.claimed!
        const targets = yield* audiences.targets(app, provider, [ids[i]!])
        expect([claimed.target]).toEqual(targets)
        const message = messageOf(request, { id, appId: app, expiresAt: claimed.expiresAt, trace: null })
        expect(Option.some(message)).toEqual(yield* notifications.message(id))
        yield* giveRows(sql, sql`n.id = ${id}`)
        yield* sql`UPDATE batches SET lease_until = NULL WHERE id = ${batch}`
        const [again] = yield* batches.claim({ appId: app, provider, priority: "high" }, 1, LEASE)
        expect(claimed.batch).toEqual({ ...again, fence: 1 })
        expect(again).toMatchObject({ fence: 2, credential: { acceptedAt: provider === "fcm" ? null : 1770091506789 } })
      }
    })
  )

  it.effect("is nobody else's until its lease ends, or the session of its holder has", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const batches = yield* BatchStore
      const holders = yield* HolderStore
      const app = yield* newSender
      const lane = { appId: app, provider: "fcm", priority: "bulk" } as const
      const [device] = yield* devicesOf(app, [android()])
      const first = yield* accept(app, device!)
      expect(yield* batches.claim(lane, 10, LEASE)).toEqual([])
      const found = Effect.map(batches.forgotten(0), ({ lanes }) => lanes.filter(({ appId }) => appId === app))
      expect(yield* found).toEqual([])
      yield* sql`INSERT INTO holders (id, name, ended) VALUES (${HOLDER}, 'gone', 'killed')`
      expect(yield* holders.release).toBeGreaterThan(0)
      expect(yield* found).toEqual([lane])
      const [claimed] = yield* batches.claim(lane, 10, LEASE)
      expect(claimed).toMatchObject({ id: first.batch, fence: 2 })
      // Whoever had it may neither write nor prolong.
      expect(yield* batches.extend(first.batch, 1, LEASE)).toBe(false)
      const second = yield* accept(app, device!)
      expect(yield* batches.claim(lane, 10, LEASE)).toEqual([])
      yield* batches.release(second.batch, 1, 0, false)
      expect(yield* batches.claim(lane, 10, LEASE)).toMatchObject([{ id: second.batch, fence: 2 }])
    })
  )

  it.effect("leaves it to its lane where its credential is missing, suspended, or another application's", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const [app, bare, refused] = [yield* newSender, yield* newApp, yield* newSender]
      yield* sql`UPDATE credentials SET suspended_reason = 'refused' WHERE app_id = ${refused} AND kind = 'fcm'`
      yield* (yield* CredentialStore).put(bare, APNS)
      const cases = [
        [bare, android(), LEFT],
        [bare, ios(), LEASED],
        [refused, android(), LEFT],
        [refused, ios(), LEASED],
        [app, android(), LEASED]
      ] as const
      for (const [whose, device, expected] of cases) {
        const [id] = yield* devicesOf(whose, [device])
        const { accepted, batch } = yield* accept(whose, id!)
        expect(yield* rowOf(batch)).toEqual(expected)
        expect(accepted!.claimed !== null).toBe(expected === LEASED)
        expect(accepted!.provider).toBe(device.platform === "ios" ? "apns" : "fcm")
        // Nobody else's device.
        const stranger = yield* accept(whose === app ? bare : app, id!)
        expect([stranger.accepted, yield* rowOf(stranger.batch)]).toEqual([null, undefined])
      }
    })
  )

  it.effect("leaves it to its lane where its person takes no push, and to a planner where the device is inactive", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const [app, other] = [yield* newSender, yield* newSender]
      const contacts = yield* ContactStore
      for (const external_id of ["quiet", "open"]) yield* contacts.upsert(app, [{ external_id }])
      yield* contacts.upsert(other, [{ external_id: "open" }])
      yield* sql`UPDATE contacts SET no_push = true
        WHERE (app_id = ${app} AND external_id = 'quiet') OR (app_id = ${other} AND external_id = 'open')`
      const [quiet, open, unknown, nobody, dead] = yield* devicesOf(app, [
        android({ user_id: "quiet" }),
        android({ user_id: "open" }),
        android({ user_id: "unknown" }),
        android(),
        android()
      ])
      yield* sql`UPDATE devices SET active = false WHERE id = ${dead!}`
      for (const device of [open, unknown, nobody]) {
        expect(yield* rowOf((yield* accept(app, device!)).batch)).toEqual(LEASED)
      }
      const silent = yield* accept(app, quiet!)
      expect(yield* rowOf(silent.batch)).toEqual(LEFT)
      expect(silent.accepted).toMatchObject({ provider: "fcm", claimed: null })
      const gone = yield* accept(app, dead!)
      expect(yield* rowOf(gone.batch)).toBe(undefined)
      expect(gone.accepted).toMatchObject({ provider: null, claimed: null })
    })
  )

  it.effect("does nothing where another request has taken its idempotency key", () =>
    Effect.gen(function* () {
      const keys = yield* IdempotencyStore
      const app = yield* newSender
      const [device] = yield* devicesOf(app, [android()])
      const settlement = (key: string, holder: string) => ({
        claim: { appId: app, route: "POST /api/v1/notifications", key, holder },
        answer: { status: 202, body: "{}", location: null }
      })
      const mine = settlement("mine", uuidv7())
      const lost = settlement("lost", uuidv7())
      for (const { claim } of [mine, settlement("lost", uuidv7())]) {
        yield* keys.begin(claim, new Uint8Array(32), LEASE)
      }
      const [kept, refused, free] = yield* Effect.all(
        [
          accept(app, device!, { settlement: mine }),
          Effect.flip(accept(app, device!, { settlement: lost })),
          accept(app, device!)
        ],
        { concurrency: "unbounded" }
      )
      for (const { accepted, batch } of [kept, free]) {
        expect(yield* rowOf(batch)).toEqual(LEASED)
        expect(accepted!.claimed).not.toBe(null)
      }
      expect(refused).toMatchObject({ _tag: "StoreError" })
      const sql = yield* SqlClient.SqlClient
      expect(yield* sql`SELECT 1 FROM all_batches WHERE app_id = ${app}`).toHaveLength(2)
      expect(yield* sql`SELECT 1 FROM notifications WHERE app_id = ${app}`).toHaveLength(2)
    })
  )

  it.effect("gives each of many that travel together what is its own", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const notifications = yield* NotificationStore
      const [app, other] = [yield* newSender, yield* newSender]
      yield* sql`UPDATE credentials SET suspended_reason = 'refused' WHERE app_id = ${other} AND kind = 'webpush'`
      const mine = yield* devicesOf(app, [ios(), android(), web(), android()])
      const theirs = yield* devicesOf(other, [web(), ios()])
      yield* sql`UPDATE devices SET active = false WHERE id = ${mine[3]!}`
      const described = { id: uuidv7() as NotificationId, appId: app, request: HELLO, ttlMs: TTL, batches: null }
      const cases = [
        [app, mine[0]!, true],
        [app, mine[1]!, false],
        [other, theirs[0]!, true],
        [app, uuidv7(), true],
        [app, mine[2]!, true],
        [app, mine[3]!, true],
        [other, theirs[1]!, true],
        [other, mine[0]!, true],
        [app, mine[1]!, true]
      ] as const
      // The first goes at once, and all others while it is under way.
      const [, made] = yield* Effect.all(
        [
          notifications.accept(described),
          Effect.forEach(cases, ([whose, device, isLeased]) => accept(whose, device, { isLeased }), {
            concurrency: "unbounded"
          })
        ],
        { concurrency: "unbounded" }
      )
      const rows = yield* Effect.forEach(made, ({ batch }) => rowOf(batch))
      expect(rows).toEqual([LEASED, LEFT, LEFT, undefined, LEASED, undefined, LEASED, undefined, LEASED])
      expect(made.map(({ accepted }) => accepted?.provider)).toEqual([
        "apns",
        "fcm",
        "webpush",
        undefined,
        "webpush",
        null,
        "apns",
        undefined,
        "fcm"
      ])
      for (const [i, { accepted, batch, id }] of made.entries()) {
        const [appId, device] = cases[i]!
        if (rows[i] !== LEASED && rows[i]?.["fence"] !== 1) {
          expect(accepted?.claimed ?? null).toBe(null)
          continue
        }
        const { batch: claimed, target } = accepted!.claimed!
        expect(claimed).toMatchObject({ id: batch, appId, notificationId: id, recipients: [device], fence: 1 })
        const [row] = yield* sql`SELECT token AS address, p256dh, auth FROM devices WHERE id = ${device}`
        expect(target).toMatchObject({ id: device, ...row })
        const [credential] = yield* sql`SELECT version FROM credentials WHERE app_id = ${appId}
          AND kind = ${claimed.provider}`
        expect(claimed.credential).toMatchObject(credential!)
      }
    })
  )

  it.effect(
    "leases a batch for each active device of some users, as claims would find them, and plans just those",
    () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const notifications = yield* NotificationStore
        const batches = yield* BatchStore
        const audiences = yield* AudienceStore
        const [app, other] = [yield* newSender, yield* newSender]
        const [phone, sandbox, droid, browser, theirs, dead] = yield* devicesOf(app, [
          ios({ user_id: "u" }),
          ios({ user_id: "u", environment: "sandbox" }),
          android({ user_id: "u" }),
          { ...web(), user_id: "u" },
          android({ user_id: 'with "quotes", \\ and {braces}' }),
          android({ user_id: "u" })
        ])
        yield* devicesOf(app, [android(), android({ user_id: "U" })])
        yield* devicesOf(other, [android({ user_id: "u" })])
        yield* sql`UPDATE devices SET active = false WHERE id = ${dead!}`
        yield* sql`UPDATE devices SET last_seen_at = '2026-01-02 03:04:05.678912Z' WHERE app_id = ${app}`
        yield* sql`UPDATE credentials SET accepted_at = '2026-02-03 04:05:06.789923Z' WHERE app_id = ${app} AND kind <> 'fcm'`
        const { accepted, id, rows } = yield* acceptFor(app, ["u", 'with "quotes", \\ and {braces}', "nobody"])
        const mine = [phone, sandbox, droid, browser, theirs].map((device) => device!)
        expect(accepted.notification).toMatchObject({ id, appId: app, status: "queued" })
        expect(accepted.left).toEqual([])
        expect(rows.map(({ recipients }) => recipients[0]!).sort()).toEqual([...mine].sort())
        for (const row of rows) expect(row).toMatchObject({ ...LEASED, app_id: app, priority: "bulk" })
        const [row] = yield* sql`SELECT status, plan_done, planned, started_at IS NOT NULL AS started FROM notifications
        WHERE id = ${id}`
        expect(row).toEqual({ status: "sending", plan_done: true, planned: 5, started: true })
        const { expiresAt } = accepted.claimed[0]!
        const message = messageOf(HELLO, { id, appId: app, expiresAt, trace: null })
        expect(Option.some(message)).toEqual(yield* notifications.message(id))
        yield* sql`UPDATE batches SET lease_until = NULL WHERE notification_id = ${id}`
        const again = yield* Effect.forEach(["apns", "fcm", "webpush"] as const, (provider) =>
          batches.claim({ appId: app, provider, priority: "bulk" }, 10, LEASE)
        )
        const found = accepted.claimed.map(({ batch }) => batch).sort((a, b) => (a.id < b.id ? -1 : 1))
        expect(found).toEqual(
          again
            .flat()
            .map((batch) => ({ ...batch, fence: 1 }))
            .sort((a, b) => (a.id < b.id ? -1 : 1))
        )
        for (const { batch, target } of accepted.claimed) {
          expect(yield* audiences.targets(app, batch.provider, batch.recipients)).toEqual([target])
        }
      })
  )

  it.effect("frees all batches of a message to users when the session of its holder has ended, in every lane", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const batches = yield* BatchStore
      const holders = yield* HolderStore
      const app = yield* newSender
      yield* devicesOf(app, [ios({ user_id: "u" }), android({ user_id: "u" }), android({ user_id: "u" })])
      const { rows } = yield* acceptFor(app, ["u"])
      const claimed = Effect.map(
        Effect.forEach(["apns", "fcm"] as const, (provider) =>
          batches.claim({ appId: app, provider, priority: "bulk" }, 10, LEASE)
        ),
        (found) => found.flat()
      )
      expect(yield* claimed).toEqual([])
      yield* sql`INSERT INTO holders (id, name, ended) VALUES (${HOLDER}, 'gone', 'stopped')`
      expect(yield* holders.release).toBeGreaterThan(0)
      const found = yield* claimed
      expect(found.map(({ id }) => id).sort()).toEqual(rows.map(({ id }) => id))
      for (const { fence } of found) expect(fence).toBe(2)
      for (const { id } of rows) expect(yield* batches.extend(id as BatchId, 1, LEASE)).toBe(false)
    })
  )

  it.effect("leaves users without an active device to a planner", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const app = yield* newSender
      const [dead] = yield* devicesOf(app, [android({ user_id: "inactive" })])
      yield* sql`UPDATE devices SET active = false WHERE id = ${dead!}`
      for (const users of [["unknown"], ["inactive"], ["inactive", "unknown"]]) {
        const { accepted, id, rows } = yield* acceptFor(app, users)
        expect([accepted.claimed, accepted.left, rows]).toEqual([[], [], []])
        const [row] = yield* sql`SELECT status, plan_done, planned FROM notifications WHERE id = ${id}`
        expect(row).toEqual({ status: "queued", plan_done: false, planned: 0 })
      }
    })
  )

  it.effect("plans up to as many devices as are a few, and leaves more to a planner", () =>
    Effect.gen(function* () {
      const app = yield* newSender
      yield* devicesOf(
        app,
        Array.from({ length: FEW_DEVICES }, () => android({ user_id: "few" }))
      )
      yield* devicesOf(app, [ios({ user_id: "one more" })])
      const few = yield* acceptFor(app, ["few"])
      expect(few.rows).toHaveLength(FEW_DEVICES)
      expect(few.accepted.claimed).toHaveLength(FEW_DEVICES)
      const more = yield* acceptFor(app, ["few", "one more"])
      expect([more.accepted.claimed, more.accepted.left, more.rows]).toEqual([[], [], []])
    })
  )

  it.effect("leaves to their lanes those whose credential or person does not allow it, and all without a lease", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const [app, bare] = [yield* newSender, yield* newApp]
      yield* (yield* CredentialStore).put(bare, FCM)
      yield* sql`UPDATE credentials SET suspended_reason = 'refused' WHERE app_id = ${app} AND kind = 'apns'`
      const contacts = yield* ContactStore
      for (const external_id of ["quiet", "open"]) yield* contacts.upsert(app, [{ external_id }])
      yield* sql`UPDATE contacts SET no_push = true WHERE app_id = ${app} AND external_id = 'quiet'`
      const [droid, , silent] = yield* devicesOf(app, [
        android({ user_id: "open" }),
        ios({ user_id: "open" }),
        { ...web(), user_id: "quiet" },
        ios({ user_id: "quiet" })
      ])
      const { accepted, rows } = yield* acceptFor(app, ["open", "quiet"])
      expect(accepted.claimed.map(({ target }) => target.id)).toEqual([droid])
      expect([...accepted.left].sort()).toEqual(["apns", "webpush"])
      expect(rows).toHaveLength(4)
      for (const { recipients, ...row } of rows) expect(row).toMatchObject(recipients[0] === droid ? LEASED : LEFT)
      expect(rows.map(({ recipients }) => recipients[0])).toContain(silent)
      const idle = yield* acceptFor(app, ["open", "quiet"], { isLeased: false })
      expect([idle.accepted.claimed, [...idle.accepted.left].sort()]).toEqual([[], ["apns", "fcm", "webpush"]])
      for (const row of idle.rows) expect(row).toMatchObject(LEFT)
      yield* devicesOf(bare, [android({ user_id: "u" }), ios({ user_id: "u" }), ios({ user_id: "u" })])
      const partly = yield* acceptFor(bare, ["u"])
      expect(partly.accepted.claimed.map(({ batch }) => batch.provider)).toEqual(["fcm"])
      expect(partly.accepted.left).toEqual(["apns"])
    })
  )

  it.effect("gives each of many messages to users and devices that travel together what is its own", () =>
    Effect.gen(function* () {
      const keys = yield* IdempotencyStore
      const notifications = yield* NotificationStore
      const sql = yield* SqlClient.SqlClient
      const [app, other] = [yield* newSender, yield* newSender]
      const [a, b, c, d] = yield* devicesOf(app, [
        ios({ user_id: "one" }),
        android({ user_id: "two" }),
        { ...web(), user_id: "two" },
        android()
      ])
      const [theirs] = yield* devicesOf(other, [android({ user_id: "two" })])
      const settlement = (key: string) => ({
        claim: { appId: app, route: "POST /api/v1/notifications", key, holder: uuidv7() },
        answer: { status: 202, body: "{}", location: null }
      })
      const [mine, lost] = [settlement("mine"), settlement("lost")]
      yield* keys.begin(mine.claim, new Uint8Array(32), LEASE)
      yield* keys.begin({ ...lost.claim, holder: uuidv7() }, new Uint8Array(32), LEASE)
      // The first goes at once, and all others while it is under way.
      const [, one, refused, both, stranger, kept, single, nobody] = yield* Effect.all(
        [
          notifications.accept({
            id: uuidv7() as NotificationId,
            appId: app,
            request: HELLO,
            ttlMs: TTL,
            batches: null
          }),
          acceptFor(app, ["one"]),
          Effect.flip(acceptFor(app, ["one"], { settlement: lost })),
          acceptFor(app, ["one", "two"]),
          acceptFor(other, ["one", "two"]),
          acceptFor(app, ["two"], { settlement: mine }),
          accept(app, d!),
          acceptFor(app, ["none"])
        ],
        { concurrency: "unbounded" }
      )
      expect(refused).toMatchObject({ _tag: "StoreError" })
      const cases = [
        [one, [a]],
        [both, [a, b, c]],
        [stranger, [theirs]],
        [kept, [b, c]],
        [nobody, []]
      ] as const
      for (const [{ accepted, id, rows }, devices] of cases) {
        expect(accepted.claimed.map(({ target }) => target.id).sort()).toEqual([...devices].sort())
        expect(rows.map(({ recipients }) => recipients[0]!).sort()).toEqual([...devices].sort())
        for (const { batch } of accepted.claimed) expect(batch.notificationId).toBe(id)
        expect(accepted.claimed.map(({ batch }) => batch.id).sort()).toEqual(rows.map(({ id }) => id).sort())
      }
      expect(single.accepted!.claimed!.target.id).toBe(d)
      expect(yield* sql`SELECT 1 FROM all_batches WHERE app_id = ${app}`).toHaveLength(7)
      expect(yield* sql`SELECT 1 FROM notifications WHERE app_id = ${app}`).toHaveLength(6)
      const [answer] = yield* sql`SELECT status FROM idempotency_keys WHERE app_id = ${app} AND key = 'mine'`
      expect(answer).toEqual({ status: 202 })
    })
  )
})
