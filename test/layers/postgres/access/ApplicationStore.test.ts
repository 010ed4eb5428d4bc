import { expect, layer } from "@effect/vitest"
import { Effect, Layer, Option } from "effect"
import { SqlClient } from "effect/sql"
import { hash, randomBytes } from "node:crypto"
import type { ApiKeyId, AppId, OrganizationId } from "../../../../services/domain/Ids.ts"
import { uuidv7 } from "../../../../services/ports/NewId.ts"
import { KEYS_PER_APPLICATION } from "../../../../services/domain/access/Application.ts"
import { ApplicationStore } from "../../../../services/ports/access/ApplicationStore.ts"
import * as SecretBox from "../../../../layers/crypto/SecretBox.ts"
import * as LiveApplicationStore from "../../../../layers/postgres/access/ApplicationStore.ts"
import { testDatabase } from "../../../Database.ts"

const live = LiveApplicationStore.layer.pipe(
  Layer.provide(SecretBox.layerOf(randomBytes(32))),
  Layer.provideMerge(testDatabase())
)

const sha256 = (text: string) => new Uint8Array(hash("sha256", text, "buffer"))
const newApplication = (name: string) => {
  const id = uuidv7() as AppId
  const key = (kind: "secret" | "public") => ({
    id: uuidv7() as ApiKeyId,
    kind,
    name: `The ${kind} key`,
    hash: sha256(`${kind} ${id}`),
    hint: kind
  })
  return {
    id,
    organizationId: uuidv7() as OrganizationId,
    name,
    identitySecret: `identity of ${name}`,
    keys: [key("secret"), key("public")]
  }
}

layer(live)("ApplicationStore", (it) => {
  it.effect("makes the very first application once, however many nodes start at the same time", () =>
    Effect.gen(function* () {
      const store = yield* ApplicationStore
      const made = yield* Effect.forEach(["a", "b", "c", "d", "e"], (name) => store.createFirst(newApplication(name)), {
        concurrency: "unbounded"
      })
      expect(made.filter(Option.isSome).length).toBe(1)
      expect(yield* store.count).toBe(1)
    })
  )

  it.effect("makes one organization, however many first applications are made at once", () =>
    Effect.gen(function* () {
      const store = yield* ApplicationStore
      const made = yield* Effect.forEach(["a", "b", "c", "d", "e"], (name) => store.create(newApplication(name)), {
        concurrency: "unbounded"
      })
      expect(new Set(made.map(({ organizationId }) => organizationId)).size).toBe(1)
      expect(made.every(({ identityVerification }) => identityVerification)).toBe(true)
      expect(yield* store.count).toBe(6)
    })
  )

  it.effect("writes every application into the log of its organization, and the organization itself once", () =>
    Effect.gen(function* () {
      const [store, sql] = [yield* ApplicationStore, yield* SqlClient.SqlClient]
      const made = yield* store.create(newApplication("by an operator"))
      const entries = yield* sql<{ action: string; target: string }>`
        SELECT action, target FROM people_log WHERE organization_id = ${made.organizationId}`
      expect(entries).toContainEqual({ action: "application.created", target: made.id })
      expect(entries.filter(({ action }) => action === "organization.created")).toEqual([
        { action: "organization.created", target: made.organizationId }
      ])
    })
  )

  it.effect("finds what was made, and nothing under another id", () =>
    Effect.gen(function* () {
      const store = yield* ApplicationStore
      const application = newApplication("Bücher & Söhne")
      const made = yield* store.create(application)
      expect(yield* store.find(made.id)).toEqual(Option.some(made))
      expect(made.name).toBe("Bücher & Söhne")
      expect(yield* store.find(uuidv7() as AppId)).toEqual(Option.none())
    })
  )

  it.effect("keeps the identity secret sealed and opens it for its own row only", () =>
    Effect.gen(function* () {
      const store = yield* ApplicationStore
      const sql = yield* SqlClient.SqlClient
      const [one, other] = [newApplication("one"), newApplication("other")]
      yield* store.create(one)
      yield* store.create(other)
      expect(yield* store.identitySecrets(one.id)).toEqual(["identity of one"])
      const [row] = yield* sql<{ text: string }>`
        SELECT encode(identity_secret, 'escape') AS text FROM applications WHERE id = ${one.id}`
      expect(row!.text).not.toContain("identity of one")
      yield* sql`UPDATE applications SET identity_secret = (SELECT identity_secret FROM applications WHERE id = ${one.id}) WHERE id = ${other.id}`
      const error = yield* Effect.flip(store.identitySecrets(other.id))
      expect(error).toMatchObject({ _tag: "StoreError", operation: "ApplicationStore.identitySecrets" })
      expect(error.cause).toMatchObject({ _tag: "SecretUnreadable" })
    })
  )

  it.effect("finds a key by its hash until it is revoked", () =>
    Effect.gen(function* () {
      const store = yield* ApplicationStore
      const sql = yield* SqlClient.SqlClient
      const application = newApplication("keys")
      yield* store.create(application)
      const [secret] = application.keys
      expect(yield* store.findKey(secret!.hash)).toEqual(
        Option.some({ id: secret!.id, appId: application.id, kind: "secret" })
      )
      yield* sql`UPDATE api_keys SET revoked_at = now() WHERE id = ${secret!.id}`
      expect(yield* store.findKey(secret!.hash)).toEqual(Option.none())
      expect(yield* store.findKey(sha256("never made"))).toEqual(Option.none())
    })
  )

  it.effect("finds each of many keys that are looked up at the same time, and none that is not there", () =>
    Effect.gen(function* () {
      const store = yield* ApplicationStore
      const applications = yield* Effect.forEach(Array.from({ length: 20 }), () => {
        const application = newApplication("one of many")
        return Effect.as(store.create(application), application)
      })
      const wanted = applications.flatMap(({ id, keys }) => keys.map((key) => ({ ...key, appId: id })))
      const found = yield* Effect.forEach(
        Array.from({ length: 1500 }, (_, i) => i),
        (i) => (i % 3 === 0 ? store.findKey(sha256(`made up ${i}`)) : store.findKey(wanted[i % wanted.length]!.hash)),
        { concurrency: "unbounded" }
      )
      found.forEach((one, i) => {
        const { appId, id, kind } = wanted[i % wanted.length]!
        expect(one).toEqual(i % 3 === 0 ? Option.none() : Option.some({ id, appId, kind }))
      })
    })
  )

  it.effect("writes nothing of an application whose keys cannot be written", () =>
    Effect.gen(function* () {
      const store = yield* ApplicationStore
      const first = newApplication("first")
      yield* store.create(first)
      const second = { ...newApplication("second"), keys: first.keys }
      expect(yield* Effect.flip(store.create(second))).toMatchObject({ _tag: "StoreError" })
      expect(yield* store.find(second.id)).toEqual(Option.none())
    })
  )

  it.effect("lists the keys that are good, by page, and revokes one for its own application alone", () =>
    Effect.gen(function* () {
      const store = yield* ApplicationStore
      const [one, other] = [newApplication("one"), newApplication("other")]
      yield* store.create(one)
      yield* store.create(other)
      const more = yield* store.createKey(one.id, { ...newApplication("x").keys[0]!, name: "A second" })
      const first = yield* store.keys(one.id, null, 2)
      const second = yield* store.keys(one.id, first.next, 2)
      // Keys of one millisecond stand in no order.
      expect([...first.items, ...second.items].map(({ name }) => name).toSorted()).toEqual([
        "A second",
        "The public key",
        "The secret key"
      ])
      expect(more).toMatchObject({ appId: one.id, hint: "secret", lastUsedAt: null })
      expect(yield* store.revokeKey(other.id, more.id)).toBe(false)
      expect(yield* store.revokeKey(one.id, more.id)).toBe(true)
      expect(yield* store.revokeKey(one.id, more.id)).toBe(false)
      expect((yield* store.keys(one.id, null, 10)).items.length).toBe(2)
    })
  )

  it.effect("keeps the last secret key, however many are revoked at the same time", () =>
    Effect.gen(function* () {
      const store = yield* ApplicationStore
      const application = newApplication("last")
      yield* store.create(application)
      const made = yield* Effect.forEach([1, 2, 3], () => store.createKey(application.id, newApplication("x").keys[0]!))
      const ids = [application.keys[0]!.id, ...made.map(({ id }) => id)]
      const results = yield* Effect.forEach(ids, (id) => Effect.result(store.revokeKey(application.id, id)), {
        concurrency: "unbounded"
      })
      expect(results.filter(({ _tag }) => _tag === "Success").length).toBe(3)
      expect(results.find(({ _tag }) => _tag === "Failure")).toMatchObject({ failure: { _tag: "LastSecretKey" } })
      // A public key is nobody's only way in.
      expect(yield* store.revokeKey(application.id, application.keys[1]!.id)).toBe(true)
    })
  )

  it.effect("makes no more keys than an application may have, also at the same time", () =>
    Effect.gen(function* () {
      const store = yield* ApplicationStore
      const application = newApplication("many")
      yield* store.create(application)
      const results = yield* Effect.forEach(
        Array.from({ length: KEYS_PER_APPLICATION }, () => newApplication("x").keys[0]!),
        (key) => Effect.result(store.createKey(application.id, key)),
        { concurrency: 10 }
      )
      const refused = results.filter(({ _tag }) => _tag === "Failure")
      expect(refused.length).toBe(2)
      expect(refused[0]).toMatchObject({ failure: { _tag: "TooManyKeys", limit: KEYS_PER_APPLICATION } })
    })
  )

  it.effect("notes when keys were used", () =>
    Effect.gen(function* () {
      const store = yield* ApplicationStore
      const application = newApplication("used")
      yield* store.create(application)
      yield* store.touchKeys([application.keys[1]!.id])
      const { items } = yield* store.keys(application.id, null, 10)
      expect(items.filter(({ lastUsedAt }) => lastUsedAt !== null).map(({ kind }) => kind)).toEqual(["public"])
    })
  )

  it.effect("changes only the options that are given", () =>
    Effect.gen(function* () {
      const store = yield* ApplicationStore
      const made = yield* store.create(newApplication("options"))
      expect(yield* store.update(made.id, { identity_verification: false })).toEqual(
        Option.some({ ...made, identityVerification: false })
      )
      expect(yield* store.update(made.id, { name: "Renamed" })).toEqual(
        Option.some({ ...made, identityVerification: false, name: "Renamed" })
      )
      expect(yield* store.update(made.id, {})).toEqual(yield* store.find(made.id))
      expect(yield* store.update(uuidv7() as AppId, { name: "x" })).toEqual(Option.none())
    })
  )

  it.effect("replaces the identity secret at once, or lets the one before it overlap, and never one before that", () =>
    Effect.gen(function* () {
      const store = yield* ApplicationStore
      const sql = yield* SqlClient.SqlClient
      const { id } = yield* store.create(newApplication("rotates"))
      const overlapping = yield* store.setIdentitySecret(id, "second", 60_000)
      expect(Option.getOrThrow(overlapping).formerIdentityUntil).toBeGreaterThan(0)
      expect(yield* store.identitySecrets(id)).toEqual(["second", "identity of rotates"])
      yield* store.setIdentitySecret(id, "third", 60_000)
      expect(yield* store.identitySecrets(id)).toEqual(["third", "second"])
      yield* sql`UPDATE applications SET former_identity_until = now() WHERE id = ${id}`
      expect(yield* store.identitySecrets(id)).toEqual(["third"])
      const replaced = yield* store.setIdentitySecret(id, "fourth", 0)
      expect(Option.getOrThrow(replaced).formerIdentityUntil).toBe(null)
      expect(yield* store.identitySecrets(id)).toEqual(["fourth"])
      expect(yield* store.setIdentitySecret(uuidv7() as AppId, "x", 0)).toEqual(Option.none())
      expect(yield* store.identitySecrets(uuidv7() as AppId)).toEqual([])
    })
  )
})
