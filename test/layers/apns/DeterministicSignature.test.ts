import { createPrivateKey, createPublicKey, generateKeyPairSync, verify } from "node:crypto"
import { describe, expect, it } from "vitest"
import { signDeterministically } from "../../../layers/apns/DeterministicSignature.ts"

const base64url = (hex: string) => Buffer.from(hex, "hex").toString("base64url")

/** RFC 6979, appendix A.2.5. */
const key = createPrivateKey({
  format: "jwk",
  key: {
    kty: "EC",
    crv: "P-256",
    d: base64url("C9AFA9D845BA75166B5C215767B1D6934E50C3DB36E89B127B8A622B120F6721"),
    x: base64url("60FED4BA255A9D31C961EB74C6356D68C049B8923B61FA6CE669622E60F29FB6"),
    y: base64url("7903FE1008B8BC99A41AE9E95628BC64F2F1B20C2D7E9F5177A3C294D4462299")
  }
})

describe("deterministic signatures", () => {
  it("are those of RFC 6979", () => {
    expect(signDeterministically(key, Buffer.from("sample")).toHex().toUpperCase()).toBe(
      "EFD48B2AACB6A8FD1140DD9CD45E81D69D2C877B56AAF991C34D0EA84EAF3716" +
        "F7CB1C942D657C41D436C7A1B6E29F65F3E900DBB9AFF4064DC4AB2F843ACDA8"
    )
    expect(signDeterministically(key, Buffer.from("test")).toHex().toUpperCase()).toBe(
      "F1ABB023518351CD71D881567B1EA663ED3EFCF6C5132B354F28D3B0B7D38367" +
        "019F4113742A2B14BD25926B49C649155F267E60D3814B4C0CC84250E46F0083"
    )
  })

  it("are accepted by node:crypto, for any key and message", () => {
    for (let i = 0; i < 50; i++) {
      const { privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" })
      const message = Buffer.from(`message ${i}`)
      const signature = signDeterministically(privateKey, message)
      const publicKey = { key: createPublicKey(privateKey), dsaEncoding: "ieee-p1363" } as const
      expect(verify("sha256", message, publicKey, signature)).toBe(true)
      expect(verify("sha256", Buffer.from("another"), publicKey, signature)).toBe(false)
    }
  })
})
