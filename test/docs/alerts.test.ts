import { expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { execFileSync } from "node:child_process"
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { describe } from "vitest"
import { parse } from "yaml"
import { eventually, makeSystem } from "../System.ts"
import { program } from "../Programs.ts"

const root = new URL("../../", import.meta.url)
const path = (file: string) => fileURLToPath(new URL(file, root))
const text = (file: string) => readFileSync(new URL(file, root), "utf8")

const promtool = () => program("promtool", "prometheus")

interface Rule {
  readonly alert: string
  readonly expr: string
  readonly labels: { readonly severity: string }
  readonly annotations: { readonly summary: string; readonly runbook: string }
}
const rules = (
  parse(text("deploy/prometheus/alerts.yml")) as { readonly groups: ReadonlyArray<{ rules: ReadonlyArray<Rule> }> }
).groups.flatMap((group) => group.rules)

interface Panel {
  readonly id: number
  readonly title: string
  readonly targets?: ReadonlyArray<{ readonly expr: string }>
}
const dashboard = JSON.parse(text("deploy/grafana/heliograph.json")) as { readonly panels: ReadonlyArray<Panel> }
const shown = dashboard.panels.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr))

const metricsIn = (expressions: ReadonlyArray<string>): ReadonlyArray<string> => [
  ...new Set(expressions.flatMap((expr) => expr.match(/\bheliograph_\w+/g) ?? []))
]

describe("the alert rules", () => {
  it("are what Prometheus takes for rules, and fire where they have to and nowhere else", () => {
    const run = (...args: ReadonlyArray<string>) => execFileSync(promtool(), args, { encoding: "utf8", stdio: "pipe" })
    expect(run("check", "rules", path("deploy/prometheus/alerts.yml"))).toContain(
      `SUCCESS: ${rules.length} rules found`
    )
    expect(run("test", "rules", path("deploy/prometheus/alerts.test.yml"))).toContain("SUCCESS")
  })

  it("are tried one by one, and each leads to what to do", () => {
    const tried = (parse(text("deploy/prometheus/alerts.test.yml")) as { tests: ReadonlyArray<{ name: string }> }).tests
    expect(tried.map(({ name }) => name).sort()).toEqual(["all is well", ...rules.map(({ alert }) => alert)].sort())
    const guide = text("docs/operators.md")
    for (const { alert, annotations, labels } of rules) {
      expect(["critical", "warning"]).toContain(labels.severity)
      expect(annotations.runbook).toBe(`docs/operators.md#${alert.toLowerCase()}`)
      expect(guide).toMatch(new RegExp(`^### ${alert}$`, "m"))
    }
    const sections = [...guide.matchAll(/^### (Heliograph\w+)$/gm)].map(([, name]) => name)
    expect(sections).toEqual(rules.map(({ alert }) => alert))
  })
})

describe("the dashboard", () => {
  it("has a question in every panel, in PromQL", () => {
    const ids = dashboard.panels.map(({ id }) => id)
    expect(new Set(ids).size).toBe(ids.length)
    expect(shown.length).toBeGreaterThan(20)
    // As Grafana fills them in; promtool reads the expressions of rules.
    const file = shown.map((expr) => ({
      record: "a:b",
      expr: expr.replaceAll("$__rate_interval", "5m").replaceAll("$instance", ".+")
    }))
    const input = JSON.stringify({
      groups: [{ name: "panels", rules: file.map((rule, i) => ({ ...rule, record: `a:b${i}` })) }]
    })
    const folder = mkdtempSync(join(tmpdir(), "heliograph-panels-"))
    writeFileSync(join(folder, "panels.yml"), input)
    const out = execFileSync(promtool(), ["check", "rules", join(folder, "panels.yml")], { encoding: "utf8" })
    rmSync(folder, { recursive: true })
    expect(out).toContain(`SUCCESS: ${shown.length} rules found`)
  })
})

it.live(
  "every metric of the alerts and of the dashboard is there at /metrics of a node that has worked",
  () =>
    Effect.gen(function* () {
      const system = yield* makeSystem({ PROCESSES: "2", RATE_LIMIT_ANONYMOUS: "1/60" })
      const { name, secret, url } = system.fleet.description.receivers[0]!
      yield* system.call("POST", "/api/v1/webhooks", { name, url, secret, events: [] })
      yield* system.importDevices(50)
      const id = yield* system.send({ to: { all: true }, content: { title: "Hello" } })
      yield* system.until(id, ({ status }) => status === "completed")
      for (const path of ["/nothing", "/nothing"]) yield* system.call("GET", path, undefined, { authorization: "" })
      const missing = Effect.promise(async () => {
        const scraped = await (await fetch(`${system.url}/metrics`)).text()
        const names = new Set(scraped.split("\n").flatMap((line) => /^([a-z_]+)[{ ]/.exec(line)?.[1] ?? []))
        return metricsIn([...rules.map(({ expr }) => expr), ...shown]).filter((metric) => !names.has(metric))
      })
      // Workers report once a second.
      expect(yield* eventually(missing, (left) => left.length === 0)).toEqual([])
      const totals = yield* Effect.promise(async () => (await fetch(`${system.url}/metrics`)).text())
      expect(totals).toContain("\nheliograph_unreconciled_notifications 0\n")
    }).pipe(Effect.scoped),
  240_000
)
