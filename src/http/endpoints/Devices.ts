import { Effect, Option, Schema } from "effect"
import type { Device } from "../../../services/domain/audience/Device.ts"
import {
  DeviceStatus,
  Environment,
  Platform,
  RegisterDevice,
  Tags,
  UpdateDevice,
  UserId
} from "../../../services/domain/audience/Device.ts"
import type { AppId } from "../../../services/domain/Ids.ts"
import { DeviceId } from "../../../services/domain/Ids.ts"
import { inOrder, isoTime, Moment } from "../../../services/domain/Time.ts"
import { Auth } from "../../../services/engine/access/Auth.ts"
import type { DeviceFilter } from "../../../services/ports/audience/DeviceStore.ts"
import { DeviceStore } from "../../../services/ports/audience/DeviceStore.ts"
import { SegmentStore } from "../../../services/ports/audience/SegmentStore.ts"
import { OutboundPolicy } from "../../../services/ports/outbound/OutboundPolicy.ts"
import { notFound } from "../pipeline/ApiError.ts"
import { ID, NOW } from "../docs/Examples.ts"
import { listQuery, page, pageOf } from "../pipeline/Page.ts"
import { refusalOfEndpoint } from "./PushEndpoint.ts"
import { route } from "../pipeline/Route.ts"
import { filterOfSegment, PAGES_OF_SEGMENT, segmentQuery } from "./SegmentQuery.ts"
import { maxLength } from "../../../services/domain/Text.ts"

/** Of nobody in particular: it is taken as it is printed, also where user ids have to be proven. */
const anonymousExample = {
  token: "https://push.example.com/send/f7Jc0aQ",
  platform: "web",
  tags: ["news", "beta"],
  timezone: "Europe/Berlin",
  web_push_p256dh: "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4",
  web_push_auth: "BTBZMqHH6r4Tts7J_aSIgg"
}
export const registerExample = { ...anonymousExample, user_id: "user-42" }

export const RegisteredView = Schema.Struct({
  id: DeviceId,
  created: Schema.Boolean.annotate({ description: "True for a new device, false when a known one was refreshed." })
})

export const DeviceView = Schema.Struct({
  id: DeviceId,
  platform: Platform,
  token: Schema.String,
  user_id: Schema.NullOr(Schema.String),
  tags: Schema.Array(Schema.String),
  timezone: Schema.NullOr(Schema.String),
  environment: Environment,
  metadata: Schema.Record(Schema.String, Schema.Json),
  web_push_p256dh: Schema.NullOr(Schema.String),
  web_push_auth: Schema.NullOr(Schema.String),
  status: DeviceStatus.annotate({ description: "`invalid`: the push service says that the token is dead." }),
  invalid_reason: Schema.NullOr(Schema.String),
  created_at: Schema.String,
  last_seen_at: Schema.String
}).annotate({ identifier: "Device" })

export const showDevice = (device: Device): typeof DeviceView.Type => ({
  id: device.id,
  platform: device.platform,
  token: device.token,
  user_id: device.userId,
  tags: device.tags,
  timezone: device.timezone,
  environment: device.environment,
  metadata: device.metadata,
  web_push_p256dh: device.p256dh,
  web_push_auth: device.auth,
  status: device.status,
  invalid_reason: device.invalidReason,
  created_at: isoTime(device.createdAt),
  last_seen_at: isoTime(device.lastSeenAt)
})

export const deviceExample = {
  id: ID,
  platform: "ios",
  token: "a1b2c3d4e5f60718293a4b5c6d7e8f90a1b2c3d4e5f60718293a4b5c6d7e8f90",
  user_id: "user-42",
  tags: ["news"],
  timezone: "Europe/Berlin",
  environment: "production",
  metadata: { app_version: "3.1.0" },
  web_push_p256dh: null,
  web_push_auth: null,
  status: "active",
  invalid_reason: null,
  created_at: NOW,
  last_seen_at: NOW
}

const moment = (description: string) => Schema.optionalKey(Moment.annotate({ description }))

/** None would be no condition at all of `tags_all`, and nobody's of `tags_any`. */
const SomeTags = Tags.check(Schema.isMinLength(1))

/** The conditions that lists and exports of devices know. */
const conditions = {
  platform: Schema.optionalKey(Platform),
  environment: Schema.optionalKey(Environment),
  status: Schema.optionalKey(DeviceStatus),
  user_id: Schema.optionalKey(UserId),
  tags_any: Schema.optionalKey(
    SomeTags.annotate({ description: "With one of these tags at least; repeat the parameter for several." })
  ),
  tags_all: Schema.optionalKey(SomeTags.annotate({ description: "With all of these tags." })),
  created_from: moment("Registered first at this moment or later."),
  created_before: moment("Registered first before this moment."),
  last_seen_from: moment("Registered again, or first, at this moment or later."),
  last_seen_before: moment("Not seen since this moment."),
  ...segmentQuery
}
const inTime = [inOrder("created_from", "created_before"), inOrder("last_seen_from", "last_seen_before")] as const
export const DeviceQuery = Schema.Struct(conditions).check(...inTime)

const timeOf = (text: string | undefined): number | undefined => (text === undefined ? undefined : Date.parse(text))

/** What a query asks for, with the filter of the segment that it names. */
export const deviceFilterOf = (segments: SegmentStore["Service"]) => {
  const segmentOf = filterOfSegment(segments)
  return (appId: AppId, query: typeof DeviceQuery.Type) =>
    Effect.map(segmentOf(appId, query), ({ segment }): DeviceFilter => ({
      platform: query.platform,
      environment: query.environment,
      status: query.status,
      userId: query.user_id,
      tagsAny: query.tags_any,
      tagsAll: query.tags_all,
      createdFrom: timeOf(query.created_from),
      createdBefore: timeOf(query.created_before),
      seenFrom: timeOf(query.last_seen_from),
      seenBefore: timeOf(query.last_seen_before),
      segment
    }))
}

/** Devices: registered by themselves with the public key, read, changed and removed by servers. */
export const deviceRoutes = Effect.gen(function* () {
  const auth = yield* Auth
  const devices = yield* DeviceStore
  const refusalOf = refusalOfEndpoint(yield* OutboundPolicy)
  const filterOf = deviceFilterOf(yield* SegmentStore)

  return [
    route({
      method: "POST",
      path: "/api/v1/public/devices",
      access: "public",
      limit: "registration",
      tag: "Devices",
      summary: "Register or refresh a device",
      description:
        "Idempotent: the same token updates the same device. A registration says everything about its device: what is left out is forgotten, so that one without a `user_id` is anonymous, whoever had the device before. A token of iOS is hexadecimal and kept in lower case. A browser's endpoint must be an https address that can be public, and its key a point of P-256. When the application verifies identities, a request with a public key that names a `user_id` must carry `X-Identity-Hash`, the hexadecimal HMAC-SHA256 of the user id, keyed with the application's identity secret.",
      body: { schema: RegisterDevice, name: "RegisterDevice", example: anonymousExample },
      success: {
        status: 201,
        description: "The device is registered.",
        schema: RegisteredView,
        example: { id: ID, created: true }
      },
      errors: ["identity_unverified", "validation_error"],
      handler: ({ caller, body, request }) => {
        const refusal = refusalOf(body)
        if (refusal !== null) return Effect.fail(refusal)
        const registered = Effect.map(devices.register(caller.appId, [body]), ([one]) => one!)
        return typeof body.user_id === "string"
          ? Effect.andThen(auth.verifyIdentity(caller, body.user_id, request.headers["x-identity-hash"]), registered)
          : registered
      }
    }),
    route({
      method: "DELETE",
      path: "/api/v1/public/devices",
      access: "public",
      tag: "Devices",
      summary: "Remove a device by its token",
      description: "For the moment of sign-out. Removing a token that is not there succeeds too.",
      body: {
        schema: Schema.Struct({ token: Schema.NonEmptyString.check(maxLength(4096)) }),
        example: { token: registerExample.token }
      },
      success: {
        status: 200,
        description: "The device is gone.",
        schema: Schema.Struct({
          deleted: Schema.Boolean.annotate({ description: "False when there was no such device." })
        }),
        example: { deleted: true }
      },
      handler: ({ caller, body }) =>
        Effect.map(devices.removeByToken(caller.appId, body.token), (deleted) => ({ deleted }))
    }),
    route({
      method: "GET",
      path: "/api/v1/devices",
      access: "secret",
      tag: "Devices",
      summary: "List devices",
      description: `No inactive device is in a segment. ${PAGES_OF_SEGMENT}`,
      query: Schema.Struct({ ...conditions, ...listQuery }).check(...inTime),
      success: {
        status: 200,
        description: "A page of devices, oldest first.",
        schema: pageOf(DeviceView),
        example: { data: [deviceExample], next_cursor: null }
      },
      errors: ["validation_error"],
      handler: Effect.fnUntraced(function* ({ caller, query }) {
        const filter = yield* filterOf(caller.appId, query)
        return yield* page(
          "devices",
          query,
          (after, limit) => devices.list(caller.appId, filter, after, limit),
          showDevice
        )
      })
    }),
    route({
      method: "GET",
      path: "/api/v1/devices/:id",
      access: "secret",
      tag: "Devices",
      summary: "Read a device",
      success: { status: 200, description: "The device.", schema: DeviceView, example: deviceExample },
      errors: ["not_found"],
      handler: Effect.fnUntraced(function* ({ caller, params }) {
        const device = yield* devices.find(caller.appId, params.id as DeviceId)
        return Option.isSome(device) ? showDevice(device.value) : yield* Effect.fail(notFound("device"))
      })
    }),
    route({
      method: "PATCH",
      path: "/api/v1/devices/:id",
      access: "secret",
      tag: "Devices",
      summary: "Change a device",
      description:
        "Fields that are left out keep their value; null removes that of `user_id` and `timezone`. `tags` and `metadata` are replaced whole, by an empty list or object where none are to be left.",
      body: { schema: UpdateDevice, name: "UpdateDevice", example: { tags: ["news", "beta"], user_id: null } },
      success: { status: 200, description: "The device as it is now.", schema: DeviceView, example: deviceExample },
      errors: ["not_found"],
      handler: Effect.fnUntraced(function* ({ caller, params, body }) {
        const device = yield* devices.update(caller.appId, params.id as DeviceId, body)
        return Option.isSome(device) ? showDevice(device.value) : yield* Effect.fail(notFound("device"))
      })
    }),
    route({
      method: "DELETE",
      path: "/api/v1/devices/:id",
      access: "secret",
      tag: "Devices",
      summary: "Remove a device",
      success: {
        status: 200,
        description: "The device is gone.",
        schema: Schema.Struct({ deleted: Schema.Literal(true) }),
        example: { deleted: true }
      },
      errors: ["not_found"],
      handler: Effect.fnUntraced(function* ({ caller, params }) {
        if (!(yield* devices.remove(caller.appId, params.id as DeviceId))) return yield* Effect.fail(notFound("device"))
        return { deleted: true as const }
      })
    })
  ]
})
