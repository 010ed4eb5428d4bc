import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import type { ProviderKind } from "../../services/domain/Credential.ts"
import type { Waiting } from "../../services/ports/BacklogStore.ts"
import { BacklogStore } from "../../services/ports/BacklogStore.ts"
import { NODE } from "./Database.ts"
import { storeError } from "./storeError.ts"

const PROVIDERS = ["apns", "fcm", "webpush", "smtp", "inbox"] as const

export const layer: Layer.Layer<BacklogStore, never, SqlClient.SqlClient> = Layer.effect(
  BacklogStore,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    // All of it is found by the partial indexes of open work.
    const waiting = sql<Waiting>`
      SELECT kind, count(*)::integer AS count,
        greatest(0, coalesce(extract(epoch FROM now() - min(due)) * 1000, 0))::float8 AS "oldestMs"
      FROM (
        SELECT 'plan' AS kind, coalesce(send_at, created_at) AS due FROM notifications
        WHERE NOT plan_done AND status IN ('queued', 'sending') AND (plan_lease_until IS NULL OR plan_lease_until < now())
        UNION ALL
        SELECT b.provider, b.due_at FROM batches b JOIN notifications n ON n.id = b.notification_id
        WHERE NOT b.done AND NOT b.held AND b.due_at <= now() AND (b.lease_until IS NULL OR b.lease_until < now())
          AND n.status IN ('queued', 'sending')
        UNION ALL
        SELECT 'webhook', w.due_at FROM hook_work w JOIN hooks h ON h.id = w.hook_id
        WHERE NOT w.done AND h.is_active AND w.due_at <= now() AND (w.lease_until IS NULL OR w.lease_until < now())
      ) work GROUP BY kind`
    const held = sql<{ readonly provider: ProviderKind; readonly count: number }>`
      SELECT provider, count(*)::integer AS count FROM batches WHERE held AND NOT done GROUP BY provider`
    const connections = sql<{ readonly state: string; readonly count: number }>`
      SELECT coalesce(state, 'unknown') AS state, count(*)::integer AS count FROM pg_stat_activity
      WHERE datname = current_database() AND application_name LIKE 'heliograph%' GROUP BY 1 ORDER BY 1`
    const nodes = sql<{ readonly count: number }>`
      SELECT count(DISTINCT application_name)::integer AS count FROM pg_stat_activity
      WHERE datname = current_database() AND starts_with(application_name, ${NODE})`
    return BacklogStore.of({
      nodes: nodes.pipe(
        Effect.map(([row]) => row!.count),
        storeError("BacklogStore.nodes")
      ),
      read: Effect.all([waiting, held, connections]).pipe(
        Effect.map(([found, held, connections]) => {
          const byKind = new Map(found.map((row) => [row.kind, row]))
          const kinds = ["plan", ...PROVIDERS, "webhook"] as const
          return {
            // Nothing waiting is a number as well: a series that comes and goes is hard to alert on.
            waiting: kinds.map((kind) => byKind.get(kind) ?? { kind, count: 0, oldestMs: 0 }),
            held: PROVIDERS.map((provider) => ({
              provider,
              count: held.find((row) => row.provider === provider)?.count ?? 0
            })),
            connections
          }
        }),
        storeError("BacklogStore.read")
      )
    })
  })
)
