import { createECDH, randomBytes } from "node:crypto"
import { decrypt } from "http_ece"
import { describe, expect, it } from "vitest"
import { MOST_PLAINTEXT, OVERHEAD, sealInto } from "../../../layers/webpush/Encryption.ts"
import { makeSenderKey } from "../../../layers/webpush/SenderKeys.ts"

const bytes = (text: string) => Buffer.from(text, "base64url")

/** A body for one plaintext, by keys that are made for it unless given. */
const seal = (plaintext: Uint8Array, point: Buffer, auth: Buffer, salt = randomBytes(16), sender = makeSenderKey()) => {
  const body = Buffer.alloc(plaintext.length + OVERHEAD)
  body.set(salt)
  expect(sealInto(body, sender, point, auth, plaintext)).toBe(true)
  return body
}

describe("encryption", () => {
  it("writes the message of RFC 8291, appendix A", () => {
    const pair = createECDH("prime256v1")
    pair.setPrivateKey(bytes("yfWPiYE-n46HLnH0KqZOF1fJJU3MYrct3AELtAQ-oRw"))
    const sender = {
      pair,
      publicKey: bytes("BP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCYLocInmYWAmS6TlzAC8wEqKK6PBru3jl7A8")
    }
    const body = seal(
      Buffer.from("When I grow up, I want to be a watermelon"),
      bytes("BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4"),
      bytes("BTBZMqHH6r4Tts7J_aSIgg"),
      bytes("DGv6ra1nlYgDCS1FRnbzlw"),
      sender
    )
    expect(body.toString("base64url")).toBe(
      "DGv6ra1nlYgDCS1FRnbzlwAAEABBBP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27ml" +
        "mlMoZIIgDll6e3vCYLocInmYWAmS6TlzAC8wEqKK6PBru3jl7A_yl95bQpu6cVPT" +
        "pK4Mqgkf1CXztLVBSt2Ks3oZwbuwXPXLWyouBWLVWGNWQexSgSxsj_Qulcy4a-fN"
    )
  })

  it("decrypts with an independent library at every length around a block and at both ends", () => {
    const lengths = [
      ...Array.from({ length: 70 }, (_, n) => n),
      255,
      256,
      1023,
      2048,
      MOST_PLAINTEXT - 1,
      MOST_PLAINTEXT
    ]
    for (const length of lengths) {
      const browser = createECDH("prime256v1")
      const point = browser.generateKeys()
      const auth = randomBytes(16)
      const plaintext = randomBytes(length)
      const body = seal(plaintext, point, auth)
      const parameters = { version: "aes128gcm", privateKey: browser, authSecret: auth.toString("base64url") } as const
      expect(decrypt(body, parameters)).toEqual(plaintext)
      expect(body.length).toBeLessThanOrEqual(4096)
      for (const at of [0, 30, 86, body.length - 1]) {
        const changed = Buffer.from(body)
        changed[at]! ^= 1
        expect(() => decrypt(changed, parameters), `byte ${at} of ${length}`).toThrow()
      }
    }
  })

  it("decrypts whatever the keys, those with leading zeros included", () => {
    for (let n = 0; n < 700; n++) {
      const browser = createECDH("prime256v1")
      const point = browser.generateKeys()
      const auth = n % 2 === 0 ? randomBytes(16) : Buffer.alloc(16, n % 256)
      const plaintext = Buffer.from(`message ${n}`)
      const body = seal(plaintext, point, auth)
      expect(
        decrypt(body, { version: "aes128gcm", privateKey: browser, authSecret: auth.toString("base64url") })
      ).toEqual(plaintext)
    }
  })

  it("writes nothing for a point that is not on the curve, nor for any other form of one", () => {
    const pair = createECDH("prime256v1")
    const point = pair.generateKeys()
    const body = Buffer.alloc(1 + OVERHEAD)
    const isSealed = (point: Uint8Array) => sealInto(body, makeSenderKey(), point, randomBytes(16), Buffer.from("a"))
    const off = Buffer.from(point)
    off[64]! ^= 1
    const prime = Buffer.from("ffffffff00000001000000000000000000000000ffffffffffffffffffffffff", "hex")
    const compressed = Buffer.concat([pair.getPublicKey(undefined, "compressed"), Buffer.alloc(32)])
    const hybrid = Buffer.from(point)
    hybrid[0] = 6 + (point[64]! & 1)
    const refused = [
      off,
      Buffer.alloc(65),
      Buffer.concat([Buffer.of(4), Buffer.alloc(64)]),
      Buffer.concat([Buffer.of(4), prime, point.subarray(33)]),
      Buffer.concat([Buffer.of(4), Buffer.alloc(64, 255)]),
      compressed,
      hybrid,
      point.subarray(0, 64),
      Buffer.concat([point, Buffer.of(0)])
    ]
    for (const one of refused) expect(isSealed(one), one.toString("hex")).toBe(false)
    expect(body).toEqual(Buffer.alloc(1 + OVERHEAD))
    expect(isSealed(point)).toBe(true)
  })
})
