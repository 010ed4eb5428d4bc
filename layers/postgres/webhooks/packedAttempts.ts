import type { WebhookAttempt } from "../../../services/ports/webhooks/WebhookStore.ts"

/**
 * Attempts of one write, packed: a receiver that answers costs ten bytes for each. A record is, big-endian, the position
 * (2 bytes), the status or 0x8000 with the number of a reason (2), the latency in milliseconds, 65535 at most (2), and
 * the milliseconds since the row's moment (4).
 */
export interface PackedAttempts {
  /** Epoch milliseconds of the earliest attempt. */
  readonly at: number
  readonly records: Uint8Array
  /** Null when every attempt got an answer. */
  readonly reasons: ReadonlyArray<string> | null
}

const RECORD = 10
const REASON = 0x8000

/** Of at least one attempt. */
export const pack = (attempts: ReadonlyArray<WebhookAttempt>): PackedAttempts => {
  let at = Infinity
  for (const attempt of attempts) if (attempt.at < at) at = attempt.at
  const records = Buffer.alloc(attempts.length * RECORD)
  const reasons: Array<string> = []
  const codeOf = (reason: string): number => {
    const known = reasons.indexOf(reason)
    return REASON | (known === -1 ? reasons.push(reason) - 1 : known)
  }
  let offset = 0
  for (const { position, outcome, latencyMs, at: begin } of attempts) {
    records.writeUInt16BE(position, offset)
    records.writeUInt16BE(typeof outcome === "number" ? outcome : codeOf(outcome), offset + 2)
    records.writeUInt16BE(Math.min(0xffff, Math.max(0, Math.round(latencyMs))), offset + 4)
    records.writeUInt32BE(Math.min(0xffff_ffff, begin - at), offset + 6)
    offset += RECORD
  }
  return { at, records, reasons: reasons.length === 0 ? null : reasons }
}

/** In the order in which they were packed. */
export const unpack = ({ at, records, reasons }: PackedAttempts): ReadonlyArray<WebhookAttempt> => {
  const view = new DataView(records.buffer, records.byteOffset, records.byteLength)
  const attempts: Array<WebhookAttempt> = []
  for (let offset = 0; offset < records.byteLength; offset += RECORD) {
    const code = view.getUint16(offset + 2)
    attempts.push({
      position: view.getUint16(offset),
      outcome: (code & REASON) === 0 ? code : (reasons?.[code & ~REASON] ?? "no reason known"),
      latencyMs: view.getUint16(offset + 4),
      at: at + view.getUint32(offset + 6)
    })
  }
  return attempts
}
