import { Schema } from "effect"
import { EmailAddress } from "../audience/EmailAddress.ts"
import { maxLength, withoutBidiControls } from "../Text.ts"

/** Whom a mail comes from. */
export interface SenderParts {
  /** To the letter, without the quotes around all of it; empty when there is none. */
  readonly name: string
  readonly address: string
}

const QUOTED = /^"((?:[^"\\]|\\.)*)"$/s

/**
 * Reads `Name <a@b>` or `a@b`. A name is quoted as a whole, or stands for itself: its commas, quotes and brackets are
 * characters like others, and not what they mean in a header.
 */
export const senderOf = (from: string): SenderParts => {
  const text = from.trim()
  const bracket = text.lastIndexOf("<")
  const inside = bracket === -1 || !text.endsWith(">") ? "" : text.slice(bracket + 1, -1)
  if (inside === "" || inside.includes(">")) return { name: "", address: text }
  const name = text.slice(0, bracket).trim()
  return { name: QUOTED.exec(name)?.[1]?.replace(/\\(.)/gs, "$1") ?? name, address: inside.trim() }
}

const isAddress = Schema.is(EmailAddress)

/** Whom mail comes from: an e-mail address, or `Name <address>`. */
export const Sender = Schema.NonEmptyString.check(
  maxLength(320),
  Schema.isPattern(/^[^\p{Cc}\u2028\u2029]+$/u, { message: "must not contain control characters" }),
  withoutBidiControls,
  Schema.makeFilter(
    (value: string) =>
      isAddress(senderOf(value).address) ||
      "must be an e-mail address, or a name followed by the address in angle brackets"
  )
)
export const isSender = Schema.is(Sender)
