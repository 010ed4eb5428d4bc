import { Clock, Effect } from "effect"
import type { Scope } from "effect"
import { randomBytes } from "node:crypto"
import { resolve } from "node:path"
import { createApplication } from "../../services/engine/access/Applications.ts"
import { Audience } from "../../simulators/Audience.ts"
import type { FleetProcess } from "../../simulators/FleetProcess.ts"
import { forkFleet } from "../../simulators/FleetProcess.ts"
import { commands } from "../app.ts"
import type { Client } from "./Client.ts"
import { makeClient } from "./Client.ts"
import type { Child } from "./DemoProcesses.ts"
import { DemoError, lastingPort, ready, start } from "./DemoProcesses.ts"
import type { Report } from "./Report.ts"

export interface DemoOptions {
  /** Recipients: nine of ten are devices, the rest e-mail channels. */
  readonly devices: number
  /** Two engine processes, one for the API and one for the work, as on two nodes. */
  readonly isSplit: boolean
  /** Kills the process that sends in the middle of the mailing, with SIGKILL, and starts it again. */
  readonly isKilled: boolean
  readonly say: (line: string) => void
  readonly progress: (label: string, done: number, all: number) => void
}

interface Counts {
  readonly accepted: number
  readonly pending: number
  readonly sent: number
  readonly failed: number
  readonly skipped: number
  readonly cancelled: number
}

/** The simulators whose receipts are messages of a provider. */
const PROVIDERS = { apns: ["apns", "apns-sandbox"], fcm: ["fcm"], webpush: ["webpush"], smtp: ["smtp"] } as const
const EMAIL_CALLS = 32
const POLL = "100 millis"
/** Without a step forward for so long, the demo gives up. */
const TIMEOUT_MS = 60_000

export const fleetOf = Effect.acquireRelease(
  Effect.tryPromise({
    try: () => forkFleet(),
    catch: (error) => new DemoError({ message: `The simulators did not start: ${(error as Error).message}` })
  }),
  (fleet) => Effect.promise(() => fleet.stop())
)

const asking = <A>(what: string, ask: () => Promise<A>): Effect.Effect<A, DemoError> =>
  Effect.tryPromise({
    try: ask,
    catch: (error) => new DemoError({ message: `${what}: ${(error as Error).message}` })
  })

/** The environment of the demo's engines: the caller's, with what the simulators need, away from other data. */
export const environment = (fleet: FleetProcess, port: number): NodeJS.ProcessEnv => ({
  LOG_LEVEL: "warn",
  ...process.env,
  ...fleet.description.settings,
  // An external database has no data directory to keep a key in; this one is for this run's application alone.
  ...(process.env["DATABASE_URL"] ? { MASTER_KEY: process.env["MASTER_KEY"] || randomBytes(32).toString("hex") } : {}),
  DATA_DIR: resolve(process.env["DATA_DIR"] || ".data/demo"),
  HOST: "127.0.0.1",
  PORT: String(port),
  BASE_URL: `http://127.0.0.1:${port}`
})

interface Engines {
  readonly url: string
  /** The process that sends. */
  readonly kill: Effect.Effect<void>
  readonly restart: Effect.Effect<void, DemoError, Scope.Scope>
}

const engines = Effect.fnUntraced(function* (env: NodeJS.ProcessEnv, options: DemoOptions) {
  const url = env["BASE_URL"]!
  const workerPort = yield* lastingPort
  const workerEnv = options.isSplit
    ? { ...env, PORT: String(workerPort), BASE_URL: `http://127.0.0.1:${workerPort}` }
    : env
  const startWorker = Effect.gen(function* () {
    const child = yield* start(["serve", ...(options.isSplit ? ["--roles", "dispatch,webhooks"] : [])], workerEnv)
    yield* ready(child, workerEnv["BASE_URL"]!, "/readyz")
    return child
  })
  let worker: Child
  if (options.isSplit) {
    const api = yield* start(["serve", "--roles", "api"], env)
    yield* ready(api, url, "/readyz")
  }
  worker = yield* startWorker
  const engine: Engines = {
    url,
    kill: Effect.suspend(() => worker.killAll),
    restart: Effect.map(startWorker, (child) => {
      worker = child
    })
  }
  return engine
})

/** Registers the audience: devices by one NDJSON import, e-mail channels one by one. */
const register = Effect.fnUntraced(function* (client: Client, fleet: FleetProcess, options: DemoOptions) {
  const emails = Math.floor(options.devices / 10)
  const devices = options.devices - emails
  const audience = new Audience(fleet.description.audience)
  let written = 0
  let registered = 0
  let refused: unknown = null
  const encoder = new TextEncoder()
  const body = new ReadableStream<Uint8Array>({
    pull: (controller) => {
      const lines: Array<string> = []
      while (written < devices && lines.length < 1000) {
        lines.push(JSON.stringify(audience.device(written++)))
      }
      if (lines.length > 0) controller.enqueue(encoder.encode(`${lines.join("\n")}\n`))
      if (written >= devices) controller.close()
    }
  })
  yield* client.lines("/devices/import", body, (line) => {
    if (line.error === undefined) options.progress("Devices", ++registered, devices)
    else refused ??= line.error
  })
  if (registered !== devices) {
    return yield* new DemoError({
      message: `${devices} devices were imported, ${registered} registered. First refusal: ${JSON.stringify(refused)}`
    })
  }
  let channels = 0
  yield* Effect.forEach(
    Array.from({ length: emails }, (_, index) => index),
    (index) =>
      client
        .call("POST", "/channels", { kind: "email", address: audience.email(index) })
        .pipe(Effect.tap(() => Effect.sync(() => options.progress("E-mail", ++channels, emails)))),
    { concurrency: EMAIL_CALLS, discard: true }
  )
  return { emails, devices }
})

/** Receipts of the simulators: how many, how many different ones. */
const receipts = Effect.fnUntraced(function* (fleet: FleetProcess, simulators: ReadonlyArray<string>) {
  let all = 0
  let unique = 0
  for (const simulator of simulators) {
    const received = yield* asking(`The ${simulator} simulator`, () => fleet.received(simulator))
    unique += received.size
    for (const count of received.values()) all += count
  }
  return { unique, duplicates: all - unique }
})

/** Follows the mailing, then its webhooks, to their ends. */
const follow = Effect.fnUntraced(function* (
  client: Client,
  fleet: FleetProcess,
  engine: Engines,
  id: string,
  options: DemoOptions
) {
  const startedAt = yield* Clock.currentTimeMillis
  let last = startedAt
  let seen = -1
  let hasKilled = !options.isKilled
  const webhookNames = fleet.description.receivers.map(({ name }) => `webhooks/${name}`)
  let counts: Counts | null = null
  let seconds = 0
  while (true) {
    const now = yield* Clock.currentTimeMillis
    const shown = yield* (
      client
        .call<{ readonly status: string; readonly counts: Counts }>("GET", `/notifications/${id}`)
        // While its only engine is being replaced, nobody answers.
        .pipe(Effect.catch((error) => (options.isKilled && now - last < TIMEOUT_MS ? Effect.succeed(null) : error)))
    )
    const stats = yield* asking("The simulators", () => fleet.stats())
    // Events, not posts: what a killed engine posts again stands for nothing that is still to come.
    const posts = webhookNames.reduce((sum, name) => sum + stats[name]!.accepted - stats[name]!.duplicates, 0)
    if (shown !== null) counts = shown.counts
    const isDone = shown?.status === "completed"
    if (isDone && seconds === 0) {
      seconds = (now - startedAt) / 1000
      options.progress("Mailing", counts!.accepted - counts!.pending, counts!.accepted)
    }
    const expected = (counts?.sent ?? 0) * webhookNames.length
    if (isDone && posts >= expected) {
      return { counts: counts!, seconds, webhookSeconds: (now - startedAt) / 1000 }
    }
    if (isDone) options.progress("Webhooks", posts, expected)
    else if (counts !== null) options.progress("Mailing", counts.accepted - counts.pending, options.devices)

    const done = posts + (counts?.sent ?? 0) + (counts?.failed ?? 0)
    if (done !== seen) [seen, last] = [done, now]
    else if (now - last > TIMEOUT_MS) {
      return { counts: counts!, seconds: seconds || (now - startedAt) / 1000, webhookSeconds: (now - startedAt) / 1000 }
    }
    const sending = Object.values(PROVIDERS)
      .flat()
      .reduce((sum, name) => sum + stats[name]!.accepted, 0)
    if (!hasKilled && sending > options.devices * 0.3) {
      hasKilled = true
      options.say(`Killing the engine (SIGKILL) after ${sending} messages, and starting it again`)
      yield* engine.kill
      yield* engine.restart
    }
    yield* Effect.sleep(POLL)
  }
})

/**
 * The main job, on its own: starts the engine, simulators of all providers and two webhook receivers; registers an
 * audience over REST; sends one mailing to it; compares what was accepted with what arrived.
 */
export const runDemo = Effect.fnUntraced(function* (options: DemoOptions) {
  if (options.isSplit && !process.env["NATS_URL"]) {
    return yield* new DemoError({ message: "Two engine processes need a queue between them: set NATS_URL." })
  }
  options.say("Starting the simulators: APNs, FCM, a Web Push service, SMTP, two webhook receivers")
  const fleet = yield* fleetOf
  const env = environment(fleet, yield* lastingPort)
  options.say("Starting the engine and its database")
  const engine = yield* engines(env, options)
  const application = yield* createApplication("Demo mailing").pipe(
    Effect.provide(commands(env)),
    Effect.mapError((error) => new DemoError({ message: `The application was not created: ${String(error)}` }))
  )
  const client = makeClient(engine.url, application.secretKey)
  for (const [kind, credential] of Object.entries(fleet.description.credentials)) {
    yield* client.call("PUT", `/credentials/${kind}`, credential)
  }
  for (const { name, secret, url } of fleet.description.receivers) {
    yield* client.call("POST", "/webhooks", { name, url, secret, events: ["NOTIFICATION_SENT"] })
  }
  const { devices, emails } = yield* register(client, fleet, options)
  options.say(`Sending one mailing to ${devices} devices and ${emails} e-mail addresses`)
  const { id } = yield* client.call<{ readonly id: string }>("POST", "/notifications", {
    to: { all: true },
    content: {
      title: "Hello from Heliograph",
      body: "One mailing over four protocols, every recipient accounted for.",
      url: "https://example.com/welcome",
      subject: "Hello from Heliograph",
      html: "<p>One mailing over four protocols, <b>every recipient accounted for</b>.</p>"
    }
  })
  const { counts, seconds, webhookSeconds } = yield* follow(client, fleet, engine, id, options)

  const providers: Record<string, { sent: number; per_second: number }> = {}
  let unique = 0
  let duplicates = 0
  for (const [name, simulators] of Object.entries(PROVIDERS)) {
    const received = yield* receipts(fleet, simulators)
    unique += received.unique
    duplicates += received.duplicates
    providers[name] = { sent: received.unique, per_second: Math.round(received.unique / seconds) }
  }
  const webhooks = yield* receipts(
    fleet,
    fleet.description.receivers.map(({ name }) => `webhooks/${name}`)
  )
  const report: Report = {
    accepted: counts.accepted,
    sent: counts.sent,
    failed: counts.failed,
    skipped: counts.skipped,
    cancelled: counts.cancelled,
    pending: counts.pending,
    lost: Math.max(0, counts.sent - unique),
    duplicates,
    seconds,
    per_second: Math.round(counts.accepted / seconds),
    providers,
    webhooks: {
      expected: counts.sent * fleet.description.receivers.length,
      received: webhooks.unique,
      duplicates: webhooks.duplicates,
      per_second: Math.round(webhooks.unique / webhookSeconds)
    }
  }
  return report
})
