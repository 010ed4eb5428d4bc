import { PgClient } from "@effect/sql-pg"
import { Effect, Layer, Option } from "effect"
import type { Context } from "effect"
import { SqlClient } from "effect/sql"
import { randomBytes } from "node:crypto"
import { layerOf as secretBoxOf } from "../../../layers/crypto/SecretBox.ts"
import * as ApplicationStores from "../../../layers/postgres/access/ApplicationStore.ts"
import * as AuditLogs from "../../../layers/postgres/access/AuditLog.ts"
import * as IdempotencyStores from "../../../layers/postgres/access/IdempotencyStore.ts"
import { sweep as sweepRateLimits } from "../../../layers/postgres/access/RateLimitStore.ts"
import * as RateLimitStores from "../../../layers/postgres/access/RateLimitStore.ts"
import * as AudienceStores from "../../../layers/postgres/audience/AudienceStore.ts"
import * as ChannelStores from "../../../layers/postgres/audience/ChannelStore.ts"
import * as ContactStores from "../../../layers/postgres/audience/ContactStore.ts"
import * as DeviceStores from "../../../layers/postgres/audience/DeviceStore.ts"
import * as SegmentStores from "../../../layers/postgres/audience/SegmentStore.ts"
import * as EngagementStores from "../../../layers/postgres/engagement/EngagementStore.ts"
import * as InboxStores from "../../../layers/postgres/inbox/InboxStore.ts"
import * as TemplateStores from "../../../layers/postgres/messages/TemplateStore.ts"
import * as BacklogStores from "../../../layers/postgres/operations/BacklogStore.ts"
import { prolong } from "../../../layers/postgres/operations/Holder.ts"
import { NONE } from "../../../layers/postgres/operations/Turns.ts"
import * as HolderStores from "../../../layers/postgres/operations/HolderStore.ts"
import { sweep as sweepRetention } from "../../../layers/postgres/operations/Retention.ts"
import * as StatsStores from "../../../layers/postgres/operations/StatsStore.ts"
import * as BatchStores from "../../../layers/postgres/sending/BatchStore.ts"
import * as CredentialStores from "../../../layers/postgres/sending/CredentialStore.ts"
import * as DeadLetterStores from "../../../layers/postgres/sending/DeadLetterStore.ts"
import * as NotificationStores from "../../../layers/postgres/sending/NotificationStore.ts"
import * as ReplayStores from "../../../layers/postgres/sending/ReplayStore.ts"
import * as RedeliveryStores from "../../../layers/postgres/webhooks/RedeliveryStore.ts"
import { TURNS } from "../../../layers/postgres/server/advisoryLocks.ts"
import * as WebhookStores from "../../../layers/postgres/webhooks/WebhookStore.ts"
import type {
  ApiKeyId,
  AppId,
  BatchId,
  ContactId,
  DeadLetterId,
  DeviceId,
  NotificationId,
  OrganizationId,
  RedeliveryId,
  ReplayId,
  WebhookId
} from "../../../services/domain/Ids.ts"
import { uuidFloor } from "../../../services/domain/Ids.ts"
import { ANY_ENTRY } from "../../../services/domain/access/Audit.ts"
import type { KeptRequest } from "../../../services/domain/sending/Notification.ts"
import { ApplicationStore } from "../../../services/ports/access/ApplicationStore.ts"
import { AuditLog, CurrentActor } from "../../../services/ports/access/AuditLog.ts"
import type { KeyClaim } from "../../../services/ports/access/IdempotencyStore.ts"
import { IdempotencyStore } from "../../../services/ports/access/IdempotencyStore.ts"
import { RateLimitStore } from "../../../services/ports/access/RateLimitStore.ts"
import { AudienceStore } from "../../../services/ports/audience/AudienceStore.ts"
import { ChannelStore } from "../../../services/ports/audience/ChannelStore.ts"
import { ContactStore } from "../../../services/ports/audience/ContactStore.ts"
import { DeviceStore } from "../../../services/ports/audience/DeviceStore.ts"
import { SegmentStore } from "../../../services/ports/audience/SegmentStore.ts"
import { EngagementStore } from "../../../services/ports/engagement/EngagementStore.ts"
import { InboxStore } from "../../../services/ports/inbox/InboxStore.ts"
import { TemplateStore } from "../../../services/ports/messages/TemplateStore.ts"
import { uuidv7 } from "../../../services/ports/NewId.ts"
import { now } from "../../../services/ports/Now.ts"
import { BacklogStore } from "../../../services/ports/operations/BacklogStore.ts"
import { HolderId, HolderStore } from "../../../services/ports/operations/HolderStore.ts"
import { StatsStore } from "../../../services/ports/operations/StatsStore.ts"
import type { ClaimedBatch, ResultChunk, Tried } from "../../../services/ports/sending/BatchStore.ts"
import { BatchStore } from "../../../services/ports/sending/BatchStore.ts"
import { CredentialStore } from "../../../services/ports/sending/CredentialStore.ts"
import { DeadLetterStore } from "../../../services/ports/sending/DeadLetterStore.ts"
import { NotificationStore } from "../../../services/ports/sending/NotificationStore.ts"
import { ReplayStore } from "../../../services/ports/sending/ReplayStore.ts"
import { RedeliveryStore } from "../../../services/ports/webhooks/RedeliveryStore.ts"
import type { WebhookResults, WebhookWork } from "../../../services/ports/webhooks/WebhookStore.ts"
import { WebhookStore } from "../../../services/ports/webhooks/WebhookStore.ts"
import { PEOPLE_PORTS, peopleOperationsOf, peopleStores } from "./PeopleOperations.ts"
import { android, chunkOf, eventsOf, HELLO, ids } from "./Stores.ts"
import { addWork } from "./webhooks/WebhookWork.ts"
import { WORKFLOW_PORTS, workflowOperationsOf } from "./WorkflowOperations.ts"
import { workflowStores } from "./workflows/Runs.ts"

/*
 * Every operation of every store, so that a test can run each of them again and again over a database in any state. Each
 * makes what it needs for itself and answers what is then to be measured.
 */

/** The ports whose layers talk to PostgreSQL. */
export const PORTS = {
  ApplicationStore,
  AudienceStore,
  AuditLog,
  BacklogStore,
  BatchStore,
  ChannelStore,
  ContactStore,
  CredentialStore,
  DeadLetterStore,
  DeviceStore,
  EngagementStore,
  HolderStore,
  IdempotencyStore,
  InboxStore,
  NotificationStore,
  RateLimitStore,
  RedeliveryStore,
  ReplayStore,
  SegmentStore,
  StatsStore,
  TemplateStore,
  WebhookStore,
  ...PEOPLE_PORTS,
  ...WORKFLOW_PORTS
} as const

export const allStores = Layer.mergeAll(
  ApplicationStores.layer,
  AudienceStores.layer,
  AuditLogs.layer,
  BacklogStores.layer,
  BatchStores.layer,
  ChannelStores.layer,
  ContactStores.layer,
  CredentialStores.layer,
  DeadLetterStores.layer,
  DeviceStores.layer,
  EngagementStores.layer,
  HolderStores.layer,
  IdempotencyStores.layer,
  InboxStores.layer,
  NotificationStores.layer,
  RateLimitStores.layer,
  RedeliveryStores.layer,
  ReplayStores.layer,
  SegmentStores.layer,
  StatsStores.layer,
  TemplateStores.layer,
  WebhookStores.layer,
  peopleStores,
  workflowStores
).pipe(Layer.provide(secretBoxOf(randomBytes(32))))

type Ports = (typeof PORTS)[keyof typeof PORTS]
type Needs = Context.Service.Identifier<Ports> | SqlClient.SqlClient | PgClient.PgClient

/** What is measured. */
export type Call = Effect.Effect<unknown, unknown, Needs>
/** What the call needs; then the call. */
export type Operation = Effect.Effect<Call, unknown, Needs>

/** The application that the operations are about, and what of it may have become large. */
export interface Place {
  readonly app: AppId
  /** With work that waits, and much that it had. */
  readonly webhook: WebhookId
  /** With many deliveries. */
  readonly notification: NotificationId
  /** The contact with a full inbox. */
  readonly reader: { readonly id: ContactId; readonly userId: string }
}

/** Longer than any test: what is taken with a lease that has ended would be taken by an operation that is about its own. */
const LEASE = 3_600_000
const LATER = 3_600_000
const FEW = 3
const PAGE = 10
const DAY_MS = 86_400_000
const MISSING = "00000000-0000-7000-8000-000000000000"

/** Different each time, and so nobody's yet. */
const unique = (): string => randomBytes(8).toString("hex")

const secret = (app: AppId): KeyClaim => ({ appId: app, route: "POST /x", key: unique(), holder: uuidv7() })
const FINGERPRINT = new Uint8Array(32).fill(1)
const ANSWER = { status: 202, body: "{}", location: null }

const credential = {
  kind: "fcm",
  value: { service_account: { project_id: "p", client_email: "a@example.com", private_key: "x" } }
} as const

const TO_ONE: KeptRequest = { ...HELLO, to: { device_ids: [MISSING as DeviceId] } }

/** Runs what is written down of people alone as a member of the application's organization. */
const asPersonOf =
  (app: AppId) =>
  <A, E, R>(work: Effect.Effect<A, E, R>) =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      yield* sql`INSERT INTO accounts (id, email) VALUES (${MISSING}, 'member@example.com') ON CONFLICT DO NOTHING`
      yield* sql`
        INSERT INTO members (organization_id, account_id, role)
        SELECT organization_id, ${MISSING}, 'owner' FROM applications WHERE id = ${app} ON CONFLICT DO NOTHING`
      return yield* Effect.provideService(work, CurrentActor, { kind: "user" as const, id: MISSING })
    })

const body = { default_locale: "en", locales: { en: { title: "Hello" } }, missing_variables: "empty" }

/** Of several calls at once the first goes alone, and the others in one statement. */
const atOnce = <A, E, R>(call: () => Effect.Effect<A, E, R>) =>
  Effect.all(Array.from({ length: 3 }, call), { concurrency: "unbounded" })

/** Operations by port and name, and after a comma by what differs from the plain case. */
export const operationsOf = ({ app, notification, reader, webhook }: Place): Readonly<Record<string, Operation>> => {
  const asPerson = asPersonOf(app)
  /** Has nothing, where another has all. */
  const small = uuidv7() as AppId
  const lane = { appId: app, provider: "fcm", priority: "bulk" } as const
  const device = Effect.gen(function* () {
    const store = yield* DeviceStore
    const [made] = yield* store.register(app, [android(unique(), { user_id: unique(), tags: ["one"] })])
    return made!.id
  })
  /** Somebody with a few devices. */
  const owner = Effect.gen(function* () {
    const store = yield* DeviceStore
    const user_id = unique()
    yield* store.register(
      app,
      Array.from({ length: 3 }, () => android(unique(), { user_id }))
    )
    return user_id
  })
  const someDevices = Effect.all(Array.from({ length: FEW }, () => device))
  const user = Effect.gen(function* () {
    const store = yield* ContactStore
    const externalId = unique()
    const [made] = yield* store.upsert(app, [{ external_id: externalId, email: `${externalId}@example.com` }])
    return { id: made!.id, externalId }
  })
  const channel = Effect.gen(function* () {
    const store = yield* ChannelStore
    const [made] = yield* store.upsert(app, [{ kind: "email", address: `${unique()}@example.com`, user_id: unique() }])
    return made!.id
  })
  const beyond = Effect.gen(function* () {
    const store = yield* ChannelStore
    const [made] = yield* store.upsert(app, [{ kind: "email", address: `${unique()}@exämple.com` }])
    return made!.id
  })
  const inboxOf = Effect.gen(function* () {
    const store = yield* ChannelStore
    const userId = unique()
    return { userId, id: (yield* store.ensureInbox(app, userId)).id }
  })
  const accept = Effect.fnUntraced(function* (request: KeptRequest = HELLO, sendAt: number | null = null) {
    const store = yield* NotificationStore
    const id = uuidv7() as NotificationId
    yield* store.accept({ id, appId: app, request, ttlMs: LATER, sendAt, batches: null })
    return id
  })
  const batch = (recipients: ReadonlyArray<string>, provider: "fcm" | "inbox" | "smtp" = "fcm") => ({
    id: uuidv7() as BatchId,
    provider,
    recipients
  })
  /** A notification that is planned already, to these recipients. */
  const planned = Effect.fnUntraced(function* (
    recipients: ReadonlyArray<string>,
    provider: "fcm" | "inbox" | "smtp" = "fcm"
  ) {
    const store = yield* NotificationStore
    const id = uuidv7() as NotificationId
    const batches = [batch(recipients, provider)]
    yield* store.accept({ id, appId: app, request: HELLO, ttlMs: LATER, batches })
    return id
  })
  const claimed = Effect.fnUntraced(function* (
    recipients: ReadonlyArray<string>,
    provider: "fcm" | "inbox" | "smtp" = "fcm"
  ) {
    const store = yield* BatchStore
    const id = yield* planned(recipients, provider)
    for (;;) {
      const found = yield* store.claim({ ...lane, provider }, 50, LEASE)
      const mine = found.find(({ notificationId }) => notificationId === id)
      if (mine !== undefined) return mine
      if (found.length === 0) return yield* Effect.die("Nothing to claim")
    }
  })
  const finish = (more: (claimed: ClaimedBatch) => Partial<ResultChunk>, provider?: "fcm" | "inbox" | "smtp") =>
    Effect.fnUntraced(function* (recipients: ReadonlyArray<string>) {
      const one = yield* claimed(recipients, provider)
      return Effect.flatMap(BatchStore, (store) => store.finish(chunkOf(one, one.recipients, more(one))))
    })
  const finalOf = (one: ClaimedBatch, status: "sent" | "failed") => ({
    recipients: one.recipients,
    statuses: one.recipients.map(() => status),
    messageIds: one.recipients.map(() => null),
    errors: one.recipients.map((_, i) => (status === "failed" ? `error ${i}` : null))
  })
  const sent = Effect.gen(function* () {
    const recipient = yield* device
    const one = yield* claimed([recipient])
    yield* (yield* BatchStore).finish(chunkOf(one, one.recipients))
    return { id: one.notificationId, recipient }
  })
  const failed = Effect.gen(function* () {
    const one = yield* claimed([yield* device])
    yield* (yield* BatchStore).finish(chunkOf(one, one.recipients, { final: finalOf(one, "failed") }))
    yield* (yield* NotificationStore).completeIfDone(one.notificationId)
    const { items } = yield* (yield* DeadLetterStore).list(app, { notification_id: one.notificationId }, null, 1)
    return { id: items[0]!.id as DeadLetterId, notification: one.notificationId }
  })
  const paged = Effect.fnUntraced(function* () {
    return { first: null, later: uuidv7() }
  })
  const webhookOf = Effect.gen(function* () {
    const id = uuidv7() as WebhookId
    const url = "https://example.com/"
    yield* (yield* WebhookStore).create(app, id, { name: "One", url, secret: "s", events: [] })
    return id
  })
  /** A webhook of its own with work, so that no backlog of others stands before it; removed when it was measured. */
  const withWork = (count: number, call: (id: WebhookId) => Call): Operation =>
    Effect.gen(function* () {
      const id = yield* webhookOf
      for (let i = 0; i < count; i++) yield* addWork(app, id, 1)
      return Effect.andThen(
        call(id),
        Effect.sync(() => removable.push(id))
      )
    })
  /** An application takes a bounded number of webhooks: those that have served their purpose go with the next operation. */
  const removable: Array<WebhookId> = []
  const tidied = (operation: Operation): Operation =>
    Effect.gen(function* () {
      const store = yield* WebhookStore
      for (const id of removable.splice(0)) yield* store.remove(app, id)
      return yield* operation
    })
  const resultsOf = (id: WebhookId, work: WebhookWork, more: Partial<WebhookResults> = {}): WebhookResults => ({
    workId: work.id,
    fence: work.fence,
    webhookId: id,
    epoch: 1,
    delivered: work.positions,
    tried: work.positions.map((position) => ({ position, at: now(), latencyMs: 1, outcome: 200 })),
    retry: null,
    exhausted: [],
    remaining: [],
    releaseAfterMs: null,
    leaseMs: LEASE,
    streak: { leading: 0, reset: true, longest: 0, trailing: 0, reason: null },
    disableAfter: 50,
    ...more
  })
  const withClaimed = (call: (id: WebhookId, work: WebhookWork) => Call): Operation =>
    Effect.gen(function* () {
      const id = yield* webhookOf
      yield* addWork(app, id, 1)
      const [work] = yield* (yield* WebhookStore).claim(id, 1, LEASE)
      return Effect.andThen(
        call(id, work!),
        Effect.sync(() => removable.push(id))
      )
    })
  const missed = (work: WebhookWork) => ({
    delivered: [],
    tried: work.positions.map((position) => ({ position, at: now(), latencyMs: 1, outcome: 500 })),
    streak: { leading: 1, reset: false, longest: 0, trailing: 0, reason: "500" }
  })
  const dueEvent = Effect.gen(function* () {
    const id = yield* webhookOf
    const chunk = yield* addWork(app, id, 1)
    const store = yield* WebhookStore
    const [work] = yield* store.claim(id, 1, LEASE)
    yield* store.finish(resultsOf(id, work!))
    const { items } = yield* store.deliveries(app, id, null, 1)
    removable.push(id)
    return { id, chunk, event: items[0]!.id }
  })

  /** A call of a port's method that needs nothing. */
  const plain = <Id, S>(port: Context.Service<Id, S>, call: (store: S) => Effect.Effect<unknown, unknown, Needs>) =>
    Effect.succeed(Effect.flatMap(port, call)) as Operation
  /** One that needs something first. */
  const after = <A, Id, S>(
    needed: Effect.Effect<A, unknown, Needs>,
    port: Context.Service<Id, S>,
    call: (store: S, needed: A) => Effect.Effect<unknown, unknown, Needs>
  ) => Effect.map(needed, (needed) => Effect.flatMap(port, (store) => call(store, needed))) as Operation

  const key = () => ({
    id: uuidv7() as ApiKeyId,
    kind: "public" as const,
    name: "One",
    hash: new Uint8Array(randomBytes(32)),
    hint: "pk_1"
  })
  const application = () => ({
    id: uuidv7() as AppId,
    organizationId: uuidv7() as OrganizationId,
    name: "One",
    identitySecret: "s",
    keys: [key()]
  })
  const aKey = Effect.gen(function* () {
    const made = key()
    yield* (yield* ApplicationStore).createKey(app, made)
    return made
  })

  const access: Record<string, Operation> = {
    "ApplicationStore.create": plain(ApplicationStore, (store) => store.create(application())),
    "ApplicationStore.createFirst": plain(ApplicationStore, (store) => store.createFirst(application())),
    "ApplicationStore.find": plain(ApplicationStore, (store) => store.find(app)),
    "ApplicationStore.all": plain(ApplicationStore, (store) => store.all(null, PAGE)),
    "ApplicationStore.all, later": plain(ApplicationStore, (store) => store.all(MISSING, PAGE)),
    "ApplicationStore.update": plain(ApplicationStore, (store) => store.update(app, { name: unique() })),
    "ApplicationStore.identitySecrets": after(
      Effect.gen(function* () {
        const made = application()
        yield* (yield* ApplicationStore).create(made)
        return made.id
      }),
      ApplicationStore,
      (store, id) => store.identitySecrets(id)
    ),
    "ApplicationStore.setIdentitySecret": plain(ApplicationStore, (store) => store.setIdentitySecret(app, "s", 1000)),
    "ApplicationStore.count": plain(ApplicationStore, (store) => store.count),
    "ApplicationStore.findKey": after(aKey, ApplicationStore, (store, { hash, id }) =>
      Effect.andThen(store.findKey(hash), store.revokeKey(app, id))
    ),
    "ApplicationStore.keys": plain(ApplicationStore, (store) => store.keys(app, null, PAGE)),
    "ApplicationStore.keys, later": plain(ApplicationStore, (store) => store.keys(app, MISSING, PAGE)),
    "ApplicationStore.keys, of a small application": plain(ApplicationStore, (store) => store.keys(small, null, PAGE)),
    "ApplicationStore.createKey": plain(ApplicationStore, (store) => {
      const made = key()
      return Effect.andThen(store.createKey(app, made), store.revokeKey(app, made.id))
    }),
    "ApplicationStore.revokeKey": after(aKey, ApplicationStore, (store, { id }) => store.revokeKey(app, id)),
    "ApplicationStore.touchKeys": after(aKey, ApplicationStore, (store, { id }) =>
      Effect.andThen(store.touchKeys([id]), store.revokeKey(app, id))
    ),
    "AuditLog.list": plain(AuditLog, (store) => store.list(app, null, PAGE)),
    "AuditLog.record": plain(AuditLog, (store) => store.record(app, { action: "devices.imported", target: null })),
    "AuditLog.list, of an actor": plain(AuditLog, (store) =>
      store.list(app, null, PAGE, { ...ANY_ENTRY, actorId: MISSING })
    ),
    "AuditLog.list, of an action": plain(AuditLog, (store) =>
      store.list(app, null, PAGE, { ...ANY_ENTRY, action: "webhook.created" })
    ),
    "AuditLog.list, of an object": plain(AuditLog, (store) =>
      store.list(app, null, PAGE, { ...ANY_ENTRY, target: MISSING })
    ),
    "AuditLog.list, of a time": plain(AuditLog, (store) =>
      store.list(app, null, PAGE, { ...ANY_ENTRY, from: 0, to: 1 })
    ),
    "AuditLog.list, later": after(paged(), AuditLog, (store, { later }) => store.list(app, later, PAGE)),
    "AuditLog.list, of a small application": plain(AuditLog, (store) => store.list(small, null, PAGE)),
    "IdempotencyStore.begin": plain(IdempotencyStore, (store) => store.begin(secret(app), FINGERPRINT, LEASE)),
    "IdempotencyStore.begin, again": after(
      Effect.gen(function* () {
        const claim = secret(app)
        yield* (yield* IdempotencyStore).begin(claim, FINGERPRINT, LEASE)
        return claim
      }),
      IdempotencyStore,
      (store, claim) => store.begin({ ...claim, holder: uuidv7() }, FINGERPRINT, LEASE)
    ),
    "IdempotencyStore.settle": after(
      Effect.gen(function* () {
        const claim = secret(app)
        yield* (yield* IdempotencyStore).begin(claim, FINGERPRINT, LEASE)
        return claim
      }),
      IdempotencyStore,
      (store, claim) => store.settle({ claim, answer: ANSWER })
    ),
    "IdempotencyStore.abandon": after(
      Effect.gen(function* () {
        const claim = secret(app)
        yield* (yield* IdempotencyStore).begin(claim, FINGERPRINT, LEASE)
        return claim
      }),
      IdempotencyStore,
      (store, claim) => store.abandon(claim)
    ),
    // Asks what the two before it ask, later.
    "IdempotencyStore.later": plain(IdempotencyStore, (store) => Effect.sync(() => store.later(secret(app), null))),
    // Asks nothing: it says when other statements did.
    "RateLimitStore.silentForMs": plain(RateLimitStore, (store) => Effect.sync(() => store.silentForMs())),
    "RateLimitStore.take": plain(RateLimitStore, (store) =>
      store.take([{ key: unique(), budget: { requests: 10, windowMs: LEASE }, want: 1 }])
    )
  }

  const audience: Record<string, Operation> = {
    "AudienceStore.page, everybody": plain(AudienceStore, (store) =>
      store.page(app, { all: true }, ["push"], null, PAGE)
    ),
    "AudienceStore.page, users": after(device, AudienceStore, (store) =>
      store.page(app, { user_ids: [unique()] }, ["push"], null, PAGE)
    ),
    "AudienceStore.page, devices": after(someDevices, AudienceStore, (store, device_ids) =>
      store.page(app, { device_ids }, ["push"], null, PAGE)
    ),
    "AudienceStore.page, channels": after(channel, AudienceStore, (store, id) =>
      store.page(app, { channel_ids: [id] }, ["email"], null, PAGE)
    ),
    "AudienceStore.page, emails": after(accept(), AudienceStore, (store, notification) =>
      store.page(app, { emails: [`${unique()}@example.com`] }, ["email"], null, PAGE, notification)
    ),
    "AudienceStore.page, inboxes": after(accept(), AudienceStore, (store, notification) =>
      store.page(app, { user_ids: [unique()] }, ["inbox"], null, PAGE, notification)
    ),
    "AudienceStore.page, a filter": plain(AudienceStore, (store) =>
      store.page(app, { filter: { tags_any: ["one"], locales: ["de"] } }, ["push"], null, PAGE)
    ),
    "AudienceStore.someone": plain(AudienceStore, (store) => store.someone(app, { all: true }, "inbox", PAGE)),
    "AudienceStore.someone, of users": after(inboxOf, AudienceStore, (store, { userId }) =>
      store.someone(app, { user_ids: [userId] }, "inbox", PAGE)
    ),
    "AudienceStore.someone, of new users": plain(AudienceStore, (store) =>
      store.someone(app, { user_ids: [unique()] }, "inbox", PAGE)
    ),
    "AudienceStore.someone, of channels": after(inboxOf, AudienceStore, (store, { id }) =>
      store.someone(app, { channel_ids: [id] }, "inbox", PAGE)
    ),
    "AudienceStore.someone, of addresses": plain(AudienceStore, (store) =>
      store.someone(app, { emails: [`${unique()}@example.com`] }, "email", PAGE)
    ),
    "AudienceStore.zones": after(Effect.all([device, channel]), AudienceStore, (store, [fcm, smtp]) =>
      store.zones(app, { apns: [], fcm: [fcm], webpush: [], smtp: [smtp], inbox: [] })
    ),
    "AudienceStore.count": after(someDevices, AudienceStore, (store, device_ids) =>
      store.count(app, { device_ids }, ["push"], 1000)
    ),
    "AudienceStore.targets, a device": after(device, AudienceStore, (store, id) => store.targets(app, "fcm", [id])),
    "AudienceStore.targets, a browser": after(device, AudienceStore, (store, id) =>
      store.targets(app, "webpush", [id])
    ),
    "AudienceStore.targets, devices": after(someDevices, AudienceStore, (store, some) =>
      store.targets(app, "fcm", [...some, ...ids(40)])
    ),
    "AudienceStore.targets, a device and whose it is": after(device, AudienceStore, (store, id) =>
      store.targets(app, "fcm", [id], false, true)
    ),
    "AudienceStore.targets, a browser and whose it is": after(device, AudienceStore, (store, id) =>
      store.targets(app, "webpush", [id], false, true)
    ),
    "AudienceStore.targets, an address": after(channel, AudienceStore, (store, id) => store.targets(app, "smtp", [id])),
    "AudienceStore.targets, an inbox": after(inboxOf, AudienceStore, (store, { id }) =>
      store.targets(app, "inbox", [id])
    ),
    "AudienceStore.targets, a device and its person": after(device, AudienceStore, (store, id) =>
      store.targets(app, "fcm", [id], true)
    ),
    "AudienceStore.targets, an address and its person": after(channel, AudienceStore, (store, id) =>
      store.targets(app, "smtp", [id], true)
    ),
    "AudienceStore.targets, an inbox and its person": after(inboxOf, AudienceStore, (store, { id }) =>
      store.targets(app, "inbox", [id], true)
    ),
    "AudienceStore.unsubscribed, a device": after(device, AudienceStore, (store, id) =>
      store.unsubscribed(app, "fcm", [id])
    ),
    "AudienceStore.unsubscribed, an address": after(channel, AudienceStore, (store, id) =>
      store.unsubscribed(app, "smtp", [id])
    ),
    "AudienceStore.unsubscribed, an inbox": after(inboxOf, AudienceStore, (store, { id }) =>
      store.unsubscribed(app, "inbox", [id])
    ),
    "ChannelStore.upsert": plain(ChannelStore, (store) =>
      store.upsert(app, [{ kind: "email", address: `${unique()}@example.com`, user_id: unique() }])
    ),
    "ChannelStore.ensureInbox": plain(ChannelStore, (store) => store.ensureInbox(app, unique())),
    "ChannelStore.subscribe": after(channel, ChannelStore, (store, id) =>
      Effect.andThen(store.subscribe(app, id, false), store.subscribe(app, id, true))
    ),
    "ChannelStore.subscribe, a domain beyond ASCII": after(beyond, ChannelStore, (store, id) =>
      Effect.andThen(store.subscribe(app, id, false), store.subscribe(app, id, true))
    ),
    "ChannelStore.find": after(channel, ChannelStore, (store, id) => store.find(app, id)),
    "ChannelStore.list": plain(ChannelStore, (store) => store.list(app, {}, null, PAGE)),
    "ChannelStore.ofContacts": after(user, ChannelStore, (store, { id }) => store.ofContacts(app, [id], PAGE)),
    "ChannelStore.remove": after(channel, ChannelStore, (store, id) => store.remove(app, id)),
    "ChannelStore.among": after(channel, ChannelStore, (store, id) => store.among(app, [id])),
    "ContactStore.upsert": plain(ContactStore, (store) =>
      store.upsert(app, [{ external_id: unique(), email: `${unique()}@example.com`, tags: ["one"] }])
    ),
    "ContactStore.upsert, another address": after(user, ContactStore, (store, { externalId }) =>
      store.upsert(app, [{ external_id: externalId, email: `${unique()}@example.com` }])
    ),
    "ContactStore.upsert, no address": after(user, ContactStore, (store, { externalId }) =>
      store.upsert(app, [{ external_id: externalId, email: null }])
    ),
    "ContactStore.upsert, several lines of one": after(user, ContactStore, (store, { externalId }) =>
      store.upsert(app, [
        { external_id: externalId, tags: [unique()] },
        { external_id: externalId, tags: [] }
      ])
    ),
    "ContactStore.upsert, by a person": plain(ContactStore, (store) =>
      asPerson(store.upsert(app, [{ external_id: unique() }, { external_id: unique() }]))
    ),
    "ContactStore.find": after(user, ContactStore, (store, { id }) => store.find(app, id)),
    "ContactStore.find, by external id": after(user, ContactStore, (store, { externalId }) =>
      store.find(app, { externalId })
    ),
    "ContactStore.findMany": after(user, ContactStore, (store, { externalId, id }) =>
      store.findMany(app, [id, { externalId }])
    ),
    "ContactStore.list": plain(ContactStore, (store) => store.list(app, {}, null, PAGE)),
    "ContactStore.list, of a segment": plain(ContactStore, (store) =>
      store.list(app, { segment: { tags_none: ["one"] } }, null, PAGE)
    ),
    "ContactStore.list, of a segment with a tag": plain(ContactStore, (store) =>
      store.list(app, { segment: { tags_any: ["one"], locales: ["de"] } }, null, PAGE)
    ),
    "ContactStore.search": plain(ContactStore, (store) => store.search(app, "u", null, PAGE)),
    "ContactStore.search, a domain beyond ASCII": plain(ContactStore, (store) => store.search(app, "u@ü", null, PAGE)),
    "ContactStore.search, a long name": plain(ContactStore, (store) => store.search(app, "u".repeat(150), null, PAGE)),
    "ContactStore.search, the next page": after(user, ContactStore, (store, { externalId, id }) =>
      store.search(app, externalId.slice(0, 3), id, PAGE)
    ),
    "ContactStore.update": after(user, ContactStore, (store, { id }) => store.update(app, id, { locale: "de" })),
    "ContactStore.update, by external id": after(user, ContactStore, (store, { externalId }) =>
      store.update(app, { externalId }, { locale: "de" })
    ),
    "ContactStore.tag": after(user, ContactStore, (store, { externalId }) =>
      store.tag(app, [externalId], { add: ["two"], remove: ["one"] })
    ),
    "ContactStore.prefer": after(user, ContactStore, (store, { id }) =>
      store.prefer(app, id, { push: true, email: false, inbox: false })
    ),
    "ContactStore.remove": after(user, ContactStore, (store, { id }) => store.remove(app, id)),
    "ContactStore.remove, nobody": plain(ContactStore, (store) => store.remove(app, { externalId: unique() })),
    "DeviceStore.register": plain(DeviceStore, (store) => store.register(app, [android(unique())])),
    "DeviceStore.register, many": plain(DeviceStore, (store) =>
      store.register(
        app,
        Array.from({ length: 150 }, () => android(unique()))
      )
    ),
    "DeviceStore.register, by a person": plain(DeviceStore, (store) =>
      asPerson(store.register(app, [android(unique()), android(unique())]))
    ),
    "DeviceStore.removeByToken": plain(DeviceStore, (store) => {
      const token = unique()
      return Effect.andThen(store.register(app, [android(token)]), store.removeByToken(app, token))
    }),
    "DeviceStore.remove": after(device, DeviceStore, (store, id) => store.remove(app, id)),
    "DeviceStore.find": after(device, DeviceStore, (store, id) => store.find(app, id)),
    "DeviceStore.ofUsers": after(device, DeviceStore, (store) => store.ofUsers(app, [unique()], PAGE)),
    "DeviceStore.update": after(device, DeviceStore, (store, id) => store.update(app, id, { tags: ["two"] })),
    "DeviceStore.list": plain(DeviceStore, (store) => store.list(app, {}, null, PAGE)),
    "DeviceStore.list, of a segment": plain(DeviceStore, (store) =>
      store.list(app, { segment: { last_seen: { within_days: 30 } } }, null, PAGE)
    ),
    "DeviceStore.among": after(device, DeviceStore, (store, id) => store.among(app, [id])),
    "SegmentStore.create": plain(SegmentStore, (store) =>
      store.create(app, { name: "x", filter: { tags_any: ["x"] } })
    ),
    "SegmentStore.find": after(
      Effect.flatMap(SegmentStore, (store) => store.create(app, { name: "x", filter: {} })),
      SegmentStore,
      (store, { id }) => store.find(app, id)
    ),
    "SegmentStore.list": plain(SegmentStore, (store) => store.list(app, null, PAGE)),
    "SegmentStore.list, later": after(paged(), SegmentStore, (store) => store.list(app, MISSING, PAGE)),
    "SegmentStore.list, of a small application": plain(SegmentStore, (store) => store.list(small, null, PAGE)),
    "SegmentStore.update": after(
      Effect.flatMap(SegmentStore, (store) => store.create(app, { name: "x", filter: {} })),
      SegmentStore,
      (store, { id }) => store.update(app, id, { name: "y" })
    ),
    "SegmentStore.remove": after(
      Effect.flatMap(SegmentStore, (store) => store.create(app, { name: "x", filter: {} })),
      SegmentStore,
      (store, { id }) => store.remove(app, id)
    )
  }

  const sending: Record<string, Operation> = {
    "NotificationStore.accept": plain(NotificationStore, () => accept()),
    "NotificationStore.accept, by a person": plain(NotificationStore, () => asPerson(planned(ids(1)))),
    "NotificationStore.accept, of a person named": plain(NotificationStore, () =>
      accept({ ...HELLO, to: { user_ids: [unique()] } })
    ),
    "NotificationStore.accept, with its batches": plain(NotificationStore, () => planned(ids(1))),
    "NotificationStore.accept, with a key": after(
      Effect.gen(function* () {
        const claim = secret(app)
        yield* (yield* IdempotencyStore).begin(claim, FINGERPRINT, LEASE)
        return claim
      }),
      NotificationStore,
      (store, claim) =>
        store.accept({
          id: uuidv7() as NotificationId,
          appId: app,
          request: HELLO,
          ttlMs: LATER,
          batches: null,
          settlement: { claim, answer: ANSWER }
        })
    ),
    "NotificationStore.acceptForDevice": after(device, NotificationStore, (store, id) =>
      store.acceptForDevice(
        { id: uuidv7() as NotificationId, appId: app, request: TO_ONE, ttlMs: LATER, batches: null },
        { id, batch: uuidv7() as BatchId, lease: null }
      )
    ),
    "NotificationStore.acceptForDevice, leased": after(device, NotificationStore, (store, id) =>
      store.acceptForDevice(
        { id: uuidv7() as NotificationId, appId: app, request: TO_ONE, ttlMs: LATER, batches: null },
        { id, batch: uuidv7() as BatchId, lease: { holder: 1 as HolderId, ms: LATER } }
      )
    ),
    "NotificationStore.acceptForDevice, several at once": after(device, NotificationStore, (store, id) =>
      atOnce(() =>
        store.acceptForDevice(
          { id: uuidv7() as NotificationId, appId: app, request: TO_ONE, ttlMs: LATER, batches: null },
          { id, batch: uuidv7() as BatchId, lease: { holder: 1 as HolderId, ms: LATER } }
        )
      )
    ),
    "NotificationStore.acceptForDevice, by a person": after(device, NotificationStore, (store, id) =>
      asPerson(
        store.acceptForDevice(
          { id: uuidv7() as NotificationId, appId: app, request: TO_ONE, ttlMs: LATER, batches: null },
          { id, batch: uuidv7() as BatchId, lease: { holder: 1 as HolderId, ms: LATER } }
        )
      )
    ),
    "NotificationStore.acceptForDevice, with a key": after(
      Effect.gen(function* () {
        const claim = secret(app)
        yield* (yield* IdempotencyStore).begin(claim, FINGERPRINT, LEASE)
        return { claim, id: yield* device }
      }),
      NotificationStore,
      (store, { claim, id }) =>
        store.acceptForDevice(
          {
            id: uuidv7() as NotificationId,
            appId: app,
            request: TO_ONE,
            ttlMs: LATER,
            batches: null,
            settlement: { claim, answer: ANSWER }
          },
          { id, batch: uuidv7() as BatchId, lease: null }
        )
    ),
    "NotificationStore.acceptForUsers": after(owner, NotificationStore, (store, id) =>
      store.acceptForUsers(
        { id: uuidv7() as NotificationId, appId: app, request: TO_ONE, ttlMs: LATER, batches: null },
        { ids: [id, unique()], lease: null }
      )
    ),
    "NotificationStore.acceptForUsers, leased": after(owner, NotificationStore, (store, id) =>
      store.acceptForUsers(
        { id: uuidv7() as NotificationId, appId: app, request: TO_ONE, ttlMs: LATER, batches: null },
        { ids: [id, unique()], lease: { holder: 1 as HolderId, ms: LATER } }
      )
    ),
    "NotificationStore.acceptForUsers, several at once": after(owner, NotificationStore, (store, id) =>
      atOnce(() =>
        store.acceptForUsers(
          { id: uuidv7() as NotificationId, appId: app, request: TO_ONE, ttlMs: LATER, batches: null },
          { ids: [id, unique()], lease: { holder: 1 as HolderId, ms: LATER } }
        )
      )
    ),
    "NotificationStore.acceptForUsers, by a person": after(owner, NotificationStore, (store, id) =>
      asPerson(
        store.acceptForUsers(
          { id: uuidv7() as NotificationId, appId: app, request: TO_ONE, ttlMs: LATER, batches: null },
          { ids: [id, unique()], lease: { holder: 1 as HolderId, ms: LATER } }
        )
      )
    ),
    "NotificationStore.acceptForUsers, with a key": after(
      Effect.gen(function* () {
        const claim = secret(app)
        yield* (yield* IdempotencyStore).begin(claim, FINGERPRINT, LEASE)
        return { claim, id: yield* owner }
      }),
      NotificationStore,
      (store, { claim, id }) =>
        store.acceptForUsers(
          {
            id: uuidv7() as NotificationId,
            appId: app,
            request: TO_ONE,
            ttlMs: LATER,
            batches: null,
            settlement: { claim, answer: ANSWER }
          },
          { ids: [id], lease: null }
        )
    ),
    "NotificationStore.find": after(accept(), NotificationStore, (store, id) => store.find(app, id)),
    "NotificationStore.findMany": after(accept(), NotificationStore, (store, id) => store.findMany(app, [id])),
    "NotificationStore.list": plain(NotificationStore, (store) => store.list(app, {}, null, PAGE)),
    "NotificationStore.counts": after(sent, NotificationStore, (store, { id }) => store.counts(app, [id])),
    "NotificationStore.messageIfShort": after(accept(), NotificationStore, (store, id) => store.messageIfShort(id)),
    "NotificationStore.message": after(accept(), NotificationStore, (store, id) => store.message(id)),
    "NotificationStore.deliveries": after(sent, NotificationStore, (store, { id }) =>
      store.deliveries(app, id, null, PAGE)
    ),
    "NotificationStore.deliveries, of one person": after(sent, NotificationStore, (store, { id }) =>
      store.deliveries(app, id, null, PAGE, { userId: "user-1" })
    ),
    "NotificationStore.deliveries, by status and error": after(sent, NotificationStore, (store, { id }) =>
      store.deliveries(app, id, null, PAGE, { status: "failed", error: "unregistered" })
    ),
    "NotificationStore.deliveries, of one recipient": after(sent, NotificationStore, (store, { id }) =>
      store.deliveries(app, id, null, 1, { recipientId: MISSING })
    ),
    "NotificationStore.retries": after(sent, NotificationStore, (store, { id }) => store.retries(app, id)),
    "NotificationStore.outcomes": after(sent, NotificationStore, (store, { id }) => store.outcomes(app, id)),
    "NotificationStore.deliveries, later": after(sent, NotificationStore, (store, { id }) =>
      store.deliveries(app, id, MISSING, PAGE)
    ),
    "NotificationStore.deliveries, of many": plain(NotificationStore, (store) =>
      Effect.andThen(
        store.deliveries(app, notification, null, PAGE),
        store.deliveries(app, notification, uuidFloor(now() - 1000), PAGE)
      )
    ),
    "NotificationStore.claimPlan": after(accept(), NotificationStore, (store, id) => store.claimPlan(id, LEASE)),
    "NotificationStore.claimNextPlan": after(accept(), NotificationStore, (store) =>
      store.claimNextPlan("bulk", null, LEASE)
    ),
    "NotificationStore.claimNextPlan, in turn": after(accept(), NotificationStore, (store) =>
      store.claimNextPlan("bulk", app, LEASE)
    ),
    "NotificationStore.savePlan": after(
      Effect.gen(function* () {
        const id = yield* accept()
        return Option.getOrThrow(yield* (yield* NotificationStore).claimPlan(id, LEASE))
      }),
      NotificationStore,
      (store, { fence, notification: { id } }) =>
        store.savePlan({ id, fence, batches: [batch(ids(2))], cursor: "d:0:", done: true, leaseMs: LEASE })
    ),
    "NotificationStore.control, cancel": after(planned(ids(1)), NotificationStore, (store, id) =>
      store.control(app, id, "cancel")
    ),
    "NotificationStore.control, pause and resume": after(planned(ids(1)), NotificationStore, (store, id) =>
      Effect.andThen(store.control(app, id, "pause"), store.control(app, id, "resume"))
    ),
    "NotificationStore.control, nothing": after(sent, NotificationStore, (store, { id }) =>
      Effect.andThen(store.completeIfDone(id), store.control(app, id, "cancel"))
    ),
    "NotificationStore.revise": after(
      Effect.gen(function* () {
        const store = yield* NotificationStore
        const id = yield* accept(HELLO, now() + LATER)
        return Option.getOrThrow(yield* store.find(app, id))
      }),
      NotificationStore,
      (store, { id, revision }) =>
        store.revise({ id, appId: app, revision, fields: [], request: HELLO, ttlMs: LATER, sendAt: now() + LATER })
    ),
    "NotificationStore.isHalted": after(accept(), NotificationStore, (store, id) => store.isHalted(id)),
    "NotificationStore.completeIfDone": after(sent, NotificationStore, (store, { id }) => store.completeIfDone(id)),
    "BatchStore.claim": after(planned(ids(1)), BatchStore, (store) => store.claim(lane, 50, LEASE)),
    "BatchStore.claim, one": after(planned(ids(1)), BatchStore, (store) => store.claim(lane, 1, LEASE)),
    "BatchStore.claim, out of a long queue": plain(BatchStore, (store) =>
      store.claim({ ...lane, provider: "apns" }, 1, LEASE)
    ),
    "BatchStore.claimSuspect": plain(BatchStore, (store) => store.claimSuspect(lane, LEASE)),
    "BatchStore.extend": after(claimed(ids(1)), BatchStore, (store, { fence, id }) => store.extend(id, fence, LEASE)),
    "BatchStore.extendAll": after(claimed(ids(1)), BatchStore, (store, one) => store.extendAll([one], LEASE)),
    "BatchStore.release": after(claimed(ids(1)), BatchStore, (store, { fence, id }) =>
      store.release(id, fence, LATER, false)
    ),
    "BatchStore.forgotten": plain(BatchStore, (store) => store.forgotten(LATER)),
    "BatchStore.completeForgotten": plain(BatchStore, (store) => store.completeForgotten),
    "BatchStore.finish": finish(() => ({}))(ids(1)),
    "BatchStore.finishSent": Effect.map(claimed(ids(1)), (one) =>
      Effect.flatMap(BatchStore, (store) => store.finishSent([chunkOf(one, one.recipients)]))
    ),
    "BatchStore.finishSent, one of several": Effect.gen(function* () {
      const one = yield* claimed(ids(1))
      const sql = yield* SqlClient.SqlClient
      yield* sql`UPDATE notifications SET planned = 2 WHERE id = ${one.notificationId}`
      return Effect.flatMap(BatchStore, (store) => store.finishSent([chunkOf(one, one.recipients)]))
    }),
    "BatchStore.finish, with events": finish((one) => ({
      events: [eventsOf(app, "NOTIFICATION_SENT", one.recipients)]
    }))(ids(1)),
    "BatchStore.finish, many": finish(() => ({}))(ids(200)),
    "BatchStore.finish, many with events": finish((one) => ({
      events: [eventsOf(app, "NOTIFICATION_SENT", one.recipients)]
    }))(ids(200)),
    "BatchStore.finish, retries": finish(({ recipients }) => ({
      final: { recipients: [], statuses: [], messageIds: [], errors: [] },
      retries: [{ id: uuidv7() as BatchId, recipients, delayMs: LATER, attempts: 1, suspended: false, slowed: false }]
    }))(ids(1)),
    "BatchStore.finish, failures": Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const some = yield* someDevices
      const tried =
        yield* sql<Tried>`SELECT id, token AS address FROM devices WHERE app_id = ${app} AND id IN ${sql.in(some)}`
      return yield* finish((one) => ({
        final: finalOf(one, "failed"),
        dead: tried.map((each) => ({ ...each, reason: "gone", seenBefore: null })),
        events: [eventsOf(app, "NOTIFICATION_FAILED", one.recipients)]
      }))(some)
    }),
    "BatchStore.finish, bad addresses": Effect.flatMap(channel, (id) =>
      finish(
        (one) => ({
          final: finalOf(one, "failed"),
          dead: one.recipients.map((id) => ({ id, address: "gone", reason: "gone", seenBefore: null }))
        }),
        "smtp"
      )([id])
    ),
    "BatchStore.finish, inboxes": Effect.flatMap(inboxOf, ({ id }) =>
      finish(
        (one) => ({
          final: { ...finalOf(one, "sent"), messageIds: one.recipients.map(() => uuidv7()) },
          inbox: { title: "x", body: null, url: null, data: {} }
        }),
        "inbox"
      )([id])
    ),
    "BatchStore.finish, late": Effect.gen(function* () {
      const one = yield* claimed(ids(1))
      yield* (yield* SqlClient.SqlClient)`UPDATE batches SET lease_until = '-infinity' WHERE id = ${one.id}`
      yield* (yield* NotificationStore).control(app, one.notificationId, "cancel")
      return Effect.flatMap(BatchStore, (store) => store.finish(chunkOf(one, one.recipients)))
    }),
    "CredentialStore.put": plain(CredentialStore, (store) => store.put(app, credential)),
    "CredentialStore.find": plain(CredentialStore, (store) => store.find(app, "apns")),
    "CredentialStore.summaries": plain(CredentialStore, (store) => store.summaries(app)),
    "CredentialStore.health": plain(CredentialStore, (store) => store.health),
    "CredentialStore.remove": plain(CredentialStore, (store) => store.remove(app, "webpush")),
    "CredentialStore.suspend": plain(CredentialStore, (store) => store.suspend(app, "fcm", 0, "x")),
    "CredentialStore.suspendUnlessAccepted": plain(CredentialStore, (store) =>
      store.suspendUnlessAccepted(app, "fcm", 0, "x")
    ),
    "CredentialStore.accepted": plain(CredentialStore, (store) => store.accepted(app, "fcm", 0)),
    "CredentialStore.release": plain(CredentialStore, (store) =>
      Effect.gen(function* () {
        const version = Option.getOrThrow(yield* store.find(app, "fcm")).version
        yield* store.suspend(app, "fcm", version, "x")
        yield* store.release(app, "fcm", version)
      })
    ),
    "CredentialStore.hasten": plain(CredentialStore, (store) => store.hasten(app, "fcm", 0)),
    "DeadLetterStore.list": plain(DeadLetterStore, (store) => store.list(app, {}, null, PAGE)),
    "DeadLetterStore.list, later": after(failed, DeadLetterStore, (store, { notification }) =>
      store.list(app, { notification_id: notification }, uuidv7(), PAGE)
    ),
    "DeadLetterStore.list, by kind": plain(DeadLetterStore, (store) =>
      store.list(app, { kind: "notification" }, null, PAGE)
    ),
    "DeadLetterStore.list, by webhook": plain(DeadLetterStore, (store) =>
      store.list(app, { webhook_id: webhook }, null, PAGE)
    ),
    "DeadLetterStore.find": after(failed, DeadLetterStore, (store, { id }) => store.find(app, id)),
    "ReplayStore.one": after(failed, ReplayStore, (store, { id }) => store.one(app, id)),
    "ReplayStore.start, claim, step": after(failed, ReplayStore, (store, { notification }) =>
      Effect.gen(function* () {
        yield* store.start(app, uuidv7() as ReplayId, { notification_id: notification })
        const taken = Option.getOrThrow(yield* store.claim(null, LEASE))
        yield* store.step(taken, 100, LEASE)
        yield* store.step(taken, 100, LEASE)
      })
    ),
    "ReplayStore.start, claim, step, of many": Effect.gen(function* () {
      yield* (yield* SqlClient.SqlClient)`
        UPDATE replays SET status = 'completed', dead_letter_id = NULL WHERE app_id = ${app} AND status = 'running'`
      return Effect.flatMap(ReplayStore, (store) =>
        Effect.gen(function* () {
          yield* store.start(app, uuidv7() as ReplayId, {})
          const taken = Option.getOrThrow(yield* store.claim(null, LEASE))
          yield* store.step(taken, 1, LEASE)
        })
      )
    }),
    "ReplayStore.claim, in turn": plain(ReplayStore, (store) => store.claim(app, LEASE)),
    "ReplayStore.find": plain(ReplayStore, (store) => store.find(app, MISSING as ReplayId)),
    "ReplayStore.list": plain(ReplayStore, (store) => store.list(app, null, PAGE)),
    "ReplayStore.list, of a small application": plain(ReplayStore, (store) => store.list(small, null, PAGE)),
    "ReplayStore.list, later": plain(ReplayStore, (store) => store.list(app, uuidv7(), PAGE))
  }

  const template = Effect.flatMap(TemplateStore, (store) => store.create(app, "x", body as never))
  const others: Record<string, Operation> = {
    "TemplateStore.create": plain(TemplateStore, () => template),
    "TemplateStore.find": after(template, TemplateStore, (store, { id }) => store.find(app, id)),
    "TemplateStore.list": plain(TemplateStore, (store) => store.list(app, null, PAGE)),
    "TemplateStore.list, later": plain(TemplateStore, (store) => store.list(app, MISSING, PAGE)),
    "TemplateStore.list, of a small application": plain(TemplateStore, (store) => store.list(small, null, PAGE)),
    "TemplateStore.update": after(template, TemplateStore, (store, { id }) =>
      store.update(app, id, 1, "y", body as never)
    ),
    "TemplateStore.remove": after(template, TemplateStore, (store, { id }) => store.remove(app, id)),
    "TemplateStore.latest": after(template, TemplateStore, (store, { id }) => store.latest(app, id)),
    "TemplateStore.versions": after(template, TemplateStore, (store, { id }) => store.versions(app, id)),
    "TemplateStore.version": after(template, TemplateStore, (store, { versionId }) => store.version(app, versionId)),
    "TemplateStore.body": after(template, TemplateStore, (store, { versionId }) => store.body(versionId)),
    "EngagementStore.record": after(sent, EngagementStore, (store, { id, recipient }) =>
      store.record({ appId: app, type: "delivered", notificationId: id, deviceId: recipient, destination: null })
    ),
    "EngagementStore.record, a click": after(sent, EngagementStore, (store, { id, recipient }) =>
      store.record({ appId: app, type: "clicked", notificationId: id, deviceId: recipient, destination: null })
    ),
    "EngagementStore.record, unknown": after(device, EngagementStore, (store, deviceId) =>
      store.record({
        appId: app,
        type: "clicked",
        notificationId: uuidv7() as NotificationId,
        deviceId,
        destination: null
      })
    ),
    "InboxStore.post": plain(InboxStore, (store) => store.post(app, { user_ids: [unique()], title: "x" })),
    "InboxStore.list": after(inboxOf, InboxStore, (store, { userId }) => store.list(app, userId, null, PAGE)),
    "InboxStore.list, later": after(inboxOf, InboxStore, (store, { userId }) =>
      store.list(app, userId, uuidv7(), PAGE)
    ),
    "InboxStore.list, of a full inbox": plain(InboxStore, (store) => store.list(app, reader.userId, null, PAGE)),
    "InboxStore.unread": after(inboxOf, InboxStore, (store, { userId }) => store.unread(app, userId)),
    "InboxStore.read": plain(InboxStore, (store) =>
      Effect.gen(function* () {
        const userId = unique()
        yield* store.post(app, { user_ids: [userId], title: "x" })
        const { items } = yield* store.list(app, userId, null, 1)
        yield* store.read(app, userId, items[0]!.id)
      })
    ),
    "InboxStore.readAll": plain(InboxStore, (store) =>
      Effect.gen(function* () {
        const userId = unique()
        yield* store.post(app, { user_ids: [userId], title: "x" })
        yield* store.readAll(app, userId)
      })
    ),
    "InboxStore.since": after(inboxOf, InboxStore, (store, { userId }) =>
      Effect.flatMap(store.since({ appId: app, userId, after: null }), ({ position }) =>
        store.since({ appId: app, userId, after: position })
      )
    ),
    "StatsStore.days": plain(StatsStore, (store) => store.days(app, "2026-01-01", "2030-01-01")),
    "StatsStore.notification": after(sent, StatsStore, (store, { id }) => store.notification(app, id)),
    "BacklogStore.read": plain(BacklogStore, (store) => store.read),
    "BacklogStore.unreconciled": plain(BacklogStore, (store) => store.unreconciled),
    "BacklogStore.failingWebhooks": plain(BacklogStore, (store) => store.failingWebhooks),
    "BacklogStore.setAside": plain(BacklogStore, (store) => store.setAside),
    "BacklogStore.nodes": plain(BacklogStore, (store) => store.nodes),
    "HolderStore.release": Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      yield* sql`INSERT INTO holders (name, ended) VALUES ('x', 'killed')`
      return Effect.flatMap(HolderStore, (store) => store.release)
    }),
    "HolderStore.ended": plain(HolderStore, (store) => store.ended(HolderId.make(0), "killed"))
  }

  const webhooks: Record<string, Operation> = {
    "WebhookStore.create": plain(WebhookStore, () => Effect.map(webhookOf, (id) => removable.push(id))),
    "WebhookStore.find": plain(WebhookStore, (store) => store.find(app, webhook)),
    "WebhookStore.list": plain(WebhookStore, (store) => store.list(app, null, PAGE)),
    "WebhookStore.list, later": plain(WebhookStore, (store) => store.list(app, MISSING, PAGE)),
    "WebhookStore.list, of a small application": plain(WebhookStore, (store) => store.list(small, null, PAGE)),
    "WebhookStore.update": plain(WebhookStore, (store) => store.update(app, webhook, { name: unique() })),
    "WebhookStore.remove": after(webhookOf, WebhookStore, (store, id) => store.remove(app, id)),
    "WebhookStore.endpoint": plain(WebhookStore, (store) => store.endpoint(webhook)),
    "WebhookStore.target": plain(WebhookStore, (store) => store.target(app, webhook)),
    "WebhookStore.deliveries": after(dueEvent, WebhookStore, (store, { id }) => store.deliveries(app, id, null, PAGE)),
    "WebhookStore.deliveries, later": after(dueEvent, WebhookStore, (store, { event, id }) =>
      store.deliveries(app, id, event, PAGE)
    ),
    "WebhookStore.deliveries, of many": plain(WebhookStore, (store) =>
      Effect.andThen(
        store.deliveries(app, webhook, null, PAGE),
        store.deliveries(app, webhook, uuidFloor(now() - 1000), PAGE)
      )
    ),
    "WebhookStore.deliveries, by event and status": after(dueEvent, WebhookStore, (store, { id }) =>
      store.deliveries(app, id, null, PAGE, { event: "NOTIFICATION_SENT", status: "exhausted" })
    ),
    "WebhookStore.deliveries, of many by status": plain(WebhookStore, (store) =>
      Effect.andThen(
        store.deliveries(app, webhook, null, PAGE, { status: "pending" }),
        store.deliveries(app, webhook, null, PAGE, { status: "exhausted" })
      )
    ),
    "WebhookStore.delivery": after(dueEvent, WebhookStore, (store, { event, id }) => store.delivery(app, id, event)),
    "WebhookStore.ofRecipient": plain(WebhookStore, (store) =>
      store.ofRecipient(app, notification, MISSING, [{ event: "NOTIFICATION_SENT", at: now() - 3_600_000 }])
    ),
    "WebhookStore.claim": withWork(2, (id) => Effect.flatMap(WebhookStore, (store) => store.claim(id, 10, LEASE))),
    "WebhookStore.claimSmall": withWork(2, (id) =>
      Effect.flatMap(WebhookStore, (store) => store.claimSmall(id, 10, LEASE, 5))
    ),
    "WebhookStore.claimOldest": withWork(2, (id) =>
      Effect.flatMap(WebhookStore, (store) => store.claimOldest(id, 50, LEASE))
    ),
    "WebhookStore.claimWaiting": withWork(2, (id) =>
      Effect.flatMap(WebhookStore, (store) => store.claimWaiting(id, 1, LEASE))
    ),
    "WebhookStore.hasRetries": withWork(1, (id) => Effect.flatMap(WebhookStore, (store) => store.hasRetries(id))),
    "WebhookStore.nextDue": withWork(1, (id) => Effect.flatMap(WebhookStore, (store) => store.nextDue(id, LEASE))),
    "WebhookStore.nextDueOldest": withWork(1, (id) =>
      Effect.flatMap(WebhookStore, (store) => store.nextDueOldest(id, 50, LEASE))
    ),
    "WebhookStore.due": withWork(1, () => Effect.flatMap(WebhookStore, (store) => store.due(10, LEASE))),
    "WebhookStore.claim, out of a long queue": plain(WebhookStore, (store) => store.claim(webhook, 1, LEASE)),
    "WebhookStore.claimOldest, out of a long queue": plain(WebhookStore, (store) =>
      store.claimOldest(webhook, 1, LEASE)
    ),
    "WebhookStore.nextDueOldest, of a long queue": plain(WebhookStore, (store) =>
      store.nextDueOldest(webhook, 1, LEASE)
    ),
    "WebhookStore.hasRetries, of a long queue": plain(WebhookStore, (store) => store.hasRetries(webhook)),
    "WebhookStore.nextDue, of a long queue": plain(WebhookStore, (store) => store.nextDue(webhook, LEASE)),
    "WebhookStore.finish": withClaimed((id, work) =>
      Effect.flatMap(WebhookStore, (store) => store.finish(resultsOf(id, work)))
    ),
    "WebhookStore.finish, again later": withClaimed((id, work) =>
      Effect.flatMap(WebhookStore, (store) =>
        store.finish(resultsOf(id, work, { ...missed(work), retry: { positions: work.positions, delayMs: LATER } }))
      )
    ),
    "WebhookStore.finish, given up": withClaimed((id, work) =>
      Effect.flatMap(WebhookStore, (store) =>
        store.finish(
          resultsOf(id, work, {
            ...missed(work),
            exhausted: work.positions.map((position) => ({ position, error: "500" })),
            disableAfter: 1
          })
        )
      )
    ),
    "WebhookStore.finishPlain": withClaimed((id, work) =>
      Effect.flatMap(WebhookStore, (store) => store.finishPlain([resultsOf(id, work)]))
    ),
    "RedeliveryStore.start, claim, step": after(dueEvent, RedeliveryStore, (store, { id }) =>
      Effect.gen(function* () {
        const wanted = { status: "delivered", from: null, to: now() } as const
        const taken = yield* store.start(app, id, uuidv7() as RedeliveryId, wanted, 0)
        yield* store.claim(null, LEASE)
        yield* store.step({ ...taken, fence: taken.fence + 1 }, 100, LEASE)
        yield* store.step(taken, 100, LEASE)
      })
    ),
    "RedeliveryStore.claim, in turn": plain(RedeliveryStore, (store) => store.claim(app, LEASE)),
    "RedeliveryStore.one": after(dueEvent, RedeliveryStore, (store, { event, id }) =>
      store.one(app, id, uuidv7() as RedeliveryId, event)
    ),
    "RedeliveryStore.find": plain(RedeliveryStore, (store) => store.find(app, MISSING as RedeliveryId))
  }

  const people: Record<string, Operation> = peopleOperationsOf(app)
  const workflows: Record<string, Operation> = workflowOperationsOf(app)
  const all = { ...access, ...people, ...workflows, ...audience, ...sending, ...webhooks, ...others }
  return Object.fromEntries(Object.entries(all).map(([name, operation]) => [name, tidied(operation)]))
}

/** A client whose only connection is not taken for a lock that nobody else wants here. */
const withoutReserve = (sql: PgClient.PgClient): PgClient.PgClient => {
  const reserve = Effect.succeed({ executeUnprepared: () => Effect.succeed([{ taken: true }]) })
  return new Proxy(sql, { get: (client, name) => (name === "reserve" ? reserve : Reflect.get(client, name)) })
}

/**
 * What is done now and then, and by one process for all: retention, with something of each kind that is past its time, and
 * the leases that a process prolongs.
 */
export const sweepsOf = ({ app, webhook }: Place): Readonly<Record<string, Operation>> => ({
  "Retention.sweep": Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const old = Array.from(
      { length: FEW },
      (_, i) => uuidFloor(now() - 3 * DAY_MS - i).slice(0, 24) + unique().slice(4)
    )
    for (const id of old) {
      yield* sql`INSERT INTO notifications (id, app_id, status, priority, request, expires_at, plan_done, created_at, completed_at)
        VALUES (${id}, ${app}, 'completed', 'bulk', '{}', now(), true, now() - interval '3 d', now() - interval '3 d')`
      yield* sql`INSERT INTO batches (id, notification_id, app_id, provider, priority, done, recipients)
        VALUES (${id}, ${id}, ${app}, 'fcm', 'bulk', true, '{}')`
      yield* sql`INSERT INTO event_chunks (id, app_id, event, at, size, common, columns)
        VALUES (${id}, ${app}, 'x', now(), 1, '{}', '{}')`
      yield* sql`INSERT INTO webhook_work_items (id, webhook_id, chunk_id, done, finished_at)
        VALUES (${id}, ${webhook}, ${id}, true, now() - interval '3 d')`
      yield* sql`INSERT INTO dead_letters (id, app_id, kind, error, attempts) VALUES (${id}, ${app}, 'webhook', 'x', 1)`
      yield* sql`INSERT INTO replays (id, app_id, filter, status) VALUES (${id}, ${app}, '{}', 'completed')`
      yield* sql`INSERT INTO audit_log (id, app_id, actor_kind, action, details) VALUES (${id}, ${app}, 'x', 'x', '{}')`
      yield* sql`INSERT INTO template_versions (id, app_id, body, retired_at)
        VALUES (${id}, ${app}, '{}', now() - interval '3 d')`
      yield* sql`INSERT INTO erased_people (app_id, person, erased_at)
        VALUES (${app}, sha256(uuid_send(${id}::uuid)), now() - interval '3 d')`
    }
    return Effect.updateService(sweepRetention(2), PgClient.PgClient, withoutReserve)
  }),
  "RateLimitStore.sweep": Effect.succeed(sweepRateLimits),
  "LeaseHolder.beat": Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const inHand = (count: number) => ids(count).map((id) => ({ id, fence: 1 }))
    return prolong(
      sql,
      HolderId.make(0),
      { batches: inHand(20), webhookWork: inHand(20), leaseMs: LEASE, webhookLeaseMs: LEASE },
      {
        keys: Object.values(TURNS),
        spansMs: Object.values(TURNS).map(() => 1),
        held: Object.values(TURNS).map(() => NONE)
      }
    )
  })
})

/** Which methods an entry of the operations calls: `Store.one, two, as this` are names of methods as long as they are. */
export const methodsOf = (name: string, methods: ReadonlySet<string>): ReadonlyArray<string> => {
  const [store, rest] = name.split(/\.(.*)/s) as [string, string]
  return rest.split(", ").flatMap((part) => (methods.has(`${store}.${part}`) ? [`${store}.${part}`] : []))
}
