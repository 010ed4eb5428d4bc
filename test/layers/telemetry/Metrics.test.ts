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

  it("counts by labels that are given again and others in between", () => {
    const registry = makeRegistry()
    const [sent, failed] = [{ outcome: "sent" }, { outcome: "failed" }]
    for (const labels of [sent, sent, failed, { outcome: "sent" }, sent, failed]) {
      registry.add("heliograph_recipients_total", labels, 1)
      registry.observe("heliograph_batch_seconds", labels, 0.001)
    }
    registry.add("heliograph_webhook_posts_total", sent, 1)
    expect(
      registry.read().map(({ buckets, labels, name, value }) => [name, labels["outcome"], buckets?.[0] ?? value])
    ).toEqual([
      ["heliograph_recipients_total", "sent", 4],
      ["heliograph_batch_seconds", "sent", 4],
      ["heliograph_recipients_total", "failed", 2],
      ["heliograph_batch_seconds", "failed", 2],
      ["heliograph_webhook_posts_total", "sent", 1]
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
