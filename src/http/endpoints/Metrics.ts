import { Context, Effect, Schema } from "effect"
import { HttpServerResponse } from "effect/http"
import type { Sample } from "../../../services/domain/operations/Metrics.ts"
import { merge } from "../../../services/domain/operations/Metrics.ts"
import { Metrics } from "../../../services/ports/operations/Metrics.ts"
import { route } from "../pipeline/Route.ts"
import { toText } from "./PrometheusText.ts"

/** What a node shows beside what its own process has counted. */
export class NodeMetrics extends Context.Reference<Effect.Effect<ReadonlyArray<Sample>>>(
  "heliograph/http/NodeMetrics",
  {
    defaultValue: () => Effect.succeed([])
  }
) {}

const MEDIA_TYPE = "text/plain; version=0.0.4; charset=utf-8"

/** For Prometheus. It names no application and no address; who may reach it is the load balancer's business. */
export const metricsRoutes = Effect.gen(function* () {
  const metrics = yield* Metrics
  const ofNode = yield* NodeMetrics
  return [
    route({
      method: "GET",
      path: "/metrics",
      access: "open",
      limit: "none",
      tag: "Status",
      summary: "The numbers of this node, for Prometheus",
      hasDeadline: true,
      success: {
        status: 200,
        description: "Prometheus text format 0.0.4.",
        schema: Schema.String,
        example: "# TYPE heliograph_queue_up gauge\nheliograph_queue_up 1\n",
        mediaType: "text/plain"
      },
      handler: () =>
        Effect.map(ofNode, (more) =>
          // Main and worker processes count the same things: each series is shown once.
          HttpServerResponse.text(toText(merge([...metrics.read(), ...more])), { contentType: MEDIA_TYPE })
        )
    })
  ]
})
