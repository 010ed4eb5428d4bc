/*
 * How long a call waits for company before it becomes a statement. Company makes calls cheap, and waiting harms whoever
 * sends the next call only when the last one is answered. Which of the two it is cannot be seen in when calls come, but
 * in what waiting does to it: those who do not wait for answers come as often as before.
 */

export interface Linger {
  /** A call has come, at this time of `performance.now()`. Answers how long (ms) it waits if it finds nobody waiting. */
  readonly came: (now: number) => number
  /** What was answered last. */
  readonly ms: () => number
}

export const lingerFor = (ms: number): Linger => ({ came: () => ms, ms: () => ms })

/** Calls that should come while one waits: more would make a call little cheaper, fewer than the second are not worth it. */
const COMPANY = 12
const LEAST_COMPANY = 3
/** Where it would take less than that (ms) for so many to come, statements that are under way bring them together. */
const LEAST_MS = 4
/** What comes after so long (ms) has nothing to do with what came before. */
const IDLE_MS = 500
/** How long nobody waits (ms) to see how often calls come by themselves, and how many have to come for that. */
const LOOK_MS = 100
const LOOK_CALLS = 20
/** How long they wait between two looks (ms): at first, and when it has harmed nobody for long. */
const FIRST_TURN_MS = 2000
const LAST_TURN_MS = 8000
/** How long nobody waits (ms) after it was seen to harm: at first, and when it has again and again. */
const FIRST_PAUSE_MS = 2000
const LAST_PAUSE_MS = 64_000
/** Looks within a turn: when so many calls should have come, twice as many, and so on. */
const FIRST_CHECK = 32
/** What is left of earlier turns, beside the last one, when they are judged together. */
const KEPT = 0.9
/** Calls that come less often than this share of before are held up, if chance does not explain it (standard deviations). */
const HARMED = 0.85
const CHANCE = 2.5

interface Seen {
  readonly calls: number
  readonly ms: number
}
const NOTHING: Seen = { calls: 0, ms: 0 }

const added = (earlier: Seen, last: Seen): Seen => ({
  calls: earlier.calls * KEPT + last.calls,
  ms: earlier.ms * KEPT + last.ms
})

/** Whether fewer calls came while they waited than would have by themselves. */
const harms = (waiting: Seen, alone: Seen): boolean => {
  if (waiting.ms === 0 || alone.calls === 0) return false
  const expected = (alone.calls / alone.ms) * waiting.ms
  const deviation = Math.sqrt(expected + expected ** 2 / alone.calls)
  return waiting.calls < HARMED * expected - CHANCE * deviation
}

/**
 * Lets calls wait for `mostMs` at most, if enough others come meanwhile, and as long as no fewer come because of it. Phases
 * take turns: in a look nobody waits, in a turn everybody does; the two are held against each other. After harm there is a
 * pause, twice as long each time.
 */
export const lingerIfHarmless = (mostMs: number): Linger => {
  let lastAt = -Infinity
  /** Of the phase under way. */
  let since = 0
  let calls = 0
  /** How long calls wait in this phase; 0 in a look. */
  let waitMs = 0
  let turnMs = FIRST_TURN_MS
  let nextCheck = FIRST_CHECK
  let pauseMs = FIRST_PAUSE_MS
  let pausedUntil = -Infinity
  /** Of the last look and turn, and of all until now. */
  let look = NOTHING
  let turn = NOTHING
  let looks = NOTHING
  let turns = NOTHING

  const begin = (now: number, ms: number): void => {
    since = now
    calls = 0
    waitMs = ms
    nextCheck = FIRST_CHECK
  }
  const forget = (): void => {
    look = turn = looks = turns = NOTHING
  }
  const pause = (now: number): void => {
    pausedUntil = now + pauseMs
    pauseMs = Math.min(2 * pauseMs, LAST_PAUSE_MS)
    turnMs = FIRST_TURN_MS
    forget()
    begin(now, 0)
  }

  /** How long to wait for enough company where so many calls come in a millisecond. */
  const waitFor = (rate: number): number => {
    const ms = Math.min(COMPANY / rate, mostMs)
    return ms < LEAST_MS || ms * rate < LEAST_COMPANY ? 0 : ms
  }

  const endLook = (now: number, seen: Seen): void => {
    look = seen
    looks = added(looks, seen)
    if (harms(turn, look) || harms(turns, looks)) return pause(now)
    if (turn.ms > 0) {
      // It has harmed nobody.
      turnMs = Math.min(2 * turnMs, LAST_TURN_MS)
      if (turnMs === LAST_TURN_MS) pauseMs = FIRST_PAUSE_MS
    }
    const ms = waitFor(look.calls / look.ms)
    if (ms === 0) forget()
    begin(now, ms)
  }

  const endTurn = (now: number, seen: Seen): void => {
    turn = seen
    turns = added(turns, seen)
    begin(now, 0)
  }

  const isCheckDue = ({ ms }: Seen): boolean => {
    const expected = (look.calls / look.ms) * ms
    if (expected < nextCheck) return false
    nextCheck *= 2
    return true
  }

  return {
    came: (now) => {
      if (now - lastAt > IDLE_MS) {
        forget()
        begin(now, 0)
        calls = -1
      }
      lastAt = now
      if (now < pausedUntil) return 0
      if (pausedUntil > -Infinity) {
        // The first after a pause.
        pausedUntil = -Infinity
        begin(now, 0)
        return 0
      }
      calls++
      const seen = { calls, ms: now - since }
      if (waitMs === 0) {
        if (seen.ms >= LOOK_MS && calls >= LOOK_CALLS) endLook(now, seen)
      } else if (isCheckDue(seen) && harms(seen, look)) pause(now)
      else if (seen.ms >= turnMs) endTurn(now, seen)
      return waitMs
    },
    ms: () => waitMs
  }
}
