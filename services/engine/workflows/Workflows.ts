import { Context, Effect, Layer, Option, Schema } from "effect"
import { uuidv7 } from "../../ports/NewId.ts"
import { now } from "../../ports/Now.ts"
import { JobQueue } from "../../ports/operations/JobQueue.ts"
import { Metrics } from "../../ports/operations/Metrics.ts"
import { SegmentStore } from "../../ports/audience/SegmentStore.ts"
import type { Settlement } from "../../ports/access/IdempotencyStore.ts"
import type { Trace } from "../../ports/operations/Tracing.ts"
import type { StoreError } from "../../ports/StoreError.ts"
import { EngineSettings } from "../../ports/EngineSettings.ts"
import type { TemplatesBusy } from "../../ports/messages/TemplateEngine.ts"
import type { AppId, CustomEventId, ExecutionId, WorkflowId, WorkflowVersionId } from "../../domain/Ids.ts"
import type { SegmentFilter } from "../../domain/audience/Segment.ts"
import type { CancelExecutions } from "../../domain/workflows/Execution.ts"
import { nextCron } from "../../domain/workflows/Cron.ts"
import type { Fault } from "../../domain/workflows/Program.ts"
import type {
  CreateWorkflow,
  Definition,
  Entrants,
  RaiseEvent,
  TriggerWorkflow,
  UpdateWorkflow,
  Workflow
} from "../../domain/workflows/Workflow.ts"
import { ExecutionStore } from "../../ports/workflows/ExecutionStore.ts"
import type { Moves } from "../../ports/workflows/ExecutionStore.ts"
import { toldOf } from "../../ports/workflows/Told.ts"
import { TriggerStore } from "../../ports/workflows/TriggerStore.ts"
import type { TooManyTriggered } from "../../ports/workflows/WorkflowStore.ts"
import { MOST_TRIGGERED, WorkflowStore } from "../../ports/workflows/WorkflowStore.ts"
import { makeTurns } from "../operations/ChangesInTurn.ts"
import { makeWakeUps } from "../operations/WakeUps.ts"
import { carrying } from "./Carrying.ts"
import { cancelEvents } from "./RunEvents.ts"
import type { WorkflowInvalid } from "./Drafting.ts"
import { makeDrafting } from "./Drafting.ts"
import { Programs } from "./Programs.ts"
import { tell, tellCancelled } from "./Telling.ts"

/** What is asked for does not fit the state of the workflow. */
export class WorkflowConflict extends Schema.TaggedError<WorkflowConflict>()("WorkflowConflict", {
  message: Schema.String
}) {}

/** An audience names what is not there. */
export class NoSuchAudience extends Schema.TaggedError<NoSuchAudience>()("NoSuchAudience", {
  field: Schema.String,
  message: Schema.String
}) {}

/** Runs that are cancelled in one transaction. */
export const CANCELS = 1000

export interface Saved {
  readonly workflow: Workflow
  /** What its author may have overlooked. */
  readonly warnings: ReadonlyArray<Fault>
}

export interface Triggered {
  /** Runs that began; of a described audience, contacts that are looked through. */
  readonly executions: number
  /** The run's, when there is one. */
  readonly executionId: ExecutionId | null
}

/** Workflows: defined, switched on, triggered and ended. */
export class Workflows extends Context.Service<
  Workflows,
  {
    readonly create: (
      appId: AppId,
      draft: CreateWorkflow
    ) => Effect.Effect<Saved, WorkflowInvalid | TemplatesBusy | StoreError>
    /** None: there is no such workflow. */
    readonly update: (
      appId: AppId,
      id: WorkflowId,
      change: UpdateWorkflow
    ) => Effect.Effect<Option.Option<Saved>, WorkflowInvalid | WorkflowConflict | TemplatesBusy | StoreError>
    readonly activate: (
      appId: AppId,
      id: WorkflowId
    ) => Effect.Effect<Option.Option<Saved>, WorkflowInvalid | WorkflowConflict | TemplatesBusy | StoreError>
    readonly archive: (appId: AppId, id: WorkflowId) => Effect.Effect<Option.Option<Workflow>, StoreError>
    readonly remove: (appId: AppId, id: WorkflowId) => Effect.Effect<boolean, StoreError>
    readonly trigger: (
      appId: AppId,
      id: WorkflowId,
      request: TriggerWorkflow,
      /** Makes the answer that is kept under the client's idempotency key: it is committed with the runs. */
      settle?: ((triggered: Triggered) => Settlement) | null,
      /** What its messages follow from. */
      trace?: Trace
    ) => Effect.Effect<Option.Option<Triggered>, WorkflowConflict | NoSuchAudience | StoreError>
    /** Keeps an event of the application's own, and answers its id: what follows from it, follows soon. */
    readonly raise: (
      appId: AppId,
      event: RaiseEvent,
      settle?: ((id: CustomEventId) => Settlement) | null,
      trace?: Trace
    ) => Effect.Effect<CustomEventId, StoreError>
    /** Those of the executions that were under way. */
    readonly cancel: (
      appId: AppId,
      ids: ReadonlyArray<ExecutionId>
    ) => Effect.Effect<ReadonlyArray<ExecutionId>, StoreError>
    /** Cancels what the request describes: how many at once, and whether others follow in the background. */
    readonly cancelMatching: (
      appId: AppId,
      request: CancelExecutions
    ) => Effect.Effect<{ readonly cancelled: number; readonly isDone: boolean }, StoreError>
  }
>()("heliograph/engine/Workflows") {
  static readonly layer = Layer.effect(
    Workflows,
    Effect.suspend(() => make)
  )
}

export const nextOf = ({ trigger }: Pick<Definition, "trigger">, after: number): number | null =>
  trigger.type === "schedule" ? nextCron(trigger.cron, trigger.timezone, after) : null

const make = Effect.gen(function* () {
  const store = yield* WorkflowStore
  const executions = yield* ExecutionStore
  const triggers = yield* TriggerStore
  const segments = yield* SegmentStore
  const programs = yield* Programs
  const settings = yield* EngineSettings
  const draft = yield* makeDrafting
  const wakeUp = yield* makeWakeUps(yield* JobQueue)
  const metrics = yield* Metrics
  const carry = carrying(programs, settings, false)
  const inTurn = makeTurns()

  const create = Effect.fnUntraced(function* (appId: AppId, { reentry = "always", ...rest }: CreateWorkflow) {
    const drafted = yield* draft(appId, { ...rest, reentry }, {})
    return { workflow: yield* store.create(appId, drafted.draft), warnings: drafted.warnings }
  })

  /** What the masks of a version stand for. */
  const headersOf = (id: WorkflowVersionId) =>
    Effect.map(store.version(id), (version) => (Option.isSome(version) ? version.value.headers : {}))

  const archived = new WorkflowConflict({ message: "The workflow is archived: it stays as it is." })

  const orTooMany = <A, E, R>(work: Effect.Effect<A, E | TooManyTriggered, R>) =>
    Effect.catchTag(work as Effect.Effect<A, TooManyTriggered, R>, "TooManyTriggered", ({ by }) =>
      Effect.fail(
        new WorkflowConflict({
          message: `There are ${MOST_TRIGGERED} active workflows that begin by ${by}, as many as there may be. Archive one, or let one do the work of several, with BRANCH.`
        })
      )
    ) as Effect.Effect<A, E | WorkflowConflict, R>

  const changeOne = Effect.fnUntraced(function* (
    appId: AppId,
    id: WorkflowId,
    { version: basis, ...change }: UpdateWorkflow
  ) {
    // Begun again where another process came first, until the request's time is over.
    for (;;) {
      const found = yield* store.find(appId, id)
      if (Option.isNone(found)) return Option.none()
      const { definition, status, version, versionId } = found.value
      if (status === "archived") return yield* archived
      if (basis !== undefined && basis !== version) {
        return yield* new WorkflowConflict({
          message: `The workflow has version ${version} by now: this is a change of version ${basis}.`
        })
      }
      const changed: Definition = { ...definition, ...change }
      const { draft: next, warnings } = yield* draft(appId, changed, yield* headersOf(versionId))
      const updated = yield* store.update(appId, id, version, next, nextOf(changed, now()))
      if (Option.isSome(updated)) return Option.some({ workflow: updated.value, warnings })
    }
  })
  const update: Workflows["Service"]["update"] = (appId, id, change) =>
    inTurn(id, orTooMany(changeOne(appId, id, change)))

  const activateOne = Effect.fnUntraced(function* (appId: AppId, id: WorkflowId) {
    for (;;) {
      const found = yield* store.find(appId, id)
      if (Option.isNone(found)) return Option.none()
      const { definition, status, version, versionId } = found.value
      if (status === "archived") return yield* archived
      // What it names may have gone since it was written.
      const { warnings } = yield* draft(appId, definition, yield* headersOf(versionId))
      if (status === "active") return Option.some({ workflow: found.value, warnings })
      const activated = yield* store.activate(appId, id, version, nextOf(definition, now()))
      if (Option.isSome(activated)) return Option.some({ workflow: activated.value, warnings })
    }
  })
  const activate: Workflows["Service"]["activate"] = (appId, id) => inTurn(id, orTooMany(activateOne(appId, id)))

  const filterOf = Effect.fnUntraced(function* (
    appId: AppId,
    to: Entrants
  ): Effect.fn.Return<SegmentFilter | null, NoSuchAudience | StoreError> {
    if (to.segment_id !== undefined) {
      const segment = yield* segments.find(appId, to.segment_id)
      if (Option.isSome(segment)) return segment.value.filter
      return yield* new NoSuchAudience({ field: "to.segment_id", message: "is no segment of this application" })
    }
    if (to.all === true) return null
    return {
      ...(to.tags_any === undefined ? {} : { tags_any: to.tags_any }),
      ...(to.tags_all === undefined ? {} : { tags_all: to.tags_all })
    }
  })

  const closed = new WorkflowConflict({ message: "The workflow is archived: nobody enters it any more." })

  /** What is answered when so many have entered. */
  const triggered = ({ moved }: Moves): Triggered => ({
    executions: moved.length,
    executionId: moved.length === 1 ? moved[0]!.run.id : null
  })

  const trigger: Workflows["Service"]["trigger"] = Effect.fnUntraced(function* (
    appId,
    id,
    { data = {}, to },
    settle = null,
    trace = null
  ) {
    const found = yield* store.find(appId, id)
    if (Option.isNone(found)) return Option.none()
    if (found.value.status === "draft") {
      return yield* new WorkflowConflict({ message: "The workflow is a draft: activate it first." })
    }
    if (to.user_ids !== undefined) {
      const entered = yield* executions.enter(
        { appId, workflowId: id, data, trace },
        to.user_ids,
        carry,
        settle === null ? null : (moves) => settle(triggered(moves))
      )
      if (Option.isNone(entered)) return yield* closed
      const written = entered.value
      tell(wakeUp, metrics, toldOf(written))
      const { moved } = written.moves
      if (moved.some(({ settled }) => settled.status === "running"))
        wakeUp({ type: "FlowV1", id: appId, priority: "bulk" })
      return Option.some(triggered(written.moves))
    }
    const filter = yield* filterOf(appId, to)
    const count = yield* executions.leave(
      { id: uuidv7(), appId, workflowId: id, filter, data, trace },
      settle === null ? null : (count) => settle({ executions: count, executionId: null })
    )
    if (Option.isNone(count)) return yield* closed
    wakeUp({ type: "FlowV1", id: appId, priority: "bulk" })
    return Option.some({ executions: count.value, executionId: null })
  })

  const cancel = Effect.fnUntraced(function* (appId: AppId, ids: ReadonlyArray<ExecutionId>) {
    const { cancelled, webhooks } = yield* executions.cancel(appId, ids, "operator", (runs) =>
      cancelEvents(appId, runs, "operator", now())
    )
    tellCancelled(wakeUp, metrics, { cancelled, webhooks })
    return cancelled
  })

  const cancelMatching = Effect.fnUntraced(function* (appId: AppId, request: CancelExecutions) {
    const { cancelled, isDone, webhooks } = yield* executions.cancelMatching(appId, request, CANCELS, (runs) =>
      cancelEvents(appId, runs, "operator", now())
    )
    tellCancelled(wakeUp, metrics, { cancelled, webhooks })
    if (!isDone) wakeUp({ type: "FlowV1", id: appId, priority: "bulk" })
    return { cancelled: cancelled.length, isDone }
  })

  const raise: Workflows["Service"]["raise"] = Effect.fnUntraced(function* (
    appId,
    { data = {}, event, user_id },
    settle = null,
    trace = null
  ) {
    const kept = settle === null ? null : (id: string) => settle(id as CustomEventId)
    const id = yield* triggers.raise(appId, { event, userId: user_id, data, trace }, kept)
    wakeUp({ type: "FlowV1", id: appId, priority: "bulk" })
    return id as CustomEventId
  })

  return Workflows.of({
    raise,
    create,
    update,
    activate,
    archive: store.archive,
    remove: store.remove,
    trigger,
    cancel,
    cancelMatching
  })
})
