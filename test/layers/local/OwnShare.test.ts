import { expect, it } from "@effect/vitest"
import { OwnShare } from "../../../layers/local/OwnShare.ts"

/** A share over a thread that computes as much of each millisecond as `load` says, asked once a millisecond. */
const setUp = () => {
  const thread = { load: 0, cpu: 0, now: 1000 }
  const share = new OwnShare(
    () => thread.cpu,
    () => thread.now
  )
  /** Which part of so many turns is the process' own. */
  const part = (turns: number, load: (last: number) => number): number => {
    let own = 0
    for (let i = 0; i < turns; i++) {
      thread.now++
      thread.cpu += load(own / Math.max(1, i))
      if (share.isNext()) own++
    }
    return own / turns
  }
  return { thread, share, part }
}

it("OwnShare is all, from the first turn on, while the thread has time left", () => {
  const { part } = setUp()
  expect(part(5000, () => 0.89)).toBe(1)
})

it("OwnShare is nothing after half a second with a full thread, and all again half a second after it", () => {
  const { part } = setUp()
  part(500, () => 1)
  expect(part(1000, () => 1)).toBe(0)
  part(500, () => 0.5)
  expect(part(1000, () => 0.5)).toBe(1)
})

it("OwnShare stays where the thread is neither full nor idle", () => {
  const { part } = setUp()
  part(250, () => 1)
  const part1 = part(1000, () => 0.93)
  expect(part1).toBeGreaterThan(0)
  expect(part1).toBeLessThan(1)
  expect(part(1000, () => 0.93)).toBeCloseTo(part1, 1)
})

it("OwnShare makes nothing of a pause: a process that slept, or was stopped, has the share that it had", () => {
  const { part, thread } = setUp()
  part(500, () => 1)
  thread.now += 3_600_000
  expect(part(50, () => 1)).toBeLessThan(0.2)
})
