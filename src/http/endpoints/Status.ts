import { Context, Effect, Fiber, Schema } from "effect"
import { ApplicationStore } from "../../../services/ports/access/ApplicationStore.ts"
import { JobQueue } from "../../../services/ports/operations/JobQueue.ts"
import type { Detail } from "../pipeline/ApiError.ts"
import { ApiError } from "../pipeline/ApiError.ts"
import { route } from "../pipeline/Route.ts"

/** How long a dependency may take to answer before it counts as down. */
const TIMEOUT = "2 seconds"

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
  const problemOf = Effect.fnUntraced(function* <E>(field: string, check: Effect.Effect<unknown, E>) {
    const fiber = yield* Effect.forkDetach(check)
    return yield* Fiber.join(fiber).pipe(
      Effect.timeout(TIMEOUT),
      Effect.as<ReadonlyArray<Detail>>([]),
      Effect.catchCause(() => Effect.succeed([{ field, message: "does not answer" }])),
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
      hasDeadline: true,
      success: {
        status: 200,
        description: "They do: send requests here.",
        schema: Schema.Struct({
          status: Schema.Literal("ready"),
          database: Schema.Literal("ok"),
          queue: Schema.Literal("ok"),
          workers: Schema.optional(Schema.Int)
        }),
        example: { status: "ready", database: "ok", queue: "ok" }
      },
      errors: ["unavailable"],
      handler: Effect.fnUntraced(function* () {
        const problems = yield* Effect.all(
          [problemOf("database", applications.count), problemOf("queue", queue.ping)],
          { concurrency: "unbounded" }
        )
        const workers = readyWorkers()
        const details = problems.flat()
        if (isDraining()) details.push({ field: "node", message: "is stopping" })
        if (workers === 0) details.push({ field: "workers", message: "no worker process is ready" })
        if (details.length > 0) {
          const error = new ApiError("unavailable", "The service is not ready.", details, { "retry-after": "2" })
          return yield* Effect.fail(error)
        }
        return {
          status: "ready" as const,
          database: "ok" as const,
          queue: "ok" as const,
          ...(workers === null ? {} : { workers })
        }
      })
    })
  ]
})
