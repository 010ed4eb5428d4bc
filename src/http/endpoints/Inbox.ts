import { Effect, Option, Schema, Stream } from "effect"
import { HttpServerResponse } from "effect/http"
import { UserId } from "../../../services/domain/audience/Device.ts"
import { InboxMessageId } from "../../../services/domain/Ids.ts"
import type { InboxMessage, InboxNews } from "../../../services/domain/inbox/Inbox.ts"
import { PostInbox } from "../../../services/domain/inbox/Inbox.ts"
import { isoTime } from "../../../services/domain/Time.ts"
import { Auth } from "../../../services/engine/access/Auth.ts"
import type { TooManyReaders } from "../../../services/engine/inbox/InboxReaders.ts"
import type { InboxReader } from "../../../services/engine/inbox/InboxStreams.ts"
import { InboxStreams } from "../../../services/engine/inbox/InboxStreams.ts"
import { InboxStore } from "../../../services/ports/inbox/InboxStore.ts"
import { ApiError, notFound } from "../pipeline/ApiError.ts"
import { ID, NOW } from "../docs/Examples.ts"
import { listQuery, page, pageOf } from "../pipeline/Page.ts"
import type { Call } from "../pipeline/Route.ts"
import { route } from "../pipeline/Route.ts"
import { maxLength } from "../../../services/domain/Text.ts"

const MessageView = Schema.Struct({
  id: InboxMessageId,
  title: Schema.NullOr(Schema.String),
  body: Schema.NullOr(Schema.String),
  url: Schema.NullOr(Schema.String),
  data: Schema.Record(Schema.String, Schema.Json),
  created_at: Schema.String,
  read_at: Schema.NullOr(Schema.String).annotate({ description: "Null: unread." })
}).annotate({ identifier: "InboxMessage" })

const show = (message: InboxMessage): typeof MessageView.Type => ({
  id: message.id,
  title: message.title,
  body: message.body,
  url: message.url,
  data: message.data,
  created_at: isoTime(message.createdAt),
  read_at: message.readAt === null ? null : isoTime(message.readAt)
})

const content = {
  title: "Your order is on its way",
  body: "It arrives tomorrow.",
  url: "https://example.com/orders/42",
  data: { order: 42 }
}
const example = { id: ID, ...content, created_at: NOW, read_at: null }

const user = {
  user_id: UserId.annotate({ description: "Whose inbox: your own id of the person." })
}
const UserQuery = Schema.Struct(user)

const WHOSE =
  "`user_id` names the person. When the application verifies identities, a request with a public key must carry `X-Identity-Hash`, the hexadecimal HMAC-SHA256 of the user id, keyed with the application's identity secret."

const EVENTS = { "content-type": "text/event-stream", "x-accel-buffering": "no" }

const FULL: Readonly<Record<TooManyReaders["of"], string>> = {
  process: "This node takes no more live readers.",
  application: "As many inboxes of this application are followed already as may be.",
  user: "This user's inbox is followed as many times already as may be: close a stream before another is opened.",
  address: "As many inboxes are followed from this address already as may be."
}

const noRoom = ({ of }: TooManyReaders) =>
  new ApiError(
    of === "process" ? "unavailable" : "rate_limited",
    `${FULL[of]} Try again after Retry-After seconds.`,
    [],
    { "retry-after": "5" }
  )

/** Whether a check would still be passed. When it cannot be told, nothing changes. */
const isStill = <A, E extends { readonly _tag: string }>(check: Effect.Effect<A, E>): Effect.Effect<boolean> =>
  Effect.match(check, { onSuccess: () => true, onFailure: ({ _tag }) => _tag === "StoreError" })

/** The id stands at the last event alone: whoever was cut off before it begins again where all of them began. */
const frameOf = ({ isCut, messages, position, unread }: InboxNews): string => {
  const event = (name: string, data: unknown, id = "") => `event: ${name}\n${id}data: ${JSON.stringify(data)}\n\n`
  return [
    ...(isCut ? [event("reset", {})] : []),
    ...messages.map((message) => event("message", show(message))),
    event("unread_count", { unread_count: unread }, `id: ${position}\n`)
  ].join("")
}

/** How soon a reader connects again. Before an event: of a block without one, some readers make an event that is empty. */
const RETRY = "retry: 2000\n"

/** The chunks of one stream. */
const framing = () => {
  let isFirst = true
  return (news: InboxNews | "beat" | "end"): string => {
    if (news === "end" || news === "beat") return `: ${news}\n\n`
    const frame = isFirst ? RETRY + frameOf(news) : frameOf(news)
    isFirst = false
    return frame
  }
}

/** Taken as the socket drains: a slow reader holds no more than one chunk. */
const eventsOf = (open: Effect.Effect<InboxReader, TooManyReaders>) => {
  const chunkOf = framing()
  return Stream.unwrap(
    Effect.acquireRelease(open, ({ close }) => Effect.sync(close)).pipe(
      Effect.map(({ next }) =>
        Stream.paginate(undefined, () =>
          Effect.map(next, (news) => [
            [chunkOf(news)],
            news === "end" ? Option.none<undefined>() : Option.some(undefined)
          ])
        )
      ),
      // The last place was taken between the check and now.
      Effect.catch(() => Effect.succeed(Stream.make(chunkOf("end"))))
    )
  ).pipe(
    // Not a block of its own either; it tells whoever waits for an answer that there is one.
    (events) => Stream.concat(Stream.make(": open\n"), events),
    Stream.map((text) => Buffer.from(text))
  )
}

/** Inboxes: read by the people themselves with the public key, written to by servers. */
export const inboxRoutes = Effect.gen(function* () {
  const auth = yield* Auth
  const inbox = yield* InboxStore
  const streams = yield* InboxStreams

  /** Whoever asks for an inbox claims to be its user (spec 5.3). */
  const verify = ({ caller, query, request }: Call<string, "public", unknown, { readonly user_id: string }>) =>
    auth.verifyIdentity(caller, query.user_id, request.headers["x-identity-hash"])

  return [
    route({
      method: "GET",
      path: "/api/v1/public/inbox",
      access: "public",
      tag: "Inbox",
      summary: "List the messages of a user's inbox",
      description: WHOSE,
      query: Schema.Struct({ ...user, ...listQuery }),
      success: {
        status: 200,
        description: "A page of messages, newest first.",
        schema: pageOf(MessageView),
        example: { data: [example], next_cursor: null }
      },
      errors: ["identity_unverified", "validation_error"],
      handler: Effect.fnUntraced(function* (call) {
        yield* verify(call)
        const { caller, query } = call
        return yield* page(
          "inbox",
          query,
          (before, limit) => inbox.list(caller.appId, query.user_id, before, limit),
          show
        )
      })
    }),
    route({
      method: "GET",
      path: "/api/v1/public/inbox/unread_count",
      access: "public",
      tag: "Inbox",
      summary: "Count a user's unread messages",
      description: WHOSE,
      query: UserQuery,
      success: {
        status: 200,
        description: "The count.",
        schema: Schema.Struct({ unread_count: Schema.Int }),
        example: { unread_count: 3 }
      },
      errors: ["identity_unverified"],
      handler: Effect.fnUntraced(function* (call) {
        yield* verify(call)
        return { unread_count: yield* inbox.unread(call.caller.appId, call.query.user_id) }
      })
    }),
    route({
      method: "GET",
      path: "/api/v1/public/inbox/stream",
      access: "public",
      tag: "Inbox",
      summary: "Hear of a user's messages as they come",
      description: `Server-sent events, until you close the connection: \`message\` with a message as it is listed, \`unread_count\` with \`{"unread_count"}\` at the start and whenever it changes, \`reset\` when messages may have been missed and the list is to be read anew; a comment at least every 15 seconds. Read it with \`fetch\`: \`EventSource\` cannot send the headers. When it ends, connect again with the last \`id\` in \`Last-Event-ID\` (or \`last_event_id\`): nothing is missed, and what was cut off in the middle may come again, under the same message id. It ends when the key is revoked, the identity is no longer proven, or the node stops. So many streams of one user are open at a time, and so many from one address: one more is 429. ${WHOSE}`,
      query: Schema.Struct({
        ...user,
        last_event_id: Schema.optionalKey(
          Schema.String.check(maxLength(8192)).annotate({
            description: "The last `id` that was heard, where the header cannot be sent."
          })
        )
      }),
      success: {
        status: 200,
        description: "A stream of events.",
        schema: Schema.String,
        example: `event: unread_count\nid: 771:771:\ndata: {"unread_count":3}\n\n`,
        mediaType: "text/event-stream"
      },
      errors: ["identity_unverified", "rate_limited", "unavailable"],
      handler: Effect.fnUntraced(function* (call) {
        yield* verify(call)
        const { caller, client, query, request } = call
        const seat = {
          appId: caller.appId,
          userId: query.user_id,
          address: caller.kind === "secret" ? null : client.address()
        }
        yield* Effect.mapError(streams.check(seat), noRoom)
        if (request.method === "HEAD") return HttpServerResponse.empty({ status: 200, headers: EVENTS })
        const { authorization = "", "last-event-id": last } = request.headers
        const open = streams.open({
          ...seat,
          after: last || query.last_event_id || null,
          pass: { name: authorization, isGood: isStill(auth.authenticate(authorization, "public")) },
          isAllowed: isStill(verify(call))
        })
        return HttpServerResponse.stream(eventsOf(open), { contentType: EVENTS["content-type"], headers: EVENTS })
      })
    }),
    route({
      method: "POST",
      path: "/api/v1/public/inbox/:id/read",
      access: "public",
      tag: "Inbox",
      summary: "Mark one message as read",
      description: `A message that was read before keeps its moment. ${WHOSE}`,
      query: UserQuery,
      success: {
        status: 200,
        description: "The message as it is now.",
        schema: MessageView,
        example: { ...example, read_at: NOW }
      },
      errors: ["identity_unverified", "not_found"],
      handler: Effect.fnUntraced(function* (call) {
        yield* verify(call)
        const { caller, params, query } = call
        const message = yield* inbox.read(caller.appId, query.user_id, params.id as InboxMessageId)
        return Option.isSome(message) ? show(message.value) : yield* Effect.fail(notFound("message of this user"))
      })
    }),
    route({
      method: "POST",
      path: "/api/v1/public/inbox/read_all",
      access: "public",
      tag: "Inbox",
      summary: "Mark all of a user's messages as read",
      description: WHOSE,
      query: UserQuery,
      success: {
        status: 200,
        description: "Nothing that was there is unread.",
        schema: Schema.Struct({
          read: Schema.Int.annotate({ description: "How many became read by this request." })
        }),
        example: { read: 3 }
      },
      errors: ["identity_unverified"],
      handler: Effect.fnUntraced(function* (call) {
        yield* verify(call)
        return { read: yield* inbox.readAll(call.caller.appId, call.query.user_id) }
      })
    }),
    route({
      method: "POST",
      path: "/api/v1/inbox/messages",
      access: "secret",
      tag: "Inbox",
      summary: "Write to the inboxes of users",
      description:
        "The same message for each of `user_ids`, once. People who are not known yet become contacts; those who unsubscribed from the inbox get none. Not idempotent by itself: sent again, it is another message.",
      body: { schema: PostInbox, name: "PostInbox", example: { user_ids: ["user-42"], ...content } },
      success: {
        status: 201,
        description: "The messages are there.",
        schema: Schema.Struct({
          created: Schema.Int.annotate({ description: "How many people got it." })
        }),
        example: { created: 1 }
      },
      handler: ({ caller, body }) => Effect.map(inbox.post(caller.appId, body), (created) => ({ created }))
    })
  ]
})
