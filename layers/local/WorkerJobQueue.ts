import { Effect, Layer } from "effect"
import type { Scope } from "effect"
import type { Job } from "../../services/domain/operations/Job.ts"
import type { Subscription } from "../../services/ports/operations/JobQueue.ts"
import { JobQueue, QueueUnavailable } from "../../services/ports/operations/JobQueue.ts"
import { NodeQueue } from "../../services/ports/operations/NodeQueue.ts"
import type { Channel } from "./ProcessChannel.ts"
import { starting } from "./Handler.ts"
import type { Start } from "./Topics.ts"
import type { Order, Request } from "./HubProtocol.ts"
import { isOurs } from "./HubProtocol.ts"

const unavailable = (cause: unknown) => new QueueUnavailable({ cause })

/** The queue of a worker process: its jobs wait in the hub at the other end of the channel. */
const queueOf = Effect.fnUntraced(function* (
  channel: Channel
): Effect.fn.Return<JobQueue["Service"], never, Scope.Scope> {
  const members = new Map<number, (run: number, job: Job) => void>()
  const calls = new Map<number, (error: Error | null) => void>()
  let numbers = 0
  const tell = (request: Request, sent?: (error: Error | null) => void) => channel.send(request, sent)

  const listen = () =>
    channel.onMessage((message) => {
      if (!isOurs(message)) return
      const order = message as Order
      if (order.jobs === "pong") return calls.get(order.call)?.(null)
      const start = members.get(order.member)
      // It was on its way when the subscription ended: another takes it.
      if (start === undefined) tell({ jobs: "end", run: order.run, isDone: false })
      else start(order.run, order.job)
    })
  yield* Effect.acquireRelease(Effect.sync(listen), (stop) => Effect.sync(stop))
  channel.onClose(() => {
    for (const answer of calls.values()) answer(new Error("the channel to the queue was closed"))
  })

  const join = (subscription: Subscription, start: Start) => {
    const member = numbers++
    let active = 0
    let ended: (() => void) | null = null
    members.set(member, (run, job) => {
      active++
      start(job, (isDone) => {
        active--
        tell({ jobs: "end", run, isDone })
        if (active === 0) ended?.()
      })
    })
    tell({ jobs: "join", member, subscription })
    return {
      leave: (done: () => void) => {
        members.delete(member)
        tell({ jobs: "leave", member })
        ended = done
        if (active === 0) done()
      }
    }
  }

  // What is in the pipe is lost only when the process with the hub ends, and with it the queue.
  const publish = (jobs: ReadonlyArray<Job>) =>
    jobs.length === 0
      ? Effect.void
      : Effect.callback<void, QueueUnavailable>((resume) =>
          tell({ jobs: "publish", list: jobs }, (error) =>
            resume(error === null ? Effect.void : Effect.fail(unavailable(error)))
          )
        )

  return {
    publish,
    wake: (jobs) => Effect.ignore(publish(jobs)),
    subscribe: Effect.fnUntraced(function* (subscription, handler) {
      const start = yield* starting(handler)
      yield* Effect.acquireRelease(
        Effect.sync(() => join(subscription, start)),
        ({ leave }) => Effect.callback<void>((resume) => leave(() => resume(Effect.void)))
      )
    }),
    reachesOthers: () => false,
    ping: Effect.callback<void, QueueUnavailable>((resume) => {
      const call = numbers++
      const answer = (error: Error | null) => {
        calls.delete(call)
        resume(error === null ? Effect.void : Effect.fail(unavailable(error)))
      }
      calls.set(call, answer)
      tell({ jobs: "ping", call }, (error) => {
        if (error !== null) answer(error)
      })
      return Effect.sync(() => void calls.delete(call))
    })
  }
})

export const layerOf = (channel: Channel): Layer.Layer<JobQueue> => Layer.effect(JobQueue, queueOf(channel))

/** The node's own queue, for a worker process whose jobs come from elsewhere. Without the hub the node has ended. */
export const besideOf = (channel: Channel): Layer.Layer<NodeQueue> =>
  Layer.effect(
    NodeQueue,
    Effect.map(queueOf(channel), ({ subscribe, wake }) => ({ publish: wake, subscribe }))
  )
