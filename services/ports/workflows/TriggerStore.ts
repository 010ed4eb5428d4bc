import type { Effect, Option } from "effect"
import { Context } from "effect"
import type { AppId, ContactId, SegmentId, WorkflowId } from "../../domain/Ids.ts"
import type { SegmentFilter } from "../../domain/audience/Segment.ts"
import type { Facts } from "../../domain/workflows/Conditions.ts"
import type { Trigger } from "../../domain/workflows/Workflow.ts"
import type { Settlement } from "../access/IdempotencyStore.ts"
import type { Trace } from "../operations/Tracing.ts"
import type { StoreError } from "../StoreError.ts"
import type { Carry, TurnOf } from "./ExecutionStore.ts"
import type { Told } from "./Told.ts"

/** An active workflow, as far as its trigger goes. */
export interface Triggered {
  readonly workflowId: WorkflowId
  readonly trigger: Trigger
}

/** A segment that is looked through, and those of its page whom its conditions fit. */
export interface Looked {
  readonly segmentId: SegmentId
  readonly filter: SegmentFilter
  readonly people: ReadonlyArray<{ readonly id: ContactId; readonly person: Facts }>
}

export type Judge = (filter: SegmentFilter, person: Facts) => boolean

export interface Taken {
  readonly appId: AppId
  /** How much there was to take: nothing where others have it just now. */
  readonly count: number
  readonly written: ReadonlyArray<Told>
}

/**
 * What makes people enter workflows by itself: events, tags, segments, the time. Each is taken in the transaction that
 * begins the runs, so that none is taken twice and none is lost.
 */
export class TriggerStore extends Context.Service<
  TriggerStore,
  {
    /** Commits an event of an application's own with the answer that is kept for repetitions, and answers its id. */
    readonly raise: (
      appId: AppId,
      event: {
        readonly event: string
        readonly userId: string
        readonly data: Readonly<Record<string, unknown>>
        readonly trace?: Trace
      },
      settle?: ((id: string) => Settlement) | null
    ) => Effect.Effect<string, StoreError>
    /**
     * Takes up to `limit` events of the application that comes after `served`: fewer where they let many in, or bring much,
     * but one at least, with all that it lets in. None: there are none.
     */
    readonly takeEvents: (
      served: AppId | null,
      limit: number,
      carry: Carry,
      turnOf?: TurnOf
    ) => Effect.Effect<Option.Option<Taken>, StoreError>
    /** Takes up to `limit` changes of contacts of the application that comes after `served`, or fewer, as of events. */
    readonly takeChanges: (
      served: AppId | null,
      limit: number,
      judge: Judge,
      carry: Carry,
      turnOf?: TurnOf
    ) => Effect.Effect<Option.Option<Taken>, StoreError>
    /** Watches the segments of all applications that active workflows wait for, and no others. */
    readonly keepAllWatched: Effect.Effect<void, StoreError>
    /**
     * Looks at the next page of a segment that is to be looked through, of the application that comes after `served`. None:
     * there is no such segment.
     */
    readonly look: (
      served: AppId | null,
      limit: number,
      judge: Judge,
      carry: Carry,
      turnOf?: TurnOf
    ) => Effect.Effect<Option.Option<Taken>, StoreError>
    /** Leaves the audience of a workflow whose time has come to whoever lets it in. `next` answers its next time. */
    readonly takeScheduled: (
      now: number,
      next: (trigger: Trigger, after: number) => number | null
    ) => Effect.Effect<number, StoreError>
    /** When the next schedule is due (epoch ms). */
    readonly nextScheduled: Effect.Effect<number | null, StoreError>
  }
>()("heliograph/ports/TriggerStore") {}
