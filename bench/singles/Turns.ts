import { pause } from "../Child.ts"
import { cpuOf } from "../Cpu.ts"
import type { Contender, Measure, Rounds, Table, Turn } from "../Harness.ts"
import { again, measure, quantile, say, VoidTurn } from "../Harness.ts"
import type { Order, Outcome } from "../ingress/Load.ts"
import type { startLoad } from "../ingress/LoadProcess.ts"
import type { Counting } from "../mailing/Mailer.ts"
import type { Server, Since } from "./Servers.ts"

/** What all turns of a run share. */
export interface Bench {
  readonly sink: Counting
  readonly load: ReturnType<typeof startLoad>
  readonly idle: Map<Server, Idle>
  /** The last turn of each server, for the check that follows it. */
  readonly turns: Map<Server, { readonly since: Since; readonly accepted: number }>
  /** Whether to print what PostgreSQL executed. */
  readonly showsStatements: boolean
  /** Of all messages; the service's default unless given. */
  readonly priority: "high" | undefined
}

/** What a server does in a second in which nothing is asked of it. */
export interface Idle {
  readonly statements: number
  /** Milliseconds, by process. */
  readonly cpu: Readonly<Record<string, number>>
}

/** What a load is like, whomever it is for. */
export type Shape = Pick<Order, "connections" | "ms" | "open">

const POLL_MS = 25
/** Without a step forward for so long, something is broken: leases have ended, and others have taken what was left. */
const TIMEOUT_MS = 180_000
/** A server that refused has ended what it accepted after so long. */
const SETTLE_MS = 20_000
const SHOWN_STATEMENTS = 12
const STATEMENT_WIDTH = 110

const untilRecorded = async (server: Server, since: Since, accepted: number): Promise<void> => {
  for (let [last, seen] = [performance.now(), -1]; ; await pause(POLL_MS)) {
    const recorded = await since.recorded()
    if (recorded >= accepted) return
    if (recorded !== seen) [seen, last] = [recorded, performance.now()]
    else if (performance.now() - last > TIMEOUT_MS) {
      // It says what has become of them.
      await since.reconcile(accepted)
      throw new Error(`${server.name} has recorded ${recorded} messages of ${accepted}`)
    }
  }
}

/** How long each message took from its request to the sink (to its last device), ms; throws unless each came to all. */
const agesOf = (server: Server, { sent }: Outcome, marked: ReadonlyArray<readonly [number, number]>) => {
  const { at, first } = sent!
  const ages = new Map(marked.map(([serial, arrivedAt]) => [serial, arrivedAt - at[serial - first]!]))
  if (marked.length !== at.length * server.each || ages.size !== at.length) {
    throw new Error(
      `${marked.length} messages of ${server.name}, ${ages.size} different ones, arrived of ${at.length}, ${server.each} times each`
    )
  }
  return [...ages.values()]
}

/** Sends a load, and ends when all of it has reached the sink and is recorded; throws `VoidTurn` if some was refused. */
export const turnOf = async (
  { idle, load, priority, sink, turns }: Bench,
  server: Server,
  shape: Shape
): Promise<Turn> => {
  await sink.ask({ reset: true })
  const since = await server.begin()
  const before = await server.database.statements()
  const begun = performance.now()
  const { authorization, devices, port, to } = server
  const outcome = await load.ask({
    ...shape,
    authorization,
    devices,
    to,
    ...(priority === undefined ? {} : { priority }),
    port,
    path: "/api/v1/notifications",
    isTimed: true
  })
  const { answered: accepted, firstRefusal } = outcome
  if (outcome.refused > 0) {
    // A 503 may leave open whether the message was accepted: nothing of this turn may reach the next one.
    await pause(SETTLE_MS)
    const [status, body] = [firstRefusal!.split("\r\n", 1)[0]!, firstRefusal!.split("\r\n\r\n")[1]!]
    throw new VoidTurn(`${server.name} refused ${outcome.refused} of ${accepted + outcome.refused}: ${status} ${body}`)
  }
  await untilRecorded(server, since, accepted)
  const seconds = (performance.now() - begun) / 1000
  const statements = (await server.database.statements()) - before - (idle.get(server)?.statements ?? 0) * seconds
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

/** Notes the rates to the provider in `rates`, if there are any. */
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

const printStatements = async (title: string, server: Server, messages: number): Promise<void> => {
  say(`\n${title}, ${server.name}: statements by their time; a message, µs each, pages each`)
  for (const { buffers, calls, text, us } of (await server.database.executed()).slice(0, SHOWN_STATEMENTS)) {
    const figures = [(calls / messages).toFixed(3), us.toFixed(0), buffers.toFixed(0)].map((text) => text.padStart(7))
    say(`${figures.join(" ")}  ${text.slice(0, STATEMENT_WIDTH)}`)
  }
}

/** The servers in turns under one load; the first is the base. */
export const compare = async (
  bench: Bench,
  servers: ReadonlyArray<Server>,
  plan: Pick<Measure, "rounds" | "title"> & { readonly shape: (round: number) => Shape; readonly rates?: Rounds }
): Promise<Table> => {
  const { rates, rounds, shape, title } = plan
  const messages = new Map<Server, number>()
  if (bench.showsStatements) for (const { database } of servers) await database.forget()
  const counted = (server: Server): Contender => {
    const { turn, ...rest } = contender(bench, server, shape, rates)
    return {
      ...rest,
      turn: async (round) => {
        const done = await turn(round)
        messages.set(server, (messages.get(server) ?? 0) + done.operations)
        return done
      }
    }
  }
  const contenders = servers.map(counted)
  const table = await measure({ title, what: "messages", base: servers[0]!.name, rounds, contenders })
  if (bench.showsStatements) {
    for (const [server, count] of messages) await printStatements(title, server, count)
  }
  return table
}

const usOf = (server: Server): ReadonlyMap<string, number> =>
  new Map(Object.entries(server.processes).map(([name, roots]) => [name, cpuOf(roots())]))

/** Compiles what is hot, and counts what each does while nothing is asked of it. */
export const warmUp = async (
  bench: Bench,
  servers: ReadonlyArray<Server>,
  sizes: { readonly clients: number; readonly ms: number; readonly idleMs: number }
): Promise<void> => {
  for (const server of servers) {
    await again(() => turnOf(bench, server, { connections: sizes.clients, ms: sizes.ms }))
  }
  const read = () =>
    Promise.all(servers.map(async (server) => ({ calls: await server.database.statements(), us: usOf(server) })))
  const before = await read()
  await pause(sizes.idleMs)
  const seconds = sizes.idleMs / 1000
  for (const [index, { calls, us }] of (await read()).entries()) {
    const { calls: callsBefore, us: usBefore } = before[index]!
    const own = [...us].filter(([name]) => name !== "sink")
    bench.idle.set(servers[index]!, {
      statements: (calls - callsBefore) / seconds,
      cpu: Object.fromEntries(own.map(([name, value]) => [name, (value - usBefore.get(name)!) / 1000 / seconds]))
    })
  }
}
