import { describe, expect, it } from "vitest"
import type { Linger } from "../../../../layers/postgres/server/Linger.ts"
import { lingerFor, lingerIfHarmless } from "../../../../layers/postgres/server/Linger.ts"
import { Chance } from "../../http2/Chance.ts"

/*
 * A model of calls that share statements (Coalesce.ts), in its own time: a statement under way takes a millisecond, those
 * who come meanwhile go together, and the first who finds nobody waiting lingers.
 */

const STATEMENT_MS = 1
const ENOUGH = 16

interface Client {
  /** When it calls first. */
  readonly from: number
  readonly waitsForAnswer: boolean
  /** When it calls next, after its last call, or after that call's answer if it waits for that. */
  readonly next: (last: number) => number
}

/** Calls at random moments, so many a second, whatever becomes of them; several clients who do not know each other. */
const steady = (chance: Chance, perSecond: number, from = 0): Client => ({
  from,
  waitsForAnswer: false,
  next: (called) => called + (-Math.log(1 - chance.below(1_000_000) / 1_000_000) * 1000) / perSecond
})

/** Calls again only when it was answered, after so many ms of work of its own. */
const oneByOne = (workMs: number, from = 0, until = Infinity): Client => ({
  from,
  waitsForAnswer: true,
  next: (answered) => (answered < until ? answered + workMs : Infinity)
})

interface Seen {
  /** Answered calls of each client, a second, in the second half of the time. */
  readonly rates: ReadonlyArray<number>
  /** Calls of a statement, on average over that half. */
  readonly together: number
  readonly longestMs: number
}

const simulate = (linger: Linger, clients: ReadonlyArray<Client>, seconds: number): Seen => {
  const end = seconds * 1000
  const half = end / 2
  const events = clients.map(({ from }, client) => ({ at: from, client }))
  let waiting: Array<{ readonly client: number; readonly at: number }> = []
  let lingersUntil = -Infinity
  let free = 0
  let statements = 0
  const answered = clients.map(() => 0)
  let longestMs = 0
  for (let now = 0; now < end;) {
    events.sort((a, b) => a.at - b.at)
    const nextCall = events[0]?.at ?? Infinity
    const isDue = waiting.length >= ENOUGH
    const start = waiting.length === 0 ? Infinity : Math.max(free, isDue ? now : lingersUntil)
    if (nextCall <= start) {
      const { at, client } = events.shift()!
      now = at
      const ms = linger.came(now)
      if (waiting.length === 0) lingersUntil = ms > 0 ? now + ms : now
      waiting.push({ client, at })
      const { next, waitsForAnswer } = clients[client]!
      if (!waitsForAnswer) events.push({ at: next(now), client })
      continue
    }
    now = Math.max(now, start)
    free = now + STATEMENT_MS
    if (now >= half) statements++
    for (const { at, client } of waiting) {
      if (now >= half) {
        answered[client]!++
        longestMs = Math.max(longestMs, free - at)
      }
      const { next, waitsForAnswer } = clients[client]!
      if (waitsForAnswer) events.push({ at: next(free), client })
    }
    waiting = []
  }
  const rates = answered.map((count) => (count * 1000) / half)
  return { rates, together: answered.reduce((sum, count) => sum + count, 0) / statements, longestMs }
}

/** The rates of the same clients where nobody waits. */
const alone = (clients: ReadonlyArray<Client>, seconds: number) => simulate(lingerFor(0), clients, seconds).rates
const MOST_MS = 50

describe("Calls that may wait for company", () => {
  for (const perSecond of [100, 200, 500, 1000]) {
    it(`do, where ${perSecond} a second come from people who do not know each other`, () => {
      const chance = new Chance(perSecond)
      const { longestMs, rates, together } = simulate(lingerIfHarmless(MOST_MS), [steady(chance, perSecond)], 120)
      expect(rates[0]! / perSecond).toBeGreaterThan(0.95)
      expect(together).toBeGreaterThan(perSecond === 100 ? 4 : 6)
      expect(longestMs).toBeLessThan(MOST_MS + 3 * STATEMENT_MS)
    })
  }

  for (const perSecond of [5, 20]) {
    it(`do not at ${perSecond} a second, where hardly anybody would come`, () => {
      const { longestMs } = simulate(lingerIfHarmless(MOST_MS), [steady(new Chance(perSecond), perSecond)], 120)
      expect(longestMs).toBeLessThan(5 * STATEMENT_MS)
    })
  }

  for (const workMs of [0.1, 1, 4, 9, 14]) {
    it(`keep nobody up who calls after ${workMs} ms of work on the last answer`, () => {
      const clients = [oneByOne(workMs)]
      const { rates } = simulate(lingerIfHarmless(MOST_MS), clients, 240)
      expect(rates[0]! / alone(clients, 240)[0]!).toBeGreaterThan(0.97)
    })
  }

  for (const [count, workMs] of [
    [2, 0.1],
    [8, 0.1],
    [3, 5],
    [2, 45],
    [5, 45],
    [10, 45],
    [20, 45],
    [20, 200]
  ] as const) {
    it(`keep ${count} clients up by little who each call after ${workMs} ms of work on the last answer`, () => {
      const clients = Array.from({ length: count }, (_, i) => oneByOne(workMs, i * 2))
      const { rates } = simulate(lingerIfHarmless(MOST_MS), clients, 600)
      expect(rates[0]! / alone(clients, 600)[0]!).toBeGreaterThan(0.85)
    })
  }

  it("keep one up by little who calls one by one among many who do not wait", () => {
    const clients = [steady(new Chance(1), 200), oneByOne(0.1, 30_000)]
    const { rates } = simulate(lingerIfHarmless(MOST_MS), clients, 240)
    expect(rates[1]! / alone(clients, 240)[1]!).toBeGreaterThan(0.85)
  })

  it("wait again when who called one by one is gone", () => {
    const clients = [steady(new Chance(2), 200), oneByOne(0.1, 0, 60_000)]
    const { together } = simulate(lingerIfHarmless(MOST_MS), clients, 400)
    expect(together).toBeGreaterThan(5)
  })

  it("begin to wait within a second, also after a silence", () => {
    const linger = lingerIfHarmless(MOST_MS)
    for (const from of [0, 10_000, 100_000]) {
      let first: number | undefined
      for (let at = from; at < from + 1000; at += 5) {
        if (linger.came(at) > 0) first ??= at
      }
      expect(first! - from).toBeLessThan(500)
    }
  })

  it("wait less, the more often calls come, and not at all where statements bring them together anyway", () => {
    const waits = [80, 200, 400, 1000, 4000].map((perSecond) => {
      const linger = lingerIfHarmless(MOST_MS)
      let longest = 0
      for (let i = 0; i < perSecond; i++) longest = Math.max(longest, linger.came((i * 1000) / perSecond))
      return Math.round(longest)
    })
    expect(waits).toEqual([50, 50, 30, 12, 0])
  })
})
