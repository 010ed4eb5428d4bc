import { Effect, Option, Schema } from "effect"
import type { SegmentFilter } from "../../../services/domain/audience/Segment.ts"
import type { AppId } from "../../../services/domain/Ids.ts"
import { SegmentId } from "../../../services/domain/Ids.ts"
import type { SegmentStore } from "../../../services/ports/audience/SegmentStore.ts"
import { invalid } from "../pipeline/ApiError.ts"

/** Which of its conditions a list takes from a segment. */
export const segmentQuery = {
  segment_id: Schema.optionalKey(
    SegmentId.annotate({ description: "Whom this segment holds now; beside other filters, whom all of them fit." })
  )
}

/** What a list by a segment says of its pages. */
export const PAGES_OF_SEGMENT =
  "With `segment_id` a page ends when 100,000 have been looked through, or a second has passed: it may hold fewer than `limit`, and even none, while `next_cursor` says that there are more. Only a `next_cursor` of null is the end."

/** The filter of the segment that a query names, as a part of a list's filter; nothing where it names none. */
export const filterOfSegment = (segments: SegmentStore["Service"]) =>
  Effect.fnUntraced(function* (appId: AppId, { segment_id }: { readonly segment_id?: SegmentId }) {
    const none: { readonly segment?: SegmentFilter } = {}
    if (segment_id === undefined) return none
    const found = yield* segments.find(appId, segment_id)
    if (Option.isSome(found)) return { segment: found.value.filter }
    return yield* Effect.fail(invalid([{ field: "segment_id", message: "is no segment of this application" }]))
  })
