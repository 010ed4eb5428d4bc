import { expect, layer } from "@effect/vitest"
import { Effect, Layer, Option } from "effect"
import { SqlClient } from "effect/sql"
import { hash, randomBytes } from "node:crypto"
import type { ApiKeyId, AppId, OrganizationId } from "../../../services/domain/Ids.ts"
import { uuidv7 } from "../../../services/domain/Ids.ts"
import { ApplicationStore } from "../../../services/ports/ApplicationStore.ts"
import * as SecretBox from "../../../layers/crypto/SecretBox.ts"
import * as LiveApplicationStore from "../../../layers/postgres/ApplicationStore.ts"
import { testDatabase } from "../../Database.ts"

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
      expect(yield* store.identitySecret(one.id)).toEqual(Option.some("identity of one"))
      const [row] = yield* sql<{ text: string }>`
        SELECT encode(identity_secret, 'escape') AS text FROM applications WHERE id = ${one.id}`
      expect(row!.text).not.toContain("identity of one")
      yield* sql`UPDATE applications SET identity_secret = (SELECT identity_secret FROM applications WHERE id = ${one.id}) WHERE id = ${other.id}`
      const error = yield* Effect.flip(store.identitySecret(other.id))
      expect(error).toMatchObject({ _tag: "StoreError", operation: "ApplicationStore.identitySecret" })
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
})
