import { Context, Effect, Layer } from "effect"
import { describe, expect, it } from "vitest"
import { layer, makeRegistry } from "../../../layers/telemetry/Metrics.ts"
import { Metrics } from "../../../services/ports/operations/Metrics.ts"

describe("a registry", () => {
  it("counts by name and labels, whatever their order", () => {
    const registry = makeRegistry()
    registry.add("heliograph_recipients_total", { provider: "fcm", outcome: "sent" }, 500)
    registry.add("heliograph_recipients_total", { outcome: "sent", provider: "fcm" }, 20)
    registry.add("heliograph_recipients_total", { provider: "fcm", outcome: "failed" }, 0)
    expect(registry.read()).toEqual([
      { name: "heliograph_recipients_total", labels: { provider: "fcm", outcome: "sent" }, value: 520 }
    ])
  })

  it("asks its sources when it is read, and no longer when they have ended", () => {
    const registry = makeRegistry()
    let value = 1
    const stop = registry.watch(() => [{ name: "heliograph_webhook_actors", labels: {}, value }])
    value = 7
    expect(registry.read()).toEqual([{ name: "heliograph_webhook_actors", labels: {}, value: 7 }])
    stop()
    expect(registry.read()).toEqual([])
  })
})

it("counts nothing where nobody has provided a registry", () => {
  const metrics = Effect.runSync(Metrics)
  metrics.add("heliograph_recipients_total", {}, 1)
  expect(metrics.read()).toEqual([])
})

it("gives all of a process one registry, and every process its own", () => {
  const build = () => Effect.runSync(Effect.scoped(Layer.build(layer))).pipe((context) => Context.get(context, Metrics))
  const [one, other] = [build(), build()]
  one.add("heliograph_recipients_total", {}, 1)
  expect([one.read().length, other.read().length]).toEqual([1, 0])
})
