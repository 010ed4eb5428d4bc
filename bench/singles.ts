import { onStage, pause } from "./Child.ts"
import type { Benchmark, Contender, Options, Row, Table, Turn } from "./Harness.ts"
import { measure, quantile, Rounds, say } from "./Harness.ts"
import type { Order, Outcome } from "./ingress/Load.ts"
import { MARK } from "./ingress/Load.ts"
import { startLoad } from "./ingress/LoadProcess.ts"
import type { Counting } from "./mailing/Mailer.ts"
import { identity, leanSink } from "./sinks/Sinks.ts"
import type { Server, Since } from "./singles/Servers.ts"
import { engineServer, homeMadeServer } from "./singles/Servers.ts"

/*
 * One message to one device over REST, from the request to the provider and to its record in PostgreSQL, against a server
 * that anyone would write in an afternoon (singles/HomeMadeServer.ts): in a closed loop with 64 clients, and at steady
 * rates. A turn ends when all that was accepted has reached the sink and is recorded as sent.
 *
 *   npm run bench -- singles [--only closed,20,200,1000] [--rounds 5] [--seconds 4] [--clients 64]
 *     [--contenders home-made,engine,single]
 *
 * `single` is the engine in one process. `--seconds` is how long a turn of the closed loop lasts; those of steady rates last
 * as long as they need for enough messages.
 */

const CLIENTS = 64
const DEVICES = 1000
const POLL_MS = 25
/** Without a step forward for so long, something is broken. */
const TIMEOUT_MS = 60_000

/** Messages of a turn at a steady rate, a second: enough of them for the kernel's clock, which ticks in hundredths. */
const STEADY: ReadonlyMap<number, { readonly messages: number; readonly few: number }> = new Map([
  [20, { messages: 200, few: 60 }],
  [200, { messages: 1000, few: 400 }],
  [1000, { messages: 5000, few: 2000 }]
])

interface Bench {
  readonly sink: Counting
  readonly load: ReturnType<typeof startLoad>
  /** Statements a second of a server that has nothing to do. */
  readonly idle: Map<Server, number>
  /** What each server has sent since its turn began; for the check after the turn. */
  readonly turns: Map<Server, { readonly since: Since; readonly accepted: number }>
}

const untilRecorded = async (server: Server, since: Since, accepted: number): Promise<void> => {
  for (let [last, seen] = [performance.now(), -1]; ; await pause(POLL_MS)) {
    const recorded = await since.recorded()
    if (recorded >= accepted) return
    if (recorded !== seen) [seen, last] = [recorded, performance.now()]
    else if (performance.now() - last > TIMEOUT_MS) {
      throw new Error(`${server.name} has recorded ${recorded} messages of ${accepted}`)
    }
  }
}

/** How long each message took from its request to the sink, ms; throws unless each came once. */
const agesOf = (server: Server, { sent }: Outcome, marked: ReadonlyArray<readonly [number, number]>) => {
  const { at, first } = sent!
  const ages = new Map(marked.map(([serial, arrivedAt]) => [serial, arrivedAt - at[serial - first]!]))
  if (marked.length !== at.length || ages.size !== at.length) {
    throw new Error(`${marked.length} messages of ${server.name}, ${ages.size} different ones, arrived of ${at.length}`)
  }
  return [...ages.values()]
}

type Shape = Pick<Order, "connections" | "ms" | "open">

const turnOf = async ({ idle, load, sink, turns }: Bench, server: Server, shape: Shape): Promise<Turn> => {
  await sink.ask({ reset: true })
  const since = await server.begin()
  const before = await server.database.statements()
  const begun = performance.now()
  const { authorization, devices, port } = server
  const outcome = await load.ask({
    ...shape,
    authorization,
    devices,
    port,
    path: "/api/v1/notifications",
    isTimed: true
  })
  const { answered: accepted, firstRefusal } = outcome
  if (outcome.refused > 0) throw new Error(`${server.name} refused: ${firstRefusal}`)
  await untilRecorded(server, since, accepted)
  const seconds = (performance.now() - begun) / 1000
  const statements = (await server.database.statements()) - before - (idle.get(server) ?? 0) * seconds
  const { marked } = await sink.ask({ reset: true })
  const ages = agesOf(server, outcome, marked)
  turns.set(server, { since, accepted })
  const last = marked.reduce((latest, [, at]) => Math.max(latest, at), 0)
  return {
    operations: accepted,
    seconds,
    more: {
      "arrived/s": (accepted * 1000) / (last - outcome.sent!.at[0]!),
      "answered p50 ms": outcome.p50,
      "arrived p50 ms": quantile(ages, 0.5),
      "arrived p99 ms": quantile(ages, 0.99),
      "statements each": statements / accepted
    }
  }
}

const contender = (bench: Bench, server: Server, shape: (round: number) => Shape, rates?: Rounds): Contender => ({
  name: server.name,
  processes: { ...server.processes, load: () => [bench.load.pid] },
  turn: async (round) => {
    const turn = await turnOf(bench, server, shape(round))
    rates?.note(server.name, round, turn.more!["arrived/s"]!)
    return turn
  },
  check: async () => {
    const { accepted, since } = bench.turns.get(server)!
    await since.reconcile(accepted)
  }
})

/** Compiles what is hot, and counts what each does while nothing is asked of it. */
const warmUp = async (bench: Bench, servers: ReadonlyArray<Server>, short: boolean): Promise<void> => {
  for (const server of servers) await turnOf(bench, server, { connections: CLIENTS, ms: short ? 1500 : 4000 })
  const seconds = short ? 3 : 10
  const before = await Promise.all(servers.map(({ database }) => database.statements()))
  await pause(seconds * 1000)
  for (const [index, server] of servers.entries()) {
    bench.idle.set(server, ((await server.database.statements()) - before[index]!) / seconds)
  }
}

const run = ({ flags, short }: Options) =>
  onStage(async (stage) => {
    const rounds = Number(flags.get("rounds") ?? (short ? 2 : 5))
    const only = new Set((flags.get("only") ?? ["closed", ...STEADY.keys()].join(",")).split(","))
    const wanted = new Set((flags.get("contenders") ?? "home-made,engine,single").split(","))
    const at = await identity(stage)
    const sink = await leanSink(stage, at, "", MARK)
    const site = { stage, sink, caFile: at.ca, devices: DEVICES }
    const servers: Array<Server> = []
    if (wanted.has("home-made")) servers.push(await homeMadeServer(site))
    if (wanted.has("engine")) servers.push(await engineServer(site, "engine", {}))
    if (wanted.has("single")) servers.push(await engineServer(site, "engine, 1 process", { PROCESSES: "1" }))
    const bench: Bench = { sink, load: startLoad(stage), idle: new Map(), turns: new Map() }
    await warmUp(bench, servers, short)

    const base = servers[0]!.name
    const tables: Array<Table> = []
    const facts: Record<string, number> = {}
    for (const [server, statements] of bench.idle) facts[`${server.name}: statements a second while idle`] = statements
    const engines = (rows: ReadonlyArray<Row>) => rows.filter(({ name }) => name !== base)
    if (only.has("closed")) {
      const connections = Number(flags.get("clients") ?? CLIENTS)
      const ms = Number(flags.get("seconds") ?? (short ? 2 : 4)) * 1000
      const rates = new Rounds()
      const table = await measure({
        title: `One message to one device, ${connections} clients in a closed loop`,
        what: "messages",
        base,
        rounds,
        contenders: servers.map((server) => contender(bench, server, () => ({ connections, ms }), rates))
      })
      tables.push(table)
      for (const { cpuRatio, name } of engines(table.rows)) {
        facts[`closed loop, ${name}: rate to the provider over ${base} (at least 3)`] = rates.ratio(name, base)
        facts[`closed loop, ${name}: CPU over ${base}`] = 1 / cpuRatio
      }
    }
    for (const [perSecond, { few, messages }] of STEADY) {
      if (!only.has(String(perSecond))) continue
      const count = short ? few : messages
      const shape = (round: number): Shape => ({ connections: 8, ms: 0, open: { perSecond, count, seed: round } })
      const table = await measure({
        title: `One message to one device, ${perSecond.toLocaleString("en-US")} a second`,
        what: "messages",
        base,
        rounds,
        contenders: servers.map((server) => contender(bench, server, shape))
      })
      tables.push(table)
      for (const { cpuRatio, more, name } of engines(table.rows)) {
        facts[`${perSecond}/s, ${name}: CPU over ${base}${perSecond === 200 ? " (at most 0.6)" : ""}`] = 1 / cpuRatio
        facts[`${perSecond}/s, ${name}: statements a message${perSecond === 200 ? " (at most 3)" : ""}`] =
          more["statements each"]!
      }
    }
    say("every message arrived once and is recorded")
    return { tables, facts }
  })

export const benchmark: Benchmark = {
  name: "singles",
  about: "one message to one device, from the request to the provider and its record, against a home-made server",
  run: async (options) => ({ name: "singles", ...(await run(options)) })
}
