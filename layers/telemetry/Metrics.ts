import { Layer } from "effect"
import type { Labels, MetricName, Sample } from "../../services/domain/operations/Metrics.ts"
import { bucketOf, emptyBuckets, merge, seriesOf } from "../../services/domain/operations/Metrics.ts"
import type { Registry } from "../../services/ports/operations/Metrics.ts"
import { Metrics } from "../../services/ports/operations/Metrics.ts"

interface Entry {
  readonly name: MetricName
  /** As they were given last. */
  labels: Labels
  value: number
  buckets?: Array<number>
}

/** A registry in memory: it begins with nothing, and what it counted ends with the process. */
export const makeRegistry = (): Registry => {
  const counts = new Map<string, Entry>()
  /** The last entry of each name: who counts each message gives the same labels again, and needs no key of them. */
  const latest = new Map<MetricName, Entry>()
  const sources = new Set<() => ReadonlyArray<Sample>>()
  const entry = (name: MetricName, labels: Labels): Entry => {
    const last = latest.get(name)
    if (last?.labels === labels) return last
    const key = seriesOf(name, labels)
    let found = counts.get(key)
    if (found === undefined) {
      found = { name, labels, value: 0 }
      counts.set(key, found)
    }
    found.labels = labels
    latest.set(name, found)
    return found
  }
  const observeAll: Registry["observeAll"] = (name, labels, all) => {
    if (all.length === 0) return
    const histogram = entry(name, labels)
    histogram.buckets ??= emptyBuckets()
    for (const seconds of all) {
      histogram.value += seconds
      histogram.buckets[bucketOf(seconds)]!++
    }
  }
  return {
    add: (name, labels, by) => {
      if (by > 0) entry(name, labels).value += by
    },
    observe: (name, labels, seconds) => observeAll(name, labels, [seconds]),
    observeAll,
    watch: (source) => {
      sources.add(source)
      return () => void sources.delete(source)
    },
    read: () => merge([...counts.values(), ...[...sources].flatMap((source) => source())])
  }
}

/** One registry for all of a process. */
export const layer: Layer.Layer<never> = Layer.sync(Metrics, makeRegistry)
