import { Effect, Layer, Option } from "effect"
import { SqlClient } from "effect/sql"
import type { CredentialConfig, CredentialKind } from "../../../services/domain/sending/Credential.ts"
import type { AppId } from "../../../services/domain/Ids.ts"
import type { CredentialSummary } from "../../../services/ports/sending/CredentialStore.ts"
import { ACCEPTED_LATELY_MS, CredentialStore } from "../../../services/ports/sending/CredentialStore.ts"
import { SecretBox } from "../../../services/ports/access/SecretBox.ts"
import { record } from "../access/auditEntry.ts"
import { permitted } from "../access/permitted.ts"
import { milliseconds } from "../server/columns.ts"
import { storeError } from "../server/storeError.ts"

interface SummaryRow {
  readonly kind: CredentialKind
  readonly settings: Readonly<Record<string, unknown>>
  readonly suspended_reason: string | null
  readonly updated_at: Date
}

const SUMMARY = "kind, settings, suspended_reason, updated_at"

const summaryOf = (row: SummaryRow): CredentialSummary => ({
  kind: row.kind,
  settings: row.settings,
  suspendedReason: row.suspended_reason,
  updatedAt: row.updated_at.getTime()
})

/** What may be shown: named field by field, so that a field added later is not shown by accident. */
const settingsOf = (config: CredentialConfig): Readonly<Record<string, unknown>> => {
  switch (config.kind) {
    case "apns": {
      const { team_id, key_id, bundle_id, endpoint, sandbox_endpoint } = config.value
      return { team_id, key_id, bundle_id, endpoint, sandbox_endpoint }
    }
    case "fcm": {
      const { project_id, client_email, token_uri } = config.value.service_account
      return { service_account: { project_id, client_email, token_uri }, endpoint: config.value.endpoint }
    }
    case "webpush": {
      const { subject, public_key } = config.value
      return { subject, public_key }
    }
    case "smtp": {
      const url = new URL(config.value.url)
      url.password = ""
      return { url: url.href, from: config.value.from }
    }
  }
}

export const place = (appId: AppId, kind: CredentialKind): string => `credentials.sealed:${appId}:${kind}`

export const layer: Layer.Layer<CredentialStore, never, SqlClient.SqlClient | SecretBox> = Layer.effect(
  CredentialStore,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const box = yield* SecretBox
    const summary = sql.literal(SUMMARY)

    const makeDue = (appId: AppId, kind: CredentialKind) => sql`
      UPDATE batches SET suspended = false, due_at = now()
      WHERE app_id = ${appId} AND provider = ${kind} AND suspended AND NOT done`

    // Apart from the above, because each has an index of its own that is empty as long as all goes well.
    const quicken = (appId: AppId, kind: CredentialKind) => sql`
      UPDATE batches SET slowed = false, due_at = now()
      WHERE app_id = ${appId} AND provider = ${kind} AND slowed AND NOT done`

    const put: CredentialStore["Service"]["put"] = (appId, config) =>
      permitted(
        sql,
        appId,
        Effect.gen(function* () {
          const sealed = box.seal(place(appId, config.kind), JSON.stringify(config.value))
          const [row] = yield* sql<SummaryRow>`
              INSERT INTO credentials AS c (app_id, kind, settings, sealed)
              VALUES (${appId}, ${config.kind}, ${JSON.stringify(settingsOf(config))}, ${sealed})
              ON CONFLICT (app_id, kind) DO UPDATE SET
                version = excluded.version, settings = excluded.settings, sealed = excluded.sealed, suspended_reason = NULL,
                accepted_at = NULL, updated_at = now()
              RETURNING ${summary}`
          yield* makeDue(appId, config.kind)
          yield* quicken(appId, config.kind)
          yield* record(sql, appId, "credential.set", config.kind, { settings: row!.settings })
          return summaryOf(row!)
        })
      ).pipe(
        // Once more for all to whom the old version was still the present one when they asked (`hasten`).
        Effect.tap(Effect.andThen(makeDue(appId, config.kind), quicken(appId, config.kind))),
        storeError("CredentialStore.put")
      )

    const find: CredentialStore["Service"]["find"] = Effect.fnUntraced(function* (appId, kind) {
      const [row] = yield* sql<{
        readonly version: number
        readonly sealed: Uint8Array
        readonly suspended_reason: string | null
      }>`
        SELECT version, sealed, suspended_reason FROM credentials WHERE app_id = ${appId} AND kind = ${kind}`
      if (row === undefined) return Option.none()
      const value: unknown = JSON.parse(yield* box.open(place(appId, kind), row.sealed))
      return Option.some({
        appId,
        version: row.version,
        config: { kind, value } as CredentialConfig,
        suspendedReason: row.suspended_reason
      })
    }, storeError("CredentialStore.find"))

    const summaries: CredentialStore["Service"]["summaries"] = (appId) =>
      sql<SummaryRow>`SELECT ${summary} FROM credentials WHERE app_id = ${appId} ORDER BY kind`.pipe(
        Effect.map((rows) => rows.map(summaryOf)),
        storeError("CredentialStore.summaries")
      )

    const health: CredentialStore["Service"]["health"] = Effect.suspend(
      () =>
        sql<{
          readonly app_id: AppId
          readonly kind: CredentialKind
          readonly sealed: Uint8Array
          readonly suspended_reason: string | null
        }>`SELECT app_id, kind, sealed, suspended_reason FROM credentials ORDER BY app_id, kind`
    ).pipe(
      Effect.flatMap((rows) =>
        Effect.forEach(rows, ({ app_id, kind, sealed, suspended_reason }) =>
          Effect.map(Effect.option(box.open(place(app_id, kind), sealed)), (opened) => ({
            appId: app_id,
            kind,
            suspendedReason: suspended_reason,
            isReadable: Option.isSome(opened)
          }))
        )
      ),
      storeError("CredentialStore.health")
    )

    const remove: CredentialStore["Service"]["remove"] = (appId, kind) =>
      permitted(
        sql,
        appId,
        Effect.gen(function* () {
          const gone = yield* sql`DELETE FROM credentials WHERE app_id = ${appId} AND kind = ${kind} RETURNING kind`
          if (gone.length > 0) yield* record(sql, appId, "credential.removed", kind)
          return gone.length > 0
        })
      ).pipe(storeError("CredentialStore.remove"))

    const suspend: CredentialStore["Service"]["suspend"] = (appId, kind, version, reason) =>
      sql`
        UPDATE credentials SET suspended_reason = ${reason} WHERE app_id = ${appId} AND kind = ${kind} AND version = ${version}`.pipe(
        Effect.asVoid,
        storeError("CredentialStore.suspend")
      )

    const suspendUnlessAccepted: CredentialStore["Service"]["suspendUnlessAccepted"] = (appId, kind, version, reason) =>
      sql`
        UPDATE credentials SET suspended_reason = ${reason} WHERE app_id = ${appId} AND kind = ${kind} AND version = ${version}
          AND (accepted_at IS NULL OR accepted_at <= now() - ${milliseconds(ACCEPTED_LATELY_MS)} * interval '1 ms')
        RETURNING kind`.pipe(
        Effect.map((rows) => rows.length > 0),
        storeError("CredentialStore.suspendUnlessAccepted")
      )

    const accepted: CredentialStore["Service"]["accepted"] = (appId, kind, version) =>
      sql`
        UPDATE credentials SET accepted_at = now() WHERE app_id = ${appId} AND kind = ${kind} AND version = ${version}`.pipe(
        Effect.asVoid,
        storeError("CredentialStore.accepted")
      )

    const release: CredentialStore["Service"]["release"] = (appId, kind, version) =>
      sql
        .withTransaction(
          Effect.gen(function* () {
            const released = yield* sql`
              UPDATE credentials SET suspended_reason = NULL
              WHERE app_id = ${appId} AND kind = ${kind} AND version = ${version} AND suspended_reason IS NOT NULL RETURNING kind`
            if (released.length > 0) yield* makeDue(appId, kind)
          })
        )
        .pipe(storeError("CredentialStore.release"))

    const hasten: CredentialStore["Service"]["hasten"] = Effect.fnUntraced(function* (appId, kind, version) {
      const [now] = yield* sql<{ readonly version: number; readonly suspended_reason: string | null }>`
        SELECT version, suspended_reason FROM credentials WHERE app_id = ${appId} AND kind = ${kind}`
      if (now === undefined || now.version === version) return
      yield* quicken(appId, kind)
      if (now.suspended_reason === null) yield* makeDue(appId, kind)
    }, storeError("CredentialStore.hasten"))

    return CredentialStore.of({
      put,
      find,
      summaries,
      health,
      remove,
      suspend,
      suspendUnlessAccepted,
      accepted,
      release,
      hasten
    })
  })
)
