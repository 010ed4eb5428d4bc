import type { ConsumerConfig, JetStreamManager, StreamConfig } from "@nats-io/jetstream"
import {
  AckPolicy,
  DeliverPolicy,
  DiscardPolicy,
  JetStreamApiCodes,
  JetStreamApiError,
  jetstreamManager,
  ReplayPolicy,
  RetentionPolicy,
  StorageType
} from "@nats-io/jetstream"
import type { NatsConnection } from "@nats-io/transport-node"
import { nanos } from "@nats-io/transport-node"
import type { Job, JobPriority, JobType } from "../../services/domain/operations/Job.ts"

/**
 * One work queue for each type and priority: a stream with one subject and one durable consumer that all nodes share
 * (server 2.9 gives a work queue no more than one without a filter).
 */
export interface Topic {
  readonly type: JobType
  readonly priority: JobPriority
  readonly subject: string
  readonly stream: string
}

export const CONSUMER = "workers"

/** Far above what all nodes work on at once; reached, it would stop deliveries. */
const MAX_ACK_PENDING = 8192
/**
 * A topic keeps at most this; the oldest goes first, so that publishing never blocks. The sweeper finds what is lost.
 */
const MAX_JOBS = 500_000
const MAX_BYTES = 64 * 1024 * 1024

export const topicOf = (type: JobType, priority: JobPriority): Topic => ({
  type,
  priority,
  subject: `heliograph.${type}.${priority}`,
  stream: `HELIOGRAPH_${type}_${priority}`.toUpperCase()
})

const TYPES: Readonly<Record<JobType, true>> = { PlanV1: true, SendV1: true, WebhookV1: true, FlowV1: true }
const PRIORITIES: ReadonlyArray<JobPriority> = ["high", "bulk"]

/** Every topic: nodes of all roles together use each of them. */
export const TOPICS: ReadonlyArray<Topic> = Object.keys(TYPES).flatMap((type) =>
  PRIORITIES.map((priority) => topicOf(type as JobType, priority))
)

/** What their streams reserve, for each replica, in MiB; that of the probe is a thousandth of one. */
export const RESERVED_MIB = (TOPICS.length * MAX_BYTES) / (1024 * 1024)

/** The type carries the version; the priority is the topic's. */
export const encode = (job: Job): string => JSON.stringify({ type: job.type, id: job.id })

/** Null for what is no job of this topic: nobody could ever handle it. */
export const decode = (topic: Topic, text: string): Job | null => {
  try {
    const { type, id } = JSON.parse(text) as { readonly type?: unknown; readonly id?: unknown }
    return type === topic.type && typeof id === "string" ? { type: topic.type, id, priority: topic.priority } : null
  } catch {
    return null
  }
}

export type StreamConfigOf = Partial<StreamConfig> & { readonly name: string }

const streamConfig = (topic: Topic, replicas: number) =>
  ({
    name: topic.stream,
    subjects: [topic.subject],
    retention: RetentionPolicy.Workqueue,
    storage: StorageType.File,
    discard: DiscardPolicy.Old,
    max_msgs: MAX_JOBS,
    max_bytes: MAX_BYTES,
    num_replicas: replicas
  }) satisfies Partial<StreamConfig>

const consumerConfig = (ackWaitMs: number) =>
  ({
    durable_name: CONSUMER,
    ack_policy: AckPolicy.Explicit,
    ack_wait: nanos(ackWaitMs),
    deliver_policy: DeliverPolicy.All,
    replay_policy: ReplayPolicy.Instant,
    max_deliver: -1,
    max_ack_pending: MAX_ACK_PENDING
  }) satisfies Partial<ConsumerConfig>

export interface TopicOptions {
  readonly replicas: number
  readonly ackWaitMs: number
  readonly timeoutMs: number
}

export const managerOf = (nc: NatsConnection, timeoutMs: number): Promise<JetStreamManager> =>
  jetstreamManager(nc, { checkAPI: false, timeout: timeoutMs })

/** Makes the topic's stream and consumer unless they are there; what an earlier release made is brought up to date. */
export const ensureTopic = async (manager: JetStreamManager, topic: Topic, options: TopicOptions): Promise<void> => {
  await ensureStream(manager, streamConfig(topic, options.replicas))
  await ensureConsumer(manager, topic, options.ackWaitMs)
}

/** The server says that there is no stream of that name. */
export const isMissing = (error: unknown): boolean =>
  error instanceof JetStreamApiError && error.code === JetStreamApiCodes.StreamNotFound

/** When a stream was made, by the server's clock: which of those that bore its name it is. Null without one. */
export const createdOf = (manager: JetStreamManager, stream: string): Promise<string | null> =>
  manager.streams.info(stream).then(
    ({ created }) => created,
    (error) => {
      if (isMissing(error)) return null
      throw error
    }
  )

/** How many jobs wait for somebody to pull them. */
export const waitingIn = async (nc: NatsConnection, topic: Topic, timeoutMs: number): Promise<number> => {
  const manager = await managerOf(nc, timeoutMs)
  return (await manager.consumers.info(topic.stream, CONSUMER)).num_pending
}

/** Adding one that exists with the same configuration changes nothing; with another one it is refused. */
export const ensureStream = async (manager: JetStreamManager, config: StreamConfigOf): Promise<void> => {
  try {
    await manager.streams.add(config)
  } catch (error) {
    // It either exists in another form, or the server cannot now; the second attempt tells which.
    await manager.streams.update(config.name, config).catch(() => {
      throw error
    })
  }
}

const ensureConsumer = async (manager: JetStreamManager, topic: Topic, ackWaitMs: number): Promise<void> => {
  const config = consumerConfig(ackWaitMs)
  try {
    await manager.consumers.add(topic.stream, config)
  } catch (error) {
    await manager.consumers.update(topic.stream, CONSUMER, config).catch(() => {
      throw error
    })
  }
}
