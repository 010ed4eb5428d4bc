import { expect, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import * as SegmentStores from "../../../../layers/postgres/audience/SegmentStore.ts"
import type { AppId } from "../../../../services/domain/Ids.ts"
import { ALONE } from "../../../../services/domain/sending/Suspicion.ts"
import type { Step } from "../../../../services/domain/workflows/Steps.ts"
import { uuidv7 } from "../../../../services/ports/NewId.ts"
import { now } from "../../../../services/ports/Now.ts"
import { SegmentStore } from "../../../../services/ports/audience/SegmentStore.ts"
import type { Look } from "../../../../services/ports/workflows/ExecutionStore.ts"
import { ExecutionStore } from "../../../../services/ports/workflows/ExecutionStore.ts"
import { WorkflowStore } from "../../../../services/ports/workflows/WorkflowStore.ts"
import { hotStores, newApp } from "../Stores.ts"
import { activated, entered, workflowStores } from "./Runs.ts"

type Needs = Layer.Success<typeof stores>

const stores = Layer.mergeAll(workflowStores, SegmentStores.layer).pipe(Layer.provideMerge(hotStores))

const PAUSE: Step = { key: "pause", type: "DELAY", seconds: 3600 }
const HELLO: Step = { key: "hello", type: "SEND", content: { title: "Hello" }, wait_for_outcome: true }

const NOTHING: Look = { hasWork: false, isUntidy: false, dueAt: Infinity }
const WORK = { hasWork: true, isUntidy: false }
const UNTIDY = { hasWork: false, isUntidy: true }

/** What is there, and what of it a look sees. */
const CASES: ReadonlyArray<readonly [string, (app: AppId) => Effect.Effect<unknown, unknown, Needs>, Partial<Look>]> = [
  [
    "an audience that enters",
    Effect.fnUntraced(function* (appId) {
      const { id: workflowId } = yield* activated(appId, [PAUSE])
      yield* (yield* ExecutionStore).leave({ id: uuidv7(), appId, workflowId, filter: null, data: {} })
    }),
    WORK
  ],
  [
    "an event",
    // What is raised shares statements with others, outside of this transaction, and so do contacts.
    (app) =>
      Effect.flatMap(
        SqlClient.SqlClient,
        (sql) => sql`
          INSERT INTO custom_events (app_id, id, user_id, event, data)
          VALUES (${app}, ${uuidv7()}, 'u', 'bought', '{}')`
      ),
    WORK
  ],
  [
    "a contact with a new tag",
    Effect.fnUntraced(function* (app) {
      yield* activated(app, [PAUSE], { trigger: { type: "tag_added", tag: "new" } })
      const sql = yield* SqlClient.SqlClient
      yield* sql`INSERT INTO contacts (id, app_id, external_id, tags) VALUES (${uuidv7()}, ${app}, 'u', '{new}')`
    }),
    WORK
  ],
  [
    "a schedule whose time has come",
    Effect.fnUntraced(function* (app) {
      const sql = yield* SqlClient.SqlClient
      const { id } = yield* activated(app, [PAUSE])
      yield* sql`UPDATE workflows SET next_at = now() - interval '1 s' WHERE id = ${id}`
    }),
    WORK
  ],
  [
    "a request to cancel many",
    Effect.fnUntraced(function* (app) {
      const workflow = yield* activated(app, [PAUSE])
      yield* entered(workflow, ["a", "b", "c"])
      yield* (yield* ExecutionStore).cancelMatching(app, { status: "waiting" }, 1, () => [])
    }),
    WORK
  ],
  [
    "a run that is to be moved alone",
    Effect.fnUntraced(function* (app) {
      const sql = yield* SqlClient.SqlClient
      yield* entered(yield* activated(app, [PAUSE]), ["u"])
      yield* sql`UPDATE execution_timers SET suspicion = ${ALONE}, due_at = now() - interval '1 s'`
    }),
    WORK
  ],
  [
    "a run that waits for its message",
    (app) => Effect.flatMap(activated(app, [HELLO]), (workflow) => entered(workflow, ["u"])),
    UNTIDY
  ],
  [
    "a workflow that is archived",
    Effect.fnUntraced(function* (app) {
      const workflow = yield* activated(app, [PAUSE])
      yield* entered(workflow, ["u"])
      yield* (yield* WorkflowStore).archive(app, workflow.id)
    }),
    UNTIDY
  ],
  [
    "a workflow that waits for who enters a segment",
    Effect.fnUntraced(function* (app) {
      const { id } = yield* (yield* SegmentStore).create(app, { name: "Some", filter: { tags_any: ["some"] } })
      yield* activated(app, [PAUSE], { trigger: { type: "segment_entered", segment_id: id } })
    }),
    UNTIDY
  ],
  [
    "a run that waits",
    (app) => Effect.flatMap(activated(app, [PAUSE]), (workflow) => entered(workflow, ["u"])),
    {
      hasWork: false,
      isUntidy: false
    }
  ]
]

layer(stores, { timeout: 240_000, excludeTestServices: true })("a look", (it) => {
  const look = Effect.flatMap(ExecutionStore, (store) => store.look)

  it.effect("sees nothing where there is nothing", () => Effect.map(look, (seen) => expect(seen).toEqual(NOTHING)))

  it.effect.each(CASES)("sees %s", ([, make, expected]) =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const app = yield* newApp
      // Rolled back: each is seen by itself.
      const seen = yield* Effect.andThen(make(app), look).pipe(
        Effect.flatMap((found) => Effect.fail({ found })),
        sql.withTransaction,
        Effect.flip
      )
      expect(seen).toMatchObject({ found: expected })
      expect(yield* look).toEqual(NOTHING)
    })
  )

  it.effect("says when the first run of any application goes on", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const before = now()
      for (const seconds of [7200, 3600, 10_800]) {
        yield* entered(yield* activated(yield* newApp, [{ ...PAUSE, seconds }]), ["u"])
      }
      const { dueAt } = yield* look
      expect(dueAt - before).toBeGreaterThanOrEqual(3_600_000)
      expect(dueAt - before).toBeLessThan(3_660_000)
      yield* sql`DELETE FROM execution_timers`
    })
  )
})
