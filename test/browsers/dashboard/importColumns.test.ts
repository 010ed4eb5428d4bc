import { describe, expect, it } from "vitest"
import { guess, inputOf, obstacleOf } from "../../../dashboard/src/imports/columns.ts"
import { rowsOf } from "../../../dashboard/src/imports/rows.ts"

describe("columns", () => {
  it("are known by their names, and once each", () => {
    const columns = ["Customer ID", "E-Mail", "user_id", "Tags", "plan", "created_at", "ZIP code"]
    expect(guess("contacts", columns)).toEqual(["externalId", "email", "attribute", "tags", "attribute", "", "text"])
    expect(guess("devices", ["Device token", "OS", "metadata"])).toEqual(["token", "platform", "attributes"])
  })

  it("of people without an id of one's own make an id of the address as well", () => {
    const columns = ["Name", "E-Mail"]
    const targets = guess("contacts", columns)
    expect(targets).toEqual(["attribute", "emailAsId"])
    expect(obstacleOf("contacts", targets)).toBeNull()
    expect(inputOf("contacts", columns, targets, ["Ada", "ada@example.com"])).toEqual({
      input: { externalId: "ada@example.com", email: "ada@example.com", attributes: { Name: "Ada" } },
      fault: null
    })
    expect(inputOf("contacts", columns, targets, ["Ada", ""]).fault).toBe("E-Mail is missing")
    expect(obstacleOf("contacts", ["externalId", "emailAsId"])).toMatch("Two columns are “Your own id”")
    expect(obstacleOf("contacts", ["email", "emailAsId"])).toMatch("Two columns are “E-mail”")
  })

  it("have to say who it is, and cannot be one field twice", () => {
    expect(obstacleOf("contacts", ["email"])).toMatch("Your own id")
    expect(obstacleOf("devices", ["token", "attribute"])).toMatch("Platform")
    expect(obstacleOf("contacts", ["externalId", "email", "email"])).toMatch("Two columns are “E-mail”")
    expect(obstacleOf("contacts", ["externalId", "attribute", "attribute", ""])).toBeNull()
  })

  it("leave out empty cells, make numbers of attributes unless told otherwise, and divide tags", () => {
    const columns = ["id", "mail", "tags", "orders", "zip", "note"]
    const targets = ["externalId", "email", "tags", "attribute", "text", "attribute"]
    expect(inputOf("contacts", columns, targets, ["u1", " ", "news; vip", "7", "1010", "'=x"])).toEqual({
      input: { externalId: "u1", tags: ["news", "vip"], attributes: { orders: 7, zip: "1010", note: "=x" } },
      fault: null
    })
    expect(inputOf("contacts", columns, targets, ["u1"])).toEqual({ input: { externalId: "u1" }, fault: null })
  })

  it("keep a number as a text that would become another, and refuse JSON with such a number inside", () => {
    const id = "9007199254740993"
    const read = (target: string, cell: unknown) =>
      inputOf("contacts", ["id", "shop"], ["externalId", target], ["CS1", cell])
    for (const text of [id, "1e400", "123456789012345678901234567890"]) {
      expect(read("attribute", text)).toEqual({ input: { externalId: "CS1", attributes: { shop: text } }, fault: null })
    }
    const changed = "is a number beyond 2^53, which would be changed; send it as a text"
    expect(read("attribute", `{"id":${id}}`).fault).toBe(`shop.id ${changed}`)
    expect(read("attributes", `{"ids":[1,${id}]}`).fault).toBe(`shop.ids[1] ${changed}`)
    expect(read("tags", `["a",${id}]`).fault).toBe(`shop[1] ${changed}`)
    expect(read("attributes", id).fault).toBe("shop must be a JSON object")
  })

  it("take JSON as it is", () => {
    const read = inputOf(
      "contacts",
      ["id", "tags", "attributes"],
      ["externalId", "tags", "attributes"],
      [42, ["a,b"], { plan: "pro" }]
    )
    expect(read.input).toEqual({ externalId: "42", tags: ["a,b"], attributes: { plan: "pro" } })
  })

  it("know names that every object has for what they are", () => {
    const columns = ["id", "constructor", "__proto__"]
    const targets = guess("contacts", columns)
    expect(targets).toEqual(["externalId", "attribute", "attribute"])
    expect(inputOf("contacts", columns, targets, ["u", "x", ""]).input).toEqual({
      externalId: "u",
      attributes: { constructor: "x" }
    })
    expect(rowsOf('{"id":"u"}', { position: 0, line: 1 }, { format: "ndjson", delimiter: "", columns }, true)).toEqual([
      expect.objectContaining({ values: ["u", undefined, undefined] })
    ])
  })

  it("refuse a row of which the service would refuse the whole request", () => {
    const devices = (platform: unknown) => inputOf("devices", ["token", "os"], ["token", "platform"], ["t", platform])
    expect(devices("iOS").input).toEqual({ token: "t", platform: "IOS" })
    expect(devices("windows").fault).toBe("os must be one of ios, android, web")
    for (const name of ["constructor", "__proto__"]) expect(devices(name).fault).toMatch("os must be one of")
    expect(devices(null).fault).toBe("os is missing")
    const long = inputOf("contacts", ["id", "x"], ["externalId", "text"], ["u", "ü".repeat(20_000)])
    expect(long.fault).toBe("is too long")
    const list = inputOf("contacts", ["id", "all"], ["externalId", "attributes"], ["u", "[1]"])
    expect(list.fault).toBe("all must be a JSON object")
    const all = (attributes: unknown) =>
      inputOf("contacts", ["id", "all"], ["externalId", "attributes"], ["u", attributes])
    const nested = (levels: number): unknown => (levels === 0 ? 1 : [nested(levels - 1)])
    // As deep as a request may be, less what is around the row.
    expect([all({ x: nested(27) }).fault, all({ x: nested(28) }).fault]).toEqual([null, "is nested too deep"])
    for (const text of ["a\0b", "half of \ud83d"]) {
      expect([all({ x: text }).fault, all({ [text]: 1 }).fault]).toEqual([
        "must not contain U+0000 or half of a surrogate pair",
        "must not contain U+0000 or half of a surrogate pair"
      ])
    }
    expect(all('{"x":1e999}').fault).toMatch("1.8e308")
    const proto = inputOf("contacts", ["id", "__proto__"], ["externalId", "attribute"], ["u", '{"a":1}'])
    expect([all('{"__proto__":{"a":1}}').fault, proto.fault]).toEqual(
      Array.from({ length: 2 }, () => "must not have the name __proto__")
    )
  })
})
