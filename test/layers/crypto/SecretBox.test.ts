import { assert, describe, it } from "@effect/vitest"
import { Effect, Exit } from "effect"
import { randomBytes } from "node:crypto"
import { layerOf } from "../../../layers/crypto/SecretBox.ts"
import { SecretBox, SecretUnreadable } from "../../../services/ports/access/SecretBox.ts"

const key = () => new Uint8Array(randomBytes(32))
const boxOf = (...keys: ReadonlyArray<Uint8Array>) => Effect.provide(SecretBox, layerOf(...keys))
const place = "webhooks.secret:0193"

describe("SecretBox", () => {
  it.effect("opens what it sealed, at the same place", () =>
    Effect.gen(function* () {
      const box = yield* boxOf(key())
      for (const text of ["", "s3cret", "ключ 🔑", "x".repeat(100_000)]) {
        assert.strictEqual(yield* box.open(place, box.seal(place, text)), text)
      }
    })
  )

  it.effect("seals the same text differently each time, and never in the clear", () =>
    Effect.gen(function* () {
      const box = yield* boxOf(key())
      const first = Buffer.from(box.seal(place, "correct horse"))
      assert.notDeepEqual(first, Buffer.from(box.seal(place, "correct horse")))
      assert.isFalse(first.includes("correct horse"))
    })
  )

  it.effect("opens nowhere else than at its place", () =>
    Effect.gen(function* () {
      const box = yield* boxOf(key())
      const refused = yield* Effect.flip(box.open("webhooks.secret:0194", box.seal(place, "s3cret")))
      assert.instanceOf(refused, SecretUnreadable)
      assert.strictEqual(refused.place, "webhooks.secret:0194")
    })
  )

  it.effect("refuses sealed bytes with any byte changed, cut off or added", () =>
    Effect.gen(function* () {
      const box = yield* boxOf(key())
      const sealed = box.seal(place, "s3cret")
      for (let i = 0; i < sealed.length; i++) {
        const changed = sealed.slice()
        changed[i]! ^= 1
        assert.isTrue(Exit.isFailure(yield* Effect.exit(box.open(place, changed))), `byte ${i}`)
        assert.isTrue(Exit.isFailure(yield* Effect.exit(box.open(place, sealed.slice(0, i)))), `cut at ${i}`)
      }
      assert.isTrue(Exit.isFailure(yield* Effect.exit(box.open(place, Buffer.concat([sealed, Buffer.of(0)])))))
    })
  )

  it.effect("does not open what another master key sealed", () =>
    Effect.gen(function* () {
      const sealed = (yield* boxOf(key())).seal(place, "s3cret")
      const error = yield* Effect.flip((yield* boxOf(key())).open(place, sealed))
      assert.strictEqual(error._tag, "SecretUnreadable")
    })
  )

  it.effect("rotates: the first key seals, older keys still open", () =>
    Effect.gen(function* () {
      const old = key()
      const fresh = key()
      const sealed = (yield* boxOf(old)).seal(place, "s3cret")
      const rotated = yield* boxOf(fresh, old)
      assert.strictEqual(yield* rotated.open(place, sealed), "s3cret")
      const again = rotated.seal(place, "s3cret")
      assert.strictEqual(yield* (yield* boxOf(fresh)).open(place, again), "s3cret")
      assert.isTrue(Exit.isFailure(yield* Effect.exit((yield* boxOf(old)).open(place, again))))
    })
  )
})
