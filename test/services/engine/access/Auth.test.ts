import { assert, layer } from "@effect/vitest"
import { Effect, Fiber, Latch, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { randomBytes } from "node:crypto"
import { layer as keysLayer } from "../../../../layers/crypto/Keys.ts"
import * as SecretBox from "../../../../layers/crypto/SecretBox.ts"
import * as Applications from "../../../../layers/postgres/access/ApplicationStore.ts"
import type { KeyKind } from "../../../../services/domain/access/Application.ts"
import type { ApiKeyId, AppId } from "../../../../services/domain/Ids.ts"
import { uuidv7 } from "../../../../services/ports/NewId.ts"
import { draftKey } from "../../../../services/engine/access/ApiKeys.ts"
import { createApplication } from "../../../../services/engine/access/Applications.ts"
import type { Caller } from "../../../../services/engine/access/Auth.ts"
import { Auth } from "../../../../services/engine/access/Auth.ts"
import { ApplicationStore } from "../../../../services/ports/access/ApplicationStore.ts"
import { Keys } from "../../../../services/ports/access/Keys.ts"
import { testDatabase } from "../../../Database.ts"
import { Outage } from "../../../doubles/Outage.ts"

const live = Applications.layer.pipe(
  Layer.provideMerge(Layer.mergeAll(testDatabase(), SecretBox.layerOf(randomBytes(32)), keysLayer))
)

/** A node over the store that all tests share. */
const node = Effect.gen(function* () {
  const outage = new Outage()
  const store = outage.over(ApplicationStore, Layer.succeed(ApplicationStore, yield* ApplicationStore))
  const context = yield* Layer.build(Layer.fresh(Auth.layer).pipe(Layer.provide(store)))
  return { auth: yield* Effect.provideContext(Auth, context), outage }
})

/** A node, and an application of the test's own. */
const setUp = Effect.gen(function* () {
  const { auth, outage } = yield* node
  const [store, keys] = [yield* ApplicationStore, yield* Keys]
  const { appId, identitySecret } = yield* createApplication("An application")
  const keep = (kind: KeyKind, { kept, text } = draftKey(keys, kind, "A key")) =>
    Effect.as(store.createKey(appId, kept), { id: kept.id, text, revoke: store.revokeKey(appId, kept.id) })
  const queries = () => outage.count("ApplicationStore.findKey")
  const setIdentity = (identity_verification: boolean) => store.update(appId, { identity_verification })
  return { auth, outage, store, keys, appId, identitySecret, keep, queries, setIdentity }
})

layer(live)("authenticate", (it) => {
  it.effect("lets a revoked key in for less than a second more", () =>
    Effect.gen(function* () {
      const { auth, keep } = yield* setUp
      const key = yield* keep("secret")
      const attempt = Effect.result(auth.authenticate(`ApiKey ${key.text}`, "secret"))
      assert.strictEqual((yield* attempt)._tag, "Success")
      // Held by a stream that began while the key was remembered, and asked again from time to time.
      const held = Effect.result(auth.authenticate(`ApiKey ${key.text}`, "secret"))
      yield* key.revoke
      yield* TestClock.adjust("999 millis")
      for (const result of [yield* attempt, yield* held]) {
        assert.strictEqual(result._tag === "Failure" && result.failure._tag, "Unauthorized")
      }
    })
  )

  it.effect("goes by how much time went by when the service's clock is set back", () =>
    Effect.gen(function* () {
      const { auth, keep, appId, setIdentity } = yield* setUp
      const key = yield* keep("secret")
      const attempt = Effect.result(auth.authenticate(`ApiKey ${key.text}`, "secret"))
      const caller: Caller = { keyId: uuidv7() as ApiKeyId, appId, kind: "public" }
      const claim = Effect.result(auth.verifyIdentity(caller, "u", undefined))
      yield* setIdentity(false)
      assert.strictEqual((yield* attempt)._tag, "Success")
      assert.strictEqual((yield* claim)._tag, "Success")
      yield* key.revoke
      yield* setIdentity(true)
      yield* TestClock.setTime(-3_600_000)
      yield* TestClock.adjust("999 millis")
      assert.isNull(auth.recall(`ApiKey ${key.text}`, "secret"))
      assert.strictEqual((yield* attempt)._tag, "Failure")
      assert.strictEqual((yield* claim)._tag, "Failure")
    })
  )

  it.effect("does not remember for longer that there was no such key", () =>
    Effect.gen(function* () {
      const { auth, keys, keep, queries } = yield* setUp
      const draft = draftKey(keys, "secret", "A key")
      const { text } = draft
      const attempt = Effect.result(auth.authenticate(`ApiKey ${text}`, "secret"))
      assert.strictEqual((yield* attempt)._tag, "Failure")
      const before = queries()
      assert.strictEqual((yield* attempt)._tag, "Failure")
      assert.strictEqual(queries(), before)
      yield* keep("secret", draft)
      yield* TestClock.adjust("1 second")
      assert.strictEqual((yield* attempt)._tag, "Success")
    })
  )

  it.effect("refuses what is no key, or has a wrong checksum, without asking the database", () =>
    Effect.gen(function* () {
      const { auth, keep, queries } = yield* setUp
      const { text } = yield* keep("secret")
      const other = text.at(-1) === "A" ? "B" : "A"
      const wrong = [
        text.slice(0, -1) + other,
        `${text}A`,
        text.slice(0, -1),
        text.replace("sk_", "pk_"),
        "sk_",
        "x",
        ""
      ]
      for (const key of wrong) {
        for (const surface of ["secret", "public"] as const) {
          const refused = yield* Effect.flip(auth.authenticate(`ApiKey ${key}`, surface))
          assert.strictEqual(refused._tag, "Unauthorized", key)
        }
      }
      assert.strictEqual(queries(), 0)
    })
  )

  it.effect("says apart what is a mistyped or cut off key, and what is no key", () =>
    Effect.gen(function* () {
      const { auth, keep, queries } = yield* setUp
      const { text } = yield* keep("secret")
      const messageOf = (header: string) =>
        Effect.map(Effect.flip(auth.authenticate(header, "secret")), (refused) =>
          refused._tag === "Unauthorized" ? refused.message : refused._tag
        )
      const letter = text.at(10) === "A" ? "B" : "A"
      for (const key of [`${text.slice(0, 10)}${letter}${text.slice(11)}`, text.slice(0, -3), `${text}x`, "sk_"])
        assert.include(yield* messageOf(`ApiKey ${key}`), "mistyped or cut off", key)
      for (const header of ["ApiKey x", "Basic dXNlcjpwYXNz", text])
        assert.include(yield* messageOf(header), "holds no API key", header)
      assert.strictEqual(queries(), 0)
    })
  )

  it.effect("refuses within a second on every node what was revoked on one", () =>
    Effect.gen(function* () {
      const { auth, keep } = yield* setUp
      const [key, spare] = [yield* keep("secret"), yield* keep("secret")]
      const nodes = [auth, (yield* node).auth]
      const attempt = (text: string) =>
        Effect.forEach(nodes, (node) =>
          Effect.map(Effect.result(node.authenticate(`ApiKey ${text}`, "secret")), ({ _tag }) => _tag)
        )
      assert.deepStrictEqual(yield* attempt(key.text), ["Success", "Success"])
      assert.isTrue(yield* key.revoke)
      yield* TestClock.adjust("999 millis")
      assert.deepStrictEqual(yield* attempt(key.text), ["Failure", "Failure"])
      assert.deepStrictEqual(yield* attempt(spare.text), ["Success", "Success"])
    })
  )

  it.effect("writes down once a minute which keys are in use, good ones alone", () =>
    Effect.gen(function* () {
      const { auth, keep, keys, outage } = yield* setUp
      const sql = yield* SqlClient.SqlClient
      const [used, unused] = [yield* keep("secret"), yield* keep("public")]
      const touched = () => outage.calls.filter(({ operation }) => operation === "ApplicationStore.touchKeys")
      const isUsed = (id: ApiKeyId) =>
        Effect.map(
          sql`SELECT 1 FROM api_keys WHERE id = ${id} AND last_used_at IS NOT NULL`,
          (rows) => rows.length === 1
        )
      const minute = TestClock.adjust("1 minute")
      for (let request = 0; request < 100; request++) yield* auth.authenticate(`ApiKey ${used.text}`, "secret")
      yield* Effect.flip(auth.authenticate(`ApiKey ${keys.generate("secret")}`, "secret"))
      assert.deepStrictEqual(touched(), [])
      yield* minute
      assert.deepStrictEqual(
        touched().map(({ given }) => given),
        [[[used.id]]]
      )
      yield* Effect.repeat(isUsed(used.id), { until: (is) => is })
      assert.isFalse(yield* isUsed(unused.id))
      yield* TestClock.adjust("10 minutes")
      assert.strictEqual(touched().length, 1)
      yield* auth.authenticate(`Public ${unused.text}`, "public")
      // The next minute is counted from when the database has answered, which this test does not see.
      yield* Effect.repeat(Effect.andThen(minute, isUsed(unused.id)), { until: (is) => is })
      assert.strictEqual(touched().length, 2)
    })
  )

  it.effect("asks the database once for many requests with one key", () =>
    Effect.gen(function* () {
      const { auth, keep, outage, queries } = yield* setUp
      const key = yield* keep("public")
      const answer = yield* Latch.make(false)
      outage.before = () => answer.await
      const requests = yield* Effect.forkChild(
        Effect.all(
          Array.from({ length: 500 }, () => auth.authenticate(`Public ${key.text}`, "public")),
          { concurrency: "unbounded" }
        )
      )
      yield* Effect.yieldNow
      yield* answer.open
      assert.strictEqual((yield* Fiber.join(requests)).length, 500)
      assert.strictEqual(queries(), 1)
    })
  )

  it.effect("is not spoilt for others by one request that gives up", () =>
    Effect.gen(function* () {
      const { auth, keep, outage, queries } = yield* setUp
      const key = yield* keep("secret")
      const answer = yield* Latch.make(false)
      outage.before = () => answer.await
      const impatient = yield* Effect.forkChild(auth.authenticate(`ApiKey ${key.text}`, "secret"))
      const patient = yield* Effect.forkChild(auth.authenticate(`ApiKey ${key.text}`, "secret"))
      yield* Effect.yieldNow
      yield* Fiber.interrupt(impatient)
      yield* answer.open
      assert.strictEqual((yield* Fiber.join(patient)).kind, "secret")
      assert.strictEqual(queries(), 1)
    })
  )

  it.effect("does not remember an outage", () =>
    Effect.gen(function* () {
      const { auth, outage, keep } = yield* setUp
      const key = yield* keep("secret")
      outage.isDown = true
      const result = yield* Effect.result(auth.authenticate(`ApiKey ${key.text}`, "secret"))
      assert.strictEqual(result._tag === "Failure" && result.failure._tag, "StoreError")
      outage.isDown = false
      assert.strictEqual((yield* auth.authenticate(`ApiKey ${key.text}`, "secret")).kind, "secret")
    })
  )
})

layer(live)("verifyIdentity", (it) => {
  const verify = (hashOf: (hmac: (text: string) => string) => string | undefined, userId = "Zoë 🙂") =>
    Effect.gen(function* () {
      const { auth, keys, appId, identitySecret } = yield* setUp
      const caller: Caller = { keyId: uuidv7() as ApiKeyId, appId, kind: "public" }
      const hash = hashOf((text) => keys.hmac(identitySecret, text))
      return yield* Effect.result(auth.verifyIdentity(caller, userId, hash))
    })

  it.effect("takes the HMAC of the exact bytes and nothing else", () =>
    Effect.gen(function* () {
      assert.strictEqual((yield* verify((hmac) => hmac("Zoë 🙂")))._tag, "Success")
      for (const hash of [
        (hmac: (text: string) => string) => hmac("Zoë 🙂 "),
        (hmac: (text: string) => string) => hmac("zoë 🙂"),
        (hmac: (text: string) => string) => hmac("Zoë 🙂".normalize("NFD")),
        (hmac: (text: string) => string) => `${hmac("Zoë 🙂")} `,
        () => undefined,
        () => ""
      ]) {
        const result = yield* verify(hash)
        assert.strictEqual(result._tag === "Failure" && result.failure._tag, "IdentityUnverified")
      }
    })
  )

  it.effect("takes a hash made with any of the secrets that are good", () =>
    Effect.gen(function* () {
      const { auth, keys, store, appId } = yield* setUp
      yield* store.setIdentitySecret(appId, "the one before that", 0)
      yield* store.setIdentitySecret(appId, "the one before", 0)
      yield* store.setIdentitySecret(appId, "the new one", 600_000)
      const caller: Caller = { keyId: uuidv7() as ApiKeyId, appId, kind: "public" }
      const results = yield* Effect.forEach(["the new one", "the one before", "the one before that"], (secret) =>
        Effect.result(auth.verifyIdentity(caller, "u", keys.hmac(secret, "u")))
      )
      assert.deepStrictEqual(
        results.map(({ _tag }) => _tag),
        ["Success", "Success", "Failure"]
      )
    })
  )

  it.effect("refuses everything when the application, and with it its identity secret, is gone", () =>
    Effect.gen(function* () {
      const { auth, keys } = yield* setUp
      const appId = uuidv7() as AppId
      const caller: Caller = { keyId: uuidv7() as ApiKeyId, appId, kind: "public" }
      const result = yield* Effect.result(auth.verifyIdentity(caller, "u", keys.hmac("", "u")))
      assert.strictEqual(result._tag, "Failure")
    })
  )

  it.effect("follows the application's option within a second", () =>
    Effect.gen(function* () {
      const { auth, appId, setIdentity } = yield* setUp
      const caller: Caller = { keyId: uuidv7() as ApiKeyId, appId, kind: "public" }
      const attempt = Effect.result(auth.verifyIdentity(caller, "u", undefined))
      assert.strictEqual((yield* attempt)._tag, "Failure")
      yield* setIdentity(false)
      yield* TestClock.adjust("1 second")
      assert.strictEqual((yield* attempt)._tag, "Success")
      yield* setIdentity(true)
      yield* TestClock.adjust("1 second")
      assert.strictEqual((yield* attempt)._tag, "Failure")
    })
  )
})
