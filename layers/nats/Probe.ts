import type { JetStreamManager } from "@nats-io/jetstream"
import { DiscardPolicy, RetentionPolicy, StorageType } from "@nats-io/jetstream"
import type { NatsConnection } from "@nats-io/transport-node"
import { StreamProvisioner } from "./StreamProvisioner.ts"
import type { StreamConfigOf } from "./JetStreamTopics.ts"
import { ensureStream, managerOf } from "./JetStreamTopics.ts"
import type { StreamPublisherOptions } from "./StreamPublisher.ts"
import { StreamPublisher } from "./StreamPublisher.ts"

export interface ProbeOptions extends Pick<StreamPublisherOptions, "connection" | "publisherOf" | "timeoutMs"> {
  readonly replicas: number
  readonly renewMs: number
  /** Where this process publishes its jobs. */
  readonly publishers: () => Iterable<StreamPublisher>
}

const STREAM = "HELIOGRAPH_PROBE"
const SUBJECT = "heliograph.probe"

/**
 * A record of the server's file is as large as a page of the disk: 22 bytes before the subject, 8 after the message.
 * Smaller ones go into the room of those before for a while, though the disk is full. And nats-server 2.9.10 answers
 * nothing any more, until it is started anew, once the disk had room for a part of a record; of these there is room for
 * all or nothing.
 */
const PAGE = 4096
const MESSAGE = "0".repeat(PAGE - 22 - SUBJECT.length - 8)

/** An answer serves everybody who asks within this. */
const KEEP_MS = 1000

/** The newest message of all nodes. What is there is given back only when more has been taken. */
const config = (replicas: number): StreamConfigOf => ({
  name: STREAM,
  subjects: [SUBJECT],
  retention: RetentionPolicy.Limits,
  storage: StorageType.File,
  discard: DiscardPolicy.Old,
  max_msgs: 1,
  max_bytes: 16 * PAGE,
  num_replicas: replicas
})

/**
 * Finds out whether NATS takes messages. A server whose disk is full answers every question and refuses messages, some
 * of them and in some streams; so only messages can tell: one to a stream for nothing else, and for each topic that did
 * not take this node's jobs, one of these.
 */
export class Probe {
  readonly #options: ProbeOptions
  readonly #publisher: StreamPublisher
  #latest: Promise<void> | null = null
  /** When it stops to count; unknown as long as it is under way. */
  #keptUntil = Infinity

  constructor(options: ProbeOptions) {
    this.#options = options
    const make = (manager: JetStreamManager) => ensureStream(manager, config(options.replicas))
    this.#publisher = new StreamPublisher({
      ...options,
      subject: SUBJECT,
      provisioner: new StreamProvisioner({ ...options, stream: STREAM, make })
    })
  }

  /** Rejects when messages are not taken. Those who ask at about the same time get the same answer. */
  check(nc: NatsConnection): Promise<void> {
    if (this.#latest === null || performance.now() >= this.#keptUntil) {
      this.#keptUntil = Infinity
      this.#latest = this.#ask(nc).finally(() => (this.#keptUntil = performance.now() + KEEP_MS))
    }
    return this.#latest
  }

  async #ask(nc: NatsConnection): Promise<void> {
    const answers = async () => void (await (await managerOf(nc, this.#options.timeoutMs)).getAccountInfo())
    const topics = Array.from(this.#options.publishers(), (publisher) => publisher.retry(nc))
    // All are waited for, so that never more than one of each is under way.
    const ends = await Promise.allSettled([answers(), this.#publisher.publish(nc, [MESSAGE]), ...topics])
    for (const end of ends) if (end.status === "rejected") throw end.reason
  }
}
