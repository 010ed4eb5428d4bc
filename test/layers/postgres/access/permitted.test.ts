import { expect, layer } from "@effect/vitest"
import { Deferred, Effect, Fiber, Layer, Option } from "effect"
import { SqlClient } from "effect/sql"
import { randomBytes } from "node:crypto"
import type { Actor } from "../../../../services/domain/access/Audit.ts"
import type {
  AccountId,
  ApiKeyId,
  BatchId,
  ContactId,
  NotificationId,
  OrganizationId,
  RedeliveryId,
  ReplayId,
  SegmentId,
  TemplateId,
  WebhookId
} from "../../../../services/domain/Ids.ts"
import type { Operation, Role } from "../../../../services/domain/people/Role.ts"
import { ApplicationStore } from "../../../../services/ports/access/ApplicationStore.ts"
import { CurrentActor } from "../../../../services/ports/access/AuditLog.ts"
import { CurrentOperation } from "../../../../services/ports/access/CurrentOperation.ts"
import { ChannelStore } from "../../../../services/ports/audience/ChannelStore.ts"
import { ContactStore } from "../../../../services/ports/audience/ContactStore.ts"
import { DeviceStore } from "../../../../services/ports/audience/DeviceStore.ts"
import { SegmentStore } from "../../../../services/ports/audience/SegmentStore.ts"
import { TemplateStore } from "../../../../services/ports/messages/TemplateStore.ts"
import { uuidv7 } from "../../../../services/ports/NewId.ts"
import { OrganizationStore } from "../../../../services/ports/people/OrganizationStore.ts"
import { CredentialStore } from "../../../../services/ports/sending/CredentialStore.ts"
import { NotificationStore } from "../../../../services/ports/sending/NotificationStore.ts"
import { ReplayStore } from "../../../../services/ports/sending/ReplayStore.ts"
import { RedeliveryStore } from "../../../../services/ports/webhooks/RedeliveryStore.ts"
import { WebhookStore } from "../../../../services/ports/webhooks/WebhookStore.ts"
import { testDatabase } from "../../../Database.ts"
import { allStores } from "../Operations.ts"
import { android, HELLO, newApp, newWebhook } from "../Stores.ts"

const live = allStores.pipe(Layer.provideMerge(testDatabase()))

const newKey = () => ({
  id: uuidv7() as ApiKeyId,
  kind: "secret" as const,
  name: "A key",
  hash: new Uint8Array(randomBytes(32)),
  hint: "abcd"
})

/** An application with its owner and an admin. */
const staffed = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const app = yield* newApp
  const [row] = yield* sql<{ readonly id: OrganizationId }>`
    SELECT organization_id AS id FROM applications WHERE id = ${app}`
  const organization = row!.id
  const [owner, admin] = [uuidv7() as AccountId, uuidv7() as AccountId]
  for (const [id, role] of [
    [owner, "owner"],
    [admin, "admin"]
  ] as const) {
    yield* sql`INSERT INTO accounts (id, email) VALUES (${id}, ${`${id}@example.com`})`
    yield* sql`INSERT INTO members (organization_id, account_id, role) VALUES (${organization}, ${id}, ${role})`
  }
  const key = newKey()
  yield* (yield* ApplicationStore).createKey(app, key)
  const hook = yield* newWebhook(app)
  return { app, organization, owner, admin, key, hook }
})
type Staffed = Effect.Success<typeof staffed>

/** Every change of how an application is set up, and some of its data, with what the table of roles calls it. */
const changesOf = ({ app, hook, key }: Staffed) =>
  Effect.gen(function* () {
    const [applications, channels, contacts] = [yield* ApplicationStore, yield* ChannelStore, yield* ContactStore]
    const [credentials, devices, notifications] = [yield* CredentialStore, yield* DeviceStore, yield* NotificationStore]
    const [redeliveries, replays, segments] = [yield* RedeliveryStore, yield* ReplayStore, yield* SegmentStore]
    const [templates, webhooks] = [yield* TemplateStore, yield* WebhookStore]
    const id = uuidv7()
    const webhook = { name: "One", url: "https://example.com/", events: [] }
    const arriving = () => ({
      id: uuidv7() as NotificationId,
      appId: app,
      request: HELLO,
      ttlMs: 60_000,
      batches: null
    })
    const body = { default_locale: "en", locales: { en: { title: "Hello" } }, missing_variables: "empty" } as never
    const changes: Readonly<Record<string, readonly [Operation, Effect.Effect<unknown, unknown>]>> = {
      "application.update": ["changeApplication", applications.update(app, { name: "Taken over" })],
      "application.setIdentitySecret": ["changeApplication", applications.setIdentitySecret(app, "secret", 0)],
      "key.create": ["changeApiKeys", applications.createKey(app, newKey())],
      "key.revoke": ["changeApiKeys", applications.revokeKey(app, key.id)],
      "credential.put": [
        "changeCredentials",
        credentials.put(app, { kind: "smtp", value: { url: "smtp://example.com", from: "a@example.com" } } as never)
      ],
      "credential.remove": ["changeCredentials", credentials.remove(app, "smtp")],
      "webhook.create": ["changeWebhooks", webhooks.create(app, id as WebhookId, webhook)],
      "webhook.update": ["changeWebhooks", webhooks.update(app, id as WebhookId, { name: "Two" })],
      "webhook.remove": ["changeWebhooks", webhooks.remove(app, id as WebhookId)],
      "redelivery.start": [
        "changeWebhooks",
        redeliveries.start(app, hook, id as RedeliveryId, { from: null, to: null, status: "exhausted" }, 1)
      ],
      "redelivery.one": ["changeWebhooks", redeliveries.one(app, id as WebhookId, id as RedeliveryId, id)],
      "template.create": ["changeTemplates", templates.create(app, "x", body)],
      "template.update": ["changeTemplates", templates.update(app, id as TemplateId, 1, "x", body)],
      "template.remove": ["changeTemplates", templates.remove(app, id as TemplateId)],
      "segment.create": ["changeSegments", segments.create(app, { name: "x", filter: { tags: ["x"] } as never })],
      "segment.update": ["changeSegments", segments.update(app, id as SegmentId, { name: "x" })],
      "segment.remove": ["changeSegments", segments.remove(app, id as SegmentId)],
      "notification.control": ["controlNotifications", notifications.control(app, id as NotificationId, "cancel")],
      "send.toMany": ["sendNotifications", notifications.accept(arriving())],
      "send.toDevice": [
        "sendNotifications",
        notifications.acceptForDevice(arriving(), { id: uuidv7(), batch: id as BatchId, lease: null })
      ],
      "send.toUsers": ["sendNotifications", notifications.acceptForUsers(arriving(), { ids: ["ada"], lease: null })],
      "replay.start": ["replayDeadLetters", replays.start(app, id as ReplayId, {} as never)],
      "contact.remove": ["changeContacts", contacts.remove(app, id as ContactId)],
      "contact.upsert": ["changeContacts", contacts.upsert(app, [{ external_id: "x" }])],
      "device.register": ["changeDevices", devices.register(app, [android("token")])],
      "channel.remove": ["changeChannels", channels.remove(app, id as never)]
    }
    return changes
  })

const outcome = (work: Effect.Effect<unknown, unknown>) =>
  Effect.match(work, {
    onFailure: (error) => ((error as { readonly withdrawn?: boolean }).withdrawn === true ? "withdrawn" : error),
    onSuccess: () => "done"
  })

const as =
  (actor: Actor, operation: Operation | null = null) =>
  <A, E, R>(work: Effect.Effect<A, E, R>) =>
    work.pipe(Effect.provideService(CurrentActor, actor), Effect.provideService(CurrentOperation, operation))

/** What each change comes to for an actor. */
const outcomesFor = (place: Staffed, actor: Actor, only: (name: string) => boolean = () => true) =>
  Effect.gen(function* () {
    const found: Record<string, unknown> = {}
    for (const [name, [operation, change]] of Object.entries(yield* changesOf(place))) {
      if (only(name)) found[name] = yield* outcome(as(actor, operation)(change))
    }
    return found
  })

const all = (outcomes: Record<string, unknown>, what: string) =>
  expect(outcomes).toEqual(Object.fromEntries(Object.keys(outcomes).map((name) => [name, what])))

/** Data that keys write by the million: their requests are not looked at again. */
const isSetUp = (name: string): boolean => !/^(contact|device|channel|send)/.test(name)

/** Waits until somebody waits for a lock of this session's transaction. */
const untilAwaited = Effect.flatMap(SqlClient.SqlClient, (sql) =>
  Effect.repeat(sql`SELECT 1 FROM pg_locks WHERE NOT granted AND pg_backend_pid() = ANY(pg_blocking_pids(pid))`, {
    until: ({ length }) => length > 0
  })
)

layer(live)("a change of an application", (it) => {
  it.effect("is made for its people, by what their role may do, for its keys, and at the command line", () =>
    Effect.gen(function* () {
      const place = yield* staffed
      const made = yield* outcomesFor(place, { kind: "user", id: place.admin }, (name) => name !== "key.revoke")
      all(made, "done")
      all(yield* outcomesFor(yield* staffed, { kind: "cli", id: "root" }, (name) => name !== "key.revoke"), "done")
      const other = yield* staffed
      all(yield* outcomesFor(other, { kind: "key", id: other.key.id }, (name) => name !== "key.revoke"), "done")
    })
  )

  it.effect.each(["gone", "viewer", "member"] as const)(
    "is refused to an admin whose role was taken away since the request began: %s",
    (now) =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const place = yield* staffed
        const store = yield* OrganizationStore
        yield* now === "gone"
          ? store.removeMember(place.owner, place.organization, place.admin)
          : Effect.asVoid(store.changeRole(place.owner, place.organization, place.admin, now as Role))
        const isAdmins = (name: string) => /^(application|key|credential|webhook|redelivery)\./.test(name)
        const actor = { kind: "user", id: place.admin } as const
        all(yield* outcomesFor(place, actor, now === "member" ? isAdmins : undefined), "withdrawn")
        expect(yield* sql`SELECT 1 FROM api_keys WHERE app_id = ${place.app}`).toHaveLength(1)
        expect(yield* sql`SELECT 1 FROM credentials WHERE app_id = ${place.app}`).toHaveLength(0)
      })
  )

  it.effect("is refused to a key that was revoked since", () =>
    Effect.gen(function* () {
      const place = yield* staffed
      const store = yield* ApplicationStore
      yield* store.createKey(place.app, newKey())
      yield* store.revokeKey(place.app, place.key.id)
      all(yield* outcomesFor(place, { kind: "key", id: place.key.id }, isSetUp), "withdrawn")
    })
  )

  it.effect.each(["organization", "application"])(
    "is refused to everybody once the %s is deleted, and leaves nothing",
    (what) =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const place = yield* staffed
        const store = yield* OrganizationStore
        yield* what === "organization"
          ? store.remove(place.owner, place.organization)
          : store.removeApplication(place.owner, place.app)
        for (const actor of [
          { kind: "user", id: place.owner },
          { kind: "key", id: place.key.id },
          { kind: "cli", id: "root" }
        ] as const) {
          all(yield* outcomesFor(place, actor, actor.kind === "user" ? undefined : isSetUp), "withdrawn")
        }
        for (const table of [
          "api_keys",
          "credentials",
          "templates",
          "segments",
          "devices",
          "contacts",
          "notifications"
        ]) {
          expect([table, yield* sql`SELECT 1 FROM ${sql(table)} WHERE app_id = ${place.app}`]).toEqual([table, []])
        }
        expect(yield* sql`SELECT id, is_active FROM webhooks WHERE app_id = ${place.app}`).toEqual([
          { id: place.hook, is_active: false }
        ])
      })
  )

  it.effect("waits for a deletion, or a removal, that is under way, and is not made after it", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const organizations = yield* OrganizationStore
      const applications = yield* ApplicationStore
      for (const how of ["deleted", "removed", "application deleted"] as const) {
        const place = yield* staffed
        const ended = yield* Deferred.make<void>()
        // The store's transaction is part of this one, which commits when it is told to.
        const ending = yield* Effect.forkChild(
          sql.withTransaction(
            Effect.gen(function* () {
              yield* how === "deleted"
                ? organizations.remove(place.owner, place.organization)
                : how === "application deleted"
                  ? organizations.removeApplication(place.owner, place.app)
                  : organizations.removeMember(place.owner, place.organization, place.admin)
              yield* Deferred.succeed(ended, undefined)
              yield* untilAwaited
            })
          )
        )
        yield* Deferred.await(ended)
        const key = newKey()
        const making = yield* Effect.forkChild(
          outcome(as({ kind: "user", id: place.admin }, "changeApiKeys")(applications.createKey(place.app, key)))
        )
        yield* Fiber.join(ending)
        expect([how, yield* Fiber.join(making)]).toEqual([how, "withdrawn"])
        expect(yield* applications.findKey(key.hash)).toEqual(Option.none())
      }
    })
  )
})

layer(live)("a removal that waits for a change under way", (it) => {
  it.effect("is not overtaken by changes that begin later", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const [organizations, applications] = [yield* OrganizationStore, yield* ApplicationStore]
      const place = yield* staffed
      const asAdmin = as({ kind: "user", id: place.admin }, "changeApplication")
      const waiting = Effect.map(
        sql`SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`,
        ({ length }) => length
      )
      const [changed, commit] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
      const changing = yield* Effect.forkChild(
        sql.withTransaction(
          Effect.gen(function* () {
            yield* asAdmin(applications.update(place.app, { name: "Under way" }))
            yield* Deferred.succeed(changed, undefined)
            yield* Deferred.await(commit)
          })
        )
      )
      yield* Deferred.await(changed)
      const removing = yield* Effect.forkChild(organizations.removeMember(place.owner, place.organization, place.admin))
      yield* Effect.repeat(waiting, { until: (count) => count === 1 })
      const later = yield* Effect.forkChild(outcome(asAdmin(applications.createKey(place.app, newKey()))))
      yield* Effect.raceFirst(Effect.repeat(waiting, { until: (count) => count === 2 }), Fiber.await(later))
      yield* Deferred.succeed(commit, undefined)
      yield* Fiber.join(changing)
      yield* Fiber.join(removing)
      expect(yield* Fiber.join(later)).toBe("withdrawn")
    })
  )
})

layer(live)("a key of an organization that was deleted", (it) => {
  it.effect("is unknown, whatever is still there of it", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const place = yield* staffed
      const applications = yield* ApplicationStore
      expect(Option.isSome(yield* applications.findKey(place.key.hash))).toBe(true)
      yield* sql`UPDATE organizations SET deleted_at = now() WHERE id = ${place.organization}`
      expect(yield* applications.findKey(place.key.hash)).toEqual(Option.none())
    })
  )
})
