import { PgClient } from "@effect/sql-pg"
import { Context, Effect, Exit, Layer, Scope } from "effect"
// Not from the index of its folder, which loads 30 files of 500 kB for other uses.
import * as Reactivity from "effect/reactivity/Reactivity"
import type { SqlClient } from "effect/sql"
import type { SqlError } from "effect/sql/SqlError"
import { hostname } from "node:os"
import type { AppId, ExecutionId } from "../../../services/domain/Ids.ts"
import type { HolderId } from "../../../services/ports/operations/HolderStore.ts"
import type { InHand } from "../../../services/ports/operations/LeaseHolder.ts"
import { LeaseHolder } from "../../../services/ports/operations/LeaseHolder.ts"
import { prolongedBatches } from "../sending/directBatches.ts"
import { integers, milliseconds, uuids } from "../server/columns.ts"
import { nodeName } from "../server/Database.ts"
import { sqlStateOf, storeError } from "../server/storeError.ts"
import { HOLDERS } from "../server/advisoryLocks.ts"
import { heard } from "./ServerTime.ts"
import type { Answered, Asked } from "./Turns.ts"
import { NONE, NOTHING, Turns } from "./Turns.ts"
import { Writable } from "./Writable.ts"

/*
 * This process as a holder of leases: a session of its own, with an advisory lock whose key is the process's number.
 * States   absent   no session: nothing may begin
 *          present  the lock was taken, and the session has answered a moment ago
 *          pooled   something between the process and the server shares sessions among clients: the lock says nothing, and
 *                   the process goes by its leases alone
 */

/**
 * A session that has not answered for so long may have ended: its end is known to the server by keepalive some ten
 * seconds after its last answer, or when the server itself has begun anew.
 */
const PRESENT_MS = 3_000
/** How long what the process has in hand is left to it after it said that its writes are overdue. */
const WRITING_MS = 10_000
/** A beat that is not answered for so long is given up, and its session with it. */
const TIMEOUT = "10 seconds"

/** What the stores know of the process whose claims they write. */
export interface HolderShape {
  /** Null: its leases are all that is known of it. */
  readonly id: () => HolderId | null
  /**
   * Until when, by the database's clock, leases that are over may be taken over, as PostgreSQL reads it. A database that
   * took no writes let nobody prolong a lease: who held one gets time to say so, as after a start (writableSince.ts).
   */
  readonly takesOverUntil: (leaseMs: number) => string
  /** Notes runs that a transaction is about to move: should the process end over it, they are suspected. As well as it can. */
  readonly noteRuns: (claim: RunClaim) => Effect.Effect<void>
}

/** Timers of an application in the order in which they are due: from that of one run to that of another. */
export interface RunClaim {
  /** Which of the process's transactions it is. */
  readonly place: number
  readonly appId: AppId
  readonly from: ExecutionId
  readonly to: ExecutionId
  /** Nothing else begins meanwhile. */
  readonly isAlone: boolean
}

export const noteRuns = (
  sql: SqlClient.SqlClient,
  holder: HolderId,
  { appId, from, isAlone, place, to }: RunClaim
) => sql`
  INSERT INTO run_claims (holder, place, app_id, from_at, from_id, to_at, to_id, is_alone)
  SELECT ${holder}, ${place}, ${appId}, f.due_at, f.execution_id, t.due_at, t.execution_id, ${isAlone}
  FROM execution_timers f, execution_timers t
  WHERE f.app_id = ${appId} AND f.execution_id = ${from} AND t.app_id = ${appId} AND t.execution_id = ${to}
  ON CONFLICT (holder, place) DO UPDATE SET app_id = excluded.app_id, from_at = excluded.from_at, from_id = excluded.from_id,
    to_at = excluded.to_at, to_id = excluded.to_id, is_alone = excluded.is_alone`

/** Whoever runs without a session, as single commands do, holds nothing that others would have to find. */
export class Holder extends Context.Reference<HolderShape>("heliograph/layers/Holder", {
  defaultValue: () => ({ id: () => null, takesOverUntil: () => "infinity", noteRuns: () => Effect.void })
}) {}

interface Session {
  readonly sql: PgClient.PgClient
  readonly scope: Scope.Closeable
  readonly pid: number
}

/**
 * Whether the server itself refused, so that the session goes on. Errors of sockets have codes as well, such as EPIPE;
 * those of the classes 08 and 57P are about the end of connections.
 */
const isRefusal = (error: SqlError): boolean => /^(?!08|57P)(?=.*\d)[0-9A-Z]{5}$/.test(sqlStateOf(error))

/**
 * Prolongs leases of the holder `id`, and with none to prolong finds out whether that could be done. Answers the time, by
 * the database's clock (epoch ms), and which session that was, and whose turns these are (Turns.ts): a row for each
 * that is new or over, or one row without any. Each lease is looked up by itself.
 */
export const prolong = (
  sql: SqlClient.SqlClient,
  id: HolderId | null,
  { batches, webhookLeaseMs, webhookWork, leaseMs }: InHand,
  { held, keys, spansMs }: Asked
) =>
  sql<{ readonly at: number; readonly pid: number } & (Answered | { readonly key: null })>`
    WITH ${prolongedBatches(sql, batches, leaseMs)}, held_work AS MATERIALIZED (
      SELECT w.id FROM unnest(${uuids(webhookWork.map(({ id }) => id))}, ${integers(webhookWork.map(({ fence }) => fence))}) AS t (id, fence)
      CROSS JOIN LATERAL (
        SELECT id FROM webhook_work_items WHERE id = t.id AND fence = t.fence AND NOT done FOR NO KEY UPDATE SKIP LOCKED
      ) AS w
    ), prolonged_work AS (
      UPDATE webhook_work_items SET lease_until = now() + ${milliseconds(webhookLeaseMs)} * interval '1 ms'
      WHERE id = ANY(ARRAY(SELECT id FROM held_work))
    ), said AS (
      UPDATE holders SET writing_until = clock_timestamp() + ${WRITING_MS} * interval '1 ms'
      WHERE id = ${id} AND ${batches.length + webhookWork.length > 0}
    ), turns AS MATERIALIZED (
      SELECT key, held, span, CASE
          WHEN held = ${NONE} THEN pg_try_advisory_lock(key, span)
          ELSE pg_advisory_unlock(key, held) AND pg_try_advisory_lock(key, span)
        END AS has
      FROM (
        SELECT key, held, (floor(extract(epoch FROM clock_timestamp()) * 1000 / ms)::bigint % 1000000000)::integer AS span
        FROM unnest(${integers(keys)}, ${integers(spansMs)}, ${integers(held)}) AS t (key, ms, held)
      ) AS asked
      WHERE span <> held
    )
    SELECT extract(epoch FROM clock_timestamp())::float8 * 1000 AS at, pg_backend_pid() AS pid, key, span, has
    FROM (SELECT) AS answer LEFT JOIN turns ON has OR held <> ${NONE}`

const make = Effect.gen(function* () {
  const pool = yield* PgClient.PgClient
  const writable = new Writable()
  const turns = new Turns()
  let id: HolderId | null = null
  let session: Session | null = null
  let isPooled = false
  let since: number | null = null
  let confirmedAt = -Infinity

  const drop = Effect.suspend(() => {
    const ended = session
    session = null
    since = null
    turns.forget()
    return ended === null ? Effect.void : Scope.close(ended.scope, Exit.void)
  })

  const open = Effect.fnUntraced(function* (scope: Scope.Closeable) {
    const { config } = pool
    const sql = yield* PgClient.makeClient({ ...config, keepAlive: "5 seconds" }).pipe(
      Effect.provide(Reactivity.layer),
      Effect.provideService(Scope.Scope, scope)
    )
    // Waits for nobody: a beat that cannot write says so, and the next one tries again. Said to the session, because a
    // pooler refuses it at its start.
    yield* sql`
      SELECT set_config('statement_timeout', '5s', false), set_config('lock_timeout', '1500ms', false),
        set_config('idle_in_transaction_session_timeout', '30s', false)`
    // So that the server notices a host that is gone. Not every system has them, and sockets of this machine need none.
    yield* Effect.ignore(sql`
      SELECT set_config('tcp_keepalives_idle', '5', false), set_config('tcp_keepalives_interval', '2', false),
        set_config('tcp_keepalives_count', '3', false)`)
    if (id === null) {
      const [row] = yield* sql<{ readonly id: HolderId }>`
        SELECT nextval(pg_get_serial_sequence('holders', 'id'))::integer AS id`
      id = row!.id
    }
    const askedAt = performance.now()
    const [row] = yield* sql<{ readonly pid: number }>`
      SELECT pg_backend_pid() AS pid, pg_advisory_lock(${HOLDERS}, ${id})::text`
    // Said after the lock was taken: who finds the row finds the lock taken, or its holder gone.
    yield* sql`
      INSERT INTO holders (id, name) VALUES (${id}, ${nodeName(process.pid, hostname())})
      ON CONFLICT (id) DO UPDATE SET missed_at = NULL, ended = NULL, blamed = NULL`
    session = { sql, scope, pid: row!.pid }
    confirmedAt = askedAt
    since = performance.now()
  })

  const connect = Effect.gen(function* () {
    const scope = yield* Scope.make()
    yield* open(scope).pipe(Effect.onExit((exit) => (Exit.isSuccess(exit) ? Effect.void : Scope.close(scope, exit))))
  })

  /** The session `pid` answers what it was asked at that moment: whether it is the one that has the lock. */
  const confirm = Effect.fnUntraced(function* (mine: Session, pid: number, askedAt: number) {
    confirmedAt = askedAt
    if (pid === mine.pid || isPooled) return
    isPooled = true
    yield* mine.sql`DELETE FROM holders WHERE id = ${id}`
    yield* Effect.logWarning(
      "A connection pooler shares sessions among clients: that this process has died will be known by its leases alone. Set it to session mode."
    )
  })

  /** A session whose writes are refused lasts all the same. */
  const confirmRefused = Effect.fnUntraced(function* (mine: Session) {
    const askedAt = performance.now()
    const [row] = yield* mine.sql<{ readonly pid: number }>`SELECT pg_backend_pid() AS pid`
    yield* confirm(mine, row!.pid, askedAt)
  })

  const beat = Effect.fnUntraced(
    function* (inHand: InHand) {
      if (session === null) yield* connect
      const mine = session!
      const askedAt = performance.now()
      // A lock of a session that is shared belongs to nobody.
      const rows = yield* prolong(mine.sql, id, inHand, isPooled ? NOTHING : turns.ask()).pipe(
        Effect.tapError((error) => {
          writable.refused()
          return isRefusal(error) ? confirmRefused(mine) : Effect.void
        })
      )
      const { at, pid } = rows[0]!
      yield* confirm(mine, pid, askedAt)
      const answeredAt = performance.now()
      writable.took(at, answeredAt)
      heard(at, askedAt, answeredAt)
      if (isPooled) turns.alone()
      else turns.answered(rows.filter((row) => row.key !== null))
    },
    (effect) =>
      effect.pipe(
        Effect.tapError((error) => {
          writable.refused()
          return isRefusal(error) ? Effect.void : drop
        })
      ),
    Effect.timeoutOrElse({
      duration: TIMEOUT,
      orElse: () => {
        writable.refused()
        return Effect.andThen(drop, Effect.fail(new Error("The database does not answer")))
      }
    }),
    Effect.tapError(() => Effect.sync(() => turns.alone())),
    storeError("LeaseHolder.beat")
  )

  const blame = (batchId: string | null) =>
    Effect.suspend(() =>
      session === null
        ? Effect.void
        : Effect.asVoid(session.sql`UPDATE holders SET blamed = ${batchId}::uuid WHERE id = ${id}`)
    ).pipe(storeError("LeaseHolder.blame"))

  // What it holds still is anybody's, without waiting for a lease.
  yield* Effect.addFinalizer(() =>
    Effect.suspend(() =>
      session === null
        ? Effect.void
        : Effect.ignore(session.sql`UPDATE holders SET ended = 'stopped' WHERE id = ${id}`).pipe(Effect.andThen(drop))
    )
  )

  const isConfirmed = () => session !== null && performance.now() - confirmedAt < PRESENT_MS
  const holder: HolderShape = {
    id: () => (isPooled || !isConfirmed() ? null : id),
    takesOverUntil: (leaseMs) => writable.takesOverUntil(leaseMs),
    noteRuns: (claim) =>
      Effect.suspend(() =>
        session === null || id === null || isPooled ? Effect.void : Effect.ignore(noteRuns(session.sql, id, claim))
      )
  }
  return Context.make(Holder, holder).pipe(
    Context.add(LeaseHolder, {
      beat,
      blame,
      id: () => (isPooled ? null : id),
      turn: turns.wait,
      presentSince: () => (isPooled ? -Infinity : isConfirmed() ? since : null)
    })
  )
})

/** The process as a holder of leases, for the stores (`Holder`) and for the engine. */
export const layer: Layer.Layer<LeaseHolder, never, PgClient.PgClient> = Layer.effectContext(make)
