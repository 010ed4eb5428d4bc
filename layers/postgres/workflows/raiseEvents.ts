import { Effect } from "effect"
import type { SqlClient } from "effect/sql"
import type { AppId } from "../../../services/domain/Ids.ts"
import { uuidv7 } from "../../../services/ports/NewId.ts"
import type { TriggerStore } from "../../../services/ports/workflows/TriggerStore.ts"
import { notedOfPeople } from "../access/auditEntry.ts"
import { settleWithin } from "../access/settleKey.ts"
import { coalesce, refusalBySql } from "../server/Coalesce.ts"
import { texts, uuids } from "../server/columns.ts"
import { storeError } from "../server/storeError.ts"

/** Events in one statement, at most, of data that is not long (bytes). */
const TOGETHER = 256
const LONG = 4096

/** An event as its row has it. */
interface Raised {
  readonly appId: AppId
  readonly id: string
  readonly userId: string
  readonly event: string
  readonly data: string
  readonly trace: string | null
}

/** Events of an application's own, for whoever takes them. */
export const raiseEvents = Effect.fnUntraced(function* (sql: SqlClient.SqlClient) {
  const raiseAll = (raised: ReadonlyArray<Raised>) =>
    sql`
      INSERT INTO custom_events (app_id, id, user_id, event, data, trace)
      SELECT * FROM unnest(${uuids(raised.map(({ appId }) => appId))}, ${uuids(raised.map(({ id }) => id))},
        ${texts(raised.map(({ userId }) => userId))}, ${texts(raised.map(({ event }) => event))},
        ${texts(raised.map(({ data }) => data))}, ${texts(raised.map(({ trace }) => trace))})`.pipe(
      Effect.as(raised.map(() => undefined)),
      storeError("TriggerStore.raise")
    )
  /** Those that come at the same time share a statement. */
  const raiseOne = yield* coalesce({
    run: raiseAll,
    weight: ({ data }: Raised) => 1 + data.length / LONG,
    refusalOf: refusalBySql,
    ownerOf: ({ appId }) => appId,
    rows: TOGETHER,
    atOnce: 2
  })

  const raise: TriggerStore["Service"]["raise"] = Effect.fnUntraced(function* (
    appId,
    { data, event, trace = null, userId },
    settle = null
  ) {
    const id = uuidv7()
    const raised = { appId, id, userId, event, data: JSON.stringify(data), trace }
    const settled =
      settle === null ? null : sql.withTransaction(Effect.andThen(raiseAll([raised]), settleWithin(sql, settle(id))))
    yield* notedOfPeople(
      sql,
      appId,
      settled ?? Effect.asVoid(raiseAll([raised])),
      () => [{ action: "event.raised", target: id, details: { event } }],
      settled ?? raiseOne(raised)
    )
    return id
  }, storeError("TriggerStore.raise"))

  return raise
})
