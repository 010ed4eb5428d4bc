/* When what goes on is asked about again, by what was answered last, in milliseconds; false: no more. */

const SOON_MS = 1_000
const LATER_MS = 15_000

/** As long as somebody waits before the page for something to happen elsewhere. */
const PATIENCE_MS = 180_000

export const untilDone = (status: string | undefined): number | false => (status === "COMPLETED" ? false : SOON_MS)

/** Of one message, until nothing more can become of it; `passed`: since it was sent. */
export const untilEnded = (
  counts: { readonly clicked: number; readonly failed: number } | undefined,
  passed: number
): number | false => {
  if (counts !== undefined && counts.clicked + counts.failed > 0) return false
  return passed < PATIENCE_MS ? SOON_MS : LATER_MS
}
