import type { SqlClient, Statement } from "effect/sql"
import type { AppId } from "../../../services/domain/Ids.ts"
import type { Page } from "../../../services/ports/audience/DeviceStore.ts"

/** A page of at most `limit` items, from a query that asked for one more to know whether there is a next one. */
export const pageOf = <A extends { readonly id: string }>(items: ReadonlyArray<A>, limit: number): Page<A> =>
  items.length > limit ? { items: items.slice(0, limit), next: items[limit - 1]?.id ?? null } : { items, next: null }

/** Before and behind every id. */
const [FIRST, LAST] = ["00000000-0000-0000-0000-000000000000", "ffffffff-ffff-ffff-ffff-ffffffffffff"]

/**
 * What follows WHERE of a page: the rows of an application, in the order of their ids from behind `after`, with an index by
 * both. By a span of it, and in its order: told `app_id = …` and an order by id alone, PostgreSQL may walk through the ids
 * of all applications, as it best does where there is but one.
 */
export const spanOf = (
  sql: SqlClient.SqlClient,
  order: "oldest first" | "newest first",
  appId: AppId,
  after: string | null,
  conditions: Statement.Fragment = sql`true`
): Statement.Fragment =>
  order === "oldest first"
    ? sql`app_id <= ${appId}::uuid AND (app_id, id) > (${appId}::uuid, ${after ?? FIRST}::uuid) AND ${conditions}
        ORDER BY app_id, id`
    : sql`app_id >= ${appId}::uuid AND (app_id, id) < (${appId}::uuid, ${after ?? LAST}::uuid) AND ${conditions}
        ORDER BY app_id DESC, id DESC`
