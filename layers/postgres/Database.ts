import { PgClient } from "@effect/sql-pg"
import { Context, Effect, Layer, Redacted, Schedule } from "effect"
import type { SqlClient } from "effect/sql"
import type { SqlError } from "effect/sql/SqlError"
import { hostname } from "node:os"
import { Settings } from "../config/Settings.ts"
import type { EmbeddedServerError } from "./EmbeddedBinaries.ts"
import { embeddedServer } from "./EmbeddedServer.ts"
import type { DatabaseIsNewer } from "./Migrations.ts"
import { migrate } from "./Migrations.ts"
import * as Partitions from "./Partitions.ts"
import * as ServerTime from "./ServerTime.ts"

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

/** A pool of connections to one database. It connects when it is first used, and again after every loss. */
export const pool = (url: string, connections: number, name = "heliograph") =>
  PgClient.make({
    url: Redacted.make(url),
    applicationName: name,
    maxConnections: connections,
    minConnections: 1,
    connectTimeout: "5 seconds",
    // Single statements of many fibers share a connection and its round trips (1.5 times the small statements a second);
    // a transaction has one to itself. Few at a time, because each waits for those before it: a slow one, or one that
    // waits for a lock, holds up no more than these.
    multiplex: true,
    multiplexConcurrency: 4,
    // A statement that hangs, or a node that went to sleep inside a transaction, must not hold a row for ever.
    startupParameters: {
      statement_timeout: "60s",
      lock_timeout: "20s",
      idle_in_transaction_session_timeout: "30s",
      timezone: "UTC"
    }
  })

/**
 * Succeeds when the database has said what time it is, by which the process goes from then on; until then it says every
 * so often what it waits for.
 */
const answering = (sql: PgClient.PgClient) =>
  ServerTime.keep(sql).pipe(
    Effect.tapError((error) => Effect.logWarning("Waiting for the database", error.reason.message)),
    Effect.retry(Schedule.min([Schedule.exponential("100 millis"), Schedule.spaced("5 seconds")])),
    // Every failure is waited out.
    Effect.orDie
  )

/** The database of the settings, external or embedded, as soon as it answers; its schema is as it was found. */
export const layer: Layer.Layer<PgClient.PgClient | SqlClient.SqlClient, EmbeddedServerError, Settings> =
  PgClient.layerFrom(
    Effect.gen(function* () {
      const settings = yield* Settings
      const url = settings.databaseUrl ?? (yield* embeddedServer(settings.dataDir)).url
      const sql = yield* pool(url, settings.databaseConnections, yield* ConnectionName).pipe(Effect.orDie)
      yield* answering(sql)
      return sql
    })
  )

/** The same, migrated to this release, and with partitions that are kept ready while the layer lives. */
export const migratedLayer: Layer.Layer<
  PgClient.PgClient | SqlClient.SqlClient,
  EmbeddedServerError | DatabaseIsNewer | SqlError,
  Settings
> = Layer.effectDiscard(
  Effect.andThen(migrate, Partitions.keep).pipe(
    Effect.retry({
      // The database that answered a moment ago may be restarting.
      while: (error) => error._tag === "SqlError" && error.isRetryable,
      schedule: Schedule.spaced("1 second")
    })
  )
).pipe(Layer.provideMerge(layer))
