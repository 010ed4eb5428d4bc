import { createHmac, hkdfSync, randomBytes } from "node:crypto"
import { describe, expect, it } from "vitest"
import { hkdf, hmac } from "../../../layers/webpush/Hkdf.ts"

const hex = (bytes: ArrayBuffer | Uint8Array) => Buffer.from(bytes as Uint8Array).toString("hex")

describe("HKDF", () => {
  it("computes the HMAC that node:crypto does, for every length of key and of message", () => {
    for (let length = 0; length <= 300; length++) {
      const key = randomBytes(length % 65)
      const message = randomBytes(length)
      expect(hex(hmac(key, message)), `${key.length} and ${length}`).toBe(
        createHmac("sha256", key).update(message).digest("hex")
      )
    }
    for (const fill of [0, 0x36, 0x5c, 0x7f, 0x80, 0xff]) {
      const text = Buffer.alloc(64, fill)
      expect(hex(hmac(text, text))).toBe(createHmac("sha256", text).update(text).digest("hex"))
    }
  })

  it("derives the first test case of RFC 5869", () => {
    const info = Buffer.from("f0f1f2f3f4f5f6f7f8f901", "hex")
    const [block] = hkdf(Buffer.alloc(22, 0x0b), Buffer.from("000102030405060708090a0b0c", "hex"), info)
    expect(hex(block!)).toBe("3cb25f25faacd57a90434f64d0362f2a2d2d0a90cf1a5a4c5db02d56ecc4c5bf")
  })

  it("derives what node:crypto does, several keys of one secret at once", () => {
    for (let n = 0; n < 200; n++) {
      const secret = randomBytes(n % 80)
      const salt = randomBytes(n % 64)
      const infos = [randomBytes(n % 150), randomBytes((3 * n) % 150)]
      const derived = hkdf(secret, salt, ...infos.map((info) => Buffer.concat([info, Buffer.of(1)])))
      expect(derived.map(hex)).toEqual(infos.map((info) => hex(hkdfSync("sha256", secret, salt, info, 32))))
    }
  })
})
