import { PgClient } from "@effect/sql-pg"
import { expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { describe } from "vitest"
import { makeSystem, reconciles } from "../../../System.ts"
import { BacklogStore } from "../../../../services/ports/operations/BacklogStore.ts"
import { inspection } from "../../../../src/app.ts"

describe("totals", () => {
  it.live(
    "reconcile after sends, failures and a replay, and are told when a result is lost",
    () =>
      Effect.gen(function* () {
        const system = yield* makeSystem()
        yield* system.importDevices(300)
        const fine = yield* system.send({ to: { all: true }, content: { title: "Fine" } })
        yield* system.until(fine, ({ status }) => status === "completed")
        const { body: credential } = { body: system.fleet.description.credentials }
        yield* system.call("DELETE", "/api/v1/credentials/fcm")
        const mended = yield* system.send({ to: { all: true }, content: { title: "Mended" } })
        const shown = yield* system.until(mended, ({ status }) => status === "completed")
        expect(shown.counts.failed).toBeGreaterThan(0)
        const differing = Effect.flatMap(BacklogStore, (store) => store.unreconciled).pipe(
          Effect.provide(inspection(system.env)),
          Effect.orDie
        )
        expect(yield* differing).toEqual([])

        yield* system.call("PUT", "/api/v1/credentials/fcm", credential["fcm" as keyof typeof credential])
        yield* system.call("POST", "/api/v1/dead-letters/replay", { notification_id: mended })
        const replayed = yield* system.until(
          mended,
          ({ counts, status }) => status === "completed" && counts.failed < shown.counts.failed
        )
        expect(reconciles(replayed)).toBe(true)
        expect(yield* differing).toEqual([])

        yield* Effect.gen(function* () {
          const sql = yield* PgClient.PgClient
          yield* sql`DELETE FROM packed_deliveries WHERE notification_id = ${fine}`
          yield* sql`DELETE FROM deliveries WHERE notification_id = ${fine}`
        }).pipe(Effect.provide(inspection(system.env)), Effect.orDie)
        expect(yield* differing).toEqual([fine])
      }).pipe(Effect.scoped),
    240_000
  )

  it.live(
    "are told not to reconcile when a recipient is lost between the plan and the states",
    () =>
      Effect.gen(function* () {
        const system = yield* makeSystem()
        yield* system.importDevices(30)
        const database = <A, E>(work: Effect.Effect<A, E, PgClient.PgClient | BacklogStore>) =>
          work.pipe(Effect.provide(inspection(system.env)), Effect.orDie)
        const differing = database(Effect.flatMap(BacklogStore, (store) => store.unreconciled))
        const send = Effect.fnUntraced(function* (to: unknown) {
          const id = yield* system.send({ to, content: { title: "Hello" } })
          return [id, yield* system.until(id, ({ status }) => status === "completed")] as const
        })
        const { body } = yield* system.call("GET", "/api/v1/devices?limit=1")
        const [device] = (body as { readonly data: ReadonlyArray<{ readonly id: string }> }).data
        yield* send({ all: true })
        yield* send({ device_ids: [device!.id] })
        expect(yield* differing).toEqual([])

        const lose = (what: "CREATE" | "DROP") =>
          Effect.gen(function* () {
            const sql = yield* PgClient.PgClient
            if (what === "DROP") return yield* sql`DROP FUNCTION lose CASCADE`
            yield* sql`
              CREATE FUNCTION lose() RETURNS trigger LANGUAGE plpgsql
              AS $body$ BEGIN NEW.recipients := NEW.recipients[2:]; RETURN NEW; END $body$`
            return yield* sql`
              CREATE TRIGGER lose BEFORE INSERT ON batches FOR EACH ROW WHEN (NEW.provider = 'fcm') EXECUTE FUNCTION lose()`
          })
        yield* database(lose("CREATE"))
        const [large, shown] = yield* send({ all: true })
        yield* database(lose("DROP"))
        expect(shown.counts.accepted).toBe(29)
        expect(reconciles(shown)).toBe(true)
        expect(yield* differing).toEqual([large])
      }).pipe(Effect.scoped),
    120_000
  )
})
