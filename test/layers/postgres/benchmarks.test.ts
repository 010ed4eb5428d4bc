import { layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { COLUMNS, UPSERT } from "../../../bench/import/Statements.ts"
import { hotStores } from "./Stores.ts"

layer(hotStores)("the import's benchmark", (it) => {
  it.effect("writes the rows beside the engine into the table as it is", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      yield* sql.withTransaction(
        Effect.gen(function* () {
          yield* sql.unsafe(`PREPARE upsert AS ${UPSERT}`).unprepared
          yield* sql.unsafe("DEALLOCATE upsert").unprepared
          yield* sql.unsafe(`SELECT ${COLUMNS} FROM devices`).unprepared
        })
      )
    })
  )
})
