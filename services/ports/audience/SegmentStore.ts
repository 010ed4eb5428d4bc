import type { Effect, Option } from "effect"
import { Context } from "effect"
import type { AppId, SegmentId } from "../../domain/Ids.ts"
import type { CreateSegment, Segment, UpdateSegment } from "../../domain/audience/Segment.ts"
import type { Page } from "./DeviceStore.ts"
import type { StoreError } from "../StoreError.ts"

/** Saved audiences. Only their conditions are kept: who is in one is seen when it is read. */
export class SegmentStore extends Context.Service<
  SegmentStore,
  {
    readonly create: (appId: AppId, segment: CreateSegment) => Effect.Effect<Segment, StoreError>
    readonly find: (appId: AppId, id: SegmentId) => Effect.Effect<Option.Option<Segment>, StoreError>
    /** In the order of ids, newest last. A page of large ones has fewer than `limit`. */
    readonly list: (appId: AppId, after: string | null, limit: number) => Effect.Effect<Page<Segment>, StoreError>
    readonly update: (
      appId: AppId,
      id: SegmentId,
      change: UpdateSegment
    ) => Effect.Effect<Option.Option<Segment>, StoreError>
    readonly remove: (appId: AppId, id: SegmentId) => Effect.Effect<boolean, StoreError>
  }
>()("heliograph/ports/SegmentStore") {}
