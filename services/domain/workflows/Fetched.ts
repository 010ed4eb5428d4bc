/** What became of a FETCH: an answer, or why there is none. */
export type Fetched =
  /** `size`: of what its body was read from, in characters. */
  | { readonly _tag: "Answer"; readonly status: number; readonly body: unknown; readonly size?: number }
  | {
      readonly _tag: "Fault"
      readonly detail: string
      readonly mayRetry: boolean
      readonly retryAfterMs: number | null
    }
  /** Its server has no turn for it before then (epoch ms). */
  | { readonly _tag: "Later"; readonly until: number }

/** A FETCH that no further try can help. */
export const faultOf = (detail: string): Fetched => ({ _tag: "Fault", detail, mayRetry: false, retryAfterMs: null })

/**
 * What an answer of a server means: `body` is what it read as JSON. What may pass is tried again, not before the server's
 * `retryAfterMs`. A redirect is not followed: it would lead past what was looked at.
 */
export const fetchedOf = (status: number, body: unknown, retryAfterMs: number | null): Fetched => {
  if (status >= 500 || status === 429 || status === 408) {
    return { _tag: "Fault", detail: `answered ${status}`, mayRetry: true, retryAfterMs }
  }
  if (status >= 300 && status < 400) {
    return faultOf(`answered ${status}: redirects are not followed`)
  }
  return { _tag: "Answer", status, body }
}

/** After which tries of a FETCH that failed the next one comes; then the run fails. */
export const FETCH_RETRIES_MS: ReadonlyArray<number> = [30_000, 60_000]
