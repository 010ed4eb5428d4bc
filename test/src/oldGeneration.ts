import { renameSync, writeFileSync } from "node:fs"
import { PerformanceObserver } from "node:perf_hooks"
import { getHeapSpaceStatistics, setFlagsFromString } from "node:v8"

/*
 * Given to a process by --import: writes into the file OLD_GENERATION how many collections of young objects there were, and
 * how many bytes the old generation grew by them (decision 0101).
 */

// What `npm start` gives as a flag.
setFlagsFromString("--no-allocation-site-pretenuring")

const used = (): number =>
  getHeapSpaceStatistics().find(({ space_name }) => space_name === "old_space")!.space_used_size

const file = process.env["OLD_GENERATION"]!
let [before, collections, bytes] = [used(), 0, 0]
new PerformanceObserver((list) => {
  collections += list.getEntries().length
  const now = used()
  // A full collection made it smaller.
  bytes += Math.max(0, now - before)
  before = now
  // Whole, for whoever reads it at any moment.
  writeFileSync(`${file}.new`, JSON.stringify({ collections, bytes }))
  renameSync(`${file}.new`, file)
}).observe({ entryTypes: ["gc"] })
