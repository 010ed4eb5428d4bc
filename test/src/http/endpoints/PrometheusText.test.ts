import { describe, expect, it } from "vitest"
import { toText } from "../../../../src/http/endpoints/PrometheusText.ts"
import { makeRegistry } from "../../../../layers/telemetry/Metrics.ts"

describe("the text for Prometheus", () => {
  it("writes histograms with cumulated buckets, their sum and their count", () => {
    const registry = makeRegistry()
    for (const seconds of [0.004, 0.005, 0.3, 100]) {
      registry.observe("heliograph_batch_seconds", { provider: "fcm", outcome: "ok" }, seconds)
    }
    const text = toText(registry.read())
    const bucket = (le: string) => `heliograph_batch_seconds_bucket{outcome="ok",provider="fcm",le="${le}"}`
    expect(text).toContain(`${bucket("0.005")} 2\n`)
    expect(text).toContain(`${bucket("0.25")} 2\n`)
    expect(text).toContain(`${bucket("0.5")} 3\n`)
    expect(text).toContain(`${bucket("60")} 3\n`)
    expect(text).toContain(`${bucket("+Inf")} 4\n`)
    expect(text).toContain('heliograph_batch_seconds_sum{outcome="ok",provider="fcm"} 100.309\n')
    expect(text).toContain('heliograph_batch_seconds_count{outcome="ok",provider="fcm"} 4\n')
  })

  it("writes quotes, backslashes and line ends in labels so that they can be read back", () => {
    const text = toText([{ name: "heliograph_lanes", labels: { state: 'a"b\\c\nd' }, value: 1 }])
    expect(text).toContain('heliograph_lanes{state="a\\"b\\\\c\\nd"} 1\n')
  })

  it("shows labels in one order, and nothing of what nobody has counted", () => {
    const labels = { provider: "fcm", outcome: "sent" }
    expect(
      toText([{ name: "heliograph_recipients_total", labels, value: 520 }])
        .split("\n")
        .slice(1)
    ).toEqual([
      "# TYPE heliograph_recipients_total counter",
      'heliograph_recipients_total{outcome="sent",provider="fcm"} 520',
      ""
    ])
  })
})
