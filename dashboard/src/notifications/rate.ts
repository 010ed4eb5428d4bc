import type { RefObject } from "react"
import { useEffect, useRef, useState } from "react"
import type { Heard } from "../api/live.ts"
import type { NotificationQuery } from "./operations.ts"

type Counts = NonNullable<NotificationQuery["notification"]>["counts"]

export interface Rate {
  /** Over the last seconds. */
  readonly perSecond: number
  /** A value a second, oldest first. */
  readonly history: ReadonlyArray<number>
  /** 0 while nobody says whether anything moves. */
  readonly stalledSeconds: number
}

/** What was counted since the last gap, oldest first. Moments are in milliseconds. */
export interface Counted {
  readonly gapAt: number
  readonly pairs: ReadonlyArray<readonly [at: number, done: number]>
  readonly history: ReadonlyArray<number>
  readonly movedAt: number
}

export const NOTHING: Counted = { gapAt: 0, pairs: [], history: [], movedAt: 0 }

const TICK_MS = 1_000
const WINDOW_MS = 5_500
const KEPT = 300

/** A page that slept, or that its browser let tick seldom, counts anew. */
const GAP_MS = 3_000

/** The first answers after a gap, or of a stream, tell of all that moved meanwhile. */
const FIRST_MS = 2_000

/** The service says something every 15 seconds. */
const HEARD_MS = 20_000

export const countedOn = (before: Counted, at: number, done: number, heard: Heard): Counted => {
  const last = before.pairs.at(-1)
  const passed = last === undefined ? 0 : at - last[0]
  const gapAt = last === undefined || passed <= 0 || passed > GAP_MS ? at : before.gapAt
  if (last === undefined || at - Math.max(gapAt, heard.since) < FIRST_MS) {
    return { gapAt, pairs: [[at, done]], history: before.history, movedAt: at }
  }
  const step = Math.max(0, done - last[1]) / (passed / 1000)
  return {
    gapAt,
    pairs: [...before.pairs.filter(([then]) => at - then <= WINDOW_MS), [at, done]],
    history: [...before.history, step].slice(-KEPT),
    movedAt: done === last[1] ? before.movedAt : at
  }
}

export const rateOf = ({ history, movedAt, pairs }: Counted, at: number, heard: Heard): Rate => {
  const [first, last] = [pairs[0], pairs.at(-1)]
  const seconds = first && last ? (last[0] - first[0]) / 1000 : 0
  return {
    perSecond: seconds > 0 ? Math.max(0, last![1] - first![1]) / seconds : 0,
    history,
    stalledSeconds: at - heard.at < HEARD_MS ? (at - movedAt) / 1000 : 0
  }
}

/** How fast recipients come to their end, as counted while the page is open. */
export const useRate = (counts: Counts | null, isSending: boolean, heard: RefObject<Heard>): Rate => {
  const done = counts === null ? null : counts.accepted - counts.pending
  const latest = useRef(done)
  latest.current = done
  const counted = useRef(NOTHING)
  const [rate, setRate] = useState<Rate>({ perSecond: 0, history: [], stalledSeconds: 0 })
  useEffect(() => {
    if (!isSending) return
    const timer = setInterval(() => {
      if (latest.current === null) return
      const at = Date.now()
      counted.current = countedOn(counted.current, at, latest.current, heard.current)
      setRate(rateOf(counted.current, at, heard.current))
    }, TICK_MS)
    return () => clearInterval(timer)
  }, [isSending, heard])
  return rate
}
