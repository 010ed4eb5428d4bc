import { expect, it } from "vitest"
import { retryDelay } from "../../../../services/engine/sending/RetryPolicy.ts"

const policy = { retryBaseMs: 1000, retryMaxMs: 60_000 }

it("doubles from attempt to attempt and stops at the maximum", () => {
  expect([1, 2, 3, 4, 10, 1000].map((attempts) => retryDelay(attempts, policy, 1))).toEqual([
    1000, 2000, 4000, 8000, 60_000, 60_000
  ])
})

it("spreads what failed together over half of the delay", () => {
  expect(retryDelay(3, policy, 0)).toBe(2000)
  expect(retryDelay(3, policy, 0.5)).toBe(3000)
})
