import { cpuOf } from "../Cpu.ts"
import type { CountingDatabase } from "../Database.ts"
import type { Result, Table } from "../Harness.ts"
import { again, say } from "../Harness.ts"
import type { Server, Site } from "./Servers.ts"
import { engineServer } from "./Servers.ts"
import type { Bench, Shape } from "./Turns.ts"
import { compare, turnOf, warmUp } from "./Turns.ts"

/*
 * Whether a message costs as much when many are on record. An engine for each number of messages on record, with a database
 * of its own, filled by the engine itself in a closed loop; then they take turns at a steady rate. Their statements were
 * prepared while their tables were empty, as those of any new installation are.
 *
 * The engine with few on record is to be as hot as the others: it sends as many as the next one, and then its tables are
 * emptied.
 */

export interface GrowthOptions {
  readonly rounds: number
  /** How many messages are to be on record. */
  readonly sizes: ReadonlyArray<number>
  readonly clients: number
  /** The load of the turns. */
  readonly shape: (round: number) => Shape
  /** False: nothing is vacuumed or analysed, so that only plans which fit at any size stay as they are. */
  readonly isAnalysed: boolean
}

/** How long a closed loop lasts while it fills, at the most. */
const FILL_MS = 5000
const shown = (count: number): string => count.toLocaleString("en-US")

const cpu = ({ processes }: Server): number => cpuOf([...processes["engine"]!(), ...processes["PostgreSQL"]!()])

/** Messages by the engine itself until so many are on record; what one cost at the beginning and at the end, µs. */
const fill = async (bench: Bench, server: Server, count: number, clients: number) => {
  const costs: Array<number> = []
  const begun = performance.now()
  const ms = Math.min(FILL_MS, count / 20)
  let done = 0
  while (done < count) {
    const before = cpu(server)
    const { operations } = await again(() => turnOf(bench, server, { connections: clients, ms }))
    done += operations
    costs.push((cpu(server) - before) / operations)
  }
  say(`${server.name}: ${shown(done)} messages in ${((performance.now() - begun) / 1000).toFixed(0)} s`)
  return { first: costs[0]!, last: costs.at(-1)! }
}

/** All tables of messages and their results. */
const empty = async (database: CountingDatabase): Promise<void> => {
  const tables = await database.ask<{ readonly name: string }>(
    `SELECT DISTINCT table_name AS name FROM information_schema.columns JOIN information_schema.tables
       USING (table_schema, table_name)
     WHERE table_schema = 'public' AND table_type = 'BASE TABLE' AND column_name = 'notification_id'`
  )
  await database.ask(`TRUNCATE notifications, ${tables.map(({ name }) => name).join(", ")} CASCADE`)
}

export const growth = async (
  site: Site,
  bench: Bench,
  options: GrowthOptions
): Promise<{ readonly table: Table; readonly facts: Result["facts"] }> => {
  const { clients, isAnalysed, rounds, shape, sizes } = options
  const facts: Record<string, number> = {}
  const start = (name: string) => engineServer(site, name, {})
  const few = await start("the first thousands on record")
  const many: Array<Server> = []
  for (const size of sizes) many.push(await start(`${shown(size)} on record`))
  const servers = [few, ...many]
  if (!isAnalysed) {
    for (const { database } of servers) {
      await database.ask("ALTER SYSTEM SET autovacuum = off")
      await database.ask("SELECT pg_reload_conf()")
    }
  }
  await warmUp(bench, servers, { clients, ms: 1000, idleMs: 5000 })
  for (const [index, size] of sizes.entries()) {
    const { first, last } = await fill(bench, many[index]!, size, clients)
    facts[`filling up to ${shown(size)} in a closed loop: CPU of a message at the end over that of the first`] =
      last / first
    // What would come within a minute comes at once, so that it falls into no turn.
    if (isAnalysed) await many[index]!.database.ask("VACUUM (ANALYZE)")
  }
  await fill(bench, few, Math.min(...sizes), clients)
  await empty(few.database)
  const table = await compare(bench, servers, {
    title: "A message at 200 a second, by messages on record",
    rounds,
    shape
  })
  for (const { cpuRatio, name } of table.rows.slice(1)) {
    facts[`CPU of a message with ${name} over one of the first thousands (at most 1.05)`] = 1 / cpuRatio
  }
  return { table, facts }
}
