import { expect, layer } from "@effect/vitest"
import { Effect, Layer, Option } from "effect"
import { SqlClient } from "effect/sql"
import { layer as liquidLayer } from "../../../layers/liquid/TemplateEngine.ts"
import * as ContactStores from "../../../layers/postgres/audience/ContactStore.ts"
import * as SegmentStores from "../../../layers/postgres/audience/SegmentStore.ts"
import * as TemplateStores from "../../../layers/postgres/messages/TemplateStore.ts"
import { Templates } from "../../../services/engine/messages/Templates.ts"
import { ContactStore } from "../../../services/ports/audience/ContactStore.ts"
import { SegmentStore } from "../../../services/ports/audience/SegmentStore.ts"
import { hotStores, newApp } from "./Stores.ts"

const stores = Layer.mergeAll(
  ContactStores.layer,
  SegmentStores.layer,
  Templates.layer.pipe(Layer.provide(liquidLayer), Layer.provide(TemplateStores.layer))
).pipe(Layer.provideMerge(hotStores))

const LONG_AGO = Date.parse("2020-01-01T00:00:00.000Z")

/** Dates a row back, so that a change of its time is seen however quick the test is. */
const dateBack = Effect.fnUntraced(function* (table: string, id: string) {
  const sql = yield* SqlClient.SqlClient
  yield* sql`UPDATE ${sql(table)} SET updated_at = ${new Date(LONG_AGO)} WHERE id = ${id}`
})

layer(stores)("a change that changes nothing", (it) => {
  it.effect("leaves a segment's time as it was, and one that does moves it", () =>
    Effect.gen(function* () {
      const segments = yield* SegmentStore
      const app = yield* newApp
      const filter = { tags_any: ["a", "b"], platforms: ["ios" as const] }
      const { id } = yield* segments.create(app, { name: "Readers", filter })
      const change = (given: Parameters<typeof segments.update>[2]) =>
        Effect.map(segments.update(app, id, given), (found) => Option.getOrThrow(found).updatedAt)
      yield* dateBack("segments", id)
      for (const same of [
        {},
        { name: "Readers" },
        { filter },
        { filter: { platforms: ["ios" as const], tags_any: ["a", "b"] } }
      ])
        expect(yield* change(same)).toBe(LONG_AGO)
      for (const other of [{ name: "Others" }, { filter: { tags_any: ["a"] } }]) {
        expect(yield* change(other)).toBeGreaterThan(LONG_AGO)
        yield* dateBack("segments", id)
      }
    })
  )

  it.effect("leaves a contact's time as it was, and one that does moves it", () =>
    Effect.gen(function* () {
      const contacts = yield* ContactStore
      const app = yield* newApp
      const whole = {
        email: "Ann@example.com",
        attributes: { plan: "pro", seats: 3 },
        tags: ["a", "b"],
        locale: "de",
        timezone: "Europe/Berlin"
      }
      const [made] = yield* contacts.upsert(app, [{ external_id: "ann", ...whole }])
      const { id } = made!
      const change = (given: Parameters<typeof contacts.update>[2]) =>
        Effect.map(contacts.update(app, id, given), (found) => Option.getOrThrow(found).updatedAt)
      const prefer = (given: Parameters<typeof contacts.prefer>[2]) =>
        Effect.map(contacts.prefer(app, id, given), (found) => Option.getOrThrow(found).updatedAt)
      yield* dateBack("contacts", id)
      expect(yield* change({})).toBe(LONG_AGO)
      expect(yield* change(whole)).toBe(LONG_AGO)
      for (const [name, value] of Object.entries(whole)) expect(yield* change({ [name]: value })).toBe(LONG_AGO)
      expect(yield* change({ attributes: { seats: 3, plan: "pro" } })).toBe(LONG_AGO)
      expect(yield* prefer({})).toBe(LONG_AGO)
      expect(yield* prefer({ push: true, email: true, inbox: true })).toBe(LONG_AGO)
      for (const other of [
        { email: "ann@example.com" },
        { email: "bob@example.com" },
        { email: null },
        { attributes: { plan: "pro" } },
        { tags: ["b"] },
        { locale: null },
        { timezone: "Europe/Paris" }
      ]) {
        expect(yield* change(other), JSON.stringify(other)).toBeGreaterThan(LONG_AGO)
        yield* dateBack("contacts", id)
      }
      expect(yield* prefer({ push: false })).toBeGreaterThan(LONG_AGO)
    })
  )

  it.effect("leaves a template's time and version as they were, and one that does moves both", () =>
    Effect.gen(function* () {
      const templates = yield* Templates
      const app = yield* newApp
      const content = { title: "Hello {{ name }}", data: { a: "1", b: "2" } }
      const { id, versionId } = yield* templates.create(app, { name: "Welcome", content })
      yield* dateBack("templates", id)
      for (const same of [
        {},
        { name: "Welcome" },
        { content },
        { content: { data: { b: "2", a: "1" }, title: content.title } }
      ]) {
        const found = Option.getOrThrow(yield* templates.update(app, id, same))
        expect([found.updatedAt, found.version, found.versionId]).toEqual([LONG_AGO, 1, versionId])
      }
      const changed = Option.getOrThrow(yield* templates.update(app, id, { content: { title: "Bye" } }))
      expect(changed.updatedAt).toBeGreaterThan(LONG_AGO)
      expect(changed.version).toBe(2)
    })
  )
})
