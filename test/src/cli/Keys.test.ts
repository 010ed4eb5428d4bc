import { expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { randomBytes } from "node:crypto"
import { describe } from "vitest"
import { freshDatabase } from "../../Database.ts"
import { command, folder } from "./Command.ts"

describe("the command line for keys", () => {
  it.live("prints nothing but JSON for programs, which need not know what prints JSON in any case", () =>
    Effect.gen(function* () {
      const { url } = yield* freshDatabase()
      const env = { DATABASE_URL: url, MASTER_KEY: randomBytes(32).toString("hex"), DATA_DIR: yield* folder }
      const read = Effect.fnUntraced(function* (...args: ReadonlyArray<string>) {
        const { code, out } = yield* command([...args, "--json"], env)
        expect([code, args.join(" ")]).toEqual([0, args.join(" ")])
        return out
          .trim()
          .split("\n")
          .map((line) => JSON.parse(line) as Readonly<Record<string, unknown>>)
      })
      expect(yield* read("migrate")).toEqual([{ applied: [] }])
      const [{ app_id }] = (yield* read("app", "create", "--name", "Shop")) as [{ readonly app_id: string }]
      const app = ["--app", app_id]
      expect(yield* read("app", "list")).toMatchObject([{ app_id, name: "Shop", identity_verification: true }])
      expect(yield* read("app", "options", ...app)).toEqual([{ app_id, name: "Shop", identity_verification: true }])
      const [made] = yield* read("key", "create", ...app, "--kind", "secret", "--name", "second")
      expect(made).toMatchObject({ kind: "secret", name: "second", key: expect.stringMatching(/^sk_/) })
      expect(yield* read("key", "list", ...app)).toHaveLength(3)
      const id = String(made!["id"])
      expect(yield* read("key", "revoke", ...app, "--id", id)).toEqual([{ id, revoked: true }])
      expect(yield* read("key", "list", ...app)).toHaveLength(2)
      const slip = yield* command(["app", "delete", ...app, "--name", "Another"], env)
      expect([slip.code, slip.err]).toEqual([1, expect.stringMatching(/is called "Shop".*Nothing was deleted/)])
      expect(yield* read("app", "delete", ...app, "--name", "Shop")).toEqual([{ app_id, deleted: true }])
      expect((yield* command(["app", "list"], env)).out).toBe("")
      const twice = yield* command(["app", "delete", ...app, "--name", "Shop"], env)
      expect([twice.code, twice.err]).toEqual([1, expect.stringContaining(`There is no application ${app_id}`)])
    }).pipe(Effect.scoped)
  )
})
