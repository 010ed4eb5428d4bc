import { Schema } from "effect"
import { asciiDomain } from "../audience/EmailAddress.ts"

/**
 * The e-mail address of an account, in the one form in which it is kept, compared and written to: the local part in ASCII
 * and lower case, the domain as DNS has it. Dots and plus signs stand: what they mean, only the mail server knows.
 */
export const AccountAddress = Schema.String.pipe(Schema.brand("AccountAddress"))
export type AccountAddress = typeof AccountAddress.Type

/** Whoever reads an address that is refused reads this after the name of its field. */
export const NO_ADDRESS = "must be an e-mail address such as ada@example.com, whose part before the @ is ASCII"

/** RFC 5322's atoms. A dot may stand where some mail servers allow it, but not first. */
const LOCAL_PART = /^(?!\.)[!#$%&'*+./0-9=?A-Z^_`a-z{|}~-]{1,64}$/

/** RFC 5321. */
const MOST_BYTES = 254

/** Reads an address as people type it; null when it is none that an account can have. */
export const accountAddress = (text: string): AccountAddress | null => {
  // Long before anything is looked for in it: it comes from strangers.
  if (text.length > 2 * MOST_BYTES) return null
  const trimmed = text.replace(/^[ \t]+|[ \t]+$/g, "")
  const at = trimmed.lastIndexOf("@")
  const local = trimmed.slice(0, Math.max(0, at))
  // Checked before its case is changed: beyond ASCII there are letters that become ASCII then, and another's address.
  if (!LOCAL_PART.test(local)) return null
  const domain = asciiDomain(trimmed.slice(at + 1))
  if (domain === null) return null
  const address = `${local.toLowerCase()}@${domain}`
  return address.length <= MOST_BYTES ? (address as AccountAddress) : null
}
