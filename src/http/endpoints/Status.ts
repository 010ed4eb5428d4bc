import type { Duration } from "effect"
import { Cause, Context, Effect, Fiber, Schema } from "effect"
import { ApplicationStore } from "../../../services/ports/access/ApplicationStore.ts"
import { JobQueue, problemOfQueue } from "../../../services/ports/operations/JobQueue.ts"
import type { Detail } from "../pipeline/ApiError.ts"
import { ApiError } from "../pipeline/ApiError.ts"
import { route } from "../pipeline/Route.ts"

/** How long a dependency may take to answer before it counts as down. */
const TIMEOUT = "2 seconds"
/**
 * The same of one that does not decide: balancers and Kubernetes' probes give an answer a second or two, and would take a
 * node for dead that waits so long for a queue that hangs.
 */
const EXCLUDED_TIMEOUT = "500 millis"

/** What readiness may leave aside, as `exclude` of Kubernetes' API server does. */
const QUEUE = "queue"

/** Whether the query of a request leaves the queue aside, for those that are answered before there are routes. */
export const excludesQueue = (url: string): boolean =>
  new URLSearchParams(url.split("?", 2)[1]).get("exclude") === QUEUE

/**
 * Whether work is done on this node: the number of its worker processes that are ready, or null where the process that
 * answers does the work itself, or none is asked of it.
 */
export class ReadyWorkers extends Context.Reference<() => number | null>("heliograph/http/ReadyWorkers", {
  defaultValue: () => () => null
}) {}

/** Whether the node has been told to stop: it finishes what it has, and should get nothing more. */
export class Draining extends Context.Reference<() => boolean>("heliograph/http/Draining", {
  defaultValue: () => () => false
}) {}

/** For load balancers and supervisors: is the process alive, and can it do its work? */
export const statusRoutes = Effect.gen(function* () {
  const applications = yield* ApplicationStore
  const queue = yield* JobQueue
  const readyWorkers = yield* ReadyWorkers
  const isDraining = yield* Draining

  // On a fiber of its own: a statement that hangs takes seconds to be given up, and nobody should wait for that.
  const problemOf = Effect.fnUntraced(function* <E>(
    field: string,
    check: Effect.Effect<unknown, E>,
    timeout: Duration.Input = TIMEOUT
  ) {
    const fiber = yield* Effect.forkDetach(check)
    return yield* Fiber.join(fiber).pipe(
      Effect.timeout(timeout),
      Effect.as<ReadonlyArray<Detail>>([]),
      Effect.catchCause((cause) => Effect.succeed([{ field, message: problemOfQueue(Cause.squash(cause)) }])),
      Effect.ensuring(Effect.sync(() => fiber.interruptUnsafe()))
    )
  })

  return [
    route({
      method: "GET",
      path: "/healthz",
      access: "open",
      limit: "none",
      tag: "Status",
      summary: "Is the process alive?",
      success: {
        status: 200,
        description: "It is.",
        schema: Schema.Struct({ status: Schema.Literal("ok") }),
        example: { status: "ok" }
      },
      handler: () => Effect.succeed({ status: "ok" as const })
    }),
    route({
      method: "GET",
      path: "/readyz",
      access: "open",
      limit: "none",
      tag: "Status",
      summary: "Do its database and its queue answer, and is somebody at work?",
      description:
        "A node without its queue accepts and sends by itself. With `exclude=queue`, which is for load balancers, the queue is asked and told, but does not decide.",
      hasDeadline: true,
      query: Schema.Struct({ exclude: Schema.optionalKey(Schema.Literal(QUEUE)) }),
      success: {
        status: 200,
        description: "They do: send requests here.",
        schema: Schema.Struct({
          status: Schema.Literal("ready"),
          database: Schema.Literal("ok"),
          queue: Schema.Literals(["ok", "away"]).annotate({ description: "`away` with `exclude=queue` alone." }),
          workers: Schema.optional(Schema.Int)
        }),
        example: { status: "ready", database: "ok", queue: "ok" }
      },
      errors: ["unavailable", "validation_error"],
      handler: Effect.fnUntraced(function* ({ query }) {
        const isExcluded = query.exclude === QUEUE
        const [ofDatabase, ofQueue] = yield* Effect.all(
          [
            problemOf("database", applications.count),
            problemOf("queue", queue.ping, isExcluded ? EXCLUDED_TIMEOUT : TIMEOUT)
          ],
          { concurrency: "unbounded" }
        )
        const workers = readyWorkers()
        const details = [...ofDatabase, ...(isExcluded ? [] : ofQueue)]
        if (isDraining()) details.push({ field: "node", message: "is stopping" })
        if (workers === 0) details.push({ field: "workers", message: "no worker process is ready" })
        if (details.length > 0) {
          const error = new ApiError("unavailable", "The service is not ready.", details, { "retry-after": "2" })
          return yield* Effect.fail(error)
        }
        return {
          status: "ready" as const,
          database: "ok" as const,
          queue: ofQueue.length === 0 ? ("ok" as const) : ("away" as const),
          ...(workers === null ? {} : { workers })
        }
      })
    })
  ]
})
