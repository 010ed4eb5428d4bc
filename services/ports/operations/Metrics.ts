import { Context } from "effect"
import type { Labels, MetricName, Sample } from "../../domain/operations/Metrics.ts"

export interface Registry {
  readonly add: (name: MetricName, labels: Labels, by: number) => void
  readonly observe: (name: MetricName, labels: Labels, seconds: number) => void
  /** Many that bear the same name and labels: finding those costs more than counting. */
  readonly observeAll: (name: MetricName, labels: Labels, seconds: ReadonlyArray<number>) => void
  /** Asks for values when they are read. Answers how to stop. */
  readonly watch: (source: () => ReadonlyArray<Sample>) => () => void
  readonly read: () => ReadonlyArray<Sample>
}

/** Where everything in a process counts. Where nobody reads, nothing is counted. */
export class Metrics extends Context.Reference<Registry>("heliograph/ports/Metrics", {
  defaultValue: () => ({
    add: () => {},
    observe: () => {},
    observeAll: () => {},
    watch: () => () => {},
    read: () => []
  })
}) {}
