import { Effect, Layer } from "effect"
import { FetchHttpClient, HttpClient } from "effect/http"

/*
 * Requests to a collector, with what the exporter leaves open: it would wait five minutes for an answer, and send further
 * batches meanwhile, each of a megabyte and on a connection of its own.
 */

/** How long one request may take, as in other exporters of OpenTelemetry. */
const DEADLINE = "10 seconds"
/** Requests at once: a collector that takes a third of a second for each gets 50,000 spans a second. */
const AT_ONCE = 16

/**
 * Gives requests up that have no answer in time, and all that come while so many wait. They end as defects, which are not
 * tried again: the exporter drops what it has, and begins anew after a minute.
 */
export const bounded = <E, R>(client: HttpClient.HttpClient.With<E, R>): HttpClient.HttpClient.With<E, R> => {
  let waiting = 0
  const leave = Effect.sync(() => {
    waiting--
  })
  return HttpClient.transformResponse(client, (response) =>
    Effect.suspend(() => {
      if (waiting >= AT_ONCE) return Effect.die(new Error("The collector keeps too many requests waiting"))
      waiting++
      return response.pipe(
        // Its head says little: who never ends the answer holds the connection.
        Effect.tap(({ arrayBuffer }) => Effect.ignore(arrayBuffer)),
        Effect.timeoutOrElse({
          duration: DEADLINE,
          orElse: () => Effect.die(new Error("The collector did not answer in time"))
        }),
        Effect.ensuring(leave)
      )
    })
  )
}

export const layer: Layer.Layer<HttpClient.HttpClient> = Layer.effect(
  HttpClient.HttpClient,
  Effect.map(HttpClient.HttpClient, bounded)
).pipe(Layer.provide(FetchHttpClient.layer))
