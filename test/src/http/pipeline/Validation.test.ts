import { describe, expect, it } from "vitest"
import { Result, Schema } from "effect"
import { RegisterDevice } from "../../../../services/domain/audience/Device.ts"
import { UpsertContact } from "../../../../services/domain/audience/Contact.ts"
import { SendNotification } from "../../../../services/domain/sending/Notification.ts"
import { CreateSegment } from "../../../../services/domain/audience/Segment.ts"
import { CreateWorkflow } from "../../../../services/domain/workflows/Workflow.ts"
import { decoder } from "../../../../src/http/pipeline/Validation.ts"

const ID = "01890a5d-ac96-774b-bcce-b302099a8057"

/** A list that counts how often somebody looks at one of its elements. */
const watched = (items: ReadonlyArray<unknown>) => {
  let looks = 0
  const list = new Proxy(items, {
    get: (target, name) => {
      if (typeof name === "string" && /^\d+$/.test(name)) looks++
      return Reflect.get(target, name) as unknown
    }
  })
  return { list, looks: () => looks }
}

const mistakesOf = (schema: Schema.ConstraintDecoder<unknown>, body: unknown) => {
  const read = decoder(schema)(body)
  if (Result.isSuccess(read)) throw new Error("nothing is wrong")
  return read.failure
}

describe("decoder", () => {
  it("looks at no more of a list that is too long than the schema allows, and says that it is", () => {
    const { list, looks } = watched(Array.from({ length: 348_000 }, () => ({})))
    const { details } = mistakesOf(CreateSegment, { name: "x", filter: { attributes: list } })
    expect(details[0]).toEqual({
      field: "filter.attributes",
      message: "must have a length of at most 20"
    })
    expect(details.length).toBeLessThanOrEqual(20)
    expect(looks()).toBeLessThan(100)
  })

  it("stops looking at a list when it has found as many mistakes as it shows", () => {
    const { list, looks } = watched(Array.from({ length: 10_000 }, () => 7))
    const { details, message } = mistakesOf(SendNotification, { to: { device_ids: list }, content: { title: "t" } })
    expect(details).toHaveLength(20)
    expect(details[0]!.field).toBe("to.device_ids[0]")
    expect(message).toContain("(and at least 19 more)")
    expect(looks()).toBeLessThan(100)
  })

  it("finds what is wrong behind thousands that are right, and tells all that is wrong beside it", () => {
    const ids = [...Array.from({ length: 9_998 }, () => ID), "wrong", ID]
    const { details } = mistakesOf(SendNotification, { to: { device_ids: ids }, content: { title: 7 }, ttl: -1 })
    expect(details.map(({ field }) => field).sort()).toEqual(["content.title", "to.device_ids[9998]", "ttl"])
  })

  it("names the first unknown fields of thousands", () => {
    const many = Object.fromEntries(Array.from({ length: 50_000 }, (_, i) => [`k${i}`, i]))
    const { details } = mistakesOf(RegisterDevice, { platform: "android", token: 7, ...many })
    expect(details).toHaveLength(20)
    expect(details[0]).toEqual({ field: "k0", message: "is not a known field" })
  })

  it("writes no half of a surrogate pair, of names that it cuts or that were sent so", () => {
    for (const name of [`${"a".repeat(99)}😀😀`, "half \ud83d"]) {
      const { details, message } = mistakesOf(UpsertContact, { external_id: "u", [name]: 1 })
      expect(details).toHaveLength(1)
      expect([details[0]!.field, message].every((text) => text.isWellFormed())).toBe(true)
      expect(details[0]!.field).toContain("\ufffd")
    }
  })

  it("says what a field may be, null among it", () => {
    expect(mistakesOf(UpsertContact, { external_id: "u", locale: 5, email: {} }).details).toEqual([
      { field: "email", message: "must be a string or null" },
      { field: "locale", message: "must be a string or null" }
    ])
  })

  it("says which kinds there are of what has to be one of several", () => {
    const trigger = { type: "event", event: "bought" }
    const wrong = (body: object) => mistakesOf(CreateWorkflow, { name: "n", trigger, ...body }).details
    const [kind] = wrong({ steps: [{ key: "w", type: "WAIT" }] })
    expect(kind).toEqual({
      field: "steps[0].type",
      message: expect.stringMatching(/^must be "SEND" or "DELAY" or .*"WAIT_FOR"/)
    })
    expect(wrong({ steps: [{ key: "w" }] })).toEqual([{ field: "steps[0].type", message: "is required" }])
    expect(wrong({ steps: ["SEND"] })).toEqual([{ field: "steps[0]", message: "must be an object" }])
    const branch = { key: "b", type: "BRANCH", branches: [{ conditions: {}, steps: [{ key: "x", type: "send" }] }] }
    expect(wrong({ steps: [branch] })[0]).toMatchObject({ field: expect.stringMatching(/^steps\[0\]\.branches\[0\]/) })
    const [triggered] = wrong({ trigger: { type: "evnt" }, steps: [] })
    expect(triggered).toEqual({ field: "trigger.type", message: expect.stringContaining('"event" or ') })
  })

  it("says each mistake once, and of what is empty nothing else", () => {
    const contact = mistakesOf(UpsertContact, { external_id: "u", email: "nobody" })
    expect(contact.details).toEqual([{ field: "email", message: "must be an e-mail address" }])
    expect(contact.message).toBe("The request is not valid: email must be an e-mail address.")
    const segment = mistakesOf(CreateSegment, { name: "", filter: { attributes: [] } })
    expect(segment.details).toEqual([
      { field: "name", message: "must not be empty" },
      { field: "filter.attributes", message: "must not be empty" }
    ])
    const body = { to: { all: true }, content: { title: "t" }, collapse_key: "" }
    expect(mistakesOf(SendNotification, body).details).toEqual([
      { field: "collapse_key", message: "must not be empty" }
    ])
  })

  it("refuses what nobody can see in an excerpt all the same", () => {
    const body: unknown = JSON.parse('{"platform":"android","token":"t","__proto__":1}')
    expect(mistakesOf(RegisterDevice, body).details).toEqual([{ field: "__proto__", message: "is not a known field" }])
  })
})
