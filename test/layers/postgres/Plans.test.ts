import { PgClient } from "@effect/sql-pg"
import { describe, expect, it, layer } from "@effect/vitest"
import { Clock, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import type { WebhookId } from "../../../services/domain/Ids.ts"
import { uuidv7 } from "../../../services/ports/NewId.ts"
import { ContactStore } from "../../../services/ports/audience/ContactStore.ts"
import { WebhookStore } from "../../../services/ports/webhooks/WebhookStore.ts"
import { pool } from "../../../layers/postgres/server/Database.ts"
import { TestDatabase, testDatabase } from "../../Database.ts"
import { grow, keepUnwatched } from "./Crowd.ts"
import type { Operation, Place } from "./Operations.ts"
import { allStores, methodsOf, operationsOf, PORTS, sweepsOf } from "./Operations.ts"
import { withClient } from "./Rows.ts"
import { accepted, newApp } from "./Stores.ts"

/*
 * That the plans of prepared statements fit at any size. PostgreSQL makes the plan of a statement by the sizes that its
 * tables have then, and keeps it until somebody analyzes one of them. So all statements are prepared over tables that are
 * empty, or small; then the tables grow, nobody looks at them, and each operation is to read about as little as before. It
 * is to do so by the plan that it has: none is made for a single execution, neither then nor after the tables were
 * analyzed. `npm run test:plans` lets them grow to a million rows.
 */
const ROWS = Number(process.env["PLANS_ROWS"] ?? 20_000)
const isLong = process.env["PLANS_ROWS"] !== undefined
/** PostgreSQL decides by the first five executions whether a statement keeps a plan. */
const ROUNDS = 6

/** Blocks of tables and indexes that one operation reads or writes, at most: some statements, each with a few looks. */
const BLOCKS = 200
/** Operations that are about more, but not about all. */
const MORE: Readonly<Record<string, number>> = {
  // A hundred and fifty devices, each with its entries in four indexes.
  "DeviceStore.register, many": 3000,
  // Some dozen statements in one transaction.
  "AccountStore.remove": 400,
  // Looks into all that an application may have, a few times.
  "OrganizationStore.removeDeleted": 1000,
  // Ten mails, each written and removed.
  "ServiceMailStore.claim, remove, postpone": 500,
  // The newest hundred notifications.
  "BacklogStore.unreconciled": 1000,
  // Some dozen statements in one transaction, about several people each.
  "ExecutionStore.enter": 500,
  "ExecutionStore.enter, once": 600,
  "ExecutionStore.move": 600,
  "ExecutionStore.move, to an event": 600,
  "ExecutionStore.cancel": 300,
  "ExecutionStore.closing": 600,
  // Five requests of a dozen statements each.
  "ExecutionStore.cancelMatching, cancelNext": 800,
  "ExecutionStore.enterPage": 500,
  "ExecutionStore.enterPage, of a description": 500,
  "TriggerStore.takeEvents": 500,
  // Three messages, to two devices each.
  "NotificationStore.acceptForUsers, several at once": 300,
  "TriggerStore.takeChanges": 500,
  "TriggerStore.takeChanges, before the first look": 300
}

/** The same where there are a million rows: what grows by a level of each index, or has a page less than full before. */
const MORE_OF_A_MILLION: Readonly<Record<string, number>> = {
  // Some dozen statements in one transaction.
  "AccountStore.signIn": 250,
  // Which of all segments that are watched is due: ten thousand then.
  "TriggerStore.look": 400,
  // Two pages of a hundred events, each with its chunk, work and attempts.
  "WebhookStore.deliveries, of many by status": 1200
}

/** Operations that read all of something by their meaning, none of them for a request or a message. */
const WHOLE = [
  // Made by hand: finds the first organization.
  "ApplicationStore.create",
  // doctor, and the metrics of what waits.
  "ApplicationStore.count",
  "CredentialStore.health",
  "BacklogStore.read",
  "BacklogStore.setAside",
  "BacklogStore.failingWebhooks",
  // The sweeper's: all notifications that are open, all webhooks that have work.
  "BatchStore.completeForgotten",
  "WebhookStore.due",
  // What a dead process had in hand is found among all that is open.
  "HolderStore.release",
  // What is too old may be all of a table; rate limits are read once, page by page.
  "Retention.sweep",
  "RateLimitStore.sweep",
  // Counts the people whom it is about, up to 10,000.
  "ExecutionStore.leave",
  // The sweeper's: all segments that workflows wait for.
  "TriggerStore.keepAllWatched",
  // The sweeper's: all notifications for whose end a run waits.
  "ExecutionStore.wakeEnded",
  // No index leads from a webhook to what it had: one that is removed costs a look through all that there is.
  "WebhookStore.remove",
  // When the next of all in a queue is due that waits for nothing else.
  "WebhookStore.nextDue, of a long queue"
]

/** What is planned for its values (byValues.ts): it knows no tables that were never analyzed. */
const BY_VALUES = [
  "AudienceStore.page, a filter",
  "AudienceStore.page, everybody",
  "AudienceStore.count",
  "ContactStore.list, of a segment",
  "ContactStore.list, of a segment with a tag",
  "DeviceStore.list, of a segment",
  "WorkflowStore.list, of a status",
  "ExecutionStore.list, waiting",
  "ExecutionStore.list, running",
  "ExecutionStore.list, of a person, waiting",
  "ExecutionStore.list, of a workflow",
  "ExecutionStore.list, of a workflow, waiting",
  "ExecutionStore.list, of a workflow, running",
  "ExecutionStore.list, of a workflow, failed",
  "Retention.sweep"
]

interface Cost {
  readonly operation: string
  /** Of tables and their indexes. */
  readonly blocks: number
  /** Rows that were read by reading whole tables. */
  readonly scanned: number
  /** Statements that were planned for this one execution. */
  readonly planned: number
  /** Where most of it was read. */
  readonly tables: string
}

type Tables = ReadonlyMap<string, { readonly blocks: number; readonly scanned: number }>

/** What this session's statements have read so far, by table; partitions as one. */
const tablesRead = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`SELECT pg_stat_force_next_flush()`
  const rows = yield* sql<{ readonly name: string; readonly blocks: number; readonly scanned: number }>`
    SELECT regexp_replace(relname, '_(\\d{8}|other)$', '') AS name, sum(s.seq_tup_read)::float8 AS scanned,
      sum(heap_blks_read + heap_blks_hit + coalesce(idx_blks_read + idx_blks_hit, 0)
        + coalesce(toast_blks_read + toast_blks_hit, 0) + coalesce(tidx_blks_read + tidx_blks_hit, 0))::float8 AS blocks
    FROM pg_statio_user_tables JOIN pg_stat_user_tables s USING (relid, relname) GROUP BY 1`
  return new Map(rows.map(({ name, ...read }) => [name, read])) as Tables
}).pipe(Effect.orDie)

/** Plans that this session made for a single execution each. */
const plansMade = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const [row] = yield* sql<{ readonly count: number }>`
    SELECT coalesce(sum(custom_plans), 0)::float8 AS count FROM pg_prepared_statements WHERE statement NOT LIKE '%pg_stat%'`
  return row!.count
}).pipe(Effect.orDie)

/** How often tables were analyzed, by whomever: a store does so itself when it has written much (Statistics.ts). */
const looks = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const [row] = yield* sql<{ readonly count: number }>`
    SELECT sum(analyze_count)::float8 AS count FROM pg_stat_user_tables`
  return row!.count
}).pipe(Effect.orDie)

const minus = (after: Tables, before: Tables) =>
  [...after]
    .map(([name, { blocks, scanned }]) => ({
      name,
      blocks: blocks - (before.get(name)?.blocks ?? 0),
      scanned: scanned - (before.get(name)?.scanned ?? 0)
    }))
    .filter(({ blocks }) => blocks > 0)
    .sort((a, b) => b.blocks - a.blocks)

/** Runs every operation so many times. */
const run = Effect.fnUntraced(function* (place: Place, times: number) {
  for (let i = 0; i < times; i++) {
    for (const prepare of Object.values(operationsOf(place))) yield* yield* prepare
  }
})

/** Runs an operation; once more if a table was analyzed meanwhile, which reads a good part of it. */
const readBy = Effect.fnUntraced(function* (prepare: Operation) {
  for (;;) {
    const call = yield* prepare
    const [seenBefore, before, madeBefore] = [yield* looks, yield* tablesRead, yield* plansMade]
    yield* call
    const [after, madeAfter, seenAfter] = [yield* tablesRead, yield* plansMade, yield* looks]
    if (seenAfter === seenBefore) return { tables: minus(after, before), planned: madeAfter - madeBefore }
  }
})

/** Runs every operation once, and measures. */
const measure = Effect.fnUntraced(function* (place: Place) {
  const costs: Array<Cost> = []
  for (const [operation, prepare] of Object.entries({ ...operationsOf(place), ...sweepsOf(place) })) {
    const { planned, tables } = yield* readBy(prepare)
    const where = tables.map(
      ({ blocks, name, scanned }) => `${name} ${blocks}${scanned > 0 ? ` (${scanned} rows)` : ""}`
    )
    costs.push({
      operation,
      blocks: tables.reduce((sum, { blocks }) => sum + blocks, 0),
      scanned: tables.reduce((sum, { scanned }) => sum + scanned, 0),
      planned,
      tables: where.slice(0, 4).join(", ")
    })
  }
  return costs
})

/** For whoever ran it to see. */
const report = async (title: string, before: ReadonlyArray<Cost>, after: ReadonlyArray<Cost>): Promise<void> => {
  if (!isLong) return
  const lines = after.map(({ blocks, operation, planned, tables }, i) =>
    [
      operation.padEnd(50),
      String(before[i]!.blocks).padStart(8),
      String(blocks).padStart(8),
      String(planned).padStart(4),
      ` ${tables}`
    ].join(" ")
  )
  const head = `${title}: blocks of each operation before and after, statements planned anew, where it read`
  await new Promise<void>((done) => process.stdout.write(`${[head, ...lines].join("\n")}\n`, () => done()))
}

const boundOf = (operation: string): number =>
  (isLong ? MORE_OF_A_MILLION[operation] : undefined) ?? MORE[operation] ?? BLOCKS

const isTooMuch = ({ blocks, operation, planned }: Cost): boolean =>
  !BY_VALUES.includes(operation) && (planned > 0 || (!WHOLE.includes(operation) && blocks > boundOf(operation)))

/** One connection, which keeps all that is prepared. */
const database = Layer.unwrap(
  Effect.map(TestDatabase, ({ url }) =>
    PgClient.layerFrom(
      Effect.flatMap(pool(url, 1), ({ config }) =>
        PgClient.make({ ...config, maxConnections: 1, preparedStatementCacheSize: 10_000 })
      )
    ).pipe(Layer.orDie)
  )
).pipe(Layer.provideMerge(testDatabase()))

/** Sweeps that stores make by themselves come at random, and would count for whatever is measured: here they never do. */
const unhurried = Layer.effect(
  Clock.Clock,
  Effect.map(Effect.service(Clock.Clock), (clock): Clock.Clock =>
    Object.create(clock, { sleep: { value: () => Effect.never } })
  )
)

const newPlace = Effect.gen(function* () {
  const app = yield* newApp
  const webhook = uuidv7() as WebhookId
  yield* (yield* WebhookStore).create(app, webhook, { name: "x", url: "https://example.com/", is_active: true })
  const userId = "reader"
  const [reader] = yield* (yield* ContactStore).upsert(app, [{ external_id: userId }])
  return { app, webhook, notification: yield* accepted(app), reader: { id: reader!.id, userId } } satisfies Place
})

/**
 * What the tables are while statements are prepared: rows in each when they were analyzed, beside what operations need. The
 * long form tries all.
 */
const STATES: Readonly<Record<string, number | null>> = {
  "that nobody has looked at": null,
  "that were analyzed when they were nearly empty": 0,
  "that were analyzed when they had some hundred rows": 300
}

/** Statements that take a part of an index where a key says which row it is, because they need nothing but the index. */
const BY_A_PART = ["FROM workflow_versions v JOIN workflows w ON w.id = v.workflow_id"]

interface Index {
  readonly table: string
  readonly name: string
  /** Null where there is an expression. */
  readonly columns: ReadonlyArray<string | null>
  readonly isKey: boolean
  /** Of some rows of its table. */
  readonly isPartial: boolean
}

interface PlanNode {
  readonly "Node Type": string
  readonly "Index Name"?: string
  readonly "Relation Name"?: string
  readonly "Index Cond"?: string
  readonly Filter?: string
  readonly Alias?: string
  readonly "Hash Cond"?: string
  readonly "Merge Cond"?: string
  readonly "Join Filter"?: string
  readonly Plans?: ReadonlyArray<PlanNode>
}

/**
 * The columns that a condition of a plan, as EXPLAIN shows it, says are equal to something. Not to one of many, which
 * PostgreSQL takes for ten: all that an application has may seem fewer.
 */
const equalIn = (condition = ""): ReadonlyArray<string> =>
  [...condition.matchAll(/\(+(?:\w+\.)?(\w+) = (?!ANY (?!\(ARRAY\[[\w.]+\]\)))(?!.*hashed SubPlan)/g)].map(
    ([, column]) => column!
  )

/** Which indexes the node of a plan, and those below it, take by a part, though a key is said whole. */
const takenInPart = (node: PlanNode, indexes: ReadonlyArray<Index>, above?: PlanNode): ReadonlyArray<string> => {
  const taken = indexes.find(({ name }) => name === node["Index Name"])
  // A bitmap of an index is read by the node above it.
  const conditions = [
    node["Index Cond"],
    node.Filter,
    ...(node["Node Type"] === "Bitmap Index Scan" ? [above?.Filter] : [])
  ]
  const equal = new Set<string | null>(conditions.flatMap(equalIn))
  const isSaid = ({ columns }: Index): boolean => columns.every((column) => equal.has(column))
  const isPart =
    taken !== undefined &&
    !isSaid(taken) &&
    indexes.some((other) => other.isKey && other.table === taken.table && isSaid(other))
  return [...(isPart ? [taken.name] : []), ...(node.Plans ?? []).flatMap((below) => takenInPart(below, indexes, node))]
}

interface Prepared {
  readonly text: string
  readonly plan: PlanNode
}

/** The statements of this session, with the plans that they have. */
const plansKept = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const rows = yield* sql<{ readonly name: string; readonly statement: string; readonly parameters: number }>`
    SELECT name, statement, cardinality(parameter_types) AS parameters FROM pg_prepared_statements
    WHERE statement ~* '^\\s*(SELECT|WITH|INSERT|UPDATE|DELETE)' AND statement !~ 'pg_(prepared|stat|class|index|inherits|partition)'`
  const statements: Array<Prepared> = []
  for (const { name, parameters, statement } of rows) {
    const values = parameters === 0 ? "" : `(${Array.from({ length: parameters }, () => "NULL").join(", ")})`
    const [row] = yield* sql.unsafe<{ readonly "QUERY PLAN": ReadonlyArray<{ readonly Plan: PlanNode }> }>(
      `EXPLAIN (FORMAT JSON) EXECUTE "${name}"${values}`
    ).unprepared
    statements.push({ text: statement.replaceAll(/\s+/g, " ").trim(), plan: row!["QUERY PLAN"][0]!.Plan })
  }
  return statements
})

const indexesThere = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  return yield* sql<Index>`
    SELECT t.relname AS table, c.relname AS name, i.indisunique AND i.indpred IS NULL AS "isKey",
      i.indpred IS NOT NULL AS "isPartial", ARRAY(
        SELECT a.attname FROM unnest(i.indkey) WITH ORDINALITY AS k (number, place)
        LEFT JOIN pg_attribute a ON a.attrelid = i.indrelid AND a.attnum = k.number ORDER BY k.place
      )::text[] AS columns
    FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid JOIN pg_class t ON t.oid = i.indrelid
    JOIN pg_am m ON m.oid = c.relam WHERE m.amname = 'btree'`
})

/** Statements of this session whose plans take a part of an index where a key says which row it is. */
const takingPart = Effect.gen(function* () {
  const indexes = yield* indexesThere
  const prepared = yield* plansKept
  const found = prepared
    .filter(({ text }) => !BY_A_PART.some((part) => text.includes(part)))
    .flatMap(({ plan, text }) => takenInPart(plan, indexes).map((index) => `${index}: ${text.slice(0, 300)}`))
  return { found, prepared: prepared.length }
})

/** The columns of a table, by its name in a statement, that joins say are equal to something. */
const equalInJoins = (joins: ReadonlyArray<PlanNode>, alias: string | undefined): ReadonlyArray<string> =>
  joins
    .flatMap((join) => [join["Hash Cond"], join["Merge Cond"], join["Join Filter"]])
    .flatMap((condition) => [...(condition ?? "").matchAll(/(\w+)\.(\w+) = (?:ANY \(ARRAY\[)?(\w+)\.(\w+)\b/g)])
    .flatMap(([, a, left, b, right]) => [...(a === alias ? [left!] : []), ...(b === alias ? [right!] : [])])

/** How much of an index one can begin with, of all that there are: of a key that is said whole, all. */
const mostSaid = (indexes: ReadonlyArray<Index>, said: ReadonlyArray<string>): number =>
  Math.max(
    0,
    ...indexes.map(({ columns, isKey }) => {
      const missing = columns.findIndex((column) => column === null || !said.includes(column))
      return missing !== -1 ? missing : isKey ? Infinity : columns.length
    })
  )

/**
 * The indexes that the node of a plan, and those below it, read to join what they find: from one end to the other, or for
 * less than the join says. `joins`: those above it.
 */
const readToJoin = (
  node: PlanNode,
  indexes: ReadonlyArray<Index>,
  joins: ReadonlyArray<PlanNode> = [],
  table = node.Alias
): ReadonlyArray<string> => {
  const type = node["Node Type"]
  const index = indexes.find(({ name }) => name === node["Index Name"])
  const condition = node["Index Cond"]
  const isRead = /^(Seq Scan|Index Scan|Index Only Scan|Bitmap Index Scan)$/.test(type)
  // A condition for other columns than the first one only chooses among all that the index has.
  const isWhole =
    condition === undefined || (index?.columns[0] != null && !new RegExp(`\\b${index.columns[0]}\\b`).test(condition))
  // One of many is looked up as well.
  const said = equalIn(`${condition} ${node.Filter}`.replaceAll(/ = ANY \([^)]*/g, " = "))
  const others = indexes.filter((other) => other.table === index?.table)
  const isLess = mostSaid(others, [...said, ...equalInJoins(joins, table)]) > mostSaid(others, said)
  // A limit ends the reading early.
  const below = type === "Limit" ? [] : /^(Merge Join|Hash Join|Nested Loop)$/.test(type) ? [...joins, node] : joins
  return [
    ...(isRead && joins.length > 0 && (isWhole || isLess) ? [node["Index Name"] ?? node["Relation Name"]!] : []),
    // A bitmap leads to the rows of the node above it.
    ...(node.Plans ?? []).flatMap((one) => readToJoin(one, indexes, below, one.Alias ?? node.Alias))
  ]
}

const fits = (rows: number | null) =>
  Effect.gen(function* () {
    const { url } = yield* TestDatabase
    const place = yield* newPlace
    const asSomebodyElse = (work: Parameters<typeof withClient<unknown>>[1]) =>
      Effect.promise(() => withClient(url, work))
    yield* asSomebodyElse(keepUnwatched)
    if (rows !== null) {
      yield* run(place, 1)
      yield* asSomebodyElse((client) => grow(client, place, rows))
      yield* asSomebodyElse((client) => client.query("VACUUM ANALYZE"))
    }
    yield* run(place, ROUNDS)
    const { found, prepared } = yield* takingPart
    expect(found).toEqual([])
    expect(prepared).toBeGreaterThan(200)
    const small = yield* measure(place)
    yield* asSomebodyElse((client) => grow(client, place, ROWS))
    const grown = yield* measure(place)
    yield* Effect.promise(() => report(`With ${rows ?? "no"} rows known, then with ${ROWS} more`, small, grown))
    yield* asSomebodyElse((client) => client.query("ANALYZE"))
    yield* run(place, 1)
    const known = yield* measure(place)
    yield* Effect.promise(() => report("The same before and after they were analyzed", grown, known))
    expect({ grown: grown.filter(isTooMuch), known: known.filter(isTooMuch) }).toEqual({ grown: [], known: [] })
  }).pipe(Effect.provide(Layer.fresh(allStores.pipe(Layer.provideMerge(database), Layer.provide(unhurried)))))

for (const [state, rows] of Object.entries(STATES).slice(0, isLong ? undefined : 2)) {
  describe(`plans over tables ${state}`, () => {
    it.live("fit when the tables have grown, and none is made for a single execution", () => fits(rows), {
      timeout: 3_600_000
    })
  })
}

/**
 * The tables that the node of a plan, and those below it, read from one end to the other, by an index of all their rows or
 * without one. Not what a limit ends: unless rows are left out on the way, of which there may be any number.
 */
const readWhole = (node: PlanNode, indexes: ReadonlyArray<Index>, isLimited = false): ReadonlyArray<string> => {
  const index = indexes.find(({ name }) => name === node["Index Name"])
  const isOfAll = node["Node Type"] === "Seq Scan" || (index !== undefined && !index.isPartial)
  const isWhole = isOfAll && node["Index Cond"] === undefined && !(isLimited && node.Filter === undefined)
  const below = node["Node Type"] === "Limit" || (isLimited && node["Node Type"] === "LockRows")
  return [
    ...(isWhole ? [index?.name ?? node["Relation Name"]!] : []),
    ...(node.Plans ?? []).flatMap((one) => readWhole(one, indexes, below))
  ]
}

/** Rows in each table while its plans are looked at, beside what operations need. */
const SIZES = [0, 1, 2, 5, 10, 30, 100, 300, 1000]

/** Statements that read something whole, and may. */
const MAY_READ_WHOLE = [
  // All organizations, applications and accounts, for operators; what `app create` makes belongs to the first.
  "FROM organizations o WHERE o.deleted_at IS NULL ORDER BY o.id",
  "FROM applications WHERE true AND (SELECT o.deleted_at IS NULL FROM organizations o",
  "SELECT count(*)::int AS count FROM applications",
  "FROM organizations WHERE of_operators AND deleted_at IS NULL",
  // All credentials, for metrics; segments that workflows wait for, for a look now and then; processes, of which few are.
  "SELECT app_id, kind, sealed, suspended_reason FROM credentials",
  "FROM watched_segments WHERE after_id IS NOT NULL OR looked_at <",
  "WITH triggers AS MATERIALIZED ( SELECT app_id, trigger_value::uuid AS segment_id",
  "FROM holders WHERE pg_try_advisory_xact_lock_shared",
  "INSERT INTO idempotency_keys AS k (app_id, route, key, fingerprint, holder, process, lease_until)",
  // Of BacklogStore: counts all that waits, by indexes of what is open. What that belongs to is looked up.
  "SELECT kind, count(*)::integer AS count, greatest(0, coalesce(extract(epoch FROM now() - min(due)) * 1000, 0))",
  // Of doctor: all webhooks, and all deliveries that were tried, by the index of those alone.
  "FROM webhooks h LEFT JOIN tried t ON t.webhook_id = h.id",
  // Made by Operations.ts, so that there is something to wake.
  "UPDATE notifications SET status = 'completed', completed_at = now() WHERE id IN (SELECT notification_id FROM execution_outcomes"
]

describe("plans over small tables that were analyzed", () => {
  it.live(
    "look up what they join, and read nothing whole that grows",
    () =>
      Effect.gen(function* () {
        const { url } = yield* TestDatabase
        const place = yield* newPlace
        const asSomebodyElse = (work: Parameters<typeof withClient<unknown>>[1]) =>
          Effect.promise(() => withClient(url, work))
        yield* asSomebodyElse(keepUnwatched)
        yield* run(place, 1)
        const indexes = yield* indexesThere
        const found = new Map<string, ReadonlyArray<number>>()
        let there = 0
        for (const size of SIZES) {
          if (size > there) yield* asSomebodyElse((client) => grow(client, place, size - there))
          there = size
          yield* asSomebodyElse((client) => client.query("ANALYZE"))
          for (const { plan, text } of yield* plansKept) {
            if (MAY_READ_WHOLE.some((part) => text.includes(part))) continue
            for (const what of [...readToJoin(plan, indexes), ...readWhole(plan, indexes)]) {
              const key = `${what}: ${text.slice(0, 300)}`
              found.set(key, [...(found.get(key) ?? []), size])
            }
          }
        }
        expect(Object.fromEntries(found)).toEqual({})
      }).pipe(Effect.provide(Layer.fresh(allStores.pipe(Layer.provideMerge(database), Layer.provide(unhurried))))),
    { timeout: 600_000 }
  )
})

layer(allStores.pipe(Layer.provideMerge(database)), { timeout: 240_000 })("operations", (it) => {
  it.effect("are all known to this test", () =>
    Effect.gen(function* () {
      const methods = new Set<string>()
      for (const [name, port] of Object.entries(PORTS)) {
        for (const method of Object.keys((yield* port) as object)) methods.add(`${name}.${method}`)
      }
      const place = yield* newPlace
      const operations = Object.keys({ ...operationsOf(place), ...sweepsOf(place) })
      const known = operations.flatMap((name) => methodsOf(name, methods))
      expect([...new Set(known)].sort()).toEqual([...methods].sort())
      expect(operations).toEqual(expect.arrayContaining([...WHOLE, ...BY_VALUES, ...Object.keys(MORE)]))
    })
  )
})
