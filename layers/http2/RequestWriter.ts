import type { Header, Http2Batch } from "../../services/ports/outbound/Http2Client.ts"
import { assertField, assertText } from "./Field.ts"
import * as F from "./Frames.ts"
import { fieldBound, type HpackEncoder, writeInteger } from "./HpackEncoder.ts"
import { ENTRY_OVERHEAD } from "./HpackTable.ts"
import type { Output } from "./Output.ts"
import type { BatchRun } from "./BatchRun.ts"
import { put, writePrintable } from "./HeaderBytes.ts"

/** A batch's fields that are the same for all its requests, as they are written while the encoder's table stands still. */
export interface Template {
  readonly encoder: HpackEncoder
  /** -1: not written yet, or not to be used twice. */
  generation: number
  /** Before and after the path. */
  head: Uint8Array
  tail: Uint8Array
  readonly fields: ReadonlyArray<Header>
  /** How many of `fields`, from the start, are entered into the table. */
  readonly indexed: number
  readonly bound: number
  /** What each path begins with. */
  readonly base: Uint8Array
  /** What stands around each body. */
  readonly before: Uint8Array
  readonly after: Uint8Array
}

/** What a template is made of. The rest of a batch, which may be large, is not kept for it. */
interface Said {
  readonly around: Http2Batch["around"] | undefined
  readonly base: Http2Batch["base"] | undefined
  readonly common: Http2Batch["common"]
  readonly credential: Http2Batch["credential"]
}

/** Batches of fewer requests do not enter their fields into the table: it would push out what does repeat. */
const REPEATS = 4
/** A literal without indexing whose name is `:path`, the static table's fourth. */
const LITERAL_PATH = 0x04
const NOTHING = new Uint8Array(0)
/** The first byte of a literal without indexing whose name is `content-length`, the static table's 28th: and the second. */
const LITERAL_LENGTH = 0x0f
const LITERAL_LENGTH_REST = 28 - 0x0f
/** The pseudo-fields other than the path's text, the content-length, and a change of the table's size. */
const FIXED = 96

/** Writes the HEADERS of requests. */
export class RequestWriter {
  private readonly authority: string
  private readonly encoder: HpackEncoder
  private readonly output: Output
  /** Of the last small batch: the next one mostly says the same in all but its own headers. */
  private last: { readonly said: Said; readonly template: Template } | undefined

  constructor(authority: string, encoder: HpackEncoder, output: Output) {
    this.authority = authority
    this.encoder = encoder
    this.output = output
  }

  /**
   * Writes the HEADERS of a request with a body of `length` bytes, with room for `more` bytes behind them in the same
   * piece. Throws, having written nothing, when a field cannot be written: that is the batch's defect.
   */
  write(
    template: Template,
    id: number,
    path: string,
    headers: ReadonlyArray<Header>,
    length: number,
    more: number
  ): void {
    const { output, encoder } = this
    const { base } = template
    let bound = FIXED + this.authority.length + template.bound + base.length + path.length
    for (let i = 0; i < headers.length; i++) bound += fieldBound(headers[i]![0], headers[i]![1])
    const frames = Math.ceil(bound / F.FRAME_MAX)
    output.reserve(bound + (frames + 1) * F.FRAME_HEADER + more)
    const start = output.at + F.FRAME_HEADER
    const out = output.bytes
    let at = start
    if (template.generation === encoder.generation) {
      at = put(out, at, template.head)
      at = writePath(out, at, base, path)
      at = put(out, at, template.tail)
    } else {
      // What enters the table must reach the peer, so nothing may throw from here on.
      assertText(":path", path)
      for (const [name, value] of headers) assertField(name, value)
      at = this.writeTemplate(template, out, at, path)
    }
    for (let i = 0; i < headers.length; i++) at = encoder.literal(out, at, headers[i]![0], headers[i]![1])
    at = writeLength(out, at, length)
    this.frames(start, at, id, length === 0)
  }

  /** A batch's template for this connection, made when the first of its requests comes here. */
  template(run: BatchRun): Template {
    const last = run.template as Template | undefined
    if (last !== undefined && last.encoder === this.encoder) return last
    let template = run.templates.get(this.encoder) as Template | undefined
    if (template === undefined) run.templates.set(this.encoder, (template = this.templateOf(run.batch)))
    run.template = template
    return template
  }

  private templateOf(batch: Http2Batch): Template {
    if (batch.count >= REPEATS) return this.makeTemplate(batch)
    if (this.last !== undefined && saysTheSame(this.last.said, batch)) return this.last.template
    const template = this.makeTemplate(batch)
    const { around, base, common, credential } = batch
    this.last = { said: { around, base, common, credential }, template }
    return template
  }

  private makeTemplate(batch: Http2Batch): Template {
    const fields = [...batch.credential, ...batch.common]
    for (const [name, value] of fields) assertField(name, value)
    // The credential repeats in every batch of its pool; other fields if the batch is large enough, and if all fit.
    const candidates = batch.count < REPEATS ? batch.credential.length : fields.length
    let room = this.encoder.room - (this.authority.length + 10 + ENTRY_OVERHEAD)
    let indexed = 0
    while (indexed < candidates) {
      const [name, value] = fields[indexed]!
      room -= name.length + value.length + ENTRY_OVERHEAD
      if (room < 0) break
      indexed++
    }
    const bound = fields.reduce((sum, [name, value]) => sum + fieldBound(name, value), 0)
    const { encoder } = this
    const { around = ["", ""], base = "" } = batch
    assertText(":path", base)
    const [before, after, start] = [...around, base].map((text) => new TextEncoder().encode(text)) as [
      Uint8Array,
      Uint8Array,
      Uint8Array
    ]
    return { encoder, generation: -1, head: NOTHING, tail: NOTHING, fields, indexed, bound, before, after, base: start }
  }

  private writeTemplate(template: Template, out: Buffer, at: number, path: string): number {
    const { encoder } = this
    const before = encoder.begin(out, at)
    const start = before
    at = encoder.repeated(out, before, ":method", "POST")
    at = encoder.repeated(out, at, ":scheme", "https")
    const generation = encoder.generation
    at = encoder.repeated(out, at, ":authority", this.authority)
    const headEnd = at
    at = writePath(out, at, template.base, path)
    const tailStart = at
    template.fields.forEach(([name, value], i) => {
      at = i < template.indexed ? encoder.repeated(out, at, name, value) : encoder.occasional(out, at, name, value)
    })
    // Bytes that entered something into the table are true once only.
    if (encoder.generation === generation) {
      template.generation = generation
      template.head = copy(out, start, headEnd)
      template.tail = copy(out, tailStart, at)
    }
    return at
  }

  /** Puts the frame headers around a block that was written from `start` to `end`. */
  private frames(start: number, end: number, id: number, last: boolean): void {
    const { output } = this
    const flags = last ? F.END_STREAM : 0
    if (end - start <= F.FRAME_MAX) {
      F.frameHeader(output.bytes, start - F.FRAME_HEADER, end - start, F.HEADERS, flags | F.END_HEADERS, id)
      output.at = end
      return
    }
    const block = copy(output.bytes, start, end)
    let at = start - F.FRAME_HEADER
    for (let from = 0; from < block.length; from += F.FRAME_MAX) {
      const chunk = block.subarray(from, from + F.FRAME_MAX)
      const ends = from + F.FRAME_MAX >= block.length ? F.END_HEADERS : 0
      const type = from === 0 ? F.HEADERS : F.CONTINUATION
      at = F.frameHeader(output.bytes, at, chunk.length, type, ends | (from === 0 ? flags : 0), id)
      output.bytes.set(chunk, at)
      at += chunk.length
    }
    output.at = at
  }
}

const isOneText = (one: ReadonlyArray<Header>, other: ReadonlyArray<Header>): boolean =>
  one.length === other.length && one.every(([name, value], i) => name === other[i]![0] && value === other[i]![1])

/** Whether one template is good for both, of small batches. */
const saysTheSame = (one: Said, other: Http2Batch): boolean =>
  one.base === other.base &&
  one.around?.[0] === other.around?.[0] &&
  one.around?.[1] === other.around?.[1] &&
  isOneText(one.common, other.common) &&
  isOneText(one.credential, other.credential)

/** Writes the rest of a path behind what it begins with, as a literal without indexing. */
const writePath = (out: Buffer, at: number, base: Uint8Array, rest: string): number => {
  out[at++] = LITERAL_PATH
  at = put(out, writeInteger(out, at, 0, 7, base.length + rest.length), base)
  return writePrintable(out, at, rest)
}

/**
 * Writes the body's length, which differs from request to request: some servers take no body without it
 * (411 Length Required), although HTTP/2 can do without.
 */
const writeLength = (out: Buffer, at: number, length: number): number => {
  out[at] = LITERAL_LENGTH
  out[at + 1] = LITERAL_LENGTH_REST
  let digits = 1
  for (let most = 10; length >= most; most *= 10) digits++
  out[at + 2] = digits
  at += 3
  for (let left = length, i = at + digits; i > at; left = Math.trunc(left / 10)) out[--i] = 0x30 + (left % 10)
  return at + digits
}

const copy = (bytes: Buffer, start: number, end: number): Uint8Array => new Uint8Array(bytes.subarray(start, end))
