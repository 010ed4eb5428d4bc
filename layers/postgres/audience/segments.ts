import type { SqlClient } from "effect/sql"
import type { Fragment } from "effect/sql/Statement"
import { PgTypes } from "@effect/sql-pg"
import type { EngagementType } from "../../../services/domain/engagement/Engagement.ts"
import type { KeptAudience } from "../../../services/domain/sending/Notification.ts"
import type { AttributeRule, SegmentFilter } from "../../../services/domain/audience/Segment.ts"
import { namesOfZones } from "../../../services/domain/ZoneNames.ts"
import { texts } from "../server/columns.ts"

/*
 * The conditions of a segment as SQL. Devices are `devices`; e-mail channels are `c`, with their contacts as `p`. A tag, a
 * time zone and an attribute that equals something are found by indexes; the rest is asked row by row, each by a key.
 */

type Sql = SqlClient.SqlClient

/** The conditions of an audience that describes; null for one that lists or means everybody. */
export const filterOf = (audience: KeptAudience): SegmentFilter | null => {
  if (audience.filter !== undefined) return audience.filter
  const { attributes, locale, platforms, tags_all, tags_any, timezone } = audience
  const filter: SegmentFilter = {
    ...(tags_any && { tags_any }),
    ...(tags_all && { tags_all }),
    ...(platforms && { platforms }),
    ...(timezone !== undefined && { timezones: [timezone] }),
    ...(locale !== undefined && { locales: [locale] }),
    ...(attributes && { attributes })
  }
  return Object.keys(filter).length === 0 ? null : filter
}

/** Whether rows that fit may lie so far apart that a page of them takes long to find. */
export const isSparse = ({ attributes, engagement, last_seen, locales, tags_none }: SegmentFilter): boolean =>
  (attributes ?? engagement ?? last_seen ?? locales ?? tags_none) !== undefined

/** Whether tags lead to those who fit, by their index; else nothing but reading row by row does. */
export const isByTags = (filter: SegmentFilter | null): boolean => (filter?.tags_all ?? filter?.tags_any) !== undefined

/** Who asks for a platform means devices. */
export const isDevicesOnly = (filter: SegmentFilter | null): boolean => filter?.platforms !== undefined

const days = (sql: Sql, count: number): Fragment => sql`now() - ${PgTypes.float8(count)} * interval '1 day'`

const json = (sql: Sql, value: unknown): Fragment => sql`${JSON.stringify(value)}::text::jsonb`

const ORDER = { greater: ">", greater_or_equal: ">=", less: "<", less_or_equal: "<=" } as const

/** A rule about an attribute of the contact `p`. The types are looked at first: a cast of anything else would fail. */
const ruleOf = (sql: Sql, { name, op, value }: AttributeRule): Fragment => {
  const attributes = sql.literal("p.attributes::jsonb")
  const equals = (one: unknown) => sql`${attributes} @> ${json(sql, { [name]: one })}`
  switch (op) {
    case "equals":
      return equals(value)
    case "not_equals":
      return sql`NOT (${equals(value)})`
    case "in":
      return sql.or((value as ReadonlyArray<unknown>).map(equals))
    case "contains":
      return equals([value])
    case "exists":
      return sql`p.attributes::jsonb ? ${name}::text`
    case "not_exists":
      return sql`NOT (p.attributes::jsonb ? ${name}::text)`
    default: {
      const order = sql.literal(ORDER[op])
      return typeof value === "number"
        ? sql`CASE jsonb_typeof(p.attributes::jsonb -> ${name}::text) WHEN 'number'
            THEN (p.attributes::jsonb ->> ${name}::text)::numeric ${order} ${String(value)}::text::numeric ELSE false END`
        : sql`CASE jsonb_typeof(p.attributes::jsonb -> ${name}::text) WHEN 'string'
            THEN (p.attributes::jsonb ->> ${name}::text) COLLATE "C" ${order} ${value as string}::text ELSE false END`
    }
  }
}

/** Conditions on the contact `p` alone. */
const aboutPerson = (sql: Sql, { attributes, locales }: SegmentFilter): ReadonlyArray<Fragment> => [
  // A language holds its regions: de is also de-AT.
  ...(locales
    ? [
        sql`(lower(p.locale) = ANY(${texts(locales.map((one) => one.toLowerCase()))})
          OR lower(p.locale) LIKE ANY(${texts(locales.map((one) => `${one.toLowerCase()}-%`))}))`
      ]
    : []),
  ...(attributes ?? []).map((rule) => ruleOf(sql, rule))
]

/** Conditions that the index on tags leads by, of a device or of a contact: their columns have the same names. */
export const tagConditions = (
  sql: Sql,
  table: "devices" | "p",
  { tags_all, tags_any }: Pick<SegmentFilter, "tags_all" | "tags_any">
): ReadonlyArray<Fragment> => {
  const tags = sql.literal(`${table}.tags`)
  return [
    // Said aloud because the index on tags leaves out rows without any.
    ...(tags_any || tags_all ? [sql`${tags} <> '{}'`] : []),
    ...(tags_any ? [sql`${tags} && ${texts(tags_any)}`] : []),
    ...(tags_all ? [sql`${tags} @> ${texts(tags_all)}`] : [])
  ]
}

/** Conditions on tags and the time zone. */
const aboutTags = (sql: Sql, table: "devices" | "p", filter: SegmentFilter): ReadonlyArray<Fragment> => {
  const { tags_none, timezones } = filter
  const of = sql.literal(table)
  return [
    ...tagConditions(sql, table, filter),
    ...(tags_none ? [sql`NOT (${of}.tags && ${texts(tags_none)})`] : []),
    ...(timezones ? [sql`${of}.timezone = ANY(${texts(namesOfZones(timezones))})`] : [])
  ]
}

const COLUMN: Readonly<Record<EngagementType, string>> = {
  delivered: "e.delivered_at",
  opened: "e.opened_at",
  clicked: "e.clicked_at"
}

const aboutEngagement = (
  sql: Sql,
  table: "devices" | "c" | "p",
  recipient: Fragment,
  filter: SegmentFilter
): ReadonlyArray<Fragment> =>
  (filter.engagement ?? []).map(({ not, type, within_days }) => {
    const did = sql`EXISTS (
      SELECT 1 FROM last_engaged e
      WHERE e.app_id = ${sql.literal(table)}.app_id AND e.recipient_id = ${recipient} AND ${sql.literal(COLUMN[type])} >= ${days(sql, within_days)}
    )`
    return not === true ? sql`NOT ${did}` : did
  })

/** Conditions on rows of `devices`. */
export const deviceConditions = (sql: Sql, filter: SegmentFilter): ReadonlyArray<Fragment> => {
  const { last_seen, platforms } = filter
  const person = aboutPerson(sql, filter)
  return [
    ...aboutTags(sql, "devices", filter),
    ...(platforms ? [sql`devices.platform = ANY(${texts(platforms)})`] : []),
    ...(last_seen?.within_days === undefined ? [] : [sql`devices.last_seen_at >= ${days(sql, last_seen.within_days)}`]),
    ...(last_seen?.not_within_days === undefined
      ? []
      : [sql`devices.last_seen_at < ${days(sql, last_seen.not_within_days)}`]),
    ...(person.length === 0
      ? []
      : [
          sql`EXISTS (SELECT 1 FROM contacts p WHERE ${sql.and([
            sql`p.app_id = devices.app_id`,
            sql`p.external_id = devices.user_id`,
            ...person
          ])})`
        ]),
    ...aboutEngagement(sql, "devices", sql`devices.id`, filter)
  ]
}

/** Conditions on contacts `p` themselves. A person was last seen where any of their devices was. */
const personConditions = (sql: Sql, filter: SegmentFilter): ReadonlyArray<Fragment> => {
  const { last_seen } = filter
  const seen = (within: number) => sql`EXISTS (
    SELECT 1 FROM devices d WHERE d.app_id = p.app_id AND d.user_id = p.external_id AND d.last_seen_at >= ${days(sql, within)}
  )`
  return [
    ...aboutTags(sql, "p", filter),
    ...aboutPerson(sql, filter),
    ...(last_seen?.within_days === undefined ? [] : [seen(last_seen.within_days)]),
    ...(last_seen?.not_within_days === undefined ? [] : [sql`NOT ${seen(last_seen.not_within_days)}`])
  ]
}

/** Conditions on e-mail channels `c` with contacts `p`. */
export const channelConditions = (sql: Sql, filter: SegmentFilter): ReadonlyArray<Fragment> => [
  ...personConditions(sql, filter),
  ...aboutEngagement(sql, "c", sql`c.id`, filter)
]

/** Conditions on contacts `p` for their inboxes. */
export const inboxConditions = (sql: Sql, filter: SegmentFilter): ReadonlyArray<Fragment> => [
  ...personConditions(sql, filter),
  ...aboutEngagement(
    sql,
    "p",
    sql`ANY(ARRAY(SELECT i.id FROM channels i WHERE i.contact_id = p.id AND i.kind = 'inbox'))`,
    filter
  )
]

/**
 * Conditions on contacts `p` as people: what a person did, they did on any device or channel of theirs, as workflows see
 * it (services/domain/workflows/Conditions.ts).
 */
export const contactConditions = (sql: Sql, filter: SegmentFilter): ReadonlyArray<Fragment> => [
  ...personConditions(sql, filter),
  ...aboutEngagement(
    sql,
    "p",
    sql`ANY(ARRAY(
      SELECT o.id FROM channels o WHERE o.contact_id = p.id
      UNION ALL SELECT d.id FROM devices d WHERE d.app_id = p.app_id AND d.user_id = p.external_id
    ))`,
    filter
  )
]
