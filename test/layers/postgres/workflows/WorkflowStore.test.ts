import { expect, layer } from "@effect/vitest"
import { Effect, Layer, Option } from "effect"
import { SqlClient } from "effect/sql"
import { randomBytes } from "node:crypto"
import * as SecretBox from "../../../../layers/crypto/SecretBox.ts"
import * as WorkflowStores from "../../../../layers/postgres/workflows/WorkflowStore.ts"
import { MASK, partHeaders } from "../../../../services/domain/workflows/FetchHeaders.ts"
import type { Step } from "../../../../services/domain/workflows/Steps.ts"
import type { Trigger, Workflow } from "../../../../services/domain/workflows/Workflow.ts"
import type { Page } from "../../../../services/ports/audience/DeviceStore.ts"
import { MOST_TRIGGERED, WorkflowStore } from "../../../../services/ports/workflows/WorkflowStore.ts"
import { testDatabase } from "../../../Database.ts"
import { newApp } from "../Stores.ts"

const [FORMER, PRESENT] = [randomBytes(32), randomBytes(32)]
const ASK: Step = { key: "ask", type: "FETCH", url: "https://example.com/", headers: { "X-Key": "s3cret" } }

const storeOf = (...keys: ReadonlyArray<Uint8Array>) =>
  Layer.fresh(WorkflowStores.layer).pipe(Layer.provide(SecretBox.layerOf(...keys)))

layer(testDatabase(), { timeout: 240_000, excludeTestServices: true })("the headers of a FETCH", (it) => {
  it.effect("are sealed for their version, and open after the master key was replaced", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const app = yield* newApp
      const { faults, headers, steps } = partHeaders([ASK], {})
      expect([faults, steps]).toEqual([[], [{ ...ASK, headers: { "X-Key": MASK } }]])
      const definition = { name: "Ask", trigger: { type: "api" as const }, reentry: "always" as const, steps }
      const draft = { definition, headers, templates: {}, bodies: [] }
      const first = yield* Effect.flatMap(WorkflowStore, (store) => store.create(app, draft)).pipe(
        Effect.provide(storeOf(FORMER))
      )
      const headersOf = (id: typeof first.versionId) =>
        Effect.map(
          Effect.flatMap(WorkflowStore, (store) => store.version(id)),
          (version) => Option.getOrThrow(version).headers
        )
      expect(yield* headersOf(first.versionId).pipe(Effect.provide(storeOf(PRESENT, FORMER)))).toEqual(headers)
      expect((yield* Effect.exit(headersOf(first.versionId).pipe(Effect.provide(storeOf(PRESENT)))))._tag).toBe(
        "Failure"
      )
      const [row] = yield* sql<{ readonly row: string }>`SELECT v::text AS row FROM workflow_versions v`
      expect(row!.row).not.toContain("s3cret")
      // Nor do they open in another version's row.
      const second = yield* Effect.flatMap(WorkflowStore, (store) => store.create(app, draft)).pipe(
        Effect.provide(storeOf(FORMER))
      )
      yield* sql`
        UPDATE workflow_versions v SET headers = o.headers FROM workflow_versions o
        WHERE v.id = ${second.versionId} AND o.id = ${first.versionId}`
      expect((yield* Effect.exit(headersOf(second.versionId).pipe(Effect.provide(storeOf(FORMER)))))._tag).toBe(
        "Failure"
      )
    })
  )
})

layer(storeOf(PRESENT).pipe(Layer.provideMerge(testDatabase())), { timeout: 120_000 })("a list of workflows", (it) => {
  it.effect("ends a page of large ones after two megabytes, and goes on with the next, of one status as of all", () =>
    Effect.gen(function* () {
      const app = yield* newApp
      const store = yield* WorkflowStore
      const large: Step = { ...ASK, headers: {}, body: { text: "x".repeat(700_000) } }
      const draft = (name: string, steps: ReadonlyArray<Step>) => ({
        definition: { name, trigger: { type: "api" as const }, reentry: "always" as const, steps },
        headers: {},
        templates: {},
        bodies: []
      })
      const names = Array.from({ length: 8 }, (_, i) => `${i}`)
      for (const name of names) yield* store.create(app, draft(name, [large]))
      yield* store.create(app, draft("small", [ASK]))
      for (const status of [null, "draft"] as const) {
        const pages: Array<ReadonlyArray<string>> = []
        let before: string | null = null
        do {
          const page: Page<Workflow> = yield* store.list(app, status, before, 5)
          pages.push(page.items.map(({ definition }) => definition.name))
          before = page.next
        } while (before !== null)
        expect(pages).toEqual([
          ["small", "7", "6", "5"],
          ["4", "3", "2"],
          ["1", "0"]
        ])
      }
    })
  )

  it.effect("has a thousand active ones that begin by one event, by tags and by segments, and no more", () =>
    Effect.gen(function* () {
      const app = yield* newApp
      const store = yield* WorkflowStore
      const sql = yield* SqlClient.SqlClient
      const made = (trigger: Trigger) =>
        store.create(app, {
          definition: { name: "W", trigger, reentry: "always", steps: [{ key: "p", type: "DELAY", seconds: 60 }] },
          headers: {},
          templates: {},
          bodies: []
        })
      const others = (count: number, like: Workflow) => sql`
        INSERT INTO workflows (id, app_id, name, status, version_id, trigger_type, trigger_value)
        SELECT gen_random_uuid(), app_id, name, 'active', version_id, trigger_type, trigger_value
        FROM workflows, generate_series(1, ${count}) WHERE id = ${like.id}`
      const activate = ({ id, version }: Workflow) => store.activate(app, id, version, null)
      for (const trigger of [
        { type: "event", event: "boom" },
        { type: "tag_added", tag: "vip" }
      ] as const) {
        const [last, beyond] = [yield* made(trigger), yield* made(trigger)]
        yield* others(MOST_TRIGGERED - 1, last)
        expect(Option.isSome(yield* activate(last))).toBe(true)
        const refused = yield* Effect.flip(activate(beyond))
        expect(refused).toMatchObject({
          _tag: "TooManyTriggered",
          by: trigger.type === "event" ? "the event boom" : "a tag"
        })
        expect(Option.getOrThrow(yield* store.find(app, beyond.id)).status).toBe("draft")
        // One that is active and began by something else until now, either; its other changes are taken.
        const free = Option.getOrThrow(yield* activate(yield* made({ type: "event", event: "other" })))
        const change = (one: Workflow, definition: Partial<Workflow["definition"]>) =>
          store.update(
            app,
            one.id,
            one.version,
            { definition: { ...one.definition, ...definition }, headers: {}, templates: {}, bodies: [] },
            null
          )
        expect(yield* Effect.flip(change(free, { trigger }))).toMatchObject({ _tag: "TooManyTriggered" })
        const present = Option.getOrThrow(yield* store.find(app, last.id))
        expect(Option.isSome(yield* change(present, { name: "Renamed" }))).toBe(true)
        yield* store.archive(app, last.id)
        expect(Option.isSome(yield* activate(beyond))).toBe(true)
      }
      // Another tag is one more that changes may bring; another event leads elsewhere.
      expect(yield* Effect.flip(activate(yield* made({ type: "tag_added", tag: "new" })))).toMatchObject({
        by: "a tag"
      })
      expect(Option.isSome(yield* activate(yield* made({ type: "event", event: "new" })))).toBe(true)
    })
  )
})
