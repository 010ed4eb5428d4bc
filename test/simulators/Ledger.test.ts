import { expect, it } from "vitest"
import { Ledger } from "../../simulators/Ledger.ts"

it("tells every message's count, the duplicates, and how many different ones there are", () => {
  const ledger = new Ledger()
  expect(ledger.add("n", "a")).toBe(1)
  expect(ledger.add("n", "a")).toBe(2)
  expect(ledger.add("n", "b")).toBe(1)
  expect(ledger.add("", "alone")).toBe(1)
  expect(new Map(ledger.entries())).toEqual(
    new Map([
      ["n:a", 2],
      ["n:b", 1],
      ["alone", 1]
    ])
  )
  expect([ledger.accepted, ledger.duplicates, ledger.distinct("n"), ledger.distinct("m")]).toEqual([4, 1, 2, 0])
  ledger.clear()
  expect([ledger.accepted, ledger.duplicates, [...ledger.entries()].length]).toEqual([0, 0, 0])
})
