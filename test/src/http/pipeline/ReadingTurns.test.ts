import { Effect, Fiber } from "effect"
import { expect, it } from "vitest"
import { readInTurns } from "../../../../src/http/pipeline/ReadingTurns.ts"

const ITEMS = Array.from({ length: 20 }, (_, n) => n)

/** Takes longer than a turn. */
const slowly = (done: () => void) => (n: number) => {
  const until = performance.now() + 12
  while (performance.now() < until);
  done()
  return n
}

it("What is to be read for one owner in many requests leaves every second turn to another owner.", async () => {
  const read: Array<string> = []
  const reading = (owner: string) =>
    Effect.runPromise(
      readInTurns(
        owner,
        ITEMS,
        slowly(() => void read.push(owner))
      )
    )
  const all = [reading("a"), reading("a"), reading("a"), reading("b")]
  expect(await Promise.all(all)).toEqual([ITEMS, ITEMS, ITEMS, ITEMS])
  // The last of b's has come when a has had no more than it, but for what was before b's first.
  const mine = read.slice(0, read.lastIndexOf("b") + 1)
  expect(mine.filter((owner) => owner === "a").length).toBeLessThanOrEqual(ITEMS.length + 2)
}, 20_000)

it("Everything else goes on between two turns.", async () => {
  let turns = 0
  let others = 0
  const reading = Effect.runFork(
    readInTurns(
      "a",
      ITEMS,
      slowly(() => turns++)
    )
  )
  const timer = setInterval(() => others++, 1)
  await Effect.runPromise(Fiber.join(reading))
  clearInterval(timer)
  expect(turns).toBe(ITEMS.length)
  expect(others).toBeGreaterThan(ITEMS.length)
})

it("A request that ends while it is read, or waits, takes nobody's turn.", async () => {
  const begun: Array<number> = []
  const first = Effect.runFork(
    readInTurns(
      "a",
      ITEMS,
      slowly(() => begun.push(1))
    )
  )
  const waiting = Effect.runFork(
    readInTurns(
      "b",
      ITEMS,
      slowly(() => begun.push(2))
    )
  )
  await Effect.runPromise(Fiber.interrupt(waiting))
  await Effect.runPromise(Fiber.interrupt(first))
  expect(await Effect.runPromise(readInTurns("c", ITEMS, (n) => n + 1))).toEqual(ITEMS.map((n) => n + 1))
})

it("A few items wait for nobody.", () => {
  expect(Effect.runSync(readInTurns("a", ITEMS.slice(0, 8), (n) => n))).toEqual(ITEMS.slice(0, 8))
})
