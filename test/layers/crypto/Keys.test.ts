import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { createHash, createHmac, createPrivateKey, createPublicKey, sign, verify } from "node:crypto"
import { layer } from "../../../layers/crypto/Keys.ts"
import { Keys } from "../../../services/ports/access/Keys.ts"

const withKeys = <A>(use: (keys: Keys["Service"]) => A) => Effect.map(Keys, use).pipe(Effect.provide(layer))

describe("Keys", () => {
  it.effect("generates keys whose kind can be read from their text", () =>
    withKeys((keys) => {
      const secret = keys.generate("secret")
      const open = keys.generate("public")
      assert.match(secret, /^sk_[0-9A-Za-z]{32}$/)
      assert.match(open, /^pk_[0-9A-Za-z]{32}$/)
      assert.strictEqual(keys.parse(secret), "secret")
      assert.strictEqual(keys.parse(open), "public")
    })
  )

  it.effect("never generates a key twice, and uses every digit at every random place", () =>
    withKeys((keys) => {
      const made = Array.from({ length: 3000 }, () => keys.generate("secret"))
      assert.strictEqual(new Set(made).size, made.length)
      for (let place = 3; place < 29; place++) {
        assert.strictEqual(new Set(made.map((key) => key[place])).size, 62, `digits at ${place}`)
      }
    })
  )

  it.effect("refuses every key with one changed character, and every malformed one", () =>
    withKeys((keys) => {
      const key = keys.generate("secret")
      for (let i = 0; i < key.length; i++) {
        const changed = key.slice(0, i) + (key[i] === "x" ? "y" : "x") + key.slice(i + 1)
        assert.isNull(keys.parse(changed), changed)
      }
      const malformed = [
        "",
        "sk_",
        "pk_",
        key.slice(0, -1),
        `${key}0`,
        ` ${key}`,
        `${key}\n`,
        key.replace("sk_", "pk_")
      ]
      for (const text of malformed) assert.isNull(keys.parse(text), JSON.stringify(text))
    })
  )

  it.effect("hashes a key with SHA-256 over its text", () =>
    withKeys((keys) => {
      const key = keys.generate("public")
      assert.deepStrictEqual(keys.hash(key), new Uint8Array(createHash("sha256").update(key).digest()))
    })
  )

  it.effect("signs the exact UTF-8 bytes of a text", () =>
    withKeys((keys) => {
      // RFC 4231, test case 2.
      assert.strictEqual(
        keys.hmac("Jefe", "what do ya want for nothing?"),
        "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"
      )
      const composed = "caf\u00e9"
      assert.strictEqual(
        keys.hmac("s", composed),
        createHmac("sha256", "s").update(Buffer.from("636166c3a9", "hex")).digest("hex")
      )
      assert.notStrictEqual(keys.hmac("s", composed), keys.hmac("s", composed.normalize("NFD")))
    })
  )

  it.effect("finds texts equal only when every byte is", () =>
    withKeys((keys) => {
      assert.isTrue(keys.equal("a1b2", "a1b2"))
      assert.isTrue(keys.equal("", ""))
      assert.isFalse(keys.equal("a1b2", "a1b3"))
      assert.isFalse(keys.equal("a1b2", "a1b2c"))
      assert.isFalse(keys.equal("é", "e\u0301"))
    })
  )

  it.effect("draws secrets of 256 bits", () =>
    withKeys((keys) => {
      assert.strictEqual(Buffer.from(keys.secret(), "base64url").length, 32)
      assert.notStrictEqual(keys.secret(), keys.secret())
    })
  )

  it.effect("makes VAPID pairs that sign and verify, with halves of full length", () =>
    withKeys((keys) => {
      for (let i = 0; i < 50; i++) {
        const { publicKey, privateKey } = keys.vapidPair()
        const point = Buffer.from(publicKey, "base64url")
        assert.match(publicKey, /^[A-Za-z0-9_-]{87}$/)
        assert.match(privateKey, /^[A-Za-z0-9_-]{43}$/)
        assert.strictEqual(point.length, 65)
        const x = point.subarray(1, 33).toString("base64url")
        const y = point.subarray(33).toString("base64url")
        const jwk = { kty: "EC", crv: "P-256", x, y }
        const text = Buffer.from("token")
        const signature = sign("sha256", text, createPrivateKey({ key: { ...jwk, d: privateKey }, format: "jwk" }))
        assert.isTrue(verify("sha256", text, createPublicKey({ key: jwk, format: "jwk" }), signature))
      }
    })
  )
})
