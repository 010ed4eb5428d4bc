import type { SqlClient } from "effect/sql"
import type { Fragment } from "effect/sql/Statement"
import type { AppId } from "../../../services/domain/Ids.ts"
import type { KeptAudience } from "../../../services/domain/sending/Notification.ts"
import { texts } from "../server/columns.ts"
import { channelConditions, deviceConditions, filterOf, inboxConditions } from "./segments.ts"

/** The rows that an audience means, by way: statements without an order or a limit, for a page or for a count. */
export const audienceRows = (sql: SqlClient.SqlClient) => {
  const devicesWhere = (appId: AppId, after: string, conditions: ReadonlyArray<Fragment>): Fragment =>
    sql`SELECT id, platform FROM devices WHERE ${sql.and([
      sql`app_id = ${appId}`,
      sql`active`,
      ...(after === "" ? [] : [sql`id > ${after}`]),
      ...conditions
    ])}`

  /** The devices of users are few and found by their index; the fence keeps the planner from walking all devices in order of id. */
  const devicesOfUsers = (appId: AppId, after: string, users: ReadonlyArray<string>): Fragment =>
    sql`SELECT id, platform FROM (
      SELECT id, platform FROM devices WHERE app_id = ${appId} AND user_id = ANY(${texts(users)}) AND active OFFSET 0
    ) AS theirs WHERE ${after === "" ? sql`true` : sql`id > ${after}`}`

  const channelsOfUsers = (appId: AppId, after: string, users: ReadonlyArray<string>): Fragment =>
    sql`SELECT id FROM (
      SELECT c.id FROM contacts p JOIN channels c ON c.contact_id = p.id
      WHERE p.app_id = ${appId} AND p.external_id = ANY(${texts(users)}) AND c.app_id = ${appId}
        AND c.kind = 'email' AND c.status = 'active' OFFSET 0
    ) AS theirs WHERE ${after === "" ? sql`true` : sql`id > ${after}`}`

  /** The e-mail channels of people whom conditions on the contact itself fit. */
  const channelsOfContacts = (appId: AppId, after: string, conditions: ReadonlyArray<Fragment>): Fragment =>
    sql`SELECT c.id FROM contacts p JOIN channels c ON c.contact_id = p.id WHERE ${sql.and([
      sql`p.app_id = ${appId}`,
      sql`c.app_id = ${appId}`,
      sql`c.kind = 'email'`,
      sql`c.status = 'active'`,
      ...(after === "" ? [] : [sql`c.id > ${after}`]),
      ...conditions
    ])}`

  const emailChannels = (appId: AppId, after: string): Fragment =>
    sql`SELECT id FROM channels WHERE app_id = ${appId} AND kind = 'email' AND status = 'active'
      AND ${after === "" ? sql`true` : sql`id > ${after}`}`

  /** All devices of an audience that does not list ids, after one of them. */
  const devicesOf = (appId: AppId, audience: KeptAudience, after: string, more: ReadonlyArray<Fragment> = []) => {
    const filter = filterOf(audience)
    return audience.user_ids === undefined
      ? devicesWhere(appId, after, [...(filter === null ? [] : deviceConditions(sql, filter)), ...more])
      : devicesOfUsers(appId, after, audience.user_ids)
  }

  const channelsOf = (appId: AppId, audience: KeptAudience, after: string, more: ReadonlyArray<Fragment> = []) => {
    if (audience.user_ids !== undefined) return channelsOfUsers(appId, after, audience.user_ids)
    const filter = filterOf(audience)
    return filter === null
      ? emailChannels(appId, after)
      : channelsOfContacts(appId, after, [...channelConditions(sql, filter), ...more])
  }

  const peopleWithInbox = (
    appId: AppId,
    audience: KeptAudience,
    after: string,
    more: ReadonlyArray<Fragment> = []
  ): Fragment => {
    const filter = filterOf(audience)
    return sql`SELECT p.id FROM contacts p WHERE ${sql.and([
      sql`p.app_id = ${appId}`,
      sql`NOT p.no_inbox`,
      ...(audience.user_ids === undefined ? [] : [sql`p.external_id = ANY(${texts(audience.user_ids)})`]),
      ...(after === "" ? [] : [sql`p.id > ${after}`]),
      ...(filter === null ? [] : inboxConditions(sql, filter)),
      ...more
    ])}`
  }

  return { devicesWhere, devicesOf, channelsOf, peopleWithInbox }
}
