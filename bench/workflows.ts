import { readFileSync } from "node:fs"
import { join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import { Client } from "pg"
import { uuidv7 } from "../services/ports/NewId.ts"
import { onStage } from "./Child.ts"
import { cpuOf, forgetPeak, peakOf } from "./Cpu.ts"
import type { Benchmark } from "./Harness.ts"
import { say } from "./Harness.ts"
import { startEngine } from "./ingress/Engine.ts"

/*
 * Workflows: all contacts of an application enter FILTER → DELAY → SEND, by one engine process with its own PostgreSQL
 * (fsync on): how fast they enter and how fast those who waited go on, what a run costs of CPU, and what runs that wait
 * cost while nothing is due. Nobody has a device: what sending costs is said by `mailing`.
 *
 *   npm run bench -- workflows [--contacts 1000000]
 */

const TICK_MS = 100

interface Step {
  readonly entered: number
  readonly passed: number
  readonly waiting: number
}

export const benchmark: Benchmark = {
  name: "workflows",
  about: "contacts that enter FILTER, DELAY, SEND: runs a second, CPU a run, and what waiting costs",
  run: ({ flags, short }) =>
    onStage(async (stage) => {
      const contacts = Number(flags.get("contacts") ?? (short ? 50_000 : 1_000_000))
      const engine = await startEngine({
        ROLES: "api,dispatch,workflows",
        PROCESSES: "1",
        SWEEP_SECONDS: "1",
        RATE_LIMIT_SECRET: "60000000/60"
      })
      stage.onClose(engine.close)
      const call = async (method: string, path: string, body?: unknown): Promise<any> => {
        const response = await fetch(`${engine.url}/api/v1${path}`, {
          method,
          headers: { authorization: engine.authorization, "content-type": "application/json" },
          ...(body === undefined ? {} : { body: JSON.stringify(body) })
        })
        if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`)
        return response.json()
      }
      const cpu = () => ({
        engine: cpuOf([engine.process.pid!]),
        postgres: cpuOf([engine.postmaster]),
        at: performance.now()
      })
      const between = (from: ReturnType<typeof cpu>, to: ReturnType<typeof cpu>) => ({
        engine: to.engine - from.engine,
        postgres: to.postgres - from.postgres,
        seconds: (to.at - from.at) / 1000
      })
      const activated = async (name: string, steps: ReadonlyArray<unknown>): Promise<string> => {
        const { id } = await call("POST", "/workflows", { name, trigger: { type: "api" }, steps })
        await call("POST", `/workflows/${id}/activate`)
        return id
      }
      const until = async (id: string, isThere: (steps: ReadonlyArray<Step>) => boolean): Promise<void> => {
        while (!isThere((await call("GET", `/workflows/${id}/statistics`)).steps)) await sleep(TICK_MS)
      }

      const access = JSON.parse(readFileSync(join(engine.dataDir, "postgres.json"), "utf8"))
      const database = new Client({ ...access, host: "127.0.0.1", user: "heliograph", database: "heliograph" })
      await database.connect()
      stage.onClose(() => database.end())
      const app = (await call("GET", "/application")).id
      for (let from = 0; from < contacts; from += 10_000) {
        const ids = Array.from({ length: Math.min(10_000, contacts - from) }, () => uuidv7())
        await database.query(
          `INSERT INTO contacts (id, app_id, external_id, attributes)
           SELECT id, $2, 'u' || ($3 + n), '{"plan":"pro"}' FROM unnest($1::uuid[]) WITH ORDINALITY AS t (id, n)`,
          [ids, app, from]
        )
      }
      say(`${contacts} contacts`)

      // A warm-up, whose runs wait for a year: what they cost then is measured too.
      const idle = await activated("Waiting", [{ key: "year", type: "DELAY", seconds: 31_536_000 }])
      const idleBefore = cpu()
      await sleep(5000)
      const calm = between(idleBefore, cpu())
      await call("POST", `/workflows/${idle}/trigger`, { to: { all: true } })
      await until(idle, ([first]) => first!.waiting >= contacts)
      const waitingBefore = cpu()
      await sleep(5000)
      const loaded = between(waitingBefore, cpu())

      const delay = Math.max(30, Math.ceil(contacts / 5000))
      const id = await activated("Welcome", [
        { key: "pro", type: "FILTER", conditions: { attributes: [{ name: "plan", op: "equals", value: "pro" }] } },
        { key: "later", type: "DELAY", seconds: delay },
        { key: "hello", type: "SEND", channels: ["push"], content: { title: "Hello" } }
      ])
      forgetPeak(engine.process.pid!)
      const start = cpu()
      await call("POST", `/workflows/${id}/trigger`, { to: { all: true } })
      await until(id, ([filter]) => filter!.entered >= contacts)
      const entered = between(start, cpu())
      say(`entered: ${Math.round(contacts / entered.seconds)} a second`)
      const [{ oldest }] = (
        await database.query(
          "SELECT min(due_at) AS oldest FROM execution_timers WHERE due_at < now() + interval '1 day'"
        )
      ).rows
      await sleep(Math.max(0, Number(oldest) - Date.now()))
      const due = cpu()
      await until(id, ([, , send]) => send!.passed >= contacts)
      const sent = between(due, cpu())

      const [row] = (
        await database.query(
          `SELECT count(*)::int AS all, count(*) FILTER (WHERE status = 'completed')::int AS completed
           FROM executions WHERE workflow_id = $1`,
          [id]
        )
      ).rows
      if (row.all !== contacts || row.completed !== contacts)
        throw new Error(`Runs are missing: ${JSON.stringify(row)}`)
      const each = (us: number) => us / contacts
      return {
        name: "workflows",
        tables: [],
        facts: {
          contacts,
          "entering: runs a second": contacts / entered.seconds,
          "entering: CPU µs a run, engine": each(entered.engine),
          "entering: CPU µs a run, PostgreSQL": each(entered.postgres),
          "going on and sending: runs a second": contacts / sent.seconds,
          "going on and sending: CPU µs a run, engine": each(sent.engine),
          "going on and sending: CPU µs a run, PostgreSQL": each(sent.postgres),
          "both: CPU µs a run (at most 100)": each(entered.engine + entered.postgres + sent.engine + sent.postgres),
          "peak memory of the engine, MB": peakOf(engine.process.pid!),
          [`idle, ${contacts} runs waiting: CPU ms a second`]:
            (loaded.engine + loaded.postgres) / 1000 / loaded.seconds,
          "idle, none waiting: CPU ms a second": (calm.engine + calm.postgres) / 1000 / calm.seconds,
          "every run is accounted for": true
        }
      }
    })
}
