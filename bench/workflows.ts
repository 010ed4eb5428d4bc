import { setTimeout as sleep } from "node:timers/promises"
import { uuidv7 } from "../services/ports/NewId.ts"
import { onStage } from "./Child.ts"
import { cpuOf, forgetPeak, peakOf } from "./Cpu.ts"
import { countingDatabase } from "./Database.ts"
import type { Benchmark } from "./Harness.ts"
import { say } from "./Harness.ts"
import { startEngine } from "./ingress/Engine.ts"

/*
 * Workflows: all contacts of an application enter FILTER → DELAY → SEND, by one engine process with a PostgreSQL of its own
 * (fsync on): how fast they enter and how fast those who waited go on, what a run costs of CPU and statements, and what
 * runs that wait cost while nothing is due. Nobody has a device: what sending costs is said by `mailing`.
 *
 *   npm run bench -- workflows [--contacts 1000000] [--statements 10]
 */

const TICK_MS = 100
/** Runs that wait for a year while it is measured what that costs, and for how long. */
const WAITING = 100_000
const IDLE_MS = 10_000

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
      const database = await countingDatabase(stage)
      const engine = await startEngine({
        DATA_DIR: database.dataDir,
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
        postgres: cpuOf([database.pid]),
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

      const app = (await call("GET", "/application")).id
      for (let from = 0; from < contacts; from += 10_000) {
        const ids = Array.from({ length: Math.min(10_000, contacts - from) }, () => uuidv7())
        await database.ask(
          `INSERT INTO contacts (id, app_id, external_id, attributes)
           SELECT id, $2, 'u' || ($3 + n), '{"plan":"pro"}' FROM unnest($1::uuid[]) WITH ORDINALITY AS t (id, n)`,
          [ids, app, from]
        )
      }
      say(`${contacts} contacts`)

      // A warm-up, whose runs wait for a year: what they cost then is measured too.
      const idle = await activated("Waiting", [{ key: "year", type: "DELAY", seconds: 31_536_000 }])
      const waiting = Math.min(contacts, WAITING)
      await database.ask("UPDATE contacts SET tags = '{first}' WHERE external_id = ANY($1)", [
        Array.from({ length: waiting }, (_, n) => `u${n + 1}`)
      ])
      /** Those who wait have entered before the audience was looked through: the others of it are no cost of theirs. */
      const lookedThrough = async (): Promise<void> => {
        while ((await database.ask("SELECT FROM workflow_entries LIMIT 1")).length > 0) await sleep(TICK_MS)
      }
      // What the server has still to do for the contacts is not the runs'.
      const idling = async () => {
        await database.ask("VACUUM (ANALYZE)")
        await database.ask("CHECKPOINT")
        const before = cpu()
        await sleep(IDLE_MS)
        return between(before, cpu())
      }
      const calm = await idling()
      await call("POST", `/workflows/${idle}/trigger`, { to: { tags_any: ["first"] } })
      await until(idle, ([first]) => first!.waiting >= waiting)
      await lookedThrough()
      const loaded = await idling()

      const delay = Math.max(30, Math.ceil(contacts / 5000))
      const id = await activated("Welcome", [
        { key: "pro", type: "FILTER", conditions: { attributes: [{ name: "plan", op: "equals", value: "pro" }] } },
        { key: "later", type: "DELAY", seconds: delay },
        { key: "hello", type: "SEND", channels: ["push"], content: { title: "Hello" } }
      ])
      forgetPeak(engine.process.pid!)
      await database.forget()
      const start = cpu()
      await call("POST", `/workflows/${id}/trigger`, { to: { all: true } })
      await until(id, ([filter]) => filter!.entered >= contacts)
      const entered = between(start, cpu())
      say(`entered: ${Math.round(contacts / entered.seconds)} a second`)
      const statementsOfEntering = await database.statements()
      const [row] = await database.ask<{ readonly oldest: Date }>(
        "SELECT min(due_at) AS oldest FROM execution_timers WHERE due_at < now() + interval '1 day'"
      )
      await sleep(Math.max(0, row!.oldest.getTime() - Date.now()))
      const due = cpu()
      await until(id, ([, , send]) => send!.passed >= contacts)
      const sent = between(due, cpu())

      const statements = await database.statements()
      const executed = await database.executed()

      const statuses = await database.ask<{ readonly status: string; readonly count: number }>(
        "SELECT status, count(*)::int AS count FROM executions WHERE workflow_id = $1 GROUP BY status",
        [id]
      )
      const [first] = (await call("GET", `/workflows/${id}/statistics`)).steps as ReadonlyArray<Step>
      const all = statuses.reduce((sum, { count }) => sum + count, 0)
      const isWhole = statuses.length === 1 && statuses[0]!.status === "completed"
      if (!isWhole || all !== contacts || first!.entered !== contacts)
        throw new Error(`${first!.entered} of ${contacts} have entered; of them are ${JSON.stringify(statuses)}`)
      for (const { calls, text, us } of executed.slice(0, Number(flags.get("statements") ?? 0)))
        say(
          `${((calls * us) / contacts).toFixed(2).padStart(7)} µs a run in ${String(calls).padStart(6)} of ${text.slice(0, 150)}`
        )
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
          "statements a thousand runs, entering": (1000 * statementsOfEntering) / contacts,
          "statements a thousand runs, going on and sending": (1000 * (statements - statementsOfEntering)) / contacts,
          "peak memory of the engine, MB": peakOf(engine.process.pid!),
          [`idle, ${waiting} runs waiting: CPU ms a second`]: (loaded.engine + loaded.postgres) / 1000 / loaded.seconds,
          "idle, none waiting: CPU ms a second": (calm.engine + calm.postgres) / 1000 / calm.seconds,
          "every run is accounted for": true
        }
      }
    })
}
