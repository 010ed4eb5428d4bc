import { jetstreamManager } from "@nats-io/jetstream"
import { connect } from "@nats-io/transport-node"
import { Effect, Layer } from "effect"
import type { NatsOptions } from "../../../layers/nats/JobQueue.ts"
import { layerOf as layerBeside } from "../../../layers/nats/JobQueue.ts"
import { topicOf } from "../../../layers/nats/JetStreamTopics.ts"
import type { Job } from "../../../services/domain/operations/Job.ts"
import { NodeQueue } from "../../../services/ports/operations/NodeQueue.ts"
import type { NatsServer } from "../../NatsServer.ts"

export const options = {
  replicas: 1,
  redeliverMs: 20,
  timeoutMs: 2000,
  ackWaitMs: 30_000,
  renewMs: 1000,
  idleMs: 10_000
}

/** A node with nothing of its own: what is seen went by way of NATS. */
export const layerOf = (options: NatsOptions) =>
  Layer.provide(
    layerBeside(options),
    Layer.succeed(NodeQueue, { publish: () => Effect.void, subscribe: () => Effect.void })
  )

export const job = (id: string): Job => ({ type: "SendV1", id, priority: "bulk" })
export const subscription = { type: "SendV1", priority: "bulk", concurrency: 4 } as const
export const topic = topicOf("SendV1", "bulk")

/** A connection of the test's own, to look at the server and to disturb it. */
export const client = (server: NatsServer) =>
  Effect.acquireRelease(
    Effect.promise(async () => {
      const nc = await connect({ servers: server.url })
      return { nc, manager: await jetstreamManager(nc) }
    }),
    ({ nc }) => Effect.promise(() => nc.close())
  )
