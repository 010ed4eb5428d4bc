import { spawn } from "node:child_process"
import type { ChildProcess } from "node:child_process"
import { once } from "node:events"
import { mkdtempSync, readFileSync, readdirSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { createInterface } from "node:readline"
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

const lines = (child: ChildProcess) => createInterface({ input: child.stdout! })[Symbol.asyncIterator]()

const ended = async (child: ChildProcess) => {
  if (child.exitCode === null && child.signalCode === null) {
    child.kill("SIGTERM")
    await once(child, "exit")
  }
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

/** The postmaster of the embedded server is no child of the engine: its number stands in its data directory. */
const postmasterOf = (directory: string): number => {
  const [file] = readdirSync(directory, { recursive: true }).filter((name) => String(name).endsWith("postmaster.pid"))
  return file === undefined ? -1 : Number(readFileSync(join(directory, String(file)), "utf8").split("\n", 1)[0])
}

const median = (values: ReadonlyArray<number>): number => values.toSorted((a, b) => a - b)[values.length >> 1]!

const dataDir = mkdtempSync(join(tmpdir(), "heliograph-ingress-"))
try {
  const load = run([here("ingress/Load.ts")])
  const results = lines(load)
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
      port: (JSON.parse((await lines(child).next()).value as string) as { port: number }).port
    })
  }

  const port = 20_000 + Math.floor(Math.random() * 20_000)
  const env = {
    PATH: process.env["PATH"],
    PORT: String(port),
    HOST: "127.0.0.1",
    BASE_URL: `http://127.0.0.1:${port}`,
    DATA_DIR: dataDir,
    ROLES: "api",
    PROCESSES: "1",
    LOG_LEVEL: "warn"
  }
  const flags = (process.env["ENGINE_FLAGS"] ?? "").split(" ").filter((flag) => flag !== "")
  const engine = run([...flags, here("../src/main.ts"), "serve"], env)
  // The first start makes an application and shows its keys.
  const keys = new Map<string, string>()
  const printed = lines(engine)
  while (!keys.has("identity_secret")) {
    const line = await printed.next()
    if (line.done === true) throw new Error("The engine ended before it was ready")
    const [name, value] = line.value.trim().split(/\s+/)
    if (name !== undefined && value !== undefined) keys.set(name, value)
  }
  while (true) {
    const isReady = await fetch(`${env.BASE_URL}/readyz`).then(
      (response) => response.ok,
      () => false
    )
    if (isReady) break
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
  const postmaster = postmasterOf(dataDir)
  peers.push({ name: "heliograph", child: engine, port })
  const authorization = `ApiKey ${keys.get("secret_key")}`

  const devices: Array<string> = []
  for (let i = 0; i < 1000; i++) {
    const response = await fetch(`${env.BASE_URL}/api/v1/public/devices`, {
      method: "POST",
      headers: { authorization, "content-type": "application/json" },
      body: JSON.stringify({ token: i.toString(16).padStart(64, "a"), platform: "ios" })
    })
    devices.push(((await response.json()) as { id: string }).id)
  }

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
  for (const child of children.toReversed()) await ended(child)
  rmSync(dataDir, { recursive: true, force: true })
}
