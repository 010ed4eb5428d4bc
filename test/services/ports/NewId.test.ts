import { describe, expect, it } from "vitest"
import { formatUuid, parseUuid, uuidFloor, uuidTime } from "../../../services/domain/Ids.ts"
import { uuidv7, uuidv7InOrder } from "../../../services/ports/NewId.ts"
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

describe("uuidv7InOrder", () => {
  const START = 1_900_000_000_000
  const by = <A>(time: () => number, work: () => A): A => {
    const goBack = goBy(time)
    try {
      return work()
    } finally {
      goBack()
    }
  }
  const some = (length: number) => Array.from({ length }, () => uuidv7InOrder())

  it("makes ids that ascend while the clock stands still, more than a millisecond has room for", () => {
    const ids = by(
      () => START,
      () => some(10_000)
    )
    expect(ids.every((id) => UUIDV7.test(id))).toBe(true)
    expect(new Set(ids).size).toBe(ids.length)
    expect(ids).toEqual(ids.toSorted())
    expect(uuidTime(ids.at(-1)!) - START).toBe(2)
  })

  it("goes on ascending when the clock is set back a little, and by the clock when it is set back far", () => {
    const [before] = by(
      () => START + 60_000,
      () => some(1)
    )
    const ids = by(
      () => START + 55_000,
      () => some(10)
    )
    expect([before, ...ids]).toEqual([before, ...ids].toSorted())
    const [later] = by(
      () => START + 20_000,
      () => some(1)
    )
    expect(uuidTime(later!)).toBe(START + 20_000)
  })
})
