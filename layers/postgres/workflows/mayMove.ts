import { Effect } from "effect"
import type { SqlClient } from "effect/sql"
import type { AppId } from "../../../services/domain/Ids.ts"

/** Whether runs of an application may be moved; who ends the application waits until the caller's transaction is over. */
export const mayMove = (sql: SqlClient.SqlClient, appId: AppId) =>
  Effect.map(sql<{ readonly may: boolean }>`SELECT may_move_runs(${appId}) AS may`, ([row]) => row!.may)
