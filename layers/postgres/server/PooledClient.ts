import { PgClient, PgPool } from "@effect/sql-pg"
import type { PgConnection } from "@effect/sql-pg"
import { Context, Effect, Option, Semaphore } from "effect"
import type { Scope } from "effect"
import type { Reactivity } from "effect/reactivity"
import { SqlClient, Statement } from "effect/sql"
import type { Borrower, Connection } from "effect/sql/SqlConnection"
import { SqlError, UnknownError } from "effect/sql/SqlError"
import { CurrentActor } from "../../../services/ports/access/AuditLog.ts"
import { sqlStateOf } from "./storeError.ts"

/*
 * The client of a pool whose single statements share connections and their round trips, while a transaction has one to
 * itself. `PgClient.make` is this as well, but lets a statement that waits for a lock keep those behind it waiting, whoever
 * they are of. Here it is given up after a moment, and done again on a connection of its own, where it keeps nobody.
 */

/**
 * What becomes of a single statement, or of a transaction, that has to wait for a lock.
 * - `aside`: after a moment a statement waits on a connection of its own; a transaction waits where it is.
 * - `never`: after a moment it fails (`isHeldUp`), because others travel with it; or it says itself how long it waits.
 * - `expected`: as `aside`, for who was held up a moment ago: a transaction waits for a place among those that may be so.
 */
export class LockWait extends Context.Reference<"aside" | "never" | "expected">("heliograph/layers/LockWait", {
  defaultValue: () => "aside"
}) {}

/** How long a statement waits for a lock where it keeps others, and where it does not. */
const MOMENT = "200ms"
const LONG = "20s"

/** For a SELECT at the beginning of a transaction, which waits for locks for as long as that from then on. */
export const longWait = (sql: SqlClient.SqlClient): Statement.Fragment =>
  sql`set_config('lock_timeout', ${sql.literal(`'${LONG}'`)}, true)`

/** How sessions begin. */
export const LOCK_LIMIT = { lock_timeout: MOMENT }

/** Whether others held what a statement needs to lock: it was rolled back. */
export const isHeldUp = (error: unknown): boolean => sqlStateOf(error) === "55P03"

/** A session as statements see it. */
const connectionOf = (session: PgConnection.PgConnection): Connection => {
  const rows = (text: string, params: ReadonlyArray<unknown>, prepare: boolean) =>
    Effect.map(session.query(text, params, prepare), (result) => result.rows)
  return {
    execute: (text, params) => rows(text, params, true),
    executeUnprepared: (text, params) => rows(text, params, false),
    executeRaw: (text, params) => session.query(text, params),
    executeValues: (text, params) => session.queryValues(text, params),
    executeValuesUnprepared: (text, params) => session.queryValues(text, params, false),
    executeStream: (text, params) => session.stream(text, params)
  }
}

/** PostgreSQL says ROLLBACK to a COMMIT of what has failed, and no error. */
const commit = (connection: Connection): Effect.Effect<void, SqlError> =>
  Effect.flatMap(connection.executeRaw("COMMIT", []), (result) => {
    if ((result as PgConnection.Result).command !== "ROLLBACK") return Effect.void
    const message = "COMMIT rolled back a transaction that had failed"
    return Effect.fail(
      new SqlError({ reason: new UnknownError({ cause: new Error(message), message, operation: "commit" }) })
    )
  })

export interface Options extends PgClient.PgPoolConfig {
  readonly maxConnections: number
  /** Whether sessions begin with `LOCK_LIMIT`. Else statements wait where they are, as long as the server lets them. */
  readonly isImpatient: boolean
}

export const make = Effect.fnUntraced(function* ({
  isImpatient,
  ...config
}: Options): Effect.fn.Return<PgClient.PgClient, SqlError, Scope.Scope | Reactivity.Reactivity> {
  const pool = yield* PgPool.make(config)
  /** Of all that wait for locks at once, each on a connection, and of requests among them: the others stay for everybody else. */
  const aside = Semaphore.makeUnsafe(Math.max(1, config.maxConnections >> 1))
  const places = Semaphore.makeUnsafe(Math.max(1, config.maxConnections >> 2))
  const asRequest = <A, E, R>(work: Effect.Effect<A, E, R>) => places.withPermits(1)(aside.withPermits(1)(work))

  const alone: Borrower = (run) =>
    Effect.scoped(
      Effect.flatMap(pool.reserve, (session) =>
        Effect.andThen(
          Effect.acquireRelease(session.query(`SET lock_timeout = '${LONG}'`), () =>
            Effect.ignore(session.query("RESET lock_timeout"))
          ),
          run(connectionOf(session))
        )
      )
    )

  const borrower: Borrower = (run) =>
    Effect.catch(
      pool.use((session) => run(connectionOf(session))),
      (error) =>
        isImpatient && isHeldUp(error)
          ? Effect.contextWith((context: Context.Context<never>) => {
              const wait = Context.get(context, LockWait)
              if (wait === "never") return Effect.fail(error)
              // What a node does for itself, results above all, does not stand in a line with what clients make wait.
              const isAsked = wait === "expected" || Context.get(context, CurrentActor).kind !== "system"
              return isAsked ? asRequest(alone(run)) : aside.withPermits(1)(alone(run))
            })
          : Effect.fail(error)
    )

  const client = yield* SqlClient.make({
    acquirer: Effect.map(pool.get, connectionOf),
    borrower,
    transactionAcquirer: Effect.map(pool.reserve, connectionOf),
    compiler: PgClient.makeCompiler(),
    driver: "pg",
    spanAttributes: [["db.system.name", "postgresql"]],
    prepareTransactionControls: true,
    commit,
    releaseSavepoint: (name) => `RELEASE SAVEPOINT ${name}`
  })

  const { transactionService, withTransaction } = client
  // No query: the first one of a transaction may be yet to come, and its level of isolation before it.
  const waitLong = client`SET LOCAL lock_timeout = ${client.literal(`'${LONG}'`)}`
  const patient: typeof withTransaction = (work) =>
    Effect.contextWith((context: Context.Context<never>) => {
      const wait = Context.get(context, LockWait)
      if (wait === "never" || Option.isSome(Context.getOption(context, transactionService))) {
        return withTransaction(work)
      }
      const whole = withTransaction(Effect.andThen(waitLong, work))
      return wait === "expected" ? asRequest(whole) : whole
    })

  return Object.assign(client, {
    [PgClient.TypeId]: PgClient.TypeId,
    ...(isImpatient ? { withTransaction: patient } : {}),
    config,
    json: (value: unknown) => Statement.fragment([Statement.custom<PgClient.PgCustom>("PgJson")(value)]),
    listen: (channel: string) => Effect.flatMap(pool.reserve, (session) => session.listen(channel)),
    notify: (channel: string, payload: string) => Effect.asVoid(client`SELECT pg_notify(${channel}, ${payload})`)
  })
})
