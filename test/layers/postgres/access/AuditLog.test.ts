import { expect, layer } from "@effect/vitest"
import { Effect, Layer, Option } from "effect"
import { SqlClient } from "effect/sql"
import { hash, randomBytes } from "node:crypto"
import type {
  ApiKeyId,
  AppId,
  BatchId,
  ChannelId,
  DeviceId,
  NotificationId,
  SegmentId,
  TemplateId,
  WebhookId
} from "../../../../services/domain/Ids.ts"
import { ANY_ENTRY } from "../../../../services/domain/access/Audit.ts"
import type { TemplateBody } from "../../../../services/domain/messages/Template.ts"
import type { KeptRequest } from "../../../../services/domain/sending/Notification.ts"
import { uuidv7 } from "../../../../services/ports/NewId.ts"
import { goBy } from "../../../../services/ports/Now.ts"
import { ApplicationStore } from "../../../../services/ports/access/ApplicationStore.ts"
import { AuditLog, CurrentActor } from "../../../../services/ports/access/AuditLog.ts"
import { IdempotencyStore } from "../../../../services/ports/access/IdempotencyStore.ts"
import { ChannelStore } from "../../../../services/ports/audience/ChannelStore.ts"
import { ContactStore } from "../../../../services/ports/audience/ContactStore.ts"
import { DeviceStore } from "../../../../services/ports/audience/DeviceStore.ts"
import { SegmentStore } from "../../../../services/ports/audience/SegmentStore.ts"
import { InboxStore } from "../../../../services/ports/inbox/InboxStore.ts"
import { TemplateStore } from "../../../../services/ports/messages/TemplateStore.ts"
import { CredentialStore } from "../../../../services/ports/sending/CredentialStore.ts"
import type { NewNotification } from "../../../../services/ports/sending/NotificationStore.ts"
import { NotificationStore } from "../../../../services/ports/sending/NotificationStore.ts"
import type { StoreError } from "../../../../services/ports/StoreError.ts"
import { WebhookStore } from "../../../../services/ports/webhooks/WebhookStore.ts"
import * as SecretBox from "../../../../layers/crypto/SecretBox.ts"
import * as ApplicationStores from "../../../../layers/postgres/access/ApplicationStore.ts"
import { record } from "../../../../layers/postgres/access/auditEntry.ts"
import * as AuditLogs from "../../../../layers/postgres/access/AuditLog.ts"
import * as IdempotencyStores from "../../../../layers/postgres/access/IdempotencyStore.ts"
import * as ChannelStores from "../../../../layers/postgres/audience/ChannelStore.ts"
import * as ContactStores from "../../../../layers/postgres/audience/ContactStore.ts"
import * as DeviceStores from "../../../../layers/postgres/audience/DeviceStore.ts"
import * as SegmentStores from "../../../../layers/postgres/audience/SegmentStore.ts"
import * as InboxStores from "../../../../layers/postgres/inbox/InboxStore.ts"
import * as TemplateStores from "../../../../layers/postgres/messages/TemplateStore.ts"
import * as CredentialStores from "../../../../layers/postgres/sending/CredentialStore.ts"
import * as NotificationStores from "../../../../layers/postgres/sending/NotificationStore.ts"
import * as WebhookStores from "../../../../layers/postgres/webhooks/WebhookStore.ts"
import { testDatabase } from "../../../Database.ts"
import { android, HELLO, newApp } from "../Stores.ts"

const live = Layer.mergeAll(
  ApplicationStores.layer,
  AuditLogs.layer,
  ChannelStores.layer,
  ContactStores.layer,
  CredentialStores.layer,
  DeviceStores.layer,
  IdempotencyStores.layer,
  InboxStores.layer,
  NotificationStores.layer,
  SegmentStores.layer,
  TemplateStores.layer,
  WebhookStores.layer
).pipe(Layer.provide(SecretBox.layerOf(randomBytes(32))), Layer.provideMerge(testDatabase()))

const keyId = uuidv7() as ApiKeyId
const asKey = <A, E, R>(work: Effect.Effect<A, E, R>) =>
  Effect.provideService(work, CurrentActor, { kind: "key", id: keyId })

const newKey = (kind: "secret" | "public", name = "A key") => ({
  id: uuidv7() as ApiKeyId,
  kind,
  name,
  hash: new Uint8Array(hash("sha256", randomBytes(16), "buffer")),
  hint: "sk_abcde"
})

/** Makes somebody an owner of the organization of an application. */
const joins = Effect.fnUntraced(function* (appId: AppId, account: string, email: string) {
  const sql = yield* SqlClient.SqlClient
  yield* sql`INSERT INTO accounts (id, email) VALUES (${account}, ${email}) ON CONFLICT DO NOTHING`
  yield* sql`
    INSERT INTO members (organization_id, account_id, role)
    SELECT organization_id, ${account}, 'owner' FROM applications WHERE id = ${appId}`
})

/** Everything that the log shows of an application, newest first. */
const entriesOf = Effect.fnUntraced(function* (appId: AppId) {
  const log = yield* AuditLog
  return (yield* log.list(appId, null, 100)).items
})

const byText = (a: unknown, b: unknown): number => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1)

const WEBHOOK = {
  name: "Orders",
  url: "https://example.com/webhooks/token-in-a-path?key=abc",
  secret: "the webhook's secret"
}

const ADA = uuidv7()

const draft = (appId: AppId): NewNotification => ({
  id: uuidv7() as NotificationId,
  appId,
  request: HELLO,
  ttlMs: 60_000,
  batches: null
})

layer(live)("AuditLog", (it) => {
  it.effect("has every change of keys, options, credentials and webhooks, with who made it and without a secret", () =>
    Effect.gen(function* () {
      const appId = yield* newApp
      const [applications, credentials, webhooks] = [
        yield* ApplicationStore,
        yield* CredentialStore,
        yield* WebhookStore
      ]
      const webhookId = uuidv7() as WebhookId
      const spare = newKey("secret", "Spare")
      yield* asKey(
        Effect.gen(function* () {
          yield* applications.createKey(appId, newKey("secret", "Server"))
          yield* applications.createKey(appId, spare)
          yield* applications.revokeKey(appId, spare.id)
          yield* applications.update(appId, { identity_verification: false })
          yield* applications.setIdentitySecret(appId, "the identity secret", 60_000)
          yield* credentials.put(appId, {
            kind: "smtp",
            value: { url: "smtps://user:the-password@mail.example.com", from: "a@example.com" }
          })
          yield* credentials.remove(appId, "smtp")
          yield* webhooks.create(appId, webhookId, WEBHOOK)
          yield* webhooks.update(appId, webhookId, { secret: "another secret", is_active: false })
          yield* webhooks.remove(appId, webhookId)
        })
      )
      const entries = yield* entriesOf(appId)
      const shown = entries.map(({ action, details, target }) => ({ action, details, target }))
      expect(shown.toReversed()).toEqual(
        [
          { action: "api_key.created", details: { kind: "secret", name: "Server", prefix: "sk_abcde" } },
          { action: "api_key.created", target: spare.id },
          {
            action: "api_key.revoked",
            target: spare.id,
            details: { kind: "secret", name: "Spare", prefix: "sk_abcde" }
          },
          { action: "application.changed", target: appId, details: { identity_verification: false } },
          { action: "identity_secret.issued", target: appId, details: { overlap_seconds: 60 } },
          {
            action: "credential.set",
            target: "smtp",
            details: { settings: { url: "smtps://user@mail.example.com", from: "a@example.com" } }
          },
          { action: "credential.removed", target: "smtp", details: {} },
          {
            action: "webhook.created",
            target: webhookId,
            details: {
              fields: ["name", "is_active", "url", "secret"],
              name: "Orders",
              host: "example.com",
              is_active: true
            }
          },
          {
            action: "webhook.changed",
            target: webhookId,
            details: { fields: ["is_active", "secret"], is_active: false }
          },
          { action: "webhook.deleted", target: webhookId, details: { name: "Orders" } }
        ].map((entry) => expect.objectContaining(entry))
      )
      for (const { actorId, actorKind, appId: of } of entries)
        expect([of, actorKind, actorId]).toEqual([appId, "key", keyId])
      const text = JSON.stringify(entries)
      for (const secret of [
        "the webhook's",
        "another secret",
        "the identity",
        "the-password",
        "token-in-a-path",
        "key=abc"
      ]) {
        expect(text).not.toContain(secret)
      }
    })
  )

  it.effect("has nothing of what changed nothing", () =>
    Effect.gen(function* () {
      const appId = yield* newApp
      const [applications, credentials, webhooks] = [
        yield* ApplicationStore,
        yield* CredentialStore,
        yield* WebhookStore
      ]
      const only = newKey("secret")
      yield* applications.createKey(appId, only)
      expect(yield* applications.revokeKey(appId, uuidv7() as ApiKeyId)).toBe(false)
      expect((yield* Effect.flip(applications.revokeKey(appId, only.id)))._tag).toBe("LastSecretKey")
      expect(yield* credentials.remove(appId, "fcm")).toBe(false)
      expect(yield* webhooks.remove(appId, uuidv7() as WebhookId)).toBe(false)
      expect(yield* webhooks.update(appId, uuidv7() as WebhookId, { name: "x" })).toEqual(Option.none())
      expect((yield* entriesOf(appId)).map(({ action }) => action)).toEqual(["api_key.created"])
      const webhookId = uuidv7() as WebhookId
      const created = yield* webhooks.create(appId, webhookId, WEBHOOK)
      expect(yield* webhooks.update(appId, webhookId, {})).toEqual(Option.some(created))
      expect(Option.isSome(yield* applications.update(appId, {}))).toBe(true)
      expect((yield* entriesOf(appId)).map(({ action }) => action)).toEqual(["webhook.created", "api_key.created"])
    })
  )

  it.effect("takes part in the change: what cannot be written down is not done", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const appId = yield* newApp
      const [applications, credentials, webhooks] = [
        yield* ApplicationStore,
        yield* CredentialStore,
        yield* WebhookStore
      ]
      const webhookId = uuidv7() as WebhookId
      const keys = [newKey("secret"), newKey("secret")]
      for (const key of keys) yield* applications.createKey(appId, key)
      yield* webhooks.create(appId, webhookId, WEBHOOK)
      yield* sql`ALTER TABLE audit_log RENAME TO audit_log_away`
      const failures = [
        yield* Effect.flip(applications.createKey(appId, newKey("public"))),
        yield* Effect.flip(applications.revokeKey(appId, keys[0]!.id)),
        yield* Effect.flip(applications.update(appId, { name: "Renamed" })),
        yield* Effect.flip(applications.setIdentitySecret(appId, "new", 0)),
        yield* Effect.flip(credentials.put(appId, { kind: "smtp", value: { url: "smtp://a", from: "a@example.com" } })),
        yield* Effect.flip(webhooks.update(appId, webhookId, { name: "Renamed" })),
        yield* Effect.flip(webhooks.remove(appId, webhookId))
      ]
      yield* sql`ALTER TABLE audit_log_away RENAME TO audit_log`
      for (const failure of failures) expect(failure._tag).toBe("StoreError")
      expect((yield* applications.keys(appId, null, 10)).items.map(({ id }) => id)).toEqual(
        keys.map(({ id }) => id).toSorted()
      )
      expect(Option.map(yield* applications.find(appId), ({ name }) => name)).toEqual(Option.some("An application"))
      expect(yield* credentials.summaries(appId)).toEqual([])
      expect(Option.map(yield* webhooks.find(appId, webhookId), ({ name }) => name)).toEqual(Option.some("Orders"))
    })
  )

  it.effect("is read page by page, newest first, and by its own application alone", () =>
    Effect.gen(function* () {
      const [mine, other] = [yield* newApp, yield* newApp]
      const applications = yield* ApplicationStore
      const log = yield* AuditLog
      for (const name of ["1", "2", "3", "4", "5"]) yield* applications.update(mine, { name })
      yield* applications.update(other, { name: "theirs" })
      const first = yield* log.list(mine, null, 3)
      const second = yield* log.list(mine, first.next, 3)
      const all = [...first.items, ...second.items]
      expect(all.map(({ details }) => details["name"]).toSorted()).toEqual(["1", "2", "3", "4", "5"])
      expect(all.map(({ id }) => id)).toEqual(
        all
          .map(({ id }) => id)
          .toSorted()
          .toReversed()
      )
      expect([first.items.length, second.next]).toEqual([3, null])
      expect(first.items[0]).toMatchObject({ actorKind: "system", actorId: null })
    })
  )

  it.effect("is read in the order in which it was written, of one millisecond as well", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const appId = yield* newApp
      const places = Array.from({ length: 30 }, (_, place) => place)
      const at = Date.now()
      const goBack = goBy(() => at)
      yield* asKey(Effect.forEach(places, (place) => record(sql, appId, "application.changed", appId, { place }))).pipe(
        Effect.ensuring(Effect.sync(goBack))
      )
      const entries = yield* entriesOf(appId)
      expect(entries.map(({ details }) => details["place"])).toEqual(places.toReversed())
    })
  )

  it.effect("is filtered by who, what, of what and when, and names a person for as long as there is an account", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const appId = yield* newApp
      const [applications, log] = [yield* ApplicationStore, yield* AuditLog]
      const [account, key] = [uuidv7(), newKey("secret")]
      yield* joins(appId, account, "ada@example.com")
      const asAda = Effect.provideService(CurrentActor, { kind: "user" as const, id: account })
      yield* applications.createKey(appId, key).pipe(asAda)
      yield* asKey(applications.update(appId, { name: "Renamed" }))
      yield* applications.update(appId, { name: "Again" }).pipe(asAda)
      const list = Effect.fnUntraced(function* (filter: Partial<typeof ANY_ENTRY>) {
        const { items } = yield* log.list(appId, null, 10, { ...ANY_ENTRY, ...filter })
        // Ids of one millisecond have no order.
        return items.map(({ action, actorEmail, actorId }) => [action, actorId, actorEmail]).toSorted(byText)
      })
      const created = ["api_key.created", account, "ada@example.com"]
      const changes = [
        ["application.changed", account, "ada@example.com"],
        ["application.changed", keyId, null]
      ].toSorted(byText)
      expect(yield* list({})).toEqual([created, ...changes])
      expect(yield* list({ actorId: account })).toEqual([created, changes.find(([, actor]) => actor === account)])
      expect(yield* list({ action: "application.changed" })).toEqual(changes)
      expect(yield* list({ target: key.id })).toEqual([created])
      expect(yield* list({ actorId: keyId, action: "api_key.created" })).toEqual([])
      const [first, middle] = (yield* log.list(appId, null, 10)).items.toSorted((a, b) => a.at - b.at)
      expect(yield* list({ to: first!.at })).toEqual([])
      expect(yield* list({ from: Date.now() + 120_000 })).toEqual([])
      const spanned = (yield* log.list(appId, null, 10, { ...ANY_ENTRY, from: middle!.at })).items
      expect(spanned.every(({ at }) => at >= middle!.at)).toBe(true)
      expect(spanned.map(({ id }) => id)).toContain(middle!.id)
      yield* sql`DELETE FROM accounts WHERE id = ${account}`
      expect(yield* list({ actorId: account })).toEqual([
        ["api_key.created", account, null],
        ["application.changed", account, null]
      ])
    })
  )

  it.effect(
    "has every change of templates and segments, and each contact that was erased, and no content of them",
    () =>
      Effect.gen(function* () {
        const appId = yield* newApp
        const [contacts, segments, templates] = [yield* ContactStore, yield* SegmentStore, yield* TemplateStore]
        const body: TemplateBody = { content: { title: "A title" }, locales: {}, missing_variables: "empty" }
        yield* asKey(
          Effect.gen(function* () {
            const { id } = yield* templates.create(appId, "Welcome", body)
            yield* templates.update(appId, id, 1, "Hello", body)
            // Another has changed it since.
            yield* templates.update(appId, id, 1, "Too late", body)
            expect(yield* templates.remove(appId, id)).toBe(true)
            expect(yield* templates.remove(appId, id)).toBe(false)
            const segment = yield* segments.create(appId, { name: "Readers", filter: { tags_any: ["a-tag"] } })
            yield* segments.update(appId, segment.id, { name: "Readers" })
            yield* segments.update(appId, segment.id, { name: "Writers" })
            expect(yield* segments.remove(appId, segment.id)).toBe(true)
            expect(yield* segments.remove(appId, segment.id)).toBe(false)
            const [contact] = yield* contacts.upsert(appId, [{ external_id: "ann", email: "ann@example.com" }])
            expect(yield* contacts.remove(appId, contact!.id)).toBe(true)
            expect(yield* contacts.remove(appId, contact!.id)).toBe(false)
          })
        )
        const entries = yield* entriesOf(appId)
        expect(entries.toReversed().map(({ action, actorId, details }) => [action, actorId, details])).toEqual([
          ["template.created", keyId, { name: "Welcome" }],
          ["template.changed", keyId, { name: "Hello", version: 2 }],
          ["template.deleted", keyId, { name: "Hello" }],
          ["segment.created", keyId, { name: "Readers" }],
          ["segment.changed", keyId, { name: "Writers" }],
          ["segment.deleted", keyId, { name: "Writers" }],
          ["contact.deleted", keyId, { devices: 0 }]
        ])
        const text = JSON.stringify(entries)
        for (const content of ["A title", "a-tag", "ann"]) expect(text).not.toContain(content)
      })
  )

  const asAda = <A, E, R>(work: Effect.Effect<A, E, R>) =>
    Effect.provideService(work, CurrentActor, { kind: "user", id: ADA })

  /** One of each change of data that flows; ids of what was there before. */
  const flows = Effect.fnUntraced(function* (appId: AppId) {
    const [channels, contacts, devices, inbox] = [
      yield* ChannelStore,
      yield* ContactStore,
      yield* DeviceStore,
      yield* InboxStore
    ]
    const [device] = yield* devices.register(appId, [android("known")])
    const [contact] = yield* contacts.upsert(appId, [{ external_id: "known" }])
    const [channel] = yield* channels.upsert(appId, [{ kind: "email", address: "known@example.com" }])
    const email = { kind: "email" as const, address: "new@example.com" }
    return [
      devices.register(appId, [android("known"), android("new")]),
      devices.update(appId, device!.id, { tags: ["one"] }),
      devices.remove(appId, device!.id),
      contacts.upsert(appId, [{ external_id: "known", locale: "de" }, { external_id: "new" }]),
      contacts.tag(appId, ["known", "nobody"], { add: ["one"] }),
      contacts.update(appId, contact!.id, { locale: null }),
      contacts.prefer(appId, contact!.id, { push: false }),
      channels.upsert(appId, [email, { ...email, user_id: "known" }]),
      channels.ensureInbox(appId, "known"),
      channels.subscribe(appId, channel!.id, false),
      channels.remove(appId, channel!.id),
      inbox.post(appId, { user_ids: ["known", "another"], title: "A title" })
    ] as ReadonlyArray<Effect.Effect<unknown, StoreError>>
  })
  const FLOWN = [
    ["channel.changed", {}],
    ["channel.changed", { status: "unsubscribed" }],
    ["channel.created", {}],
    ["channel.created", {}],
    ["channel.deleted", {}],
    ["contact.changed", { fields: ["locale"] }],
    ["contact.changed", { fields: ["locale"] }],
    ["contact.changed", { fields: ["preferences"] }],
    ["contact.changed", { fields: ["tags"] }],
    ["contact.created", { fields: [] }],
    ["device.changed", { fields: ["tags"] }],
    ["device.deleted", {}],
    ["device.registered", { platform: "android", created: false }],
    ["device.registered", { platform: "android", created: true }],
    ["inbox_messages.posted", { messages: 2 }]
  ]

  it.effect("has each change that a person makes of data, and none of those that keys make by the million", () =>
    Effect.gen(function* () {
      const [appId, other] = [yield* newApp, yield* newApp]
      yield* joins(appId, ADA, "lovelace@example.com")
      for (const change of yield* flows(appId)) yield* asAda(change)
      const entries = yield* entriesOf(appId)
      expect(entries.map(({ action, details }) => [action, details]).toSorted(byText)).toEqual(FLOWN.toSorted(byText))
      for (const { actorId, actorKind } of entries) expect([actorKind, actorId]).toEqual(["user", ADA])
      const sql = yield* SqlClient.SqlClient
      const targets = new Set(entries.flatMap(({ target }) => target ?? []))
      const [contact] = yield* sql<{ readonly id: string }>`
        SELECT id FROM contacts WHERE app_id = ${appId} AND external_id = 'known'`
      expect(targets.has(contact!.id)).toBe(true)
      for (const change of yield* flows(other)) yield* asKey(change)
      expect(yield* entriesOf(other)).toEqual([])
    })
  )

  it.effect("takes part in what a person changes, and is not in the way of a key", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const appId = yield* newApp
      yield* joins(appId, ADA, "lovelace@example.com")
      const changes = yield* flows(appId)
      const rows = (name: string) =>
        Effect.map(sql`SELECT * FROM ${sql.literal(name)} WHERE app_id = ${appId} ORDER BY id`, (all) =>
          JSON.stringify(all)
        )
      const tables = ["devices", "contacts", "channels", "inbox_messages", "notifications"]
      const before = yield* Effect.all(tables.map(rows))
      const named = { ...draft(appId), request: { ...HELLO, to: { user_ids: ["known"] } } }
      const send = Effect.flatMap(NotificationStore, (store) => store.accept(named))
      yield* sql`ALTER TABLE audit_log RENAME TO audit_log_away`
      const failures = yield* Effect.all([...changes, send].map((change) => Effect.flip(asAda(change))))
      const after = yield* Effect.all(tables.map(rows))
      for (const change of [...changes, send]) yield* asKey(change)
      yield* sql`ALTER TABLE audit_log_away RENAME TO audit_log`
      expect(new Set(failures.map(({ _tag }) => _tag))).toEqual(new Set(["StoreError"]))
      expect(after).toEqual(before)
    })
  )

  it.effect("has whatever a person sends, and of keys the mailings, if they were accepted", () =>
    Effect.gen(function* () {
      const appId = yield* newApp
      yield* joins(appId, ADA, "lovelace@example.com")
      const [devices, keys, notifications] = [yield* DeviceStore, yield* IdempotencyStore, yield* NotificationStore]
      const [device] = yield* devices.register(appId, [android("one")])
      const sent = (request: KeptRequest, more: Partial<NewNotification> = {}) => {
        const notification = { ...draft(appId), request, ...more }
        return Effect.as(notifications.accept(notification), notification.id)
      }
      const toDevice = (id: string) => {
        const only = { id, batch: uuidv7() as BatchId, lease: null }
        const request = { ...HELLO, to: { device_ids: [id as DeviceId] } }
        const notification = { ...draft(appId), request }
        return Effect.as(notifications.acceptForDevice(notification, only), notification.id)
      }
      const toUser = (userId: string) => {
        const notification = { ...draft(appId), request: { ...HELLO, to: { user_ids: [userId] } } }
        return Effect.as(notifications.acceptForUsers(notification, { ids: [userId], lease: null }), notification.id)
      }
      const [segment, template] = [uuidv7() as SegmentId, uuidv7() as TemplateId]
      const at = Date.parse("2030-01-02T03:04:05.000Z")
      const toSegment = {
        ...HELLO,
        to: { segment_id: segment, filter: { tags_any: ["a-tag"] } },
        template_id: template
      }
      const mailings = [
        yield* asKey(sent(HELLO)),
        yield* asKey(sent({ ...HELLO, to: { tags_any: ["a-tag"], platforms: ["ios"] } })),
        yield* asKey(sent(toSegment, { sendAt: at }))
      ]
      for (const to of [
        { user_ids: ["ann"] },
        { emails: ["ann@example.com"] },
        { channel_ids: [uuidv7() as ChannelId] }
      ])
        yield* asKey(sent({ ...HELLO, to }))
      yield* asKey(toDevice(device!.id))
      const byAda = [
        yield* asAda(sent({ ...HELLO, to: { user_ids: ["ann"] } })),
        yield* asAda(toDevice(device!.id)),
        yield* asAda(sent(HELLO)),
        yield* asAda(toUser("ann"))
      ]
      yield* asKey(toUser("ann"))
      // Not sent: no such device, and a key of repetitions that another request has.
      yield* asAda(toDevice(uuidv7()))
      const claim = { appId, route: "POST /api/v1/notifications", key: "taken", holder: uuidv7() }
      yield* keys.begin(claim, new Uint8Array(32), 60_000)
      const settlement = (holder: string) => ({
        claim: { ...claim, holder },
        answer: { status: 202, body: "{}", location: null }
      })
      yield* Effect.flip(asKey(sent(HELLO, { settlement: settlement(uuidv7()) })))
      const kept = yield* asKey(sent(HELLO, { settlement: settlement(claim.holder) }))
      const entries = yield* entriesOf(appId)
      expect(new Set(entries.map(({ action }) => action))).toEqual(new Set(["notification.created"]))
      const shown = entries.map(({ actorId, details, target }) => [target, actorId, details])
      expect(shown.toSorted(byText)).toEqual(
        [
          [mailings[0], keyId, { to: ["all"] }],
          [mailings[1], keyId, { to: ["tags_any", "platforms"] }],
          [
            mailings[2],
            keyId,
            {
              to: ["segment_id"],
              segment_id: segment,
              template_id: template,
              send_at: "2030-01-02T03:04:05.000Z"
            }
          ],
          [byAda[0], ADA, { to: ["user_ids"] }],
          [byAda[1], ADA, { to: ["device_ids"] }],
          [byAda[2], ADA, { to: ["all"] }],
          [byAda[3], ADA, { to: ["user_ids"] }],
          [kept, keyId, { to: ["all"] }]
        ].toSorted(byText)
      )
    })
  )
})
