import { expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { describe } from "vitest"
import { uuidv7 } from "../../../../services/ports/NewId.ts"
import { migrate } from "../../../../layers/postgres/server/Migrations.ts"
import { ensure } from "../../../../layers/postgres/operations/Partitions.ts"
import { testDatabase } from "../../../Database.ts"

const NOON = Date.parse("2031-03-01T12:00:00Z")
const DAY = 86_400_000

const deliver = Effect.fnUntraced(function* (at: number) {
  const sql = yield* SqlClient.SqlClient
  const id = uuidv7(at)
  yield* sql`
    INSERT INTO deliveries (notification_id, recipient_id, provider, status, attempts)
    VALUES (${id}, ${uuidv7()}, 'a', 's', 1)`
  const [row] = yield* sql<{ place: string }>`
    SELECT tableoid::regclass::text AS place FROM deliveries WHERE notification_id = ${id}`
  return { id, place: row!.place }
})

describe("ensure", () => {
  it.effect("makes the days from yesterday to a week ahead, and each once", () =>
    Effect.gen(function* () {
      yield* migrate
      expect(yield* ensure(NOON)).toEqual(
        ["deliveries", "packed_deliveries", "engagements"].flatMap((table) => [
          `${table}_20310228`,
          ...["01", "02", "03", "04", "05", "06", "07", "08"].map((day) => `${table}_203103${day}`)
        ])
      )
      expect(yield* ensure(NOON)).toEqual([])
      expect(yield* ensure(NOON + DAY)).toEqual([
        "deliveries_20310309",
        "packed_deliveries_20310309",
        "engagements_20310309"
      ])
    }).pipe(Effect.provide(testDatabase("empty")))
  )

  it.effect("puts a delivery into its notification's day up to the last millisecond", () =>
    Effect.gen(function* () {
      yield* ensure(NOON)
      const midnight = Date.parse("2031-03-02T00:00:00Z")
      expect((yield* deliver(midnight - 1)).place).toBe("deliveries_20310301")
      expect((yield* deliver(midnight)).place).toBe("deliveries_20310302")
      expect((yield* deliver(NOON + 30 * DAY)).place).toBe("deliveries_other")
    }).pipe(Effect.provide(testDatabase()))
  )

  it.effect("takes over the rows that came before their day's partition", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const early = yield* deliver(NOON)
      const other = yield* deliver(NOON + 30 * DAY)
      expect(early.place).toBe("deliveries_other")
      yield* ensure(NOON)
      expect(
        yield* sql`SELECT notification_id, tableoid::regclass::text AS place FROM deliveries ORDER BY notification_id`
      ).toEqual([
        { notification_id: early.id, place: "deliveries_20310301" },
        { notification_id: other.id, place: "deliveries_other" }
      ])
    }).pipe(Effect.provide(testDatabase()))
  )

  it.effect("lets several nodes do so at once, and each day's key stay unique", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const made = yield* Effect.all(
        Array.from({ length: 5 }, () => ensure(NOON)),
        { concurrency: "unbounded" }
      )
      expect(made.flat().sort()).toHaveLength(27)
      expect(new Set(made.flat()).size).toBe(27)
      const { id } = yield* deliver(NOON)
      const again = sql`
        INSERT INTO deliveries (notification_id, recipient_id, provider, status, attempts)
        SELECT notification_id, recipient_id, provider, status, attempts FROM deliveries WHERE notification_id = ${id}`
      expect((yield* Effect.flip(again)).reason._tag).toBe("UniqueViolation")
    }).pipe(Effect.provide(testDatabase()))
  )
})
