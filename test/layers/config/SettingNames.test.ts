import { readFileSync } from "node:fs"
import { describe, expect, it } from "vitest"
import { askWhetherMeant, misspelt, settingNames } from "../../../layers/config/SettingNames.ts"

describe("settings", () => {
  it("are all in the operator's guide, which names no other", () => {
    const text = readFileSync(new URL("../../../docs/operators.md", import.meta.url), "utf8")
    const rows = text
      .split("## Settings")[1]!
      .split("###")[0]!
      .matchAll(/^\| (`[^|]*)/gm)
    const named = [...rows].flatMap(([, cell]) => [...cell!.matchAll(/`([A-Z0-9_*]+)`/g)].map(([, name]) => name!))
    const prefixes = named.filter((name) => name.endsWith("*")).map((name) => name.slice(0, -1))
    const isCovered = (name: string) => prefixes.some((prefix) => name.startsWith(prefix))
    expect([...settingNames].filter((name) => !isCovered(name)).toSorted()).toEqual(
      named.filter((name) => !name.endsWith("*")).toSorted()
    )
  })

  it.each([
    ["WEBHOK_CONCURRENCY", "WEBHOOK_CONCURRENCY"],
    ["DATABASEURL", "DATABASE_URL"],
    ["ROELS", "ROLES"],
    ["NATS_URLS", "NATS_URL"],
    ["RATE_LIMIT_DEVICE", "RATE_LIMIT_DEVICES"],
    ["TRUSTED_PROXY", "TRUSTED_PROXIES"],
    ["ACCEPT_LINGER", "ACCEPT_LINGER_MS"],
    ["ACCEPT_LINGER_SECONDS", "ACCEPT_LINGER_MS"],
    ["OUTBOUND_CA", "OUTBOUND_CA_FILE"],
    ["MASTER_KEY_FILE", "MASTER_KEY"],
    ["DATABASE_URL_FILE", "DATABASE_URL"],
    ["RETENTION", "RETENTION_DAYS"],
    ["database_url", "DATABASE_URL"],
    ["Roles", "ROLES"]
  ])("that look like %s are known as %s misspelt", (given, meant) => {
    expect(misspelt({ [given]: "x" })).toEqual([{ given, meant }])
  })

  it("whose file is named are told to be given themselves", () => {
    expect(misspelt({ MASTER_KEY_FILE: "/run/secrets/key" }).map(askWhetherMeant)).toEqual([
      "MASTER_KEY_FILE is no setting; perhaps MASTER_KEY is meant, with what stands in the file"
    ])
  })

  it("are not seen in what systems and shells set, nor in settings themselves", () => {
    const common = [
      "HOME",
      "PATH",
      "PWD",
      "USER",
      "SHELL",
      "TERM",
      "LANG",
      "TZ",
      "HOSTNAME",
      "LOGNAME",
      "MAIL",
      "EMAIL",
      "NODE_ENV",
      "TEST",
      // What Kubernetes and Docker set for services beside this one.
      "NATS_PORT_4222_TCP",
      "NATS_SERVICE_HOST",
      "HELIOGRAPH_SERVICE_PORT",
      "POSTGRES_PASSWORD",
      "OTEL_EXPORTER_OTLP_ENDPOINT",
      "OTEL_SERVICE_NAME",
      "NODE_OPTIONS",
      "COMPOSE_PROJECT_NAME"
    ]
    const env = Object.fromEntries([...common, ...settingNames].map((name) => [name, "x"]))
    expect(misspelt(env)).toEqual([])
  })
})
