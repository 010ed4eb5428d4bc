import { describe, expect, it } from "vitest"
import { formatUuid, parseUuid, uuidFloor, uuidTime } from "../../../services/domain/Ids.ts"
import { uuidv7 } from "../../../services/ports/NewId.ts"
import { goBy } from "../../../services/ports/Now.ts"

const UUIDV7 = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/

describe("uuidv7", () => {
  it("makes version 7 ids that carry their moment and sort by it", () => {
    const early = uuidv7(1_700_000_000_000)
    const late = uuidv7(1_700_000_000_001)
    expect(early).toMatch(UUIDV7)
    expect(uuidTime(early)).toBe(1_700_000_000_000)
    expect(early < late).toBe(true)
  })

  it("makes ids of one millisecond in the order of their making, from a start that nobody knows", () => {
    const starts = new Set<string>()
    for (let at = 1; at <= 100; at++) {
      const ids = Array.from({ length: 2000 }, () => uuidv7(at))
      expect(ids).toEqual(ids.toSorted())
      starts.add(ids[0]!.slice(14, 18))
    }
    expect(starts.size).toBeGreaterThan(50)
  })

  it("goes on in order when the clock is set back by a little, and follows it when it is set", () => {
    let time = 1_700_000_000_000
    const back = goBy(() => time)
    try {
      const before = uuidv7()
      time -= 900
      const after = uuidv7()
      expect(before < after).toBe(true)
      expect(uuidTime(after)).toBe(1_700_000_000_000)
      time -= 200
      expect(uuidTime(uuidv7())).toBe(1_700_000_000_000 - 1_100)
    } finally {
      back()
    }
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
