import { expect, it } from "vitest"
import { untilDone, untilEnded } from "../../../dashboard/src/api/pace.ts"

it("asks how far something is each second, until it is done", () => {
  expect(untilDone(undefined)).toBe(1_000)
  expect(untilDone("RUNNING")).toBe(1_000)
  expect(untilDone("COMPLETED")).toBe(false)
})

it("asks what became of a message seldom after some minutes, and no more once it was clicked or has failed", () => {
  const none = { clicked: 0, failed: 0 }
  expect(untilEnded(undefined, 0)).toBe(1_000)
  expect(untilEnded(none, 60_000)).toBe(1_000)
  expect(untilEnded(none, 600_000)).toBe(15_000)
  expect(untilEnded({ ...none, clicked: 1 }, 0)).toBe(false)
  expect(untilEnded({ ...none, failed: 1 }, 0)).toBe(false)
})
