import { Effect, Layer, Option } from "effect"
import { SqlClient } from "effect/sql"
import type { ApiKey, ApiKeyInfo, KeyKind } from "../../../services/domain/access/Application.ts"
import { KEYS_PER_APPLICATION } from "../../../services/domain/access/Application.ts"
import type { ApiKeyId, AppId, OrganizationId } from "../../../services/domain/Ids.ts"
import type { NewApplication } from "../../../services/ports/access/ApplicationStore.ts"
import { ApplicationStore, LastSecretKey, TooManyKeys } from "../../../services/ports/access/ApplicationStore.ts"
import { SecretBox } from "../../../services/ports/access/SecretBox.ts"
import { recordPeople } from "../people/peopleEntry.ts"
import { record } from "./auditEntry.ts"
import { permitted } from "./permitted.ts"
import type { ApplicationRow } from "./newApplication.ts"
import { APPLICATION_COLUMNS, applicationOf, insertApplication, secretPlace } from "./newApplication.ts"
import { coalesce, refusalBySql } from "../server/Coalesce.ts"
import { milliseconds, texts, uuids } from "../server/columns.ts"
import { pageOf, spanOf } from "../server/pages.ts"
import { storeError } from "../server/storeError.ts"
import { NAMED_APPLICATION } from "../server/advisoryLocks.ts"

interface KeyRow {
  readonly id: ApiKeyId
  readonly app_id: AppId
  readonly kind: KeyKind
  readonly name: string
  readonly hint: string
  readonly created_at: Date
  readonly last_used_at: Date | null
}

const KEY_COLUMNS = "id, app_id, kind, name, hint, created_at, last_used_at"

const keyOf = (row: KeyRow): ApiKeyInfo => ({
  id: row.id,
  appId: row.app_id,
  kind: row.kind,
  name: row.name,
  hint: row.hint,
  createdAt: row.created_at.getTime(),
  lastUsedAt: row.last_used_at?.getTime() ?? null
})

/** Keys that one statement looks up, at most. */
const KEYS_AT_ONCE = 500

/** The name of the organization that is made with the very first application. */
const FIRST_ORGANIZATION = "First organization"

export const layer: Layer.Layer<ApplicationStore, never, SqlClient.SqlClient | SecretBox> = Layer.effect(
  ApplicationStore,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const box = yield* SecretBox
    const columns = sql.literal(APPLICATION_COLUMNS)
    const keyColumns = sql.literal(KEY_COLUMNS)

    const insert = (application: NewApplication, isFirst: boolean) =>
      sql
        .withTransaction(
          Effect.gen(function* () {
            // Two nodes that start at once on an empty database must not make an organization each.
            yield* sql`SELECT pg_advisory_xact_lock(${NAMED_APPLICATION})`
            if (isFirst && (yield* sql`SELECT 1 FROM organizations LIMIT 1`).length > 0) return Option.none()
            const [made] = yield* sql<{ readonly id: OrganizationId }>`
              INSERT INTO organizations (id, name, of_operators)
              SELECT ${application.organizationId}::uuid, ${FIRST_ORGANIZATION}, true
              WHERE NOT EXISTS (SELECT 1 FROM organizations WHERE of_operators AND deleted_at IS NULL) RETURNING id`
            if (made !== undefined) {
              yield* recordPeople(sql, "organization.created", {
                organization: made.id,
                target: made.id,
                details: { name: FIRST_ORGANIZATION }
              })
            }
            const [organization] = yield* sql<{ readonly id: OrganizationId }>`
              SELECT id FROM organizations WHERE of_operators AND deleted_at IS NULL
              ORDER BY created_at, id LIMIT 1 FOR SHARE`
            return Option.some(yield* insertApplication(sql, box, { ...application, organizationId: organization!.id }))
          })
        )
        .pipe(storeError("ApplicationStore.create"))

    const create: ApplicationStore["Service"]["create"] = (application) =>
      Effect.map(insert(application, false), Option.getOrThrow)

    const createFirst: ApplicationStore["Service"]["createFirst"] = (application) => insert(application, true)

    // OFFSET 0: looked up, and not joined with all organizations.
    const isKept = sql`(SELECT o.deleted_at IS NULL FROM organizations o WHERE o.id = organization_id OFFSET 0)`

    const find: ApplicationStore["Service"]["find"] = (id) =>
      sql<ApplicationRow>`SELECT ${columns} FROM applications WHERE id = ${id} AND ${isKept}`.pipe(
        Effect.map((rows) => Option.map(Option.fromUndefinedOr(rows[0]), applicationOf)),
        storeError("ApplicationStore.find")
      )

    const all: ApplicationStore["Service"]["all"] = (after, limit) =>
      sql<ApplicationRow>`
        SELECT ${columns} FROM applications
        WHERE ${after === null ? sql`true` : sql`id > ${after}`} AND ${isKept}
        ORDER BY id LIMIT ${limit + 1}`.pipe(
        Effect.map((rows) => pageOf(rows.map(applicationOf), limit)),
        storeError("ApplicationStore.all")
      )

    const update: ApplicationStore["Service"]["update"] = Effect.fnUntraced(
      function* (id, change) {
        const names = change.name !== undefined || change.identity_verification !== undefined
        const [row] = yield* sql<ApplicationRow>`
          UPDATE applications SET ${sql.csv([
            sql`id = id`,
            ...(change.name === undefined ? [] : [sql`name = ${change.name}`]),
            ...(change.identity_verification === undefined
              ? []
              : [sql`identity_verification = ${change.identity_verification}`])
          ])} WHERE id = ${id} RETURNING ${columns}`
        if (row === undefined) return Option.none()
        if (names) yield* record(sql, id, "application.changed", id, change)
        return Option.some(applicationOf(row))
      },
      (effect, id) => permitted(sql, id, effect),
      storeError("ApplicationStore.update")
    )

    const identitySecrets: ApplicationStore["Service"]["identitySecrets"] = Effect.fnUntraced(function* (id) {
      const [row] = yield* sql<{ readonly secret: Uint8Array; readonly former: Uint8Array | null }>`
        SELECT identity_secret AS secret, CASE WHEN former_identity_until > now() THEN former_identity_secret END AS former
        FROM applications WHERE id = ${id}`
      if (row === undefined) return []
      const sealed = row.former === null ? [row.secret] : [row.secret, row.former]
      return yield* Effect.forEach(sealed, (one) => box.open(secretPlace(id), one))
    }, storeError("ApplicationStore.identitySecrets"))

    const setIdentitySecret: ApplicationStore["Service"]["setIdentitySecret"] = Effect.fnUntraced(
      function* (id, secret, overlapMs) {
        const until = overlapMs === 0 ? sql`NULL` : sql`now() + ${milliseconds(overlapMs)} * interval '1 ms'`
        const [row] = yield* sql<ApplicationRow>`
          UPDATE applications SET identity_secret = ${box.seal(secretPlace(id), secret)},
            former_identity_secret = ${overlapMs === 0 ? sql`NULL` : sql`identity_secret`}, former_identity_until = ${until}
          WHERE id = ${id} RETURNING ${columns}`
        if (row === undefined) return Option.none()
        yield* record(sql, id, "identity_secret.issued", id, { overlap_seconds: overlapMs / 1000 })
        return Option.some(applicationOf(row))
      },
      (effect, id) => permitted(sql, id, effect),
      storeError("ApplicationStore.setIdentitySecret")
    )

    const count = sql<{ readonly count: number }>`SELECT count(*)::int AS count FROM applications WHERE ${isKept}`.pipe(
      Effect.map((rows) => rows[0]!.count),
      storeError("ApplicationStore.count")
    )

    const findKeys = Effect.fnUntraced(function* (hashes: ReadonlyArray<Uint8Array>) {
      const names = hashes.map((hash) => hash.toHex())
      const rows = yield* sql<ApiKey & { readonly hash: string }>`
        SELECT t.hash, k.id, k.app_id AS "appId", k.kind FROM unnest(${texts(names)}) AS t (hash) CROSS JOIN LATERAL (
          -- OFFSET 0: found by the hash, and not among all that are not revoked.
          SELECT id, app_id, kind, revoked_at FROM api_keys WHERE hash = decode(t.hash, 'hex') OFFSET 0
        ) AS k CROSS JOIN LATERAL (
          -- Of an organization that was deleted no key is good, whatever is still there of it.
          SELECT o.deleted_at FROM applications a JOIN organizations o ON o.id = a.organization_id
          WHERE a.id = k.app_id OFFSET 0
        ) AS o WHERE k.revoked_at IS NULL AND o.deleted_at IS NULL`
      const found = new Map(rows.map(({ appId, hash, id, kind }) => [hash, { id, appId, kind } satisfies ApiKey]))
      return names.map((name) => Option.fromUndefinedOr(found.get(name)))
    }, storeError("ApplicationStore.findKey"))

    // Whoever makes up keys with good checksums shares statements with everybody else, and makes none of his own.
    const findKey: ApplicationStore["Service"]["findKey"] = yield* coalesce({
      run: findKeys,
      weight: () => 1,
      refusalOf: refusalBySql,
      rows: KEYS_AT_ONCE,
      atOnce: 2
    })

    const keys: ApplicationStore["Service"]["keys"] = (appId, after, limit) =>
      sql<KeyRow>`
        SELECT ${keyColumns} FROM api_keys
        WHERE ${spanOf(sql, "oldest first", appId, after, sql`revoked_at IS NULL`)} LIMIT ${limit + 1}`.pipe(
        Effect.map((rows) => pageOf(rows.map(keyOf), limit)),
        storeError("ApplicationStore.keys")
      )

    /** The application's row is the lock of its keys; counting is another statement, so that it sees who came before. */
    const lockKeys = (appId: AppId) => sql`SELECT 1 FROM applications WHERE id = ${appId} FOR NO KEY UPDATE`

    const createKey: ApplicationStore["Service"]["createKey"] = Effect.fnUntraced(
      function* (appId, { hash, hint, id, kind, name }) {
        const [row] = yield* sql<KeyRow>`
          INSERT INTO api_keys (id, app_id, kind, name, hash, hint)
          SELECT ${id}::uuid, ${appId}::uuid, ${kind}, ${name}, ${hash}::bytea, ${hint}
          WHERE (SELECT count(*) FROM api_keys WHERE app_id = ${appId} AND revoked_at IS NULL) < ${KEYS_PER_APPLICATION}
          RETURNING ${keyColumns}`
        if (row === undefined) return yield* new TooManyKeys({ limit: KEYS_PER_APPLICATION })
        yield* record(sql, appId, "api_key.created", id, { kind, name, prefix: hint })
        return keyOf(row)
      },
      (effect, appId) => permitted(sql, appId, effect, lockKeys(appId)),
      Effect.catchTag("SqlError", (error) => storeError("ApplicationStore.createKey")(Effect.fail(error)))
    )

    const revokeKey: ApplicationStore["Service"]["revokeKey"] = Effect.fnUntraced(
      function* (appId, id) {
        const [row] = yield* sql<KeyRow>`
          SELECT ${keyColumns} FROM api_keys WHERE id = ${id} AND app_id = ${appId} AND revoked_at IS NULL`
        if (row === undefined) return false
        if (row.kind === "secret") {
          const others = yield* sql`
            SELECT 1 FROM api_keys
            WHERE app_id = ${appId} AND kind = 'secret' AND revoked_at IS NULL AND id <> ${id} LIMIT 1`
          if (others.length === 0) return yield* new LastSecretKey()
        }
        yield* sql`UPDATE api_keys SET revoked_at = now() WHERE id = ${id}`
        yield* record(sql, appId, "api_key.revoked", id, { kind: row.kind, name: row.name, prefix: row.hint })
        return true
      },
      (effect, appId) => permitted(sql, appId, effect, lockKeys(appId)),
      Effect.catchTag("SqlError", (error) => storeError("ApplicationStore.revokeKey")(Effect.fail(error)))
    )

    const touchKeys: ApplicationStore["Service"]["touchKeys"] = (ids) =>
      sql`UPDATE api_keys SET last_used_at = now() WHERE id = ANY(${uuids(ids)})`.pipe(
        Effect.asVoid,
        storeError("ApplicationStore.touchKeys")
      )

    return ApplicationStore.of({
      create,
      createFirst,
      find,
      all,
      update,
      identitySecrets,
      setIdentitySecret,
      count,
      findKey,
      keys,
      createKey,
      revokeKey,
      touchKeys
    })
  })
)
