import { Effect, Option, Schema } from "effect"
import type { AppId } from "../../../services/domain/Ids.ts"
import { SegmentId } from "../../../services/domain/Ids.ts"
import type { Segment } from "../../../services/domain/audience/Segment.ts"
import { CountSegment, CreateSegment, SegmentFilter, UpdateSegment } from "../../../services/domain/audience/Segment.ts"
import { isoTime } from "../../../services/domain/Time.ts"
import type { KeptAudience } from "../../../services/domain/sending/Notification.ts"
import { AudienceStore } from "../../../services/ports/audience/AudienceStore.ts"
import { SegmentStore } from "../../../services/ports/audience/SegmentStore.ts"
import { notFound } from "../pipeline/ApiError.ts"
import { ID, NOW } from "../docs/Examples.ts"
import { listQuery, page, pageOf } from "../pipeline/Page.ts"
import { route } from "../pipeline/Route.ts"

const SegmentView = Schema.Struct({
  id: SegmentId,
  name: Schema.String,
  filter: SegmentFilter,
  created_at: Schema.String,
  updated_at: Schema.String
}).annotate({ identifier: "Segment" })

const show = ({ createdAt, filter, id, name, updatedAt }: Segment): typeof SegmentView.Type => ({
  id,
  name,
  filter,
  created_at: isoTime(createdAt),
  updated_at: isoTime(updatedAt)
})

const draft = {
  name: "Customers that went quiet",
  filter: {
    tags_any: ["news"],
    attributes: [{ name: "plan", op: "equals", value: "pro" }],
    last_seen: { not_within_days: 30 },
    engagement: [{ type: "opened", within_days: 90, not: true }]
  }
}
const example = { id: ID, ...draft, created_at: NOW, updated_at: NOW }

/** How long a count may take before it is an estimate. */
const TIMEOUT_MS = 3000

const CountView = Schema.Struct({
  recipients: Schema.Int,
  devices: Schema.Int,
  emails: Schema.Int.annotate({ description: "E-mail channels; they are reached by content with a part for e-mail." }),
  is_exact: Schema.Boolean.annotate({
    description: `False: counting, or the wait for other counts, took longer than ${TIMEOUT_MS / 1000} s, and this is what the database expects.`
  })
}).annotate({ identifier: "SegmentCount" })

const countExample = { recipients: 1200, devices: 1000, emails: 200, is_exact: true }

const countOf = (audiences: AudienceStore["Service"]) => (appId: AppId, audience: KeptAudience) =>
  Effect.map(audiences.count(appId, audience, ["push", "email"], TIMEOUT_MS), ({ isExact, recipients }) => {
    const devices = recipients.apns + recipients.fcm + recipients.webpush
    return { recipients: devices + recipients.smtp, devices, emails: recipients.smtp, is_exact: isExact }
  })

/** Segments: audiences, kept under a name by what describes them. */
export const segmentRoutes = Effect.gen(function* () {
  const segments = yield* SegmentStore
  const count = countOf(yield* AudienceStore)

  return [
    route({
      method: "POST",
      path: "/api/v1/segments",
      access: "secret",
      tag: "Segments",
      summary: "Create a segment",
      description:
        "A segment holds whom all of its conditions fit, at the time when it is read: notifications to `{\"segment_id\": …}` keep the conditions as they are when accepted, and read who is in them when they are planned. `tags_*` and `timezones` are a device's own, and for e-mail the contact's; `attributes` and `locales` (`de` holds `de-AT`) are the contact's, whose devices are those with its `external_id` as `user_id`; `last_seen` is when a device last registered; `engagement` is what a device, or an e-mail channel, did; `platforms` leaves out e-mail. `not_equals` and `not_exists` fit contacts without the attribute as well.",
      body: { schema: CreateSegment, name: "CreateSegment", example: draft },
      success: {
        status: 201,
        description: "The segment is there.",
        schema: SegmentView,
        example,
        location: ({ id }) => `/api/v1/segments/${id}`
      },
      handler: ({ body, caller }) => Effect.map(segments.create(caller.appId, body), show)
    }),
    route({
      method: "POST",
      path: "/api/v1/segments/count",
      access: "secret",
      canWait: true,
      tag: "Segments",
      summary: "Count whom conditions fit now",
      description: "As the count of a segment that has them, which needs not be there. Nothing is changed.",
      body: { schema: CountSegment, name: "CountSegment", example: { filter: draft.filter } },
      success: {
        status: 200,
        description: "How many recipients a notification to such a segment would have.",
        schema: CountView,
        example: countExample
      },
      handler: ({ body, caller }) => count(caller.appId, { filter: body.filter })
    }),
    route({
      method: "GET",
      path: "/api/v1/segments",
      access: "secret",
      tag: "Segments",
      summary: "List segments",
      query: Schema.Struct(listQuery),
      success: {
        status: 200,
        description: "A page of segments, oldest first.",
        schema: pageOf(SegmentView),
        example: { data: [example], next_cursor: null }
      },
      errors: ["validation_error"],
      handler: ({ caller, query }) =>
        page("segments", query, (after, limit) => segments.list(caller.appId, after, limit), show)
    }),
    route({
      method: "GET",
      path: "/api/v1/segments/:id",
      access: "secret",
      tag: "Segments",
      summary: "Read a segment",
      success: { status: 200, description: "The segment.", schema: SegmentView, example },
      errors: ["not_found"],
      handler: Effect.fnUntraced(function* ({ caller, params }) {
        const found = yield* segments.find(caller.appId, params.id as SegmentId)
        return Option.isSome(found) ? show(found.value) : yield* Effect.fail(notFound("segment"))
      })
    }),
    route({
      method: "GET",
      path: "/api/v1/segments/:id/count",
      access: "secret",
      tag: "Segments",
      summary: "Count who is in a segment now",
      success: {
        status: 200,
        description: "How many recipients a notification to it would have.",
        schema: CountView,
        example: countExample
      },
      errors: ["not_found"],
      handler: Effect.fnUntraced(function* ({ caller, params }) {
        const found = yield* segments.find(caller.appId, params.id as SegmentId)
        if (Option.isNone(found)) return yield* Effect.fail(notFound("segment"))
        const { id, filter } = found.value
        return yield* count(caller.appId, { segment_id: id, filter })
      })
    }),
    route({
      method: "PATCH",
      path: "/api/v1/segments/:id",
      access: "secret",
      tag: "Segments",
      summary: "Change a segment",
      description: "A filter replaces the one before, whole. Notifications that were accepted before keep theirs.",
      body: { schema: UpdateSegment, name: "UpdateSegment", example: { name: "Quiet customers" } },
      success: { status: 200, description: "The segment as it is now.", schema: SegmentView, example },
      errors: ["not_found"],
      handler: Effect.fnUntraced(function* ({ body, caller, params }) {
        const updated = yield* segments.update(caller.appId, params.id as SegmentId, body)
        return Option.isSome(updated) ? show(updated.value) : yield* Effect.fail(notFound("segment"))
      })
    }),
    route({
      method: "DELETE",
      path: "/api/v1/segments/:id",
      access: "secret",
      tag: "Segments",
      summary: "Remove a segment",
      success: {
        status: 200,
        description: "The segment is gone; nobody who was in it is.",
        schema: Schema.Struct({ deleted: Schema.Literal(true) }),
        example: { deleted: true }
      },
      errors: ["not_found"],
      handler: Effect.fnUntraced(function* ({ caller, params }) {
        const isGone = yield* segments.remove(caller.appId, params.id as SegmentId)
        return isGone ? { deleted: true as const } : yield* Effect.fail(notFound("segment"))
      })
    })
  ]
})
