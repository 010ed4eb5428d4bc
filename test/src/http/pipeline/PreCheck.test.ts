import { describe, expect, it } from "@effect/vitest"
import { Result, Schema } from "effect"
import { RegisterDevice } from "../../../../services/domain/audience/Device.ts"
import { SendNotification } from "../../../../services/domain/sending/Notification.ts"
import { soundness } from "../../../../src/http/pipeline/PreCheck.ts"

const ID = "01890a5d-ac96-774b-bcce-b302099a8057"

const push = { to: { device_ids: [ID] }, content: { title: "Hello", body: "Light" }, priority: "high", ttl: 60 }
const mailing = { to: { tags_any: ["news"], platforms: ["ios"] }, content: { title: "Hello" }, collapse_key: "a" }
const device = {
  token: "a".repeat(64),
  platform: "ios",
  user_id: "user-1",
  tags: ["news", "beta"],
  timezone: "Europe/Berlin"
}

/** What may stand anywhere in a body, right or wrong. */
const VALUES = [
  undefined,
  null,
  true,
  false,
  0,
  -1,
  1.5,
  2_419_201,
  "",
  "x",
  "high",
  "ios",
  "x\u0000",
  "y".repeat(70_000),
  ID,
  ID.toUpperCase(),
  "Europe/Berlin",
  "Mars/Olympus",
  "2026-12-24",
  [],
  [null],
  ["x"],
  [ID],
  ["ios", "ios"],
  {},
  { x: 1 },
  { all: true },
  { tags_any: ["a"] },
  { title: "t" },
  { device_ids: [ID], all: true }
]

/** The body with each of its parts replaced by each of the values, removed, or with a field more. */
const variantsOf = (body: unknown): ReadonlyArray<unknown> => {
  if (typeof body !== "object" || body === null) return VALUES
  const names = Object.keys(body)
  const copy = (name: string, value: unknown) =>
    Array.isArray(body) ? body.with(Number(name), value) : { ...body, [name]: value }
  return [
    ...VALUES,
    ...names.flatMap((name) => variantsOf(body[name as never]).map((value) => copy(name, value))),
    ...(Array.isArray(body)
      ? []
      : names.map((left) => Object.fromEntries(Object.entries(body).filter(([name]) => name !== left)))),
    ...(Array.isArray(body)
      ? []
      : ["zone", "send_at", "channels", "metadata", "platform"].flatMap((name) =>
          VALUES.map((value) => ({ ...body, [name]: value }))
        ))
  ]
}

describe("soundness", () => {
  it("is sure of the bodies that come most", () => {
    expect([push, mailing].map(soundness(SendNotification))).toEqual([true, true])
    expect(soundness(RegisterDevice)(device)).toBe(true)
    expect(soundness(RegisterDevice)({ ...device, user_id: null, environment: "sandbox" })).toBe(true)
  })

  it.each([
    ["a push", SendNotification, push],
    ["a mailing", SendNotification, mailing],
    ["a registration", RegisterDevice, device]
  ])("never differs from the decoder where it is sure: %s and its variants", (_, schema, body) => {
    const isSound = soundness(schema)
    const decode = Schema.decodeUnknownResult(schema as Schema.Decoder<unknown>, {
      errors: "all",
      onExcessProperty: "error"
    })
    const variants = variantsOf(body)
    const sure = variants.filter(isSound)
    for (const variant of sure) expect(decode(variant)).toEqual(Result.succeed(variant))
    expect(sure.length).toBeGreaterThan(5)
    expect(sure.length).toBeLessThan(variants.length)
  })

  it("leaves to the decoder what becomes something else, and what it does not know", () => {
    const isSound = soundness(Schema.Struct({ n: Schema.NumberFromString, m: Schema.optionalKey(Schema.Int) }))
    expect(isSound({ n: "1" })).toBe(false)
    expect(soundness(Schema.Record(Schema.String, Schema.Json))({ a: 1 })).toBe(false)
    expect(soundness(Schema.Tuple([Schema.String]))(["a"])).toBe(false)
  })

  it("asks all checks of a value, those of a group too", () => {
    const schema = Schema.String.check(Schema.isMinLength(2).and(Schema.isMaxLength(3)))
    expect(["a", "ab", "abcd"].map(soundness(schema))).toEqual([false, true, false])
  })
})
