import { expect, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import * as ContactStores from "../../../../layers/postgres/audience/ContactStore.ts"
import { inboxConditions } from "../../../../layers/postgres/audience/segments.ts"
import type { UpsertContact } from "../../../../services/domain/audience/Contact.ts"
import type { AttributeRule, SegmentFilter } from "../../../../services/domain/audience/Segment.ts"
import { judge } from "../../../../services/domain/workflows/Conditions.ts"
import { ContactStore } from "../../../../services/ports/audience/ContactStore.ts"
import { chanceOf } from "../../../contract/Values.ts"
import { hotStores, newApp } from "../Stores.ts"

/* That a condition says the same of a person in memory, where workflows ask, and in PostgreSQL, where segments do. */

const SEED = 20_311
const CONTACTS = 300
const FILTERS = 400

const NAMES = ["a", "b", "a.b", "ü", "constructor"]
const TEXTS = ["", "a", "b", "Z", "ab", "ä", "\uffff", "\u{1f600}", "5", "null", "2031-01-01"]
const NUMBERS = [0, -1, 5, 5.5, 0.1, 1e21, -1e-7, 9_007_199_254_740_991]
const SCALARS: ReadonlyArray<string | number | boolean> = [...TEXTS, ...NUMBERS, true, false]
const TAGS = ["one", "two", "Two", "ü"]
const LOCALES = ["de", "de-AT", "DE-at", "en", "en-GB", "den"]
const ZONES = ["UTC", "Europe/Berlin", "Asia/Tokyo"]

type Chance = ReturnType<typeof chanceOf>
const someOf = <A>({ odds }: Chance, values: ReadonlyArray<A>, share = 0.4) => values.filter(() => odds(share))

const valueOf = (chance: Chance, depth = 0): unknown => {
  const kind = chance.below(depth === 0 ? 12 : 9)
  if (kind < 8) return chance.pick(SCALARS)
  if (kind === 8) return null
  if (kind === 9) return {}
  if (kind === 10) return { [chance.pick(NAMES)]: valueOf(chance, 1) }
  return Array.from({ length: chance.below(4) }, () => valueOf(chance, 1))
}

const contactOf = (chance: Chance, i: number): UpsertContact => ({
  external_id: `u${i}`,
  tags: someOf(chance, TAGS),
  attributes: Object.fromEntries(someOf(chance, NAMES, 0.6).map((name) => [name, valueOf(chance)])) as never,
  locale: chance.odds(0.3) ? null : chance.pick(LOCALES),
  timezone: chance.odds(0.3) ? null : chance.pick(ZONES)
})

const ruleOf = (chance: Chance): AttributeRule => {
  const name = chance.pick(NAMES)
  const op = chance.pick([
    "equals",
    "not_equals",
    "contains",
    "in",
    "greater",
    "greater_or_equal",
    "less",
    "less_or_equal",
    "exists",
    "not_exists"
  ] as const)
  if (op === "exists" || op === "not_exists") return { name, op }
  if (op === "in") return { name, op, value: Array.from({ length: 1 + chance.below(4) }, () => chance.pick(SCALARS)) }
  if (op === "contains") return { name, op, value: chance.pick(SCALARS) }
  if (op === "equals" || op === "not_equals") return { name, op, value: chance.odds(0.1) ? null : chance.pick(SCALARS) }
  return { name, op, value: chance.odds(0.5) ? chance.pick(TEXTS) : chance.pick(NUMBERS) }
}

const filterOf = (chance: Chance): SegmentFilter => {
  const some = <A>(values: ReadonlyArray<A>) => [chance.pick(values), ...someOf(chance, values, 0.2)]
  const filter: SegmentFilter = {
    ...(chance.odds(0.2) ? { tags_any: some(TAGS) } : {}),
    ...(chance.odds(0.15) ? { tags_all: some(TAGS) } : {}),
    ...(chance.odds(0.15) ? { tags_none: some(TAGS) } : {}),
    ...(chance.odds(0.15) ? { locales: some(LOCALES) } : {}),
    ...(chance.odds(0.15) ? { timezones: some(ZONES) } : {}),
    ...(chance.odds(0.7) ? { attributes: Array.from({ length: 1 + chance.below(2) }, () => ruleOf(chance)) } : {})
  }
  return Object.keys(filter).length === 0 ? { attributes: [ruleOf(chance)] } : filter
}

const stores = ContactStores.layer.pipe(Layer.provideMerge(hotStores))

layer(stores, { timeout: 240_000, excludeTestServices: true })("conditions", (it) => {
  it.effect(`say of ${CONTACTS} contacts what ${FILTERS} segments say (seed ${SEED})`, () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const app = yield* newApp
      const chance = chanceOf(SEED)
      const contacts = Array.from({ length: CONTACTS }, (_, i) => contactOf(chance, i))
      const store = yield* ContactStore
      for (let i = 0; i < CONTACTS; i += 100) yield* store.upsert(app, contacts.slice(i, i + 100))
      const people = yield* sql<{
        readonly external_id: string
        readonly tags: ReadonlyArray<string>
        readonly attributes: Readonly<Record<string, unknown>>
        readonly locale: string | null
        readonly timezone: string | null
      }>`SELECT external_id, tags, attributes, locale, timezone FROM contacts WHERE app_id = ${app}`
      expect(people).toHaveLength(CONTACTS)
      let fitting = 0
      for (let i = 0; i < FILTERS; i++) {
        const filter = filterOf(chance)
        const rows = yield* sql<{ readonly external_id: string }>`
          SELECT external_id FROM contacts p WHERE app_id = ${app} AND ${sql.and(inboxConditions(sql, filter))}`
          .unprepared
        const judged = people.filter(
          (person) =>
            judge(filter, {
              person: { ...person, platforms: [], seenAt: null, engagedAt: {} },
              data: {},
              messages: () => new Set(),
              now: 0
            }).fits
        )
        const names = (all: ReadonlyArray<{ readonly external_id: string }>) =>
          all.map(({ external_id }) => external_id).toSorted()
        expect({ filter, fits: names(judged) }).toEqual({ filter, fits: names(rows) })
        fitting += rows.length
      }
      expect(fitting).toBeGreaterThan(FILTERS)
    })
  )
})
