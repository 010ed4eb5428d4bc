import { Effect, Exit, Scope } from "effect"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { Client, Pool } from "pg"
import { embeddedServer } from "../layers/postgres/server/EmbeddedServer.ts"
import type { Stage } from "./Child.ts"

/** PostgreSQL as an engine starts it for itself: the same server with the same settings. */
export interface Database {
  readonly url: string
  /** Of the postmaster. */
  readonly pid: number
  /** An engine that gets it as `DATA_DIR` works with this server. */
  readonly dataDir: string
}

/** Its end is arranged for before it begins: an interrupt may come in between. */
const start = async (stage: Stage, dataDir: string): Promise<Database & { readonly close: () => Promise<void> }> => {
  const scope = Effect.runSync(Scope.make())
  const close = () => Effect.runPromise(Scope.close(scope, Exit.void))
  stage.onClose(close)
  const { url } = await Effect.runPromise(Scope.provide(embeddedServer(dataDir), scope))
  const pid = Number(readFileSync(join(dataDir, "postgres", "postmaster.pid"), "utf8").split("\n", 1)[0])
  return { url, pid, dataDir, close }
}

export const database = (stage: Stage): Promise<Database> => start(stage, stage.folder())

export interface CountingDatabase extends Database {
  /** For questions of the benchmark, which count like all others, and are told apart by `asked`. */
  readonly ask: <A extends object>(text: string, values?: ReadonlyArray<unknown>) => Promise<ReadonlyArray<A>>
  /** Statements that its clients had executed so far, those of transactions included, and those of `ask` not. */
  readonly statements: () => Promise<number>
  /** Forgets which statements were executed; `statements` goes on from 0. */
  readonly forget: () => Promise<void>
  /** What was executed since, most of the time first. */
  readonly executed: () => Promise<ReadonlyArray<Executed>>
}

export interface Executed {
  readonly calls: number
  /** Of each call, planning apart. */
  readonly us: number
  /** Pages of 8 KB that each call looked at. */
  readonly buffers: number
  readonly text: string
}

/** One that counts statements, by pg_stat_statements. */
export const countingDatabase = async (stage: Stage): Promise<CountingDatabase> => {
  const dataDir = stage.folder()
  const plain = await start(stage, dataDir)
  const client = new Client({ connectionString: plain.url })
  await client.connect()
  await client.query("ALTER SYSTEM SET shared_preload_libraries = 'pg_stat_statements'")
  await client.end()
  // The last to leave stops it, and only a start reads that setting.
  await plain.close()
  const server = await start(stage, dataDir)
  // The extension stands in another database than the one that is watched, and so do the questions to it.
  const beside = new URL(server.url)
  beside.pathname = "/postgres"
  const [watching, asking] = [beside.href, server.url].map((url) => new Pool({ connectionString: url, max: 1 }))
  stage.onClose(async () => void (await Promise.all([watching!.end(), asking!.end()])))
  await watching!.query("CREATE EXTENSION pg_stat_statements")
  const here = "dbid = (SELECT oid FROM pg_database WHERE datname = $1)"
  const name = new URL(server.url).pathname.slice(1)
  let asked = 0
  return {
    ...server,
    ask: async <A extends object>(text: string, values: ReadonlyArray<unknown> = []) => {
      asked++
      return (await asking!.query<A>(text, [...values])).rows
    },
    statements: async () => {
      const { rows } = await watching!.query<{ readonly calls: string }>(
        `SELECT coalesce(sum(calls), 0) AS calls FROM pg_stat_statements(false) WHERE ${here}`,
        [name]
      )
      return Number(rows[0]!.calls) - asked
    },
    forget: async () => {
      await watching!.query("SELECT pg_stat_statements_reset()")
      asked = 0
    },
    executed: async () => {
      const { rows } = await watching!.query<Executed>(
        `SELECT calls::int, mean_exec_time * 1000 AS us, (shared_blks_hit + shared_blks_read)::float8 / calls AS buffers,
           regexp_replace(query, '\\s+', ' ', 'g') AS text
         FROM pg_stat_statements WHERE ${here} ORDER BY total_exec_time DESC`,
        [name]
      )
      return rows
    }
  }
}
