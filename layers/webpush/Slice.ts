import { randomFillSync } from "node:crypto"
import type { Template } from "../../services/domain/sending/Push.ts"
import { AUTH_BYTES, OVERHEAD, POINT_BYTES, SALT_BYTES, sealInto } from "./Encryption.ts"
import { SenderKeys } from "./SenderKeys.ts"

/** Whom a message is encrypted for. */
export interface Subscription {
  /** Stands in the text: a UUID of 36 characters. */
  readonly id: string
  /** base64url of 65 and of 16 bytes. */
  readonly p256dh: string | null
  readonly auth: string | null
}

const ID_BYTES = 36
const AUTH_AT = POINT_BYTES
const ID_AT = AUTH_AT + AUTH_BYTES
const RECIPIENT_BYTES = ID_AT + ID_BYTES
/** The length of a body's key id, never 0: there it is told that a recipient's keys cannot be used. */
const MARK_AT = 20

/** Some recipients of one message as plain bytes: what a thread is given, in one buffer. */
export interface Slice {
  /** The text of all, with 36 bytes at `gap` that are each recipient's own. */
  readonly plaintext: Uint8Array
  readonly gap: number
  readonly count: number
  /** For each: the point, the auth secret, the id. A recipient whose keys have the wrong form has a point of zeros. */
  readonly recipients: Uint8Array
}

const key = Buffer.alloc(128)
/** Writes `text`, if it stands for as many bytes. */
const writeKey = (to: Buffer, at: number, text: string | null, bytes: number): boolean => {
  if (text === null || text.length > key.length || key.write(text, "base64url") !== bytes) return false
  key.copy(to, at, 0, bytes)
  return true
}

export const packSlice = (template: Template, subscriptions: ReadonlyArray<Subscription>): Slice => {
  const recipients = Buffer.alloc(subscriptions.length * RECIPIENT_BYTES)
  for (const [index, { auth, id, p256dh }] of subscriptions.entries()) {
    const at = index * RECIPIENT_BYTES
    if (recipients.write(id, at + ID_AT, "latin1") !== ID_BYTES) throw new Error("an id is not a UUID")
    if (!writeKey(recipients, at + AUTH_AT, auth, AUTH_BYTES)) continue
    writeKey(recipients, at, p256dh, POINT_BYTES)
  }
  const gap = Buffer.byteLength(template.before)
  // Outside the pool: a thread is given a copy of the whole memory that a view belongs to.
  const plaintext = Buffer.alloc(gap + ID_BYTES + Buffer.byteLength(template.after))
  plaintext.write(template.before)
  plaintext.write(template.after, gap + ID_BYTES)
  return { plaintext, gap, count: subscriptions.length, recipients }
}

export const bodyBytes = (slice: Slice): number => slice.plaintext.length + OVERHEAD

/** The bodies of a slice in order, as views; null where a recipient's keys cannot be used. */
export const bodiesOf = (slice: Slice, sealed: Uint8Array): ReadonlyArray<Uint8Array | null> => {
  const bytes = bodyBytes(slice)
  return Array.from({ length: slice.count }, (_, index) => {
    const body = sealed.subarray(index * bytes, (index + 1) * bytes)
    return body[MARK_AT] === 0 ? null : body
  })
}

/** Key pairs that a thread makes ahead: some hundred kilobytes. */
export const READY = 512
/** Salts drawn at once: the generator is costly to call, not to run. */
const SALTS = 64

/** A thread's own keys and memory, and the synchronous work that it does with them. */
export class Sealing {
  readonly senders = new SenderKeys(READY)
  readonly #salts = Buffer.alloc(SALTS * SALT_BYTES)
  #salt = SALTS

  /** Encrypts for the recipient at `index` into its place in `sealed`. Some 80 µs. */
  seal(slice: Slice, index: number, sealed: Uint8Array): void {
    const at = index * RECIPIENT_BYTES
    const point = slice.recipients.subarray(at, at + AUTH_AT)
    const bytes = bodyBytes(slice)
    const body = sealed.subarray(index * bytes, (index + 1) * bytes)
    if (this.#salt === SALTS) {
      randomFillSync(this.#salts)
      this.#salt = 0
    }
    body.set(this.#salts.subarray(this.#salt * SALT_BYTES, ++this.#salt * SALT_BYTES))
    const auth = slice.recipients.subarray(at + AUTH_AT, at + ID_AT)
    slice.plaintext.set(slice.recipients.subarray(at + ID_AT, at + RECIPIENT_BYTES), slice.gap)
    if (!sealInto(body, this.senders.take(), point, auth, slice.plaintext)) body[MARK_AT] = 0
  }
}
