import { Effect } from "effect"
import type { SqlClient } from "effect/sql"
import type { SqlError } from "effect/sql/SqlError"
import type { Application } from "../../../services/domain/access/Application.ts"
import type { AppId, OrganizationId } from "../../../services/domain/Ids.ts"
import type { NewApplication } from "../../../services/ports/access/ApplicationStore.ts"
import type { SecretBox } from "../../../services/ports/access/SecretBox.ts"
import { recordPeople } from "../people/peopleEntry.ts"
import { record } from "./auditEntry.ts"

export interface ApplicationRow {
  readonly id: AppId
  readonly organization_id: OrganizationId
  readonly name: string
  readonly identity_verification: boolean
  readonly former_until: Date | null
  readonly created_at: Date
}

export const APPLICATION_COLUMNS = `id, organization_id, name, identity_verification, created_at,
  CASE WHEN former_identity_until > now() THEN former_identity_until END AS former_until`

export const applicationOf = (row: ApplicationRow): Application => ({
  id: row.id,
  organizationId: row.organization_id,
  name: row.name,
  identityVerification: row.identity_verification,
  formerIdentityUntil: row.former_until?.getTime() ?? null,
  createdAt: row.created_at.getTime()
})

export const secretPlace = (id: AppId): string => `applications.identity_secret:${id}`

/**
 * Writes an application with its keys, into the organization that it names, and an entry of both their logs. To be run in a
 * transaction.
 */
export const insertApplication = Effect.fnUntraced(function* (
  sql: SqlClient.SqlClient,
  box: SecretBox["Service"],
  { id, identitySecret, keys, name, organizationId }: NewApplication
): Effect.fn.Return<Application, SqlError> {
  const [row] = yield* sql<ApplicationRow>`
    INSERT INTO applications (id, organization_id, name, identity_secret)
    VALUES (${id}, ${organizationId}, ${name}, ${box.seal(secretPlace(id), identitySecret)})
    RETURNING ${sql.literal(APPLICATION_COLUMNS)}`
  for (const key of keys) {
    yield* sql`
      INSERT INTO api_keys (id, app_id, kind, name, hash, hint)
      VALUES (${key.id}, ${id}, ${key.kind}, ${key.name}, ${key.hash}, ${key.hint})`
  }
  yield* record(sql, id, "application.created", id, {
    name,
    keys: keys.map(({ hint, id, kind }) => ({ id, kind, prefix: hint }))
  })
  yield* recordPeople(sql, "application.created", { organization: organizationId, target: id, details: { name } })
  return applicationOf(row!)
})
