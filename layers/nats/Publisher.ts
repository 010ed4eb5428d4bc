import { JetStreamApiError } from "@nats-io/jetstream"
import type { Msg, NatsConnection } from "@nats-io/transport-node"
import { createInbox } from "@nats-io/transport-node"

/** How many messages wait for their acknowledgements at once. */
const WINDOW = 1024

/** Nothing, or not everything, was acknowledged in time: the server is away or frozen. */
export class NoAcknowledgement extends Error {}

/** The server is there and did not take a message. */
export class Refused extends Error {}

/** The server is there and has no room for a message: its disk is full, or what it may store is used up. */
export class NoRoom extends Error {}

/**
 * Beyond what the account or the server may store: resource limits exceeded, insufficient resources, insufficient memory,
 * insufficient storage. A stream counts with all that it may ever hold.
 */
const WANT_OF_ROOM: ReadonlySet<number> = new Set([10002, 10023, 10028, 10047])
/**
 * It says of a full disk what the system says, under an error code that stands for every failure of a store; and a cluster
 * says in words why none of its servers takes a stream.
 */
const SAYS_SO = /no space left on device|insufficient (?:storage|memory|resources)/

const isWantOfRoom = (code: number | undefined, description: string): boolean =>
  (code !== undefined && WANT_OF_ROOM.has(code)) || SAYS_SO.test(description)

/** Whether the server is there and has no room: for a message, or for a stream that should be made. */
export const isNoRoom = (error: unknown): boolean =>
  error instanceof NoRoom || (error instanceof JetStreamApiError && isWantOfRoom(error.code, error.message))

/** JetStream took the messages of a batch, or said why not. */
interface Batch {
  waiting: number
  refused: Error | null
  readonly settle: () => void
  readonly fail: (error: Error) => void
}

/**
 * Publishes many messages at once and waits for all their acknowledgements, which come to one inbox of the connection:
 * several times cheaper than a request each. All messages of a batch have the same reply subject, because only their
 * number and their refusals matter.
 */
export class Publisher {
  readonly #nc: NatsConnection
  readonly #inbox: string
  readonly #batches = new Map<string, Batch>()
  #count = 0

  constructor(nc: NatsConnection) {
    this.#nc = nc
    this.#inbox = createInbox()
    nc.subscribe(`${this.#inbox}.*`, { callback: (error, msg) => this.#settle(error, msg) })
  }

  /** Rejects with the reason of the first refusal, or when the acknowledgements do not come in time. */
  async publish(subject: string, payloads: ReadonlyArray<string>, timeoutMs: number): Promise<void> {
    for (let from = 0; from < payloads.length; from += WINDOW) {
      await this.#window(subject, payloads.slice(from, from + WINDOW), timeoutMs)
    }
  }

  /** Whatever waits for acknowledgements fails now: they are lost with the connection. */
  giveUp(reason: string): void {
    for (const batch of this.#batches.values()) batch.fail(new NoAcknowledgement(reason))
  }

  #window(subject: string, payloads: ReadonlyArray<string>, timeoutMs: number): Promise<void> {
    const reply = `${this.#inbox}.${this.#count++}`
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => batch.fail(new NoAcknowledgement("no acknowledgement in time")), timeoutMs)
      const batch: Batch = {
        waiting: payloads.length,
        refused: null,
        settle: () => {
          if (batch.refused !== null) return batch.fail(batch.refused)
          clearTimeout(timer)
          this.#batches.delete(reply)
          resolve()
        },
        fail: (error) => {
          clearTimeout(timer)
          this.#batches.delete(reply)
          reject(error)
        }
      }
      this.#batches.set(reply, batch)
      try {
        for (const payload of payloads) this.#nc.publish(subject, payload, { reply })
      } catch (error) {
        // The connection was closed.
        batch.fail(new NoAcknowledgement(String(error)))
      }
    })
  }

  #settle(error: Error | null, msg: Msg): void {
    const batch = this.#batches.get(msg.subject)
    if (batch === undefined) return
    batch.refused ??= error === null ? refusal(msg) : new Refused(error.message)
    if (--batch.waiting === 0) batch.settle()
  }
}

/** An acknowledgement with an `error` is a refusal, though it may carry a stream and a sequence; so is a status. */
const refusal = (msg: Msg): Error | null => {
  if (msg.headers !== undefined && msg.headers.code !== 0) {
    return new Refused(msg.headers.code === 503 ? "no stream takes the subject" : `status ${msg.headers.code}`)
  }
  let ack: { readonly stream?: string; readonly error?: { readonly err_code?: number; readonly description?: string } }
  try {
    ack = msg.json()
  } catch {
    return new Refused("an acknowledgement that cannot be read")
  }
  if (ack.error === undefined) return ack.stream ? null : new Refused("an acknowledgement without a stream")
  const { description = "refused", err_code } = ack.error
  return isWantOfRoom(err_code, description) ? new NoRoom(description) : new Refused(description)
}
