import { Effect } from "effect"
import type { SqlClient } from "effect/sql"
import type { SqlError } from "effect/sql/SqlError"
import type { AppId } from "../../../services/domain/Ids.ts"
import { RUNNING } from "../../../services/ports/operations/TooManyRunning.ts"

/**
 * Runs an INSERT that returns its row, unless `RUNNING` rows of the application are running in the table: null then. Those who ask
 * for the same application at the same time wait for each other, so that each counts the ones before.
 */
export const beginOneMore = <Row extends object>(
  sql: SqlClient.SqlClient,
  table: string,
  appId: AppId,
  insert: Effect.Effect<ReadonlyArray<Row>, SqlError>
) =>
  sql.withTransaction(
    Effect.gen(function* () {
      yield* sql`SELECT FROM applications WHERE id = ${appId} FOR NO KEY UPDATE`
      const running = yield* sql`
        SELECT FROM ${sql.literal(table)} WHERE app_id = ${appId} AND status = 'running' LIMIT ${RUNNING}`
      return running.length < RUNNING ? (yield* insert)[0]! : null
    })
  )
