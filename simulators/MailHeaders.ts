/** A message's header fields by lower-case name, unfolded; a name that occurs twice has two values. */
export type MailHeaders = ReadonlyMap<string, ReadonlyArray<string>>

/** Reads the header of a message, up to the empty line. Undefined when a line is neither a field nor a continuation. */
export const readHeaders = (message: Buffer): MailHeaders | undefined => {
  const end = message.indexOf("\r\n\r\n")
  const text = message.toString("utf8", 0, end === -1 ? message.length : end)
  const headers = new Map<string, Array<string>>()
  for (const line of text.replace(/\r\n([ \t])/g, "$1").split("\r\n")) {
    const field = /^([\x21-\x39\x3b-\x7e]+):[ \t]*(.*)$/.exec(line)
    if (field === null) return undefined
    const name = field[1]!.toLowerCase()
    const values = headers.get(name)
    if (values === undefined) headers.set(name, [field[2]!])
    else values.push(field[2]!)
  }
  return headers
}

/** RFC 5322 allows 998 characters a line, and header fields are ASCII: other letters travel as encoded words. */
export const textMistake = (message: Buffer): string | undefined => {
  const text = message.toString("latin1")
  const end = text.indexOf("\r\n\r\n")
  if (end === -1) return "no empty line after the header"
  for (let index = 0; index < end; index++) if (text.charCodeAt(index) > 126) return "header is not ASCII"
  return /[^\r\n]{999}/.test(text) ? "line of more than 998 characters" : undefined
}

/** The address inside a From or To field: bare, or after a name in angle brackets. */
const addressOf = (value: string): string | undefined =>
  (/<([^<>\s]+@[^<>\s]+)>\s*$/.exec(value) ?? /^([^<>\s,]+@[^<>\s,]+)$/.exec(value.trim()))?.[1]?.toLowerCase()

/** RFC 5322: a field of a single occurrence. */
const SINGLE = ["from", "to", "subject", "message-id", "date", "mime-version", "content-type"]
/** Milliseconds that a Date may differ from the clock: mail may wait in a queue for days. */
const DATE_WINDOW = 7 * 86_400_000

export interface Envelope {
  readonly from: string
  readonly to: string
}

/** What a receiving server would hold against the message's header, or undefined. */
export const headerMistake = (headers: MailHeaders, envelope: Envelope, bulk: boolean): string | undefined => {
  for (const name of SINGLE) {
    const values = headers.get(name)
    if (values === undefined || values[0] === "") return `no ${name}`
    if (values.length > 1) return `more than one ${name}`
  }
  const value = (name: string): string => headers.get(name)![0]!
  if (addressOf(value("from")) === undefined) return "from is no address"
  if (addressOf(value("from")) !== envelope.from.toLowerCase()) return "from differs from the envelope"
  if (addressOf(value("to")) !== envelope.to.toLowerCase()) return "to differs from the envelope"
  if (!/^<[^<>\s@]+@[^<>\s@]+>$/.test(value("message-id"))) return "message-id is malformed"
  const date = Date.parse(value("date"))
  if (Number.isNaN(date) || Math.abs(date - Date.now()) > DATE_WINDOW) return "date is wrong"
  if (value("mime-version") !== "1.0") return "mime-version is not 1.0"
  if (!/^(text|multipart)\/[a-z-]+/i.test(value("content-type"))) return "content-type is neither text nor multipart"
  const unsubscribe = headers.get("list-unsubscribe")
  const post = headers.get("list-unsubscribe-post")
  if (unsubscribe === undefined && post === undefined) return bulk ? "no list-unsubscribe" : undefined
  // RFC 8058: the two go together, and the address is https.
  if (!/<https:\/\/[^<>\s]+>/.test(unsubscribe?.[0] ?? "")) return "list-unsubscribe has no https address"
  if (post?.[0] !== "List-Unsubscribe=One-Click") return "list-unsubscribe-post is not one-click"
  return undefined
}
