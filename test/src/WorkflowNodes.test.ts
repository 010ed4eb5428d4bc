import { expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { lastingPort } from "../Ports.ts"
import { eventually, makeSystem } from "../System.ts"

/* Workflows where the roles are on nodes of their own. */

const PEOPLE = 20

it.live(
  "are moved by nodes with that role alone, which count what became of them",
  () =>
    Effect.gen(function* () {
      const system = yield* makeSystem({ ROLES: "api,dispatch,webhooks", PROCESSES: "1", SWEEP_SECONDS: "1" })
      yield* system.importDevices(PEOPLE)
      const { body: workflow } = yield* system.call("POST", "/api/v1/workflows", {
        name: "Welcome",
        trigger: { type: "api" },
        steps: [
          { key: "later", type: "DELAY", seconds: 1 },
          { key: "pro", type: "FILTER", conditions: { data: [{ name: "plan", op: "equals", value: "pro" }] } },
          { key: "hello", type: "SEND", channels: ["push"], content: { title: "Hello" } }
        ]
      })
      yield* system.call("POST", `/api/v1/workflows/${workflow.id}/activate`)
      const trigger = (plan: string, from: number) =>
        system.call("POST", `/api/v1/workflows/${workflow.id}/trigger`, {
          to: { user_ids: Array.from({ length: PEOPLE / 2 }, (_, i) => system.audience.device(from + i).user_id) },
          data: { plan }
        })
      yield* trigger("pro", 0)
      yield* trigger("free", PEOPLE / 2)
      const seriesOf = (url: string) =>
        Effect.promise(async () => {
          const text = await (await fetch(`${url}/metrics`)).text()
          const lines = text.split("\n").filter((line) => /^heliograph_(workflow|waiting|oldest)/.test(line))
          return new Map(lines.map((line) => line.split(" ") as [string, string]))
        })
      // They have entered, by the node that was asked; nobody has the role that moves them when they are due.
      const stuck = yield* eventually(
        seriesOf(system.url),
        (series) => series.get('heliograph_waiting{kind="workflow"}') === String(PEOPLE)
      )
      expect(stuck.get("heliograph_workflow_runs_entered_total")).toBe(String(PEOPLE))
      expect(Number(stuck.get('heliograph_oldest_due_seconds{kind="workflow"}'))).toBeGreaterThan(0)
      expect([...stuck.keys()].filter((name) => name.includes("ended"))).toEqual([])

      const port = yield* lastingPort
      const url = `http://127.0.0.1:${port}`
      yield* system.startEngine({ ROLES: "workflows", PORT: String(port), BASE_URL: url })
      const moved = yield* eventually(
        seriesOf(url),
        (series) => series.get('heliograph_workflow_runs_ended_total{outcome="filtered"}') === String(PEOPLE / 2)
      )
      const half = String(PEOPLE / 2)
      expect(Object.fromEntries([...moved].filter(([name]) => name.startsWith("heliograph_workflow")))).toEqual({
        'heliograph_workflow_runs_ended_total{outcome="completed"}': half,
        'heliograph_workflow_runs_ended_total{outcome="filtered"}': half,
        'heliograph_workflow_steps_total{outcome="passed",type="DELAY"}': String(PEOPLE),
        'heliograph_workflow_steps_total{outcome="passed",type="FILTER"}': half,
        'heliograph_workflow_steps_total{outcome="stopped",type="FILTER"}': half,
        'heliograph_workflow_steps_total{outcome="passed",type="SEND"}': half
      })
      // What they send, the others send.
      const { body: list } = yield* eventually(
        system.call("GET", "/api/v1/notifications?limit=10"),
        ({ body }) => body.data.length > 0 && body.data.every((one: any) => one.status === "completed")
      )
      expect(list.data.reduce((sum: number, one: any) => sum + one.counts.sent, 0)).toBe(PEOPLE / 2)
      const idle = yield* eventually(
        seriesOf(system.url),
        (series) => series.get('heliograph_waiting{kind="workflow"}') === "0"
      )
      expect(idle.get('heliograph_oldest_due_seconds{kind="workflow"}')).toBe("0")
    }).pipe(Effect.scoped),
  240_000
)
