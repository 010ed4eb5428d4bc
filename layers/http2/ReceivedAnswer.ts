import type { Http2Answer } from "../../services/ports/outbound/Http2Client.ts"
import { headerOf } from "./HeaderScanner.ts"
import type { Field } from "./HpackDecoder.ts"

/** An answer that breaks the rules of HTTP (RFC 9113, 8): its stream fails, the connection's coding is still intact. */
export class Malformed extends Error {}

const malformed = (message: string): never => {
  throw new Malformed(message)
}

/** Fields that belong to HTTP/1.1 connections. */
const CONNECTION_FIELDS = new Set(["connection", "keep-alive", "proxy-connection", "transfer-encoding", "upgrade"])
// oxlint-disable-next-line no-control-regex
const NAME = /^[^\u0000-\u0020A-Z:\u007f-\u00ff]+$/
// oxlint-disable-next-line no-control-regex
const FORBIDDEN_VALUE = /[\0\r\n]|^[ \t]|[ \t]$/

/** Names that were found good: peers say the same few again and again. */
const goodNames = new Set<string>()

const checkField = (name: string, value: string): void => {
  if (!goodNames.has(name)) {
    if (!NAME.test(name) || CONNECTION_FIELDS.has(name)) malformed("a field has a forbidden name")
    if (goodNames.size < 1000) goodNames.add(name)
  }
  if (FORBIDDEN_VALUE.test(value)) malformed("a field has a forbidden value")
}

/** The status of a header section, after all its fields were checked. */
export const statusOf = (fields: ReadonlyArray<Field>): number => {
  const first = fields[0]
  if (first === undefined || first[0] !== ":status") return malformed("the answer does not begin with its status")
  if (!/^[1-9][0-9][0-9]$/.test(first[1])) malformed("the status is no status")
  for (let i = 1; i < fields.length; i++) checkField(fields[i]![0], fields[i]![1])
  const status = Number(first[1])
  if (status === 101) malformed("HTTP/2 does not switch protocols")
  return status
}

/** Trailers hold fields and no pseudo-fields. */
export const checkTrailers = (fields: ReadonlyArray<Field>): void => {
  for (const [name, value] of fields) checkField(name, value)
}

/** The body's length as announced, -1 if it was not. */
export const contentLength = (fields: ReadonlyArray<Field>): number => {
  let length = -1
  for (const [name, value] of fields) {
    if (name !== "content-length") continue
    if (!/^[0-9]{1,15}$/.test(value)) malformed("the content-length is no length")
    if (length !== -1 && length !== Number(value)) malformed("there are two lengths")
    length = Number(value)
  }
  return length
}

/** The bytes of an answer's body, wherever they lie. */
export interface BodyText {
  readonly text: () => string
}

/** An answer, of which only what is asked for becomes text: while its call lasts, for its bytes are written over then. */
export class ReceivedAnswer implements Http2Answer {
  readonly status: number
  private readonly fields: ReadonlyArray<Field> | undefined
  private readonly block: Buffer
  private readonly start: number
  private readonly end: number
  private readonly content: BodyText | undefined

  /** The header section is `fields`, or where these are undefined the block from `start` to `end`, which was found good. */
  constructor(
    status: number,
    fields: ReadonlyArray<Field> | undefined,
    block: Buffer,
    start: number,
    end: number,
    content: BodyText | undefined
  ) {
    this.status = status
    this.fields = fields
    this.block = block
    this.start = start
    this.end = end
    this.content = content
  }

  header(name: string): string | undefined {
    if (this.fields === undefined) return headerOf(this.block, this.start, this.end, name)
    let found: string | undefined = undefined
    for (const [key, value] of this.fields) if (key === name) found = found === undefined ? value : `${found}, ${value}`
    return found
  }

  get body(): string {
    return this.content === undefined ? "" : this.content.text()
  }
}
