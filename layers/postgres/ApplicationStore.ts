import { Effect, Layer, Option } from "effect"
import { SqlClient } from "effect/sql"
import type { ApiKey, Application, KeyKind } from "../../services/domain/Application.ts"
import type { ApiKeyId, AppId, OrganizationId } from "../../services/domain/Ids.ts"
import type { NewApplication } from "../../services/ports/ApplicationStore.ts"
import { ApplicationStore } from "../../services/ports/ApplicationStore.ts"
import { SecretBox } from "../../services/ports/SecretBox.ts"
import { storeError } from "./storeError.ts"

interface ApplicationRow {
  readonly id: AppId
  readonly organization_id: OrganizationId
  readonly name: string
  readonly identity_verification: boolean
  readonly created_at: Date
}

const COLUMNS = "id, organization_id, name, identity_verification, created_at"

/** The name of the organization that is made with the very first application. */
const FIRST_ORGANIZATION = "First organization"

/** Any number that nobody else uses for a lock of this database. */
const LOCK = 7_236_418_004

const applicationOf = (row: ApplicationRow): Application => ({
  id: row.id,
  organizationId: row.organization_id,
  name: row.name,
  identityVerification: row.identity_verification,
  createdAt: row.created_at.getTime()
})

const secretPlace = (id: AppId): string => `applications.identity_secret:${id}`

export const layer: Layer.Layer<ApplicationStore, never, SqlClient.SqlClient | SecretBox> = Layer.effect(
  ApplicationStore,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const box = yield* SecretBox
    const columns = sql.literal(COLUMNS)

    const insert = (application: NewApplication, isFirst: boolean) =>
      sql
        .withTransaction(
          Effect.gen(function* () {
            // Two nodes that start at once on an empty database must not make an organization each.
            yield* sql`SELECT pg_advisory_xact_lock(${LOCK})`
            if (isFirst && (yield* sql`SELECT 1 FROM applications LIMIT 1`).length > 0) return Option.none()
            yield* sql`
              INSERT INTO organizations (id, name) SELECT ${application.organizationId}::uuid, ${FIRST_ORGANIZATION}
              WHERE NOT EXISTS (SELECT 1 FROM organizations)`
            const sealed = box.seal(secretPlace(application.id), application.identitySecret)
            const [row] = yield* sql<ApplicationRow>`
              INSERT INTO applications (id, organization_id, name, identity_secret)
              SELECT ${application.id}::uuid, id, ${application.name}, ${sealed} FROM organizations ORDER BY created_at, id LIMIT 1
              RETURNING ${columns}`
            for (const { id, kind, hash, hint } of application.keys) {
              yield* sql`INSERT INTO api_keys (id, app_id, kind, hash, hint) VALUES (${id}, ${application.id}, ${kind}, ${hash}, ${hint})`
            }
            return Option.some(applicationOf(row!))
          })
        )
        .pipe(storeError("ApplicationStore.create"))

    const create: ApplicationStore["Service"]["create"] = (application) =>
      Effect.map(insert(application, false), Option.getOrThrow)

    const createFirst: ApplicationStore["Service"]["createFirst"] = (application) => insert(application, true)

    const find: ApplicationStore["Service"]["find"] = (id) =>
      sql<ApplicationRow>`SELECT ${columns} FROM applications WHERE id = ${id}`.pipe(
        Effect.map((rows) => Option.map(Option.fromUndefinedOr(rows[0]), applicationOf)),
        storeError("ApplicationStore.find")
      )

    const identitySecret: ApplicationStore["Service"]["identitySecret"] = Effect.fnUntraced(function* (id) {
      const [row] = yield* sql<{ readonly identity_secret: Uint8Array }>`
        SELECT identity_secret FROM applications WHERE id = ${id}`
      if (row === undefined) return Option.none()
      return Option.some(yield* box.open(secretPlace(id), row.identity_secret))
    }, storeError("ApplicationStore.identitySecret"))

    const count = sql<{ readonly count: number }>`SELECT count(*)::int AS count FROM applications`.pipe(
      Effect.map((rows) => rows[0]!.count),
      storeError("ApplicationStore.count")
    )

    const findKey: ApplicationStore["Service"]["findKey"] = (hash) =>
      sql<{ readonly id: ApiKeyId; readonly app_id: AppId; readonly kind: KeyKind }>`
        SELECT id, app_id, kind FROM api_keys WHERE hash = ${hash} AND revoked_at IS NULL`.pipe(
        Effect.map((rows) =>
          Option.map(Option.fromUndefinedOr(rows[0]), (row): ApiKey => ({
            id: row.id,
            appId: row.app_id,
            kind: row.kind
          }))
        ),
        storeError("ApplicationStore.findKey")
      )

    return ApplicationStore.of({ create, createFirst, find, identitySecret, count, findKey })
  })
)
