import { expect, layer } from "@effect/vitest"
import { Effect, Layer, Option } from "effect"
import { SqlClient } from "effect/sql"
import { randomBytes } from "node:crypto"
import * as SecretBox from "../../../../layers/crypto/SecretBox.ts"
import * as WorkflowStores from "../../../../layers/postgres/workflows/WorkflowStore.ts"
import { MASK, partHeaders } from "../../../../services/domain/workflows/FetchHeaders.ts"
import type { Step } from "../../../../services/domain/workflows/Steps.ts"
import type { Workflow } from "../../../../services/domain/workflows/Workflow.ts"
import type { Page } from "../../../../services/ports/audience/DeviceStore.ts"
import { WorkflowStore } from "../../../../services/ports/workflows/WorkflowStore.ts"
import { testDatabase } from "../../../Database.ts"
import { newApp } from "../Stores.ts"

const [FORMER, PRESENT] = [randomBytes(32), randomBytes(32)]
const ASK: Step = { key: "ask", type: "FETCH", url: "https://example.com/", headers: { "X-Key": "s3cret" } }

const storeOf = (...keys: ReadonlyArray<Uint8Array>) =>
  Layer.fresh(WorkflowStores.layer).pipe(Layer.provide(SecretBox.layerOf(...keys)))

layer(testDatabase(), { timeout: 120_000, excludeTestServices: true })("the headers of a FETCH", (it) => {
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
})
