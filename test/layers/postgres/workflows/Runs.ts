import { PgClient } from "@effect/sql-pg"
import { Effect, Layer, Option } from "effect"
import { SqlClient } from "effect/sql"
import { randomBytes } from "node:crypto"
import * as SecretBox from "../../../../layers/crypto/SecretBox.ts"
import { pool } from "../../../../layers/postgres/server/Database.ts"
import * as ExecutionStores from "../../../../layers/postgres/workflows/ExecutionStore.ts"
import * as TriggerStores from "../../../../layers/postgres/workflows/TriggerStore.ts"
import * as WorkflowStores from "../../../../layers/postgres/workflows/WorkflowStore.ts"
import type { AppId, TemplateVersionId, WorkflowId, WorkflowVersionId } from "../../../../services/domain/Ids.ts"
import type { Fetched } from "../../../../services/domain/workflows/Fetched.ts"
import { partHeaders } from "../../../../services/domain/workflows/FetchHeaders.ts"
import { programOf, stepsOf } from "../../../../services/domain/workflows/Program.ts"
import type { Step } from "../../../../services/domain/workflows/Steps.ts"
import type { Definition, Workflow } from "../../../../services/domain/workflows/Workflow.ts"
import { asksRun } from "../../../../services/engine/workflows/Drafting.ts"
import { carrying } from "../../../../services/engine/workflows/Carrying.ts"
import type { EngineSettings } from "../../../../services/ports/EngineSettings.ts"
import { uuidv7 } from "../../../../services/ports/NewId.ts"
import { ExecutionStore } from "../../../../services/ports/workflows/ExecutionStore.ts"
import { WorkflowStore } from "../../../../services/ports/workflows/WorkflowStore.ts"
import { TestDatabase } from "../../../Database.ts"

/* Workflows and their runs, moved by what moves them in the engine. */

export const workflowStores = Layer.mergeAll(ExecutionStores.layer, TriggerStores.layer, WorkflowStores.layer).pipe(
  Layer.provide(SecretBox.layerOf(randomBytes(32)))
)

const SETTINGS = { defaultTtlMs: 60_000, defaultTimezone: "UTC" } as EngineSettings["Service"]

const BODY = { content: { title: "Hello" }, locales: {}, missing_variables: "empty" as const }

export const draftOf = (given: Definition) => {
  const { headers, steps } = partHeaders(given.steps, {})
  const definition = { ...given, steps }
  const sends = stepsOf(definition.steps).flatMap(({ step }) => (step.type === "SEND" ? [step] : []))
  const versions = sends.map(({ content, key }) => ({ key, version: uuidv7() as TemplateVersionId, content }))
  return {
    definition,
    headers,
    templates: Object.fromEntries(
      versions.map(({ content, key, version }) => [
        key,
        { version, parts: ["title" as const], asksRun: asksRun(content) }
      ])
    ),
    bodies: versions.map(({ version }) => ({ id: version, body: BODY }))
  }
}

/** A workflow that is active. */
export const activated = Effect.fnUntraced(function* (
  app: AppId,
  steps: ReadonlyArray<Step>,
  more: Partial<Definition> = {}
) {
  const store = yield* WorkflowStore
  const draft = draftOf({ name: "One", trigger: { type: "api" }, reentry: "always", steps, ...more })
  const { id, version } = yield* store.create(app, draft)
  return Option.getOrThrow(yield* store.activate(app, id, version, null))
})

/** What moves runs, with answers for those whose FETCH was carried out, by their ids. */
export const carry = (fetched: ReadonlyMap<string, Fetched> = new Map()) =>
  Effect.map(WorkflowStore, (store) => {
    const of = (id: WorkflowVersionId) =>
      Effect.map(
        store.version(id),
        Option.map((one) => ({ ...one, program: programOf(one.definition.steps) }))
      )
    return carrying({ of }, SETTINGS, true, fetched)
  })

/** Lets people in, and answers their runs. */
export const entered = Effect.fnUntraced(function* (
  workflow: Workflow,
  userIds: ReadonlyArray<string>,
  data: Readonly<Record<string, unknown>> = {}
) {
  const store = yield* ExecutionStore
  const beginning = { appId: workflow.appId, workflowId: workflow.id, data }
  const { moves } = Option.getOrThrow(yield* store.enter(beginning, userIds, yield* carry()))
  return moves.moved
})

/** Moves all that is due, and answers the runs. */
export const moved = Effect.fnUntraced(function* (app: AppId, limit = 1000) {
  const store = yield* ExecutionStore
  const { moves } = yield* store.move(app, limit, yield* carry())
  return moves.moved
})

/** Over one connection of its own. */
export const onOwnNode = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.gen(function* () {
    const { url } = yield* TestDatabase
    const node = workflowStores.pipe(Layer.provideMerge(PgClient.layerFrom(pool(url, 1)).pipe(Layer.orDie)))
    return yield* Effect.provide(effect, Layer.fresh(node))
  })

/** Blocks of a table and its indexes that a node's one connection has read so far. */
const blocksOf = (table: string) =>
  Effect.flatMap(SqlClient.SqlClient, (own) =>
    Effect.andThen(
      own`SELECT pg_stat_force_next_flush()`,
      Effect.map(
        own<{ readonly blocks: number }>`
          SELECT (heap_blks_read + heap_blks_hit + idx_blks_read + idx_blks_hit)::float8 AS blocks
          FROM pg_statio_user_tables WHERE relname = ${table}`,
        ([row]) => row!.blocks
      )
    )
  )

export const timerBlocks = blocksOf("execution_timers")
export const runBlocks = blocksOf("executions")

export type { WorkflowId }
