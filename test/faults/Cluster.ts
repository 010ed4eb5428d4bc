import { PgClient } from "@effect/sql-pg"
import type { Scope } from "effect"
import { Effect, Layer } from "effect"
import { randomBytes } from "node:crypto"
import { mkdtemp, rm } from "node:fs/promises"
import { hostname, tmpdir } from "node:os"
import { join } from "node:path"
import { nodeName, pool } from "../../layers/postgres/server/Database.ts"
import { createApplication } from "../../services/engine/access/Applications.ts"
import type { CredentialInput } from "../../services/engine/sending/Credentials.ts"
import { Credentials } from "../../services/engine/sending/Credentials.ts"
import { Audience } from "../../simulators/Audience.ts"
import type { FleetProcess } from "../../simulators/FleetProcess.ts"
import { commands } from "../../src/app.ts"
import type { NatsServer } from "../NatsServer.ts"
import { makeNatsServer } from "../NatsServer.ts"
import { lastingPort } from "../Ports.ts"
import type { PostgresServer } from "../PostgresServer.ts"
import type { Disk } from "./Disk.ts"
import type { Engine } from "./Engine.ts"
import { makeEngine } from "./Engine.ts"
import type { Gate } from "./Gate.ts"
import { makeGate } from "./Gate.ts"
import type { Load } from "./Load.ts"
import { makeLoad } from "./Load.ts"
import { untilRead } from "./Sockets.ts"
import { until } from "./Until.ts"

/** What all scenarios of a run share: a real PostgreSQL, and the sinks in a process of their own. */
export interface Base {
  readonly postgres: PostgresServer
  readonly fleet: FleetProcess
  readonly isLong: boolean
}

/** The sinks whose receipts are pushes; each notes `notification:device` for every one that it accepts. */
export const SINKS = ["apns", "apns-sandbox", "fcm", "webpush"] as const

export interface ClusterOptions {
  /** Nodes with all roles; two unless given. */
  readonly nodes?: number
  /** Further environment of a node. */
  readonly env?: (node: number) => NodeJS.ProcessEnv
  /** The server of this scenario, if not the one that all share. */
  readonly postgres?: PostgresServer
  readonly nats?: NatsServer
  /** The database is the one that the first node makes for itself in its DATA_DIR, below this directory. */
  readonly embeddedBelow?: string
  /** The disk that one of the servers is on, for the fault to fill. */
  readonly disk?: Disk
  /** Connections that pass through gates, one gate for each node (or one for all, to the providers). */
  readonly gates?: ReadonlyArray<"database" | "queue" | "providers">
  /** Sinks of this scenario, if not those that all share. */
  readonly fleet?: FleetProcess
  /** A command in front of a node's own. */
  readonly through?: (node: number) => ReadonlyArray<string>
  /** Where a node is reached; on loopback unless given. */
  readonly hostOf?: (node: number) => string
  /** Where the nodes reach their servers; on loopback unless given. */
  readonly address?: string
  /** Devices of each mailing. */
  readonly devices?: number
  /** Seconds that each mailing is worth sending; the service's default unless given. */
  readonly ttl?: number
  /** Messages to one device each instead of mailings, in a closed loop of so many clients. */
  readonly singles?: number
}

/** The service under test: its nodes, its neighbours, a customer who sends, and what is known of the faults. */
export interface Cluster {
  readonly base: Base
  readonly postgres: PostgresServer
  readonly nats: NatsServer
  readonly disk: Disk | undefined
  readonly engines: ReadonlyArray<Engine>
  readonly load: Load
  readonly devices: number
  /** Recipients of each notification. */
  readonly recipients: number
  readonly secretKey: string
  readonly gates: {
    readonly database: ReadonlyArray<Gate>
    readonly queue: ReadonlyArray<Gate>
    readonly providers: ReadonlyArray<Gate>
  }
  /** Different messages that the sinks have accepted. */
  readonly received: Effect.Effect<number>
  /** What the sinks have accepted and the database does not know of yet. */
  readonly inFlight: Effect.Effect<number>
  /** What all nodes have claimed and not finished: each of it may go once more when its node is stalled past the lease. */
  readonly inHand: Effect.Effect<number>
  /** What a frozen process has sent or begun, and not written: it goes once more when another one has its work. */
  readonly unwrittenOf: (frozen: Pick<Engine, "pid">) => Effect.Effect<number>
  /** Something that is done to the database by a connection of its own. */
  readonly database: <A, E>(work: Effect.Effect<A, E, PgClient.PgClient>) => Effect.Effect<A>
  /** Adds to what may arrive twice. */
  readonly mayRepeat: (messages: number) => void
  readonly bound: () => number
  /** SIGKILL, and what was in flight then may arrive twice. */
  readonly crash: (engine: Engine) => Effect.Effect<void>
  /** Waits until the sinks have accepted so many more. */
  readonly untilReceived: (more: number) => Effect.Effect<void, Error>
}

const DEVICES = 200
/** Between two single messages of one client: enough at once to be in flight, and few enough to be asked for one by one. */
const SINGLE_PACE_MS = 20
const TEMPORARY = "heliograph-faults-"

const directory = (below: string) =>
  Effect.acquireRelease(
    Effect.promise(() => mkdtemp(join(below, TEMPORARY))),
    (path) => Effect.promise(() => rm(path, { recursive: true, force: true }))
  )

/** A database of its own on a server, and where it is. */
const freshDatabase = (postgres: PostgresServer) =>
  Effect.gen(function* () {
    const name = `faults_${randomBytes(6).toString("hex")}`
    const sql = yield* PgClient.PgClient
    yield* sql`CREATE DATABASE ${sql(name)}`
    const url = new URL(postgres.url)
    url.pathname = `/${name}`
    return url.href
  }).pipe(Effect.provide(PgClient.layerFrom(pool(postgres.url, 2))), Effect.orDie)

const SETTINGS = {
  LOG_LEVEL: "warn",
  PROCESSES: "1",
  DATABASE_CONNECTIONS: "8",
  LEASE_SECONDS: "3",
  SWEEP_SECONDS: "1",
  FORGOTTEN_SECONDS: "1",
  RETRY_BASE_SECONDS: "1",
  BATCH_SIZE: "40",
  PLAN_PAGE: "80",
  DISPATCH_CONCURRENCY: "4",
  WEBHOOK_RETRY_DELAYS: "1,1,2,4,8"
}

/** Batches that a process holds and has written no result of: their messages, as the sinks name them. */
const heldBy = (name: string) =>
  Effect.flatMap(
    PgClient.PgClient,
    (sql) => sql<{ readonly keys: ReadonlyArray<string> }>`
      SELECT ARRAY(SELECT b.notification_id || ':' || unnest(b.recipients)) AS keys FROM holders h
      JOIN all_batches b ON b.lease_holder = h.id
      WHERE h.name = ${name} AND NOT b.done AND b.lease_until IS NOT NULL`
  )

export const makeCluster = Effect.fnUntraced(function* (
  shared: Base,
  options: ClusterOptions = {}
): Effect.fn.Return<Cluster, Error, Scope.Scope> {
  const base = { ...shared, fleet: options.fleet ?? shared.fleet }
  const { fleet } = base
  yield* Effect.promise(() => fleet.reset())
  for (const sink of SINKS) yield* Effect.promise(() => fleet.behave(sink))
  const postgres = options.postgres ?? base.postgres
  const nats = options.nats ?? (yield* makeNatsServer)
  const databaseUrl = options.embeddedBelow === undefined ? yield* freshDatabase(postgres) : null
  const dataDir = yield* directory(options.embeddedBelow ?? tmpdir())
  const masterKey = randomBytes(32).toString("hex")
  const gated = new Set(options.gates)

  const engines: Array<Engine> = []
  const gates = { database: [] as Array<Gate>, queue: [] as Array<Gate>, providers: [] as Array<Gate> }
  const through = Effect.fnUntraced(function* (kind: "database" | "queue", url: string) {
    const target = new URL(url)
    if (!gated.has(kind)) {
      target.hostname = options.address ?? target.hostname
      return target.href
    }
    const gate = yield* makeGate({ host: target.hostname, port: Number(target.port) })
    gates[kind].push(gate)
    target.hostname = "127.0.0.1"
    target.port = String(gate.port)
    return target.href
  })
  for (let node = 0; node < (options.nodes ?? 2); node++) {
    const port = yield* lastingPort
    const host = options.hostOf?.(node) ?? "127.0.0.1"
    engines.push(
      yield* makeEngine({
        name: `node ${node + 1}`,
        through: options.through?.(node) ?? [],
        env: {
          PATH: process.env["PATH"],
          ...SETTINGS,
          ...fleet.description.settings,
          ...(databaseUrl === null ? {} : { DATABASE_URL: yield* through("database", databaseUrl) }),
          NATS_URL: yield* through("queue", nats.url),
          MASTER_KEY: masterKey,
          DATA_DIR: dataDir,
          PORT: String(port),
          HOST: host,
          BASE_URL: `http://${host}:${port}`,
          ...options.env?.(node)
        }
      })
    )
  }

  // The first node migrates; where the database is embedded it has to be there for the commands as well.
  const [first, ...others] = engines
  yield* first!.launch
  yield* first!.ready
  const environment = {
    ...process.env,
    ...fleet.description.settings,
    ...(databaseUrl === null ? {} : { DATABASE_URL: databaseUrl }),
    MASTER_KEY: masterKey,
    DATA_DIR: dataDir
  }
  const { appId, secretKey } = yield* Effect.gen(function* () {
    const app = yield* createApplication("Faults")
    const credentials = yield* Credentials
    for (const [kind, value] of Object.entries(fleet.description.credentials)) {
      const isGated = gated.has("providers") && (kind === "apns" || kind === "fcm")
      const input = { kind, value: isGated ? yield* detour(value, gates.providers) : value } as CredentialInput
      yield* credentials.put(app.appId, input)
    }
    return app
  }).pipe(Effect.provide(commands(environment)), Effect.orDie)
  for (const engine of others) yield* engine.launch
  for (const engine of others) yield* engine.ready

  const headers = { authorization: `ApiKey ${secretKey}`, "content-type": "application/json" }
  const [receiver] = fleet.description.receivers
  const devices = options.devices ?? DEVICES
  const audience = new Audience(fleet.description.audience)
  const ids = yield* Effect.promise(async () => {
    const webhook = {
      name: receiver!.name,
      url: receiver!.url,
      secret: receiver!.secret,
      events: ["NOTIFICATION_SENT"]
    }
    const made = await fetch(`${first!.url}/api/v1/webhooks`, {
      method: "POST",
      headers,
      body: JSON.stringify(webhook)
    })
    if (made.status !== 201) throw new Error(`The webhook was answered ${made.status} ${await made.text()}`)
    const imported = await fetch(`${first!.url}/api/v1/devices/import`, {
      method: "POST",
      headers: { ...headers, "content-type": "application/x-ndjson" },
      body: [...audience.lines(devices)].join("")
    })
    const lines = (await imported.text()).trim().split("\n")
    if (lines.length !== devices || lines.some((line) => line.includes('"error"'))) {
      throw new Error(`The import was answered ${imported.status} ${lines[0]}`)
    }
    return lines.map((line) => (JSON.parse(line) as { readonly id: string }).id)
  })

  const { singles } = options
  const bodyOf = (number: number) => ({
    to: singles === undefined ? { all: true } : { device_ids: [ids[number % ids.length]!] },
    content: { title: `Mailing ${number}`, body: "One of many" },
    ...(number % 4 === 3 ? { priority: "high" } : {}),
    ...(options.ttl === undefined ? {} : { ttl: options.ttl })
  })
  const load = makeLoad(
    engines,
    secretKey,
    bodyOf,
    singles === undefined ? {} : { senders: singles, paceMs: SINGLE_PACE_MS }
  )

  const sinkTotals = Effect.promise(async () => {
    const stats = await fleet.stats()
    return SINKS.reduce((sum, sink) => sum + stats[sink]!.accepted - stats[sink]!.duplicates, 0)
  })
  const ports = new Set(SINKS.map((sink) => Number(new URL(fleet.description.urls[sink]).port)))
  // What a process that was stopped had written is noted by the sinks' next turn: another has passed with an answer.
  const allRead = Effect.andThen(Effect.orDie(untilRead(ports)), sinkTotals)
  // By a connection of its own: what a fault does to the nodes' connections does not touch it.
  const counting =
    databaseUrl === null ? null : yield* Layer.build(PgClient.layerFrom(pool(databaseUrl, 1)).pipe(Layer.orDie))
  const count = <A, E>(work: Effect.Effect<ReadonlyArray<A>, E, PgClient.PgClient>) =>
    counting === null ? Effect.succeed([]) : work.pipe(Effect.provide(counting), Effect.orDie)
  const progress = count(
    Effect.flatMap(
      PgClient.PgClient,
      (sql) => sql<{ readonly sent: number; readonly claimed: number }>`
        SELECT coalesce(sum(sent), 0)::integer AS sent,
          coalesce(sum(pending) FILTER (WHERE NOT done AND lease_until IS NOT NULL), 0)::integer AS claimed
        FROM all_batches WHERE app_id = ${appId}`
    )
  ).pipe(Effect.map(([row]) => row ?? { sent: 0, claimed: 0 }))
  const database: Cluster["database"] = (work) =>
    databaseUrl === null
      ? Effect.die(new Error("the database of this scenario is a node's own"))
      : work.pipe(Effect.provide(PgClient.layerFrom(pool(databaseUrl, 2))), Effect.orDie)
  const inFlight = Effect.gen(function* () {
    // In this order: what is written between the two questions is counted as in flight, not the other way round.
    const { sent } = yield* progress
    yield* allRead
    return Math.max(0, (yield* sinkTotals) - sent)
  })
  const unwrittenOf = Effect.fnUntraced(function* ({ pid }: Pick<Engine, "pid">) {
    const held = yield* count(heldBy(nodeName(pid(), hostname())))
    yield* allRead
    const received = new Set<string>()
    for (const sink of SINKS) {
      for (const key of (yield* Effect.promise(() => fleet.received(sink))).keys()) received.add(key)
    }
    // Of a batch that had begun the rest counts too: a process that is stopped between its look at the lease and the
    // socket has begun more than the wire shows, and writes it as soon as it goes on.
    return held
      .filter(({ keys }) => keys.some((key) => received.has(key)))
      .reduce((sum, { keys }) => sum + keys.length, 0)
  })
  let bound = 0
  const mayRepeat = (messages: number) => {
    bound += messages
  }
  return {
    base,
    postgres,
    nats,
    disk: options.disk,
    engines,
    load,
    devices,
    recipients: singles === undefined ? devices : 1,
    secretKey,
    gates,
    received: sinkTotals,
    inFlight,
    unwrittenOf,
    database,
    inHand: Effect.map(progress, ({ claimed }) => claimed),
    mayRepeat,
    bound: () => bound,
    crash: Effect.fnUntraced(function* (engine) {
      yield* engine.kill
      mayRepeat(yield* inFlight)
    }),
    untilReceived: Effect.fnUntraced(function* (more) {
      const before = yield* sinkTotals
      yield* until(`${more} more messages arrive`, sinkTotals, (now) => now >= before + more)
    })
  }
})

/** The same credential, by way of a gate to each endpoint. Who signs for a token names the true address, and asks there. */
const detour = Effect.fnUntraced(function* (credential: unknown, gates: Array<Gate>) {
  const detoured = { ...(credential as Record<string, unknown>) }
  for (const field of ["endpoint", "sandbox_endpoint"]) {
    const url = detoured[field]
    if (typeof url !== "string") continue
    const gate = yield* makeGate({ port: Number(new URL(url).port) })
    gates.push(gate)
    detoured[field] = `https://127.0.0.1:${gate.port}`
  }
  return detoured
})
