import type { Effect } from "effect"
import { Context } from "effect"

/**
 * A recorded span as those after it know it, on this node or another: a W3C `traceparent`. It travels with the rows of
 * the work. Null: nothing of this work is recorded.
 */
export type Trace = string | null

export type Attributes = Readonly<Record<string, string | number | boolean>>

/** A span that is being recorded. */
export interface OpenSpan {
  readonly trace: string
  readonly note: (attributes: Attributes) => void
}

export type SpanKind = "internal" | "server" | "client" | "producer" | "consumer"

/**
 * Follows notifications through the engine: spans for batches of work, never for a recipient. What is not recorded costs
 * a comparison; without a place to send traces to, nothing is.
 */
export interface Tracing {
  /**
   * The first span of a notification. Whether it is recorded, the client's `traceparent` says where there is one, and
   * else chance, at the rate of the settings.
   */
  readonly begin: <A, E, R>(
    traceparent: string | undefined,
    name: string,
    attributes: Attributes,
    work: (span: OpenSpan | null) => Effect.Effect<A, E, R>
  ) => Effect.Effect<A, E, R>
  /** Work that follows from a span. */
  readonly span: <A, E, R>(
    parent: Trace,
    name: string,
    kind: SpanKind,
    attributes: Attributes,
    work: (span: OpenSpan | null) => Effect.Effect<A, E, R>
  ) => Effect.Effect<A, E, R>
}

export const Tracing = Context.Reference<Tracing>("heliograph/ports/Tracing", {
  defaultValue: () => ({
    begin: (_traceparent, _name, _attributes, work) => work(null),
    span: (_parent, _name, _kind, _attributes, work) => work(null)
  })
})
