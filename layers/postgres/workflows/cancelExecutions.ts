import { Effect, Option } from "effect"
import type { SqlClient } from "effect/sql"
import type { AppId, ExecutionId, WorkflowId } from "../../../services/domain/Ids.ts"
import { uuidFloor } from "../../../services/domain/Ids.ts"
import { CurrentActor } from "../../../services/ports/access/AuditLog.ts"
import { uuidv7 } from "../../../services/ports/NewId.ts"
import { now } from "../../../services/ports/Now.ts"
import type { CancelEvents, ExecutionStore } from "../../../services/ports/workflows/ExecutionStore.ts"
import { notedOfPeople, record } from "../access/auditEntry.ts"
import { permitted } from "../access/permitted.ts"
import { lockInTurn } from "../server/inTurn.ts"
import { ofRows } from "../server/ofRows.ts"
import { spanOf } from "../server/pages.ts"
import { byWhom, cancelRuns } from "./cancelRuns.ts"
import { inTransaction } from "./inTransaction.ts"

const FIRST = "00000000-0000-0000-0000-000000000000"
/** Runs that are looked at for one that a request to cancel takes, at most: of those that wait, few may be due. */
const LOOKED_AT = 5

interface Described {
  readonly id: ExecutionId
  readonly fits: boolean
}

interface Cancel {
  readonly id: string
  readonly app_id: AppId
  readonly workflow_id: WorkflowId | null
  readonly user_id: string | null
  readonly status: "waiting" | "running" | null
  readonly at: Date
  readonly until_id: string
  readonly after_id: string
  readonly detail: string
}

/** How executions are cancelled: some by their ids, or all that a description fits, a page after the other. */
export const cancelExecutions = (sql: SqlClient.SqlClient) => {
  const transaction = inTransaction(sql)

  /** Those of a workflow that has ended end with their digests: nothing of it goes out any more. */
  const cancel: ExecutionStore["Service"]["cancel"] = (appId, ids, reason, events) =>
    transaction(
      "ExecutionStore.cancel",
      notedOfPeople(
        sql,
        appId,
        Effect.flatMap(CurrentActor, (actor) => {
          const isWhole = reason !== "operator"
          const detail = isWhole ? `the workflow was ${reason}` : byWhom(actor)
          return cancelRuns(sql, appId, ids, { reason, detail, keepsDigests: !isWhole, events })
        }),
        ({ cancelled }) => cancelled.map((id) => ({ action: "execution.cancelled", target: id }))
      )
    )

  /**
   * Runs under way among which a request's are, in the order of their ids, from where it has come to, and whether each
   * is: up to `limit` are looked at, however few fit.
   */
  const described = ({ after_id, app_id, at, status, until_id, user_id, workflow_id }: Cancel, limit: number) => {
    const ofStatus = (table: string) => {
      if (status === null) return sql`true`
      const due = sql`${sql(table)}.due_at`
      return status === "running" ? sql`${due} <= ${at}` : sql`${due} > ${at}`
    }
    if (workflow_id === null && user_id === null) {
      return sql<Described>`
        SELECT execution_id AS id, ${ofStatus("r")} AS fits FROM execution_timers r
        WHERE app_id = ${app_id} AND execution_id > ${after_id} AND execution_id <= ${until_id}
        ORDER BY app_id, execution_id LIMIT ${limit}`
    }
    const fits = sql`EXISTS (
      SELECT 1 FROM execution_timers r WHERE r.app_id = ${app_id} AND r.execution_id = e.id AND ${ofRows(sql, ofStatus("r"))} OFFSET 0
    ) AS fits`
    if (user_id === null) {
      return sql<Described>`
        SELECT e.id, ${fits} FROM executions e WHERE e.workflow_id = ${workflow_id} AND e.app_id = ${app_id}
          AND e.id > ${after_id} AND e.id <= ${until_id} AND e.ended_at IS NULL
        ORDER BY e.workflow_id, e.id LIMIT ${limit}`
    }
    // A person's runs are few. The bounds of ids stand outside, or a plan might go by these alone.
    return sql<Described>`
      SELECT e.id, ${fits} FROM (
        SELECT id, workflow_id, ended_at FROM executions WHERE app_id = ${app_id} AND user_id = ${user_id} OFFSET 0
      ) AS e
      WHERE e.id > ${after_id} AND e.id <= ${until_id} AND e.ended_at IS NULL
        ${workflow_id === null ? sql`` : sql`AND e.workflow_id = ${workflow_id}`}
      ORDER BY e.id LIMIT ${limit}`
  }

  const cancelPage = Effect.fnUntraced(function* (cancel: Cancel, limit: number, events: CancelEvents) {
    const most = cancel.status === null ? limit : limit * LOOKED_AT
    const page = yield* described(cancel, most)
    const fitting = page.flatMap(({ fits, id }) => (fits ? [id] : []))
    const ids = fitting.slice(0, limit)
    const { app_id, detail } = cancel
    const done = yield* cancelRuns(sql, app_id, ids, { reason: "operator", detail, keepsDigests: false, events })
    const last = ids.length < fitting.length ? ids.at(-1)! : page.length < most ? null : page.at(-1)!.id
    return { ...done, last }
  })

  const cancelMatching: ExecutionStore["Service"]["cancelMatching"] = (appId, request, limit, events) => {
    const { note, status, user_id, workflow_id } = request
    return transaction(
      "ExecutionStore.cancelMatching",
      permitted(
        sql,
        appId,
        Effect.gen(function* () {
          if (workflow_id !== undefined && user_id === undefined && status === undefined) {
            // Whoever lets a page in just now is waited for: its runs are there for what follows.
            yield* sql`DELETE FROM workflow_entries WHERE app_id = ${appId} AND workflow_id = ${workflow_id}`
          }
          if (user_id !== undefined && status === undefined) {
            // Nor do audiences let in that one person whom they have not come to yet.
            yield* sql`
              WITH theirs AS MATERIALIZED (
                SELECT id FROM workflow_entries WHERE ${spanOf(
                  sql,
                  "oldest first",
                  appId,
                  null,
                  workflow_id === undefined ? sql`true` : sql`workflow_id = ${workflow_id}`
                )} FOR NO KEY UPDATE
              )
              INSERT INTO workflow_entry_exclusions (entry_id, user_id) SELECT id, ${user_id}::text FROM theirs
              ON CONFLICT DO NOTHING`
          }
          const who = byWhom(yield* CurrentActor)
          const at = now()
          // Runs of nodes whose clocks are ahead are there as well.
          const [newest] = yield* sql<{ readonly id: string }>`
            SELECT execution_id AS id FROM execution_timers WHERE app_id = ${appId}
            ORDER BY app_id DESC, execution_id DESC LIMIT 1`
          const end = uuidFloor(at + 1)
          const cancel: Cancel = {
            id: uuidv7(),
            app_id: appId,
            workflow_id: workflow_id ?? null,
            user_id: user_id ?? null,
            status: status ?? null,
            at: new Date(at),
            until_id: newest !== undefined && newest.id > end ? newest.id : end,
            after_id: FIRST,
            detail: note === undefined ? who : `${note}, ${who}`
          }
          const { cancelled, last, webhooks } = yield* cancelPage(cancel, limit, events)
          if (last !== null) {
            yield* sql`
              INSERT INTO execution_cancels (id, app_id, workflow_id, user_id, status, at, until_id, after_id, detail)
              VALUES (${cancel.id}, ${appId}, ${cancel.workflow_id}, ${cancel.user_id}, ${cancel.status}, ${cancel.at},
                ${cancel.until_id}, ${last}, ${cancel.detail})`
          }
          yield* record(sql, appId, "executions.cancelled", workflow_id ?? null, request)
          return { cancelled, webhooks, isDone: last === null }
        })
      )
    )
  }

  const cancelNext: ExecutionStore["Service"]["cancelNext"] = Effect.fnUntraced(
    function* (served, limit, eventsOf) {
      const next = yield* lockInTurn(sql, "execution_cancels", served)
      if (next === null) return Option.none()
      const [row] = yield* sql<Cancel>`SELECT * FROM execution_cancels WHERE id = ${next}`
      if (row === undefined) return Option.none()
      const { cancelled, last, webhooks } = yield* cancelPage(row, limit, eventsOf(row.app_id))
      yield* last === null
        ? sql`DELETE FROM execution_cancels WHERE id = ${row.id}`
        : sql`UPDATE execution_cancels SET after_id = ${last} WHERE id = ${row.id}`
      return Option.some({ appId: row.app_id, cancelled, webhooks })
    },
    (effect) => transaction("ExecutionStore.cancelNext", effect)
  )

  return { cancel, cancelMatching, cancelNext }
}
