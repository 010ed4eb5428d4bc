import { PgTypes } from "@effect/sql-pg"
import { expect, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import {
  ACCEPT,
  ACCEPT_ALONE,
  ACCEPT_ALONE_TYPES,
  ACCEPT_TYPES
} from "../../../../layers/postgres/sending/acceptStatement.ts"
import { FINISH_BATCH, FINISH_BATCH_TYPES } from "../../../../layers/postgres/sending/finishBatch.ts"
import { FINISH_LATE, FINISH_LATE_TYPES } from "../../../../layers/postgres/sending/finishLate.ts"
import { FINISH_SENT, FINISH_SENT_TYPES } from "../../../../layers/postgres/sending/finishSent.ts"
import { FINISH_SMALL, FINISH_SMALL_TYPES } from "../../../../layers/postgres/sending/finishSmall.ts"
import { leavingOut } from "../../../../layers/postgres/sending/leavingOut.ts"
import { hotStores } from "../Stores.ts"

const STATEMENTS = [
  { name: "acceptNotifications", types: ACCEPT_TYPES, text: ACCEPT },
  { name: "acceptNotifications, of one", types: ACCEPT_ALONE_TYPES, text: ACCEPT_ALONE },
  { name: "finishBatch", types: FINISH_BATCH_TYPES, text: FINISH_BATCH },
  { name: "finishLate", types: FINISH_LATE_TYPES, text: FINISH_LATE },
  { name: "finishSent", types: FINISH_SENT_TYPES, text: FINISH_SENT },
  { name: "finishSmall", types: FINISH_SMALL_TYPES, text: FINISH_SMALL }
]

const numbersIn = (text: string): ReadonlyArray<number> =>
  [...new Set([...text.matchAll(/\$(\d+)/g)].map(([, number]) => Number(number)))].toSorted((a, b) => a - b)

layer(hotStores)("a statement that is written out whole", (it) => {
  it.effect.each(STATEMENTS)("can be pasted into psql with the types of its parameters: $name", ({ text, types }) =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      yield* sql.withTransaction(
        Effect.gen(function* () {
          yield* sql.unsafe(`PREPARE pasted (${types}) AS ${text}`).unprepared
          const [row] = yield* sql<{ readonly count: number }>`
            SELECT cardinality(parameter_types) AS count FROM pg_prepared_statements WHERE name = 'pasted'`
          // Each parameter stands in it, so that none of the table above it is of no use.
          expect(numbersIn(text)).toEqual(Array.from({ length: row!.count }, (_, i) => i + 1))
          yield* sql.unsafe("DEALLOCATE pasted").unprepared
        })
      )
    })
  )

  it.effect("is sent without the parts that are not asked for, and with the parameters alone that are left", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const asked: Array<number> = []
      const parameter = (number: number) => () => {
        asked.push(number)
        return PgTypes.int4(number)
      }
      const send = leavingOut<{ readonly sum: number }>(`
        SELECT $4::integer
        -- [second part]
        + $2
        -- [end]
        -- [third]
        + $3 + $1
        -- [end]
        + $4 * 10 AS sum`)
      const sum = (second: boolean, third: boolean) =>
        Effect.map(send(sql, { "second part": second, third }, [1, 2, 3, 4].map(parameter)), ([row]) => row!.sum)
      expect(yield* sum(false, false)).toBe(44)
      expect(yield* sum(true, false)).toBe(46)
      expect(yield* sum(false, true)).toBe(48)
      expect(yield* sum(true, true)).toBe(50)
      expect(yield* sum(true, false)).toBe(46)
      expect(asked).toEqual([4, 4, 2, 4, 3, 1, 4, 2, 3, 1, 4, 2])
    })
  )
})
