import { expect, layer } from "@effect/vitest"
import { Effect, Option } from "effect"
import { SqlClient } from "effect/sql"
import type { SegmentId, TemplateId } from "../../../../services/domain/Ids.ts"
import { uuidv7 } from "../../../../services/ports/NewId.ts"
import type { Template, TemplateBody } from "../../../../services/domain/messages/Template.ts"
import { VERSIONS_KEPT } from "../../../../services/domain/messages/Template.ts"
import { CurrentActor } from "../../../../services/ports/access/AuditLog.ts"
import type { Page } from "../../../../services/ports/audience/DeviceStore.ts"
import { NotificationStore } from "../../../../services/ports/sending/NotificationStore.ts"
import { SegmentStore } from "../../../../services/ports/audience/SegmentStore.ts"
import { TemplateStore } from "../../../../services/ports/messages/TemplateStore.ts"
import { accepted, hotStores, newApp } from "../Stores.ts"

const body = (title: string): TemplateBody => ({
  content: { title, data: { deep: [1, { ünï: "{{ x }}" }] } },
  locales: { "de-AT": { title: `${title} (de)` } },
  missing_variables: "error"
})

layer(hotStores, { timeout: 240_000 })("TemplateStore", (it) => {
  it.effect("keeps every version, and changes only what is still the latest one", () =>
    Effect.gen(function* () {
      const app = yield* newApp
      const templates = yield* TemplateStore
      const made = yield* templates.create(app, "A", body("one"))
      expect(yield* templates.find(app, made.id)).toEqual(Option.some(made))
      const second = Option.getOrThrow(yield* templates.update(app, made.id, 1, "B", body("two")))
      expect(second).toMatchObject({ name: "B", version: 2, createdAt: made.createdAt })
      expect(yield* templates.update(app, made.id, 1, "C", body("lost"))).toEqual(Option.none())
      expect(yield* templates.find(app, made.id)).toEqual(Option.some(second))
      expect(yield* templates.latest(app, made.id)).toEqual(Option.some(second.versionId))
      expect(yield* templates.body(made.versionId)).toEqual(Option.some(body("one")))
      expect(yield* templates.remove(app, made.id)).toBe(true)
      expect(yield* templates.remove(app, made.id)).toBe(false)
      expect(yield* templates.body(second.versionId)).toEqual(Option.some(body("two")))
    })
  )

  it.effect("shows its latest versions with who made them, until it is removed", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const [app, other] = [yield* newApp, yield* newApp]
      const templates = yield* TemplateStore
      const made = yield* templates.create(app, "A", body("1"))
      const key = uuidv7()
      for (let version = 1; version <= VERSIONS_KEPT; version++) {
        const change = templates.update(app, made.id, version, `A${version}`, body(`${version + 1}`))
        yield* Effect.provideService(change, CurrentActor, { kind: "key", id: key })
      }
      const shown = yield* templates.versions(app, made.id)
      // The first one has made room for the last.
      expect(shown.map(({ version }) => version)).toEqual(
        Array.from({ length: VERSIONS_KEPT }, (_, i) => VERSIONS_KEPT + 1 - i)
      )
      const [latest] = shown
      expect(latest).toMatchObject({ name: `A${VERSIONS_KEPT}`, actor: { kind: "key", id: key }, actorEmail: null })
      expect(yield* templates.version(app, latest!.id)).toEqual(
        Option.some({ ...latest, templateId: made.id, body: body(`${VERSIONS_KEPT + 1}`) })
      )
      expect(yield* templates.version(app, made.versionId)).toEqual(Option.none())
      expect(yield* templates.body(made.versionId)).toEqual(Option.some(body("1")))
      expect(yield* templates.version(other, latest!.id)).toEqual(Option.none())
      expect(yield* templates.versions(other, made.id)).toEqual([])
      const retired = () =>
        sql`SELECT 1 FROM template_versions WHERE template_id = ${made.id} AND retired_at IS NOT NULL`
      expect(yield* retired()).toHaveLength(1)
      yield* templates.remove(app, made.id)
      expect(yield* templates.versions(app, made.id)).toEqual([])
      expect(yield* templates.version(app, latest!.id)).toEqual(Option.none())
      expect(yield* retired()).toHaveLength(VERSIONS_KEPT + 1)
    })
  )

  it.effect("lets one of many changes at once win each version", () =>
    Effect.gen(function* () {
      const app = yield* newApp
      const templates = yield* TemplateStore
      const { id } = yield* templates.create(app, "A", body("one"))
      const made = yield* Effect.all(
        Array.from({ length: 8 }, (_, i) => templates.update(app, id, 1, `n${i}`, body(`${i}`))),
        { concurrency: "unbounded" }
      )
      expect(made.filter(Option.isSome)).toHaveLength(1)
    })
  )

  it.effect("lists page by page, each application its own", () =>
    Effect.gen(function* () {
      const [app, other] = [yield* newApp, yield* newApp]
      const templates = yield* TemplateStore
      const names = ["a", "b", "c"]
      for (const name of names) yield* templates.create(app, name, body(name))
      const first = yield* templates.list(app, null, 2)
      const rest = yield* templates.list(app, first.next, 2)
      expect([...first.items, ...rest.items].map(({ name }) => name).toSorted()).toEqual(names)
      expect(rest.next).toBeNull()
      const [one] = first.items
      expect((yield* templates.list(other, null, 2)).items).toEqual([])
      expect(yield* templates.find(other, one!.id)).toEqual(Option.none())
      expect(yield* templates.latest(other, one!.id)).toEqual(Option.none())
      expect(yield* templates.update(other, one!.id, 1, "x", body("x"))).toEqual(Option.none())
      expect(yield* templates.remove(other, one!.id)).toBe(false)
      expect(yield* templates.find(app, uuidv7() as TemplateId)).toEqual(Option.none())
    })
  )

  it.effect("ends a page of large ones after two megabytes, and goes on with the next", () =>
    Effect.gen(function* () {
      const app = yield* newApp
      const templates = yield* TemplateStore
      const large: TemplateBody = { ...body("large"), content: { html: "x".repeat(500_000) } }
      const names = Array.from({ length: 12 }, (_, i) => `${i}`)
      for (const name of names) yield* templates.create(app, name, large)
      const pages: Array<ReadonlyArray<string>> = []
      let after: string | null = null
      do {
        const page: Page<Template> = yield* templates.list(app, after, 10)
        pages.push(page.items.map(({ name }) => name))
        after = page.next
      } while (after !== null)
      expect(pages.map(({ length }) => length)).toEqual([5, 5, 2])
      expect(pages.flat().toSorted()).toEqual(names.toSorted())
    })
  )

  it.effect("gives a message the version that its notification was accepted with", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const app = yield* newApp
      const templates = yield* TemplateStore
      const notifications = yield* NotificationStore
      const { id, versionId } = yield* templates.create(app, "A", body("one"))
      const notification = yield* accepted(app, {
        to: { all: true },
        template_id: id,
        variables: { x: 1 },
        template: { version: versionId, parts: ["title"] }
      })
      const message = Option.getOrThrow(yield* notifications.message(notification))
      expect(message).toMatchObject({ content: {}, template: { version: versionId, variables: { x: 1 } } })
      const rows =
        yield* sql`SELECT 1 FROM notifications WHERE id = ${notification} AND template_version = ${versionId}`
      expect(rows).toHaveLength(1)
    })
  )
})

layer(hotStores, { timeout: 240_000 })("SegmentStore", (it) => {
  it.effect("keeps conditions as they came, changes what is named, and knows nobody else's", () =>
    Effect.gen(function* () {
      const [app, other] = [yield* newApp, yield* newApp]
      const segments = yield* SegmentStore
      const filter = { attributes: [{ name: "a", op: "in" as const, value: [1, "x", null] }] }
      const made = yield* segments.create(app, { name: "A", filter })
      expect(made.filter).toEqual(filter)
      const renamed = Option.getOrThrow(yield* segments.update(app, made.id, { name: "B" }))
      expect(renamed).toMatchObject({ name: "B", filter })
      const changed = Option.getOrThrow(yield* segments.update(app, made.id, { filter: { tags_any: ["t"] } }))
      expect(changed).toMatchObject({ name: "B", filter: { tags_any: ["t"] } })
      expect(yield* segments.find(app, made.id)).toEqual(Option.some(changed))
      expect((yield* segments.list(app, null, 5)).items).toEqual([changed])
      const values = Array.from({ length: 10 }, () => "x".repeat(90_000))
      const large = { attributes: [{ name: "a", op: "in" as const, value: values }] }
      for (const name of ["1", "2", "3", "4"]) yield* segments.create(other, { name, filter: large })
      const page = yield* segments.list(other, null, 4)
      expect([page.items.length, (yield* segments.list(other, page.next, 4)).items.length]).toEqual([3, 1])
      expect(yield* segments.find(other, made.id)).toEqual(Option.none())
      expect(yield* segments.update(other, made.id, { name: "C" })).toEqual(Option.none())
      expect(yield* segments.remove(other, made.id)).toBe(false)
      expect(yield* segments.remove(app, made.id)).toBe(true)
      expect(yield* segments.find(app, uuidv7() as SegmentId)).toEqual(Option.none())
    })
  )
})
