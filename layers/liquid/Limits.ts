/** Outputs, tags, texts, rounds of loops and filters that are passed for one recipient. */
const STEPS = 20_000
/** Characters and elements of lists that are made for one recipient on the way. */
const MADE = 2_000_000
/** Milliseconds of computing that one recipient may take. */
const RENDER_MS = 100

/** Milliseconds that this thread has computed. */
export const computedMs = (): number => {
  const { system, user } = process.threadCpuUsage()
  return (system + user) / 1000
}

/**
 * What filling all sources of one recipient may cost, in the shape in which the library asks. Steps are counted here: the
 * library has an option for them, and does nothing about it.
 */
export class Limits {
  #end = performance.now() + RENDER_MS
  /** What the thread had computed when the clock first said that it takes long. */
  #computed: number | null = null
  #steps = 0
  #made = 0

  readonly renderLimit = {
    check: (at: number): void => {
      if (++this.#steps > STEPS) throw new Error(`takes more than ${STEPS} steps`)
      if (at > this.#end) this.#late(at)
    },
    use: (): void => {}
  }

  readonly memoryLimit = {
    use: (count: number): void => {
      if (!(Number(count) > 0)) return
      this.#made += Number(count)
      if (this.#made > MADE) throw new Error(`makes more than ${MADE} characters and elements on the way`)
    },
    check: (): void => {}
  }

  /** The clock goes on while a busy machine computes something else: only what was computed since counts. */
  #late(at: number): void {
    const computed = computedMs()
    this.#computed ??= computed
    const left = RENDER_MS - (computed - this.#computed)
    if (left <= 0) throw new Error(`takes longer than ${RENDER_MS} ms to compute`)
    this.#end = at + left
  }
}
