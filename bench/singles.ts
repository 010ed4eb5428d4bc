import { onStage } from "./Child.ts"
import type { Benchmark, Options, Result, Row, Table } from "./Harness.ts"
import { Rounds, say } from "./Harness.ts"
import { MARK } from "./ingress/Load.ts"
import { startLoad } from "./ingress/LoadProcess.ts"
import { identity, leanSink } from "./sinks/Sinks.ts"
import { growth } from "./singles/growth.ts"
import type { Server, Site } from "./singles/Servers.ts"
import { engineServer, homeMadeServer } from "./singles/Servers.ts"
import type { Bench, Shape } from "./singles/Turns.ts"
import { compare, warmUp } from "./singles/Turns.ts"

/*
 * One message to one device over REST, from the request to the provider and to its record in PostgreSQL, against a server
 * that anyone would write in an afternoon (singles/HomeMadeServer.ts): in a closed loop with 64 clients, and at steady
 * rates. A turn ends when all that was accepted has reached the sink and is recorded as sent. Then whether a message costs
 * as much when many are on record (singles/growth.ts).
 *
 *   npm run bench -- singles [--only closed,20,200,1000,growth] [--rounds 5] [--seconds 4] [--clients 64]
 *     [--contenders home-made,engine,single] [--linger 25,50] [--to device,user] [--each 1] [--priority high]
 *     [--statements] [--long] [--no-analyze]
 *
 * `single` is the engine in one process; `--linger` adds engines whose accepts wait so many milliseconds for company,
 * which messages of high priority (`--priority high`) never do.
 * `--to user` addresses the engine's messages by `user_ids`, to people with a device each, or `--each` so many;
 * `--to device,user` has an engine for each. The home-made server knows devices only.
 * `--seconds` is how long a turn of the closed loop lasts; those of steady rates last as long as they need for enough
 * messages.
 * `--statements` prints what PostgreSQL executed for the rounds of each table.
 * `--long` fills a third engine with 1,000,000 messages for growth, which takes as long as sending them does.
 * `--no-analyze` lets growth go on without autovacuum, so that plans are never made anew.
 */

const CLIENTS = 64
const DEVICES = 1000
/** They are registered one by one. */
const FEW_DEVICES = 200

/** Messages of a turn at a steady rate, a second: enough of them for the kernel's clock, which ticks in hundredths. */
const STEADY: ReadonlyMap<number, { readonly messages: number; readonly few: number }> = new Map([
  [20, { messages: 200, few: 40 }],
  [200, { messages: 1000, few: 400 }],
  [1000, { messages: 5000, few: 1500 }]
])
/** Connections at the beginning of a turn at a steady rate. */
const STEADY_CONNECTIONS = 8

const shapeOf =
  (perSecond: number, short: boolean) =>
  (round: number): Shape => {
    const { few, messages } = STEADY.get(perSecond)!
    const open = { perSecond, count: short ? few : messages, seed: round }
    return { connections: STEADY_CONNECTIONS, ms: 0, open }
  }

interface Parts {
  readonly tables: Array<Table>
  readonly facts: Record<string, number>
}

const versus = async (
  bench: Bench,
  servers: ReadonlyArray<Server>,
  only: ReadonlySet<string>,
  options: { readonly rounds: number; readonly clients: number; readonly ms: number; readonly short: boolean },
  { facts, tables }: Parts
): Promise<void> => {
  const { clients, ms, rounds, short } = options
  const base = servers[0]!.name
  for (const [{ name }, { cpu, statements }] of bench.idle) {
    facts[`idle, ${name}: statements a second`] = statements
    for (const [process, value] of Object.entries(cpu)) facts[`idle, ${name}: CPU ms a second, ${process}`] = value
  }
  const note = (table: Table, load: string, facts_: (row: Row) => Record<string, number>) => {
    tables.push(table)
    for (const row of table.rows.slice(1)) {
      for (const [name, value] of Object.entries(facts_(row))) facts[`${load}, ${row.name}: ${name}`] = value
    }
  }
  if (only.has("closed")) {
    const rates = new Rounds()
    const title = `One message to one device, ${clients} clients in a closed loop`
    const shape = () => ({ connections: clients, ms })
    note(await compare(bench, servers, { title, rounds, shape, rates }), "closed loop", ({ cpuRatio, name }) => ({
      [`rate to the provider over ${base} (at least 3)`]: rates.ratio(name, base),
      [`CPU over ${base}`]: 1 / cpuRatio
    }))
  }
  for (const perSecond of STEADY.keys()) {
    if (!only.has(String(perSecond))) continue
    const title = `One message to one device, ${perSecond.toLocaleString("en-US")} a second`
    const isBargain = perSecond === 200
    const table = await compare(bench, servers, { title, rounds, shape: shapeOf(perSecond, short) })
    note(table, `${perSecond}/s`, ({ cpuRatio, more }) => ({
      [`CPU over ${base}${isBargain ? " (at most 0.6)" : ""}`]: 1 / cpuRatio,
      [`statements a message${isBargain ? " (at most 3)" : ""}`]: more["statements each"]!
    }))
  }
}

const serversOf = async (
  site: Site,
  wanted: ReadonlySet<string>,
  lingers: ReadonlySet<string>,
  to: ReadonlySet<string>
): Promise<ReadonlyArray<Server>> => {
  const servers: Array<Server> = []
  if (wanted.has("home-made")) servers.push(await homeMadeServer(site))
  const startEngines = async (name: string, settings: Readonly<Record<string, string>>) => {
    if (to.has("device")) servers.push(await engineServer(site, name, settings))
    if (to.has("user")) servers.push(await engineServer(site, `${name}, to a user`, settings, "user_ids"))
  }
  if (wanted.has("engine")) await startEngines("engine", {})
  if (wanted.has("single")) await startEngines("engine, 1 process", { PROCESSES: "1" })
  for (const ms of lingers) await startEngines(`engine, linger ${ms}`, { ACCEPT_LINGER_MS: ms })
  return servers
}

/** A stage of its own for each part of a run, with a sink and a load. */
const withBench = <A>({ flags, short }: Options, work: (site: Site, bench: Bench) => Promise<A>): Promise<A> =>
  onStage(async (stage) => {
    const at = await identity(stage)
    const site = {
      stage,
      sink: await leanSink(stage, at, "", MARK),
      caFile: at.ca,
      devices: short ? FEW_DEVICES : DEVICES,
      each: Number(flags.get("each") ?? 1)
    }
    const showsStatements = flags.has("statements")
    const priority = flags.get("priority")
    if (priority !== undefined && priority !== "high") throw new Error("--priority takes high")
    const [idle, turns] = [new Map(), new Map()]
    const bench: Bench = { sink: site.sink, load: startLoad(stage), idle, turns, showsStatements, priority }
    return work(site, bench)
  })

const run = async (options: Options): Promise<Omit<Result, "name">> => {
  const { flags, short } = options
  const words = (flag: string, all: string) =>
    new Set((flags.get(flag) ?? all).split(",").filter((word) => word !== ""))
  const known = (flag: string, all: ReadonlyArray<string>, chosen = words(flag, all.join(","))) => {
    const wrong = [...chosen].filter((word) => !all.includes(word))
    if (wrong.length > 0) throw new Error(`--${flag} takes ${all.join(", ")}, and not ${wrong.join(", ")}`)
    return chosen
  }
  const only = known("only", ["closed", ...[...STEADY.keys()].map(String), "growth"])
  const rounds = Number(flags.get("rounds") ?? (short ? 1 : 5))
  const clients = Number(flags.get("clients") ?? CLIENTS)
  const ms = Number(flags.get("seconds") ?? (short ? 2 : 4)) * 1000
  const parts: Parts = { tables: [], facts: {} }
  if ([...only].some((part) => part !== "growth")) {
    await withBench(options, async (site, bench) => {
      const contenders = known("contenders", ["home-made", "engine", "single"])
      const servers = await serversOf(site, contenders, words("linger", ""), words("to", "device"))
      await warmUp(bench, servers, { clients, ms, idleMs: short ? 3000 : 10_000 })
      await versus(bench, servers, only, { rounds, clients, ms, short }, parts)
    })
  }
  if (only.has("growth")) {
    const sizes = short ? [5000] : flags.has("long") ? [100_000, 1_000_000] : [100_000]
    const isAnalysed = !flags.has("no-analyze")
    const { facts, table } = await withBench(options, (site, bench) =>
      growth(site, bench, { rounds, sizes, clients, shape: shapeOf(200, short), isAnalysed })
    )
    parts.tables.push(table)
    Object.assign(parts.facts, facts)
  }
  say("every message arrived once and is recorded")
  return parts
}

export const benchmark: Benchmark = {
  name: "singles",
  about: "one message to one device, from the request to the provider and its record, against a home-made server",
  run: async (options) => ({ name: "singles", ...(await run(options)) })
}
