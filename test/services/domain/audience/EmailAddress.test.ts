import { Schema } from "effect"
import { describe, expect, it } from "vitest"
import { EmailAddress } from "../../../../services/domain/audience/EmailAddress.ts"
import { ApnsCredential } from "../../../../services/domain/sending/Credential.ts"
import { Sender, senderOf } from "../../../../services/domain/sending/Sender.ts"

const isAddress = Schema.is(EmailAddress)

describe("an e-mail address", () => {
  it("has ASCII, letters, marks, digits and symbols before the @, dots in a row among them", () => {
    for (const local of ["ada", "a$b", "o'hara+x", "jörg", "用户", "a..b", "x.", "€uro", "`{|}~^=?/*&%#!"]) {
      expect(isAddress(`${local}@example.com`), local).toBe(true)
    }
    for (const local of ["", ".a", "a b", "a<b", "a\u201c", "a\u200b", "\u2800", "ａda", "a\u2028"]) {
      expect(isAddress(`${local}@example.com`), local).toBe(false)
    }
  })

  it("is refused in no time, however many ways there are to read it", () => {
    // Each letter doubled the time until 27 November 2026: these 63 stopped a node for good.
    expect(isAddress(`${"a".repeat(63)}\u201c@example.com`)).toBe(false)
    expect(isAddress(`${"+!".repeat(31)}\u0000@example.com`)).toBe(false)
  })
})

describe("a sender", () => {
  it("is an address, or a name with the address in the last brackets", () => {
    expect(senderOf("a@b.c")).toEqual({ name: "", address: "a@b.c" })
    expect(senderOf("Ada <a@b.c>")).toEqual({ name: "Ada", address: "a@b.c" })
    expect(senderOf("<a@b.c>")).toEqual({ name: "", address: "a@b.c" })
    expect(senderOf('"Ada \\"L\\"" < a@b.c > ')).toEqual({ name: 'Ada "L"', address: "a@b.c" })
    expect(senderOf("Ada <x> L <a@b.c>")).toEqual({ name: "Ada <x> L", address: "a@b.c" })
    expect(senderOf("Ada <a@b.c>>")).toEqual({ name: "", address: "Ada <a@b.c>>" })
    expect(senderOf("Ada <>")).toEqual({ name: "", address: "Ada <>" })
    expect(senderOf("Ada <a@b.c> L")).toEqual({ name: "", address: "Ada <a@b.c> L" })
  })
})

describe("a text that is longer than it may be", () => {
  const faultOf = (schema: Schema.ConstraintDecoder<unknown>, value: unknown) => {
    const decode = Schema.decodeUnknownExit(schema as Schema.ConstraintDecoder<never>, { errors: "all" })
    return String(decode(value))
  }

  it("is looked at no further", () => {
    const faults = faultOf(Sender, `a${" ".repeat(1_000_000)}`)
    expect(faults).toContain("a length of at most 320")
    expect(faults).not.toContain("must be an e-mail address")
    const credential = {
      team_id: "ABCDE12345",
      key_id: "ABCDE12345",
      bundle_id: "dev.heliograph.app",
      private_key: "-----BEGIN PRIVATE KEY-----".repeat(37_000)
    }
    expect(faultOf(ApnsCredential, credential)).toContain("a length of at most 16384")
    expect(faultOf(ApnsCredential, { ...credential, private_key: "-----BEGIN PRIVATE KEY-----\n-----END" })).toContain(
      "must be a private key in PEM form"
    )
  })
})
