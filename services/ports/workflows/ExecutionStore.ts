import type { Effect, Option } from "effect"
import { Context } from "effect"
import type {
  AppId,
  ContactId,
  ExecutionId,
  NotificationId,
  TemplateVersionId,
  WebhookId,
  WorkflowId,
  WorkflowVersionId,
  SegmentId
} from "../../domain/Ids.ts"
import type { SegmentFilter } from "../../domain/audience/Segment.ts"
import type { KeptRequest, Priority } from "../../domain/sending/Notification.ts"
import type { EventChunk } from "../../domain/webhooks/Event.ts"
import type { Facts } from "../../domain/workflows/Conditions.ts"
import type {
  CancelExecutions,
  CancelReason,
  Execution,
  ExecutionStatus,
  HistoryEntry,
  StepOutcome
} from "../../domain/workflows/Execution.ts"
import type { Answer, Question, Run, Settled } from "../../domain/workflows/Run.ts"
import type { Step } from "../../domain/workflows/Steps.ts"
import type { Settlement } from "../access/IdempotencyStore.ts"
import type { Page } from "../audience/DeviceStore.ts"
import type { Trace } from "../operations/Tracing.ts"
import type { StoreError } from "../StoreError.ts"

/** A run in the hands of whoever moves it. */
export interface OpenRun extends Run {
  readonly appId: AppId
  readonly workflowId: WorkflowId
  readonly versionId: WorkflowVersionId
  readonly contactId: ContactId
  /** Null: the person was erased. Of devices and engagement it says nothing: `Tools.reach` does. */
  readonly person: Facts | null
  /** Why it ends, where its workflow is archived or deleted. */
  readonly isClosed: CancelReason | null
  /** Of one that began because the person came into it. */
  readonly segmentId: SegmentId | null
  /** Its application has ended: no step begins any more. */
  readonly isDisabled: boolean
  readonly depth: number
  /** What its messages follow from. */
  readonly trace: Trace
  /** Of this FETCH, the fence that its answer has to bring. */
  readonly fence: number
  /** How much it is suspected of ending the processes that move it (domain/sending/Suspicion.ts). */
  readonly suspicion: number
  /** Of the JSON that it carries, data and answers, in characters. A run that is new has none of the latter. */
  readonly size?: number
}

/**
 * Characters of JSON that are read at once, at most, unless one run alone has more. Read, they take twenty times as much
 * memory where they are many small pieces.
 */
export const READ_AT_ONCE = 2_000_000

/** Of a run, what says which answer it waits for. */
export type AtFetch = Pick<OpenRun, "appId" | "id" | "fence">

export interface Asked {
  readonly run: OpenRun
  readonly question: Question
}

/** What moves may read, and do, in the transaction that writes them. */
export interface Tools {
  /** Answers in the order of the questions: a statement or two for each kind. */
  readonly ask: (asked: ReadonlyArray<Asked>) => Effect.Effect<ReadonlyArray<Answer>, StoreError>
  /** The conditions of segments of the application; those that are gone are left out. */
  readonly segments: (
    appId: AppId,
    ids: ReadonlyArray<SegmentId>
  ) => Effect.Effect<ReadonlyMap<SegmentId, SegmentFilter>, StoreError>
  /** Devices and engagement of these people. */
  readonly reach: (
    runs: ReadonlyArray<OpenRun>
  ) => Effect.Effect<ReadonlyMap<ContactId, Pick<Facts, "platforms" | "seenAt" | "engagedAt">>, StoreError>
}

export interface MovedRun {
  readonly run: OpenRun
  readonly settled: Settled
  /** The notifications of its SEND steps of this move, by key. */
  readonly sends: Readonly<Record<string, NotificationId>>
  /** The FETCH that it is at is begun with this move: until when (epoch ms) it is left to who does it. */
  readonly fetchUntil: number | null
  /** As of its run, with what it was answered now. */
  readonly size: number
}

/** A message to one or many people, left to the planner. */
export interface WorkflowMessage {
  readonly id: NotificationId
  readonly appId: AppId
  readonly request: KeptRequest
  readonly priority: Priority
  readonly ttlMs: number
  readonly trace: Trace
  readonly template: TemplateVersionId | null
}

/** All that a transaction writes. */
export interface Moves {
  readonly moved: ReadonlyArray<MovedRun>
  readonly messages: ReadonlyArray<WorkflowMessage>
  readonly events: ReadonlyArray<EventChunk>
  /** Of each version and step: how many runs came to it, and what became of them. */
  readonly counts: ReadonlyArray<StepSum>
  /** Steps that are over, by what became of them. */
  readonly steps: ReadonlyArray<{
    readonly type: Step["type"]
    readonly outcome: StepOutcome
    readonly count: number
  }>
}

export interface StepSum {
  readonly versionId: WorkflowVersionId
  readonly stepOrder: number
  readonly entered: number
  readonly passed: number
  readonly stopped: number
  readonly failed: number
}

/** Is told which application's turn it is as soon as that is known: what fails then is passed over, and others come. */
export type TurnOf = (appId: AppId) => void

/** Decides what runs do. It may be asked again for the same runs, where the transaction is repeated. */
export type Carry = (runs: ReadonlyArray<OpenRun>, tools: Tools) => Effect.Effect<Moves, StoreError>

/** What was written, for those who are to be woken. */
export interface Written {
  readonly moves: Moves
  readonly webhooks: ReadonlyArray<WebhookId>
}

/** Who enters: people by their ids, or contacts that a description fits (null: all). */
export type EntrantsOf = { readonly userIds: ReadonlyArray<string> } | { readonly filter: SegmentFilter | null }

/** What runs begin with, in the version that the workflow has as they enter. */
export interface Beginning {
  readonly appId: AppId
  readonly workflowId: WorkflowId
  readonly data: Readonly<Record<string, unknown>>
  /** Into which the people have come. */
  readonly segmentId?: SegmentId
  readonly trace?: Trace
}

/** People that are counted when an audience is left to enter, at most: it takes no longer for a million. */
export const COUNTED = 10_000

/** Longest that whoever begins a FETCH has for it, by the clock of the database: then another does it again. */
export const FETCH_LEASE_MS = 60_000

/** Requests of one application to one server in a second, at most. */
export const FETCHES_PER_SECOND = 25

/** An audience on its way in. */
export interface Entry {
  readonly id: string
  readonly appId: AppId
  readonly workflowId: WorkflowId
  readonly filter: SegmentFilter | null
  readonly data: Readonly<Record<string, unknown>>
  readonly trace?: Trace
}

/** What is said of runs that are cancelled. */
export type CancelEvents = (
  runs: ReadonlyArray<{ readonly id: ExecutionId; readonly workflowId: WorkflowId }>
) => ReadonlyArray<EventChunk>

export interface CancelledPage {
  readonly cancelled: ReadonlyArray<ExecutionId>
  readonly webhooks: ReadonlyArray<WebhookId>
}

/** Which executions a list is to have: those that meet every condition. */
export interface ExecutionFilter {
  readonly workflowId?: WorkflowId | undefined
  readonly status?: ExecutionStatus | undefined
  readonly userId?: string | undefined
}

/** What a look at all kinds of work has found. */
export interface Look {
  /** People who enter, events, changes of contacts, schedules, requests to cancel many, or runs to be moved alone. */
  readonly hasWork: boolean
  /** Runs that wait for a message or whose workflow is gone, or segments that workflows wait for. */
  readonly isUntidy: boolean
  /** When the first run that waits goes on (epoch ms). Infinity: none does. */
  readonly dueAt: number
}

/**
 * Runs of workflows. Whoever moves some holds their timers locked for one transaction that writes all that they do, so that
 * each step is in effect once: a process that dies leaves them as they were.
 */
export class ExecutionStore extends Context.Service<
  ExecutionStore,
  {
    /** What there is to do, of all kinds, by one statement: for those who have nothing to do, and ask all the time. */
    readonly look: Effect.Effect<Look, StoreError>
    /** Applications with runs that are waiting, each with the first moment (epoch ms) at which one goes on. */
    readonly due: Effect.Effect<ReadonlyArray<{ readonly appId: AppId; readonly at: number }>, StoreError>
    /**
     * Moves up to `limit` runs of the application that are due and that nobody else moves just now: fewer where they have
     * much data, and none that is to be moved alone.
     */
    readonly move: (appId: AppId, limit: number, carry: Carry) => Effect.Effect<Written, StoreError>
    /** Whether any run is due that is to be moved alone: a process has ended over it, or over some among which it was. */
    readonly hasSuspects: Effect.Effect<boolean, StoreError>
    /** Moves one of those. Whoever asks begins nothing else meanwhile: should the process end, this one is to blame. */
    readonly moveSuspect: (carry: Carry) => Effect.Effect<Written, StoreError>
    /** Moves runs whose FETCH was carried out, unless others have begun it since. */
    readonly resume: (runs: ReadonlyArray<AtFetch>, carry: Carry) => Effect.Effect<Written, StoreError>
    /**
     * Begins runs of these people, who become contacts where they are none, and moves them. Whoever may not enter is left
     * out. In the order of the ids. None: the workflow is not active, and nobody enters. `settle` makes the answer that is
     * kept under the client's idempotency key: it is committed with the runs, or neither is.
     */
    readonly enter: (
      beginning: Beginning,
      userIds: ReadonlyArray<string>,
      carry: Carry,
      settle?: ((moves: Moves) => Settlement) | null
    ) => Effect.Effect<Option.Option<Written>, StoreError>
    /**
     * Leaves an audience to whoever has the role, and says how many people it looks through, up to `COUNTED`: those who
     * are contacts now. None: the workflow is not active. `settle` makes the kept answer of that number, as of `enter`.
     */
    readonly leave: (
      entry: Entry,
      settle?: ((count: number) => Settlement) | null
    ) => Effect.Effect<Option.Option<number>, StoreError>
    /**
     * Takes the next page of an audience of the application that comes next in turn after `served`; `fits` says who of it
     * enters. None: no audience waits.
     */
    readonly enterPage: (
      served: AppId | null,
      limit: number,
      fits: (entry: Entry, person: Facts) => boolean,
      carry: Carry,
      turnOf?: TurnOf
    ) => Effect.Effect<Option.Option<Written & { readonly appId: AppId }>, StoreError>
    readonly find: (appId: AppId, id: ExecutionId) => Effect.Effect<Option.Option<Execution>, StoreError>
    /** What became of it so far, step by step. */
    readonly history: (appId: AppId, id: ExecutionId) => Effect.Effect<ReadonlyArray<HistoryEntry>, StoreError>
    /** Newest first. */
    readonly list: (
      appId: AppId,
      filter: ExecutionFilter,
      before: string | null,
      limit: number
    ) => Effect.Effect<Page<Execution>, StoreError>
    /** Cancels those of `ids` that are under way. */
    readonly cancel: (
      appId: AppId,
      ids: ReadonlyArray<ExecutionId>,
      reason: CancelReason,
      events: CancelEvents
    ) => Effect.Effect<CancelledPage, StoreError>
    /**
     * Cancels up to `limit` runs under way that meet the conditions, and leaves the rest to `cancelNext`: `isDone` says
     * that there is none. Their digests end with them. Of a workflow alone, audiences that are entering go no farther; of
     * a person, whatever their status, those let everybody else in.
     */
    readonly cancelMatching: (
      appId: AppId,
      request: CancelExecutions,
      limit: number,
      events: CancelEvents
    ) => Effect.Effect<CancelledPage & { readonly isDone: boolean }, StoreError>
    /** The next page of what is left of such a request, of the application that comes after `served`. None: nothing is. */
    readonly cancelNext: (
      served: AppId | null,
      limit: number,
      events: (appId: AppId) => CancelEvents
    ) => Effect.Effect<Option.Option<CancelledPage & { readonly appId: AppId }>, StoreError>
    /**
     * Up to `limit` runs under way of a workflow that was archived or deleted, the next of those after `served`. None: no
     * such workflow has any.
     */
    readonly closing: (
      served: WorkflowId | null,
      limit: number
    ) => Effect.Effect<
      Option.Option<{
        readonly workflowId: WorkflowId
        readonly appId: AppId
        readonly reason: CancelReason
        readonly ids: ReadonlyArray<ExecutionId>
      }>,
      StoreError
    >
    /**
     * Takes the next turn of an application at a server (host and port): at most `FETCHES_PER_SECOND`, of which the first
     * second's may come at once. Answers when it is (epoch ms), not before `at`.
     */
    readonly takeTurn: (appId: AppId, host: string, at: number) => Effect.Effect<number, StoreError>
    /** Leaves a server alone until then (epoch ms): turns begin anew, and those that were taken are none any more. */
    readonly holdTurns: (appId: AppId, host: string, until: number) => Effect.Effect<void, StoreError>
    /** Whether a server is left alone at a moment (epoch ms): who has a turn has to take another one. */
    readonly isHeld: (appId: AppId, host: string, at: number) => Effect.Effect<boolean, StoreError>
    /** Devices and engagement of somebody who is a contact, outside of a move. */
    readonly reachOf: (
      person: Pick<OpenRun, "appId" | "contactId" | "userId">
    ) => Effect.Effect<Pick<Facts, "platforms" | "seenAt" | "engagedAt">, StoreError>
    /** Wakes runs whose notification has ended. */
    readonly wakeEnded: (limit: number) => Effect.Effect<number, StoreError>
  }
>()("heliograph/ports/ExecutionStore") {}
