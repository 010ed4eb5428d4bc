import type { JetStreamManager } from "@nats-io/jetstream"
import { JetStreamApiError } from "@nats-io/jetstream"
import type { NatsConnection } from "@nats-io/transport-node"
import { createdOf, isMissing, managerOf } from "./JetStreamTopics.ts"
import { isNoRoom, Refused } from "./Publisher.ts"

export interface StreamProvisionerOptions {
  readonly stream: string
  /** Makes the stream, and what belongs to it, unless they are there. */
  readonly make: (manager: JetStreamManager) => Promise<void>
  /** How long the server may take to answer. */
  readonly timeoutMs: number
  /**
   * A stream that refuses for so long is deleted and made anew. With replicas it is longer than an election takes, in
   * which a healthy stream refuses as well.
   */
  readonly renewMs: number
}

/**
 * Who finds that a stream refuses: who publishes; whose pull is refused; whose pull brings nothing, though jobs wait.
 */
export type Observer = "publisher" | "pull" | "delivery"

interface Doubt {
  /** The stream that refuses; null while that is not known, or there is none. */
  created: string | null
  since: number
}

/** A deleted stream is made anew after at least this, and at most twice as long, so that nodes do it one by one. */
const SETTLE_MS = 250

/** Unlike silence and want of room, a refusal may be cured by making the stream anew. */
export const isRefusal = (error: unknown): boolean =>
  error instanceof Refused || (error instanceof JetStreamApiError && !isNoRoom(error))

const settle = () => new Promise<void>((resolve) => setTimeout(resolve, SETTLE_MS * (1 + Math.random())))

/**
 * Keeps a stream and its consumer in being, for all of this process. What is known of them: nothing (in this epoch of
 * the connection), that they are being made, that they are there, and that somebody doubts it.
 *
 * Doubts are needed because nats-server removes the files of a deleted stream after it has forgotten the stream (seen
 * in 2.9.10). One of the same name that is made in that moment loses its directory: it is listed ever after, and
 * refuses messages, or its consumer, for ever. So nobody makes a stream in the moment in which it is missed; and one
 * that goes on refusing is deleted and made anew, by whichever node comes first: the others see that it is not the one
 * they doubted.
 */
export class StreamProvisioner {
  readonly #options: StreamProvisionerOptions
  readonly #doubts = new Map<Observer, Doubt>()
  /** The epoch in which they were found or made. */
  #epoch = 0
  #making: Promise<void> | null = null
  #lacking: unknown = null

  constructor(options: StreamProvisionerOptions) {
    this.#options = options
  }

  /** Makes stream and consumer unless they are known to be there. */
  ensure(nc: NatsConnection, epoch: number): Promise<void> {
    if (this.#making !== null) return this.#making
    if (this.#epoch === epoch) return Promise.resolve()
    return this.#make(epoch, async () => this.#options.make(await managerOf(nc, this.#options.timeoutMs)))
  }

  /** What should be there refuses: looks again, makes what is gone, and what refuses for too long anew. */
  renew(nc: NatsConnection, epoch: number, observer: Observer): Promise<void> {
    // What is under way is shared: publisher and puller find out at the same time.
    if (this.#making !== null) return this.#making
    let doubt = this.#doubts.get(observer)
    if (doubt === undefined) this.#doubts.set(observer, (doubt = { created: null, since: performance.now() }))
    return this.#make(epoch, () => this.#renew(nc, doubt))
  }

  /** Why the stream could not be made when it was last tried, as far as it is for want of room; else null. */
  lacksRoom(): unknown {
    return this.#lacking
  }

  /** The observer has seen it work. */
  works(observer: Observer): void {
    this.#doubts.delete(observer)
  }

  #make(epoch: number, run: () => Promise<void>): Promise<void> {
    this.#epoch = 0
    this.#making = run()
      .then(
        () => {
          this.#epoch = epoch
          this.#lacking = null
        },
        (error) => {
          this.#lacking = isNoRoom(error) ? error : null
          throw error
        }
      )
      .finally(() => (this.#making = null))
    return this.#making
  }

  async #renew(nc: NatsConnection, doubt: Doubt): Promise<void> {
    const { make, renewMs, stream, timeoutMs } = this.#options
    const manager = await managerOf(nc, timeoutMs)
    const isTooLong = doubt.created !== null && performance.now() - doubt.since >= renewMs
    if (isTooLong && (await createdOf(manager, stream)) === doubt.created) {
      await manager.streams.delete(stream).catch((error) => {
        // Another was as fast.
        if (!isMissing(error)) throw error
      })
    }
    await settle()
    let refusal: unknown = null
    await make(manager).catch((error) => {
      if (!isRefusal(error)) throw error
      refusal = error
    })
    const created = await createdOf(manager, stream)
    if (created !== doubt.created) Object.assign(doubt, { created, since: performance.now() })
    if (refusal !== null) throw refusal
  }
}
