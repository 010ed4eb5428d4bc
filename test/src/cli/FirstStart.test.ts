import { execFileSync } from "node:child_process"
import { resolve } from "node:path"
import { describe, expect, it } from "vitest"
import { commandLine } from "../../../src/cli/FirstStart.ts"

const OWN = "npm run cli --"

describe("the commands that the first start names", () => {
  it("find the database of the service: by DATA_DIR, where that is not the one of every command", () => {
    expect(commandLine({ dataDir: resolve(".data"), databaseUrl: null })).toBe(OWN)
    expect(commandLine({ dataDir: "/srv/heliograph-1/data", databaseUrl: null })).toBe(
      `DATA_DIR=/srv/heliograph-1/data ${OWN}`
    )
    // Whoever types it has set this one.
    expect(commandLine({ dataDir: "/srv/data", databaseUrl: "postgres://db/heliograph" })).toBe(OWN)
  })

  it("are read by a shell as they are meant, whatever the directory is called", () => {
    for (const dataDir of ["/srv/my data", "/srv/it's", '/srv/$(id)`id`;"&|']) {
      const line = commandLine({ dataDir, databaseUrl: null }).replace(OWN, `printenv DATA_DIR`)
      expect(execFileSync("sh", ["-c", line], { encoding: "utf8" })).toBe(`${dataDir}\n`)
    }
  })
})
