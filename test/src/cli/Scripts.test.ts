import { expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { execFileSync, spawn } from "node:child_process"
import { once } from "node:events"
import { readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { describe } from "vitest"
import { lastingPort } from "../../Ports.ts"
import { eventually } from "../../System.ts"
import { folder, silentServer } from "./Command.ts"

const ROOT = fileURLToPath(new URL("../../../", import.meta.url))
const { scripts } = JSON.parse(readFileSync(`${ROOT}package.json`, "utf8")) as {
  readonly scripts: Readonly<Record<string, string>>
}

describe("the package's scripts", () => {
  it.each(Object.entries(scripts))("%s means the same to sh and to cmd.exe", (_, script) => {
    for (const command of script.split(" && ")) {
      // No variables before a command or in it, no quotes, pipes or globs: cmd.exe reads those in its own way.
      expect(command).toMatch(/^(exec )?(node|vitest|tsc|oxlint|prettier|size-limit)( [\w./=:-]+)*$/)
    }
  })

  it("find for cmd.exe, which has no `exec`, one that runs its arguments", () => {
    expect(readFileSync(`${ROOT}exec.cmd`, "utf8").split("\r\n").slice(1)).toEqual(["@%*", ""])
  })

  it.live(
    "hand SIGTERM on: `npm start` ends with the service, and leaves no process behind",
    () =>
      Effect.gen(function* () {
        const { port } = yield* silentServer
        const marker = yield* folder
        const child = spawn("npm", ["start"], {
          cwd: ROOT,
          env: {
            PATH: process.env["PATH"],
            HOME: process.env["HOME"],
            DATABASE_URL: `postgres://heliograph@127.0.0.1:${port}/helio`,
            MASTER_KEY: "ab".repeat(32),
            PORT: String(yield* lastingPort),
            PROCESSES: "1",
            DATA_DIR: marker
          },
          stdio: ["ignore", "pipe", "pipe"]
        })
        let printed = ""
        child.stdout.on("data", (text: Buffer) => (printed += text.toString()))
        child.stderr.on("data", (text: Buffer) => (printed += text.toString()))
        yield* eventually(
          Effect.sync(() => printed),
          (text) => text.includes("Waiting for the database")
        )
        const below = (parent: number): ReadonlyArray<number> =>
          execFileSync("ps", ["-A", "-o", "pid=,ppid="], { encoding: "utf8" })
            .split("\n")
            .map((line) => line.trim().split(/\s+/).map(Number))
            .filter(([, of]) => of === parent)
            .flatMap(([pid]) => [pid!, ...below(pid!)])
        const family = below(child.pid!)
        expect(family.length).toBeGreaterThan(0)
        const ended = once(child, "exit")
        child.kill("SIGTERM")
        yield* Effect.promise(() => ended)
        const alive = (pid: number) => {
          try {
            process.kill(pid, 0)
            return true
          } catch {
            return false
          }
        }
        yield* eventually(
          Effect.sync(() => family.filter(alive)),
          (left) => left.length === 0
        )
      }).pipe(Effect.scoped),
    240_000
  )
})
