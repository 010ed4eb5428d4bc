import type { Effect, Option } from "effect"
import { Context, Schema } from "effect"
import type { AppId, TemplateVersionId, WorkflowId, WorkflowVersionId } from "../../domain/Ids.ts"
import type { Content } from "../../domain/sending/Notification.ts"
import type { TemplateBody } from "../../domain/messages/Template.ts"
import type { FetchHeaders } from "../../domain/workflows/FetchHeaders.ts"
import type {
  Definition,
  PastVersion,
  WholeVersion,
  Workflow,
  WorkflowStatus
} from "../../domain/workflows/Workflow.ts"
import type { Page } from "../audience/DeviceStore.ts"
import type { StoreError } from "../StoreError.ts"

/**
 * Active workflows that one event leads into, and active ones that begin by a tag, and by a segment. What lets people into
 * them is taken in one transaction, and holds a lock for each.
 */
export const MOST_TRIGGERED = 1_000

/** So many begin by the same already that no other may. */
export class TooManyTriggered extends Schema.TaggedError<TooManyTriggered>()("TooManyTriggered", {
  /** What they begin by, in words. */
  by: Schema.String
}) {}

/** What of a step is filled for its runs: a template that is kept for the version alone, or a version of one that is named. */
export interface StepTemplate {
  readonly version: TemplateVersionId
  /** The parts of a content that it fills. */
  readonly parts: ReadonlyArray<keyof Content>
  /** Whether it asks for what the run carries. */
  readonly asksRun: boolean
}

/** By the key of their step. */
export type StepTemplates = Readonly<Record<string, StepTemplate>>

/** A version as runs need it. */
export interface WorkflowVersion {
  readonly id: WorkflowVersionId
  readonly appId: AppId
  readonly workflowId: WorkflowId
  readonly version: number
  readonly definition: Omit<Definition, "name">
  readonly templates: StepTemplates
  /** Secret: what the masks of the definition stand for. */
  readonly headers: FetchHeaders
}

export interface WorkflowDraft {
  /** With masks for the values of headers. */
  readonly definition: Definition
  readonly headers: FetchHeaders
  readonly templates: StepTemplates
  /** Of those that are kept for the version alone, what they say. */
  readonly bodies: ReadonlyArray<{ readonly id: TemplateVersionId; readonly body: TemplateBody }>
}

/** How many runs came to a step, and what became of them. */
export interface StepCounts {
  readonly stepOrder: number
  readonly entered: number
  readonly passed: number
  readonly stopped: number
  readonly failed: number
}

/** Workflows and their versions, of which none ever changes. What it writes is in the audit log. */
export class WorkflowStore extends Context.Service<
  WorkflowStore,
  {
    readonly create: (appId: AppId, draft: WorkflowDraft) => Effect.Effect<Workflow, StoreError>
    readonly find: (appId: AppId, id: WorkflowId) => Effect.Effect<Option.Option<Workflow>, StoreError>
    /** Newest first. A page of large ones has fewer than `limit`. */
    readonly list: (
      appId: AppId,
      status: WorkflowStatus | null,
      before: string | null,
      limit: number
    ) => Effect.Effect<Page<Workflow>, StoreError>
    /**
     * The next version, unless the workflow has another than `version` by now, or is archived: none. `nextAt` (epoch ms):
     * of an active one with a schedule.
     */
    readonly update: (
      appId: AppId,
      id: WorkflowId,
      version: number,
      draft: WorkflowDraft,
      nextAt: number | null
    ) => Effect.Effect<Option.Option<Workflow>, TooManyTriggered | StoreError>
    /** From a draft. None: there is no such draft of that version. */
    readonly activate: (
      appId: AppId,
      id: WorkflowId,
      version: number,
      nextAt: number | null
    ) => Effect.Effect<Option.Option<Workflow>, TooManyTriggered | StoreError>
    /** Ends it: nobody enters any more, and its runs are cancelled. None: there is no such workflow. */
    readonly archive: (appId: AppId, id: WorkflowId) => Effect.Effect<Option.Option<Workflow>, StoreError>
    /** The same, and nobody is shown it any more. False: there is no such workflow. */
    readonly remove: (appId: AppId, id: WorkflowId) => Effect.Effect<boolean, StoreError>
    /** Of a workflow, newest first; none where there is no such workflow. */
    readonly versions: (
      appId: AppId,
      id: WorkflowId,
      before: string | null,
      limit: number
    ) => Effect.Effect<Page<PastVersion>, StoreError>
    /** One of them, by its number, or (null) the latest. None: there is no such workflow or version. */
    readonly pastVersion: (
      appId: AppId,
      id: WorkflowId,
      version: number | null
    ) => Effect.Effect<Option.Option<WholeVersion>, StoreError>
    /** None: it is gone. */
    readonly version: (id: WorkflowVersionId) => Effect.Effect<Option.Option<WorkflowVersion>, StoreError>
    /** Of a version, in the order of steps; those that nobody entered are left out. */
    readonly counts: (id: WorkflowVersionId) => Effect.Effect<ReadonlyArray<StepCounts>, StoreError>
  }
>()("heliograph/ports/WorkflowStore") {}
