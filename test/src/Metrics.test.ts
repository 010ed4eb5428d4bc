import { expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { readFileSync } from "node:fs"
import { once } from "node:events"
import { describe } from "vitest"
import { CATALOGUE } from "../../services/domain/operations/Metrics.ts"
import type { System } from "../System.ts"
import { eventually, makeSystem } from "../System.ts"

/** What a scraper reads: values by series; it fails on anything that is not the text format. */
const scrape = ({ url }: System) =>
  Effect.promise(async () => {
    const response = await fetch(`${url}/metrics`)
    expect(response.status).toBe(200)
    expect(response.headers.get("content-type")).toBe("text/plain; version=0.0.4; charset=utf-8")
    const series = new Map<string, number>()
    for (const line of (await response.text()).trimEnd().split("\n")) {
      if (/^# (HELP [a-z_]+ .+|TYPE [a-z_]+ (counter|gauge|histogram))$/.test(line)) continue
      const [, name, value] = /^([a-z_]+(?:\{(?:[a-z]+="[^"\\]*",?)+\})?) (\S+)$/.exec(line) ?? []
      expect(name, line).toBeDefined()
      expect(series.has(name!), `${name} comes twice`).toBe(false)
      expect(Number(value), line).not.toBeNaN()
      series.set(name!, Number(value))
    }
    return series
  })

const sum = (series: ReadonlyMap<string, number>, start: string, part = "") =>
  [...series].reduce((all, [name, value]) => (name.startsWith(start) && name.includes(part) ? all + value : all), 0)

const mail = Effect.fnUntraced(function* (system: System, devices: number) {
  const { name, secret, url } = system.fleet.description.receivers[0]!
  const webhook = { name, url, secret, events: ["NOTIFICATION_SENT"] }
  expect((yield* system.call("POST", "/api/v1/webhooks", webhook)).status).toBe(201)
  yield* system.importDevices(devices)
  const id = yield* system.send({ to: { all: true }, content: { title: "Hello" } })
  yield* system.until(id, ({ status }) => status === "completed")
})

describe.concurrent("/metrics", () => {
  it.live.each([1, 2, 3])(
    "counts what a node of %i processes has sent and posted",
    (processes) =>
      Effect.gen(function* () {
        const system = yield* makeSystem({ PROCESSES: String(processes), BATCH_SIZE: "50" })
        yield* mail(system, 400)
        // Workers report once a second.
        const series = yield* eventually(
          scrape(system),
          (series) =>
            sum(series, "heliograph_recipients_total{", 'outcome="sent"') >= 400 &&
            sum(series, "heliograph_webhook_posts_total") >= 400
        )
        expect(sum(series, "heliograph_recipients_total{", 'outcome="sent"')).toBe(400)
        expect(series.get('heliograph_webhook_posts_total{outcome="2xx"}')).toBe(400)
        expect(series.get('heliograph_webhook_post_seconds_count{outcome="2xx"}')).toBe(400)
        expect(sum(series, "heliograph_batch_seconds_count{", 'outcome="ok"')).toBeGreaterThanOrEqual(8)
        expect(sum(series, "heliograph_lanes{")).toBeGreaterThanOrEqual(1)
        const posted = '{method="POST",route="/api/v1/notifications"'
        expect(series.get(`heliograph_http_requests_total${posted},status="202"}`)).toBe(1)
        expect(series.get(`heliograph_http_request_seconds_count${posted}}`)).toBe(1)
        expect(series.get("heliograph_push_connections")).toBeGreaterThanOrEqual(2)
        expect(series.get("heliograph_database_up")).toBe(1)
        expect(series.get("heliograph_queue_up")).toBe(1)
        expect(series.get('heliograph_waiting{kind="plan"}')).toBe(0)
        expect(series.get('heliograph_oldest_due_seconds{kind="webhook"}')).toBeGreaterThanOrEqual(0)
        expect(sum(series, "heliograph_database_connections{")).toBeGreaterThanOrEqual(1)
        expect(series.get("heliograph_draining")).toBe(0)
        const names = [...series.keys()].filter((name) => name.startsWith("heliograph_process_resident_bytes"))
        expect(names.map((name) => /process="([^"]+)"/.exec(name)![1]).sort()).toEqual(
          ["main", "worker-1", "worker-2"].slice(0, processes)
        )
        expect(series.get("heliograph_workers_ready")).toBe(processes === 1 ? undefined : processes - 1)
      }).pipe(Effect.scoped),
    240_000
  )

  it("explains every metric in the operator's guide", () => {
    const guide = readFileSync(new URL("../../docs/operators.md", import.meta.url), "utf8")
    expect(Object.keys(CATALOGUE).filter((name) => !guide.includes(`\`${name}\``))).toEqual([])
  })
})

describe.concurrent("/readyz", () => {
  it.live(
    "is 503 from the signal on, while the work under way is finished and everything else is answered",
    () =>
      Effect.gen(function* () {
        const system = yield* makeSystem()
        yield* system.importDevices(100)
        for (const simulator of [system.fleet.apns, system.fleet.apnsSandbox, system.fleet.fcm]) {
          simulator.control.set({ do: "delay", ms: 3000 })
        }
        const id = yield* system.send({ to: { all: true }, content: { title: "Hello" } })
        yield* eventually(scrape(system), (series) => sum(series, "heliograph_lane_batches") > 0)
        const exited = once(system.engine.process, "exit")
        system.engine.process.kill("SIGTERM")
        const { body } = yield* eventually(system.call("GET", "/readyz"), ({ status }) => status === 503)
        expect(body.error.details).toEqual([{ field: "node", message: "is stopping" }])
        expect((yield* scrape(system)).get("heliograph_draining")).toBe(1)
        expect((yield* system.call("GET", `/api/v1/notifications/${id}`)).status).toBe(200)
        const [code] = yield* Effect.promise(() => exited)
        expect(code).toBe(0)
      }).pipe(Effect.scoped),
    240_000
  )
})
