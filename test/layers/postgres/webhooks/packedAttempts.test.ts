import { expect, it } from "vitest"
import { pack, unpack } from "../../../../layers/postgres/webhooks/packedAttempts.ts"
import type { WebhookAttempt } from "../../../../services/ports/webhooks/WebhookStore.ts"

const at = 1_790_000_000_123
const attempts: ReadonlyArray<WebhookAttempt> = [
  { position: 3, at: at + 70_000, latencyMs: 12, outcome: 204 },
  { position: 0, at, latencyMs: 10_003, outcome: "timeout" },
  { position: 65_535, at: at + 1, latencyMs: 0, outcome: 599 },
  { position: 7, at: at + 2, latencyMs: 1, outcome: "connection refused" },
  { position: 8, at: at + 3, latencyMs: 1, outcome: "timeout" }
]

it("gives back what was packed, in its order", () => {
  expect(unpack(pack(attempts))).toEqual(attempts)
})

it("takes ten bytes for each attempt, and a reason once however often it occurs", () => {
  const { records, reasons } = pack(attempts)
  expect(records.length).toBe(50)
  expect(reasons).toEqual(["timeout", "connection refused"])
  expect(pack(attempts.slice(0, 1)).reasons).toBe(null)
})

it("cuts a latency that does not fit instead of writing another attempt's", () => {
  const long = { position: 1, at, latencyMs: 100_000, outcome: "timeout" }
  expect(unpack(pack([long, attempts[0]!]))).toEqual([{ ...long, latencyMs: 65_535 }, attempts[0]])
})
