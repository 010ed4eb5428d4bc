import { describe, expect, it } from "vitest"
import { SealQueue, type SealWork } from "../../../layers/webpush/SealQueue.ts"
import { packSlice } from "../../../layers/webpush/Slice.ts"

const slice = packSlice({ before: "", after: "", bytes: 36 }, [])
const work = (isUrgent: boolean, isAbandoned = false): SealWork => ({
  slice,
  isUrgent,
  done: () => {},
  isAbandoned: () => isAbandoned
})

describe("SealQueue", () => {
  it("gives the urgent before the others, and each kind in its order", () => {
    const queue = new SealQueue()
    const [a, b, c, d] = [work(false), work(true), work(false), work(true)] as const
    for (const one of [a, b, c, d]) queue.push(one)
    expect([queue.shift(), queue.shift(), queue.shift(), queue.shift(), queue.shift()]).toEqual([b, d, a, c, undefined])
  })

  it("leaves out what was abandoned while it waited", () => {
    const queue = new SealQueue()
    const wanted = work(false)
    for (const one of [work(true, true), work(false, true), wanted, work(false, true)]) queue.push(one)
    expect(queue.shift()).toBe(wanted)
    expect(queue.shift()).toBeUndefined()
  })

  it("gives one in eight from the others while the urgent never end", () => {
    const queue = new SealQueue()
    for (let n = 0; n < 10; n++) queue.push(work(false))
    let others = 0
    for (let n = 0; n < 80; n++) {
      queue.push(work(true))
      if (!queue.shift()!.isUrgent) others++
    }
    expect(others).toBe(10)
  })
})
