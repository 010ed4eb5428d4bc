import { afterEach, describe, expect, it } from "vitest"
import { uuidTime } from "../../../services/domain/Ids.ts"
import { uuidv7 } from "../../../services/ports/NewId.ts"
import { goBy, now, precisely } from "../../../services/ports/Now.ts"

const ends: Array<() => void> = []
const go = (time: () => number) => {
  const back = goBy(time)
  ends.push(back)
  return back
}
afterEach(() => {
  for (const end of ends.splice(0)) end()
})

describe("now", () => {
  it("is the machine's time until somebody knows better", () => {
    const before = Date.now()
    expect(now()).toBeGreaterThanOrEqual(before)
    expect(now()).toBeLessThanOrEqual(Date.now())
  })

  it("is told in whole milliseconds by the clock that the process goes by, and so are ids", () => {
    go(() => 1_234_567_890_123.75)
    expect(now()).toBe(1_234_567_890_123)
    expect(precisely()).toBe(1_234_567_890_123.75)
    expect(uuidTime(uuidv7())).toBe(1_234_567_890_123)
  })

  it("is the machine's again when that clock ends, unless another one has come since", () => {
    const endFirst = go(() => 1)
    const endSecond = go(() => 2)
    endFirst()
    expect(now()).toBe(2)
    endSecond()
    expect(now()).toBeGreaterThan(2)
  })
})
