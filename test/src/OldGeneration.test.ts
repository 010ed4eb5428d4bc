import { expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { readFileSync } from "node:fs"
import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { System } from "../System.ts"
import { makeSystem } from "../System.ts"

/** One message to each device, so many at once, until all are accounted for. */
const sendEach = (system: System, devices: ReadonlyArray<string>) =>
  Effect.gen(function* () {
    const ids = yield* Effect.forEach(
      devices,
      (device) => system.send({ to: { device_ids: [device] }, content: { title: "Title", data: { order: "42" } } }),
      { concurrency: 24 }
    )
    for (const id of ids.slice(-24)) yield* system.until(id, ({ status }) => status === "completed")
  })

it.live(
  "what belongs to a message is collected with the young, and does not wait for a full collection",
  () =>
    Effect.gen(function* () {
      const folder = yield* Effect.acquireRelease(
        Effect.promise(() => mkdtemp(join(tmpdir(), "heliograph-old-generation-"))),
        (path) => Effect.promise(() => rm(path, { recursive: true, force: true }))
      )
      const file = join(folder, "counts.json")
      const system = yield* makeSystem({
        OLD_GENERATION: file,
        RATE_LIMIT_SECRET: "1000000/60",
        NODE_OPTIONS: `--max-semi-space-size=8 --import=${new URL("oldGeneration.ts", import.meta.url).href}`
      })
      const read = Effect.sync(() => JSON.parse(readFileSync(file, "utf8")) as { collections: number; bytes: number })
      const devices = yield* system.importDevices(COUNT)
      // Code is compiled meanwhile, which grows old as well.
      for (let round = 0; round < WARM_UP; round++) yield* sendEach(system, devices)
      const before = yield* read
      for (let round = 0; round < ROUNDS; round++) yield* sendEach(system, devices)
      const after = yield* read
      expect(after.collections - before.collections).toBeGreaterThan(10)
      expect((after.bytes - before.bytes) / (COUNT * ROUNDS)).toBeLessThan(BYTES)
    }).pipe(Effect.scoped),
  { timeout: 240_000 }
)

const COUNT = 500
const WARM_UP = 2
const ROUNDS = 4
/** Of a message over any of the providers: 1,600, and 6,100 when each had a generator and an accessor of its own. */
const BYTES = 3_500
