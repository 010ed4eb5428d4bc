/**
 * How long a send waits before its next attempt: exponential from `baseMs`, at most `maxMs`, with full jitter over its
 * upper half, so that what failed together does not come back together. `attempts` are those made so far, at least 1.
 */
export const retryDelay = (
  attempts: number,
  policy: { readonly retryBaseMs: number; readonly retryMaxMs: number },
  random: number
): number => {
  const ceiling = Math.min(policy.retryMaxMs, policy.retryBaseMs * 2 ** Math.min(attempts - 1, 30))
  return Math.round(ceiling / 2 + (ceiling / 2) * random)
}
