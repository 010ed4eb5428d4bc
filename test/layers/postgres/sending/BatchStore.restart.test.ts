import { PgClient } from "@effect/sql-pg"
import { expect, it } from "@effect/vitest"
import { Effect, Layer, Schedule } from "effect"
import * as BatchStores from "../../../../layers/postgres/sending/BatchStore.ts"
import { pool } from "../../../../layers/postgres/server/Database.ts"
import { migrate } from "../../../../layers/postgres/server/Migrations.ts"
import * as NotificationStores from "../../../../layers/postgres/sending/NotificationStore.ts"
import { BatchStore } from "../../../../services/ports/sending/BatchStore.ts"
import { NotificationStore } from "../../../../services/ports/sending/NotificationStore.ts"
import { makePostgresServer } from "../../../PostgresServer.ts"
import { chunkOf, ids, newApp, planned } from "../Stores.ts"

const stores = Layer.merge(BatchStores.layer, NotificationStores.layer)

it.live("leaves leases from before a start of the server to their holders for a while, and takes over all others", () =>
  Effect.gen(function* () {
    const server = yield* makePostgresServer()
    yield* Effect.gen(function* () {
      yield* migrate
      const batches = yield* BatchStore
      const app = yield* newApp
      const lane = { appId: app, provider: "fcm", priority: "bulk" } as const
      const [held, lost] = [ids(2), ids(3)]
      yield* planned(app, [held])
      yield* planned(app, [lost])
      const [mine, dropped] = yield* batches.claim(lane, 2, 1)
      expect([mine, dropped]).toMatchObject([{ recipients: held }, { recipients: lost }])

      const other = yield* newApp
      const sent = ids(2)
      const cancelled = yield* planned(other, [sent])
      const [sending] = yield* batches.claim({ ...lane, appId: other }, 1, 1)
      yield* (yield* NotificationStore).control(other, cancelled, "cancel")

      yield* server.kill
      yield* server.start
      // Both leases are over, and nobody could prolong them meanwhile.
      expect(yield* Effect.eventually(batches.claim(lane, 10, 1))).toEqual([])
      yield* batches.completeForgotten
      expect(yield* batches.finish(chunkOf(sending!, sent))).toMatchObject({ _tag: "Some" })
      const fresh = ids(1)
      yield* planned(app, [fresh])
      expect(yield* batches.claim(lane, 10, 1)).toMatchObject([{ recipients: fresh, fence: 1 }])
      expect(yield* batches.finish(chunkOf(mine!, held))).toMatchObject({ _tag: "Some" })

      // A lease of after the start is nobody's as soon as it is over; one of before, when its holder has not come back.
      const claimed = batches.claim(lane, 1, 1)
      const next = Effect.repeat(claimed, { until: (found) => found.length > 0 })
      expect(yield* next).toMatchObject([{ recipients: fresh, fence: 2 }])
      const late = Effect.repeat(claimed, {
        until: (found) => found.some(({ id }) => id === dropped!.id),
        schedule: Schedule.spaced("100 millis")
      })
      yield* late
      expect(yield* batches.finish(chunkOf(dropped!, lost))).toMatchObject({ _tag: "None" })
    }).pipe(Effect.provide(stores.pipe(Layer.provideMerge(PgClient.layerFrom(pool(server.url, 2))))))
  }).pipe(Effect.scoped)
)
