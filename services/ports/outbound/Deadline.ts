/**
 * A timer that fires so much later than it was set for: the process was frozen, or too busy to hear anybody. Timers may
 * fire before sockets are read, so what came meanwhile would count as missing.
 */
const LATE_MS = 250
/** The time in which what came meanwhile is read, and what the peer could not write into full sockets follows. */
export const HEARING_MS = 2_000

/** Whether a timer that fires so many milliseconds after its moment was slept over. */
export const isSleptOver = (lateMs: number): boolean => lateMs > LATE_MS

/**
 * The end of a wait for something that comes by a socket. When the process slept over it, it comes `HEARING_MS` after the
 * process went on, whatever it is late by then.
 */
export class Deadline {
  #timer: NodeJS.Timeout

  /** `keepsAlive`: whether the process lives on for it. */
  constructor(ms: number, over: () => void, keepsAlive = true) {
    const due = performance.now() + ms
    const set = (callback: () => void, wait: number): NodeJS.Timeout => {
      const timer = setTimeout(callback, wait)
      return keepsAlive ? timer : timer.unref()
    }
    this.#timer = set(() => {
      if (isSleptOver(performance.now() - due)) this.#timer = set(over, HEARING_MS)
      else over()
    }, ms)
  }

  clear(): void {
    clearTimeout(this.#timer)
  }
}
