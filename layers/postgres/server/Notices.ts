import { PgClient } from "@effect/sql-pg"
import type { Scope } from "effect"
import { Context, Effect, Layer, Queue, Schedule } from "effect"
import type { SqlError } from "effect/sql/SqlError"

/*
 * Notices of the database to every process: PostgreSQL's NOTIFY. A notice has a topic and a text, in the one channel that a
 * process listens to, over one connection. It says that something has changed and may be lost: nothing depends on it but
 * promptness.
 */

export type Topic = "inbox" | "sessions"

const CHANNEL = "heliograph"

/** As the database makes them: migrations/0028_schema/inbox.ts, migrations/0029_people.ts. */
const payloadOf = (topic: Topic, text: string): string => `${topic}:${text}`

/** Tells all processes what no trigger tells. */
export const notify = (sql: PgClient.PgClient, topic: Topic, text: string): Effect.Effect<void, SqlError> =>
  sql.notify(CHANNEL, payloadOf(topic, text))

/** Null: notices may have been missed. */
export type Hear = (text: string | null) => void

export class Notices extends Context.Service<
  Notices,
  {
    /** Hears notices of a topic until the scope closes. What is told begins with null, and goes on with it after outages. */
    readonly listen: (topic: Topic, hear: Hear) => Effect.Effect<void, never, Scope.Scope>
  }
>()("heliograph/layers/postgres/Notices") {}

/** Over LISTEN, which needs a connection of its own: a pooler before the database must not share it. */
export const layer: Layer.Layer<Notices, never, PgClient.PgClient> = Layer.effect(
  Notices,
  Effect.gen(function* () {
    const sql = yield* PgClient.PgClient
    const scope = yield* Effect.scope
    const hearers = new Set<{ readonly topic: Topic; readonly hear: Hear }>()
    /** Null until somebody wants to hear: who has nothing to tell anybody holds no connection. */
    let isListening: boolean | null = null

    const tell = (payload: string) => {
      const at = payload.indexOf(":")
      for (const { hear, topic } of hearers) if (topic === payload.slice(0, at)) hear(payload.slice(at + 1))
    }
    const run = Effect.scoped(
      Effect.gen(function* () {
        const notices = yield* sql.listen(CHANNEL)
        isListening = true
        for (const { hear } of hearers) hear(null)
        while (true) tell((yield* Queue.take(notices)).payload)
      })
    ).pipe(
      Effect.tapError((error) =>
        Effect.andThen(
          Effect.sync(() => (isListening = false)),
          Effect.logWarning("Notices of the database are not heard at the moment; trying again", error)
        )
      ),
      Effect.retry(Schedule.spaced("1 second"))
    )

    const listen: Notices["Service"]["listen"] = Effect.fnUntraced(function* (topic, hear) {
      const hearer = { topic, hear }
      hearers.add(hearer)
      yield* Effect.addFinalizer(() => Effect.sync(() => hearers.delete(hearer)))
      if (isListening === true) return hear(null)
      if (isListening !== null) return
      isListening = false
      yield* Effect.forkIn(run, scope)
    })
    return Notices.of({ listen })
  })
)
