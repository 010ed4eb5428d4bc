import { PgClient } from "@effect/sql-pg"
import { Cause, Context, Effect, Exit, Layer, Option, Redacted, Schedule, Schema, Scope, Semaphore } from "effect"
import { Reactivity } from "effect/reactivity"
import type { SqlClient } from "effect/sql"
import type { SqlError } from "effect/sql/SqlError"
import { isSqlError } from "effect/sql/SqlError"
import { hostname } from "node:os"
import { accessOf } from "../../config/DatabaseUrl.ts"
import { Settings } from "../../config/Settings.ts"
import * as PooledClient from "./PooledClient.ts"
import type { EmbeddedServerError } from "./EmbeddedBinaries.ts"
import { CanWait } from "../../../services/ports/operations/CanWait.ts"
import { embeddedServer } from "./EmbeddedServer.ts"
import { fault, isForGood, refusesLimits, unwritable } from "./databaseFault.ts"
import type { MigrationError } from "./Migrations.ts"
import { migrate } from "./Migrations.ts"
import * as Partitions from "../operations/Partitions.ts"
import * as ServerTime from "../operations/ServerTime.ts"

/** What the connections of this process are called in the database's own views. */
export class ConnectionName extends Context.Reference<string>("heliograph/layers/ConnectionName", {
  defaultValue: () => "heliograph"
}) {}

/** Before the names of nodes: of their main processes, so that each node counts once. */
export const NODE = "heliograph node "
/** The database keeps no more of a name. */
const MAX_NAME = 63

/** Of a host with a long name its beginning and its end: the nodes of one deployment differ in one of them. */
export const nodeName = (pid: number, host: string): string => {
  const start = `${NODE}${pid}@`
  const room = MAX_NAME - start.length
  if (host.length <= room) return start + host
  const half = room >> 1
  return `${start}${host.slice(0, room - half)}${host.slice(-half)}`
}

/** The connections of a node tell it from other nodes. A pool keeps one open as long as it lives. */
export const asNode: Layer.Layer<never> = Layer.succeed(ConnectionName, nodeName(process.pid, hostname()))

/** A statement that hangs, or a node that went to sleep inside a transaction, must not hold a row for ever. */
const LIMITS = { statement_timeout: "60s", ...PooledClient.LOCK_LIMIT, idle_in_transaction_session_timeout: "30s" }

/**
 * One plan for each prepared statement, which goes by indexes. A plan that PostgreSQL makes while a table has one page reads
 * that page, and goes on reading the whole table when it has a million; and for a statement whose arrays have a length each
 * time it makes a new plan each time. Without compilation, which takes a plan without an index for a long one. See
 * docs/decisions/0073-plans-for-any-size.md; what needs plans for its values says so (byValues.ts).
 */
const PLANS = { enable_seqscan: "off", plan_cache_mode: "force_generic_plan", jit: "off" }

/**
 * A pool of connections to one database. It connects when it is first used, and again after every loss. Its sessions
 * begin with limits of time and rules for plans, unless what stands before the database takes none.
 */
export const pool = (databaseUrl: string, connections: number, name = "heliograph", hasLimits = true) => {
  const { connectTimeoutMs, ssl, url } = accessOf(databaseUrl)
  const made = PooledClient.make({
    url: Redacted.make(url),
    ssl,
    applicationName: name,
    maxConnections: connections,
    minConnections: 1,
    connectTimeout: connectTimeoutMs ?? "5 seconds",
    // Single statements of many fibers share a connection and its round trips (1.5 times the small statements a
    // second); a transaction has one to itself. Few at a time, because each waits for those before it: a slow one holds up
    // no more than these.
    multiplex: true,
    multiplexConcurrency: 4,
    isImpatient: hasLimits,
    startupParameters: { ...(hasLimits ? { ...LIMITS, ...PLANS } : {}), timezone: "UTC" }
  })
  return Effect.map(made, (sql) => sparing(failingAsStatementsDo(sql), connections))
}

/**
 * A transaction whose connection is lost can not be rolled back either. Effect takes that for a defect, and what the work
 * itself has failed with for another one beside it: nobody who waits for a database to come back would see it, and work in
 * the background would end for good. Here it fails with the error of the database, as a statement does.
 */
const failingAsStatementsDo = (sql: PgClient.PgClient): PgClient.PgClient => {
  const { withTransaction } = sql
  const failing: typeof withTransaction = (work) =>
    Effect.catchCause(withTransaction(work), (cause) => {
      const lost = cause.reasons.filter(Cause.isDieReason).find(({ defect }) => isSqlError(defect))
      return lost === undefined ? Effect.failCause(cause) : Effect.fail(lost.defect as SqlError)
    })
  return Object.assign(sql, { withTransaction: failing })
}

/**
 * Transactions of what can wait have half of the connections. Within one of them nothing waits for a further place: all
 * others may be held by those who wait for the same.
 */
const sparing = (sql: PgClient.PgClient, connections: number): PgClient.PgClient => {
  const { transactionService, withTransaction } = sql
  const places = Semaphore.makeUnsafe(Math.max(1, connections >> 1))
  const waiting: typeof withTransaction = (work) =>
    Effect.contextWith((context: Context.Context<never>) => {
      const isWaiting = Context.get(context, CanWait) && !Option.isSome(Context.getOption(context, transactionService))
      return isWaiting ? places.withPermits(1)(withTransaction(work)) : withTransaction(work)
    })
  return Object.assign(sql, { withTransaction: waiting })
}

/**
 * How long to wait for a database that does not answer. A node waits for ever: it may be started before its database.
 * A command that somebody has typed gives up, at once where waiting cannot help.
 */
export class DatabaseTimeout extends Context.Reference<number>("heliograph/layers/DatabaseTimeout", {
  defaultValue: () => Infinity
}) {}

const COMMAND_TIMEOUT_MS = 10_000

export const asCommand: Layer.Layer<never> = Layer.succeed(DatabaseTimeout, COMMAND_TIMEOUT_MS)

/** The database did not answer in time, or will not have us. The message says where it is and why, without a secret. */
export class DatabaseAway extends Schema.TaggedError<DatabaseAway>()("DatabaseAway", { reason: Schema.String }) {
  override get message() {
    return this.reason.includes("DATABASE_URL") ? this.reason : `${this.reason}. DATABASE_URL says where it is`
  }
}

/**
 * Succeeds when the database has said what time it is, by which the process goes from then on; until then it says every
 * so often what it waits for.
 */
const answering = Effect.fnUntraced(function* (sql: PgClient.PgClient, url: string) {
  const timeoutMs = yield* DatabaseTimeout
  const giveUpAt = performance.now() + timeoutMs
  return yield* ServerTime.keep(sql).pipe(
    Effect.tapError((error) =>
      refusesLimits(error) ? Effect.void : Effect.logWarning(`Waiting for the database. ${fault(url, error)}`)
    ),
    Effect.retry({
      while: (error) =>
        !refusesLimits(error) && (timeoutMs === Infinity || (!isForGood(error) && performance.now() < giveUpAt)),
      schedule: Schedule.min([Schedule.exponential("100 millis"), Schedule.spaced("5 seconds")])
    }),
    Effect.mapError((error) => (refusesLimits(error) ? error : new DatabaseAway({ reason: fault(url, error) })))
  )
})

const WITHOUT_LIMITS =
  "A connection pooler in front of the database refuses limits of time and rules for plans at the start of a session, so statements have none of their own. Give them to the user of DATABASE_URL: docs/operators.md says how."

/** Whether its user, or the database, gives sessions what a pooler refuses at their start. */
const hasLimits = (sql: PgClient.PgClient) =>
  sql<{ readonly has: boolean }>`
    SELECT current_setting('statement_timeout') <> '0' AND current_setting('lock_timeout') <> '0'
      AND current_setting('idle_in_transaction_session_timeout') <> '0' AND current_setting('enable_seqscan') = 'off'
      AND current_setting('plan_cache_mode') = 'force_generic_plan' AND current_setting('jit') = 'off' AS has`.pipe(
    Effect.map(([row]) => row!.has),
    Effect.orElseSucceed(() => false)
  )

/**
 * A pool that has been answered. Sessions begin without limits behind a pooler that refuses them, such as PgBouncer.
 */
const answeredPool = Effect.fnUntraced(function* (url: string, connections: number, name: string) {
  const connect = Effect.fnUntraced(function* (hasLimits: boolean) {
    const sql = yield* pool(url, connections, name, hasLimits).pipe(Effect.orDie)
    yield* answering(sql, url)
    return sql
  })
  const scope = yield* Scope.Scope
  const own = yield* Scope.fork(scope)
  return yield* connect(true).pipe(
    Effect.provideService(Scope.Scope, own),
    Effect.catchTag("SqlError", (refusal) =>
      Effect.andThen(Scope.close(own, Exit.fail(refusal)), connect(false)).pipe(
        Effect.tap((sql) =>
          Effect.flatMap(hasLimits(sql), (has) => (has ? Effect.void : Effect.logWarning(WITHOUT_LIMITS)))
        ),
        Effect.catchTag("SqlError", (error) => Effect.fail(new DatabaseAway({ reason: fault(url, error) })))
      )
    )
  )
})

/** What leads to the database of the settings, external or embedded. */
const urlOf = Effect.fnUntraced(function* ({ databaseUrl, dataDir }: Settings["Service"]) {
  return databaseUrl ?? (yield* embeddedServer(dataDir)).url
})

/** The database of the settings as soon as it answers; its schema is as it was found. */
export const layer: Layer.Layer<PgClient.PgClient | SqlClient.SqlClient, EmbeddedServerError | DatabaseAway, Settings> =
  PgClient.layerFrom(
    Effect.gen(function* () {
      const settings = yield* Settings
      return yield* answeredPool(yield* urlOf(settings), settings.databaseConnections, yield* ConnectionName)
    })
  )

const SHARED =
  "DATABASE_URL leads to a connection pooler that shares sessions among clients (PgBouncer: pool_mode = transaction). Advisory locks, LISTEN and prepared statements need a session of their own: set it to session mode, or give the address of PostgreSQL itself"

/** How often two connections are asked in turns for their session. */
const ASKED = 3

/**
 * Whether two connections that are both open have one session, or one of them another one than before: behind a pooler that
 * gives out sessions for single transactions. False where that cannot be found out.
 */
const sharesSessions = (url: string): Effect.Effect<boolean, never, Reactivity.Reactivity> =>
  Effect.gen(function* () {
    const connections = [yield* pool(url, 1, undefined, false), yield* pool(url, 1, undefined, false)]
    const seen: ReadonlyArray<Set<number>> = [new Set(), new Set()]
    for (let i = 0; i < ASKED; i++) {
      for (const [which, sql] of connections.entries()) {
        const [row] = yield* sql<{ readonly pid: number }>`SELECT pg_backend_pid() AS pid`.unprepared
        seen[which]!.add(row!.pid)
      }
    }
    return seen[0]!.size > 1 || seen[1]!.size > 1 || !seen[0]!.isDisjointFrom(seen[1]!)
  }).pipe(
    Effect.scoped,
    Effect.timeout("10 seconds"),
    Effect.catchCause(() => Effect.succeed(false))
  )

/** Fails where sessions are shared: a node would accept for some seconds, and stand still then. */
const requireOwnSessions = Effect.fnUntraced(function* (databaseUrl: string | null) {
  if (databaseUrl !== null && (yield* sharesSessions(databaseUrl))) return yield* new DatabaseAway({ reason: SHARED })
})

export const sessionsOfOwn: Layer.Layer<never, DatabaseAway, Settings> = Layer.effectDiscard(
  Effect.flatMap(Settings, ({ databaseUrl }) => requireOwnSessions(databaseUrl))
).pipe(Layer.provide(Reactivity.layer))

/**
 * Does again what the database could not do at that moment, because it is restarting, or takes no writes. A command that
 * somebody has typed gives up, at once where somebody has to see to it.
 */
const persistent = Effect.fnUntraced(function* <A, E extends { readonly _tag: string }, R>(
  url: string,
  work: Effect.Effect<A, E | SqlError, R>
) {
  const timeoutMs = yield* DatabaseTimeout
  const giveUpAt = performance.now() + timeoutMs
  const isPassing = (error: E | SqlError) => isSqlError(error) && (error.isRetryable || unwritable(error) !== null)
  const isAgain = (error: E | SqlError) =>
    isPassing(error) && (timeoutMs === Infinity || (unwritable(error) === null && performance.now() < giveUpAt))
  return yield* work.pipe(
    Effect.tapError((error) =>
      isSqlError(error) && isAgain(error)
        ? Effect.logWarning(`Waiting for the database. ${fault(url, error)}`)
        : Effect.void
    ),
    Effect.retry({
      while: isAgain,
      schedule: Schedule.min([Schedule.exponential("100 millis"), Schedule.spaced("5 seconds")])
    }),
    Effect.mapError((error) =>
      isSqlError(error) && isPassing(error) ? new DatabaseAway({ reason: fault(url, error) }) : error
    )
  )
})

/** The pool of `layer` once `begin` has been done on it, and what that has answered. */
const begun = Effect.fnUntraced(function* <A>(
  begin: Effect.Effect<A, MigrationError, PgClient.PgClient | Scope.Scope>
) {
  const settings = yield* Settings
  const url = yield* urlOf(settings)
  const name = yield* ConnectionName
  const scope = yield* Scope.Scope
  // Each attempt has a pool of its own: what the database or the role is set to reaches sessions that begin afterwards.
  const attempt = Effect.gen(function* () {
    const own = yield* Scope.fork(scope)
    return yield* Effect.gen(function* () {
      const sql = yield* answeredPool(url, settings.databaseConnections, name)
      yield* requireOwnSessions(settings.databaseUrl)
      return { sql, found: yield* Effect.provideService(begin, PgClient.PgClient, sql) }
    }).pipe(
      Effect.provideService(Scope.Scope, own),
      Effect.onExit((exit) => (Exit.isFailure(exit) ? Scope.close(own, exit) : Effect.void))
    )
  })
  return yield* persistent(url, attempt)
})

type Refused = EmbeddedServerError | DatabaseAway | MigrationError

/** Brings the database to this release, and answers the names of what was applied. */
export const migrated: Effect.Effect<ReadonlyArray<string>, Refused, Settings> = Effect.scoped(
  Effect.map(begun(migrate), ({ found }) => found)
).pipe(Effect.provide(Reactivity.layer))

/** The database of `layer`, migrated to this release, and with partitions that are kept ready while the layer lives. */
export const migratedLayer: Layer.Layer<PgClient.PgClient | SqlClient.SqlClient, Refused, Settings> =
  PgClient.layerFrom(Effect.map(begun(Effect.andThen(migrate, Partitions.keep)), ({ sql }) => sql))
