import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import type { ProviderKind } from "../../../services/domain/sending/Credential.ts"
import type { NotificationId } from "../../../services/domain/Ids.ts"
import { WORKER_ENDED } from "../../../services/domain/sending/Suspicion.ts"
import type { FailingWebhook, Waiting } from "../../../services/ports/operations/BacklogStore.ts"
import { BacklogStore } from "../../../services/ports/operations/BacklogStore.ts"
import { appsIn } from "../server/appsIn.ts"
import { NODE } from "../server/Database.ts"
import { statusCode } from "../sending/deliveryCodes.ts"
import { storeError } from "../server/storeError.ts"

/** Notifications that are looked at, recipients of one that is too large to compare, and notifications compared. */
const NEWEST = 100
const LARGE = 10_000
const COMPARED = 20

/** Attempts at one delivery that make a webhook a failing one, and such webhooks told at once, at most. */
const TRIED = 2
const FAILING = 20

const PROVIDERS = ["apns", "fcm", "webpush", "smtp", "inbox"] as const

export const layer: Layer.Layer<BacklogStore, never, SqlClient.SqlClient> = Layer.effect(
  BacklogStore,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    /** Credentials that their providers refuse: what goes by them waits for nothing else. */
    const refused = sql`refused AS MATERIALIZED (
      SELECT app_id, kind FROM credentials WHERE suspended_reason IS NOT NULL)`
    // All of it is found by the partial indexes of open work.
    const waiting = sql<Waiting>`
      WITH RECURSIVE ${appsIn(sql, "execution_timers")}, ${refused}
      SELECT kind, count(*)::integer AS count,
        greatest(0, coalesce(extract(epoch FROM now() - min(due)) * 1000, 0))::float8 AS "oldestMs"
      FROM (
        SELECT 'plan' AS kind, coalesce(send_at, created_at) AS due FROM notifications
        WHERE NOT plan_done AND status IN ('queued', 'sending') AND (plan_lease_until IS NULL OR plan_lease_until < now())
        UNION ALL
        SELECT b.provider, b.due_at FROM batches b
        CROSS JOIN LATERAL (SELECT status FROM notifications WHERE id = b.notification_id OFFSET 0) AS n
        WHERE NOT b.done AND NOT b.suspended AND b.due_at <= now() AND (b.lease_until IS NULL OR b.lease_until < now())
          AND n.status IN ('queued', 'sending') AND (b.app_id, b.provider) NOT IN (SELECT app_id, kind FROM refused)
        UNION ALL
        SELECT 'webhook', w.due_at FROM webhook_work_items w
        CROSS JOIN LATERAL (SELECT is_active FROM webhooks WHERE id = w.webhook_id OFFSET 0) AS h
        WHERE NOT w.done AND h.is_active AND w.due_at <= now() AND (w.lease_until IS NULL OR w.lease_until < now())
        UNION ALL
        SELECT 'workflow', r.due_at FROM apps CROSS JOIN LATERAL (
          SELECT due_at FROM execution_timers t WHERE t.app_id = apps.app_id AND t.due_at <= now() OFFSET 0
        ) AS r WHERE apps.app_id IS NOT NULL
      ) work GROUP BY kind`
    /** Those that were tried with the credential, and those that came later and wait behind them. */
    const suspendedBatches = sql<{ readonly provider: ProviderKind; readonly count: number }>`
      WITH ${refused}
      SELECT provider, count(*)::integer AS count FROM (
        SELECT provider FROM batches WHERE suspended AND NOT done
        UNION ALL
        SELECT b.provider FROM refused CROSS JOIN LATERAL (
          SELECT provider FROM batches
          WHERE app_id = refused.app_id AND provider = refused.kind AND NOT done AND NOT paused AND NOT suspended
            AND (lease_until IS NULL OR lease_until < now()) OFFSET 0
        ) AS b
      ) AS waiting GROUP BY provider`
    const suspended = sql<{ readonly provider: ProviderKind; readonly count: number }>`
      SELECT kind AS provider, count(*)::integer AS count FROM credentials WHERE suspended_reason IS NOT NULL GROUP BY kind`
    const others = sql<{ readonly disabled: number; readonly bytes: number }>`
      SELECT (SELECT count(*)::integer FROM webhooks WHERE NOT is_active AND disabled_reason IS NOT NULL) AS disabled,
        pg_database_size(current_database())::float8 AS bytes`
    // By the newest ids, and of what is large nothing: the work of a look has an end, whatever there is.
    const unreconciled = sql<{ readonly id: NotificationId }>`
      WITH newest AS MATERIALIZED (SELECT id, status, planned FROM notifications ORDER BY id DESC LIMIT ${NEWEST}),
      counted AS MATERIALIZED (
        SELECT n.id, n.planned, summed.* FROM newest n CROSS JOIN LATERAL (
          SELECT coalesce(sum(sent), 0) AS sent, coalesce(sum(failed), 0) AS failed,
            coalesce(sum(pending + sent + failed + skipped + cancelled), 0) AS accepted
          FROM all_batches WHERE notification_id = n.id
        ) AS summed WHERE n.status = 'completed'
      ), compared AS MATERIALIZED (
        SELECT id, sent, failed FROM counted WHERE sent + failed <= ${LARGE} ORDER BY id DESC LIMIT ${COMPARED}
      )
      SELECT id FROM counted WHERE accepted <> planned
      UNION
      SELECT c.id FROM compared c CROSS JOIN LATERAL (
        SELECT sum(r.count) FILTER (WHERE r.status = ${statusCode.sent}::"char") AS sent,
          sum(r.count) FILTER (WHERE r.status = ${statusCode.failed}::"char") AS failed
        FROM (
          SELECT status, 1 AS count FROM deliveries WHERE notification_id = c.id
          UNION ALL SELECT status, size FROM packed_deliveries WHERE notification_id = c.id
        ) r
      ) there
      WHERE (c.sent, c.failed) IS DISTINCT FROM (coalesce(there.sent, 0), coalesce(there.failed, 0))`
    const connections = sql<{ readonly state: string; readonly count: number }>`
      SELECT coalesce(state, 'unknown') AS state, count(*)::integer AS count FROM pg_stat_activity
      WHERE datname = current_database() AND application_name LIKE 'heliograph%' GROUP BY 1 ORDER BY 1`
    const nodes = sql<{ readonly count: number }>`
      SELECT count(DISTINCT application_name)::integer AS count FROM pg_stat_activity
      WHERE datname = current_database() AND starts_with(application_name, ${NODE})`
    // One failed attempt is nothing to speak of: the next one mostly succeeds.
    const failingWebhooks = sql<FailingWebhook>`
      WITH tried AS MATERIALIZED (
        SELECT webhook_id, max(attempts)::integer AS attempts FROM webhook_work_items
        WHERE NOT done AND attempts > 0 GROUP BY webhook_id HAVING max(attempts) >= ${TRIED}
      )
      SELECT h.id, h.app_id AS "appId", h.failures, coalesce(t.attempts, 0) AS attempts,
        h.disabled_reason AS "disabledReason"
      FROM webhooks h LEFT JOIN tried t ON t.webhook_id = h.id
      WHERE CASE WHEN h.is_active THEN h.failures > 0 OR t.attempts > 0 ELSE h.disabled_reason IS NOT NULL END
      ORDER BY h.id DESC LIMIT ${FAILING}`
    const setAside = sql<{ readonly count: number }>`
      SELECT count(*)::integer AS count FROM dead_letters
      WHERE kind = 'notification' AND error = ${WORKER_ENDED} AND replayed_at IS NULL`
    return BacklogStore.of({
      setAside: setAside.pipe(
        Effect.map(([row]) => row!.count),
        storeError("BacklogStore.setAside")
      ),
      failingWebhooks: failingWebhooks.pipe(storeError("BacklogStore.failingWebhooks")),
      nodes: nodes.pipe(
        Effect.map(([row]) => row!.count),
        storeError("BacklogStore.nodes")
      ),
      unreconciled: unreconciled.pipe(
        Effect.map((rows) => rows.map(({ id }) => id)),
        storeError("BacklogStore.unreconciled")
      ),
      read: Effect.all([waiting, suspendedBatches, connections, suspended, others]).pipe(
        Effect.map(([found, batches, connections, suspended, [rest]]) => {
          const each = (counts: ReadonlyArray<{ readonly provider: ProviderKind; readonly count: number }>) =>
            PROVIDERS.map((provider) => ({
              provider,
              count: counts.find((row) => row.provider === provider)?.count ?? 0
            }))
          const byKind = new Map(found.map((row) => [row.kind, row]))
          const kinds = ["plan", ...PROVIDERS, "webhook", "workflow"] as const
          return {
            // Nothing waiting is a number as well: a series that comes and goes is hard to alert on.
            waiting: kinds.map((kind) => byKind.get(kind) ?? { kind, count: 0, oldestMs: 0 }),
            suspendedBatches: each(batches),
            suspended: each(suspended),
            disabledWebhooks: rest!.disabled,
            bytes: rest!.bytes,
            connections
          }
        }),
        storeError("BacklogStore.read")
      )
    })
  })
)
