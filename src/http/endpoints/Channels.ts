import { Effect, Option, Schema } from "effect"
import type { Channel } from "../../../services/domain/audience/Channel.ts"
import { ChannelKind, CreateChannel, UpdateChannel } from "../../../services/domain/audience/Channel.ts"
import { StoredAddress } from "../../../services/domain/audience/EmailAddress.ts"
import { ChannelId, ContactId } from "../../../services/domain/Ids.ts"
import { isoTime } from "../../../services/domain/Time.ts"
import { ChannelStore } from "../../../services/ports/audience/ChannelStore.ts"
import { ApiError, notFound } from "../pipeline/ApiError.ts"
import { ID, NOW } from "../docs/Examples.ts"
import { listQuery, page, pageOf } from "../pipeline/Page.ts"
import { route } from "../pipeline/Route.ts"

const Status = Schema.Literals(["active", "suppressed", "unsubscribed"])

export const ChannelView = Schema.Struct({
  id: ChannelId,
  kind: ChannelKind,
  address: Schema.NullOr(Schema.String),
  contact_id: Schema.NullOr(ContactId),
  status: Status,
  created_at: Schema.String
}).annotate({ identifier: "Channel" })

export const showChannel = (channel: Channel): typeof ChannelView.Type => ({
  id: channel.id,
  kind: channel.kind,
  address: channel.address,
  contact_id: channel.contactId,
  status: channel.status,
  created_at: isoTime(channel.createdAt)
})

const example = {
  id: ID,
  kind: "email",
  address: "ada@example.com",
  contact_id: null,
  status: "active",
  created_at: NOW
}

const NO_STATUS = "An inbox is not subscribed by its channel: change the contact's preference `inbox`."
const BOUNCED =
  "The address bounced, and nothing is sent to it. Remove the channel and create it again to try once more."

/** Channels: recipients that are not devices. */
export const channelRoutes = Effect.gen(function* () {
  const channels = yield* ChannelStore

  return [
    route({
      method: "POST",
      path: "/api/v1/channels",
      access: "secret",
      tag: "Channels",
      summary: "Create a channel",
      description:
        'Idempotent: an address names one channel of its application, compared without case, and each person has one inbox. `user_id` is your own id of the person it belongs to; `{"kind": "inbox", "user_id": …}` is the way to name their in-app inbox in `to.channel_ids`.',
      body: {
        schema: CreateChannel,
        name: "CreateChannel",
        example: { kind: "email", address: "ada@example.com", user_id: "user-42" }
      },
      success: {
        status: 201,
        description: "The channel is there.",
        schema: Schema.Struct({
          id: ChannelId,
          created: Schema.Boolean.annotate({ description: "False when it was there before." })
        }),
        example: { id: ID, created: true },
        location: ({ id }) => `/api/v1/channels/${id}`
      },
      handler: ({ caller, body: { address, user_id } }) =>
        address === undefined
          ? channels.ensureInbox(caller.appId, user_id!)
          : Effect.map(
              channels.upsert(caller.appId, [
                { kind: "email", address, ...(user_id === undefined ? {} : { user_id }) }
              ]),
              ([channel]) => channel!
            )
    }),
    route({
      method: "GET",
      path: "/api/v1/channels",
      access: "secret",
      tag: "Channels",
      summary: "List channels",
      query: Schema.Struct({
        status: Schema.optionalKey(Status),
        contact_id: Schema.optionalKey(ContactId),
        address: Schema.optionalKey(StoredAddress.annotate({ description: "Compared without case." })),
        ...listQuery
      }),
      success: {
        status: 200,
        description: "A page of channels, oldest first.",
        schema: pageOf(ChannelView),
        example: { data: [example], next_cursor: null }
      },
      errors: ["validation_error"],
      handler: ({ caller, query }) =>
        page(
          "channels",
          query,
          (after, limit) =>
            channels.list(
              caller.appId,
              { status: query.status, contactId: query.contact_id, address: query.address },
              after,
              limit
            ),
          showChannel
        )
    }),
    route({
      method: "GET",
      path: "/api/v1/channels/:id",
      access: "secret",
      tag: "Channels",
      summary: "Read a channel",
      success: { status: 200, description: "The channel.", schema: ChannelView, example },
      errors: ["not_found"],
      handler: Effect.fnUntraced(function* ({ caller, params }) {
        const channel = yield* channels.find(caller.appId, params.id as ChannelId)
        return Option.isSome(channel) ? showChannel(channel.value) : yield* Effect.fail(notFound("channel"))
      })
    }),
    route({
      method: "PATCH",
      path: "/api/v1/channels/:id",
      access: "secret",
      tag: "Channels",
      summary: "Unsubscribe a channel, or subscribe it again",
      description:
        "For e-mail, and for what somebody asked you: a message to an unsubscribed channel is skipped. The preference `email` of its contact follows: off with the last of their addresses, on with the first that comes back. An address that bounced stays `suppressed`: remove the channel and create it again when you know better. What goes to an inbox is the contact's preference `inbox`.",
      body: { schema: UpdateChannel, name: "UpdateChannel", example: { status: "unsubscribed" } },
      success: {
        status: 200,
        description: "The channel as it is now.",
        schema: ChannelView,
        example: { ...example, status: "unsubscribed" }
      },
      errors: ["not_found", "conflict"],
      handler: Effect.fnUntraced(function* ({ body: { status }, caller, params }) {
        const id = params.id as ChannelId
        const before = yield* channels.find(caller.appId, id)
        if (Option.isNone(before)) return yield* Effect.fail(notFound("channel"))
        if (before.value.kind === "inbox") return yield* Effect.fail(new ApiError("conflict", NO_STATUS))
        if (before.value.status === "suppressed") return yield* Effect.fail(new ApiError("conflict", BOUNCED))
        const channel = yield* channels.subscribe(caller.appId, id, status === "active")
        // Removed meanwhile.
        if (Option.isNone(channel)) return yield* Effect.fail(notFound("channel"))
        return showChannel(channel.value)
      })
    }),
    route({
      method: "DELETE",
      path: "/api/v1/channels/:id",
      access: "secret",
      tag: "Channels",
      summary: "Remove a channel",
      description:
        "The preferences of its contact stay as they are, also where the addresses that are left are unsubscribed: they are what the person said.",
      success: {
        status: 200,
        description: "The channel is gone.",
        schema: Schema.Struct({ deleted: Schema.Literal(true) }),
        example: { deleted: true }
      },
      errors: ["not_found"],
      handler: Effect.fnUntraced(function* ({ caller, params }) {
        const isGone = yield* channels.remove(caller.appId, params.id as ChannelId)
        return isGone ? { deleted: true as const } : yield* Effect.fail(notFound("channel"))
      })
    })
  ]
})
