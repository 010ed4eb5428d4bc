import type { SqlClient } from "effect/sql"
import { Effect } from "effect"
import type { AppId } from "../../../services/domain/Ids.ts"
import { uuids } from "../server/columns.ts"

/**
 * Takes from messages of workflows what the run of somebody who was erased had brought along, and the person's name. Of a
 * message to others as well, what the runs of all of them have said stays. With `skipping`, messages that others are at are
 * left as they are. Answers those that it has not come to.
 */
export const eraseMessages = Effect.fnUntraced(function* (
  sql: SqlClient.SqlClient,
  appId: AppId,
  externalId: string,
  ids: ReadonlyArray<string>,
  skipping: boolean
) {
  if (ids.length === 0) return []
  const skip = sql.literal(skipping ? "SKIP LOCKED" : "")
  const rows = yield* sql<{ readonly id: string }>`
    WITH theirs AS MATERIALIZED (
      SELECT n.id, n.named #- ARRAY['own', ${externalId}] AS named
      FROM (SELECT * FROM unnest(${uuids([...new Set(ids)].sort())}) OFFSET 0) AS t (id) CROSS JOIN LATERAL (
        SELECT id, jsonb_set(request::jsonb, '{to,user_ids}', (request::jsonb #> '{to,user_ids}') - ${externalId}::text) AS named
        FROM notifications WHERE id = t.id AND app_id = ${appId} FOR NO KEY UPDATE ${skip}
      ) AS n
    )
    UPDATE notifications n SET request = CASE WHEN theirs.named #> '{to,user_ids}' = '[]'
      THEN jsonb_set(theirs.named, '{variables}', (theirs.named -> 'variables') - 'data' - 'steps') ELSE theirs.named END::json
    FROM theirs WHERE n.id = ANY(ARRAY[theirs.id])
    RETURNING n.id`
  const done = new Set(rows.map(({ id }) => id))
  return ids.filter((id) => !done.has(id))
})
