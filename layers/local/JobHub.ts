import { Context, Effect, Layer } from "effect"
import type { Scope } from "effect"
import type { JobType } from "../../services/domain/operations/Job.ts"
import { JobQueue } from "../../services/ports/operations/JobQueue.ts"
import { NodeQueue } from "../../services/ports/operations/NodeQueue.ts"
import type { Channel } from "./ProcessChannel.ts"
import { DEFAULTS, topicsOf, queueOf } from "./JobQueue.ts"
import type { Topics, LocalOptions, Membership } from "./Topics.ts"
import type { Order, Request } from "./HubProtocol.ts"
import { isOurs } from "./HubProtocol.ts"

/**
 * The queue of a node that consists of several processes: the topics are in the one that holds the hub, and the others
 * join them over a channel each (layers/local/WorkerJobQueue.ts). A process that ends gives back what it had at work.
 */
export class JobHub extends Context.Service<
  JobHub,
  {
    /** Serves a process at the other end of the channel until either closes. */
    readonly attach: (channel: Channel) => Effect.Effect<void, never, Scope.Scope>
  }
>()("heliograph/layers/JobHub") {}

const nothing = () => {}

const serve = (topics: Topics, channel: Channel): (() => void) => {
  const members = new Map<number, Membership>()
  const atWork = new Map<number, (isDone: boolean) => void>()
  let runs = 0
  let isClosed = false
  const tell = (order: Order) => channel.send(order)

  const stopListening = channel.onMessage((message) => {
    if (!isOurs(message)) return
    const request = message as Request
    switch (request.jobs) {
      case "publish":
        return topics.publish(request.list)
      case "join": {
        const { member, subscription } = request
        const membership = topics.join(subscription, (job, end) => {
          if (isClosed) return end(false)
          const run = runs++
          atWork.set(run, end)
          tell({ jobs: "start", member, run, job })
        })
        members.set(member, membership)
        return
      }
      case "leave":
        members.get(request.member)?.leave(nothing)
        members.delete(request.member)
        return
      case "end": {
        const end = atWork.get(request.run)
        atWork.delete(request.run)
        return end?.(request.isDone)
      }
      case "ping":
        return tell({ jobs: "pong", call: request.call })
    }
  })

  const close = () => {
    if (isClosed) return
    isClosed = true
    stopListening()
    for (const { leave } of members.values()) leave(nothing)
    // Nobody knows how far it came: another looks.
    for (const end of atWork.values()) end(false)
  }
  channel.onClose(close)
  return close
}

const hubOf = (topics: Topics): JobHub["Service"] => ({
  attach: (channel) =>
    Effect.asVoid(
      Effect.acquireRelease(
        Effect.sync(() => serve(topics, channel)),
        (close) => Effect.sync(close)
      )
    )
})

export const layerWith = (options: LocalOptions): Layer.Layer<JobQueue | JobHub> =>
  Layer.effectContext(
    Effect.map(topicsOf(options), (topics) =>
      Context.add(Context.make(JobQueue, queueOf(topics)), JobHub, hubOf(topics))
    )
  )

export const layer: Layer.Layer<JobQueue | JobHub> = layerWith(DEFAULTS)

export const besideWith = (options: LocalOptions): Layer.Layer<NodeQueue | JobHub> =>
  Layer.effectContext(
    Effect.map(topicsOf(options), (topics) =>
      Context.add(Context.make(NodeQueue, queueOf(topics)), JobHub, hubOf(topics))
    )
  )

/**
 * Beside a queue elsewhere, at which the processes of many nodes meet: for what concerns this node alone. Jobs of the
 * `types` that the node's workers take wait for workers that are starting; others would wait for nobody.
 */
export const besideFor = (types: ReadonlySet<JobType>): Layer.Layer<NodeQueue | JobHub> =>
  besideWith({ ...DEFAULTS, keepsWaiting: (type) => types.has(type) })
