import { Schema } from "effect"
import { DeviceId } from "../Ids.ts"
import { JsonRecord } from "../Json.ts"
import { isPublicKeyOfP256 } from "./P256.ts"
import { text } from "../Text.ts"
import { TimeZone } from "../Time.ts"

export const Platform = Schema.Literals(["ios", "android", "web"])
export type Platform = typeof Platform.Type

/** Which of the platform's gateways a token belongs to. Only APNs tells them apart. */
export const Environment = Schema.Literals(["production", "sandbox"])
export type Environment = typeof Environment.Type

/** What a device, or an inbox message, carries beside its own fields. */
export const METADATA_BYTES = 4096
const utf8 = new TextEncoder()
/** Whether a value takes more room, as JSON, than a device or a contact may carry. */
export const isTooLarge = (value: unknown): boolean => utf8.encode(JSON.stringify(value)).length > METADATA_BYTES

/** A JSON object of at most 4 KB. */
export const Metadata = JsonRecord.check(
  Schema.makeFilter((value: unknown) => !isTooLarge(value) || "must be at most 4096 bytes as JSON")
)

/** Tags of a device or a contact, at most. */
export const MOST_TAGS = 100

export const Tags = Schema.Array(text(64)).check(Schema.isMaxLength(MOST_TAGS))

/** Characters of the application's own id of a person, at most. */
export const USER_ID = 256
/** The application's own id of a person, as it is asked for. A device's user_id is the contact's external_id. */
export const UserId = text(USER_ID)

/** The id of a person who may become a contact by it: clients take `.` and `..` out of paths, however they are written. */
export const NewUserId = UserId.check(
  Schema.makeFilter(
    (value: string) => (value !== "." && value !== "..") || "must not be . or .., which no path can hold",
    {
      toJsonSchema: () => ({})
    }
  )
).annotate({ description: "Your own id of the person: any text but `.` and `..`, which no path can hold." })

const isHttpsUrl = (value: string): boolean => URL.canParse(value) && new URL(value).protocol === "https:"

/** base64url without padding, of a fixed number of bytes. */
const base64url = (bytes: number) =>
  Schema.String.check(
    Schema.makeFilter(
      (value: string) =>
        (/^[A-Za-z0-9_-]+$/.test(value) && Math.floor((value.length * 6) / 8) === bytes) ||
        `must be ${bytes} bytes as base64url without padding`
    )
  )

/** A browser's public key: what is no point of the curve could never be encrypted for. */
const PublicKey = base64url(65).check(
  Schema.makeFilter((value: string) => isPublicKeyOfP256(value) || "must be a public key of P-256")
)

/** The create/refresh request of spec 2.1. It says everything about its device: what is left out is not kept. */
export const RegisterDevice = Schema.Struct({
  token: text(4096),
  /** The token that the same device had until now: its row is kept. */
  previous_token: Schema.optionalKey(
    text(4096).annotate({
      description:
        "The token that this device had until now, where the platform has given it a new one: its row is kept. The row of a person is kept for the same `user_id` alone."
    })
  ),
  platform: Platform,
  user_id: Schema.optionalKey(Schema.NullOr(NewUserId)),
  tags: Schema.optionalKey(Tags),
  timezone: Schema.optionalKey(Schema.NullOr(TimeZone)),
  environment: Schema.optionalKey(Environment),
  metadata: Schema.optionalKey(Metadata),
  web_push_p256dh: Schema.optionalKey(Schema.NullOr(PublicKey)),
  web_push_auth: Schema.optionalKey(Schema.NullOr(base64url(16)))
}).check(
  Schema.makeFilter((device) => {
    if (device.platform === "web") {
      if (!isHttpsUrl(device.token)) {
        return { path: ["token"], issue: "must be the https URL of the browser's push subscription" }
      }
      if (!device.web_push_p256dh) return { path: ["web_push_p256dh"], issue: "is required for platform web" }
      if (!device.web_push_auth) return { path: ["web_push_auth"], issue: "is required for platform web" }
    } else if (device.platform === "ios" && !/^(?:[0-9a-fA-F]{2}){8,200}$/.test(device.token)) {
      return { path: ["token"], issue: "must be the hexadecimal device token of APNs, two digits for each byte" }
    } else if (!/^[\x21-\x7e]+$/.test(device.token)) {
      return { path: ["token"], issue: "must be printable ASCII without spaces" }
    }
    return undefined
  })
)
export type RegisterDevice = typeof RegisterDevice.Type

/** A token as it is kept, and told apart from others: those of APNs are bytes, which capitals write as well. */
export const storedToken = ({ platform, token }: Pick<RegisterDevice, "platform" | "token">): string =>
  platform === "ios" ? token.toLowerCase() : token

/** PATCH /devices/:id: what is left out keeps its value, null removes it, where it may stand. Token and platform are the device itself. */
export const UpdateDevice = Schema.Struct({
  user_id: RegisterDevice.fields.user_id,
  tags: RegisterDevice.fields.tags,
  timezone: RegisterDevice.fields.timezone,
  environment: RegisterDevice.fields.environment,
  metadata: RegisterDevice.fields.metadata
})
export type UpdateDevice = typeof UpdateDevice.Type

/** `invalid`: its provider says that the token is dead; a new registration of it makes it active again. */
export const DeviceStatus = Schema.Literals(["active", "invalid"])
export type DeviceStatus = typeof DeviceStatus.Type

/** A device as the secret-key surface shows it. */
export const Device = Schema.Struct({
  id: DeviceId,
  platform: Platform,
  token: Schema.String,
  userId: Schema.NullOr(Schema.String),
  tags: Schema.Array(Schema.String),
  timezone: Schema.NullOr(Schema.String),
  environment: Environment,
  metadata: Schema.Record(Schema.String, Schema.Json),
  p256dh: Schema.NullOr(Schema.String),
  auth: Schema.NullOr(Schema.String),
  status: DeviceStatus,
  invalidReason: Schema.NullOr(Schema.String),
  createdAt: Schema.Number,
  lastSeenAt: Schema.Number
})
export type Device = typeof Device.Type
