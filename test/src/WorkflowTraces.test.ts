import { expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { startCollector } from "../Collector.ts"
import { eventually, makeSystem } from "../System.ts"

const PEOPLE = 6
const CLIENT_SPAN = "b7ad6b7169203331"
const TRACES = {
  named: "0af7651916cd43dd8448eb211c80319c",
  described: "1bf7651916cd43dd8448eb211c80319c",
  event: "2cf7651916cd43dd8448eb211c80319c"
}

it.live(
  "a trace goes on from what lets people into a workflow to what their runs send, past a wait",
  () =>
    Effect.gen(function* () {
      const collector = yield* startCollector
      const system = yield* makeSystem({ OTLP_ENDPOINT: collector.url, TRACE_RATIO: "0", SWEEP_SECONDS: "1" })
      yield* system.importDevices(PEOPLE)
      const people = Array.from({ length: PEOPLE }, (_, i) => system.audience.device(i).user_id)
      yield* system.call("POST", "/api/v1/contacts/bulk", {
        contacts: people.map((external_id) => ({ external_id, tags: ["all"] }))
      })
      const activated = Effect.fnUntraced(function* (trigger: object) {
        const { body } = yield* system.call("POST", "/api/v1/workflows", {
          name: "Welcome",
          trigger,
          steps: [
            { key: "later", type: "DELAY", seconds: 1 },
            { key: "hello", type: "SEND", channels: ["push"], content: { title: "Hello" } }
          ]
        })
        yield* system.call("POST", `/api/v1/workflows/${body.id}/activate`)
        return body.id as string
      })
      // One for each: runs that come to a step together share a message.
      const [named, described, untraced] = [
        yield* activated({ type: "api" }),
        yield* activated({ type: "api" }),
        yield* activated({ type: "api" })
      ]
      yield* activated({ type: "event", event: "signed_up" })
      const post = (path: string, body: unknown, trace?: string) =>
        system.call(
          "POST",
          `/api/v1/${path}`,
          body,
          trace === undefined ? {} : { traceparent: `00-${trace}-${CLIENT_SPAN}-01` }
        )
      const spansOf = (trace: string, name: string) =>
        collector.spans.filter((span) => span.traceId === trace && span.name === name)
      const goesOn = Effect.fnUntraced(function* (trace: string, name: string, count: number) {
        yield* eventually(
          Effect.sync(() =>
            spansOf(trace, "batch.results").reduce((sum, { attributes }) => sum + Number(attributes["sent"]), 0)
          ),
          (sent) => sent === count
        )
        const [first] = yield* eventually(
          Effect.sync(() => spansOf(trace, name)),
          ({ length }) => length === 1
        )
        expect(first).toMatchObject({ parentSpanId: CLIENT_SPAN, attributes: { app_id: system.app.appId } })
        const sends = spansOf(trace, "batch.claimed")
        expect(sends.map(({ parentSpanId }) => parentSpanId)).toEqual(sends.map(() => first!.spanId))
      })
      yield* post(`workflows/${untraced}/trigger`, { to: { user_ids: people } })
      yield* post(`workflows/${named}/trigger`, { to: { user_ids: people } }, TRACES.named)
      yield* post(`workflows/${described}/trigger`, { to: { tags_any: ["all"] } }, TRACES.described)
      yield* post("events/custom", { event: "signed_up", user_id: people[0] }, TRACES.event)
      yield* goesOn(TRACES.named, "workflow.trigger", PEOPLE)
      yield* goesOn(TRACES.described, "workflow.trigger", PEOPLE)
      yield* goesOn(TRACES.event, "event.raise", 1)
      expect(new Set(collector.spans.map(({ traceId }) => traceId))).toEqual(new Set(Object.values(TRACES)))
    }).pipe(Effect.scoped),
  120_000
)
