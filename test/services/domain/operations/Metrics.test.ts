import { describe, expect, it } from "vitest"
import type { Sample } from "../../../../services/domain/operations/Metrics.ts"
import { bucketOf, emptyBuckets, lasting, merge } from "../../../../services/domain/operations/Metrics.ts"

describe("merge", () => {
  it("adds up processes, bucket by bucket", () => {
    const buckets = emptyBuckets().with(bucketOf(0.02), 1)
    const process: ReadonlyArray<Sample> = [
      { name: "heliograph_webhook_posts_total", labels: { outcome: "2xx" }, value: 3 },
      { name: "heliograph_webhook_post_seconds", labels: { outcome: "2xx", host: "a" }, value: 0.02, buckets }
    ]
    const other: ReadonlyArray<Sample> = [
      process[0]!,
      { ...process[1]!, labels: { host: "a", outcome: "2xx" } },
      { ...process[0]!, labels: { outcome: "4xx" } }
    ]
    expect(merge([...process, ...other]).map(({ buckets, value }) => [value, buckets?.[bucketOf(0.02)]])).toEqual([
      [6, undefined],
      [0.04, 2],
      [3, undefined]
    ])
  })
})

describe("lasting", () => {
  it("keeps what grew, not the states of a process that has ended", () => {
    expect(
      lasting([
        { name: "heliograph_webhook_posts_total", labels: {}, value: 1 },
        { name: "heliograph_webhook_actors", labels: {}, value: 1 },
        { name: "heliograph_process_cpu_seconds_total", labels: { process: "main" }, value: 1 }
      ]).map(({ name }) => name)
    ).toEqual(["heliograph_webhook_posts_total"])
  })
})
