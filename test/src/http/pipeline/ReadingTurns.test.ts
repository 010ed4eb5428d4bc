import { Deferred, Effect, Fiber } from "effect"
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest"
import { ApiError } from "../../../../src/http/pipeline/ApiError.ts"
import { LargeBodies } from "../../../../src/http/pipeline/LargeBodies.ts"
import { ReadingTurns, readInTurns, withBody } from "../../../../src/http/pipeline/ReadingTurns.ts"
import { refusal } from "../../../../src/http/pipeline/Refusals.ts"
import { WaitLimiter, within } from "../../../../src/http/pipeline/WaitLimiter.ts"

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
})

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

it("Who waits too long for a turn is told so, and the database is not taken for silent.", async () => {
  // 20 owners have 20 items each, of a turn and a break each: ten seconds.
  const others = ITEMS.map((owner) =>
    Effect.runFork(
      readInTurns(
        `other ${owner}`,
        ITEMS,
        slowly(() => {})
      )
    )
  )
  const waitLimiter = new WaitLimiter((defect) => expect(defect).toBeUndefined())
  const late = within(
    { waitLimiter, left: 30 },
    readInTurns("late", ITEMS, (n) => n)
  )
  const error = refusal(await Effect.runPromise(Effect.flip(late)))
  expect(error.code).toBe("unavailable")
  expect(error.message).toBe(
    "Many long requests wait to be read at the moment. Try again after Retry-After seconds, with fewer at once."
  )
  expect(error.headers).toEqual({ "retry-after": "2" })
  const waits = ITEMS.map(() => waitLimiter.begin(60_000, () => expect.fail("nobody waits so long here")))
  expect(waitLimiter.isFull).toBe(false)
  for (const wait of waits) waitLimiter.end(wait, false)
  await Effect.runPromise(Fiber.interruptAll(others))
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

describe("turns at reading", () => {
  beforeEach(() => vi.useFakeTimers())
  afterEach(() => void vi.useRealTimers())

  /** Who has come in, and how they leave or wait no longer. */
  const make = () => {
    const turns = new ReadingTurns()
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
})

describe("a long body", () => {
  /** Takes twenty times its length when it is read. */
  const body = Buffer.from(`[${"{},".repeat(50_000)}{}]`)
  const count = (bodies: LargeBodies) => {
    const leaves: Array<() => void> = []
    for (let leave = bodies.enter("a", body); typeof leave === "function"; leave = bodies.enter("a", body))
      leaves.push(leave)
    for (const leave of leaves) leave()
    return leaves.length
  }

  it("has its room in memory until its work is over, however that ends", async () => {
    const bodies = new LargeBodies()
    const all = count(bodies)
    expect(all).toBeGreaterThan(5)
    const during: Array<number> = []
    const note = Effect.sync(() => void during.push(count(bodies)))
    const read = () => body.length
    await Effect.runPromise(withBody(bodies, "a", body, read, () => note))
    await Effect.runPromiseExit(withBody(bodies, "a", body, read, () => Effect.andThen(note, Effect.fail("wrong"))))
    await Effect.runPromiseExit(
      withBody(
        bodies,
        "a",
        body,
        () => {
          during.push(count(bodies))
          throw new Error("broken")
        },
        () => note
      )
    )
    const ended = Effect.runFork(withBody(bodies, "a", body, read, () => Effect.andThen(note, Effect.never)))
    await vi.waitFor(() => expect(during).toHaveLength(4))
    await Effect.runPromise(Fiber.interrupt(ended))
    expect(during).toEqual([all - 1, all - 1, all - 1, all - 1])
    expect(count(bodies)).toBe(all)
  })

  it("takes as much as it is long while it waits for its turn, and is refused where there is no room to read it", async () => {
    const bodies = new LargeBodies()
    const all = count(bodies)
    const arrived = Array.from({ length: 5 * all }, () => bodies.arrive("a", body))
    for (const leave of arrived) {
      if (leave instanceof ApiError) throw leave
      leave()
    }
    // More than are read at once, of which each waits until the last has come.
    const gate = Deferred.makeUnsafe<void>()
    const posts = Array.from({ length: 2 * all }, () =>
      Effect.runPromise(
        Effect.match(
          withBody(
            bodies,
            "a",
            body,
            () => body.length,
            () => Deferred.await(gate)
          ),
          { onFailure: ({ code }) => code, onSuccess: () => "done" }
        )
      )
    )
    await Promise.race(posts)
    expect(count(bodies)).toBe(0)
    Effect.runSync(Deferred.succeed(gate, undefined))
    const ends = await Promise.all(posts)
    expect(ends.filter((end) => end === "done").length).toBeGreaterThanOrEqual(all)
    expect(ends).toContain("unavailable")
    expect(count(bodies)).toBe(all)
  })
})
