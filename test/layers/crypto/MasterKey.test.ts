import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { fork } from "node:child_process"
import { once } from "node:events"
import { chmod, mkdtemp, readdir, readFile, rm, stat, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { layer as settingsLayer } from "../../../layers/config/Settings.ts"
import { FILE_NAME, masterKeys } from "../../../layers/crypto/MasterKey.ts"
import { layer as boxLayer } from "../../../layers/crypto/SecretBox.ts"
import { SecretBox } from "../../../services/ports/access/SecretBox.ts"

const directory = Effect.acquireRelease(
  Effect.promise(() => mkdtemp(join(tmpdir(), "heliograph-key-"))),
  (path) => Effect.promise(() => rm(path, { recursive: true }))
)

const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString("hex")

const keysIn = (dataDir: string, masterKey?: string) =>
  Effect.map(masterKeys, (keys) => keys.map(hex)).pipe(
    Effect.provide(settingsLayer({ DATA_DIR: dataDir, MASTER_KEY: masterKey }))
  )

describe("MasterKey", () => {
  it.effect("is made on first use, readable by its owner only, and stays the same", () =>
    Effect.gen(function* () {
      const dataDir = join(yield* directory, "not", "yet", "there")
      const [key] = yield* keysIn(dataDir)
      assert.match(key!, /^[0-9a-f]{64}$/)
      assert.deepStrictEqual(yield* keysIn(dataDir), [key])
      const file = yield* Effect.promise(() => stat(join(dataDir, FILE_NAME)))
      assert.strictEqual(file.mode & 0o777, 0o600)
      assert.deepStrictEqual(yield* Effect.promise(() => readdir(dataDir)), [FILE_NAME])
    })
  )

  it.effect("is one key when many processes and fibers make it at once", () =>
    Effect.gen(function* () {
      const dataDir = yield* directory
      const program = `
        import { Effect } from "effect"
        import { layer } from "${new URL("../../../layers/config/Settings.ts", import.meta.url).href}"
        import { masterKeys } from "${new URL("../../../layers/crypto/MasterKey.ts", import.meta.url).href}"
        process.once("message", async () => {
          const keys = await Effect.runPromise(masterKeys.pipe(Effect.provide(layer({ DATA_DIR: process.env.KEY_DIR }))))
          process.send(keys.map((key) => Buffer.from(key).toString("hex")), () => process.disconnect())
        })
        process.send("ready")`
      const script = join(dataDir, "..", `${dataDir.split("/").at(-1)}.mts`)
      yield* Effect.promise(() =>
        writeFile(script, program.replace(`"effect"`, JSON.stringify(import.meta.resolve("effect"))))
      )
      yield* Effect.addFinalizer(() => Effect.promise(() => rm(script)))
      const children = [0, 1].map(() => fork(script, { env: { ...process.env, KEY_DIR: dataDir } }))
      yield* Effect.promise(() => Promise.all(children.map((child) => once(child, "message"))))
      const answers = children.map((child) => once(child, "message"))
      for (const child of children) child.send("go")
      const own = yield* Effect.all(
        Array.from({ length: 20 }, () => keysIn(dataDir)),
        { concurrency: "unbounded" }
      )
      const others = (yield* Effect.promise(() => Promise.all(answers))).map(([keys]) => keys as ReadonlyArray<string>)
      assert.strictEqual(new Set([...own, ...others].map((keys) => keys.join())).size, 1)
      assert.deepStrictEqual(yield* Effect.promise(() => readdir(dataDir)), [FILE_NAME])
    })
  )

  it.effect("seals with the first line of the file and opens with all of them", () =>
    Effect.gen(function* () {
      const dataDir = yield* directory
      const open = SecretBox.pipe(Effect.provide(Layer.provide(boxLayer, settingsLayer({ DATA_DIR: dataDir }))))
      const sealed = (yield* open).seal("place", "s3cret")
      const path = join(dataDir, FILE_NAME)
      const old = yield* Effect.promise(() => readFile(path, "utf8"))
      yield* Effect.promise(() => writeFile(path, `${"ab".repeat(32)} # since today\n\n${old}`))
      assert.strictEqual((yield* keysIn(dataDir))[0], "ab".repeat(32))
      assert.strictEqual(yield* (yield* open).open("place", sealed), "s3cret")
    })
  )

  it.effect("may stand in the file in every form that MASTER_KEY may have, as a rotation asks for", () =>
    Effect.gen(function* () {
      const dataDir = yield* directory
      const given = [
        Buffer.alloc(32, 7).toString("base64"),
        "AB".repeat(32),
        "a text of#more than thirty-two characters"
      ]
      const former = yield* Effect.forEach(given, (key) => Effect.map(keysIn(dataDir, key), ([made]) => made!))
      const lines = ["# former keys", ...given, `${"cd".repeat(32)}#one`, `${"ef".repeat(32)} # another`]
      yield* Effect.promise(() => writeFile(join(dataDir, FILE_NAME), lines.join("\n")))
      assert.deepStrictEqual(yield* keysIn(dataDir), [...former, "cd".repeat(32), "ef".repeat(32)])
    })
  )

  it.effect("comes from MASTER_KEY when that is set, and makes no file then", () =>
    Effect.gen(function* () {
      const dataDir = yield* directory
      assert.deepStrictEqual(yield* keysIn(dataDir, "cd".repeat(32)), ["cd".repeat(32)])
      assert.deepStrictEqual(yield* Effect.promise(() => readdir(dataDir)), [])
    })
  )

  it.effect("says whose folder it is where it may not be written to", () =>
    Effect.gen(function* () {
      const dataDir = yield* directory
      yield* Effect.promise(() => chmod(dataDir, 0o555))
      const uid = process.geteuid!()
      // Root may write anywhere.
      if (uid === 0) {
        yield* Effect.acquireRelease(
          Effect.sync(() => process.seteuid!(65_534)),
          () => Effect.sync(() => process.seteuid!(uid))
        )
      }
      const error = yield* Effect.flip(keysIn(dataDir))
      assert.match(
        error.message,
        /EACCES.*The folder is the one that DATA_DIR names; the user of this process \(id \d+\)/
      )
    }).pipe(Effect.scoped)
  )

  it.effect("refuses a damaged file by name, without telling its content", () =>
    Effect.gen(function* () {
      const dataDir = yield* directory
      for (const content of ["", "not-a-key-at-all\n", `${"ab".repeat(31)}\n`]) {
        yield* Effect.promise(() => writeFile(join(dataDir, FILE_NAME), content))
        const error = yield* Effect.flip(keysIn(dataDir))
        assert.strictEqual(error._tag, "MasterKeyUnusable")
        assert.include(error.message, FILE_NAME)
        assert.notInclude(error.message, "not-a-key")
      }
    })
  )
})
