import { Effect, Schedule, Schema } from "effect"
import type { Scope } from "effect"
import { randomBytes } from "node:crypto"
import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { ApplicationSecrets } from "../services/domain/access/Application.ts"
import type { Counts } from "../services/domain/sending/Delivery.ts"
import { createApplication } from "../services/engine/access/Applications.ts"
import { Audience } from "../simulators/Audience.ts"
import type { Fleet, FleetOptions } from "../simulators/Fleet.ts"
import { startFleet } from "../simulators/Fleet.ts"
import { commands } from "../src/app.ts"
import type { Child } from "../src/demo/DemoProcesses.ts"
import { ready, start } from "../src/demo/DemoProcesses.ts"
import { freshDatabase } from "./Database.ts"
import { lastingPort } from "./Ports.ts"

/**
 * The whole service as its users meet it: real processes, a real database, real protocols, simulators at the far ends.
 */
export interface System {
  readonly url: string
  readonly fleet: Fleet
  readonly audience: Audience
  readonly app: ApplicationSecrets
  readonly env: NodeJS.ProcessEnv
  /** Starts one more engine process, or one again after `kill`. */
  readonly startEngine: (over?: NodeJS.ProcessEnv) => Effect.Effect<Child, never, Scope.Scope>
  readonly engine: Child
  /** A REST call with the application's secret key, or other headers. */
  readonly call: (
    method: string,
    path: string,
    body?: unknown,
    headers?: Readonly<Record<string, string>>
  ) => Effect.Effect<Answer>
  /** Imports `count` devices of the fleet's audience, from number `from`. */
  readonly importDevices: (count: number, from?: number) => Effect.Effect<ReadonlyArray<string>>
  /** Sends, and answers the notification's id. */
  readonly send: (request: unknown) => Effect.Effect<string>
  /** Waits until a notification has the state that the predicate wants, and answers it. */
  readonly until: (id: string, isThere: (shown: Shown) => boolean) => Effect.Effect<Shown>
}

export interface Answer {
  readonly status: number
  readonly headers: Headers
  readonly body: any
}

export interface Shown {
  readonly id: string
  readonly status: string
  readonly counts: Counts
  readonly created_at: string
  readonly started_at: string | null
  readonly completed_at: string | null
}

export class NotThere extends Schema.TaggedError<NotThere>()("NotThere", { shown: Schema.Unknown }) {}

/** Asks again and again, for two minutes or more, until the answer is as it should be. */
export const eventually = <A>(ask: Effect.Effect<A>, isThere: (answer: A) => boolean): Effect.Effect<A> =>
  ask.pipe(
    Effect.flatMap((answer) =>
      isThere(answer) ? Effect.succeed(answer) : Effect.fail(new NotThere({ shown: answer }))
    ),
    Effect.retry({ schedule: Schedule.spaced("50 millis"), times: 2400 }),
    Effect.orDie
  )

/** Whether the totals of a notification reconcile. */
export const reconciles = ({ counts }: Shown): boolean =>
  counts.accepted === counts.sent + counts.failed + counts.skipped + counts.cancelled + counts.pending

/** Settings beside those of the tests, or what makes them of the fleet's. */
export type Over = NodeJS.ProcessEnv | ((fleet: Fleet["description"]["settings"]) => NodeJS.ProcessEnv)

export const makeSystem = Effect.fnUntraced(function* (
  over: Over = {},
  fleetOptions: FleetOptions = {}
): Effect.fn.Return<System, never, Scope.Scope> {
  const fleet = yield* Effect.acquireRelease(
    Effect.promise(() => startFleet(fleetOptions)),
    (fleet) => Effect.promise(() => fleet.close())
  )
  const database = yield* freshDatabase()
  const dataDir = yield* Effect.acquireRelease(
    Effect.promise(() => mkdtemp(join(tmpdir(), "heliograph-system-"))),
    (path) => Effect.promise(() => rm(path, { recursive: true, force: true }))
  )
  const port = yield* lastingPort
  const url = `http://127.0.0.1:${port}`
  const env: NodeJS.ProcessEnv = {
    PATH: process.env["PATH"],
    DATABASE_URL: database.url,
    MASTER_KEY: randomBytes(32).toString("hex"),
    DATA_DIR: dataDir,
    PORT: String(port),
    BASE_URL: url,
    LOG_LEVEL: "warn",
    // Quicker to start; Processes.test.ts and the demo try several.
    PROCESSES: "1",
    SWEEP_SECONDS: "1",
    FORGOTTEN_SECONDS: "2",
    RETRY_BASE_SECONDS: "1",
    ...fleet.description.settings,
    ...(typeof over === "function" ? over(fleet.description.settings) : over)
  }
  const startEngine = Effect.fnUntraced(function* (more: NodeJS.ProcessEnv = {}) {
    const own = { ...env, ...more }
    const child = yield* start(["serve"], own)
    yield* ready(child, own["BASE_URL"]!, "/readyz").pipe(Effect.orDie)
    return child
  })
  const engine = yield* startEngine()
  const app = yield* createApplication("Test").pipe(Effect.provide(commands(env)), Effect.orDie)
  const authorization = `ApiKey ${app.secretKey}`

  const call: System["call"] = (method, path, body, headers) =>
    Effect.promise(async () => {
      const response = await fetch(url + path, {
        method,
        headers: { authorization, "content-type": "application/json", ...headers },
        ...(body === undefined ? {} : { body: typeof body === "string" ? body : JSON.stringify(body) })
      })
      const text = await response.text()
      return { status: response.status, headers: response.headers, body: text === "" ? null : JSON.parse(text) }
    })

  for (const [kind, credential] of Object.entries(fleet.description.credentials)) {
    const { status } = yield* call("PUT", `/api/v1/credentials/${kind}`, credential)
    if (status !== 200) throw new Error(`The ${kind} credential was answered ${status}`)
  }

  const audience = new Audience(fleet.description.audience)
  const importDevices: System["importDevices"] = (count, from = 0) =>
    Effect.promise(async () => {
      const response = await fetch(`${url}/api/v1/devices/import`, {
        method: "POST",
        headers: { authorization, "content-type": "application/x-ndjson" },
        body: [...audience.lines(count, from)].join("")
      })
      const lines = (await response.text()).trim().split("\n")
      return lines.map((line) => (JSON.parse(line) as { id: string }).id)
    })

  const send: System["send"] = (request) =>
    Effect.map(call("POST", "/api/v1/notifications", request), ({ body, status }) => {
      if (status !== 202) throw new Error(`${status} ${JSON.stringify(body)}`)
      return body.id as string
    })

  const until: System["until"] = (id, isThere) =>
    eventually(
      Effect.map(call("GET", `/api/v1/notifications/${id}`), ({ body }) => body as Shown),
      isThere
    )

  return { url, fleet, audience, app, env, startEngine, engine, call, importDevices, send, until }
})
