import type { Msg, NatsConnection, Subscription } from "@nats-io/transport-node"
import { createInbox, nanos } from "@nats-io/transport-node"
import type { Job } from "../../services/domain/operations/Job.ts"
import type { Connection } from "./Connection.ts"
import type { StreamProvisioner, Observer } from "./StreamProvisioner.ts"
import { isRefusal } from "./StreamProvisioner.ts"
import type { Topic } from "./JetStreamTopics.ts"
import { CONSUMER, decode, waitingIn } from "./JetStreamTopics.ts"

/** A pull stands this long at the server, which sends a heartbeat each so often while it has nothing else to send. */
const PULL_MS = 30_000
const HEARTBEAT_MS = 2000
const SILENCE_MS = HEARTBEAT_MS * 2.5
/** Before the next try when the topic could not be made or pulled from. */
const RETRY_MS = 500

export interface PullerOptions {
  readonly connection: Connection
  readonly topic: Topic
  readonly concurrency: number
  readonly redeliverMs: number
  /** Jobs at work are marked as in progress three times within it. */
  readonly ackWaitMs: number
  /** Keeps the stream and the consumer in being. */
  readonly provisioner: StreamProvisioner
  /** How long the server may take to answer. */
  readonly timeoutMs: number
  /** A pull that brings nothing for so long asks whether there is nothing to bring. */
  readonly idleMs: number
  /** Runs the handler; true when the job is done. Never rejects. */
  readonly handle: (job: Job) => Promise<boolean>
  /** Told of a message that is no job. */
  readonly onGarbage: () => void
}

/**
 * Takes jobs of one topic from its consumer, never more than it has hands free.
 * The states of a puller: idle (no pull stands at the server: all hands full, or the queue is away), pulling, stopped.
 * Its mailbox: messages and statuses of the server, ends of handlers, a tick, the connection coming up.
 * It speaks the pull protocol itself, because the client's `consume` fetches ahead of free hands and its `fetch` keeps
 * freed hands waiting (docs/decisions/0072).
 */
export class Puller {
  readonly #options: PullerOptions
  readonly #offUp: () => void
  readonly #ticker: NodeJS.Timeout
  /** Reply subjects of the jobs at work. */
  readonly #active = new Map<string, NatsConnection>()
  #nc: NatsConnection | null = null
  #subscription: Subscription | null = null
  #inbox = ""
  /** The number of the pull that stands, and how many jobs it may still bring; none stands at 0. */
  #pull = 0
  #wanted = 0
  #heard = 0
  /** When the last job came, or it was asked why none comes. */
  #fedAt = 0
  #preparing = false
  #stopped = false
  #asked = false
  readonly #progressMs: number
  readonly #idleMs: number
  #progressAt: number
  #emptied = () => {}

  constructor(options: PullerOptions) {
    this.#options = options
    this.#progressMs = options.ackWaitMs / 3
    this.#idleMs = options.idleMs
    this.#progressAt = performance.now() + this.#progressMs
    this.#ticker = setInterval(() => this.#tick(), Math.min(1000, this.#progressMs, this.#idleMs))
    this.#offUp = options.connection.onUp((nc) => this.#rise(nc))
  }

  /** Takes no more and ends when the handlers at work have ended. Jobs that arrive meanwhile go back at once. */
  async stop(): Promise<void> {
    this.#stopped = true
    this.#offUp()
    const subscription = this.#subscription
    if (subscription !== null && this.#options.connection.isUp()) {
      await Promise.race([subscription.drain().catch(() => {}), new Promise((resolve) => setTimeout(resolve, 1000))])
    } else if (subscription !== null && !subscription.isClosed()) {
      subscription.unsubscribe()
    }
    if (this.#active.size > 0) await new Promise<void>((resolve) => (this.#emptied = resolve))
    clearInterval(this.#ticker)
  }

  #rise(nc: NatsConnection): void {
    if (nc !== this.#nc) {
      this.#nc = nc
      this.#inbox = createInbox()
      this.#subscription = nc.subscribe(`${this.#inbox}.*`, {
        callback: (error, msg) => {
          if (error === null) this.#receive(nc, msg)
        }
      })
    }
    // A pull of before the outage is forgotten by the server.
    this.#wanted = 0
    void this.#prepare(null)
  }

  /** Makes sure that there is something to pull from, until it succeeds. `observer`: who doubts what was known of it. */
  async #prepare(observer: Observer | null): Promise<void> {
    if (this.#preparing) return
    this.#preparing = true
    const { connection, provisioner } = this.#options
    let doubting = observer
    while (!this.#stopped && this.#nc !== null && connection.isUp()) {
      try {
        if (doubting === null) await provisioner.ensure(this.#nc, connection.epoch())
        else await provisioner.renew(this.#nc, connection.epoch(), doubting)
        break
      } catch (error) {
        if (isRefusal(error)) doubting ??= "pull"
        await new Promise((resolve) => setTimeout(resolve, RETRY_MS))
      }
    }
    this.#preparing = false
    this.#wanted = 0
    this.#fill()
  }

  /**
   * Nothing came for long, though a pull stands: is there nothing? If there is, the stream or the consumer is broken.
   */
  async #askWhy(nc: NatsConnection): Promise<void> {
    const pull = this.#pull
    const waiting = await waitingIn(nc, this.#options.topic, this.#options.timeoutMs).catch(() => 0)
    if (waiting === 0) this.#options.provisioner.works("delivery")
    else if (pull === this.#pull && this.#wanted > 0) void this.#prepare("delivery")
  }

  /** Asks for as many jobs as there are hands free. Several ends of handlers in one turn make one pull. */
  #fill(): void {
    if (this.#asked) return
    this.#asked = true
    setImmediate(() => {
      this.#asked = false
      const free = this.#options.concurrency - this.#active.size
      const nc = this.#nc
      if (this.#stopped || this.#preparing || this.#wanted > 0 || free <= 0) return
      if (nc === null || nc.isClosed() || !this.#options.connection.isUp()) return
      this.#pull++
      this.#wanted = free
      this.#heard = this.#fedAt = performance.now()
      const request = { batch: free, expires: nanos(PULL_MS), idle_heartbeat: nanos(HEARTBEAT_MS) }
      nc.publish(`$JS.API.CONSUMER.MSG.NEXT.${this.#options.topic.stream}.${CONSUMER}`, JSON.stringify(request), {
        reply: `${this.#inbox}.${this.#pull}`
      })
    })
  }

  #receive(nc: NatsConnection, msg: Msg): void {
    this.#heard = performance.now()
    // A job has its topic's subject; what has the inbox's is a status of the pull with that number.
    if (msg.subject.startsWith(this.#inbox)) {
      if (msg.subject === `${this.#inbox}.${this.#pull}`) this.#status(msg.headers?.code ?? 0)
      return
    }
    this.#fedAt = this.#heard
    this.#options.provisioner.works("pull")
    this.#options.provisioner.works("delivery")
    if (this.#wanted > 0) this.#wanted--
    if (this.#stopped || this.#active.size >= this.#options.concurrency) {
      // Left over from a pull that was given up: another node, or a later pull, has a hand for it.
      nc.publish(msg.reply!, "-NAK")
    } else {
      this.#work(nc, msg.reply!, decode(this.#options.topic, msg.string()))
    }
    if (this.#wanted === 0) this.#fill()
  }

  #status(code: number): void {
    // 100: a heartbeat. 404, 408: the pull ended in the ordinary way.
    const isInOrder = code === 100 || code === 404 || code === 408
    if (isInOrder) this.#options.provisioner.works("pull")
    if (code === 100) return
    this.#wanted = 0
    if (isInOrder) this.#fill()
    // 409: the consumer was deleted, or has a new leader. 503: nobody listens: the stream is gone.
    else void this.#prepare("pull")
  }

  #work(nc: NatsConnection, reply: string, job: Job | null): void {
    if (job === null) {
      nc.publish(reply, "+TERM")
      this.#options.onGarbage()
      return
    }
    this.#active.set(reply, nc)
    void this.#options.handle(job).then((done) => {
      this.#active.delete(reply)
      if (!nc.isClosed()) {
        nc.publish(reply, done ? "+ACK" : `-NAK ${JSON.stringify({ delay: nanos(this.#options.redeliverMs) })}`)
      }
      if (this.#wanted === 0) this.#fill()
      if (this.#active.size === 0) this.#emptied()
    })
  }

  #tick(): void {
    const now = performance.now()
    if (now >= this.#progressAt) {
      this.#progressAt = now + this.#progressMs
      for (const [reply, nc] of this.#active) if (!nc.isClosed()) nc.publish(reply, "+WPI")
    }
    if (this.#wanted === 0 || this.#nc === null || !this.#options.connection.isUp()) return
    if (now - this.#heard > SILENCE_MS) {
      // Not even heartbeats: the server forgot the pull, or lost the stream or the consumer.
      this.#wanted = 0
      void this.#prepare("pull")
    } else if (now - this.#fedAt > this.#idleMs) {
      this.#fedAt = now
      void this.#askWhy(this.#nc)
    }
  }
}
