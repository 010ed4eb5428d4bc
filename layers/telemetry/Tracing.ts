import { Cause, Clock, Context, Effect, Exit, Layer, Option, Tracer } from "effect"
import { OtlpExporter, OtlpSerialization, OtlpTracer } from "effect/observability"
import { hostname } from "node:os"
import type { Attributes, OpenSpan, SpanKind } from "../../services/ports/operations/Tracing.ts"
import { Tracing } from "../../services/ports/operations/Tracing.ts"
import { Settings } from "../config/Settings.ts"
import { layer as collectorClient } from "./CollectorClient.ts"
import { mask } from "./mask.ts"

/*
 * Traces over OTLP/HTTP as JSON, in batches and in the background, by Effect's own exporter. It is not made the tracer
 * of the runtime: that would record a span for every statement and every request, whether or not somebody follows it.
 * Spans that the collector does not take in time are dropped; the work never waits for it.
 */

const TRACEPARENT = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/

/** The span that a `traceparent` names (W3C Trace Context); null for one that is not valid, as if it were not there. */
const parentOf = (traceparent: string | undefined): Tracer.ExternalSpan | null => {
  const [, version, traceId, spanId, flags, more] = TRACEPARENT.exec(traceparent ?? "") ?? []
  if (traceId === undefined || spanId === undefined || version === "ff" || (version === "00" && more !== undefined)) {
    return null
  }
  if (/^0+$/.test(traceId) || /^0+$/.test(spanId)) return null
  return Tracer.externalSpan({ traceId, spanId, sampled: (Number.parseInt(flags!, 16) & 1) === 1 })
}

/** Errors of libraries may quote secrets, as in logs. */
const shown = (exit: Exit.Exit<unknown, unknown>): Exit.Exit<void, Error> => {
  if (Exit.isSuccess(exit)) return Exit.void
  const [line] = Cause.pretty(exit.cause).split("\n", 1)
  const error = new Error(mask(line!))
  delete error.stack
  return Exit.fail(error)
}

export const make = (tracer: Tracer.Tracer, ratio: number, random: () => number): Tracing => {
  const record = <A, E, R>(
    parent: Tracer.ExternalSpan | null,
    name: string,
    kind: SpanKind,
    attributes: Attributes,
    work: (span: OpenSpan) => Effect.Effect<A, E, R>
  ): Effect.Effect<A, E, R> =>
    Effect.flatMap(Clock.Clock, (clock) => {
      const span = tracer.span({
        name,
        parent: Option.fromNullishOr(parent),
        annotations: Context.empty(),
        links: [],
        startTime: clock.currentTimeNanosUnsafe(),
        kind,
        root: parent === null,
        sampled: true
      })
      const note = (noted: Attributes) => {
        for (const [key, value] of Object.entries(noted)) span.attribute(key, value)
      }
      note(attributes)
      return Effect.onExit(work({ trace: `00-${span.traceId}-${span.spanId}-01`, note }), (exit) =>
        Effect.sync(() => span.end(clock.currentTimeNanosUnsafe(), shown(exit)))
      )
    })
  return {
    begin: (traceparent, name, attributes, work) => {
      const parent = parentOf(traceparent)
      const isRecorded = parent === null ? random() < ratio : parent.sampled
      return isRecorded ? record(parent, name, "server", attributes, work) : work(null)
    },
    span: (trace, name, kind, attributes, work) => {
      const parent = trace === null ? null : parentOf(trace)
      return parent === null ? work(null) : record(parent, name, kind, attributes, work)
    }
  }
}

/** Records when there is an `OTLP_ENDPOINT`, and what is left when the node stops is sent then. */
export const layer: Layer.Layer<never, never, Settings> = Layer.unwrap(
  Effect.map(Settings, ({ otlpEndpoint, otlpHeaders, traceRatio }) =>
    otlpEndpoint === null
      ? Layer.empty
      : Layer.effect(
          Tracing,
          Effect.map(
            OtlpTracer.make({
              url: `${otlpEndpoint}/v1/traces`,
              headers: otlpHeaders,
              exportInterval: "1 second",
              resource: {
                serviceName: "heliograph",
                attributes: { "service.instance.id": `${hostname()}:${process.pid}` }
              }
            }),
            (tracer) => make(tracer, traceRatio, Math.random)
          )
        ).pipe(
          Layer.provide(OtlpExporter.layerFlusher),
          Layer.provide(OtlpSerialization.layerJson),
          Layer.provide(collectorClient)
        )
  )
)
