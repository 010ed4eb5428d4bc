import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Latch, Layer } from "effect"
import { TestClock } from "effect/testing"
import { layer as keysLayer } from "../../../../layers/crypto/Keys.ts"
import type { ApiKeyId, AppId, OrganizationId } from "../../../../services/domain/Ids.ts"
import { uuidv7 } from "../../../../services/ports/NewId.ts"
import type { Caller } from "../../../../services/engine/access/Auth.ts"
import { Auth } from "../../../../services/engine/access/Auth.ts"
import { ApplicationStore } from "../../../../services/ports/access/ApplicationStore.ts"
import { Keys } from "../../../../services/ports/access/Keys.ts"
import { ApplicationTable } from "../../../doubles/access/ApplicationStore.ts"
import { Outage } from "../../../doubles/Outage.ts"

const setUp = Effect.gen(function* () {
  const table = new ApplicationTable()
  const outage = new Outage()
  const context = yield* Layer.build(Auth.layer.pipe(Layer.provideMerge(Layer.merge(table.layer(outage), keysLayer))))
  const [auth, keys] = yield* Effect.all([Auth, Keys]).pipe(Effect.provideContext(context))
  const appId = uuidv7() as AppId
  const add = (kind: "secret" | "public") => {
    const text = keys.generate(kind)
    const hash = keys.hash(text).toHex()
    table.keys.set(hash, { id: uuidv7() as ApiKeyId, appId, kind })
    return { text, revoke: () => table.keys.delete(hash) }
  }
  const setIdentity = (identityVerification: boolean) =>
    table.applications.set(appId, {
      id: appId,
      organizationId: uuidv7() as OrganizationId,
      name: "a",
      identityVerification,
      formerIdentityUntil: null,
      createdAt: 0
    })
  table.identitySecrets.set(appId, ["the identity secret"])
  setIdentity(true)
  return { table, outage, auth, keys, appId, add, setIdentity }
})

describe("authenticate", () => {
  it.effect("lets a revoked key in for less than a second more", () =>
    Effect.gen(function* () {
      const { auth, add } = yield* setUp
      const key = add("secret")
      const attempt = Effect.result(auth.authenticate(`ApiKey ${key.text}`, "secret"))
      assert.strictEqual((yield* attempt)._tag, "Success")
      // Held by a stream that began while the key was remembered, and asked again from time to time.
      const held = Effect.result(auth.authenticate(`ApiKey ${key.text}`, "secret"))
      key.revoke()
      yield* TestClock.adjust("999 millis")
      for (const result of [yield* attempt, yield* held]) {
        assert.strictEqual(result._tag === "Failure" && result.failure._tag, "Unauthorized")
      }
    })
  )

  it.effect("goes by how much time went by when the service's clock is set back", () =>
    Effect.gen(function* () {
      const { auth, add, appId, setIdentity } = yield* setUp
      const key = add("secret")
      const attempt = Effect.result(auth.authenticate(`ApiKey ${key.text}`, "secret"))
      const caller: Caller = { keyId: uuidv7() as ApiKeyId, appId, kind: "public" }
      const claim = Effect.result(auth.verifyIdentity(caller, "u", undefined))
      setIdentity(false)
      assert.strictEqual((yield* attempt)._tag, "Success")
      assert.strictEqual((yield* claim)._tag, "Success")
      key.revoke()
      setIdentity(true)
      yield* TestClock.setTime(-3_600_000)
      yield* TestClock.adjust("999 millis")
      assert.isNull(auth.recall(`ApiKey ${key.text}`, "secret"))
      assert.strictEqual((yield* attempt)._tag, "Failure")
      assert.strictEqual((yield* claim)._tag, "Failure")
    })
  )

  it.effect("does not remember for longer that there was no such key", () =>
    Effect.gen(function* () {
      const { auth, table, keys, appId } = yield* setUp
      const text = keys.generate("secret")
      const attempt = Effect.result(auth.authenticate(`ApiKey ${text}`, "secret"))
      assert.strictEqual((yield* attempt)._tag, "Failure")
      const queries = table.queries
      assert.strictEqual((yield* attempt)._tag, "Failure")
      assert.strictEqual(table.queries, queries)
      table.keys.set(keys.hash(text).toHex(), { id: uuidv7() as ApiKeyId, appId, kind: "secret" })
      yield* TestClock.adjust("1 second")
      assert.strictEqual((yield* attempt)._tag, "Success")
    })
  )

  it.effect("refuses what is no key, or has a wrong checksum, without asking the database", () =>
    Effect.gen(function* () {
      const { auth, table, add } = yield* setUp
      const { text } = add("secret")
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
      assert.strictEqual(table.queries, 0)
    })
  )

  it.effect("says apart what is a mistyped or cut off key, and what is no key", () =>
    Effect.gen(function* () {
      const { add, auth, table } = yield* setUp
      const { text } = add("secret")
      const messageOf = (header: string) =>
        Effect.map(Effect.flip(auth.authenticate(header, "secret")), (refused) =>
          refused._tag === "Unauthorized" ? refused.message : refused._tag
        )
      const letter = text.at(10) === "A" ? "B" : "A"
      for (const key of [`${text.slice(0, 10)}${letter}${text.slice(11)}`, text.slice(0, -3), `${text}x`, "sk_"])
        assert.include(yield* messageOf(`ApiKey ${key}`), "mistyped or cut off", key)
      for (const header of ["ApiKey x", "Basic dXNlcjpwYXNz", text])
        assert.include(yield* messageOf(header), "holds no API key", header)
      assert.strictEqual(table.queries, 0)
    })
  )

  it.effect("refuses within a second on every node what was revoked on one", () =>
    Effect.gen(function* () {
      const { add, appId, auth, table, outage } = yield* setUp
      const [key, spare] = [add("secret"), add("secret")]
      const context = yield* Layer.build(
        Layer.fresh(Auth.layer).pipe(Layer.provideMerge(Layer.merge(table.layer(outage), keysLayer)))
      )
      const [other, store, keys] = yield* Effect.all([Auth, ApplicationStore, Keys]).pipe(
        Effect.provideContext(context)
      )
      const nodes = [auth, other]
      const attempt = (text: string) =>
        Effect.forEach(nodes, (node) =>
          Effect.map(Effect.result(node.authenticate(`ApiKey ${text}`, "secret")), ({ _tag }) => _tag)
        )
      assert.deepStrictEqual(yield* attempt(key.text), ["Success", "Success"])
      assert.isTrue(yield* store.revokeKey(appId, table.keys.get(keys.hash(key.text).toHex())!.id))
      yield* TestClock.adjust("999 millis")
      assert.deepStrictEqual(yield* attempt(key.text), ["Failure", "Failure"])
      assert.deepStrictEqual(yield* attempt(spare.text), ["Success", "Success"])
    })
  )

  it.effect("writes down once a minute which keys are in use, good ones alone", () =>
    Effect.gen(function* () {
      const { auth, add, keys, table } = yield* setUp
      const [used, unused] = [add("secret"), add("public")]
      for (let request = 0; request < 100; request++) yield* auth.authenticate(`ApiKey ${used.text}`, "secret")
      yield* Effect.flip(auth.authenticate(`ApiKey ${keys.generate("secret")}`, "secret"))
      assert.deepStrictEqual(table.touched, [])
      yield* TestClock.adjust("1 minute")
      assert.deepStrictEqual(table.touched, [[table.keys.get(keys.hash(used.text).toHex())!.id]])
      yield* TestClock.adjust("10 minutes")
      assert.strictEqual(table.touched.length, 1)
      yield* auth.authenticate(`Public ${unused.text}`, "public")
      yield* TestClock.adjust("1 minute")
      assert.strictEqual(table.touched.length, 2)
    })
  )

  it.effect("asks the database once for many requests with one key", () =>
    Effect.gen(function* () {
      const { auth, table, add } = yield* setUp
      const key = add("public")
      const answer = yield* Latch.make(false)
      table.beforeQuery = answer.await
      const requests = yield* Effect.forkChild(
        Effect.all(
          Array.from({ length: 500 }, () => auth.authenticate(`Public ${key.text}`, "public")),
          { concurrency: "unbounded" }
        )
      )
      yield* Effect.yieldNow
      yield* answer.open
      assert.strictEqual((yield* Fiber.join(requests)).length, 500)
      assert.strictEqual(table.queries, 1)
    })
  )

  it.effect("is not spoilt for others by one request that gives up", () =>
    Effect.gen(function* () {
      const { auth, table, add } = yield* setUp
      const key = add("secret")
      const answer = yield* Latch.make(false)
      table.beforeQuery = answer.await
      const impatient = yield* Effect.forkChild(auth.authenticate(`ApiKey ${key.text}`, "secret"))
      const patient = yield* Effect.forkChild(auth.authenticate(`ApiKey ${key.text}`, "secret"))
      yield* Effect.yieldNow
      yield* Fiber.interrupt(impatient)
      yield* answer.open
      assert.strictEqual((yield* Fiber.join(patient)).kind, "secret")
      assert.strictEqual(table.queries, 1)
    })
  )

  it.effect("does not remember an outage", () =>
    Effect.gen(function* () {
      const { auth, outage, add } = yield* setUp
      const key = add("secret")
      outage.isDown = true
      const result = yield* Effect.result(auth.authenticate(`ApiKey ${key.text}`, "secret"))
      assert.strictEqual(result._tag === "Failure" && result.failure._tag, "StoreError")
      outage.isDown = false
      assert.strictEqual((yield* auth.authenticate(`ApiKey ${key.text}`, "secret")).kind, "secret")
    })
  )
})

describe("verifyIdentity", () => {
  const verify = (hashOf: (hmac: (text: string) => string) => string | undefined, userId = "Zoë 🙂") =>
    Effect.gen(function* () {
      const { auth, keys, appId } = yield* setUp
      const caller: Caller = { keyId: uuidv7() as ApiKeyId, appId, kind: "public" }
      const hash = hashOf((text) => keys.hmac("the identity secret", text))
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
      const { auth, keys, table, appId } = yield* setUp
      table.identitySecrets.set(appId, ["the new one", "the one before"])
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

  it.effect("refuses everything when the application has no identity secret", () =>
    Effect.gen(function* () {
      const { auth, keys, table, appId } = yield* setUp
      table.identitySecrets.delete(appId)
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
      setIdentity(false)
      yield* TestClock.adjust("1 second")
      assert.strictEqual((yield* attempt)._tag, "Success")
      setIdentity(true)
      yield* TestClock.adjust("1 second")
      assert.strictEqual((yield* attempt)._tag, "Failure")
    })
  )
})
