import { PgTypes } from "@effect/sql-pg"
import { Effect, Layer, Option } from "effect"
import { SqlClient } from "effect/sql"
import type { Actor, AuditAction } from "../../../services/domain/access/Audit.ts"
import type { AppId, WorkflowId, WorkflowVersionId } from "../../../services/domain/Ids.ts"
import type { FetchHeaders } from "../../../services/domain/workflows/FetchHeaders.ts"
import type {
  Definition,
  PastVersion,
  Trigger,
  Workflow,
  WorkflowStatus
} from "../../../services/domain/workflows/Workflow.ts"
import { segmentOf } from "../../../services/domain/workflows/Workflow.ts"
import { CurrentActor } from "../../../services/ports/access/AuditLog.ts"
import { SecretBox } from "../../../services/ports/access/SecretBox.ts"
import { uuidv7 } from "../../../services/ports/NewId.ts"
import type { StoreError } from "../../../services/ports/StoreError.ts"
import type { StepTemplates, WorkflowDraft } from "../../../services/ports/workflows/WorkflowStore.ts"
import { MOST_TRIGGERED, TooManyTriggered, WorkflowStore } from "../../../services/ports/workflows/WorkflowStore.ts"
import { record } from "../access/auditEntry.ts"
import { emailOf } from "../access/logEntries.ts"
import { permitted } from "../access/permitted.ts"
import { ENTERING } from "../server/advisoryLocks.ts"
import { alongTheKey } from "../server/byValues.ts"
import { texts, uuids } from "../server/columns.ts"
import type { Cut } from "../server/pages.ts"
import { cutByBytes, cutPageOf, LAST, pageOf, spanOf } from "../server/pages.ts"
import { storeError } from "../server/storeError.ts"

interface Row {
  readonly id: WorkflowId
  readonly app_id: AppId
  readonly name: string
  readonly status: WorkflowStatus
  readonly version: number
  readonly version_id: WorkflowVersionId
  readonly definition: Omit<Definition, "name">
  readonly created_at: Date
  readonly updated_at: Date
}

const workflowOf = (row: Row): Workflow => ({
  id: row.id,
  appId: row.app_id,
  status: row.status,
  version: row.version,
  versionId: row.version_id,
  definition: { name: row.name, ...row.definition },
  createdAt: row.created_at.getTime(),
  updatedAt: row.updated_at.getTime()
})

interface PastRow {
  readonly id: WorkflowVersionId
  readonly version: number
  readonly created_at: Date
  readonly actor_kind: Actor["kind"]
  readonly actor_id: string | null
  readonly actor_email: string | null
  readonly runs: string
}

const pastOf = (row: PastRow): PastVersion => ({
  id: row.id,
  version: row.version,
  createdAt: row.created_at.getTime(),
  actor: { kind: row.actor_kind, id: row.actor_id },
  actorEmail: row.actor_email,
  runs: Number(row.runs)
})

/** What a trigger waits for, as it is looked up by. */
const triggerValueOf = (trigger: Trigger): string | null => {
  switch (trigger.type) {
    case "event":
      return trigger.event
    case "tag_added":
      return trigger.tag
    case "segment_entered":
      return segmentOf(trigger)
    default:
      return null
  }
}

const headersPlace = (id: WorkflowVersionId): string => `workflow_versions.headers:${id}`

const first = (rows: ReadonlyArray<Row>) => Option.map(Option.fromUndefinedOr(rows[0]), workflowOf)

const orTooMany = (operation: string) => {
  const failed = storeError(operation)
  return <A, E, R>(change: Effect.Effect<A, E, R>): Effect.Effect<A, TooManyTriggered | StoreError, R> =>
    Effect.catch(change, (error): Effect.Effect<never, TooManyTriggered | StoreError> =>
      error instanceof TooManyTriggered ? Effect.fail(error) : failed(Effect.fail(error))
    )
}

export const layer: Layer.Layer<WorkflowStore, never, SqlClient.SqlClient | SecretBox> = Layer.effect(
  WorkflowStore,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const box = yield* SecretBox
    const columns = sql.literal(
      "w.id, w.app_id, w.name, w.status, w.version, w.version_id, v.definition, w.created_at, w.updated_at"
    )
    const at = (moment: number | null) => PgTypes.timestamptz(moment)

    const sealed = (id: WorkflowVersionId, headers: FetchHeaders) =>
      Object.keys(headers).length === 0 ? null : box.seal(headersPlace(id), JSON.stringify(headers))

    const writeVersion = Effect.fnUntraced(function* (
      appId: AppId,
      id: WorkflowId,
      version: number,
      { bodies, definition: { name: _name, ...definition }, headers, templates }: WorkflowDraft
    ) {
      const versionId = uuidv7() as WorkflowVersionId
      const actor = yield* CurrentActor
      if (bodies.length > 0) {
        yield* sql`
          INSERT INTO template_versions (id, app_id, body)
          SELECT t.id, ${appId}::uuid, t.body::json FROM unnest(${uuids(bodies.map((one) => one.id))},
            ${texts(bodies.map(({ body }) => JSON.stringify(body)))}) AS t (id, body)`
      }
      yield* sql`
        INSERT INTO workflow_versions (id, workflow_id, version, definition, templates, headers, actor_kind, actor_id)
        VALUES (${versionId}, ${id}, ${PgTypes.int4(version)}, ${JSON.stringify(definition)}::json,
          ${JSON.stringify(templates)}::json, ${sealed(versionId, headers)}::bytea, ${actor.kind}, ${actor.id})`
      return versionId
    })

    /**
     * Fails where more are active that begin as this one does than may be. Of those that one event leads into; the tags that
     * a change brings are many, and the segments: so all that begin by any count together.
     */
    const checkTriggered = Effect.fnUntraced(function* (appId: AppId, trigger: Trigger) {
      if (trigger.type === "api" || trigger.type === "schedule") return
      const alike =
        trigger.type === "event"
          ? sql`trigger_type = 'event' AND trigger_value = ${trigger.event}`
          : sql`trigger_type = ${trigger.type}`
      const active = yield* sql`
        SELECT 1 FROM workflows WHERE app_id = ${appId} AND status = 'active' AND ${alike} LIMIT ${MOST_TRIGGERED + 1}`
      if (active.length <= MOST_TRIGGERED) return
      const by =
        trigger.type === "event" ? `the event ${trigger.event}` : trigger.type === "tag_added" ? "a tag" : "a segment"
      return yield* new TooManyTriggered({ by })
    })

    /** Whoever enters has done so; whoever comes sees what the caller's transaction has written. */
    const waitForEntrants = (id: WorkflowId) => sql`SELECT pg_advisory_xact_lock(${ENTERING}, hashtext(${id}))`

    const find: WorkflowStore["Service"]["find"] = (appId, id) =>
      sql<Row>`
        SELECT ${columns} FROM workflows w JOIN workflow_versions v ON v.id = w.version_id
        WHERE w.app_id = ${appId} AND w.id = ${id} AND w.deleted_at IS NULL`.pipe(
        Effect.map(first),
        storeError("WorkflowStore.find")
      )

    const create: WorkflowStore["Service"]["create"] = (appId, draft) =>
      Effect.gen(function* () {
        const id = uuidv7() as WorkflowId
        const { name, trigger } = draft.definition
        // The row comes first, because the version points at it; its own version is written right after.
        yield* sql`
          INSERT INTO workflows (id, app_id, name, version_id, trigger_type, trigger_value)
          VALUES (${id}, ${appId}, ${name}, ${id}, ${trigger.type}, ${triggerValueOf(trigger)})`
        const versionId = yield* writeVersion(appId, id, 1, draft)
        yield* sql`UPDATE workflows SET version_id = ${versionId} WHERE id = ${id}`
        yield* record(sql, appId, "workflow.created", id, { name })
        return Option.getOrThrow(yield* find(appId, id))
      }).pipe((change) => permitted(sql, appId, change), storeError("WorkflowStore.create"))

    const list: WorkflowStore["Service"]["list"] = (appId, status, before, limit) => {
      const conditions = sql.and([sql`deleted_at IS NULL`, ...(status === null ? [] : [sql`status = ${status}`])])
      const page = sql`
        SELECT ${columns} FROM (
          SELECT * FROM workflows WHERE ${spanOf(sql, "newest first", appId, before, conditions)} LIMIT ${limit + 1}
        ) AS w CROSS JOIN LATERAL (SELECT * FROM workflow_versions WHERE id = w.version_id OFFSET 0) AS v`
      const read = sql<Row & Cut>`${cutByBytes(sql, "newest first", page, sql`octet_length(definition::text)`)}`
      return (status === null ? read : alongTheKey(sql, read.unprepared)).pipe(
        Effect.map((rows) => cutPageOf(rows, workflowOf, limit)),
        storeError("WorkflowStore.list")
      )
    }

    const update: WorkflowStore["Service"]["update"] = (appId, id, version, draft, nextAt) =>
      Effect.gen(function* () {
        const [row] = yield* sql<{
          readonly status: WorkflowStatus
          readonly type: Trigger["type"]
          readonly value: string | null
        }>`
          SELECT status, trigger_type AS type, trigger_value AS value FROM workflows
          WHERE app_id = ${appId} AND id = ${id} AND version = ${PgTypes.int4(version)}
            AND status <> 'archived' AND deleted_at IS NULL FOR UPDATE`
        if (row === undefined) return Option.none()
        yield* waitForEntrants(id)
        const { name, reentry, trigger } = draft.definition
        const versionId = yield* writeVersion(appId, id, version + 1, draft)
        yield* sql`
          UPDATE workflows SET had_other_reentry = had_other_reentry OR status = 'active' AND ${reentry} <> (
              SELECT v.definition ->> 'reentry' FROM workflow_versions v WHERE v.id = workflows.version_id
            ), name = ${name}, version = version + 1, version_id = ${versionId}, updated_at = now(),
            -- Who was in a segment before it is waited for does not enter for that.
            activated_at = CASE WHEN (trigger_type, trigger_value)
              IS DISTINCT FROM (${trigger.type}::text, ${triggerValueOf(trigger)}::text) THEN now() ELSE activated_at END,
            trigger_type = ${trigger.type}, trigger_value = ${triggerValueOf(trigger)},
            next_at = CASE WHEN status = 'active' THEN ${at(nextAt)} END
          WHERE id = ${id}`
        const beginsAlike = row.type === trigger.type && row.value === triggerValueOf(trigger)
        if (!beginsAlike && row.status === "active") yield* checkTriggered(appId, trigger)
        yield* record(sql, appId, "workflow.changed", id, { name, version: version + 1 })
        return yield* find(appId, id)
      }).pipe((change) => permitted(sql, appId, change), orTooMany("WorkflowStore.update"))

    const activate: WorkflowStore["Service"]["activate"] = (appId, id, version, nextAt) =>
      Effect.gen(function* () {
        const [row] = yield* sql<{ readonly name: string }>`
          UPDATE workflows SET status = 'active', next_at = ${at(nextAt)}, activated_at = now(), updated_at = now()
          WHERE app_id = ${appId} AND id = ${id} AND version = ${PgTypes.int4(version)} AND status = 'draft'
            AND deleted_at IS NULL
          RETURNING name`
        if (row === undefined) return Option.none()
        const found = yield* find(appId, id)
        yield* checkTriggered(appId, Option.getOrThrow(found).definition.trigger)
        yield* record(sql, appId, "workflow.activated", id, { name: row.name, version })
        return found
      }).pipe((change) => permitted(sql, appId, change), orTooMany("WorkflowStore.activate"))

    /** Nobody enters from here on; what is open is cancelled in the background. */
    const close = Effect.fnUntraced(function* (appId: AppId, id: WorkflowId, action: AuditAction, isDeleted: boolean) {
      const [row] = yield* sql<{ readonly name: string; readonly status: WorkflowStatus }>`
        SELECT name, status FROM workflows WHERE app_id = ${appId} AND id = ${id} AND deleted_at IS NULL FOR UPDATE`
      if (row === undefined) return false
      if (row.status === "archived" && !isDeleted) return true
      yield* waitForEntrants(id)
      // Audiences that are entering end where they have come to: whoever takes their next page finds nobody may enter.
      yield* sql`
        UPDATE workflows SET status = 'archived', next_at = NULL, is_closing = true, updated_at = now(),
          deleted_at = ${isDeleted ? sql`now()` : sql`NULL`}
        WHERE id = ${id}`
      yield* record(sql, appId, action, id, { name: row.name })
      return true
    })

    const archive: WorkflowStore["Service"]["archive"] = (appId, id) =>
      Effect.gen(function* () {
        return (yield* close(appId, id, "workflow.archived", false)) ? yield* find(appId, id) : Option.none()
      }).pipe((change) => permitted(sql, appId, change), storeError("WorkflowStore.archive"))

    const remove: WorkflowStore["Service"]["remove"] = (appId, id) =>
      close(appId, id, "workflow.deleted", true).pipe(
        (change) => permitted(sql, appId, change),
        storeError("WorkflowStore.remove")
      )

    /** What is shown of a version, which is called `l`. */
    const past = sql`l.id, l.version, l.created_at, l.actor_kind, l.actor_id, (${emailOf(sql)}) AS actor_email,
      (SELECT coalesce(sum(c.entered - c.passed - c.stopped - c.failed), 0)::text FROM workflow_step_counts c
        WHERE c.version_id = l.id) AS runs`

    const versions: WorkflowStore["Service"]["versions"] = (appId, id, before, limit) =>
      sql<PastRow>`
        SELECT ${past} FROM workflow_versions l WHERE l.workflow_id = (
            SELECT w.id FROM workflows w WHERE w.app_id = ${appId} AND w.id = ${id} AND w.deleted_at IS NULL
          ) AND l.id < ${before ?? LAST}::uuid
        ORDER BY l.workflow_id DESC, l.id DESC LIMIT ${limit + 1}`.pipe(
        Effect.map((rows) => pageOf(rows.map(pastOf), limit)),
        storeError("WorkflowStore.versions")
      )

    const pastVersion: WorkflowStore["Service"]["pastVersion"] = (appId, id, version) =>
      sql<PastRow & { readonly definition: Omit<Definition, "name"> }>`
        SELECT ${past}, l.definition FROM workflow_versions l JOIN workflows w ON w.id = l.workflow_id
        WHERE w.app_id = ${appId} AND w.id = ${id} AND w.deleted_at IS NULL AND l.version = coalesce(${PgTypes.int4(version)}, w.version)`.pipe(
        Effect.map(([row]) =>
          row === undefined ? Option.none() : Option.some({ ...pastOf(row), definition: row.definition })
        ),
        storeError("WorkflowStore.pastVersion")
      )

    const version: WorkflowStore["Service"]["version"] = Effect.fnUntraced(function* (id) {
      const [row] = yield* sql<{
        readonly app_id: AppId
        readonly workflow_id: WorkflowId
        readonly version: number
        readonly definition: Omit<Definition, "name">
        readonly templates: StepTemplates
        readonly headers: Uint8Array | null
      }>`
        SELECT w.app_id, v.workflow_id, v.version, v.definition, v.templates, v.headers
        FROM workflow_versions v JOIN workflows w ON w.id = v.workflow_id WHERE v.id = ${id}`
      if (row === undefined) return Option.none()
      const headers: FetchHeaders =
        row.headers === null ? {} : JSON.parse(yield* box.open(headersPlace(id), row.headers))
      return Option.some({
        id,
        appId: row.app_id,
        workflowId: row.workflow_id,
        version: row.version,
        definition: row.definition,
        templates: row.templates,
        headers
      })
    }, storeError("WorkflowStore.version"))

    const counts: WorkflowStore["Service"]["counts"] = (id) =>
      sql<{
        readonly step_order: number
        readonly entered: string
        readonly passed: string
        readonly stopped: string
        readonly failed: string
      }>`
        SELECT step_order, entered::text, passed::text, stopped::text, failed::text FROM workflow_step_counts
        WHERE version_id = ${id} ORDER BY step_order`.pipe(
        Effect.map((rows) =>
          rows.map((row) => ({
            stepOrder: row.step_order,
            entered: Number(row.entered),
            passed: Number(row.passed),
            stopped: Number(row.stopped),
            failed: Number(row.failed)
          }))
        ),
        storeError("WorkflowStore.counts")
      )

    return WorkflowStore.of({
      create,
      find,
      list,
      update,
      activate,
      archive,
      remove,
      versions,
      pastVersion,
      version,
      counts
    })
  })
)
