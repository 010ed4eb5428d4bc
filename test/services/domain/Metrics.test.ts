import { describe, expect, it } from "vitest"
import { lasting, makeRegistry, merge, toText } from "../../../services/domain/Metrics.ts"

describe("a registry", () => {
  it("counts by name and labels, whatever their order", () => {
    const registry = makeRegistry()
    registry.add("heliograph_recipients_total", { provider: "fcm", outcome: "sent" }, 500)
    registry.add("heliograph_recipients_total", { outcome: "sent", provider: "fcm" }, 20)
    registry.add("heliograph_recipients_total", { provider: "fcm", outcome: "failed" }, 0)
    expect(toText(registry.read()).split("\n").slice(1)).toEqual([
      "# TYPE heliograph_recipients_total counter",
      'heliograph_recipients_total{outcome="sent",provider="fcm"} 520',
      ""
    ])
  })

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

  it("asks its sources when it is read, and no longer when they have ended", () => {
    const registry = makeRegistry()
    let value = 1
    const stop = registry.watch(() => [{ name: "heliograph_hook_actors", labels: {}, value }])
    value = 7
    expect(toText(registry.read())).toContain("heliograph_hook_actors 7\n")
    stop()
    expect(registry.read()).toEqual([])
  })

  it("writes quotes, backslashes and line ends in labels so that they can be read back", () => {
    const text = toText([{ name: "heliograph_lanes", labels: { state: 'a"b\\c\nd' }, value: 1 }])
    expect(text).toContain('heliograph_lanes{state="a\\"b\\\\c\\nd"} 1\n')
  })
})

describe("merge", () => {
  it("adds up processes, bucket by bucket", () => {
    const [one, two] = [makeRegistry(), makeRegistry()]
    for (const registry of [one, two]) {
      registry.add("heliograph_webhook_posts_total", { outcome: "2xx" }, 3)
      registry.observe("heliograph_webhook_post_seconds", { outcome: "2xx" }, 0.02)
    }
    const merged = merge([...one.read(), ...two.read()])
    expect(merged.map(({ value }) => value)).toEqual([6, 0.04])
    expect(toText(merged)).toContain('heliograph_webhook_post_seconds_count{outcome="2xx"} 2\n')
  })
})

describe("lasting", () => {
  it("keeps what grew, not the states of a process that has ended", () => {
    expect(
      lasting([
        { name: "heliograph_webhook_posts_total", labels: {}, value: 1 },
        { name: "heliograph_hook_actors", labels: {}, value: 1 },
        { name: "heliograph_process_cpu_seconds_total", labels: { process: "main" }, value: 1 }
      ]).map(({ name }) => name)
    ).toEqual(["heliograph_webhook_posts_total"])
  })
})
