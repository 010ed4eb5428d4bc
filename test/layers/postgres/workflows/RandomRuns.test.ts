import { expect, layer } from "@effect/vitest"
import { Effect, Layer, Option } from "effect"
import { SqlClient } from "effect/sql"
import type { AppId } from "../../../../services/domain/Ids.ts"
import type { HistoryEntry } from "../../../../services/domain/workflows/Execution.ts"
import type { Fetched } from "../../../../services/domain/workflows/Fetched.ts"
import { programOf } from "../../../../services/domain/workflows/Program.ts"
import type { Step } from "../../../../services/domain/workflows/Steps.ts"
import type { Workflow } from "../../../../services/domain/workflows/Workflow.ts"
import { uuidv7 } from "../../../../services/ports/NewId.ts"
import type { StoreError } from "../../../../services/ports/StoreError.ts"
import type { MovedRun } from "../../../../services/ports/workflows/ExecutionStore.ts"
import { ExecutionStore } from "../../../../services/ports/workflows/ExecutionStore.ts"
import { TriggerStore } from "../../../../services/ports/workflows/TriggerStore.ts"
import { WorkflowStore } from "../../../../services/ports/workflows/WorkflowStore.ts"
import type { Chance } from "../../../contract/Values.ts"
import { chanceOf } from "../../../contract/Values.ts"
import { hotStores, newApp, newWebhook } from "../Stores.ts"
import { activated, carry, workflowStores } from "./Runs.ts"

/*
 * Random workflows with random people, moved by what moves them in the engine, on a real PostgreSQL that fails at any
 * statement that writes, and by movers that die after their commits. What has become of everybody is held against a straight
 * model of the definition. `RUNS_SEEDS=1000:5` repeats the five from seed 1000; `npm run test:runs` has many.
 */

const [FIRST_SEED, SEEDS] = (process.env["RUNS_SEEDS"] ?? "1:24").split(":").map(Number) as [number, number]
const PEOPLE = 25
const EVENTS = 60
/** Share of the transactions that fail at one of their statements. */
const CRASHES = 0.3
/** Statements that write, of a transaction, at most; one that has fewer is through. */
const STATEMENTS = 8
const TABLES = [
  "contacts",
  "custom_events",
  "digest_items",
  "digests",
  "event_chunks",
  "execution_events",
  "execution_outcomes",
  "execution_timers",
  "executions",
  "notifications",
  "throttles",
  "workflow_entries",
  "workflow_step_counts"
]

/** From now on statements that write count down, and the one that comes to 0 fails. */
const crashable = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`CREATE SEQUENCE crash_in MINVALUE -1000 START 1`
  yield* sql`
    CREATE FUNCTION maybe_crash() RETURNS trigger LANGUAGE plpgsql AS $body$
    BEGIN
      IF nextval('crash_in') = 0 THEN RAISE EXCEPTION 'crash' USING ERRCODE = 'admin_shutdown'; END IF;
      RETURN NULL;
    END $body$`
  for (const table of TABLES) {
    yield* sql`
      CREATE TRIGGER crash AFTER INSERT OR UPDATE OR DELETE ON ${sql.literal(table)}
      FOR EACH STATEMENT EXECUTE FUNCTION maybe_crash()`
  }
})

const FLAGS = ["a", "b", "c"]

const stepsBy = (chance: Chance): ReadonlyArray<Step> => {
  let count = 0
  const conditions = () => ({ data: [{ name: chance.pick(FLAGS), op: "equals" as const, value: true }] })
  const listOf = (depth: number): ReadonlyArray<Step> =>
    Array.from({ length: depth === 0 ? 2 + chance.below(6) : chance.below(3) }, (): Step => {
      const key = `k${count++}`
      switch (chance.below(depth < 3 ? 11 : 9)) {
        case 0:
          return { key, type: "FILTER", conditions: conditions() }
        case 1:
          return { key, type: "DELAY", seconds: 1000 }
        case 2:
          return { key, type: "WAIT_FOR", event: "never", seconds: 1000 }
        case 3:
          return { key, type: "THROTTLE", at_most: 1 + chance.below(3), per_seconds: 2_678_400 }
        case 4:
          return { key, type: "FETCH", url: "https://example.com/" }
        case 5:
          return { key, type: "UPDATE_CONTACT", tags_add: [key] }
        case 6:
          return { key, type: "SEND", content: { title: key }, wait_for_outcome: true }
        case 7:
          return { key, type: "SEND", content: { title: key } }
        case 8:
          return { key, type: "DIGEST", seconds: 1000 }
        default: {
          const branches = Array.from({ length: 1 + chance.below(2) }, () => ({
            conditions: conditions(),
            steps: listOf(depth + 1)
          }))
          return { key, type: "BRANCH", branches, ...(chance.odds(0.5) ? { else: listOf(depth + 1) } : {}) }
        }
      }
    })
  return listOf(0)
}

type Data = Readonly<Record<string, unknown>>
type Outcomes = ReadonlyMap<string, HistoryEntry>

/** What becomes of a run; which of a person's runs a digest takes up and a throttle stops, it is told. */
const model = (steps: ReadonlyArray<Step>, data: Data, outcomes: Outcomes) => {
  const way: Array<string> = []
  const [sends, tags] = [new Set<string>(), new Set<string>()]
  const fits = (conditions: { readonly data?: ReadonlyArray<{ readonly name: string }> }) =>
    conditions.data!.every(({ name }) => data[name] === true)
  const walk = (list: ReadonlyArray<Step>): "completed" | "filtered" | null => {
    for (const step of list) {
      way.push(step.key)
      const outcome = outcomes.get(step.key)?.outcome
      if (step.type === "FILTER" && !fits(step.conditions)) return "filtered"
      if (step.type === "THROTTLE" && outcome === "stopped") return "filtered"
      if (step.type === "DIGEST" && outcome === "merged") return "completed"
      if (step.type === "SEND") sends.add(step.key)
      if (step.type === "UPDATE_CONTACT") tags.add(step.key)
      if (step.type === "BRANCH") {
        const branch = step.branches.find(({ conditions }) => fits(conditions))
        const end = walk(branch?.steps ?? step.else ?? [])
        if (end !== null) return end
      }
    }
    return null
  }
  return { status: walk(steps) ?? "completed", way, sends, tags }
}

interface RunRow {
  readonly id: string
  readonly user_id: string
  readonly status: string
  readonly data: string
  readonly sends: string
  readonly history: string
}

const stores = workflowStores.pipe(Layer.provideMerge(hotStores))

/** One workflow, from the first who enters to the end of the last. Answers how many runs there were, and how many crashes. */
const lived = Effect.fnUntraced(function* (seed: number) {
  const sql = yield* SqlClient.SqlClient
  const executions = yield* ExecutionStore
  const triggers = yield* TriggerStore
  const chance = chanceOf(seed)
  const steps = stepsBy(chance)
  const app = yield* newApp
  yield* newWebhook(app)
  const workflow = yield* activated(app, steps, { trigger: { type: "event", event: "e" } })
  const users = Array.from({ length: PEOPLE }, (_, i) => `u${i}`)
  yield* sql`
    INSERT INTO contacts (id, app_id, external_id)
    SELECT id, ${app}::uuid, user_id FROM unnest(${users.map(() => uuidv7())}::uuid[], ${users}::text[]) AS t (id, user_id)`
  const flags = () => Object.fromEntries(FLAGS.map((name) => [name, chance.odds(0.7)]))
  yield* executions.leave({ id: uuidv7(), appId: app, workflowId: workflow.id, filter: null, data: flags() })
  for (let i = 0; i < EVENTS; i++) {
    yield* triggers.raise(app, { event: "e", userId: chance.pick([...users, "new"]), data: flags() })
  }

  let crashes = 0
  /** A transaction that may fail at any of its statements: then nothing of it is there. */
  const tried = Effect.fnUntraced(function* <A, R>(work: Effect.Effect<A, StoreError, R>) {
    const doomed = chance.odds(CRASHES)
    yield* sql`SELECT setval('crash_in', ${doomed ? -1 - chance.below(STATEMENTS) : 1})`
    const result = yield* Effect.option(work)
    if (Option.isNone(result)) crashes++
    return result
  })
  const carried = yield* carry()
  const fetching: Array<MovedRun> = []
  const moved = Effect.suspend(() => executions.move(app, 1 + chance.below(60), carried)).pipe(
    Effect.map(({ moves }) => {
      // Their mover may have died before it asked anybody: then the move that comes after does it again.
      fetching.push(...moves.moved.filter(({ fetchUntil }) => fetchUntil !== null && chance.odds(0.7)))
      return moves.moved.length
    })
  )
  const answered = Effect.fnUntraced(function* ({ run }: MovedRun) {
    const fetched: Fetched = { _tag: "Answer", status: 200, body: null }
    const resuming = yield* carry(new Map([[run.id, fetched]]))
    yield* tried(executions.resume([{ ...run, fence: run.fence + 1 }], resuming))
  })
  const entering = Effect.suspend(() => executions.enterPage(null, 1 + chance.below(PEOPLE), () => true, carried))
  const taking = Effect.suspend(() => triggers.takeEvents(null, 1 + chance.below(EVENTS), carried))
  const open = Effect.map(
    sql<{ readonly open: number }>`
      SELECT (SELECT count(*) FROM execution_timers WHERE app_id = ${app})
        + (SELECT count(*) FROM workflow_entries WHERE app_id = ${app})
        + (SELECT count(*) FROM custom_events WHERE app_id = ${app} AND NOT is_done) AS open`,
    ([row]) => Number(row!.open)
  )
  for (let rounds = 0; (yield* open) > 0; rounds++) {
    if (rounds > 300) throw new Error("It never ends")
    yield* tried(entering)
    yield* tried(taking)
    for (let turns = chance.below(4); turns > 0; turns--) yield* tried(moved)
    while (fetching.length > 0 && chance.odds(0.97)) {
      const [one] = fetching.splice(chance.below(fetching.length), 1)
      yield* answered(one!)
      // Nobody was told that it was written: it is brought once more.
      if (chance.odds(0.2)) yield* answered(one!)
    }
    if (chance.odds(0.5)) yield* letTimePass(app)
  }
  yield* sql`SELECT setval('crash_in', 1)`
  return { runs: yield* reconciled(app, workflow, steps, users), crashes }
})

/** As if the time of all that waits had come. */
const letTimePass = Effect.fnUntraced(function* (app: AppId) {
  const sql = yield* SqlClient.SqlClient
  yield* sql`SELECT setval('crash_in', 1)`
  yield* sql`UPDATE execution_timers SET due_at = now() - interval '1 s' WHERE app_id = ${app}`
  yield* sql`UPDATE executions SET deadline = now() - interval '1 s' WHERE app_id = ${app} AND deadline IS NOT NULL`
  yield* sql`UPDATE digests SET closes_at = now() - interval '1 s' WHERE app_id = ${app}`
})

const add = (sums: Map<string, number>, key: string, more: number) => sums.set(key, (sums.get(key) ?? 0) + more)

/** Holds what is written against the model. Answers how many runs there were. */
const reconciled = Effect.fnUntraced(function* (
  app: AppId,
  workflow: Workflow,
  steps: ReadonlyArray<Step>,
  users: ReadonlyArray<string>
) {
  const sql = yield* SqlClient.SqlClient
  const store = yield* WorkflowStore
  const rows = yield* sql<RunRow>`
    SELECT id, user_id, status, data, sends, history FROM executions WHERE app_id = ${app} ORDER BY id`
  expect(rows.length).toBe(PEOPLE + EVENTS)
  const { places } = programOf(steps)
  const orderOf = new Map(places.map(({ step, stepOrder }) => [step.key, stepOrder]))
  const [arrivals, collected, passes, sent] = Array.from({ length: 4 }, () => new Map<string, number>())
  const counts = new Map<number, { entered: number; passed: number; stopped: number }>()
  const tags = new Map<string, Set<string>>()
  const merged = new Map<string, number>()
  const counted = new Map<string, number>()
  const ends = new Map<string, number>()
  for (const { data, history, id, sends, status, user_id } of rows) {
    const entries = JSON.parse(`[${history.slice(0, -1)}]`) as ReadonlyArray<HistoryEntry>
    const outcomes = new Map<string, HistoryEntry>()
    for (const entry of entries) {
      const { key } = places[entry.stepOrder - 1]!.step
      if (entry.outcome === "waiting") continue
      expect(outcomes.has(key), `${key} is over once`).toBe(false)
      outcomes.set(key, entry)
    }
    const expected = model(steps, JSON.parse(data), outcomes)
    expect({ status, way: [...outcomes.keys()], sends: Object.keys(JSON.parse(sends)).toSorted() }).toEqual({
      status: expected.status,
      way: expected.way,
      sends: [...expected.sends].toSorted()
    })
    add(ends, status, 1)
    for (const key of expected.sends) add(sent!, `${user_id} ${key}`, 1)
    tags.set(user_id, new Set([...(tags.get(user_id) ?? []), ...expected.tags]))
    for (const [key, { count, mergedInto, outcome }] of outcomes) {
      const place = `${user_id} ${key}`
      const sum = counts.get(orderOf.get(key)!) ?? { entered: 0, passed: 0, stopped: 0 }
      sum.entered++
      sum[outcome === "stopped" ? "stopped" : "passed"]++
      counts.set(orderOf.get(key)!, sum)
      add(arrivals!, place, 1)
      if (outcome !== "stopped") add(passes!, place, 1)
      if (mergedInto !== undefined) add(merged, `${mergedInto} ${key}`, 1)
      if (count === undefined) continue
      add(collected!, place, count)
      counted.set(`${id} ${key}`, count)
    }
  }
  for (const [place, all] of arrivals!) {
    const { step } = places[orderOf.get(place.split(" ")[1]!)! - 1]!
    if (step.type === "DIGEST") expect(collected!.get(place), `in digests of ${place}`).toBe(all)
    if (step.type === "THROTTLE") expect(passes!.get(place), `through ${place}`).toBe(Math.min(step.at_most, all))
  }
  for (const [digest, count] of counted) expect(1 + (merged.get(digest) ?? 0), `in digest ${digest}`).toBe(count)

  const known = yield* store.counts(workflow.versionId)
  expect(
    new Map(known.map(({ entered, passed, stepOrder, stopped }) => [stepOrder, { entered, passed, stopped }]))
  ).toEqual(counts)
  const { templates } = Option.getOrThrow(yield* store.version(workflow.versionId))
  const keys = new Map(Object.entries(templates).map(([key, { version }]) => [version as string, key]))
  const messages = yield* sql<{ readonly template_version: string; readonly user_id: string; readonly count: number }>`
    SELECT template_version, json_array_elements_text(request -> 'to' -> 'user_ids') AS user_id, count(*)::integer AS count
    FROM notifications WHERE app_id = ${app} GROUP BY 1, 2`
  expect(
    new Map(messages.map(({ count, template_version, user_id }) => [`${user_id} ${keys.get(template_version)}`, count]))
  ).toEqual(sent)
  const people = yield* sql<{ readonly external_id: string; readonly tags: ReadonlyArray<string> }>`
    SELECT external_id, tags FROM contacts WHERE app_id = ${app}`
  expect(people.length).toBeGreaterThanOrEqual(users.length)
  for (const person of people) expect(new Set(person.tags)).toEqual(tags.get(person.external_id) ?? new Set())
  const events = yield* sql<{ readonly event: string; readonly size: number; readonly ids: number }>`
    SELECT event, sum(size)::integer AS size, (
      SELECT count(DISTINCT run)::integer FROM event_chunks i CROSS JOIN json_array_elements_text(i.columns::json -> 'executionId') AS run
      WHERE i.app_id = ${app} AND i.event = c.event
    ) AS ids FROM event_chunks c WHERE app_id = ${app} GROUP BY event`
  const told = new Map(events.map(({ event, ids, size }) => [event, [size, ids]]))
  const wanted = [...ends].map(([status, count]) => [`WORKFLOW_${status.toUpperCase()}`, [count, count]] as const)
  expect(told).toEqual(new Map(wanted))
  expect(yield* sql`SELECT 1 FROM digests WHERE app_id = ${app}`).toEqual([])
  expect(yield* sql`SELECT 1 FROM digest_items WHERE app_id = ${app}`).toEqual([])
  expect(yield* sql`SELECT 1 FROM execution_events WHERE app_id = ${app}`).toEqual([])
  return rows.length
})

layer(stores, { timeout: 240_000, excludeTestServices: true })("random workflows", (it) => {
  it.effect(
    `go the way that a straight model goes, whatever dies (seeds ${FIRST_SEED} to ${FIRST_SEED + SEEDS - 1})`,
    () =>
      Effect.gen(function* () {
        yield* crashable
        let [runs, crashes] = [0, 0]
        for (let seed = FIRST_SEED; seed < FIRST_SEED + SEEDS; seed++) {
          const one = yield* lived(seed).pipe(
            Effect.catchDefect((defect) => Effect.die(new Error(`Seed ${seed}: ${String(defect)}`, { cause: defect })))
          )
          runs += one.runs
          crashes += one.crashes
        }
        expect(runs).toBe(SEEDS * (PEOPLE + EVENTS))
        expect(crashes).toBeGreaterThan(SEEDS)
      }),
    SEEDS * 20_000
  )
})
