import { PgClient } from "@effect/sql-pg"
import { expect, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { randomBytes } from "node:crypto"
import { describe } from "vitest"
import * as Keys from "../../../../layers/crypto/Keys.ts"
import * as SecretBox from "../../../../layers/crypto/SecretBox.ts"
import * as ApplicationStore from "../../../../layers/postgres/access/ApplicationStore.ts"
import { confirm, look } from "../../../../layers/postgres/access/MasterKeyCheck.ts"
import { createApplication } from "../../../../services/engine/access/Applications.ts"
import { testDatabase } from "../../../Database.ts"

const FIRST = randomBytes(32)
const SECOND = randomBytes(32)
const withKeys = (...keys: ReadonlyArray<Uint8Array>) => Effect.provide(SecretBox.layerOf(...keys))

/** Each test in a database of its own. */
const database = () => Layer.fresh(testDatabase())

describe("the master key's check", () => {
  it.live("knows a database that holds no secret by no key, and records the first one", () =>
    Effect.gen(function* () {
      expect(yield* look.pipe(withKeys(FIRST))).toBe(false)
      yield* confirm.pipe(withKeys(FIRST))
      expect(yield* look.pipe(withKeys(FIRST))).toBe(true)
      const error = yield* Effect.flip(confirm.pipe(withKeys(SECOND)))
      expect(error._tag).toBe("WrongMasterKey")
    }).pipe(Effect.provide(database()))
  )

  it.live("is not taken in by a wrong key at the first start of a release that records it", () =>
    Effect.gen(function* () {
      const stores = ApplicationStore.layer.pipe(Layer.provideMerge(SecretBox.layerOf(FIRST)), Layer.merge(Keys.layer))
      yield* createApplication("Old").pipe(Effect.provide(stores))
      const sql = yield* PgClient.PgClient
      yield* sql`DELETE FROM master_key_check`
      expect((yield* Effect.flip(confirm.pipe(withKeys(SECOND))))._tag).toBe("WrongMasterKey")
      expect(yield* sql`SELECT 1 FROM master_key_check`).toEqual([])
      yield* confirm.pipe(withKeys(FIRST))
    }).pipe(Effect.provide(database()))
  )

  it.live("goes with a rotation: the new key with the former one beside it, then the new one alone", () =>
    Effect.gen(function* () {
      yield* confirm.pipe(withKeys(FIRST))
      yield* confirm.pipe(withKeys(SECOND, FIRST))
      yield* confirm.pipe(withKeys(SECOND))
      const error = yield* Effect.flip(confirm.pipe(withKeys(FIRST)))
      expect(error.message).not.toContain(FIRST.toString("hex"))
      expect(error._tag).toBe("WrongMasterKey")
    }).pipe(Effect.provide(database()))
  )
})
