import { Effect, Option, Schema } from "effect"
import { ProviderKind } from "../../../services/domain/sending/Credential.ts"
import type { DeadLetter } from "../../../services/domain/sending/DeadLetter.ts"
import {
  DeadLetterKind,
  DeadLetterFilter,
  ReplayRefusal,
  ReplayStatus,
  replayObstacle
} from "../../../services/domain/sending/DeadLetter.ts"
import type { Replay } from "../../../services/domain/sending/DeadLetter.ts"
import { DeadLetterId, WebhookId, NotificationId, ReplayId, TemplateId } from "../../../services/domain/Ids.ts"
import { uuidv7 } from "../../../services/ports/NewId.ts"
import { Content } from "../../../services/domain/sending/Notification.ts"
import { Variables } from "../../../services/domain/messages/Template.ts"
import { inOrder, isoTime } from "../../../services/domain/Time.ts"
import { makeWakeUps } from "../../../services/engine/operations/WakeUps.ts"
import { laneId } from "../../../services/engine/sending/Lane.ts"
import { DeadLetterStore } from "../../../services/ports/sending/DeadLetterStore.ts"
import { JobQueue } from "../../../services/ports/operations/JobQueue.ts"
import { ReplayStore } from "../../../services/ports/sending/ReplayStore.ts"
import { ApiError, invalid, notFound, tooManyRunning } from "../pipeline/ApiError.ts"
import { ID, NOW } from "../docs/Examples.ts"
import { listQuery, page, pageOf } from "../pipeline/Page.ts"
import { route } from "../pipeline/Route.ts"

const fields = {
  id: DeadLetterId,
  kind: DeadLetterKind,
  error: Schema.String.annotate({ description: "Why the last attempt failed." }),
  attempts: Schema.Int,
  can_replay: Schema.Boolean,
  cannot_replay_because: Schema.NullOr(
    Schema.Literals(["webhook", "replayed", ...ReplayRefusal.literals]).annotate({
      description:
        "`webhook`: deliveries to webhooks are never replayed. `replayed`: it went again, at `replayed_at`. `recipient_gone`: the provider has said that the token or address is dead, or the device or channel has been deleted. `content_refused`: the content is too large or empty, at every attempt."
    })
  ),
  notification_id: Schema.NullOr(NotificationId),
  recipient_id: Schema.NullOr(Schema.String).annotate({ description: "The device, or the channel." }),
  provider: Schema.NullOr(ProviderKind),
  webhook_id: Schema.NullOr(WebhookId),
  event_id: Schema.NullOr(Schema.String),
  created_at: Schema.String,
  replayed_at: Schema.NullOr(Schema.String)
}
export const DeadLetterView = Schema.Struct(fields).annotate({ identifier: "DeadLetter" })
const WholeView = Schema.Struct({
  ...fields,
  event: Schema.NullOr(Schema.Json).annotate({
    description: "Of a webhook: the body that was to be delivered, with its id, event, appId, timestamp and payload."
  }),
  content: Schema.NullOr(Content).annotate({
    description:
      "Of a notification send: what was to be sent; null when its template was filled for each recipient, or when the notification is past its retention."
  }),
  template_id: Schema.NullOr(TemplateId).annotate({ description: "Of a notification send with a template." }),
  variables: Schema.NullOr(Variables)
}).annotate({ identifier: "DeadLetterWithContent" })

const show = (letter: DeadLetter): typeof DeadLetterView.Type => ({
  id: letter.id,
  kind: letter.kind,
  error: letter.error,
  attempts: letter.attempts,
  can_replay: replayObstacle(letter) === null,
  cannot_replay_because: replayObstacle(letter),
  notification_id: letter.notificationId,
  recipient_id: letter.recipientId,
  provider: letter.provider,
  webhook_id: letter.webhookId,
  event_id: letter.eventId,
  created_at: isoTime(letter.at),
  replayed_at: letter.replayedAt === null ? null : isoTime(letter.replayedAt)
})

const example = {
  id: ID,
  kind: "notification",
  error: "expired: timeout",
  attempts: 9,
  can_replay: true,
  cannot_replay_because: null,
  notification_id: ID,
  recipient_id: ID,
  provider: "apns",
  webhook_id: null,
  event_id: null,
  created_at: NOW,
  replayed_at: null
}

const ReplayView = Schema.Struct({
  id: ReplayId,
  status: ReplayStatus,
  filter: DeadLetterFilter,
  replayed: Schema.Int.annotate({ description: "Recipients that are pending again." }),
  skipped: Schema.Int.annotate({
    description:
      "Letters that the filter describes and that could not go again: their notification is cancelled or gone, their recipient has been deleted, or their batch was still on its way."
  }),
  created_at: Schema.String,
  completed_at: Schema.NullOr(Schema.String)
}).annotate({ identifier: "Replay" })

const showReplay = (replay: Replay): typeof ReplayView.Type => ({
  id: replay.id,
  status: replay.status,
  filter: replay.filter,
  replayed: replay.replayed,
  skipped: replay.skipped,
  created_at: isoTime(replay.createdAt),
  completed_at: replay.completedAt === null ? null : isoTime(replay.completedAt)
})

const replayExample = {
  id: ID,
  status: "completed",
  filter: { notification_id: ID, error: "credential_missing" },
  replayed: 9_987,
  skipped: 0,
  created_at: NOW,
  completed_at: NOW
}

const WHY_NOT = {
  webhook: "A dead letter of a webhook delivery cannot be replayed; only notification sends can.",
  replayed: "It was replayed already. What fails again is a dead letter of its own.",
  recipient_gone:
    "The recipient has been deleted, or the provider has said that its token or address is dead: sending again cannot reach it.",
  content_refused: "The content is too large or empty for this provider, at every attempt."
} as const

const NOT_NOW =
  "It cannot go again: its notification is cancelled or gone, or the batch in which it failed is still on its way."

const conflict = (message: string) => Effect.fail(new ApiError("conflict", message))

/** Dead letters: what finally failed, and what of it goes again. */
export const deadLetterRoutes = Effect.gen(function* () {
  const letters = yield* DeadLetterStore
  const replays = yield* ReplayStore
  const wakeUp = yield* makeWakeUps(yield* JobQueue)
  const find = Effect.fnUntraced(function* (...[appId, id]: Parameters<typeof letters.find>) {
    const letter = yield* letters.find(appId, id)
    return Option.isSome(letter) ? letter.value : yield* Effect.fail(notFound("dead letter"))
  })

  return [
    route({
      method: "GET",
      path: "/api/v1/dead-letters",
      access: "secret",
      tag: "Dead letters",
      summary: "List dead letters",
      description:
        "What finally failed: a letter for each recipient of a notification that ended as `failed`, and for each event that a webhook did not take in six attempts. They are kept for the retention time.",
      query: Schema.Struct({ ...listQuery, ...DeadLetterFilter.fields }).check(inOrder("from", "to")),
      success: {
        status: 200,
        description: "A page of dead letters, newest first.",
        schema: pageOf(DeadLetterView),
        example: { data: [example], next_cursor: null }
      },
      errors: ["validation_error"],
      handler: ({ caller, query }) =>
        page("dead-letters", query, (before, limit) => letters.list(caller.appId, query, before, limit), show)
    }),
    route({
      method: "GET",
      path: "/api/v1/dead-letters/:id",
      access: "secret",
      tag: "Dead letters",
      summary: "Read a dead letter with its content",
      success: {
        status: 200,
        description: "The dead letter.",
        schema: WholeView,
        example: {
          ...example,
          event: null,
          content: { title: "Hello", body: "The first light of the day" },
          template_id: null,
          variables: null
        }
      },
      errors: ["not_found"],
      handler: Effect.fnUntraced(function* ({ caller, params }) {
        const letter = yield* find(caller.appId, params.id as DeadLetterId)
        const event = letter.body === null ? null : (JSON.parse(letter.body) as Schema.Json)
        const { content, templateId, variables } = letter
        return { ...show(letter), event, content, template_id: templateId, variables }
      })
    }),
    route({
      method: "POST",
      path: "/api/v1/dead-letters/:id/replay",
      access: "secret",
      tag: "Dead letters",
      summary: "Send a dead letter again",
      description:
        "The recipient is `pending` again in the same notification, with a new time to live and all attempts before it; `failed` becomes one less. This happens once for each letter: a second replay is answered 409 `conflict`, so that 202 always means one more send; use an Idempotency-Key to repeat a request safely. 409 too for what `can_replay` says no to (a webhook's receiver has had all six attempts), for notifications that are cancelled or past their retention, and while the batch in which the recipient failed is still on its way.",
      success: {
        status: 202,
        description: "The recipient is pending again.",
        schema: Schema.Struct({ id: DeadLetterId, notification_id: NotificationId }),
        example: { id: ID, notification_id: ID },
        location: ({ notification_id }) => `/api/v1/notifications/${notification_id}`
      },
      errors: ["not_found", "conflict"],
      handler: Effect.fnUntraced(function* ({ caller, params }) {
        const id = params.id as DeadLetterId
        const obstacle = replayObstacle(yield* find(caller.appId, id))
        if (obstacle !== null) return yield* conflict(WHY_NOT[obstacle])
        const lane = yield* replays.one(caller.appId, id)
        const after = yield* find(caller.appId, id)
        const found = replayObstacle(after)
        if (Option.isNone(lane)) return yield* conflict(found === null ? NOT_NOW : WHY_NOT[found])
        wakeUp({ type: "SendV1", id: laneId(lane.value), priority: lane.value.priority })
        return { id, notification_id: after.notificationId! }
      })
    }),
    route({
      method: "POST",
      path: "/api/v1/dead-letters/replay",
      access: "secret",
      tag: "Dead letters",
      summary: "Send many dead letters again",
      description:
        'Replays, in the background, every replayable letter that is there now and that the filter describes; each goes once, whatever else replays it meanwhile. Name at least one condition; `{"kind": "notification"}` means all. Deliveries to webhooks are never replayed: a filter that asks for them is answered 409 `conflict`. Applications take turns; 20 replays of one run at once, and one more is answered 429 `rate_limited`.',
      body: {
        schema: DeadLetterFilter,
        name: "ReplayDeadLetters",
        example: { notification_id: ID, error: "credential_missing" }
      },
      success: {
        status: 202,
        description: "It has begun. Follow it at Location.",
        schema: ReplayView,
        example: { ...replayExample, status: "running", replayed: 0, completed_at: null },
        location: ({ id }) => `/api/v1/dead-letters/replays/${id}`
      },
      errors: ["validation_error", "conflict"],
      handler: Effect.fnUntraced(function* ({ body, caller }) {
        if (Object.keys(body).length === 0) {
          return yield* Effect.fail(invalid([{ field: "body", message: "must name at least one condition" }]))
        }
        if (body.kind === "webhook" || body.webhook_id !== undefined) return yield* conflict(WHY_NOT.webhook)
        const started = replays.start(caller.appId, uuidv7() as ReplayId, body)
        return showReplay(
          yield* Effect.catchTag(started, "TooManyRunning", () => Effect.fail(tooManyRunning("replays")))
        )
      })
    }),
    route({
      method: "GET",
      path: "/api/v1/dead-letters/replays",
      access: "secret",
      tag: "Dead letters",
      summary: "List replays",
      query: Schema.Struct(listQuery),
      success: {
        status: 200,
        description: "A page of replays of many letters, newest first.",
        schema: pageOf(ReplayView),
        example: { data: [replayExample], next_cursor: null }
      },
      errors: ["validation_error"],
      handler: ({ caller, query }) =>
        page("replays", query, (before, limit) => replays.list(caller.appId, before, limit), showReplay)
    }),
    route({
      method: "GET",
      path: "/api/v1/dead-letters/replays/:id",
      access: "secret",
      tag: "Dead letters",
      summary: "Follow a replay",
      success: { status: 200, description: "The replay as it is now.", schema: ReplayView, example: replayExample },
      errors: ["not_found"],
      handler: Effect.fnUntraced(function* ({ caller, params }) {
        const replay = yield* replays.find(caller.appId, params.id as ReplayId)
        return Option.isSome(replay) ? showReplay(replay.value) : yield* Effect.fail(notFound("replay"))
      })
    })
  ]
})
