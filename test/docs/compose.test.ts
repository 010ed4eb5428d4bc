import { existsSync, readFileSync } from "node:fs"
import { describe, expect, it } from "vitest"
import { parse } from "yaml"
import { read } from "../../layers/config/Settings.ts"

const root = new URL("../../", import.meta.url)
const text = (path: string) => readFileSync(new URL(path, root), "utf8")

interface Service {
  readonly image?: string
  readonly build?: string
  readonly command?: string
  readonly environment?: Readonly<Record<string, string>>
  readonly depends_on?: ReadonlyArray<string>
  readonly volumes?: ReadonlyArray<string>
}
const compose = parse(text("docker-compose.yml"), { merge: true }) as {
  readonly services: Readonly<Record<string, Service>>
  readonly volumes: Readonly<Record<string, null>>
}

/** What the shell would put in. */
const SHELL: Readonly<Record<string, string>> = { POSTGRES_PASSWORD: "p".repeat(32), MASTER_KEY: "ab".repeat(32) }
const filled = (value: string) =>
  value.replace(/\$\{(\w+)(?::\?|:-([^}]*))?\}/g, (_, name: string, fallback?: string) => SHELL[name] ?? fallback ?? "")
const engines = Object.entries(compose.services).filter(([, { build }]) => build !== undefined)
const settingsOf = ({ environment = {} }: Service) =>
  Object.fromEntries(Object.entries(environment).map(([name, value]) => [name, filled(String(value))]))

/** Every name that the settings ask the environment for. */
const known = new Set(
  [...text("layers/config/Settings.ts").matchAll(/get(?:<[^>]*(?:<[^>]*>)?[^>]*>)?\("([A-Z0-9_]+)"/g)].map(
    ([, name]) => name!
  )
)

describe("docker-compose.yml", () => {
  it("has two nodes for the API, two for the work, three NATS servers, PostgreSQL and a load balancer", () => {
    expect(Object.keys(compose.services).sort()).toEqual(
      ["api1", "api2", "balancer", "nats1", "nats2", "nats3", "postgres", "worker1", "worker2"].sort()
    )
    expect(engines.map(([name]) => name).sort()).toEqual(["api1", "api2", "worker1", "worker2"])
  })

  it("sets only what the engine knows, to values that it takes", () => {
    expect(known.size).toBeGreaterThan(30)
    for (const [name, service] of engines) {
      const env = settingsOf(service)
      expect(
        Object.keys(env).filter((setting) => !known.has(setting)),
        name
      ).toEqual([])
      const settings = read(env)
      expect(settings.natsReplicas).toBe(3)
      expect([...settings.roles]).toEqual(name.startsWith("api") ? ["api"] : ["dispatch", "webhooks", "workflows"])
    }
  })

  it("names hosts that are services, and volumes that are declared", () => {
    const names = Object.keys(compose.services)
    for (const [, service] of engines) {
      const { DATABASE_URL, NATS_URL } = settingsOf(service)
      const hosts = [DATABASE_URL!, ...NATS_URL!.split(",")].map((url) => new URL(url).hostname)
      expect(hosts).toEqual(["postgres", "nats1", "nats2", "nats3"])
    }
    for (const { command = "", depends_on = [], volumes = [] } of Object.values(compose.services)) {
      expect(names).toEqual(expect.arrayContaining([...depends_on]))
      const routes = /--routes (\S+)/.exec(command)?.[1]?.split(",") ?? []
      expect(names).toEqual(expect.arrayContaining(routes.map((url) => new URL(url).hostname)))
      for (const volume of volumes) {
        const source = volume.split(":")[0]!
        const isThere = source.startsWith("./") ? existsSync(new URL(source, root)) : source in compose.volumes
        expect(isThere, source).toBe(true)
      }
    }
    const upstreams = [...text("deploy/nginx.conf").matchAll(/server (\w+):(\d+)/g)].map(([, host, port]) => [
      host,
      port
    ])
    expect(upstreams).toEqual([
      ["api1", "8080"],
      ["api2", "8080"]
    ])
  })

  it("leaves the nodes within PostgreSQL's connections, and time to drain", () => {
    const most = engines.reduce((sum, [, service]) => {
      const { databaseConnections, processes } = read(settingsOf(service))
      return sum + databaseConnections * processes
    }, 0)
    const allowed = Number(/max_connections=(\d+)/.exec(compose.services["postgres"]!.command!)![1])
    expect(most).toBeLessThan(allowed - 10)
    for (const [, service] of engines) {
      const grace = Number(/^(\d+)s$/.exec((service as { stop_grace_period: string }).stop_grace_period)![1])
      expect(grace * 1000).toBeGreaterThan(read(settingsOf(service)).drainMs + 5000)
    }
  })
})

describe("Dockerfile", () => {
  it("copies what exists and starts the service as the package does", () => {
    const file = text("Dockerfile")
    for (const path of /^COPY (package.*) \.\/$/m.exec(file)![1]!.split(" ")) {
      expect(existsSync(new URL(path, root)), path).toBe(true)
    }
    const command = JSON.parse(/^CMD (\[.*\])$/m.exec(file)![1]!) as Array<string>
    const { scripts } = JSON.parse(text("package.json")) as { scripts: { start: string } }
    expect(scripts.start).toBe(`exec ${command.join(" ")}`)
  })
})

describe("the operator's guide", () => {
  it("names every setting", () => {
    const guide = text("docs/operators.md")
    expect([...known].filter((name) => !guide.includes(`\`${name}\``))).toEqual([])
  })
})
