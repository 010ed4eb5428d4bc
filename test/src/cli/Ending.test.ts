import { expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { execFileSync, spawn } from "node:child_process"
import { randomBytes } from "node:crypto"
import { once } from "node:events"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { describe } from "vitest"
import { freshDatabase } from "../../Database.ts"
import { lastingPort } from "../../Ports.ts"
import type { Ended } from "./Command.ts"
import { command, folder, MAIN, query, silentServer } from "./Command.ts"

const TIMEOUT = 240_000
const key = () => randomBytes(32).toString("hex")

/** What a command said at the end; a node logs before it that it has stopped. */
const lastLine = ({ err }: Ended) => err.trim().split("\n").at(-1)

const AT_WORK = [
  { args: ["migrate"] },
  { args: ["app", "create", "--name", "Shop"] },
  { args: ["key", "list", "--app", "01a1fbeb-b609-74f0-81a3-2762ff434392"] }
]

// Beside each other: most of the time they wait.
describe.concurrent("a command", () => {
  it.live.each(AT_WORK)(
    "($args) that does not reach its database says where that is and why, and ends with 1",
    ({ args }) =>
      Effect.gen(function* () {
        const port = yield* lastingPort
        const { code, err } = yield* command(args, {
          DATABASE_URL: `postgres://heliograph:hush-hush@127.0.0.1:${port}/helio`,
          MASTER_KEY: key()
        })
        expect(err).toContain(`PostgreSQL at 127.0.0.1:${port}, database helio: the connection is refused`)
        expect(err).toContain("DATABASE_URL")
        expect(err).not.toContain("hush-hush")
        expect(code).toBe(1)
      }),
    TIMEOUT
  )

  it.live.each(AT_WORK)(
    "($args) whose database takes no writes says so in words, and ends with 1",
    ({ args }) =>
      Effect.gen(function* () {
        const { name, url } = yield* freshDatabase()
        yield* query(url, `ALTER DATABASE ${name} SET default_transaction_read_only = on`)
        const { code, err } = yield* command(args, { DATABASE_URL: url, MASTER_KEY: key() })
        expect(lastLine({ code, err, out: "" })).toMatch(
          /^PostgreSQL at \S+, database \S+: it takes no writes: transaction_read_only is on, by .* standby\. DATABASE_URL says where it is$/
        )
        expect(err).not.toContain("cannot execute")
        expect(code).toBe(1)
      }).pipe(Effect.scoped),
    TIMEOUT
  )

  it.live(
    "that the database has no room for says so in words",
    () =>
      Effect.gen(function* () {
        const { url } = yield* freshDatabase()
        yield* query(
          url,
          `CREATE FUNCTION full_disk() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
             RAISE 'could not extend file "base/1": No space left on device' USING ERRCODE = 'disk_full';
           END $$;
           CREATE TRIGGER full_disk BEFORE INSERT ON applications EXECUTE FUNCTION full_disk()`
        )
        const { code, err } = yield* command(["app", "create", "--name", "Shop"], {
          DATABASE_URL: url,
          MASTER_KEY: key()
        })
        expect(lastLine({ code, err, out: "" })).toMatch(/^The database takes no writes: its disk is full.* Make room/)
        expect(code).toBe(1)
      }).pipe(Effect.scoped),
    TIMEOUT
  )

  it.live(
    "that finds its port taken, or not on this machine, says so with the setting to change, and ends with 1",
    () =>
      Effect.gen(function* () {
        const { port } = yield* silentServer
        const taken = `Cannot listen at 127.0.0.1:${port}: another program has this port. Stop it, or choose another port with`
        const PORT = String(port)
        const serving = yield* command(["serve"], { DATA_DIR: yield* folder, PORT, PROCESSES: "1" })
        expect(lastLine(serving)).toBe(`${taken} PORT.`)
        const simulating = yield* command(["simulate", "--fcm-port", PORT], {})
        expect(lastLine(simulating)).toBe(`${taken} --fcm-port.`)
        const elsewhere = yield* command(["serve"], { DATA_DIR: yield* folder, HOST: "192.0.2.1", PROCESSES: "1" })
        expect(lastLine(elsewhere)).toBe(
          "Cannot listen at 192.0.2.1:8080: this machine does not have this address. Choose one of its own with HOST, or 0.0.0.0 for all of them."
        )
        const version6 = yield* command(["serve"], { DATA_DIR: yield* folder, HOST: "[2001:db8::1]", PROCESSES: "1" })
        expect(lastLine(version6)).toBe(
          "Cannot listen at [2001:db8::1]:8080: this machine does not have this address. Choose one of its own with HOST, or :: for all of them."
        )
        expect([serving.code, simulating.code, elsewhere.code, version6.code]).toEqual([1, 1, 1, 1])
      }).pipe(Effect.scoped),
    TIMEOUT
  )

  it.live(
    "simulate that can keep nothing in its folder says why, and ends with 1",
    () =>
      Effect.gen(function* () {
        const taken = join(yield* folder, "taken")
        writeFileSync(taken, "")
        const broken = yield* folder
        writeFileSync(join(broken, "secrets.json"), "{")
        for (const [path, words] of [
          ["/proc/simulate", "Nothing can be kept in --folder /proc/simulate: no folder can be made there."],
          [taken, `Nothing can be kept in --folder ${taken}: this is in no folder.`],
          [broken, `What was kept in --folder ${broken} is no JSON. Remove secrets.json and ports.json there`]
        ] as const) {
          const ended = yield* command(["simulate", "--folder", path], {})
          expect(lastLine(ended)).toContain(words)
          expect(ended.code).toBe(1)
        }
      }).pipe(Effect.scoped),
    TIMEOUT
  )

  it.live(
    "serve that is told to stop while it is being loaded ends with 0, as it does later",
    () =>
      Effect.gen(function* () {
        const told = join(yield* folder, "told.mjs")
        // The signal comes when its modules are looked for, before the first of them runs.
        writeFileSync(
          told,
          `import { registerHooks } from "node:module"
           registerHooks({ load: (url, context, next) => {
             if (url.endsWith("/src/app.ts")) process.kill(process.pid, "SIGTERM")
             return next(url, context)
           } })`
        )
        const child = spawn(process.execPath, ["--import", told, MAIN, "serve"], {
          env: { PATH: process.env["PATH"], DATA_DIR: yield* folder, PORT: String(yield* lastingPort) },
          stdio: "ignore"
        })
        expect(yield* Effect.promise(() => once(child, "exit"))).toEqual([0, null])
      }).pipe(Effect.scoped),
    TIMEOUT
  )

  it.live(
    "serve goes on, and ends in order, when nobody reads its log any more",
    () =>
      Effect.gen(function* () {
        const port = yield* lastingPort
        const child = spawn(process.execPath, [MAIN, "serve"], {
          env: {
            PATH: process.env["PATH"],
            DATA_DIR: yield* folder,
            PORT: String(port),
            PROCESSES: "1",
            DRAIN_TIMEOUT: "5"
          },
          stdio: ["ignore", "pipe", "pipe"]
        })
        const code = yield* Effect.promise(async () => {
          // It prints the keys of its first start when it has begun.
          await once(child.stdout, "data")
          child.stdout.destroy()
          child.stderr.destroy()
          child.kill("SIGTERM")
          const [ended] = (await once(child, "exit")) as [number | null]
          return ended
        }).pipe(Effect.ensuring(Effect.sync(() => child.kill("SIGKILL"))))
        expect(code).toBe(0)
      }).pipe(Effect.scoped),
    TIMEOUT
  )

  it.live.each([
    { name: "migrate", signal: "SIGTERM", expected: 143 },
    { name: "migrate", signal: "SIGINT", expected: 130 },
    { name: "serve", signal: "SIGTERM", expected: 0 }
  ] as const)(
    "$name that waits for its database ends at $signal with $expected",
    ({ expected, name, signal }) =>
      Effect.gen(function* () {
        const { port } = yield* silentServer
        const { code } = yield* command(
          [name],
          {
            DATABASE_URL: `postgres://heliograph@127.0.0.1:${port}/helio`,
            MASTER_KEY: key(),
            PORT: String(yield* lastingPort),
            PROCESSES: "1"
          },
          { name: signal, when: (printed) => printed.includes("Waiting for the database") }
        )
        expect(code).toBe(expected)
      }).pipe(Effect.scoped),
    TIMEOUT
  )

  it.live(
    "with the embedded database leaves nothing that keeps it, and no server behind",
    () =>
      Effect.gen(function* () {
        const dataDir = yield* folder
        const { code, out } = yield* command(["app", "create", "--name", "Shop", "--json"], { DATA_DIR: dataDir })
        expect(JSON.parse(out)).toMatchObject({ secret_key: expect.stringMatching(/^sk_/) })
        expect(code).toBe(0)
        expect(execFileSync("ps", ["-A", "-o", "args="], { encoding: "utf8" })).not.toContain(dataDir)
      }).pipe(Effect.scoped),
    TIMEOUT
  )

  it.live.each([
    { name: "SIGTERM", expected: 0 },
    { name: "SIGINT", expected: 130 }
  ] as const)(
    "simulate ends at $name with $expected",
    ({ expected, name }) =>
      Effect.gen(function* () {
        const { code } = yield* command(["simulate"], {}, { name, when: (printed) => printed.includes("credentials") })
        expect(code).toBe(expected)
      }),
    TIMEOUT
  )

  it.live(
    "that was stopped in the middle does not say that it succeeded: demo ends at SIGTERM with 143",
    () =>
      Effect.gen(function* () {
        const { code } = yield* command(
          ["demo"],
          { DATA_DIR: yield* folder },
          { name: "SIGTERM", when: (printed) => printed.includes("Devices") }
        )
        expect(code).toBe(143)
      }).pipe(Effect.scoped),
    TIMEOUT
  )
})
