import { afterEach, beforeEach, expect, it, vi } from "vitest"
import { Turns } from "../../../../services/domain/operations/Turns.ts"

beforeEach(() => vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

/** Who has come in, and how they leave or wait no longer. */
const make = () => {
  const turns = new Turns()
  const there: Array<string> = []
  const come = (name: string, owner = name) => turns.enter(owner, 1, () => void there.push(name))
  return { come, there }
}

it("Turns are one at a time, and come after a break that is as long as the turn before.", () => {
  const { come, there } = make()
  const leave = come("a")
  come("b")
  vi.advanceTimersByTime(10)
  expect(there).toEqual(["a"])
  leave()
  leave()
  vi.advanceTimersByTime(9)
  expect(there).toEqual(["a"])
  vi.advanceTimersByTime(1)
  expect(there).toEqual(["a", "b"])
})

it("Owners have turns one after the other, however many each waits for.", () => {
  const { come, there } = make()
  const leaves = [come("a1", "a")]
  for (const name of ["a2", "a3", "a4"]) leaves.push(come(name, "a"))
  leaves.push(come("b1", "b"), come("c1", "c"), come("b2", "b"))
  // Each that is in leaves; who waits must not.
  const left = new Set<number>()
  const order = ["a1", "a2", "a3", "a4", "b1", "c1", "b2"]
  while (left.size < order.length) {
    const at = order.indexOf(there.at(-1)!)
    left.add(at)
    leaves[at]!()
    vi.advanceTimersByTime(1)
  }
  expect(there).toEqual(["a1", "a2", "b1", "c1", "a3", "b2", "a4"])
})

it("Who waits no longer is passed over, and a turn that nobody waits for is free after its break.", () => {
  const { come, there } = make()
  const leave = come("a")
  const wait = [come("b"), come("b2", "b"), come("c")]
  wait[0]!()
  wait[2]!()
  leave()
  vi.advanceTimersByTime(1)
  expect(there).toEqual(["a", "b2"])
  wait[1]!()
  come("d")
  expect(there).toEqual(["a", "b2"])
  vi.advanceTimersByTime(1)
  expect(there).toEqual(["a", "b2", "d"])
})

it("A process that slept in a turn makes no break of it.", () => {
  const { come, there } = make()
  const leave = come("a")
  come("b")
  vi.advanceTimersByTime(40_000)
  leave()
  vi.advanceTimersByTime(50)
  expect(there).toEqual(["a", "b"])
})
