import { expect, layer } from "@effect/vitest"
import { Effect, Layer, Option } from "effect"
import { SqlClient } from "effect/sql"
import * as ContactStores from "../../../../layers/postgres/audience/ContactStore.ts"
import type { AppId, SegmentId } from "../../../../services/domain/Ids.ts"
import type { SegmentFilter } from "../../../../services/domain/audience/Segment.ts"
import type { Facts } from "../../../../services/domain/workflows/Conditions.ts"
import type { Step } from "../../../../services/domain/workflows/Steps.ts"
import { ContactStore } from "../../../../services/ports/audience/ContactStore.ts"
import { SegmentStore } from "../../../../services/ports/audience/SegmentStore.ts"
import { TriggerStore } from "../../../../services/ports/workflows/TriggerStore.ts"
import { WorkflowStore } from "../../../../services/ports/workflows/WorkflowStore.ts"
import { chanceOf } from "../../../contract/Values.ts"
import { hotStores, newApp } from "../Stores.ts"
import { activated, carry, onOwnNode, workflowStores } from "./Runs.ts"

/*
 * The first look through a segment that a workflow begins to wait for, and what changes meanwhile: who was in it when the
 * trigger became active does not enter, who comes in after that enters once.
 */

const STEPS: ReadonlyArray<Step> = [{ key: "pause", type: "DELAY", seconds: 3600 }]
const SEED = Number(process.env["SEED"] ?? Math.floor(Math.random() * 1e9))

const isIn = ({ tags_any = [] }: SegmentFilter, { tags }: Facts) => tags_any.some((tag) => tags.includes(tag))

/** By how many contacts a page of the first look goes on. */
const lookOn = (limit: number) =>
  Effect.gen(function* () {
    return yield* (yield* TriggerStore).look(null, limit, isIn, yield* carry())
  })

const takeSome = (limit: number) =>
  Effect.gen(function* () {
    const taken = yield* (yield* TriggerStore).takeChanges(null, limit, isIn, yield* carry())
    return Option.isSome(taken) ? taken.value.count : 0
  })

/** Looks and takes until there is nothing left. */
const settle = Effect.gen(function* () {
  yield* (yield* TriggerStore).keepAllWatched
  while (Option.isSome(yield* lookOn(1000)));
  while ((yield* takeSome(1000)) > 0);
})

const tag = Effect.fnUntraced(function* (app: AppId, user: string, tags: ReadonlyArray<string>) {
  yield* (yield* ContactStore).upsert(app, [{ external_id: user, tags }])
})

/** Whoever has entered, as often as they did. */
const entries = Effect.fnUntraced(function* (app: AppId) {
  const sql = yield* SqlClient.SqlClient
  const rows = yield* sql<{ readonly user_id: string }>`
    SELECT user_id FROM executions WHERE app_id = ${app} ORDER BY user_id`
  return rows.map(({ user_id }) => user_id)
})

/** An application with people, made one after the other, and a segment of those with the tag `in`. */
const begun = Effect.fnUntraced(function* (people: Readonly<Record<string, ReadonlyArray<string>>>) {
  const app = yield* newApp
  for (const [user, tags] of Object.entries(people)) yield* tag(app, user, tags)
  const { id } = yield* (yield* SegmentStore).create(app, { name: "In", filter: { tags_any: ["in"] } })
  // Who was made within the millisecond may have come before or after.
  const madeAt = Date.now()
  while (Date.now() === madeAt);
  return { app, segmentId: id }
})

const watching = (app: AppId, segmentId: SegmentId) =>
  activated(app, STEPS, { trigger: { type: "segment_entered", segment_id: segmentId } })

const stores = Layer.mergeAll(ContactStores.layer, workflowStores).pipe(Layer.provideMerge(hotStores))

layer(stores, { timeout: 240_000, excludeTestServices: true })("the first look through a segment", (it) => {
  const people = { first: [], inside: ["in"], outside: [], leaving: ["in"] }

  it.effect("lets in who came after the trigger became active, and nobody else, if it comes before their changes", () =>
    Effect.gen(function* () {
      const { app, segmentId } = yield* begun(people)
      yield* watching(app, segmentId)
      yield* tag(app, "outside", ["in"])
      yield* tag(app, "inside", ["in", "more"])
      yield* tag(app, "leaving", [])
      yield* tag(app, "new", ["in"])
      yield* settle
      yield* tag(app, "leaving", ["in"])
      yield* settle
      expect(yield* entries(app)).toEqual(["leaving", "new", "outside"])
    })
  )

  it.effect("is one look for all workflows that wait for the segment, in whatever letters they write its id", () =>
    Effect.gen(function* () {
      const { app, segmentId } = yield* begun(people)
      yield* watching(app, segmentId)
      yield* watching(app, segmentId.toUpperCase() as SegmentId)
      yield* tag(app, "outside", ["in"])
      yield* settle
      expect(yield* entries(app)).toEqual(["outside", "outside"])
    })
  )

  it.effect("does so as well if their changes are looked at first", () =>
    Effect.gen(function* () {
      const { app, segmentId } = yield* begun(people)
      yield* watching(app, segmentId)
      yield* (yield* TriggerStore).keepAllWatched
      yield* lookOn(1)
      yield* tag(app, "first", ["in"])
      yield* tag(app, "outside", ["in"])
      yield* tag(app, "inside", ["in", "more"])
      yield* tag(app, "leaving", [])
      yield* tag(app, "new", ["in"])
      while ((yield* takeSome(1)) > 0);
      expect(yield* entries(app)).toEqual(["first", "new", "outside"])
      yield* tag(app, "leaving", ["in"])
      yield* tag(app, "inside", ["in"])
      while ((yield* takeSome(1)) > 0);
      yield* settle
      expect(yield* entries(app)).toEqual(["first", "leaving", "new", "outside"])
    })
  )

  it.effect("has one entry of who comes, leaves and comes again, if only the last of it is seen", () =>
    Effect.gen(function* () {
      const { app, segmentId } = yield* begun(people)
      yield* watching(app, segmentId)
      yield* (yield* TriggerStore).keepAllWatched
      yield* lookOn(1)
      yield* tag(app, "outside", ["in"])
      yield* tag(app, "outside", [])
      // The first change, which meets what the second has left.
      expect(yield* takeSome(1)).toBe(1)
      expect(yield* entries(app)).toEqual([])
      yield* tag(app, "outside", ["in"])
      yield* settle
      expect(yield* entries(app)).toEqual(["outside"])
    })
  )

  it.effect("goes by what people were like when this trigger became active, not another one before", () =>
    Effect.gen(function* () {
      const { app, segmentId } = yield* begun(people)
      const other = yield* (yield* SegmentStore).create(app, { name: "Other", filter: { tags_any: ["other"] } })
      const first = yield* watching(app, other.id)
      yield* tag(app, "outside", ["in"])
      yield* tag(app, "first", ["in"])
      yield* (yield* SqlClient.SqlClient)`SELECT pg_sleep(0.002)`
      yield* watching(app, segmentId)
      yield* tag(app, "first", ["in", "other"])
      yield* tag(app, "leaving", ["in", "other"])
      yield* settle
      const runs = yield* (yield* SqlClient.SqlClient)`
        SELECT user_id, workflow_id FROM executions WHERE app_id = ${app} ORDER BY user_id`
      expect(runs).toEqual([
        { user_id: "first", workflow_id: first.id },
        { user_id: "leaving", workflow_id: first.id }
      ])
    })
  )

  it.effect("begins again when conditions change, for whom the new ones fit from then on", () =>
    Effect.gen(function* () {
      const { app, segmentId } = yield* begun({ ...people, both: ["vip"] })
      yield* watching(app, segmentId)
      yield* settle
      yield* (yield* SegmentStore).update(app, segmentId, { filter: { tags_any: ["vip"] } })
      yield* tag(app, "inside", ["in", "vip"])
      yield* tag(app, "outside", ["vip"])
      yield* tag(app, "both", ["vip", "more"])
      while ((yield* takeSome(1)) > 0);
      yield* settle
      expect(yield* entries(app)).toEqual(["inside", "outside"])
    })
  )

  it.effect("forgets what people were like when they are erased", () =>
    Effect.gen(function* () {
      const { app, segmentId } = yield* begun(people)
      yield* watching(app, segmentId)
      yield* tag(app, "inside", ["in", "more"])
      yield* (yield* ContactStore).remove(app, { externalId: "inside" })
      const sql = yield* SqlClient.SqlClient
      expect(yield* sql`SELECT was FROM contact_changes WHERE app_id = ${app} AND was IS NOT NULL`).toEqual([])
      yield* settle
      expect(yield* entries(app)).toEqual([])
    })
  )

  it.effect(`agrees with who came, on two nodes that fail now and then (seed ${SEED})`, () =>
    Effect.gen(function* () {
      const chance = chanceOf(SEED)
      for (let round = 0; round < 6; round++) {
        const users = Array.from({ length: 12 }, (_, i) => `u${i}`)
        const was = new Map(users.map((user) => [user, chance.odds(0.5)]))
        const { app, segmentId } = yield* begun(
          Object.fromEntries([...was].map(([u, isIn]) => [u, isIn ? ["in"] : []]))
        )
        const workflow = yield* watching(app, segmentId)
        const now = new Map(was)
        const came = new Map(users.map((user) => [user, 0]))
        yield* (yield* TriggerStore).keepAllWatched
        const node = Effect.gen(function* () {
          for (let i = 0; i < 25; i++) {
            const limit = 1 + chance.below(3)
            const page = chance.odds(0.3) ? Effect.asVoid(lookOn(limit)) : Effect.asVoid(takeSome(limit))
            const sql = yield* SqlClient.SqlClient
            const dies = sql.withTransaction(Effect.andThen(page, Effect.fail("killed")))
            yield* chance.odds(0.2) ? Effect.ignore(dies) : page
          }
        })
        const changes = Effect.gen(function* () {
          for (let i = 0; i < 40; i++) {
            const user = chance.pick(users)
            const isIn = chance.odds(0.5)
            yield* tag(app, user, isIn ? ["in", String(i)] : [String(i)])
            if (isIn && !now.get(user)!) came.set(user, came.get(user)! + 1)
            now.set(user, isIn)
          }
        })
        yield* Effect.all([onOwnNode(node), onOwnNode(node), changes], { concurrency: "unbounded" })
        yield* settle
        const entered = yield* entries(app)
        for (const user of users) {
          const times = entered.filter((one) => one === user).length
          const said = `${user}: ${JSON.stringify({ was: was.get(user), now: now.get(user), came: came.get(user) })}`
          // Who comes and goes between two looks was not seen.
          expect(times, said).toBeLessThanOrEqual(came.get(user)!)
          expect(times, said).toBeGreaterThanOrEqual(!was.get(user)! && now.get(user)! ? 1 : 0)
        }
        yield* (yield* WorkflowStore).archive(app, workflow.id)
      }
    })
  )
})
