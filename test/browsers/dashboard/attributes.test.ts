import { describe, expect, it } from "vitest"
import { attributesOf, faultOf, textOf, valueOf } from "../../../dashboard/src/contacts/attributes.ts"

const ID = "9007199254740993"
const CHANGED = "is a number beyond 2^53, which would be changed; send it as a text."

describe("a value as it is typed", () => {
  it("is at fault where a number of it would become another, and says what would make it a text", () => {
    expect(faultOf(` ${ID} `)).toBe(`${ID} ${CHANGED} In quotation marks it is a text.`)
    expect(faultOf(`{"ids": [1, ${ID}]}`)).toBe(`ids[1] ${CHANGED} In quotation marks it is a text.`)
    expect(faultOf("1e400")).toBe("1e400 must be a number below 1.8e308. In quotation marks it is a text.")
    for (const taken of [`"${ID}"`, `user ${ID}`, "42", "9007199254740992", "1e22", "", "[1"]) {
      expect(faultOf(taken)).toBeNull()
    }
  })

  it("is never rounded, whoever asks", () => {
    for (const written of [ID, "1e400", "123456789012345678901234567890", `{"id": ${ID}}`]) {
      expect(valueOf(written)).toBe(written)
    }
    expect(attributesOf([{ name: "id", value: ID }])).toEqual({ id: ID })
  })

  it("stays the text that it is when it is shown and read again", () => {
    for (const text of [ID, "1e400", "42", "Ada"]) expect(valueOf(textOf(text))).toBe(text)
    expect(textOf(ID)).toBe(`"${ID}"`)
  })
})
