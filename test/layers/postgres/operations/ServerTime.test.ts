import { PgClient } from "@effect/sql-pg"
import { expect, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { afterEach, describe, vi } from "vitest"
import * as Settings from "../../../../layers/config/Settings.ts"
import { layer } from "../../../../layers/postgres/server/Database.ts"
import { ServerTime } from "../../../../layers/postgres/operations/ServerTime.ts"
import { now } from "../../../../services/ports/Now.ts"
import { freshDatabase } from "../../../Database.ts"

const HOUR = 3_600_000

afterEach(() => {
  vi.useRealTimers()
})

describe("ServerTime", () => {
  it("knows nothing before the first answer", () => {
    expect(new ServerTime().at(5)).toBeNull()
  })

  it("takes an answer to be of the middle of its way", () => {
    const time = new ServerTime()
    time.learn(1_000_000, 100, 120)
    expect(time.at(110)).toBe(1_000_000)
    expect(time.at(1110)).toBe(1_001_000)
  })

  it("believes an answer that was quick rather than one that was long under way", () => {
    const time = new ServerTime()
    time.learn(1_000_000, 0, 2)
    time.learn(1_000_500, 10, 1010)
    expect(time.at(1)).toBe(1_000_000)
    time.learn(1_001_099, 1100, 1100.5)
    expect(time.at(1100.25)).toBe(1_001_099)
  })

  it("believes an answer that was long under way when the older one cannot be true any more", () => {
    const time = new ServerTime()
    time.learn(1_000_000, 0, 2)
    time.learn(1_000_000 + HOUR, 10, 1010)
    expect(time.at(510)).toBe(1_000_000 + HOUR)
  })

  it("trusts an old answer less and less, for oscillators differ", () => {
    const time = new ServerTime()
    time.learn(1_000_000, 0, 2)
    time.learn(1_030_020, 30_000, 30_020)
    expect(time.at(30_010)).toBe(1_030_020)
  })
})

describe("a process whose machine's clock is an hour ahead", () => {
  it.live("goes by the database's clock as soon as it is connected, and by its own again afterwards", () =>
    Effect.gen(function* () {
      const { url } = yield* freshDatabase("empty")
      vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + HOUR })
      const settings = Settings.layer({ MASTER_KEY: "00".repeat(32), DATABASE_URL: url }).pipe(Layer.orDie)
      yield* Effect.gen(function* () {
        const sql = yield* PgClient.PgClient
        const told = sql<{ readonly at: number }>`SELECT extract(epoch FROM clock_timestamp())::float8 * 1000 AS at`
        const [before] = yield* told
        const at = now()
        const [after] = yield* told
        // However slow this machine is: the answer of a question lies between those before and after it.
        const most = after!.at - before!.at + HOUR / 2
        expect(Math.abs(at - before!.at)).toBeLessThan(most)
        expect(Math.abs(Date.now() - before!.at)).toBeGreaterThan(HOUR / 2)
      }).pipe(Effect.provide(layer.pipe(Layer.provide(settings))))
      expect(now()).toBe(Date.now())
    })
  )
})
