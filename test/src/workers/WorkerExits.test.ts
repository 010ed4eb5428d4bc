import { expect, it } from "vitest"
import { CountBefore, endingOf } from "../../../src/workers/WorkerExits.ts"

const KILLED = { exitCode: null, signalCode: "SIGKILL" } as const

it("takes a SIGKILL for the kernel's when a process was killed for its memory just then, and not long before", () => {
  let count = 3
  const kills = new CountBefore(() => count)
  const ending = () => endingOf(KILLED, kills.value, count)
  expect(ending()).toBe("killed")
  count++
  expect(ending()).toBe("crashed")
  kills.note()
  expect(ending()).toBe("crashed")
  // Another program's: the worker went on for a while.
  kills.note()
  expect(ending()).toBe("killed")
})
