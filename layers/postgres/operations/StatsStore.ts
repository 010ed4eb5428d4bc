import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import type { DayStats, Happenings } from "../../../services/domain/operations/Stats.ts"
import { HAPPENINGS } from "../../../services/domain/operations/Stats.ts"
import type { ProviderAccount } from "../../../services/ports/operations/StatsStore.ts"
import { StatsStore } from "../../../services/ports/operations/StatsStore.ts"
import { providerOfCode } from "../sending/deliveryCodes.ts"
import { storeError } from "../server/storeError.ts"

type DayRow = { readonly [name in keyof Happenings]: string } & { readonly day: string; readonly code: string }

export const layer: Layer.Layer<StatsStore, never, SqlClient.SqlClient> = Layer.effect(
  StatsStore,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const sums = sql.literal(HAPPENINGS.map((name) => `sum(${name})::text AS ${name}`).join(", "))

    const days: StatsStore["Service"]["days"] = (appId, from, to) =>
      sql<DayRow>`
        SELECT day::text AS day, provider AS code, ${sums} FROM daily_stats
        WHERE app_id = ${appId} AND day BETWEEN ${from}::text::date AND ${to}::text::date
        GROUP BY day, provider ORDER BY day, provider`.pipe(
        Effect.map((rows) =>
          rows.map(({ day, code, ...counted }): DayStats => {
            const numbers = Object.fromEntries(HAPPENINGS.map((name) => [name, Number(counted[name])]))
            return { day, provider: providerOfCode(code), ...(numbers as unknown as Happenings) }
          })
        ),
        storeError("StatsStore.days")
      )

    const notification: StatsStore["Service"]["notification"] = (appId, id) =>
      sql<ProviderAccount>`
        SELECT provider, sum(pending)::integer AS pending, sum(sent)::integer AS sent, sum(failed)::integer AS failed,
          sum(skipped)::integer AS skipped, sum(cancelled)::integer AS cancelled
        FROM all_batches WHERE notification_id = ${id} AND app_id = ${appId}
        GROUP BY provider ORDER BY provider`.pipe(storeError("StatsStore.notification"))

    return StatsStore.of({ days, notification })
  })
)
