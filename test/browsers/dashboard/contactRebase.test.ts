import { describe, expect, it } from "vitest"
import type { TypedContact } from "../../../dashboard/src/contacts/rebase.ts"
import { rebase } from "../../../dashboard/src/contacts/rebase.ts"

const contact = (changes: Partial<TypedContact> & { readonly by?: Readonly<Record<string, string>> }): TypedContact => {
  const { by = {}, ...rest } = changes
  const attributes = Object.entries(by).map(([name, value]) => ({ name, value }))
  return { externalId: "ada", email: "", locale: "", timezone: "", tags: "", attributes, ...rest }
}

describe("what is typed over a contact", () => {
  it("takes back nothing that others wrote beside it", () => {
    const before = contact({ by: { plan: "free", city: "Rome", old: "1" }, tags: "base\ngone", locale: "de" })
    const typed = contact({ by: { plan: "free", city: "Paris" }, tags: "base\nmine", locale: "de" })
    const theirs = contact({
      by: { plan: "pro", city: "Rome", old: "1", since: "2026" },
      tags: "base\ngone\ntheirs",
      locale: "de-AT",
      timezone: "Europe/Vienna"
    })
    expect(rebase(before, typed, theirs)).toEqual({
      typed: contact({
        by: { plan: "pro", city: "Paris", since: "2026" },
        tags: "base\ntheirs\nmine",
        locale: "de-AT",
        timezone: "Europe/Vienna"
      }),
      clashes: []
    })
  })

  it("stands where others wrote something else there, which is named", () => {
    const before = contact({ by: { plan: "free", city: "Rome", old: "1", age: "7" }, email: "a@example.com" })
    const typed = contact({ by: { plan: "gold", city: "Paris", age: "8" }, email: "b@example.com" })
    const theirs = contact({ by: { plan: "pro", city: "Paris", old: "2", age: "8" }, email: "c@example.com" })
    const { clashes, typed: on } = rebase(before, typed, theirs)
    expect(clashes).toEqual(["the e-mail address", "plan", "old"])
    expect(on).toEqual(typed)
  })

  it("is no change where it says the same in other words", () => {
    const before = contact({ by: { orders: "3", list: '["a"]' } })
    const typed = contact({ by: { orders: "3", list: '[ "a" ]' } })
    const theirs = contact({ by: { orders: "4", list: '["a","b"]' } })
    expect(rebase(before, typed, theirs)).toEqual({ typed: theirs, clashes: [] })
  })

  it("keeps rows that have no name yet, and drops what others have removed", () => {
    const before = contact({ by: { plan: "free", city: "Rome" } })
    const typed: TypedContact = { ...before, attributes: [...before.attributes, { name: "", value: "x" }] }
    expect(rebase(before, typed, contact({ by: { plan: "free" } })).typed.attributes).toEqual([
      { name: "plan", value: "free" },
      { name: "", value: "x" }
    ])
  })
})
