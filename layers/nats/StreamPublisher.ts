import type { NatsConnection } from "@nats-io/transport-node"
import type { Connection } from "./Connection.ts"
import type { StreamProvisioner } from "./StreamProvisioner.ts"
import { isRefusal } from "./StreamProvisioner.ts"
import type { Publisher } from "./Publisher.ts"

export interface StreamPublisherOptions {
  readonly subject: string
  /** Keeps the stream that takes the subject in being. */
  readonly provisioner: StreamProvisioner
  readonly connection: Connection
  readonly publisherOf: (nc: NatsConnection) => Publisher
  /** How long the server may take to answer. */
  readonly timeoutMs: number
}

/** Where this process publishes to a stream. It knows whether what was published last was taken. */
export class StreamPublisher {
  readonly #options: StreamPublisherOptions
  /** One of the messages that were not taken when it was last tried. */
  #untaken: string | null = null

  constructor(options: StreamPublisherOptions) {
    this.#options = options
  }

  get provisioner(): StreamProvisioner {
    return this.#options.provisioner
  }

  /** What was taken already is published twice when something else of it was refused, which harms nobody. */
  async publish(nc: NatsConnection, payloads: ReadonlyArray<string>): Promise<void> {
    const { connection, provisioner } = this.#options
    try {
      await this.#once(nc, payloads).catch(async (error) => {
        if (!isRefusal(error) || !connection.isUp()) throw error
        await provisioner.renew(nc, connection.epoch(), "publisher")
        await this.#once(nc, payloads)
      })
      this.#untaken = null
    } catch (error) {
      this.#untaken = payloads[0]!
      throw error
    }
  }

  /**
   * Publishes what was not taken once more: the only way to find out whether it would be now. Where nothing was published, who
   * pulls from the stream may have found out that there is no room for it.
   */
  async retry(nc: NatsConnection): Promise<void> {
    if (this.#untaken !== null) return this.publish(nc, [this.#untaken])
    const lacking = this.#options.provisioner.lacksRoom()
    if (lacking !== null) throw lacking
  }

  async #once(nc: NatsConnection, payloads: ReadonlyArray<string>): Promise<void> {
    const { connection, provisioner, publisherOf, subject, timeoutMs } = this.#options
    await provisioner.ensure(nc, connection.epoch())
    await publisherOf(nc).publish(subject, payloads, timeoutMs)
    provisioner.works("publisher")
  }
}
