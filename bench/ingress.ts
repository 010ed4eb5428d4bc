import type { ChildProcess } from "node:child_process"
import { spawn } from "node:child_process"
import { readdirSync, readFileSync } from "node:fs"
import type { Engine } from "./ingress/Engine.ts"
import { linesOf, registerDevices, startEngine, stop } from "./ingress/Engine.ts"
import type { Order, Outcome } from "./ingress/Load.ts"

const print = (line: string): void => void process.stdout.write(`${line}\n`)

/*
 * Ingress: registering one device and accepting one notification, each answered after its commit, by one engine process
 * with its own PostgreSQL (fsync on); beside node:http and fastify that parse the same bodies and do nothing.
 *
 *   node bench/ingress.ts [--rounds 3] [--seconds 4] [--connections 64]
 *
 * All run in turns on one machine, load generator and database included: the ratios count. Left out: TLS, rate limits,
 * sending (the engine has the role `api` only), and networks.
 */

const argument = (name: string, otherwise: number): number => {
  const at = process.argv.indexOf(`--${name}`)
  return at === -1 ? otherwise : Number(process.argv[at + 1])
}
const ROUNDS = argument("rounds", 3)
const MS = argument("seconds", 4) * 1000
const CONNECTIONS = argument("connections", 64)
const TICKS = 100

const here = (path: string) => new URL(path, import.meta.url).pathname
const children: Array<ChildProcess> = []
const run = (args: ReadonlyArray<string>, env: NodeJS.ProcessEnv = process.env): ChildProcess => {
  const child = spawn(process.execPath, args, { env, stdio: ["pipe", "pipe", "inherit"] })
  children.push(child)
  return child
}

/** CPU seconds of a process and all below it, from /proc. */
const cpuOf = (pid: number): number => {
  const parents = new Map<number, number>()
  const times = new Map<number, number>()
  for (const name of readdirSync("/proc")) {
    if (!/^\d+$/.test(name)) continue
    try {
      const stat = readFileSync(`/proc/${name}/stat`, "utf8")
      const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ")
      parents.set(Number(name), Number(fields[1]))
      times.set(Number(name), (Number(fields[11]) + Number(fields[12])) / TICKS)
    } catch {
      // It ended meanwhile.
    }
  }
  const isBelow = (id: number): boolean => {
    const parent = parents.get(id)
    return parent !== undefined && (parent === pid || isBelow(parent))
  }
  let all = 0
  for (const [id, time] of times) if (id === pid || isBelow(id)) all += time
  return all
}

const median = (values: ReadonlyArray<number>): number => values.toSorted((a, b) => a - b)[values.length >> 1]!

let engine: Engine | null = null
try {
  const load = run([here("ingress/Load.ts")])
  const results = linesOf(load)
  const ask = async (order: Order): Promise<Outcome> => {
    load.stdin!.write(`${JSON.stringify(order)}\n`)
    return JSON.parse((await results.next()).value as string) as Outcome
  }
  const peers: Array<{ readonly name: string; readonly child: ChildProcess; readonly port: number }> = []
  for (const name of ["node:http", "fastify"]) {
    const child = run([here("ingress/Peer.ts"), name])
    peers.push({
      name,
      child,
      port: (JSON.parse((await linesOf(child).next()).value as string) as { port: number }).port
    })
  }

  engine = await startEngine({ ROLES: "api", PROCESSES: "1" })
  const { authorization, port, postmaster } = engine
  peers.push({ name: "heliograph", child: engine.process, port })
  const devices = await registerDevices(engine, 1000)

  const works = [
    { name: "register a device", path: "/api/v1/public/devices", devices: null },
    { name: "accept a notification", path: "/api/v1/notifications", devices }
  ]
  const base = { authorization, connections: CONNECTIONS }
  for (const { path, devices } of works) {
    for (const { port } of peers) await ask({ ...base, path, devices, port, ms: 1500 })
  }
  const rows = new Map<string, Array<{ rate: number; own: number; database: number; p50: number; p99: number }>>()
  for (let round = 0; round < ROUNDS; round++) {
    for (const work of works) {
      for (const peer of peers) {
        const before = [cpuOf(peer.child.pid!), cpuOf(postmaster)] as const
        const outcome = await ask({ ...base, path: work.path, devices: work.devices, port: peer.port, ms: MS })
        const after = [cpuOf(peer.child.pid!), cpuOf(postmaster)] as const
        if (outcome.refused > 0) throw new Error(`${peer.name} refused: ${outcome.firstRefusal}`)
        const perRequest = (seconds: number) => (seconds * 1e6) / outcome.answered
        const key = `${work.name}|${peer.name}`
        rows.set(key, [
          ...(rows.get(key) ?? []),
          {
            rate: outcome.answered / outcome.seconds,
            own: perRequest(after[0] - before[0]),
            database: perRequest(after[1] - before[1]),
            p50: outcome.p50,
            p99: outcome.p99
          }
        ])
      }
    }
  }
  const one = await ask({ ...base, path: works[1]!.path, devices, port, ms: 1500, connections: 1 })
  for (const work of works) {
    const rateOf = (name: string) => median(rows.get(`${work.name}|${name}`)!.map(({ rate }) => rate))
    print(`\n${work.name}, ${CONNECTIONS} connections: requests/s, × fastify, CPU µs own + PostgreSQL, p50, p99 ms`)
    for (const { name } of peers) {
      const all = rows.get(`${work.name}|${name}`)!
      const of = (pick: (row: (typeof all)[number]) => number) => median(all.map(pick))
      print(
        `  ${name.padEnd(12)} ${of((row) => row.rate)
          .toFixed(0)
          .padStart(7)}  ${(of((row) => row.rate) / rateOf("fastify")).toFixed(2)}  ` +
          `${of((row) => row.own).toFixed(0)} + ${of((row) => row.database).toFixed(0)}  ${of((row) => row.p50).toFixed(2)}  ${of((row) => row.p99).toFixed(2)}`
      )
    }
  }
  print(`\none connection, heliograph accepts: p50 ${one.p50.toFixed(2)} ms, p99 ${one.p99.toFixed(2)} ms`)
} finally {
  await engine?.close()
  for (const child of children) await stop(child)
}
