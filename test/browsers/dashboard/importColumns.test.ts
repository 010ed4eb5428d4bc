import { describe, expect, it } from "vitest"
import { guess, inputOf, obstacleOf } from "../../../dashboard/src/imports/columns.ts"

describe("columns", () => {
  it("are known by their names, and once each", () => {
    const columns = ["Customer ID", "E-Mail", "user_id", "Tags", "plan", "created_at", "ZIP code"]
    expect(guess("contacts", columns)).toEqual(["externalId", "email", "attribute", "tags", "attribute", "", "text"])
    expect(guess("devices", ["Device token", "OS", "metadata"])).toEqual(["token", "platform", "attributes"])
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

  it("take JSON as it is", () => {
    const read = inputOf(
      "contacts",
      ["id", "tags", "attributes"],
      ["externalId", "tags", "attributes"],
      [42, ["a,b"], { plan: "pro" }]
    )
    expect(read.input).toEqual({ externalId: "42", tags: ["a,b"], attributes: { plan: "pro" } })
  })

  it("refuse a row of which the service would refuse the whole request", () => {
    const devices = (platform: unknown) => inputOf("devices", ["token", "os"], ["token", "platform"], ["t", platform])
    expect(devices("iOS").input).toEqual({ token: "t", platform: "IOS" })
    expect(devices("windows").fault).toBe("os must be one of ios, android, web")
    expect(devices(null).fault).toBe("os is missing")
    const long = inputOf("contacts", ["id", "x"], ["externalId", "text"], ["u", "ü".repeat(20_000)])
    expect(long.fault).toBe("is too long")
    const list = inputOf("contacts", ["id", "all"], ["externalId", "attributes"], ["u", "[1]"])
    expect(list.fault).toBe("all must be a JSON object")
  })
})
