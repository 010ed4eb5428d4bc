import { Schema } from "effect"

/** What a code is good for. One that was sent for signing in deletes nothing, and the other way round. */
export const CodePurpose = Schema.Literals(["sign_in", "delete_account", "link"])
export type CodePurpose = typeof CodePurpose.Type

/** What the two codes of a change of address prove: that somebody reads the mail of the one that is, and of the one to be. */
export type AddressProof = "old_address" | "new_address"

/** Spec 5.5. */
export const CODE_DIGITS = 6
export const CODE_LIFETIME_MS = 600_000
export const CODE_ATTEMPTS = 5

/** As people type it, with what mail programs and hands put between and around the digits; null when it is no code. */
export const codeIn = (text: string): string | null => {
  const digits = text.length > 40 ? "" : text.replace(/[\s\u00a0-]/g, "")
  return /^[0-9]{6}$/.test(digits) ? digits : null
}

/** In any time of `ms` that ends now, `count` at most. */
export interface Allowance {
  readonly count: number
  readonly ms: number
}

export const HOUR = 3_600_000
export const DAY = 24 * HOUR

/** Codes for one address. A browser that has signed in to the account before is counted for itself. */
export const CODES_PER_ADDRESS: ReadonlyArray<Allowance> = [
  { count: 1, ms: 30_000 },
  { count: 5, ms: HOUR },
  { count: 10, ms: DAY }
]

/** Codes asked for from one address of the network: IPv4, or a /64 of IPv6. */
export const CODES_PER_CLIENT: ReadonlyArray<Allowance> = [{ count: 20, ms: HOUR }]

/**
 * Wrong codes for one address, beyond which only browsers that have signed in to the account before may try. Ten codes of
 * five attempts a day would be a chance of 1 in 20,000 for whoever guesses.
 */
export const WRONG_CODES: ReadonlyArray<Allowance> = [{ count: 20, ms: DAY }]

/** Whether one more is allowed after those at `times` (epoch milliseconds), and if not, when it will be. */
export const allows = (
  allowances: ReadonlyArray<Allowance>,
  times: ReadonlyArray<number>,
  now: number
): { readonly isAllowed: boolean; readonly at: number } => {
  let at = now
  for (const { count, ms } of allowances) {
    const within = times.filter((time) => time > now - ms).toSorted((a, b) => a - b)
    const blocking = within[within.length - count]
    if (blocking !== undefined) at = Math.max(at, blocking + ms)
  }
  return { isAllowed: at === now, at }
}
