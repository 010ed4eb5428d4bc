import { expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { execFile } from "node:child_process"
import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { Report } from "../../../src/demo/Report.ts"
import { problemsOf, table } from "../../../src/demo/Report.ts"
import { freshDatabase } from "../../Database.ts"
import { makeNatsServer } from "../../NatsServer.ts"

const MAIN = join(import.meta.dirname, "../../../src/main.ts")

const directory = Effect.acquireRelease(
  Effect.promise(() => mkdtemp(join(tmpdir(), "heliograph-demo-"))),
  (path) => Effect.promise(() => rm(path, { recursive: true, force: true }))
)

interface Run {
  readonly code: number
  readonly report: Report
  readonly output: string
}

/** Runs the demo as a user does, and reads the last line that it prints. */
const demo = (args: ReadonlyArray<string>, env: NodeJS.ProcessEnv): Effect.Effect<Run> =>
  Effect.callback((resume) => {
    const child = execFile(
      process.execPath,
      [MAIN, "demo", "--json", ...args],
      { env: { PATH: process.env["PATH"], HOME: process.env["HOME"], ...env }, maxBuffer: 1 << 24 },
      (error, stdout, stderr) => {
        const last = stdout.trim().split("\n").at(-1) ?? ""
        const output = `${stdout}\n${stderr}`
        if (!last.startsWith("{")) return resume(Effect.die(new Error(`The demo printed no result.\n${output}`)))
        resume(Effect.succeed({ code: error === null ? 0 : 1, report: JSON.parse(last) as Report, output }))
      }
    )
    return Effect.sync(() => child.kill("SIGKILL"))
  })

const complete = (recipients: number) => ({
  accepted: recipients,
  sent: recipients,
  failed: 0,
  skipped: 0,
  cancelled: 0,
  pending: 0,
  lost: 0
})

it.live(
  "reconciles totals over four protocols with the embedded database, and again in a second run",
  () =>
    Effect.gen(function* () {
      const DATA_DIR = yield* directory
      for (const recipients of [400, 401]) {
        const { code, output, report } = yield* demo(["--devices", String(recipients)], { DATA_DIR })
        expect(report, output).toMatchObject({ ...complete(recipients), duplicates: 0 })
        expect(report.webhooks).toMatchObject({ expected: recipients * 2, received: recipients * 2, duplicates: 0 })
        const providers = Object.entries(report.providers).map(([name, { sent }]) => [name, sent > 0])
        expect(Object.fromEntries(providers)).toEqual({ apns: true, fcm: true, webpush: true, smtp: true })
        expect(Object.values(report.providers).reduce((sum, { sent }) => sum + sent, 0)).toBe(recipients)
        expect(code).toBe(0)
      }
    }),
  { timeout: 240_000, concurrent: true }
)

it.live(
  "does the same with external PostgreSQL and NATS, and two engine processes",
  () =>
    Effect.gen(function* () {
      const DATA_DIR = yield* directory
      const nats = yield* makeNatsServer
      const { url } = yield* freshDatabase("empty")
      const { code, output, report } = yield* demo(["--devices", "500", "--split"], {
        DATA_DIR,
        DATABASE_URL: url,
        NATS_URL: nats.url
      })
      expect(report, output).toMatchObject({ ...complete(500), duplicates: 0 })
      expect(report.webhooks).toMatchObject({ expected: 1000, received: 1000, duplicates: 0 })
      expect(code).toBe(0)
    }),
  { timeout: 240_000, concurrent: true }
)

it.live(
  "loses nothing when its engine is killed in the middle",
  () =>
    Effect.gen(function* () {
      const DATA_DIR = yield* directory
      const { code, output, report } = yield* demo(["--devices", "3000", "--kill"], { DATA_DIR, LEASE_SECONDS: "3" })
      expect(output).toContain("Killing the engine")
      expect(report, output).toMatchObject(complete(3000))
      expect(report.webhooks).toMatchObject({ expected: 6000, received: 6000 })
      expect(code).toBe(0)
    }),
  { timeout: 240_000, concurrent: true }
)

const closed: Report = {
  ...complete(10),
  duplicates: 0,
  seconds: 2,
  per_second: 5,
  providers: { apns: { sent: 10, per_second: 5 } },
  webhooks: { expected: 20, received: 20, duplicates: 0, per_second: 10 }
}

it("finds nothing wrong with reconciled totals, and names whatever does not reconcile", () => {
  expect(problemsOf(closed, false)).toEqual([])
  const broken = [
    { ...closed, sent: 9 },
    { ...closed, sent: 9, pending: 1 },
    { ...closed, lost: 1 },
    { ...closed, duplicates: 1 },
    { ...closed, webhooks: { ...closed.webhooks, received: 19 } },
    { ...closed, webhooks: { ...closed.webhooks, duplicates: 1 } }
  ]
  for (const report of broken) expect(problemsOf(report, false).length).toBeGreaterThan(0)
  expect(problemsOf({ ...closed, duplicates: 1 }, true)).toEqual([])
})

it("shows people the totals and the rates", () => {
  const shown = table(closed)
  expect(shown).toContain("accepted 10 = sent 10 + failed 0 + skipped 0 + cancelled 0 + pending 0")
  expect(shown).toMatch(/APNs +10 +5/)
})
