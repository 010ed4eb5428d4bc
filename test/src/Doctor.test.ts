import { expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { randomBytes } from "node:crypto"
import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { describe } from "vitest"
import { createApplication } from "../../services/engine/Applications.ts"
import { CredentialStore } from "../../services/ports/CredentialStore.ts"
import { commands, diagnose } from "../../src/app.ts"
import { freshDatabase } from "../Database.ts"

describe("diagnose", () => {
  it.live(
    "names the credentials that a provider refuses, and those that this master key does not open",
    () =>
      Effect.gen(function* () {
        const { url } = yield* freshDatabase()
        const dataDir = yield* Effect.acquireRelease(
          Effect.promise(() => mkdtemp(join(tmpdir(), "heliograph-doctor-"))),
          (path) => Effect.promise(() => rm(path, { recursive: true, force: true }))
        )
        const keyed = () => ({ DATABASE_URL: url, DATA_DIR: dataDir, MASTER_KEY: randomBytes(32).toString("hex") })
        const env = keyed()
        const credentials = (environment: ReturnType<typeof keyed>) =>
          Effect.map(diagnose(environment), (findings) => findings.find(({ check }) => check === "credentials"))

        const app = yield* Effect.gen(function* () {
          const { appId } = yield* createApplication("Test")
          const value = { url: "smtp://mail.example:25", from: "a@mail.example" }
          yield* (yield* CredentialStore).put(appId, { kind: "smtp", value })
          return appId
        }).pipe(Effect.provide(commands(env)))
        expect(yield* credentials(env)).toMatchObject({ isOk: true, message: "1 can be read, none is refused" })

        expect(yield* credentials(keyed())).toMatchObject({
          isOk: false,
          message: `smtp of ${app} cannot be read with this MASTER_KEY`
        })
        yield* Effect.flatMap(CredentialStore, (store) => store.hold(app, "smtp", 1, "authentication failed")).pipe(
          Effect.provide(commands(env))
        )
        expect(yield* credentials(env)).toMatchObject({
          isOk: false,
          message: `smtp of ${app} is refused by its provider: authentication failed`
        })
      }).pipe(Effect.scoped),
    60_000
  )
})
