import { describe, expect, it } from "vitest"
import { countedOn, NOTHING, rateOf } from "../../../dashboard/src/notifications/rate.ts"

const START = 1_000_000

/** What is counted at moments after the start, with a stream that has spoken all the while. */
const counted = (pairs: ReadonlyArray<readonly [at: number, done: number]>) =>
  pairs.reduce(
    (before, [at, done]) => countedOn(before, START + at, done, { at: START + at, since: START - 60_000 }),
    NOTHING
  )

const rate = (pairs: ReadonlyArray<readonly [at: number, done: number]>) => {
  const at = START + pairs.at(-1)![0]
  return rateOf(counted(pairs), at, { at, since: START - 60_000 })
}

describe("the rate of a notification", () => {
  const BEGUN = [
    [0, 0],
    [1_000, 100],
    [2_000, 200]
  ] as const

  it("is by the time that has passed, however often the page was let count", () => {
    expect(rate([...BEGUN, [4_500, 450]])).toMatchObject({ perSecond: 100, history: [100, 100] })
  })

  it("is over the last seconds", () => {
    const pairs = Array.from({ length: 20 }, (_, i) => [i * 1_000, i < 10 ? i * 100 : 900] as const)
    expect(rate(pairs)).toMatchObject({ perSecond: 0, stalledSeconds: 10 })
  })

  it("begins anew after a gap, also when what moved meanwhile comes a moment later, and keeps its history", () => {
    const slept = [...BEGUN, [62_000, 200], [63_000, 114_000]] as const
    expect(rate(slept)).toEqual({ perSecond: 0, history: [100], stalledSeconds: 0 })
    const awake = [...slept, [64_000, 114_100], [65_000, 114_200]] as const
    expect(rate(awake)).toMatchObject({ perSecond: 100, history: [100, 100, 100] })
  })

  it("leaves out what moved while there was no stream, and what a new one begins with", () => {
    const at = START + 3_000
    for (const since of [Infinity, at - 500]) {
      const after = countedOn(counted(BEGUN), at, 114_000, { at: START, since })
      expect(rateOf(after, at, { at, since })).toEqual({ perSecond: 0, history: [100], stalledSeconds: 0 })
    }
  })

  it("is not said to stall while nobody says so", () => {
    const still = counted(Array.from({ length: 40 }, (_, i) => [i * 1_000, 100] as const))
    const at = START + 39_000
    expect(rateOf(still, at, { at: at - 15_000, since: START }).stalledSeconds).toBe(38)
    expect(rateOf(still, at, { at: at - 21_000, since: START }).stalledSeconds).toBe(0)
  })
})
