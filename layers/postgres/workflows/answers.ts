import { Effect } from "effect"
import { createHash } from "node:crypto"
import type { SqlClient } from "effect/sql"
import type { SqlError } from "effect/sql/SqlError"
import type { Platform } from "../../../services/domain/audience/Device.ts"
import type { SegmentFilter } from "../../../services/domain/audience/Segment.ts"
import type { AppId, ContactId, ExecutionId, SegmentId } from "../../../services/domain/Ids.ts"
import { ownOf } from "../../../services/domain/Json.ts"
import type { Facts, MessageState } from "../../../services/domain/workflows/Conditions.ts"
import type { Answer, Collected, Joined, Question } from "../../../services/domain/workflows/Run.ts"
import { StoreError } from "../../../services/ports/StoreError.ts"
import type { Asked, OpenRun } from "../../../services/ports/workflows/ExecutionStore.ts"
import { doubles, integers, milliseconds, texts, times, uuids } from "../server/columns.ts"
import { ofRows } from "../server/ofRows.ts"
import { changeContacts } from "./changeContacts.ts"
import { heardEvents } from "./heardEvents.ts"
import { readObject } from "./runRows.ts"

/*
 * What runs ask while they are moved, answered for all that ask the same kind of thing together. What is taken by asking (a
 * place in a digest, a pass) is taken in the transaction that moves the run.
 */

type Sql = SqlClient.SqlClient
type Of<T extends Question["_tag"]> = {
  readonly run: OpenRun
  readonly question: Extract<Question, { readonly _tag: T }>
}

/** Values that a template sees of a digest, at most: the rest is counted. */
export const ITEMS = 10
/** A window that opened so much later than now did so before the clock was set back (ms): others waited for its row. */
const AHEAD_MS = 10_000
/** By how many times its window a sliding digest lasts at most. */
const SLIDES = 10

const NONE: ReadonlySet<MessageState> = new Set()

/** What became of messages, of whichever devices and channels of the person: one row for each `place`. */
const statesOf = (sql: Sql, of: ReadonlyArray<{ readonly run: OpenRun; readonly notification: string }>) => sql<{
  readonly place: number
  readonly states: ReadonlyArray<MessageState>
  readonly is_ended: boolean
}>`
  SELECT t.place::integer AS place, n.completed_at IS NOT NULL OR n.id IS NULL AS is_ended, ARRAY(
    SELECT DISTINCT state FROM (
      SELECT d.id FROM devices d WHERE d.app_id = t.app_id AND d.user_id = t.user_id
      UNION ALL SELECT c.id FROM channels c WHERE c.contact_id = t.contact_id
    ) AS r CROSS JOIN LATERAL (
      SELECT CASE d.status WHEN 's' THEN 'sent' WHEN 'f' THEN 'failed' ELSE 'skipped' END AS state
      FROM deliveries d WHERE d.notification_id = t.notification_id AND d.recipient_id = r.id
      UNION ALL
      SELECT CASE p.status WHEN 's' THEN 'sent' WHEN 'f' THEN 'failed' ELSE 'skipped' END
      FROM packed_deliveries p
      WHERE p.notification_id = t.notification_id AND p.first_id <= r.id AND p.last_id >= r.id AND r.id = ANY(p.recipients)
      UNION ALL
      SELECT CASE e.type WHEN 'd' THEN 'delivered' WHEN 'o' THEN 'opened' ELSE 'clicked' END
      FROM engagements e WHERE e.notification_id = t.notification_id AND e.recipient_id = r.id AND NOT e.machine
    ) AS s
  ) AS states
  FROM unnest(${uuids(of.map(({ run }) => run.appId))}, ${texts(of.map(({ run }) => run.userId))},
    ${uuids(of.map(({ run }) => run.contactId))}, ${uuids(of.map(({ notification }) => notification))}
  ) WITH ORDINALITY AS t (app_id, user_id, contact_id, notification_id, place)
  LEFT JOIN LATERAL (SELECT id, completed_at FROM notifications WHERE id = t.notification_id OFFSET 0) AS n ON true`

const messages = Effect.fnUntraced(function* (sql: Sql, asked: ReadonlyArray<Of<"Messages">>) {
  const each = asked.flatMap(({ question: { keys }, run }, of) =>
    keys.flatMap((key) => {
      const notification = ownOf(run.sends, key)
      return notification === undefined ? [] : [{ of, key, run, notification }]
    })
  )
  const rows = yield* statesOf(sql, each)
  const answers = asked.map(() => new Map<string, ReadonlySet<MessageState>>())
  for (const { place, states } of rows) answers[each[place - 1]!.of]!.set(each[place - 1]!.key, new Set(states))
  return answers
})

const outcomes = Effect.fnUntraced(function* (sql: Sql, asked: ReadonlyArray<Of<"Outcome">>) {
  const each = asked.map(({ question, run }) => ({ run, notification: run.sends[question.key]! }))
  const answers: Array<ReadonlySet<MessageState> | null> = asked.map(() => null)
  for (const { is_ended, place, states } of yield* statesOf(sql, each)) {
    if (is_ended) answers[place - 1] = states.length === 0 ? NONE : new Set(states)
  }
  return answers
})

/** Characters of a key that is kept as it is; a longer one has no room in an index, and is told from others by its hash. */
const KEY = 256
export const keyText = (by: string): string =>
  by.length <= KEY ? by : `sha256:${createHash("sha256").update(by).digest("hex")}`

/** Runs that ask about the same thing, in the order in which all lock such rows. */
const byKey = <A extends Of<"Join"> | Of<"Collect"> | Of<"Pass">>(asked: ReadonlyArray<A>) => {
  const groups = new Map<string, Array<{ readonly at: number } & A>>()
  for (const [at, one] of asked.entries()) {
    const { question, run } = one
    const key = `${run.workflowId} ${question.step.key} ${run.contactId} ${question.by}`
    const group = groups.get(key)
    if (group === undefined) groups.set(key, [{ at, ...one }])
    else group.push({ at, ...one })
  }
  return [...groups].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, group]) => group)
}

const joins = Effect.fnUntraced(function* (sql: Sql, asked: ReadonlyArray<Of<"Join">>) {
  const groups = byKey(asked)
  const firsts = groups.map(([first]) => first!)
  const rows = yield* sql<{ readonly place: number; readonly execution_id: ExecutionId; readonly closes_at: Date }>`
    WITH arrived AS MATERIALIZED (
      SELECT * FROM unnest(${uuids(firsts.map(({ run }) => run.workflowId))}, ${texts(firsts.map(({ question }) => question.step.key))},
        ${uuids(firsts.map(({ run }) => run.contactId))}, ${texts(firsts.map(({ question }) => keyText(question.by)))},
        ${uuids(firsts.map(({ run }) => run.appId))}, ${uuids(firsts.map(({ run }) => run.id))},
        ${times(firsts.map(({ question: { closesAt, step } }) => closesAt - step.seconds * 1000))},
        ${times(firsts.map(({ question }) => question.closesAt))}, ${integers(groups.map((group) => group.length))},
        ${integers(firsts.map(({ question }) => question.step.at_most ?? null))},
        ${doubles(firsts.map(({ question: { step } }) => (step.sliding === true ? step.seconds * SLIDES : 0)))}
      ) WITH ORDINALITY
        AS t (workflow_id, step_key, contact_id, digest_key, app_id, execution_id, at, closes_at, size, most, slides, place)
    ), joined AS (
      INSERT INTO digests AS d (app_id, workflow_id, step_key, contact_id, digest_key, execution_id, opened_at, closes_at, size)
      SELECT app_id, workflow_id, step_key, contact_id, digest_key, execution_id, at,
        CASE WHEN size >= most THEN at ELSE closes_at END, size
      FROM arrived ORDER BY place
      ON CONFLICT (app_id, workflow_id, step_key, contact_id, digest_key) DO UPDATE SET size = d.size + excluded.size,
        closes_at = (
          SELECT CASE WHEN d.size + excluded.size >= a.most THEN least(d.closes_at, a.at)
            WHEN a.slides > 0 THEN greatest(d.closes_at, least(a.closes_at, d.opened_at + a.slides * interval '1 s'))
            ELSE d.closes_at END
          FROM arrived a WHERE a.workflow_id = d.workflow_id AND a.step_key = d.step_key AND a.contact_id = d.contact_id
            AND a.digest_key = d.digest_key
        )
      RETURNING workflow_id, step_key, contact_id, digest_key, execution_id, closes_at
    )
    SELECT a.place::integer AS place, j.execution_id, j.closes_at FROM joined j JOIN arrived a
      ON a.workflow_id = j.workflow_id AND a.step_key = j.step_key AND a.contact_id = j.contact_id
        AND a.digest_key = j.digest_key`
  const answers: Array<Joined> = []
  const items: Array<{ readonly opener: ExecutionId } & Of<"Join">> = []
  const full: Array<{ readonly opener: ExecutionId; readonly appId: string; readonly at: number }> = []
  for (const { closes_at, execution_id, place } of rows) {
    const group = groups[place - 1]!
    const closesAt = closes_at.getTime()
    for (const one of group) {
      const isOpener = one.run.id === execution_id
      answers[one.at] = { opener: isOpener ? null : execution_id, closesAt }
      items.push({ ...one, opener: execution_id })
    }
    const [first] = group
    if (first!.run.id !== execution_id && first!.question.step.at_most !== undefined) {
      full.push({ opener: execution_id, appId: first!.run.appId, at: closesAt })
    }
  }
  yield* sql`
    INSERT INTO digest_items (app_id, opener_id, step_key, execution_id, data)
    SELECT ${asked[0]!.run.appId}::uuid, * FROM unnest(${uuids(items.map(({ opener }) => opener))}, ${texts(items.map(({ question }) => question.step.key))},
      ${uuids(items.map(({ run }) => run.id))}, ${texts(items.map(({ run }) => JSON.stringify(run.data)))})
    ON CONFLICT DO NOTHING`
  if (full.length > 0) {
    // Whoever moves the opener just now looks for the end of its digest by itself.
    yield* sql`
      UPDATE execution_timers r SET due_at = t.at
      FROM unnest(${uuids(full.map(({ appId }) => appId))}, ${uuids(full.map(({ opener }) => opener))}, ${times(full.map(({ at }) => at))})
        AS t (app_id, id, at)
      WHERE r.app_id = ANY(ARRAY[t.app_id]) AND r.execution_id = t.id AND ${ofRows(sql, sql`r.due_at > t.at`)} AND r.execution_id IN (
        SELECT execution_id FROM execution_timers
        WHERE execution_id = ANY(${uuids(full.map(({ opener }) => opener))}) AND app_id = ANY(${uuids(full.map(({ appId }) => appId))})
        FOR UPDATE SKIP LOCKED
      )`
  }
  return answers
})

const collections = Effect.fnUntraced(function* (sql: Sql, asked: ReadonlyArray<Of<"Collect">>, now: number) {
  const { appId } = asked[0]!.run
  const ordered = byKey(asked).flat()
  const keys = sql`unnest(${uuids(ordered.map(({ run }) => run.workflowId))}, ${texts(ordered.map(({ question }) => question.step.key))},
      ${uuids(ordered.map(({ run }) => run.contactId))}, ${texts(ordered.map(({ question }) => keyText(question.by)))},
      ${uuids(ordered.map(({ run }) => run.id))}) WITH ORDINALITY
      AS t (workflow_id, step_key, contact_id, digest_key, execution_id, place)`
  const open = yield* sql<{ readonly place: number; readonly closes_at: Date }>`
    SELECT t.place::integer AS place, d.closes_at FROM ${keys} CROSS JOIN LATERAL (
      SELECT closes_at FROM digests d WHERE d.app_id = ${appId} AND d.workflow_id = t.workflow_id AND d.step_key = t.step_key
        AND d.contact_id = t.contact_id AND d.digest_key = t.digest_key AND d.execution_id = t.execution_id
      FOR UPDATE
    ) AS d ORDER BY t.place`
  const answers: Array<Collected> = []
  const waiting = new Set<number>()
  for (const { closes_at, place } of open) {
    if (closes_at.getTime() <= now) continue
    waiting.add(place - 1)
    answers[ordered[place - 1]!.at] = { closesAt: closes_at.getTime() }
  }
  const closed = ordered.filter((_, place) => !waiting.has(place))
  if (closed.length === 0) return answers
  const ids = uuids(closed.map(({ run }) => run.id))
  const stepKeys = texts(closed.map(({ question }) => question.step.key))
  // Row by row by their keys: joined, all of the application's would be looked through. Nobody else has them, since their
  // digests are locked.
  yield* sql`
    DELETE FROM digests WHERE ctid = ANY(ARRAY(
      SELECT d.ctid FROM unnest(${uuids(closed.map(({ run }) => run.workflowId))}, ${stepKeys},
        ${uuids(closed.map(({ run }) => run.contactId))}, ${texts(closed.map(({ question }) => keyText(question.by)))}, ${ids})
        AS t (workflow_id, step_key, contact_id, digest_key, id)
      CROSS JOIN LATERAL (
        SELECT ctid FROM digests WHERE app_id = ${appId} AND workflow_id = t.workflow_id AND step_key = t.step_key
          AND contact_id = t.contact_id AND digest_key = t.digest_key AND execution_id = t.id OFFSET 0
      ) AS d
    ))`
  const rows = yield* sql<{ readonly place: number; readonly size: number; readonly items: ReadonlyArray<string> }>`
    SELECT t.place::integer AS place, (
      SELECT count(*)::integer FROM digest_items i WHERE i.app_id = ${appId} AND i.opener_id = t.id AND i.step_key = t.step_key
    ) AS size, ARRAY(
      SELECT data FROM digest_items i WHERE i.app_id = ${appId} AND i.opener_id = t.id AND i.step_key = t.step_key
      ORDER BY i.execution_id LIMIT ${ITEMS}
    ) AS items
    FROM unnest(${ids}, ${stepKeys}) WITH ORDINALITY AS t (id, step_key, place)`
  for (const { items, place, size } of rows)
    answers[closed[place - 1]!.at] = { count: size, items: items.map(readObject) }
  yield* sql`
    DELETE FROM digest_items WHERE ctid = ANY(ARRAY(
      SELECT i.ctid FROM unnest(${ids}, ${stepKeys}) AS t (id, step_key) CROSS JOIN LATERAL (
        SELECT ctid FROM digest_items WHERE app_id = ${appId} AND opener_id = t.id AND step_key = t.step_key OFFSET 0
      ) AS i
    ))`
  return answers
})

const passes = Effect.fnUntraced(function* (sql: Sql, asked: ReadonlyArray<Of<"Pass">>, now: number) {
  const groups = byKey(asked)
  const firsts = groups.map(([first]) => first!)
  const rows = yield* sql<{ readonly place: number; readonly granted: number }>`
    WITH arrived AS MATERIALIZED (
      SELECT * FROM unnest(${uuids(firsts.map(({ run }) => run.workflowId))}, ${texts(firsts.map(({ question }) => question.step.key))},
        ${uuids(firsts.map(({ run }) => run.contactId))}, ${texts(firsts.map(({ question }) => keyText(question.by)))},
        ${uuids(firsts.map(({ run }) => run.appId))}, ${integers(groups.map((group) => group.length))},
        ${integers(firsts.map(({ question }) => question.step.at_most))},
        ${doubles(firsts.map(({ question }) => question.step.per_seconds))}, ${times(firsts.map(() => now))}
      ) WITH ORDINALITY AS t (workflow_id, step_key, contact_id, throttle_key, app_id, wanted, most, seconds, at, place)
    ), taken AS (
      INSERT INTO throttles AS r (app_id, workflow_id, step_key, contact_id, throttle_key, opened_at, over_at, passed, granted)
      SELECT app_id, workflow_id, step_key, contact_id, throttle_key, at, at + seconds * interval '1 s', least(wanted, most),
        least(wanted, most)
      FROM arrived ORDER BY place
      ON CONFLICT (app_id, workflow_id, step_key, contact_id, throttle_key)
      DO UPDATE SET (opened_at, over_at, passed, granted) = (
        SELECT o.begin, o.begin + a.seconds * interval '1 s', o.before + o.grant, o.grant
        FROM arrived a, LATERAL (
            SELECT r.opened_at + a.seconds * interval '1 s' <= a.at
              OR r.opened_at > a.at + ${milliseconds(AHEAD_MS)} * interval '1 ms' AS is_over
          ) AS e,
          LATERAL (
            SELECT CASE WHEN e.is_over THEN a.at ELSE r.opened_at END AS begin,
              CASE WHEN e.is_over THEN 0 ELSE r.passed END AS before
          ) AS b,
          LATERAL (SELECT b.begin, b.before, greatest(0, least(a.wanted, a.most - b.before)) AS grant) AS o
        WHERE a.workflow_id = r.workflow_id AND a.step_key = r.step_key AND a.contact_id = r.contact_id
          AND a.throttle_key = r.throttle_key
      )
      RETURNING workflow_id, step_key, contact_id, throttle_key, granted
    )
    SELECT a.place::integer AS place, k.granted FROM taken k JOIN arrived a ON a.workflow_id = k.workflow_id
      AND a.step_key = k.step_key AND a.contact_id = k.contact_id AND a.throttle_key = k.throttle_key`
  const answers: Array<boolean> = []
  for (const { granted, place } of rows) {
    for (const [i, { at }] of groups[place - 1]!.entries()) answers[at] = i < granted
  }
  return answers
})

const answerAll = (
  sql: Sql,
  tag: Question["_tag"],
  asked: ReadonlyArray<Asked>,
  now: number
): Effect.Effect<ReadonlyArray<Answer>, SqlError | StoreError> => {
  switch (tag) {
    case "Messages":
      return messages(sql, asked as ReadonlyArray<Of<"Messages">>)
    case "Outcome":
      return outcomes(sql, asked as ReadonlyArray<Of<"Outcome">>)
    case "Join":
      return joins(sql, asked as ReadonlyArray<Of<"Join">>)
    case "Collect":
      return collections(sql, asked as ReadonlyArray<Of<"Collect">>, now)
    case "Pass":
      return passes(sql, asked as ReadonlyArray<Of<"Pass">>, now)
    case "Event":
      return heardEvents(sql, asked as ReadonlyArray<Of<"Event">>, now)
    case "Change":
      return changeContacts(
        sql,
        (asked as ReadonlyArray<Of<"Change">>).map(({ question: { step }, run }) => ({ run, step }))
      )
  }
}

/** Kinds in the order in which they lock. */
const TAGS = ["Messages", "Outcome", "Event", "Change", "Pass", "Join", "Collect"] as const

export const ask = Effect.fnUntraced(function* (sql: Sql, asked: ReadonlyArray<Asked>, now: number) {
  const answers: Array<Answer> = []
  for (const tag of TAGS) {
    const places: Array<number> = []
    for (const [place, { question }] of asked.entries()) if (question._tag === tag) places.push(place)
    if (places.length === 0) continue
    const some = yield* answerAll(
      sql,
      tag,
      places.map((place) => asked[place]!),
      now
    )
    for (const [i, place] of places.entries()) answers[place] = some[i]!
  }
  return answers
})

/** Conditions of segments that are there. */
export const segments = (sql: Sql, appId: AppId, ids: ReadonlyArray<SegmentId>) =>
  Effect.map(
    sql<{ readonly id: SegmentId; readonly filter: SegmentFilter }>`
      SELECT id, filter FROM segments WHERE id = ANY(${uuids(ids)}) AND ${ofRows(sql, sql`app_id = ${appId}`)}`,
    (rows) => new Map(rows.map(({ filter, id }) => [id, filter]))
  )

/** Devices and engagement of people. */
export const reach = Effect.fnUntraced(function* (
  sql: Sql,
  runs: ReadonlyArray<Pick<OpenRun, "appId" | "contactId" | "userId">>
) {
  const people = [...new Map(runs.map((run) => [run.contactId, run])).values()]
  const rows = yield* sql<{
    readonly place: number
    readonly platforms: ReadonlyArray<Platform> | null
    readonly seen_at: Date | null
    readonly delivered_at: Date | null
    readonly opened_at: Date | null
    readonly clicked_at: Date | null
  }>`
    SELECT t.place::integer AS place, d.platforms, d.seen_at, e.delivered_at, e.opened_at, e.clicked_at
    FROM unnest(${uuids(people.map(({ appId }) => appId))}, ${texts(people.map(({ userId }) => userId))},
      ${uuids(people.map(({ contactId }) => contactId))}) WITH ORDINALITY AS t (app_id, user_id, contact_id, place)
    CROSS JOIN LATERAL (
      SELECT array_agg(DISTINCT platform) FILTER (WHERE active) AS platforms, max(last_seen_at) AS seen_at
      FROM devices WHERE app_id = t.app_id AND user_id = t.user_id
    ) AS d CROSS JOIN LATERAL (
      SELECT max(l.delivered_at) AS delivered_at, max(l.opened_at) AS opened_at, max(l.clicked_at) AS clicked_at
      FROM (
        SELECT id FROM devices WHERE app_id = t.app_id AND user_id = t.user_id
        UNION ALL SELECT id FROM channels WHERE contact_id = t.contact_id
      ) AS r JOIN LATERAL (
        SELECT * FROM last_engaged WHERE app_id = t.app_id AND recipient_id = r.id OFFSET 0
      ) AS l ON true
    ) AS e`
  return new Map<ContactId, Pick<Facts, "platforms" | "seenAt" | "engagedAt">>(
    rows.map(({ clicked_at, delivered_at, opened_at, place, platforms, seen_at }) => [
      people[place - 1]!.contactId,
      {
        platforms: platforms ?? [],
        seenAt: seen_at?.getTime() ?? null,
        engagedAt: {
          ...(delivered_at === null ? {} : { delivered: delivered_at.getTime() }),
          ...(opened_at === null ? {} : { opened: opened_at.getTime() }),
          ...(clicked_at === null ? {} : { clicked: clicked_at.getTime() })
        }
      }
    ])
  )
})
