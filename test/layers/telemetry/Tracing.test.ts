import { expect, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { layer as tracingLayer, make } from "../../../layers/telemetry/Tracing.ts"
import { layer as settingsOf } from "../../../layers/config/Settings.ts"
import { Tracing } from "../../../services/ports/operations/Tracing.ts"
import { startCollector, startSilentCollector } from "../../Collector.ts"

const TRACE = "0af7651916cd43dd8448eb211c80319c"
const SPAN = "b7ad6b7169203331"
const SAMPLED = `00-${TRACE}-${SPAN}-01`

const nothing = { app_id: "a" }

/** Runs with the layer of such settings, to the end of its scope: everything was exported, or never will be. */
const traced = <A, E>(env: Record<string, string>, work: (tracing: Tracing) => Effect.Effect<A, E>) =>
  Effect.scoped(
    Effect.flatMap(Tracing, work).pipe(Effect.provide(tracingLayer.pipe(Layer.provide(settingsOf(env)), Layer.fresh)))
  )

it.live("exports spans with their parents, numbers and times, and the headers that the collector wants", () =>
  Effect.gen(function* () {
    const collector = yield* startCollector
    const env = { OTLP_ENDPOINT: `${collector.url}/otlp`, OTLP_HEADERS: "Api-Key=s%3Dx, tenant=7", TRACE_RATIO: "1" }
    yield* traced(env, (tracing) =>
      tracing.begin(undefined, "first", { app_id: "a", request_id: "r" }, (first) =>
        tracing.span(first!.trace, "second", "client", { recipients: 500, isLast: true }, (second) =>
          Effect.sync(() => second!.note({ outcome: "ok" }))
        )
      )
    )
    const [request] = collector.requests
    expect(request).toMatchObject({ path: "/otlp/v1/traces", headers: { "api-key": "s=x", tenant: "7" } })
    expect(collector.spans.map(({ name }) => name).toSorted()).toEqual(["first", "second"])
    const [first, second] = collector.spans.toSorted((a, b) => (a.name < b.name ? -1 : 1))
    expect(first).toMatchObject({ parentSpanId: null, status: 1, attributes: { app_id: "a", request_id: "r" } })
    expect(second).toMatchObject({
      traceId: first!.traceId,
      parentSpanId: first!.spanId,
      attributes: { recipients: 500, isLast: true, outcome: "ok" }
    })
    expect(second!.startNs).toBeGreaterThanOrEqual(first!.startNs)
    expect(first!.endNs).toBeGreaterThanOrEqual(second!.endNs)
  })
)

it.live("does as the client's traceparent says, whatever the rate", () =>
  Effect.gen(function* () {
    const collector = yield* startCollector
    const seen: Array<string | null> = []
    for (const [ratio, traceparent] of [
      ["0", SAMPLED],
      ["1", `00-${TRACE}-${SPAN}-00`],
      ["0", undefined],
      ["0", `00-${"0".repeat(32)}-${SPAN}-01`],
      ["0", `ff-${TRACE}-${SPAN}-01`],
      ["0", "yes please"]
    ] as const) {
      yield* traced({ OTLP_ENDPOINT: collector.url, TRACE_RATIO: ratio }, (tracing) =>
        tracing.begin(traceparent, "accept", nothing, (span) => Effect.sync(() => seen.push(span?.trace ?? null)))
      )
    }
    expect(seen.map((trace) => trace !== null)).toEqual([true, false, false, false, false, false])
    expect(collector.spans).toHaveLength(1)
    expect(collector.spans[0]).toMatchObject({ traceId: TRACE, parentSpanId: SPAN })
    expect(seen[0]).toBe(`00-${TRACE}-${collector.spans[0]!.spanId}-01`)
  })
)

it.effect("records the share of notifications that the settings name", () =>
  Effect.gen(function* () {
    const draws = [0.0, 0.2, 0.249, 0.25, 0.9]
    const names: Array<string> = []
    const tracer = {
      span: ({ name }: { readonly name: string }) => {
        names.push(name)
        return { traceId: TRACE, spanId: SPAN, attribute: () => {}, end: () => {} } as never
      }
    }
    const tracing = make(tracer, 0.25, () => draws.shift()!)
    for (const name of ["a", "b", "c", "d", "e"]) yield* tracing.begin(undefined, name, nothing, () => Effect.void)
    expect(names).toEqual(["a", "b", "c"])
  })
)

it.live("tells that work failed, without the secrets that its error quotes", () =>
  Effect.gen(function* () {
    const collector = yield* startCollector
    const failed = yield* traced({ OTLP_ENDPOINT: collector.url }, (tracing) =>
      Effect.result(
        tracing.begin(SAMPLED, "accept", nothing, () =>
          Effect.fail(new Error("no answer from postgres://heliograph:hunter2@db/x"))
        )
      )
    )
    expect(failed._tag).toBe("Failure")
    expect(collector.spans[0]!.status).toBe(2)
    expect(collector.spans[0]!.text).toContain("no answer from postgres://[credential]@db/x")
    expect(collector.spans[0]!.text).not.toContain("hunter2")
  })
)

it.live("records nothing where there is nowhere to send it", () =>
  Effect.gen(function* () {
    const seen = yield* traced({ TRACE_RATIO: "1" }, (tracing) =>
      tracing.begin(SAMPLED, "accept", nothing, (first) =>
        tracing.span(SAMPLED, "batch", "consumer", nothing, (second) => Effect.succeed([first, second]))
      )
    )
    expect(seen).toEqual([null, null])
  })
)

it.live("goes on working, and ends, when the collector is not there", () =>
  Effect.gen(function* () {
    const { url } = yield* Effect.scoped(startCollector)
    expect(
      yield* traced({ OTLP_ENDPOINT: url }, (tracing) =>
        tracing.begin(SAMPLED, "accept", nothing, () => Effect.succeed("done"))
      )
    ).toBe("done")
  })
)

it.live("sends a collector that does not answer no more than it would have taken, and drops the rest", () =>
  Effect.gen(function* () {
    const collector = yield* startSilentCollector
    yield* traced({ OTLP_ENDPOINT: collector.url }, (tracing) =>
      Effect.gen(function* () {
        const record = tracing.begin(SAMPLED, "accept", nothing, () => Effect.void)
        for (let batch = 0; batch < 40; batch++) {
          yield* Effect.repeat(record, { times: 999 })
          yield* Effect.promise(() => new Promise(setImmediate))
        }
      })
    )
    expect(collector.requests()).toBeGreaterThan(0)
    expect(collector.requests()).toBeLessThan(18)
  })
)
