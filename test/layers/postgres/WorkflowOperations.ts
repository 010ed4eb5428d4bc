import type { Context } from "effect"
import { Effect, Option } from "effect"
import { SqlClient } from "effect/sql"
import { randomBytes } from "node:crypto"
import type { AppId, ExecutionId, WorkflowId } from "../../../services/domain/Ids.ts"
import { ALONE } from "../../../services/domain/sending/Suspicion.ts"
import type { Conditions } from "../../../services/domain/workflows/Conditions.ts"
import { judge } from "../../../services/domain/workflows/Conditions.ts"
import type { Step } from "../../../services/domain/workflows/Steps.ts"
import type { Trigger } from "../../../services/domain/workflows/Workflow.ts"
import { ContactStore } from "../../../services/ports/audience/ContactStore.ts"
import { SegmentStore } from "../../../services/ports/audience/SegmentStore.ts"
import { uuidv7 } from "../../../services/ports/NewId.ts"
import { now } from "../../../services/ports/Now.ts"
import type { ExecutionFilter } from "../../../services/ports/workflows/ExecutionStore.ts"
import { ExecutionStore } from "../../../services/ports/workflows/ExecutionStore.ts"
import type { Judge } from "../../../services/ports/workflows/TriggerStore.ts"
import { TriggerStore } from "../../../services/ports/workflows/TriggerStore.ts"
import { WorkflowStore } from "../../../services/ports/workflows/WorkflowStore.ts"
import { activated, carry, draftOf, entered } from "./workflows/Runs.ts"

/* The operations of workflows' stores, as those of Operations.ts. */

export const WORKFLOW_PORTS = { ExecutionStore, TriggerStore, WorkflowStore } as const

type Needs =
  | Context.Service.Identifier<(typeof WORKFLOW_PORTS)[keyof typeof WORKFLOW_PORTS]>
  | ContactStore
  | SegmentStore
  | SqlClient.SqlClient
type Call = Effect.Effect<unknown, unknown, Needs>

const PAGE = 10
const HOUR_S = 3600
const MISSING = "00000000-0000-7000-8000-000000000000"
const unique = (): string => randomBytes(8).toString("hex")

const PEOPLE: Conditions = {
  any: [{ platforms: ["ios"] }, { engagement: [{ type: "opened", within_days: 1 }] }, { tags_none: ["nobody's"] }]
}

/** Each kind of step that asks PostgreSQL something. */
const STEPS: ReadonlyArray<Step> = [
  { key: "some", type: "FILTER", conditions: PEOPLE },
  { key: "cap", type: "THROTTLE", at_most: 100, per_seconds: HOUR_S },
  { key: "mark", type: "UPDATE_CONTACT", tags_add: ["marked"], attributes: { plan: "pro" } },
  { key: "hello", type: "SEND", content: { title: "Hello" }, wait_for_outcome: true },
  { key: "seen", type: "FILTER", conditions: { steps: [{ key: "hello", is: "clicked", not: true }] } },
  { key: "sum", type: "DIGEST", seconds: HOUR_S, at_most: 3 },
  { key: "bought", type: "WAIT_FOR", event: "bought", seconds: HOUR_S },
  { key: "ask", type: "FETCH", url: "https://example.com/" },
  { key: "pause", type: "DELAY", seconds: HOUR_S }
]

const isIn: Judge = (filter, person) => judge(filter, { person, data: {}, messages: () => new Set(), now: now() }).fits

const NO_EVENTS = () => []

/** Ends the runs of all workflows that are gone, a page of each at a time. */
const endAllClosing = (store: ExecutionStore["Service"]) =>
  Effect.gen(function* () {
    while (true) {
      const found = yield* store.closing(null, PAGE)
      if (Option.isNone(found)) return
      yield* store.cancel(found.value.appId, found.value.ids, found.value.reason, NO_EVENTS)
    }
  })

export const workflowOperationsOf = (app: AppId): Readonly<Record<string, Effect.Effect<Call, unknown, Needs>>> => {
  const draft = (trigger: Trigger = { type: "api" }, steps = STEPS) =>
    draftOf({ name: "One", trigger, reentry: "always", steps })
  const workflow = activated(app, STEPS)
  const people = (count: number) => Array.from({ length: count }, unique)
  /** Runs that wait for the end of their message. */
  const runs = Effect.gen(function* () {
    const made = yield* workflow
    return (yield* entered(made, people(3))).map(({ run }) => run)
  })
  /** Makes all of them due, as if their time had come, and none of those that other operations have left. */
  const due = Effect.fnUntraced(function* (ids: ReadonlyArray<ExecutionId>) {
    const sql = yield* SqlClient.SqlClient
    yield* sql`UPDATE execution_timers SET due_at = now() + interval '100 d'
      WHERE app_id = ${app} AND due_at < now() + interval '1 h'`
    yield* sql`UPDATE execution_timers SET due_at = now() - interval '100 d'
      WHERE app_id = ${app} AND execution_id = ANY(${ids}::uuid[])`
  })
  /** A workflow of its own is closed, and none else. */
  const closed = (end: (store: WorkflowStore["Service"], id: WorkflowId) => Effect.Effect<unknown, unknown, never>) =>
    Effect.gen(function* () {
      const made = yield* workflow
      yield* entered(made, people(2))
      yield* end(yield* WorkflowStore, made.id)
    })
  const segment = Effect.flatMap(SegmentStore, (store) =>
    Effect.map(store.create(app, { name: unique(), filter: { tags_any: ["marked"] } }), ({ id }) => id)
  )

  const after = <A, Id, S>(
    needed: Effect.Effect<A, unknown, Needs>,
    port: Context.Service<Id, S>,
    call: (store: S, needed: A) => Effect.Effect<unknown, unknown, Needs>
  ) =>
    Effect.map(needed, (needed) => Effect.flatMap(port, (store) => call(store, needed))) as Effect.Effect<
      Call,
      unknown,
      Needs
    >
  const plain = <Id, S>(port: Context.Service<Id, S>, call: (store: S) => Effect.Effect<unknown, unknown, Needs>) =>
    after(Effect.void, port, call)
  const listed = (filter: ExecutionFilter, before: string | null = null) =>
    plain(ExecutionStore, (store) => store.list(app, filter, before, PAGE))
  const listedOf = (filter: ExecutionFilter) =>
    after(runs, ExecutionStore, (store, [run]) =>
      store.list(app, { ...filter, workflowId: run!.workflowId }, null, PAGE)
    )

  return {
    "WorkflowStore.create": plain(WorkflowStore, (store) => store.create(app, draft())),
    "WorkflowStore.find": after(workflow, WorkflowStore, (store, { id }) => store.find(app, id)),
    "WorkflowStore.list": plain(WorkflowStore, (store) => store.list(app, null, null, PAGE)),
    "WorkflowStore.list, later": plain(WorkflowStore, (store) => store.list(app, null, uuidv7(), PAGE)),
    "WorkflowStore.list, of a status": plain(WorkflowStore, (store) => store.list(app, "active", null, PAGE)),
    "WorkflowStore.update": after(workflow, WorkflowStore, (store, { id, version }) =>
      store.update(app, id, version, draft(), null)
    ),
    "WorkflowStore.activate": after(
      Effect.flatMap(WorkflowStore, (store) => store.create(app, draft())),
      WorkflowStore,
      (store, { id, version }) => store.activate(app, id, version, null)
    ),
    "WorkflowStore.archive": after(workflow, WorkflowStore, (store, { id }) => store.archive(app, id)),
    "WorkflowStore.remove": after(workflow, WorkflowStore, (store, { id }) => store.remove(app, id)),
    "WorkflowStore.versions": after(workflow, WorkflowStore, (store, { id }) => store.versions(app, id, null, PAGE)),
    "WorkflowStore.versions, later": after(workflow, WorkflowStore, (store, { id }) =>
      store.versions(app, id, uuidv7(), PAGE)
    ),
    "WorkflowStore.pastVersion": after(workflow, WorkflowStore, (store, { id }) => store.pastVersion(app, id, 1)),
    "WorkflowStore.version": after(workflow, WorkflowStore, (store, { versionId }) => store.version(versionId)),
    "WorkflowStore.counts": after(workflow, WorkflowStore, (store, { versionId }) => store.counts(versionId)),

    "ExecutionStore.enter": after(workflow, ExecutionStore, (_, made) => entered(made, people(3))),
    "ExecutionStore.enter, once": after(activated(app, STEPS, { reentry: "once" }), ExecutionStore, (_, made) =>
      entered(made, people(3))
    ),
    "ExecutionStore.due": plain(ExecutionStore, (store) => store.due),
    "ExecutionStore.move": after(
      Effect.gen(function* () {
        const made = yield* runs
        yield* due(made.map(({ id }) => id))
        const sql = yield* SqlClient.SqlClient
        // Their message has ended: they come as far as their digest.
        yield* sql`UPDATE notifications SET status = 'completed', completed_at = now()
          WHERE id IN (SELECT notification_id FROM execution_outcomes WHERE execution_id = ANY(${made.map(({ id }) => id)}::uuid[]))`
      }),
      ExecutionStore,
      (store) => Effect.flatMap(carry(), (carry) => store.move(app, PAGE, carry))
    ),
    "ExecutionStore.look": plain(ExecutionStore, (store) => store.look),
    "ExecutionStore.hasSuspects": plain(ExecutionStore, (store) => store.hasSuspects),
    "ExecutionStore.moveSuspect": after(
      Effect.gen(function* () {
        const [run] = yield* runs
        yield* due([run!.id])
        const sql = yield* SqlClient.SqlClient
        yield* sql`UPDATE execution_timers SET suspicion = ${ALONE} WHERE app_id = ${app} AND execution_id = ${run!.id}`
      }),
      ExecutionStore,
      (store) => Effect.flatMap(carry(), store.moveSuspect)
    ),
    "ExecutionStore.move, to an event": after(
      Effect.gen(function* () {
        const made = yield* activated(app, STEPS.slice(5, 7))
        const moved = yield* entered(made, people(3))
        const sql = yield* SqlClient.SqlClient
        yield* sql`UPDATE digests SET closes_at = now() - interval '1 d'
          WHERE execution_id = ANY(${moved.map(({ run }) => run.id)}::uuid[])`
        yield* due(moved.map(({ run }) => run.id))
      }),
      ExecutionStore,
      (store) => Effect.flatMap(carry(), (carry) => store.move(app, PAGE, carry))
    ),
    "ExecutionStore.resume": after(
      Effect.gen(function* () {
        const made = yield* activated(app, STEPS.slice(7))
        return (yield* entered(made, people(2))).map(({ run }) => run)
      }),
      ExecutionStore,
      (store, begun) => {
        const answer = { _tag: "Answer" as const, status: 200, body: null }
        const answers = new Map(begun.map(({ id }) => [id as string, answer]))
        return Effect.flatMap(carry(answers), (carry) =>
          store.resume(
            begun.map((run) => ({ ...run, fence: run.fence + 1 })),
            carry
          )
        )
      }
    ),
    "ExecutionStore.enterPage": after(
      Effect.gen(function* () {
        const made = yield* workflow
        const sql = yield* SqlClient.SqlClient
        const people = [unique(), unique()]
        yield* sql`INSERT INTO workflow_entries (id, app_id, workflow_id, audience, until_id)
          VALUES (${uuidv7()}, ${app}, ${made.id}, ${JSON.stringify({ user_ids: people })}::json, ${MISSING})`
      }),
      ExecutionStore,
      (store) =>
        Effect.gen(function* () {
          // Its own; and the one that is next in turn, of an application that is gone.
          for (const served of [null, app]) yield* store.enterPage(served, PAGE, () => true, yield* carry())
        })
    ),
    "ExecutionStore.enterPage, of a description": after(
      Effect.gen(function* () {
        const made = yield* workflow
        const sql = yield* SqlClient.SqlClient
        yield* sql`INSERT INTO workflow_entries (id, app_id, workflow_id, audience, until_id)
          VALUES (${uuidv7()}, ${app}, ${made.id}, '{"filter":null}', ${uuidv7()})`
        return made
      }),
      ExecutionStore,
      (store, made) =>
        Effect.gen(function* () {
          const fits = () => true
          yield* store.enterPage(null, 2, fits, yield* carry())
          // Nobody enters any more: it is removed.
          yield* (yield* WorkflowStore).archive(app, made.id)
          yield* store.enterPage(null, 2, fits, yield* carry())
        })
    ),
    "ExecutionStore.leave": after(workflow, ExecutionStore, (store, { id }) =>
      Effect.gen(function* () {
        const entry = uuidv7()
        yield* store.leave({ id: entry, appId: app, workflowId: id, filter: null, data: {} })
        yield* (yield* SqlClient.SqlClient)`DELETE FROM workflow_entries WHERE id = ${entry}`
      })
    ),
    "ExecutionStore.find, history": after(runs, ExecutionStore, (store, [run]) =>
      Effect.andThen(store.find(app, run!.id), store.history(app, run!.id))
    ),
    "ExecutionStore.list": listed({}),
    "ExecutionStore.list, later": listed({}, uuidv7()),
    "ExecutionStore.list, waiting": listed({ status: "waiting" }),
    "ExecutionStore.list, running": listed({ status: "running" }),
    "ExecutionStore.list, completed": listed({ status: "completed" }),
    "ExecutionStore.list, failed": listed({ status: "failed" }),
    "ExecutionStore.list, of a person": after(runs, ExecutionStore, (store, [run]) =>
      store.list(app, { userId: run!.userId }, null, PAGE)
    ),
    "ExecutionStore.list, of a person, waiting": after(runs, ExecutionStore, (store, [run]) =>
      store.list(app, { userId: run!.userId, status: "waiting" }, null, PAGE)
    ),
    "ExecutionStore.list, of a workflow": listedOf({}),
    "ExecutionStore.list, of a workflow, waiting": listedOf({ status: "waiting" }),
    "ExecutionStore.list, of a workflow, running": listedOf({ status: "running" }),
    "ExecutionStore.list, of a workflow, failed": listedOf({ status: "failed" }),
    "ExecutionStore.list, of a workflow, completed": listedOf({ status: "completed" }),
    "ExecutionStore.cancel": after(runs, ExecutionStore, (store, made) =>
      store.cancel(
        app,
        made.map(({ id }) => id),
        "operator",
        NO_EVENTS
      )
    ),
    "ExecutionStore.cancelMatching, cancelNext": after(runs, ExecutionStore, (store, [run]) =>
      Effect.gen(function* () {
        const { userId, workflowId } = run!
        yield* store.cancelMatching(
          app,
          { workflow_id: workflowId, user_id: userId, status: "waiting" },
          PAGE,
          NO_EVENTS
        )
        yield* store.cancelMatching(app, { user_id: userId }, PAGE, NO_EVENTS)
        yield* store.cancelMatching(app, { workflow_id: workflowId }, 1, NO_EVENTS)
        yield* store.cancelMatching(app, { status: "running" }, PAGE, NO_EVENTS)
        yield* store.cancelNext(null, PAGE, () => NO_EVENTS)
        yield* (yield* SqlClient.SqlClient)`DELETE FROM execution_cancels WHERE app_id = ${app}`
      })
    ),
    "ExecutionStore.closing": after(
      // What other operations have left is ended before: it is not what this one costs.
      Effect.andThen(
        Effect.flatMap(ExecutionStore, endAllClosing),
        closed((store, id) => store.remove(app, id))
      ),
      ExecutionStore,
      endAllClosing
    ),
    "ExecutionStore.takeTurn, holdTurns, isHeld": plain(ExecutionStore, (store) =>
      Effect.gen(function* () {
        const host = unique()
        yield* store.takeTurn(app, host, now())
        yield* store.takeTurn(app, host, now())
        yield* store.holdTurns(app, host, now())
        yield* store.isHeld(app, host, now())
      })
    ),
    "ExecutionStore.reachOf": after(runs, ExecutionStore, (store, [run]) => store.reachOf(run!)),
    "ExecutionStore.wakeEnded": after(runs, ExecutionStore, (store) => store.wakeEnded(PAGE)),

    "TriggerStore.raise": plain(TriggerStore, (store) =>
      store.raise(app, { event: unique(), userId: unique(), data: {} })
    ),
    "TriggerStore.takeEvents": after(
      Effect.gen(function* () {
        const event = unique()
        yield* activated(app, STEPS, { trigger: { type: "event", event } })
        yield* (yield* TriggerStore).raise(app, { event, userId: unique(), data: {} })
      }),
      TriggerStore,
      (store) => Effect.flatMap(carry(), (carry) => store.takeEvents(null, PAGE, carry))
    ),
    "TriggerStore.takeChanges": after(
      Effect.gen(function* () {
        const tag = unique()
        const made = yield* activated(app, STEPS, { trigger: { type: "tag_added", tag } })
        yield* (yield* ContactStore).upsert(app, [{ external_id: unique(), tags: [tag] }])
        return made.id
      }),
      TriggerStore,
      (store, id) =>
        Effect.gen(function* () {
          const carried = yield* carry()
          const take = store.takeChanges(null, PAGE, isIn, carried)
          // Until it comes to those of others.
          for (let taken = yield* take; Option.isSome(taken) && taken.value.appId === app && taken.value.count > 0;) {
            taken = yield* take
          }
          yield* (yield* WorkflowStore).archive(app, id)
        })
    ),
    "TriggerStore.takeChanges, before the first look": after(
      Effect.gen(function* () {
        const trigger: Trigger = { type: "segment_entered", segment_id: yield* segment }
        const contacts = yield* ContactStore
        const externalId = unique()
        yield* contacts.upsert(app, [{ external_id: externalId }])
        const made = yield* activated(app, STEPS, { trigger })
        yield* contacts.upsert(app, [{ external_id: externalId, tags: [unique()] }])
        return made.id
      }),
      TriggerStore,
      (store, id) =>
        Effect.gen(function* () {
          const take = store.takeChanges(null, PAGE, isIn, yield* carry())
          for (let taken = yield* take; Option.isSome(taken) && taken.value.appId === app && taken.value.count > 0;) {
            taken = yield* take
          }
          yield* (yield* WorkflowStore).archive(app, id)
        })
    ),
    "TriggerStore.keepAllWatched": plain(TriggerStore, (store) => store.keepAllWatched),
    "TriggerStore.look": after(
      Effect.gen(function* () {
        const trigger: Trigger = { type: "segment_entered", segment_id: yield* segment }
        const made = yield* activated(app, STEPS, { trigger })
        yield* (yield* TriggerStore).keepAllWatched
        return made
      }),
      TriggerStore,
      (store, { id }) =>
        Effect.gen(function* () {
          yield* store.look(null, PAGE, isIn, yield* carry())
          yield* (yield* WorkflowStore).archive(app, id)
        })
    ),
    "TriggerStore.takeScheduled, nextScheduled": after(
      Effect.gen(function* () {
        const to = { segment_id: yield* segment }
        const trigger: Trigger = { type: "schedule", cron: "0 9 * * *", timezone: "UTC", to }
        const store = yield* WorkflowStore
        const { id, version } = yield* store.create(app, draft(trigger))
        yield* store.activate(app, id, version, now() - 1000)
        return id
      }),
      TriggerStore,
      (store, id) =>
        Effect.gen(function* () {
          yield* store.nextScheduled
          yield* store.takeScheduled(now(), () => null)
          yield* (yield* SqlClient.SqlClient)`DELETE FROM workflow_entries WHERE workflow_id = ${id}`
        })
    ),
    "TriggerStore.takeChanges, of none": plain(TriggerStore, (store) =>
      Effect.flatMap(carry(), (carry) => store.takeChanges(MISSING as AppId, PAGE, isIn, carry))
    )
  }
}
