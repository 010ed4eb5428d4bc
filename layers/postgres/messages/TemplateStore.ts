import { Effect, Layer, Option } from "effect"
import { SqlClient } from "effect/sql"
import type { Fragment } from "effect/sql/Statement"
import type { TemplateId, TemplateVersionId } from "../../../services/domain/Ids.ts"
import { uuidv7 } from "../../../services/ports/NewId.ts"
import type {
  Template,
  TemplateBody,
  TemplateVersion,
  TemplateVersionSummary
} from "../../../services/domain/messages/Template.ts"
import { VERSIONS_KEPT } from "../../../services/domain/messages/Template.ts"
import type { ActorKind } from "../../../services/domain/access/Audit.ts"
import { CurrentActor } from "../../../services/ports/access/AuditLog.ts"
import { TemplateStore } from "../../../services/ports/messages/TemplateStore.ts"
import { record } from "../access/auditEntry.ts"
import { emailOf } from "../access/logEntries.ts"
import { permitted } from "../access/permitted.ts"
import type { Cut } from "../server/pages.ts"
import { cutByBytes, cutPageOf, spanOf } from "../server/pages.ts"
import { storeError } from "../server/storeError.ts"

interface TemplateRow {
  readonly id: TemplateId
  readonly name: string
  readonly version: number
  readonly version_id: TemplateVersionId
  readonly body: TemplateBody
  readonly created_at: Date
  readonly updated_at: Date
}

const templateOf = (row: TemplateRow): Template => ({
  id: row.id,
  name: row.name,
  version: row.version,
  versionId: row.version_id,
  body: row.body,
  createdAt: row.created_at.getTime(),
  updatedAt: row.updated_at.getTime()
})

interface VersionRow {
  readonly id: TemplateVersionId
  readonly template_id: TemplateId
  readonly version: number
  readonly name: string
  readonly created_at: Date
  readonly actor_kind: typeof ActorKind.Type
  readonly actor_id: string | null
  readonly actor_email: string | null
}

const summaryOf = (row: VersionRow): TemplateVersionSummary => ({
  id: row.id,
  version: row.version,
  name: row.name,
  createdAt: row.created_at.getTime(),
  actor: { kind: row.actor_kind, id: row.actor_id },
  actorEmail: row.actor_email
})

export const layer: Layer.Layer<TemplateStore, never, SqlClient.SqlClient> = Layer.effect(
  TemplateStore,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient

    /** `templates`: a table, or a query for rows of it. */
    const select = (templates: Fragment) => sql<TemplateRow>`
      SELECT t.id, t.name, t.version, t.version_id, v.body, t.created_at, t.updated_at
      FROM ${templates} AS t
      CROSS JOIN LATERAL (SELECT body FROM template_versions WHERE id = t.version_id OFFSET 0) AS v`

    const create: TemplateStore["Service"]["create"] = (appId, name, body) =>
      Effect.gen(function* () {
        const id = uuidv7() as TemplateId
        const versionId = uuidv7() as TemplateVersionId
        const actor = yield* CurrentActor
        const [row] = yield* sql<{ readonly created_at: Date }>`
          WITH made AS (
            INSERT INTO template_versions (id, app_id, body, template_id, version, name, actor_kind, actor_id)
            VALUES (${versionId}, ${appId}, ${JSON.stringify(body)}::json, ${id}, 1, ${name}, ${actor.kind}, ${actor.id})
          )
          INSERT INTO templates (id, app_id, name, version_id) VALUES (${id}, ${appId}, ${name}, ${versionId})
          RETURNING created_at`
        yield* record(sql, appId, "template.created", id, { name })
        const createdAt = row!.created_at.getTime()
        return { id, name, version: 1, versionId, body, createdAt, updatedAt: createdAt }
      }).pipe((change) => permitted(sql, appId, change), storeError("TemplateStore.create"))

    const find: TemplateStore["Service"]["find"] = (appId, id) =>
      sql<TemplateRow>`${select(sql`templates`)} WHERE t.app_id = ${appId} AND t.id = ${id}`.pipe(
        Effect.map((rows) => Option.map(Option.fromUndefinedOr(rows[0]), templateOf)),
        storeError("TemplateStore.find")
      )

    const list: TemplateStore["Service"]["list"] = (appId, after, limit) => {
      const page = sql`(SELECT * FROM templates WHERE ${spanOf(sql, "oldest first", appId, after)} LIMIT ${limit + 1})`
      const cut = cutByBytes(sql, "oldest first", select(page), sql`octet_length(body::text)`)
      return sql<TemplateRow & Cut>`${cut}`.pipe(
        Effect.map((rows) => cutPageOf(rows, templateOf, limit)),
        storeError("TemplateStore.list")
      )
    }

    const update: TemplateStore["Service"]["update"] = (appId, id, version, name, body) =>
      Effect.gen(function* () {
        const versionId = uuidv7()
        const actor = yield* CurrentActor
        const [row] = yield* sql<{ readonly created_at: Date; readonly updated_at: Date }>`
          WITH before AS MATERIALIZED (
            SELECT id, version FROM templates
            WHERE app_id = ${appId} AND id = ${id} AND version = ${version} FOR UPDATE
          ), made AS (
            INSERT INTO template_versions (id, app_id, body, template_id, version, name, actor_kind, actor_id)
            SELECT ${versionId}::uuid, ${appId}::uuid, ${JSON.stringify(body)}::json, before.id, before.version + 1,
              ${name}::text, ${actor.kind}::text, ${actor.id}::text FROM before
          ), retired AS (
            UPDATE template_versions v SET retired_at = now()
            WHERE v.template_id = ${id} AND v.version = (SELECT version + 1 - ${sql.literal(String(VERSIONS_KEPT))} FROM before)
          )
          UPDATE templates t SET name = ${name}, version = t.version + 1, version_id = ${versionId}::uuid,
            updated_at = now()
          FROM before WHERE t.id = before.id
          RETURNING t.created_at, t.updated_at`
        if (row !== undefined) yield* record(sql, appId, "template.changed", id, { name, version: version + 1 })
        return Option.map(Option.fromUndefinedOr(row), ({ created_at, updated_at }): Template => ({
          id,
          name,
          version: version + 1,
          versionId: versionId as TemplateVersionId,
          body,
          createdAt: created_at.getTime(),
          updatedAt: updated_at.getTime()
        }))
      }).pipe((change) => permitted(sql, appId, change), storeError("TemplateStore.update"))

    const remove: TemplateStore["Service"]["remove"] = (appId, id) =>
      Effect.gen(function* () {
        const [row] = yield* sql<{ readonly name: string }>`
          WITH gone AS (DELETE FROM templates WHERE app_id = ${appId} AND id = ${id} RETURNING id, name), retired AS (
            UPDATE template_versions v SET retired_at = now()
            WHERE v.template_id = (SELECT id FROM gone) AND v.retired_at IS NULL
          )
          SELECT name FROM gone`
        if (row === undefined) return false
        yield* record(sql, appId, "template.deleted", id, { name: row.name })
        return true
      }).pipe((change) => permitted(sql, appId, change), storeError("TemplateStore.remove"))

    const latest: TemplateStore["Service"]["latest"] = (appId, id) =>
      sql<{ readonly version_id: TemplateVersionId }>`
        SELECT version_id FROM templates WHERE app_id = ${appId} AND id = ${id}`.pipe(
        Effect.map((rows) => Option.map(Option.fromUndefinedOr(rows[0]), (row) => row.version_id)),
        storeError("TemplateStore.latest")
      )

    const summary = sql`l.id, l.template_id, l.version, l.name, l.created_at, l.actor_kind, l.actor_id,
      (${emailOf(sql)}) AS actor_email`

    const versions: TemplateStore["Service"]["versions"] = (appId, id) =>
      sql<VersionRow>`
        SELECT ${summary} FROM templates t JOIN template_versions l ON l.template_id = t.id AND l.retired_at IS NULL
        WHERE t.app_id = ${appId} AND t.id = ${id} ORDER BY l.version DESC`.pipe(
        Effect.map((rows) => rows.map(summaryOf)),
        storeError("TemplateStore.versions")
      )

    const version: TemplateStore["Service"]["version"] = (appId, id) =>
      sql<VersionRow & { readonly body: TemplateBody }>`
        SELECT ${summary}, l.body FROM template_versions l
        CROSS JOIN LATERAL (SELECT id FROM templates WHERE id = l.template_id OFFSET 0) AS t
        WHERE l.app_id = ${appId} AND l.id = ${id} AND l.retired_at IS NULL`.pipe(
        Effect.map((rows) =>
          Option.map(Option.fromUndefinedOr(rows[0]), (row): TemplateVersion => ({
            ...summaryOf(row),
            templateId: row.template_id,
            body: row.body
          }))
        ),
        storeError("TemplateStore.version")
      )

    const body: TemplateStore["Service"]["body"] = (version) =>
      sql<{ readonly body: TemplateBody }>`SELECT body FROM template_versions WHERE id = ${version}`.pipe(
        Effect.map((rows) => Option.map(Option.fromUndefinedOr(rows[0]), (row) => row.body)),
        storeError("TemplateStore.body")
      )

    return TemplateStore.of({ create, find, list, update, remove, latest, versions, version, body })
  })
)
