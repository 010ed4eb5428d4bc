import { describe, expect, it } from "vitest"
import {
  deliveryIdOf,
  eventIdOf,
  formatUuid,
  parseUuid,
  uuidFloor,
  uuidTime,
  uuidv7
} from "../../../services/domain/Ids.ts"

const UUIDV7 = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/

describe("uuidv7", () => {
  it("makes version 7 ids that carry their moment and sort by it", () => {
    const early = uuidv7(1_700_000_000_000)
    const late = uuidv7(1_700_000_000_001)
    expect(early).toMatch(UUIDV7)
    expect(uuidTime(early)).toBe(1_700_000_000_000)
    expect(early < late).toBe(true)
  })

  it("does not repeat itself", () => {
    const ids = new Set(Array.from({ length: 20_000 }, () => uuidv7(1)))
    expect(ids.size).toBe(20_000)
  })

  it("reads and writes the same bytes", () => {
    const id = uuidv7()
    expect(formatUuid(parseUuid(id))).toBe(id)
  })

  it("has a floor that no id of the moment is below, and every earlier id is", () => {
    const at = 1_700_000_000_123
    expect(uuidFloor(at) <= uuidv7(at)).toBe(true)
    expect(uuidv7(at - 1) < uuidFloor(at)).toBe(true)
  })
})

describe("deliveryIdOf", () => {
  it("is the same for the same pair and another for any other", () => {
    const notifications = Array.from({ length: 50 }, () => uuidv7())
    const recipients = Array.from({ length: 400 }, () => uuidv7())
    const ids = new Set(notifications.flatMap((n) => recipients.map((r) => deliveryIdOf(n, r))))
    expect(ids.size).toBe(50 * 400)
    expect(deliveryIdOf(notifications[0]!, recipients[0]!)).toBe(deliveryIdOf(notifications[0]!, recipients[0]!))
    for (const id of [...ids].slice(0, 100)) expect(id).toMatch(UUIDV7)
  })

  it("lies in the notification's moment", () => {
    const notification = uuidv7(1_600_000_000_000)
    expect(uuidTime(deliveryIdOf(notification, uuidv7()))).toBe(1_600_000_000_000)
  })
})

describe("eventIdOf", () => {
  it("gives each event of a chunk an id of its own, the same on every attempt", () => {
    const chunk = uuidv7()
    const ids = Array.from({ length: 1000 }, (_, index) => eventIdOf(chunk, index))
    expect(new Set(ids).size).toBe(1000)
    for (const id of ids) expect(id).toMatch(UUIDV7)
    expect(eventIdOf(chunk, 7)).toBe(ids[7])
  })
})
