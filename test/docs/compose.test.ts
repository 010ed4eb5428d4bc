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
  readonly depends_on?: Readonly<Record<string, { readonly condition: string }>>
  readonly cap_drop?: ReadonlyArray<string>
  readonly cap_add?: ReadonlyArray<string>
  readonly security_opt?: ReadonlyArray<string>
  readonly read_only?: boolean
  readonly mem_limit?: string
  readonly pids_limit?: number
  readonly healthcheck?: { readonly test: ReadonlyArray<string> }
  readonly volumes?: ReadonlyArray<string>
  readonly networks?: Readonly<Record<string, { readonly ipv4_address?: string }>> | ReadonlyArray<string>
}
const compose = parse(text("docker-compose.yml"), { merge: true }) as {
  readonly services: Readonly<Record<string, Service>>
  readonly volumes: Readonly<Record<string, null>>
}

interface Networks {
  readonly networks: { readonly front: { readonly ipam: { readonly config: readonly [{ readonly subnet: string }] } } }
}

/** What the shell would put in. */
const SHELL: Readonly<Record<string, string>> = {
  POSTGRES_PASSWORD: "p".repeat(32),
  NATS_PASSWORD: "n".repeat(32),
  MASTER_KEY: "ab".repeat(32)
}
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
    for (const { command = "", depends_on = {}, volumes = [] } of Object.values(compose.services)) {
      expect(names).toEqual(expect.arrayContaining(Object.keys(depends_on)))
      const routes = /--routes (\S+)/.exec(filled(command))?.[1]?.split(",") ?? []
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

  it("has the nodes of the API believe their load balancer about its clients, and nobody else", () => {
    const { ipv4_address: address } = (
      compose.services["balancer"]!.networks as Record<string, { ipv4_address: string }>
    )["front"]!
    for (const name of ["api1", "api2"]) {
      expect(compose.services[name]!.networks).toEqual(["default", "front"])
      expect(settingsOf(compose.services[name]!)["TRUSTED_PROXIES"]).toBe(address)
    }
    const [{ subnet }] = (compose as unknown as Networks).networks.front.ipam.config
    expect(subnet.startsWith(address.split(".", 3).join("."))).toBe(true)
    expect(text("deploy/nginx.conf")).toContain("proxy_set_header X-Forwarded-For $remote_addr;")
  })

  it("gives no service more than it needs: no new privileges, few capabilities, no root that it can write to, bounds", () => {
    const starting = ["CHOWN", "DAC_OVERRIDE", "FOWNER", "NET_BIND_SERVICE", "SETGID", "SETUID"]
    for (const [name, service] of Object.entries(compose.services)) {
      expect(service.cap_drop, name).toEqual(["ALL"])
      expect(service.security_opt, name).toEqual(["no-new-privileges:true"])
      expect(service.read_only, name).toBe(true)
      expect(service.mem_limit, name).toMatch(/^\d+[mg]$/)
      expect(service.pids_limit, name).toBeGreaterThan(0)
      expect(service.healthcheck?.test[0], name).toBe("CMD")
      // Only of those whose images start as root, to become somebody else.
      expect(["postgres", "balancer"].includes(name) ? [] : (service.cap_add ?? []), name).toEqual([])
      expect(starting).toEqual(expect.arrayContaining([...(service.cap_add ?? [])]))
    }
    expect(/^USER (\w+)$/m.exec(text("Dockerfile"))![1]).toBe("node")
  })

  it("gives each node a folder that it can write to, and keeps what is in it", () => {
    for (const [name, service] of engines) {
      const { dataDir } = read(settingsOf(service))
      expect(service.volumes, name).toEqual([`data:${dataDir}`])
      // An empty volume belongs to root, unless the image has its folder.
      expect(text("Dockerfile")).toContain(`-o node -g node ${dataDir}\n`)
    }
  })

  it("starts each service when those that it needs are healthy", () => {
    for (const [name, { depends_on = {} }] of Object.entries(compose.services)) {
      for (const [other, { condition }] of Object.entries(depends_on)) {
        expect(condition, `${name} waits for ${other}`).toBe("service_healthy")
      }
    }
    for (const [, { depends_on = {} }] of engines) {
      expect(Object.keys(depends_on).sort()).toEqual(["nats1", "nats2", "nats3", "postgres"])
    }
    expect(Object.keys(compose.services["balancer"]!.depends_on!).sort()).toEqual(["api1", "api2"])
  })

  it("demands every password and key of whoever starts it, and has none of its own", () => {
    const source = text("docker-compose.yml")
    const asked = [...source.matchAll(/\$\{(\w+)([^}]*)\}/g)].filter(([, name]) => name !== "BASE_URL")
    expect(new Set(asked.map(([, name]) => name))).toEqual(new Set(Object.keys(SHELL)))
    expect(asked.filter(([, , how]) => how !== ":?")).toEqual([])
    for (const name of Object.keys(SHELL)) {
      expect(source).toMatch(new RegExp(`^#.*export.*${name}=\\$\\(openssl`, "m"))
      expect(text("docs/operators.md")).toContain(`${name}=$(openssl`)
    }
  })

  it("lets in nobody at NATS without its password, neither clients nor servers", () => {
    for (const [name, { command = "" }] of Object.entries(compose.services)) {
      if (!name.startsWith("nats")) continue
      expect(filled(command)).toContain(`--user heliograph --pass ${SHELL["NATS_PASSWORD"]}`)
      const [, cluster, routes] = /--cluster (\S+) --routes (\S+)/.exec(filled(command))!
      for (const url of [cluster!, ...routes!.split(",")]) {
        expect(new URL(url)).toMatchObject({ username: "heliograph", password: SHELL["NATS_PASSWORD"] })
      }
    }
    for (const [, service] of engines) {
      const [first] = settingsOf(service)["NATS_URL"]!.split(",")
      expect(new URL(first!)).toMatchObject({ username: "heliograph", password: SHELL["NATS_PASSWORD"] })
    }
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

describe(".dockerignore", () => {
  it("keeps secrets, data and history of this machine out of the image", () => {
    const ignored = text(".dockerignore").split("\n")
    expect(ignored).toEqual(
      expect.arrayContaining([
        ".env",
        "**/.env",
        "**/*.pem",
        "**/*.key",
        "**/*.p8",
        ".git",
        ".data",
        "node_modules",
        "**/node_modules"
      ])
    )
    // What the service reads when it runs.
    for (const path of ["src", "services", "layers", "simulators", "package.json", "package-lock.json", ".npmrc"]) {
      expect(ignored).not.toContain(path)
    }
  })
})

describe("the operator's guide", () => {
  it("names every setting", () => {
    const guide = text("docs/operators.md")
    expect([...known].filter((name) => !guide.includes(`\`${name}\``))).toEqual([])
  })
})
