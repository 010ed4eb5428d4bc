import { useEffect, useRef, useState } from "react"
import type { NotificationQuery } from "./operations.ts"

type Counts = NonNullable<NotificationQuery["notification"]>["counts"]

export interface Rate {
  /** Over the last seconds. */
  readonly perSecond: number
  /** A value a second, oldest first. */
  readonly history: ReadonlyArray<number>
  readonly stalledSeconds: number
}

const WINDOW = 5
const KEPT = 300

/** How fast recipients come to their end, as counted while the page is open. */
export const useRate = (counts: Counts | null, isSending: boolean): Rate => {
  const done = counts === null ? null : counts.accepted - counts.pending
  const latest = useRef(done)
  latest.current = done
  const samples = useRef<Array<number>>([])
  const [rate, setRate] = useState<Rate>({ perSecond: 0, history: [], stalledSeconds: 0 })
  useEffect(() => {
    if (!isSending) return
    let still = 0
    const timer = setInterval(() => {
      if (latest.current === null) return
      const before = samples.current.at(-1)
      samples.current = [...samples.current, latest.current].slice(-KEPT)
      still = before === latest.current ? still + 1 : 0
      const last = samples.current.slice(-WINDOW - 1)
      const steps = samples.current.slice(1).map((value, i) => Math.max(0, value - samples.current[i]!))
      setRate({
        perSecond: last.length < 2 ? 0 : Math.max(0, last.at(-1)! - last[0]!) / (last.length - 1),
        history: steps,
        stalledSeconds: still
      })
    }, 1_000)
    return () => clearInterval(timer)
  }, [isSending])
  return rate
}
