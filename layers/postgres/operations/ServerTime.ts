import type { PgClient } from "@effect/sql-pg"
import { Effect, Schedule } from "effect"
import type { Scope } from "effect"
import type { SqlError } from "effect/sql/SqlError"
import { goBy } from "../../../services/ports/Now.ts"

/*
 * The database's clock, told by every process: what a node's own calendar says is used for nothing that leaves it or is
 * compared with what others wrote. Between two questions the time goes on by `performance.now()`, which nobody can set.
 */

const EVERY = "30 seconds"
/** At the start the best of so many answers counts. */
const FIRST = 3
/** How far two machines' oscillators may drift apart, many times over: milliseconds for each millisecond. */
const DRIFT = 0.001

interface Known {
  /** Epoch milliseconds of the database when `performance.now()` was 0. */
  readonly origin: number
  /** How wrong that may be, in milliseconds. */
  readonly error: number
  /** When it was learned, of `performance.now()`. */
  readonly at: number
}

/** What the answers say that came so far. All moments but the database's are of `performance.now()`. */
export class ServerTime {
  #known: Known | null = null

  /** The database said `told` (epoch ms) at a moment between the question and its answer. */
  learn(told: number, askedAt: number, answeredAt: number): void {
    const error = (answeredAt - askedAt) / 2
    const heard: Known = { origin: told - (askedAt + answeredAt) / 2, error, at: answeredAt }
    const before = this.#known
    if (before !== null) {
      // An answer that was long under way says little: it counts for less than an older and closer one, unless the two
      // cannot both be true, because one of the clocks was set or stood still.
      const most = before.error + (heard.at - before.at) * DRIFT
      if (error > most && Math.abs(heard.origin - before.origin) <= error + most) return
    }
    this.#known = heard
  }

  /** Epoch milliseconds by the database's clock; null before the first answer. */
  at(moment: number): number | null {
    return this.#known === null ? null : this.#known.origin + moment
  }
}

const ask = Effect.fnUntraced(function* (sql: PgClient.PgClient, time: ServerTime) {
  const askedAt = performance.now()
  const [row] = yield* sql<{ readonly told: number }>`
    SELECT extract(epoch FROM clock_timestamp())::float8 * 1000 AS told`
  time.learn(row!.told, askedAt, performance.now())
})

/** What the process goes by: it has one clock, as it has one `Date`. */
let kept: ServerTime | null = null

/**
 * What a statement that was executed anyway has said of the time: see `ServerTime.learn`. A clock that is set in between,
 * by a failover to another machine, is so known before what was accepted by it is compared with the time.
 */
export const heard = (told: number, askedAt: number, answeredAt: number): void => kept?.learn(told, askedAt, answeredAt)

/** The process goes by the database's clock, which is asked now and every half minute, until the scope closes. */
export const keep = (sql: PgClient.PgClient): Effect.Effect<void, SqlError, Scope.Scope> =>
  Effect.gen(function* () {
    const time = new ServerTime()
    for (let i = 0; i < FIRST; i++) yield* ask(sql, time)
    const goBack = goBy(() => time.at(performance.now())!)
    kept = time
    yield* Effect.addFinalizer(() =>
      Effect.sync(() => {
        goBack()
        // Another one may have come since.
        if (kept === time) kept = null
      })
    )
    yield* ask(sql, time).pipe(
      // Without an answer the time goes on as it did; that the database is away is told by others.
      Effect.ignore,
      Effect.schedule(Schedule.spaced(EVERY)),
      Effect.forkScoped
    )
  })
