import { Effect, Exit, Scope } from "effect"
import type { Client } from "pg"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { eventIdOf, uuidTime } from "../../services/domain/Ids.ts"
import { deliveryIdsOf } from "../../services/domain/sending/DeliveryIds.ts"
import { uuidv7 } from "../../services/ports/NewId.ts"
import type { Place, TableName } from "../layers/postgres/Rows.ts"
import { fill, GAP_MS, insertOf, makePlace, READER, TABLES, withClient } from "../layers/postgres/Rows.ts"
import type { System } from "../System.ts"
import { makeSystem } from "../System.ts"
import type { Operation, Schema } from "./Document.ts"
import { readOperations } from "./Document.ts"

/*
 * Every list of the served document, walked from its first page to its last over HTTP while another connection writes:
 * whatever is there all the time is shown once, and nothing twice. `npm run test:lists` walks through a million rows.
 */
const ROWS = Number(process.env["LISTS_ROWS"] ?? 200)
/** Of lists that people write by hand, and of those that walk slower than they are long. */
const FEW = Math.min(ROWS, 5000)
const LIMIT = ROWS > 1000 ? 100 : 7
/** Pages between two rounds of the one who writes. */
const EVERY = ROWS > 1000 ? 10 : 1

interface List {
  /** Where its rows stand; the first is the one that its ids come from. */
  readonly tables: readonly [TableName, ...Array<TableName>]
  readonly rows: number
  /** Its tables are only ever written in one transaction, because each points at the other. */
  readonly isWhole?: true
  /** How a row's id is shown, and in which field. */
  readonly shown?: (place: Place) => (id: string) => string
  readonly field?: string
  /** Conditions under which it is walked as well. */
  readonly filters?: ReadonlyArray<Filter>
}

interface Filter {
  /** `timeOf` answers when the row with a number was made. */
  readonly query: (timeOf: (i: number) => string) => Readonly<Record<string, string>>
  /** The rows that it is to show, by their number: SQL. */
  readonly among: string
}

const EVERYTHING: Filter = { query: () => ({}), among: "true" }
const [QUARTER, HALF] = [Math.floor(ROWS / 4), Math.floor(ROWS / 2)]

const LISTS: Readonly<Record<string, List>> = {
  "GET /api/v1/devices": {
    tables: ["devices"],
    rows: ROWS,
    filters: [{ query: () => ({ segment_id: segment }), among: "i % 2 <> 0 AND i % 7 <> 0" }]
  },
  "GET /api/v1/contacts": {
    tables: ["contacts"],
    rows: ROWS,
    filters: [{ query: () => ({ segment_id: segment }), among: "i % 2 <> 0" }]
  },
  "GET /api/v1/channels": { tables: ["channels"], rows: ROWS },
  "GET /api/v1/notifications": {
    tables: ["notifications"],
    rows: ROWS,
    filters: [
      { query: () => ({ status: "cancelled" }), among: "i % 5 = 0" },
      {
        query: (timeOf) => ({ created_from: timeOf(QUARTER), created_to: timeOf(HALF) }),
        among: `i BETWEEN ${QUARTER} AND ${HALF}`
      },
      {
        query: (timeOf) => ({ status: "cancelled", created_from: timeOf(QUARTER), created_to: timeOf(HALF) }),
        among: `i % 5 = 0 AND i BETWEEN ${QUARTER} AND ${HALF}`
      }
    ]
  },
  "GET /api/v1/notifications/{id}/deliveries": {
    tables: ["deliveries", "packed_deliveries"],
    rows: ROWS,
    shown: ({ notification }) => deliveryIdsOf(notification)
  },
  "GET /api/v1/public/inbox": { tables: ["inbox_messages"], rows: ROWS },
  "GET /api/v1/webhooks/{id}/deliveries": {
    tables: ["event_chunks", "webhook_work_items"],
    rows: ROWS,
    shown: () => (id) => eventIdOf(id, 0),
    field: "event_id"
  },
  "GET /api/v1/dead-letters": { tables: ["dead_letters"], rows: ROWS },
  "GET /api/v1/dead-letters/replays": { tables: ["replays"], rows: FEW },
  "GET /api/v1/audit-log": { tables: ["audit_log"], rows: ROWS },
  "GET /api/v1/api-keys": { tables: ["api_keys"], rows: FEW },
  "GET /api/v1/templates": { tables: ["template_versions", "templates"], rows: FEW },
  "GET /api/v1/segments": { tables: ["segments"], rows: FEW },
  "GET /api/v1/webhooks": { tables: ["webhooks"], rows: FEW },
  "GET /api/v1/workflows": {
    tables: ["workflows", "workflow_versions"],
    rows: FEW,
    isWhole: true,
    filters: [{ query: () => ({ status: "archived" }), among: "i % 5 = 0" }]
  },
  "GET /api/v1/workflows/{id}/versions": { tables: ["workflow_versions"], rows: FEW },
  "GET /api/v1/executions": {
    tables: ["executions", "execution_timers"],
    rows: ROWS,
    filters: [
      { query: () => ({ status: "cancelled" }), among: "i % 5 = 0" },
      { query: () => ({ status: "waiting" }), among: "i % 2 = 0 AND i % 5 <> 0" },
      { query: () => ({ workflow_id: place.workflow }), among: "i % 3 = 0" },
      { query: () => ({ user_id: READER }), among: "i % 7 = 0" }
    ]
  }
}

const scope = Effect.runSync(Scope.make())
let system: System
let place: Place
/** Of those without the tag that half have: no index leads to them. */
let segment: string
let served: ReadonlyArray<Operation>
beforeAll(async () => {
  // Rows reach back as many minutes as there are; who asks so often would be told to wait.
  const settings = { ROLES: "api", RETENTION_DAYS: "3650", AUDIT_RETENTION_DAYS: "36500" }
  system = await Effect.runPromise(Scope.provide(makeSystem({ ...settings, RATE_LIMIT_SECRET: "10000000/60" }), scope))
  place = await withClient(system.env["DATABASE_URL"]!, (client) => makePlace(client, system.app.appId))
  const made = await fetch(`${system.url}/api/v1/segments`, {
    method: "POST",
    headers: { authorization: `ApiKey ${system.app.secretKey}`, "content-type": "application/json" },
    body: JSON.stringify({ name: "The other half", filter: { tags_none: ["half"] } })
  })
  segment = ((await made.json()) as { readonly id: string }).id
  const document = (await (await fetch(`${system.url}/api/v1/openapi.json`)).json()) as Schema
  served = readOperations(document).filter(({ responses }) => {
    const properties = responses["200"]?.content?.["application/json"]?.schema["properties"]
    // What is always the last page is no list to be walked.
    return properties?.next_cursor !== undefined && properties.next_cursor.type !== "null"
  })
})
afterAll(() => Effect.runPromise(Scope.close(scope, Exit.void)))

interface PageOf {
  readonly data: ReadonlyArray<Readonly<Record<string, unknown>>>
  readonly next_cursor: string | null
}

const readPage = async (
  { path }: Operation,
  conditions: Readonly<Record<string, string>>,
  cursor: string | null
): Promise<PageOf> => {
  const id = path.includes("/webhooks/")
    ? place.webhook
    : path.includes("/workflows/")
      ? place.workflow
      : place.notification
  const query = new URLSearchParams({
    ...conditions,
    limit: String(LIMIT),
    ...(cursor === null ? {} : { cursor }),
    ...(path.startsWith("/api/v1/public/") ? { user_id: READER } : {})
  }).toString()
  const response = await fetch(`${system.url}${path.replace("{id}", id)}?${query}`, {
    headers: { authorization: `ApiKey ${system.app.secretKey}` }
  })
  if (response.status !== 200) throw new Error(`${path}: ${response.status} ${await response.text()}`)
  return (await response.json()) as PageOf
}

/**
 * Writes in rounds: new rows before all others, between two of them and behind them; the rows of two rounds ago go
 * again; some that stay are written anew, which moves them in the table.
 */
const makeWriter = (client: Client, { isWhole, tables }: List, kept: ReadonlyArray<string>) => {
  const rounds: Array<ReadonlyArray<string>> = []
  const oldest = uuidTime(kept[0]!)
  const span = kept.length * GAP_MS
  // Numbers that no row has yet.
  let number = 1_000_000_000
  return async (): Promise<void> => {
    const round = rounds.length
    const somewhere = oldest + ((round * 7919 * GAP_MS) % span) + GAP_MS / 2
    const ids = [oldest - GAP_MS - round, somewhere, Date.now()].map((at) => uuidv7(at))
    const times = ids.map((id) => new Date(uuidTime(id)))
    const numbers = ids.map(() => number++)
    const from = "unnest($1::integer[], $2::uuid[], $3::timestamptz[]) AS made (i, id, at)"
    const touched = ids.map((_, i) => kept[(round * 31 + i * 977) % kept.length]!)
    const gone = rounds.at(-2) ?? []
    rounds.push(ids)
    if (isWhole) await client.query("BEGIN")
    for (const table of tables) {
      const { key } = TABLES[table]
      await client.query(insertOf(table, place, from), [numbers, ids, times])
      await client.query(`UPDATE ${table} SET ${key} = ${key} WHERE ${key} = ANY($1)`, [touched])
    }
    // What others point at goes after them: no template is without its version at any moment.
    for (const table of tables.toReversed()) {
      await client.query(`DELETE FROM ${table} WHERE ${TABLES[table].key} = ANY($1)`, [gone])
    }
    if (isWhole) await client.query("COMMIT")
  }
}

describe("the lists of the document", () => {
  it("are all known to this test", () => {
    expect(served.map(({ name }) => name).sort()).toEqual(Object.keys(LISTS).sort())
  })

  for (const [name, list] of Object.entries(LISTS)) {
    it(`${name} shows what is there all the time once, and nothing twice, while others write`, async () => {
      const operation = served.find((one) => one.name === name)!
      await withClient(system.env["DATABASE_URL"]!, async (client) => {
        await fill(client, list.tables, [[place, list.rows]])
        const { rows } = await client.query<{ i: number; id: string }>("SELECT i, id FROM ids ORDER BY id")
        const kept = rows.map(({ id }) => id)
        const timeOf = (i: number) => new Date(uuidTime(rows.find((row) => row.i === i)!.id)).toISOString()
        const write = makeWriter(client, list, kept)
        for (const { among, query } of [EVERYTHING, ...(list.filters ?? [])]) {
          const conditions = query(timeOf)
          const wanted = await client.query<{ id: string }>(`SELECT id FROM ids WHERE ${among}`)
          const missing = new Set(wanted.rows.map(({ id }) => id).map(list.shown?.(place) ?? ((id) => id)))
          expect(missing.size).toBeGreaterThan(LIMIT)
          const least = missing.size / LIMIT
          const seen = new Set<string>()
          const twice: Array<string> = []
          const start = performance.now()
          let pages = 0
          for (let cursor: string | null = null, isLast = false; !isLast; pages++) {
            const [page]: [PageOf, ...Array<unknown>] = await Promise.all([
              readPage(operation, conditions, cursor),
              pages % EVERY === 0 ? write() : undefined
            ])
            for (const item of page.data) {
              const id = String(item[list.field ?? "id"])
              if (seen.has(id)) twice.push(id)
              seen.add(id)
              missing.delete(id)
              if (conditions["status"] !== undefined) expect(item["status"]).toBe(conditions["status"])
            }
            cursor = page.next_cursor
            isLast = cursor === null
          }
          const seconds = (performance.now() - start) / 1000
          if (process.env["LISTS_ROWS"] !== undefined) {
            const way = [name, ...Object.keys(conditions)].join(" ")
            process.stdout.write(`${way}: ${seen.size} rows on ${pages} pages in ${seconds.toFixed(1)} s\n`)
          }
          expect(twice).toEqual([])
          expect([...missing].slice(0, 10)).toEqual([])
          expect(pages).toBeGreaterThanOrEqual(least)
        }
      })
    }, 3_600_000)
  }
})
