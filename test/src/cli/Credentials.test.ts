import { expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { generateKeyPairSync, randomBytes } from "node:crypto"
import { writeFile } from "node:fs/promises"
import { join } from "node:path"
import { describe } from "vitest"
import { freshDatabase } from "../../Database.ts"
import { command, folder } from "./Command.ts"

const pkcs8 = { type: "pkcs8", format: "pem" } as const
const private_key = generateKeyPairSync("rsa", { modulusLength: 2048 }).privateKey.export(pkcs8)
const account = { type: "service_account", project_id: "p", client_email: "a@p.example", private_key, client_id: "1" }

describe("credentials set", () => {
  it.live(
    "takes the service account's file of FCM as Google hands it out, and refuses others in the words of the API",
    () =>
      Effect.gen(function* () {
        const { url } = yield* freshDatabase()
        const env = { DATABASE_URL: url, MASTER_KEY: randomBytes(32).toString("hex") }
        const path = join(yield* folder, "credential.json")
        const created = yield* command(["app", "create", "--name", "Shop", "--json"], env)
        const { app_id: app } = JSON.parse(created.out) as { readonly app_id: string }
        const set = Effect.fnUntraced(function* (content: unknown) {
          yield* Effect.promise(() => writeFile(path, JSON.stringify(content)))
          return yield* command(["credentials", "set", "fcm", "--app", app, "--file", path], env)
        })
        for (const content of [account, { service_account: account }]) {
          const { code, out } = yield* set(content)
          expect(JSON.parse(out)).toMatchObject({ kind: "fcm", service_account: { project_id: "p" } })
          expect(out).not.toContain("PRIVATE KEY")
          expect(code).toBe(0)
        }
        const { client_id, ...rest } = { ...account, type: "x" }
        const refused = yield* set({ client_id, service_account: { ...rest, project_id: 7 } })
        expect(refused.err.trim()).toBe(
          "The fcm credential is not usable: client_id is not a known field; service_account.project_id must be a string."
        )
        expect(refused.code).toBe(1)

        // The file that Apple hands out.
        yield* Effect.promise(() => writeFile(path, private_key))
        const alone = yield* command(["credentials", "set", "apns", "--app", app, "--file", path], env)
        expect(alone.err.trim()).toBe(
          `${path}: this is a key by itself; put it into a JSON file, as private_key beside the credential's other fields`
        )
        expect(alone.code).toBe(1)

        // Files that are not there, or are none of JSON, in words and without what stands in them.
        const halved = JSON.stringify(account).slice(0, 300)
        for (const [content, words] of [
          [null, "there is no such file"],
          ["", "this is empty; it has to be the credential as JSON"],
          [halved, "this is no JSON; it has to be the credential as JSON, whole"],
          ["hush-hush", "this is no JSON; it has to be the credential as JSON, whole"]
        ] as const) {
          const file = content === null ? `${path}.none` : path
          if (content !== null) yield* Effect.promise(() => writeFile(path, content))
          const { code, err } = yield* command(["credentials", "set", "fcm", "--app", app, "--file", file], env)
          expect([code, err.trim()]).toEqual([1, `${file}: ${words}`])
        }
      }).pipe(Effect.scoped),
    240_000
  )
})
