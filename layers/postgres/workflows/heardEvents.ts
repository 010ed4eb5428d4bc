import { Effect } from "effect"
import type { SqlClient } from "effect/sql"
import { valueAt } from "../../../services/domain/workflows/Conditions.ts"
import type { Heard, Question } from "../../../services/domain/workflows/Run.ts"
import type { ExecutionId } from "../../../services/domain/Ids.ts"
import { canonicalJson } from "../../../services/domain/Json.ts"
import { StoreError } from "../../../services/ports/StoreError.ts"
import type { OpenRun } from "../../../services/ports/workflows/ExecutionStore.ts"
import { READ_AT_ONCE } from "../../../services/ports/workflows/ExecutionStore.ts"
import { integers, texts, uuids } from "../server/columns.ts"
import { readObject } from "./runRows.ts"

/*
 * What runs that wait for an event hear when they ask: what came since they entered. Where that lies ahead of now, the clock
 * was set back, and what came after it lies before. It is known then by its row, which was written after that of the run.
 */

type Sql = SqlClient.SqlClient

interface Asking {
  readonly run: OpenRun
  readonly question: Extract<Question, { readonly _tag: "Event" }>
}

/** Events that are looked through at once for one that fits. */
const EVENTS = 100

/** Those who are answered bring what they have heard: all of it is in hand together, until they are written. */
const tooMuchHeard = new StoreError({
  operation: "ExecutionStore.ask",
  refused: true,
  cause: new Error("events bring more data than one transaction takes in hand")
})

/** A question about events, and what its answer is known by. */
interface Awaiting {
  /** Its place among the answers. */
  readonly at: number
  /** ISO 8601, to the microsecond. */
  readonly since: string
  /** How long ago the run's row was written, in transactions, where `since` lies ahead of now. */
  readonly writtenAgo: number | null
  /** The value that an event has to have, as JSON; undefined: none fits. Null: whichever event. */
  readonly value: string | undefined | null
}

/** Questions about one event of one person: what came is read once for all of them. */
interface Awaited {
  readonly userId: string
  readonly event: string
  /** From when on the first of them asks. */
  since: string
  /** How long ago, in transactions, that one's row was written which was longest ago, of those that ask from ahead of now. */
  writtenAgo: number | null
  seen: number
  /** Those without an answer, by the path of the value that has to equal theirs; null: they take any. */
  readonly paths: Map<string | null, Array<Awaiting>>
}

/** Of one with milliseconds, as it compares with one that has microseconds. */
const exactly = (at: string): string => at.replace(/\.(\d{3})Z$/, ".$1000Z")

const textOf = (value: unknown): string | undefined => (value === undefined ? undefined : canonicalJson(value))

/** How long ago, in transactions, runs were written that ask for what came since a moment ahead of now. */
const writtenAgo = Effect.fnUntraced(function* (sql: Sql, asked: ReadonlyArray<Asking>, now: number) {
  const ids = asked.flatMap(({ question: { since }, run: { id } }) => (Date.parse(since) > now ? [id] : []))
  if (ids.length === 0) return new Map<ExecutionId, number>()
  const rows = yield* sql<{ readonly id: ExecutionId; readonly ago: number }>`
    SELECT e.id, age(e.xmin) AS ago FROM unnest(${uuids(ids)}) AS t (id) CROSS JOIN LATERAL (
      SELECT id, xmin FROM executions WHERE app_id = ${asked[0]!.run.appId} AND id = t.id OFFSET 0
    ) AS e`
  return new Map(rows.map(({ ago, id }) => [id, ago]))
})

const awaitedOf = (asked: ReadonlyArray<Asking>, ago: ReadonlyMap<ExecutionId, number>): ReadonlyArray<Awaited> => {
  const all = new Map<string, Awaited>()
  for (const [at, { question, run }] of asked.entries()) {
    const { event, match } = question.step
    const key = JSON.stringify([run.userId, event])
    const since = exactly(question.since)
    const writtenAgo = ago.get(run.id) ?? null
    const one = all.get(key) ?? {
      userId: run.userId,
      event,
      since,
      writtenAgo,
      seen: 0,
      paths: new Map<string | null, Array<Awaiting>>()
    }
    all.set(key, one)
    if (since < one.since) one.since = since
    if (writtenAgo !== null) one.writtenAgo = Math.max(writtenAgo, one.writtenAgo ?? writtenAgo)
    const path = match?.event ?? null
    const value = path === null ? null : textOf(question.value)
    const awaiting = one.paths.get(path)
    if (awaiting === undefined) one.paths.set(path, [{ at, since, value, writtenAgo }])
    else awaiting.push({ at, since, value, writtenAgo })
  }
  return [...all.values()]
}

/** The first events that fit, for runs that wait for some: in the order of the questions, null where there is none. */
export const heardEvents = Effect.fnUntraced(function* (sql: Sql, asked: ReadonlyArray<Asking>, now: number) {
  const answers: Array<Heard | null> = asked.map(() => null)
  let heard = 0
  let open = awaitedOf(asked, yield* writtenAgo(sql, asked, now))
  while (open.length > 0) {
    const rows = yield* sql<{
      readonly place: number
      readonly data: string
      readonly at: string
      readonly ago: number | null
      readonly found: number
    }>`
      SELECT place, data, ago, found, to_char(at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') AS at FROM (
        SELECT t.place::integer AS place, e.data, e.at, e.ago, (count(*) OVER ())::integer AS found,
          sum(octet_length(e.data)) OVER (ORDER BY t.place, e.at ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS before
        FROM unnest(${texts(open.map(({ userId }) => userId))}, ${texts(open.map(({ event }) => event))},
          ${texts(open.map(({ since }) => since))}, ${integers(open.map(({ writtenAgo }) => writtenAgo))},
          ${integers(open.map(mostOf))}, ${integers(open.map(({ seen }) => seen))}
        ) WITH ORDINALITY AS t (user_id, event, since, written_ago, most, seen, place)
        CROSS JOIN LATERAL (
          SELECT data, at, CASE WHEN at <= clock_timestamp() THEN age(xmin) END AS ago FROM custom_events e
          WHERE e.app_id = ${asked[0]!.run.appId} AND e.user_id = t.user_id AND e.event = t.event
            AND e.at > CASE WHEN t.written_ago IS NULL THEN t.since::timestamptz ELSE '-infinity' END
            AND (t.written_ago IS NULL OR e.at > t.since::timestamptz OR e.at <= clock_timestamp() AND age(e.xmin) < t.written_ago)
          ORDER BY e.at LIMIT t.most OFFSET t.seen
        ) AS e
      ) AS e WHERE before IS NULL OR before < ${READ_AT_ONCE} ORDER BY place, e.at`
    const read = open.map(() => 0)
    for (const { ago, at, data, place } of rows) {
      const one = open[place - 1]!
      read[place - 1]!++
      one.seen++
      const found = readObject(data)
      for (const [path, awaiting] of one.paths) {
        const value = path === null ? null : textOf(valueAt(found, path))
        const isHeardBy = (each: Awaiting) =>
          (each.since < at || (ago !== null && each.writtenAgo !== null && ago < each.writtenAgo)) &&
          value !== undefined &&
          each.value === value
        const hearing = awaiting.filter(isHeardBy)
        if (hearing.length === 0) continue
        for (const each of hearing) {
          answers[each.at] = { data: found, at }
          heard += data.length
        }
        one.paths.set(
          path,
          awaiting.filter((each) => !isHeardBy(each))
        )
      }
      if (heard > READ_AT_ONCE && asked.length > 1) return yield* tooMuchHeard
    }
    // Whom the bytes have cut off, and whom there may be more for, are looked for once more.
    const isCut = rows.length < (rows[0]?.found ?? 0)
    const last = isCut ? rows.at(-1)!.place - 1 : open.length
    open = open.filter(
      (one, i) => [...one.paths.values()].some(({ length }) => length > 0) && (i >= last || read[i]! >= mostOf(one))
    )
  }
  return answers
})

/** Who takes any event takes the first. */
const mostOf = ({ paths, since, writtenAgo }: Awaited): number =>
  paths.size === 1 && paths.get(null)?.every((one) => one.since === since && one.writtenAgo === writtenAgo) === true
    ? 1
    : EVENTS
