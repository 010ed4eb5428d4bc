import { expect, layer } from "@effect/vitest"
import { Effect, Layer, Option } from "effect"
import { SqlClient } from "effect/sql"
import { randomBytes } from "node:crypto"
import type { CredentialConfig } from "../../../../services/domain/sending/Credential.ts"
import type { AppId, OrganizationId } from "../../../../services/domain/Ids.ts"
import { uuidv7 } from "../../../../services/ports/NewId.ts"
import { ApplicationStore } from "../../../../services/ports/access/ApplicationStore.ts"
import { CredentialStore } from "../../../../services/ports/sending/CredentialStore.ts"
import * as SecretBox from "../../../../layers/crypto/SecretBox.ts"
import * as LiveApplicationStore from "../../../../layers/postgres/access/ApplicationStore.ts"
import * as LiveCredentialStore from "../../../../layers/postgres/sending/CredentialStore.ts"
import { testDatabase } from "../../../Database.ts"

const live = Layer.merge(LiveCredentialStore.layer, LiveApplicationStore.layer).pipe(
  Layer.provide(SecretBox.layerOf(randomBytes(32))),
  Layer.provideMerge(testDatabase())
)

const PEM = "-----BEGIN PRIVATE KEY-----\nc2VjcmV0IGtleQ==\n-----END PRIVATE KEY-----"
const apns: CredentialConfig = {
  kind: "apns",
  value: { team_id: "TEAM012345", key_id: "KEY0123456", private_key: PEM, bundle_id: "com.example.app" }
}
const all: ReadonlyArray<CredentialConfig> = [
  apns,
  {
    kind: "fcm",
    value: {
      service_account: { project_id: "p", client_email: "a@p.example", private_key: PEM, private_key_id: "hidden-id" },
      endpoint: "https://fcm.example"
    }
  },
  { kind: "smtp", value: { url: "smtps://user:pass%20word@mail.example:465", from: "Shop <shop@example.com>" } },
  { kind: "webpush", value: { subject: "mailto:a@b.example", public_key: "public-half", private_key: "private-half" } }
]

const newApp = Effect.gen(function* () {
  const applications = yield* ApplicationStore
  const id = uuidv7() as AppId
  const organizationId = uuidv7() as OrganizationId
  yield* applications.create({ id, organizationId, name: "app", identitySecret: "s", keys: [] })
  return id
})

layer(live)("CredentialStore", (it) => {
  it.effect("gives back every kind of credential as it was put", () =>
    Effect.gen(function* () {
      const store = yield* CredentialStore
      const appId = yield* newApp
      for (const config of all) yield* store.put(appId, config)
      for (const config of all) {
        expect(yield* store.find(appId, config.kind)).toEqual(
          Option.some({ appId, version: expect.any(Number), config, suspendedReason: null })
        )
      }
    })
  )

  it.effect("shows what was set, and neither shows nor stores a secret in the clear", () =>
    Effect.gen(function* () {
      const store = yield* CredentialStore
      const sql = yield* SqlClient.SqlClient
      const appId = yield* newApp
      for (const config of all) yield* store.put(appId, config)
      const shown = yield* store.summaries(appId)
      expect(shown.map(({ kind, settings }) => [kind, settings])).toEqual([
        ["apns", { team_id: "TEAM012345", key_id: "KEY0123456", bundle_id: "com.example.app" }],
        ["fcm", { service_account: { project_id: "p", client_email: "a@p.example" }, endpoint: "https://fcm.example" }],
        ["smtp", { url: "smtps://user@mail.example:465", from: "Shop <shop@example.com>" }],
        ["webpush", { subject: "mailto:a@b.example", public_key: "public-half" }]
      ])
      const rows = yield* sql<{ row: string }>`
        SELECT settings::text || encode(sealed, 'escape') AS row FROM credentials WHERE app_id = ${appId}`
      for (const secret of ["c2VjcmV0IGtleQ", "hidden-id", "pass%20word", "private-half"]) {
        expect(rows.filter(({ row }) => row.includes(secret))).toEqual([])
      }
    })
  )

  it.effect("does not let a late refusal of the old credential suspend the new one", () =>
    Effect.gen(function* () {
      const store = yield* CredentialStore
      const appId = yield* newApp
      const versionNow = Effect.map(store.find(appId, "apns"), (found) => Option.getOrThrow(found).version)
      yield* store.put(appId, apns)
      const first = yield* versionNow
      yield* store.suspend(appId, "apns", first, "InvalidProviderToken")
      expect(Option.getOrThrow(yield* store.find(appId, "apns")).suspendedReason).toBe("InvalidProviderToken")
      yield* store.put(appId, apns)
      const second = yield* versionNow
      expect(second).toBeGreaterThan(first)
      yield* store.suspend(appId, "apns", first, "InvalidProviderToken")
      expect(Option.getOrThrow(yield* store.find(appId, "apns")).suspendedReason).toBe(null)
      yield* store.suspend(appId, "apns", second, "ExpiredProviderToken")
      yield* store.release(appId, "apns", first)
      expect(Option.getOrThrow(yield* store.find(appId, "apns")).suspendedReason).toBe("ExpiredProviderToken")
      yield* store.release(appId, "apns", second)
      expect(Option.getOrThrow(yield* store.find(appId, "apns")).suspendedReason).toBe(null)
    })
  )

  it.effect("never gives a version twice, also when a credential is removed and set anew", () =>
    Effect.gen(function* () {
      const store = yield* CredentialStore
      const appId = yield* newApp
      yield* store.put(appId, apns)
      const before = Option.getOrThrow(yield* store.find(appId, "apns")).version
      yield* store.remove(appId, "apns")
      yield* store.put(appId, apns)
      expect(Option.getOrThrow(yield* store.find(appId, "apns")).version).toBeGreaterThan(before)
    })
  )

  for (const way of ["put", "release"] as const) {
    it.effect(`makes what was held back due at ${way}, and leaves other providers' batches alone`, () =>
      Effect.gen(function* () {
        const store = yield* CredentialStore
        const sql = yield* SqlClient.SqlClient
        const appId = yield* newApp
        const notification = uuidv7()
        yield* store.put(appId, apns)
        const { version } = Option.getOrThrow(yield* store.find(appId, "apns"))
        yield* store.suspend(appId, "apns", version, "InvalidProviderToken")
        yield* sql`
          INSERT INTO notifications (id, app_id, priority, request, expires_at)
          VALUES (${notification}, ${appId}, 'bulk', '{}', now())`
        for (const provider of ["apns", "fcm"]) {
          yield* sql`
            INSERT INTO batches (id, notification_id, app_id, provider, priority, suspended, due_at, recipients)
            VALUES (${uuidv7()}, ${notification}, ${appId}, ${provider}, 'bulk', true, now() + interval '1 hour', ${[uuidv7()]}::uuid[])`
        }
        yield* way === "put" ? store.put(appId, apns) : store.release(appId, "apns", version)
        expect(
          yield* sql`SELECT provider, suspended, due_at <= now() AS due FROM batches WHERE app_id = ${appId} ORDER BY provider`
        ).toEqual([
          { provider: "apns", suspended: false, due: true },
          { provider: "fcm", suspended: true, due: false }
        ])
      })
    )
  }

  for (const way of ["put", "hasten"] as const) {
    it.effect(`makes what waits for a provider's limit due at ${way}, and nothing else that waits`, () =>
      Effect.gen(function* () {
        const store = yield* CredentialStore
        const sql = yield* SqlClient.SqlClient
        const appId = yield* newApp
        const notification = uuidv7()
        yield* store.put(appId, apns)
        yield* sql`
          INSERT INTO notifications (id, app_id, priority, request, expires_at)
          VALUES (${notification}, ${appId}, 'bulk', '{}', now())`
        for (const [provider, slowed] of [
          ["apns", true],
          ["apns", false],
          ["fcm", true]
        ] as const) {
          yield* sql`
            INSERT INTO batches (id, notification_id, app_id, provider, priority, slowed, due_at, recipients)
            VALUES (${uuidv7()}, ${notification}, ${appId}, ${provider}, 'bulk', ${slowed}, now() + interval '1 hour', ${[uuidv7()]}::uuid[])`
        }
        yield* way === "put" ? store.put(appId, apns) : store.hasten(appId, "apns", 0)
        expect(
          yield* sql`SELECT provider, slowed, due_at <= now() AS due FROM batches WHERE app_id = ${appId} ORDER BY provider, due_at`
        ).toEqual([
          { provider: "apns", slowed: false, due: true },
          { provider: "apns", slowed: false, due: false },
          { provider: "fcm", slowed: true, due: false }
        ])
      })
    )
  }

  it.effect("makes nothing due at hasten while the version is the one that it waits for", () =>
    Effect.gen(function* () {
      const store = yield* CredentialStore
      const sql = yield* SqlClient.SqlClient
      const appId = yield* newApp
      const notification = uuidv7()
      yield* store.put(appId, apns)
      const { version } = Option.getOrThrow(yield* store.find(appId, "apns"))
      yield* sql`
        INSERT INTO notifications (id, app_id, priority, request, expires_at)
        VALUES (${notification}, ${appId}, 'bulk', '{}', now())`
      for (const [suspended, slowed] of [
        [true, false],
        [false, true]
      ] as const) {
        yield* sql`
          INSERT INTO batches (id, notification_id, app_id, provider, priority, suspended, slowed, due_at, recipients)
          VALUES (${uuidv7()}, ${notification}, ${appId}, 'apns', 'bulk', ${suspended}, ${slowed}, now() + interval '1 hour', ${[uuidv7()]}::uuid[])`
      }
      const due = sql`SELECT suspended, slowed FROM batches WHERE app_id = ${appId} AND due_at <= now() ORDER BY id`
      yield* store.hasten(appId, "apns", version)
      expect(yield* due).toEqual([])
      yield* store.hasten(appId, "apns", version - 1)
      expect(yield* due).toEqual([
        { suspended: false, slowed: false },
        { suspended: false, slowed: false }
      ])
    })
  )

  it.effect(
    "suspends a version for strangers' refusals unless it was accepted within a day, and not the one after it",
    () =>
      Effect.gen(function* () {
        const store = yield* CredentialStore
        const sql = yield* SqlClient.SqlClient
        const appId = yield* newApp
        const present = Effect.map(store.find(appId, "apns"), Option.getOrThrow)
        const suspend = (version: number) => store.suspendUnlessAccepted(appId, "apns", version, "APNs 403")
        yield* store.put(appId, apns)
        const { version: first } = yield* present
        yield* store.accepted(appId, "apns", first)
        expect(yield* suspend(first)).toBe(false)
        expect((yield* present).suspendedReason).toBe(null)
        yield* sql`UPDATE credentials SET accepted_at = now() - interval '25 hours' WHERE app_id = ${appId}`
        expect(yield* suspend(first)).toBe(true)
        expect((yield* present).suspendedReason).toBe("APNs 403")

        // What was accepted of one version says nothing of the next.
        yield* store.accepted(appId, "apns", first)
        yield* store.put(appId, apns)
        const { version: second } = yield* present
        yield* store.accepted(appId, "apns", first)
        expect(yield* suspend(first)).toBe(false)
        expect(yield* suspend(second)).toBe(true)
      })
  )

  it.effect("removes a credential once", () =>
    Effect.gen(function* () {
      const store = yield* CredentialStore
      const appId = yield* newApp
      yield* store.put(appId, apns)
      expect(yield* store.remove(appId, "apns")).toBe(true)
      expect(yield* store.remove(appId, "apns")).toBe(false)
      expect(yield* store.find(appId, "apns")).toEqual(Option.none())
    })
  )

  it.effect("tells which credentials of all applications can be read, and which are refused", () =>
    Effect.gen(function* () {
      const store = yield* CredentialStore
      const sql = yield* SqlClient.SqlClient
      const [good, bad] = [yield* newApp, yield* newApp]
      yield* store.put(good, apns)
      yield* store.put(bad, apns)
      const { version } = Option.getOrThrow(yield* store.find(good, "apns"))
      yield* store.suspend(good, "apns", version, "InvalidProviderToken")
      yield* sql`UPDATE credentials SET sealed = ${new Uint8Array(64)} WHERE app_id = ${bad}`
      const health = (yield* store.health).filter(({ appId }) => appId === good || appId === bad)
      expect(health).toEqual(
        [
          { appId: good, kind: "apns", suspendedReason: "InvalidProviderToken", isReadable: true },
          { appId: bad, kind: "apns", suspendedReason: null, isReadable: false }
        ].sort((a, b) => (a.appId < b.appId ? -1 : 1))
      )
    })
  )
})
