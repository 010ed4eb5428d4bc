import { Schema } from "effect"
import { maxLength } from "../Text.ts"

/**
 * What cannot smuggle anything into a header or an SMTP command: one @, no white space, no control characters, no angle
 * brackets, at most 254 characters (RFC 5321). Every address that is stored is at least this.
 */
export const StoredAddress = Schema.String.check(
  maxLength(254),
  Schema.isPattern(/^[^\s@<>(),;:\\"[\]\p{Cc}]{1,64}@[^\s@<>(),;:\\"[\]\p{Cc}]{1,189}$/u, {
    message: "must be an e-mail address"
  }).abort()
)

/** A label beyond ASCII, and as it is written in ASCII. */
const BEYOND = "ü"
const BEYOND_IN_ASCII = ".xn--tda"

const LABEL = /^[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?$/

/** Drawn as nothing. Joiners are part of the writing of some languages, and the parser of URLs knows where they may be. */
const INVISIBLE = /(?![\u200c\u200d])\p{Default_Ignorable_Code_Point}/u

/** A domain in lower case and ASCII (Punycode), or null where DNS has no such name; single labels are names. */
export const asciiDomain = (domain: string): string | null => {
  // Of ASCII only these: a URL would end at others, or decode them.
  if (!/^(?:[\w.-]|\P{ASCII})+$/u.test(domain) || INVISIBLE.test(domain)) return null
  // Beside a label beyond ASCII the parser reads `xn--` labels too, and takes nothing for the numbers of IPv4.
  const host = URL.parse(`http://${domain}.${BEYOND}/`)?.hostname.slice(0, -BEYOND_IN_ASCII.length)
  if (host === undefined || host.length > 253) return null
  const labels = host.split(".")
  return labels.every((label) => LABEL.test(label)) && !/^\d+$/.test(labels.at(-1)!) ? host : null
}

export const isAscii = (text: string): boolean => /^\p{ASCII}*$/u.test(text)

/** An address as a mail server without SMTPUTF8 takes it, as far as it can be written so: its domain in ASCII. */
export const asciiAddress = (address: string): string => {
  const at = address.lastIndexOf("@")
  const domain = address.slice(at + 1)
  return isAscii(domain) ? address : `${address.slice(0, at)}@${asciiDomain(domain) ?? domain}`
}

/**
 * The part before the @: what is no letter, mark, digit or symbol has to be of ASCII. No character fits both of the
 * alternatives: with each that did, the time to refuse a text would double.
 */
const LOCAL_PART =
  /^(?:[!#$%&'*+./=?^`{|}~\w-]|(?![\p{ASCII}\p{Default_Ignorable_Code_Point}\u2800])[\p{L}\p{M}\p{N}\p{S}])+$/u

// Dots in a row and at the end are allowed: Japanese carriers have given out such addresses.
const isLocalPart = (text: string): boolean =>
  !text.startsWith(".") && LOCAL_PART.test(text) && text.normalize("NFKC") === text.normalize("NFC")

/** An e-mail address that mail can be sent to, as far as that shows without asking anybody. */
export const EmailAddress = StoredAddress.check(
  Schema.makeFilter((value: string) => {
    const at = value.lastIndexOf("@")
    return (isLocalPart(value.slice(0, at)) && asciiDomain(value.slice(at + 1)) !== null) || "must be an e-mail address"
  })
)
