import { onStage, pause } from "./Child.ts"
import { cpuOf } from "./Cpu.ts"
import type { CountingDatabase } from "./Database.ts"
import { countingDatabase } from "./Database.ts"
import type { Benchmark, Contender, Table } from "./Harness.ts"
import { measure, say, totalCpu } from "./Harness.ts"
import type { Engine } from "./ingress/Engine.ts"
import { apnsCredential, mailingTurn, processesOf, startMailer } from "./mailing/Mailer.ts"
import { identity, leanSink } from "./sinks/Sinks.ts"

/*
 * What a recipient of a mailing costs when several nodes share a database and a NATS server: each number of nodes has
 * its own of both, one process a node, all on this machine. A turn is one mailing to all devices, asked of the first
 * node, whose totals must reconcile. What the nodes cost while nothing is to do is measured before, for comparison: the
 * turns have it in them.
 *
 * A process compiles its code anew, and works it out over its first hundreds of thousands of recipients. Of a mailing each
 * of eight nodes gets an eighth, so it takes them eight times as many mailings. Before the rounds each node has sent as many
 * as `--warm-up` mailings have; what that cost beyond the same recipients later is told for each node.
 *
 *   npm run bench -- nodes [--nodes 1,2,4,8] [--devices 100000] [--rounds 5] [--warm-up 6] [--statements]
 *
 * `--statements` prints what PostgreSQL executed for the rounds of each number of nodes.
 */

const CALM_MS = 10_000
/** By then a node has looked for the first time for what is past its retention. */
const SETTLED_MS = 35_000

/** Recipients that a node has sent to since it started. */
const sentBy = async ({ url }: Engine): Promise<number> => {
  const metrics = await (await fetch(`${url}/metrics`)).text()
  return Number(/^heliograph_recipients_total\{[^}]*outcome="sent"[^}]*\} (\d+)/m.exec(metrics)?.[1] ?? 0)
}

interface Cluster {
  readonly contender: Contender
  readonly database: CountingDatabase
  /** Milliseconds of CPU a second by process, and statements a second, while nothing is to do. */
  readonly idle: Readonly<Record<string, number>>
  /** Seconds of the engines' CPU, and recipients, before the rounds. */
  readonly warmUp: { readonly cpuSeconds: number; readonly recipients: number }
  /** What each node had of the mailings but the first, 1 is an even share. */
  readonly sharesOf: () => ReadonlyArray<number>
}

const shown = (count: number): string => (count === 1 ? "1 node" : `${count} nodes`)

const run = (counts: ReadonlyArray<number>, devices: number, rounds: number, warmUp: number, isTold: boolean) =>
  onStage(async (stage): Promise<{ table: Table; facts: Record<string, number> }> => {
    // Each engine that is started listens for the end of this process.
    process.setMaxListeners(counts.reduce((sum, count) => sum + count, process.getMaxListeners()))
    const at = await identity(stage)
    const sink = await leanSink(stage, at)
    const clusters: Array<Cluster> = []
    for (const count of counts) {
      const database = await countingDatabase(stage)
      const settings = { DATABASE_URL: database.url, MASTER_KEY: "b".repeat(64), PROCESSES: "1" }
      const mailer = await startMailer(stage, { caFile: at.ca, settings, nats: true, nodes: count })
      const startedAt = performance.now()
      await mailer.engine.call("PUT", "/api/v1/credentials/apns", apnsCredential(sink.port))
      await mailer.register(devices)
      const processes = { ...processesOf(mailer, [sink.pid]), PostgreSQL: () => [database.pid] }
      const shares = () => Promise.all(mailer.nodes.map(sentBy))
      let first: ReadonlyArray<number> = []
      let last: ReadonlyArray<number> = []
      const turn: Contender["turn"] = async (round) => {
        if (round === 0) await database.forget()
        const executed = await database.statements()
        const { more: _, ...turn } = await mailingTurn(mailer, sink)
        const statements = (await database.statements()) - executed
        return { ...turn, more: { "statements a 1,000": (statements / turn.operations) * 1000 } }
      }
      // Metrics are asked when the turn is over: what they cost belongs to no recipient.
      const check = async () => {
        last = await shares()
        if (first.length === 0) first = last
      }
      const engines = () => cpuOf(mailer.nodes.map((node) => node.process.pid!))
      const cold = engines()
      let recipients = 0
      for (let n = 0; n < count * warmUp; n++) recipients += (await turn(-1)).operations
      say(`${shown(count)}: each has sent to ${Math.round(recipients / count)}`)
      const warmedUp = { cpuSeconds: (engines() - cold) / 1e6, recipients }
      // What registering, and a start, have left to do is not idleness.
      await pause(Math.max(CALM_MS, startedAt + SETTLED_MS - performance.now()))
      await database.forget()
      const cpu = () => Object.entries(processes).map(([name, roots]) => [name, cpuOf(roots())] as const)
      const before = new Map(cpu())
      await pause(CALM_MS)
      const idle = {
        ...Object.fromEntries(cpu().map(([name, us]) => [`CPU ms, ${name}`, (us - before.get(name)!) / CALM_MS])),
        statements: ((await database.statements()) / CALM_MS) * 1000
      }
      const sharesOf = () => {
        const sent = last.map((all, node) => all - first[node]!)
        const all = sent.reduce((sum, each) => sum + each, 0)
        return sent.map((each) => (each * count) / all)
      }
      const contender = { name: shown(count), processes, turn, check }
      clusters.push({ contender, database, idle, warmUp: warmedUp, sharesOf })
    }
    const contenders = clusters.map(({ contender }) => contender)
    const title = `Mailings to ${devices.toLocaleString("en-US")} devices by nodes on one database`
    const table = await measure({ title, what: "messages", base: contenders[0]!.name, rounds, warmUp: 1, contenders })
    const facts: Record<string, number> = {}
    for (const [index, { contender, database, idle, sharesOf, warmUp }] of clusters.entries()) {
      const [row, base] = [table.rows[index]!, table.rows[0]!]
      if (index > 0) {
        facts[`${row.name}: engines' CPU of a recipient over ${base.name}`] = row.cpu["engine"]! / base.cpu["engine"]!
        facts[`${row.name}: CPU of a recipient over ${base.name} (at most 1.1)`] =
          totalCpu(row.cpu) / totalCpu(base.cpu)
      }
      if (index > 0) {
        facts[`${row.name}: smallest share of a node, of an even one`] = Math.min(...sharesOf())
        facts[`${row.name}: largest`] = Math.max(...sharesOf())
      }
      for (const [name, value] of Object.entries(idle)) {
        if (!name.includes("sink")) facts[`${row.name}, idle: ${name} a second`] = value
      }
      facts[`${row.name}: seconds of CPU that a node's warm-up took beyond its recipients'`] =
        (warmUp.cpuSeconds - (row.cpu["engine"]! * warmUp.recipients) / 1e6) / counts[index]!
      facts[`${row.name}: engines' CPU of a recipient, µs, less what they take idle in that time`] =
        row.cpu["engine"]! - (idle["CPU ms, engine"]! * 1000) / row.perSecond
      if (!isTold) continue
      say(`${contender.name}: what PostgreSQL executed in ${rounds} mailings`)
      for (const { buffers, calls, text, us } of (await database.executed()).slice(0, 30)) {
        const each = ((calls * us) / (devices * rounds)).toFixed(3)
        say(
          `${each} µs a recipient, ${calls} × ${us.toFixed(0)} µs, ${buffers.toFixed(0)} pages: ${text.slice(0, 160)}`
        )
      }
    }
    return { table, facts }
  })

export const benchmark: Benchmark = {
  name: "nodes",
  about: "cost of a recipient on several nodes with one database",
  run: async ({ flags, short }) => {
    const counts = (flags.get("nodes") ?? (short ? "1,2" : "1,2,4,8")).split(",").map(Number)
    const devices = Number(flags.get("devices") ?? (short ? 20_000 : 100_000))
    const rounds = Number(flags.get("rounds") ?? (short ? 2 : 5))
    const warmUp = Number(flags.get("warm-up") ?? (short ? 1 : 6))
    const { facts, table } = await run(counts, devices, rounds, warmUp, flags.has("statements"))
    return { name: "nodes", tables: [table], facts }
  }
}
