import { describe, expect, it } from "vitest"
import { addressKey, keyBeginnings } from "../../../../layers/postgres/audience/addresses.ts"

describe("the key of an address", () => {
  it.each([
    ["ada@exämple.com", "ada@xn--exmple-cua.com"],
    ["Ada@XN--EXMPLE-CUA.com", "ada@xn--exmple-cua.com"],
    ["user@ｅxample.com", "user@example.com"],
    ["user@example。com", "user@example.com"],
    ["User@Example.COM", "user@example.com"],
    ["ΑΣ@ΟΔΟΣ.gr", "ας@xn--pxavbq.gr"],
    // Its domain has no name in DNS: it is what it is.
    ["user@ex¨mple.com", "user@ex¨mple.com"]
  ])("of %s is that of the mailbox, %s", (address, key) => {
    expect(addressKey(address)).toBe(key)
  })
})

describe("what keys begin with", () => {
  it.each([
    ["ada", ["ada"]],
    ["Ada@", ["ada@"]],
    ["ada@ex", ["ada@ex", "ada@xn--ex"]],
    ["ada@Exä", ["ada@xn--ex"]],
    ["ada@ü", ["ada@xn--"]],
    ["ada@ｅx", ["ada@ex", "ada@xn--ex"]],
    ["ada@exämple.", ["ada@xn--exmple-cua."]],
    ["ada@exämple。c", ["ada@xn--exmple-cua.c", "ada@xn--exmple-cua.xn--c"]],
    ["ada@exa mple.c", ["ada@exa mple.c"]]
  ])("after %s is typed leads to all such addresses", (prefix, beginnings) => {
    expect(keyBeginnings(prefix)).toEqual(beginnings)
  })

  it.each(["ada@exämple.com", "ada@übung.de", "ada@mail.exämple.com"])(
    "leads to %s from each of its letters",
    (whole) => {
      for (let length = 1; length <= whole.length; length++) {
        const beginnings = keyBeginnings(whole.slice(0, length))
        expect(beginnings.filter((one) => addressKey(whole).startsWith(one))).toHaveLength(1)
      }
    }
  )
})
