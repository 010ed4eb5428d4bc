import { expect, it } from "@effect/vitest"
import { PgClient } from "@effect/sql-pg"
import { Effect, Layer } from "effect"
import { randomBytes } from "node:crypto"
import { readdirSync } from "node:fs"
import { describe, vi } from "vitest"
import { pool } from "../../../layers/postgres/server/Database.ts"
import { firstStart } from "../../../src/cli/FirstStart.ts"
import { commands, settingsIn } from "../../../src/app.ts"
import { SignIn } from "../../../services/engine/people/SignIn.ts"
import { freshDatabase } from "../../Database.ts"
import { command, folder } from "./Command.ts"

/** The settings of a service with a database of its own, and its command line. */
const service = Effect.gen(function* () {
  const { url } = yield* freshDatabase()
  const env = {
    DATABASE_URL: url,
    MASTER_KEY: randomBytes(32).toString("hex"),
    DATA_DIR: yield* folder,
    REGISTRATION: "invite"
  }
  const run = (...args: ReadonlyArray<string>) => command(args, env)
  const database = Layer.fresh(PgClient.layerFrom(pool(url, 1)).pipe(Layer.orDie))
  const verify = (email: string, code: string) =>
    Effect.flatMap(SignIn, ({ verifyCode }) => verifyCode(email, code, { device: null, userAgent: "" })).pipe(
      Effect.provide(commands(env)),
      Effect.scoped
    )
  return { env, run, database, verify }
})

const lines = (out: string): ReadonlyArray<any> =>
  out
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as unknown)

describe("a command in a folder without a database", () => {
  it.live("says so and makes none, unless it is one that a service begins with", () =>
    Effect.gen(function* () {
      const DATA_DIR = yield* folder
      for (const args of [
        ["user", "list"],
        ["org", "list"],
        ["user", "login-code", "--email", "ada@example.com"]
      ]) {
        const ended = yield* command(args, { DATA_DIR })
        expect(ended).toMatchObject({ code: 1, out: "", err: expect.stringContaining(`no database in ${DATA_DIR}`) })
      }
      expect(readdirSync(DATA_DIR)).toEqual([])
      const made = yield* command(["app", "create", "--name", "Shop", "--json"], { DATA_DIR })
      expect([made.code, made.err]).toEqual([0, expect.stringContaining(`Made a new database in ${DATA_DIR}.`)])
      const next = yield* command(["org", "list"], { DATA_DIR })
      expect([next.code, next.err]).toEqual([0, ""])
      expect(lines(next.out)).toHaveLength(1)
    }).pipe(Effect.scoped)
  )
})

describe("the command line for people", () => {
  it.live("signs somebody in, lists, disables and enables accounts, and says who did it", () =>
    Effect.gen(function* () {
      const { database, run, verify } = yield* service
      const made = yield* run("user", "login-code", "--email", " Ada@Example.com", "--json")
      expect(made).toMatchObject({ code: 0, err: "" })
      const { code } = JSON.parse(made.out) as { code: string }
      expect(code).toMatch(/^\d{6}$/)
      const { account } = yield* verify("ada@example.com", code)

      const listed = yield* run("user", "list", "--json")
      expect(lines(listed.out)).toEqual([
        {
          id: account.id,
          email: "ada@example.com",
          name: "",
          created_at: expect.stringMatching(/Z$/),
          last_signed_in_at: expect.stringMatching(/Z$/),
          disabled_at: null
        }
      ])
      const plain = yield* run("user", "login-code", "--email", "ada@example.com")
      expect(plain.out).toMatch(/^\d{6}\n$/)
      expect(plain.err).toContain("good for 10 minutes and once")
      const deletion = yield* run(
        "user",
        "login-code",
        "--email",
        "ada@example.com",
        "--purpose",
        "delete-account",
        "--json"
      )
      const refused = yield* Effect.flip(verify("ada@example.com", (JSON.parse(deletion.out) as { code: string }).code))
      expect(refused._tag).toBe("WrongCode")

      expect(yield* run("user", "disable", "--email", "ada@example.com")).toMatchObject({ code: 0 })
      expect((yield* Effect.flip(verify("ada@example.com", plain.out.trim())))._tag).toBe("AccountDisabled")
      expect(lines((yield* run("user", "list")).out)[0]).toMatchObject({ disabled_at: expect.stringMatching(/Z$/) })
      expect((yield* run("user", "login-code", "--email", "ada@example.com", "--json")).err).toContain("is disabled")
      const enabled = yield* run("user", "enable", "--email", "ada@example.com", "--json")
      expect([enabled.code, lines(enabled.out)]).toEqual([0, [{ email: "ada@example.com", disabled: false }]])
      const log = yield* Effect.flatMap(
        PgClient.PgClient,
        (sql) => sql<{ line: string }>`
          SELECT actor_kind || ' ' || action AS line FROM people_log WHERE account_id = ${account.id}
          ORDER BY at, action`
      ).pipe(Effect.provide(database), Effect.scoped)
      expect(log.map(({ line }) => line)).toEqual([
        "user account.created",
        "user session.begun",
        "cli login_code.issued",
        "cli login_code.issued",
        "cli account.disabled",
        "cli login_code.issued",
        "cli account.enabled"
      ])
    }).pipe(Effect.scoped)
  )

  it.live("says in a sentence what is wrong", () =>
    Effect.gen(function* () {
      const { run } = yield* service
      const unknown = yield* run("user", "disable", "--email", "nobody@example.com")
      expect(unknown).toMatchObject({ code: 1, err: "There is no account with the address nobody@example.com.\n" })
      const early = yield* run(
        "org",
        "enrol",
        "--org",
        "01a1fbeb-b609-74f0-81a3-2762ff434392",
        "--email",
        "nobody@example.com",
        "--role",
        "owner"
      )
      expect([early.code, early.err]).toEqual([
        1,
        expect.stringContaining("made by signing in, with a code: npm run cli -- user login-code --email nobody@")
      ])
      const deletion = ["user", "login-code", "--email", "nobody@example.com", "--purpose", "delete-account"]
      expect(yield* run(...deletion)).toMatchObject({ code: 1, out: "", err: unknown.err })
      const wrong = yield* run("user", "login-code", "--email", "nobody")
      expect(wrong.code).toBe(1)
      expect(wrong.out + wrong.err).toContain("Expected an e-mail address such as ada@example.com")
    }).pipe(Effect.scoped)
  )

  it.live("makes somebody a member of the organization of the first start, which says how to get there", () =>
    Effect.gen(function* () {
      const { env, run, verify } = yield* service
      const printed: Array<string> = []
      const where = yield* settingsIn(env)
      const log = vi.spyOn(console, "log").mockImplementation((text: string) => void printed.push(text))
      yield* Layer.build(firstStart(where).pipe(Layer.provide(commands(env)))).pipe(
        Effect.scoped,
        Effect.ensuring(Effect.sync(() => log.mockRestore()))
      )
      const hint = /npm run cli -- org enrol --org ([0-9a-f-]{36}) --email you@example\.com --role owner/.exec(
        printed.join("\n")
      )
      expect(printed.join("\n")).toContain(
        "make a code (REGISTRATION=invite mails none to who was not invited): npm run cli -- user login-code --email you@example.com"
      )
      const id = hint![1]!
      const { code } = JSON.parse((yield* run("user", "login-code", "--email", "ada@example.com", "--json")).out) as {
        code: string
      }
      yield* verify("ada@example.com", code)
      expect(lines((yield* run("org", "list")).out).find((one) => one.id === id)).toMatchObject({
        name: "First organization",
        plan: "free",
        members: 0,
        applications: 1
      })
      const enrolled = yield* run("org", "enrol", "--org", id, "--email", "ada@example.com", "--role", "owner")
      expect(enrolled).toMatchObject({ code: 0, out: `ada@example.com is owner of ${id}.\n` })
      expect(lines((yield* run("org", "list")).out).map(({ members }) => members)).toEqual([1, 1])
      const made = yield* run("org", "create", "--name", "Second", "--email", "ada@example.com", "--json")
      const { org } = JSON.parse(made.out) as { org: string }
      expect(lines((yield* run("org", "list")).out).find((one) => one.id === org)).toMatchObject({
        name: "Second",
        members: 1,
        applications: 0
      })
      expect(yield* run("org", "create", "--name", "www.example.com", "--email", "ada@example.com")).toMatchObject({
        code: 1,
        err: "--name must not contain a link or an e-mail address.\n"
      })
      const last = yield* run("org", "enrol", "--org", id, "--email", "ada@example.com", "--role", "viewer")
      expect(last).toMatchObject({ code: 1, err: expect.stringContaining("last owner") })
    }).pipe(Effect.scoped)
  )
})
