import { Effect, Option, Schema } from "effect"
import type { DeadLetter } from "../../services/domain/DeadLetter.ts"
import { DeadLetterKind, isReplayable } from "../../services/domain/DeadLetter.ts"
import { DeadLetterId, HookId, NotificationId } from "../../services/domain/Ids.ts"
import { isoTime } from "../../services/domain/Time.ts"
import { DeadLetterStore } from "../../services/ports/DeadLetterStore.ts"
import { ApiError, notFound } from "./ApiError.ts"
import { ID, NOW } from "./Examples.ts"
import { listQuery, page, pageOf } from "./Page.ts"
import { route } from "./Route.ts"

const fields = {
  id: DeadLetterId,
  kind: DeadLetterKind,
  error: Schema.String.annotate({ description: "Why the last attempt failed." }),
  attempts: Schema.Int,
  can_replay: Schema.Boolean.annotate({
    description: "Notification sends can be replayed, webhook deliveries cannot."
  }),
  notification_id: Schema.NullOr(NotificationId),
  recipient_id: Schema.NullOr(Schema.String),
  webhook_id: Schema.NullOr(HookId),
  event_id: Schema.NullOr(Schema.String),
  created_at: Schema.String
}
const LetterView = Schema.Struct(fields).annotate({ identifier: "DeadLetter" })
const WholeView = Schema.Struct({
  ...fields,
  event: Schema.NullOr(Schema.Json).annotate({
    description: "Of a webhook: the body that was to be delivered, with its id, event, appId, timestamp and payload."
  })
}).annotate({ identifier: "DeadLetterWithContent" })

const show = (letter: DeadLetter): typeof LetterView.Type => ({
  id: letter.id,
  kind: letter.kind,
  error: letter.error,
  attempts: letter.attempts,
  can_replay: isReplayable(letter.kind),
  notification_id: letter.notificationId,
  recipient_id: letter.recipientId,
  webhook_id: letter.hookId,
  event_id: letter.eventId,
  created_at: isoTime(letter.at)
})

const example = {
  id: ID,
  kind: "webhook",
  error: "answered 500",
  attempts: 6,
  can_replay: false,
  notification_id: null,
  recipient_id: null,
  webhook_id: ID,
  event_id: ID,
  created_at: NOW
}
const event = {
  id: ID,
  event: "NOTIFICATION_SENT",
  appId: ID,
  timestamp: NOW,
  payload: { notificationId: ID, deviceId: ID, messageId: "8C1F3B52-5D2C-4E0B-9C7A-0B1E2F3A4D5C" }
}

/** Dead letters: what used up its attempts. */
export const deadLetterRoutes = Effect.gen(function* () {
  const letters = yield* DeadLetterStore
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
      query: Schema.Struct({
        ...listQuery,
        kind: Schema.optionalKey(DeadLetterKind),
        webhook_id: Schema.optionalKey(HookId)
      }),
      success: {
        status: 200,
        description: "A page of dead letters, newest first.",
        schema: pageOf(LetterView),
        example: { data: [example], next_cursor: null }
      },
      errors: ["validation_error"],
      handler: ({ caller, query }) =>
        page(
          "dead-letters",
          query,
          (before, limit) => letters.list(caller.appId, { kind: query.kind, hookId: query.webhook_id }, before, limit),
          show
        )
    }),
    route({
      method: "GET",
      path: "/api/v1/dead-letters/:id",
      access: "secret",
      tag: "Dead letters",
      summary: "Read a dead letter with its content",
      success: { status: 200, description: "The dead letter.", schema: WholeView, example: { ...example, event } },
      errors: ["not_found"],
      handler: Effect.fnUntraced(function* ({ caller, params }) {
        const letter = yield* find(caller.appId, params.id as DeadLetterId)
        const content = letter.body === null ? null : (JSON.parse(letter.body) as Schema.Json)
        return { ...show(letter), event: content }
      })
    }),
    route({
      method: "POST",
      path: "/api/v1/dead-letters/:id/replay",
      access: "secret",
      tag: "Dead letters",
      summary: "Send a dead letter again",
      description:
        "Only notification sends can be replayed. A webhook delivery is answered 409 `conflict`: its receiver has had all six attempts; what it missed stands in the dead letter.",
      success: {
        status: 202,
        description: "It is queued again.",
        schema: Schema.Struct({ id: DeadLetterId, notification_id: NotificationId }),
        example: { id: ID, notification_id: ID }
      },
      errors: ["not_found", "conflict"],
      handler: Effect.fnUntraced(function* ({ caller, params }) {
        const letter = yield* find(caller.appId, params.id as DeadLetterId)
        return yield* Effect.fail(
          new ApiError(
            "conflict",
            `A dead letter of a ${letter.kind} delivery cannot be replayed; only notification sends can.`
          )
        )
      })
    })
  ]
})
