import { describe, expect, it } from "vitest"
import { accountAddress } from "../../../../services/domain/people/AccountAddress.ts"

describe("the address of an account", () => {
  it.each([
    ["Ada@Example.COM", "ada@example.com"],
    [" ada@example.com\t", "ada@example.com"],
    ["a.d.a+news@example.com", "a.d.a+news@example.com"],
    ["ada@bücher.example", "ada@xn--bcher-kva.example"],
    ["ada@XN--BCHER-KVA.example", "ada@xn--bcher-kva.example"],
    ["o'hara!#$%&*+/=?^_`{|}~-@example.com", "o'hara!#$%&*+/=?^_`{|}~-@example.com"],
    ["ada@localhost", "ada@localhost"],
    [`${"a".repeat(64)}@example.com`, `${"a".repeat(64)}@example.com`]
  ])("is kept in one form: %s", (text, kept) => {
    expect(accountAddress(text)).toBe(kept)
    expect(accountAddress(kept)).toBe(kept)
  })

  it.each([
    "",
    "ada",
    "@example.com",
    "ada@",
    "ada@@example.com",
    "ada@example.com, bob@example.com",
    "ada@example.com\nBcc: bob@example.com",
    "ada\u0000@example.com",
    "<ada@example.com>",
    '"ada b"@example.com',
    "ada b@example.com",
    ".ada@example.com",
    "ada@exa mple.com",
    "ada@127.0.0.1",
    "ada@[127.0.0.1]",
    "ada@example.com/..",
    "ada@example.com?x",
    "ada@-example.com",
    `${"a".repeat(65)}@example.com`,
    `ada@${"a.".repeat(125)}com`,
    "a".repeat(100_000)
  ])("is none: %j", (text) => {
    expect(accountAddress(text)).toBeNull()
  })

  it("is never another's because letters beyond ASCII become ASCII in lower case", () => {
    // KELVIN SIGN and LATIN CAPITAL LETTER I WITH DOT ABOVE; then a fullwidth letter, and one that looks like another.
    for (const text of [
      "mi\u212Ae@example.com",
      "m\u0130ke@example.com",
      "\uFF4Dike@example.com",
      "m\u0456ke@example.com"
    ]) {
      expect(accountAddress(text)).toBeNull()
    }
  })
})
