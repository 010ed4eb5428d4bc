import { Schema } from "effect"
import { EmailAddress } from "./Channel.ts"
import { Platform, UserId } from "./Device.ts"
import { AppId, ChannelId, DeviceId, NotificationId } from "./Ids.ts"
import { text } from "./Text.ts"
import { FutureMoment, TimeZone } from "./Time.ts"

/** Explicit recipients of one request. A larger audience is described (tags, all), not listed. */
const IDS = 10_000
const listOf = <S extends Schema.Constraint>(item: S) =>
  Schema.Array(item).check(Schema.isMinLength(1), Schema.isMaxLength(IDS))
const tagList = Schema.Array(text(64)).check(Schema.isMinLength(1), Schema.isMaxLength(100))

/**
 * Who receives a notification. The selectors are exclusive. The e-mail channels of the people addressed belong to the
 * audience when the content has a part for e-mail (`subject` or `html`).
 */
export const Audience = Schema.Struct({
  all: Schema.optionalKey(Schema.Literal(true)),
  device_ids: Schema.optionalKey(listOf(DeviceId)),
  user_ids: Schema.optionalKey(listOf(UserId)),
  channel_ids: Schema.optionalKey(listOf(ChannelId)),
  emails: Schema.optionalKey(listOf(EmailAddress)),
  tags_any: Schema.optionalKey(tagList),
  tags_all: Schema.optionalKey(tagList),
  platforms: Schema.optionalKey(Schema.Array(Platform).check(Schema.isMinLength(1), Schema.isMaxLength(3))),
  timezone: Schema.optionalKey(TimeZone)
}).check(
  Schema.makeFilter((to) => {
    const kinds = [
      to.all && "all",
      to.device_ids && "device_ids",
      to.user_ids && "user_ids",
      to.channel_ids && "channel_ids",
      to.emails && "emails",
      (to.tags_any ?? to.tags_all ?? to.platforms ?? to.timezone) !== undefined &&
        "tags_any, tags_all, platforms or timezone"
    ].filter((kind) => typeof kind === "string")
    if (kinds.length === 1) return undefined
    return kinds.length === 0
      ? "must name recipients: all, device_ids, user_ids, channel_ids, emails, or tags_any, tags_all, platforms, timezone"
      : `must use one kind of selector, not ${kinds.join(" and ")}`
  })
)
export type Audience = typeof Audience.Type

const Text = (max: number) => Schema.String.check(Schema.isMaxLength(max))

/** Header fields are one line: a line break in a subject would start a header of its own. */
const Line = (max: number) =>
  Text(max).check(Schema.isPattern(/^[^\p{Cc}]*$/u, { message: "must be one line without control characters" }))

const isHttpUrl = (value: string): boolean =>
  URL.canParse(value) && ["http:", "https:"].includes(new URL(value).protocol)
const HttpUrl = Text(2048).check(
  Schema.makeFilter((value: string) => isHttpUrl(value) || "must be an http or https URL")
)

/** What the recipient sees. `title`, `body`, `url`, `image`, `data` go to devices; `subject`, `html` (and `body`) to e-mail. */
export const Content = Schema.Struct({
  title: Schema.optionalKey(Text(1024)),
  body: Schema.optionalKey(Text(65_536)),
  url: Schema.optionalKey(HttpUrl),
  image: Schema.optionalKey(HttpUrl),
  data: Schema.optionalKey(Schema.Record(Schema.String, Schema.Json)),
  subject: Schema.optionalKey(Line(998)),
  html: Schema.optionalKey(Text(524_288))
}).check(
  Schema.makeFilter(
    (content) =>
      [content.title, content.body, content.data, content.subject, content.html].some((part) => part !== undefined) ||
      "must have a title, body, data, subject or html"
  )
)
export type Content = typeof Content.Type

const Overrides = Schema.Struct({
  apns: Schema.optionalKey(Schema.Record(Schema.String, Schema.Json)),
  fcm: Schema.optionalKey(Schema.Record(Schema.String, Schema.Json)),
  web: Schema.optionalKey(Schema.Record(Schema.String, Schema.Json))
})

/** 28 days: the longest time to live that FCM takes, in seconds. */
export const MAX_TTL = 2_419_200

/** `high`: sent ahead of any mailing, at the provider's high priority. `bulk`: everything else. */
export const Priority = Schema.Literals(["high", "bulk"])
export type Priority = typeof Priority.Type

/** POST /notifications. */
export const SendNotification = Schema.Struct({
  to: Audience,
  content: Content,
  ttl: Schema.optionalKey(Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: MAX_TTL }))),
  priority: Schema.optionalKey(Priority),
  /** When it is sent; the time to live counts from then. */
  send_at: Schema.optionalKey(FutureMoment),
  collapse_key: Schema.optionalKey(
    Schema.NonEmptyString.check(
      Schema.isMaxLength(64),
      Schema.isPattern(/^[\x21-\x7e]+$/, { message: "must be printable ASCII without spaces" })
    )
  ),
  overrides: Schema.optionalKey(Overrides)
})
export type SendNotification = typeof SendNotification.Type

export const NotificationStatus = Schema.Literals([
  "scheduled",
  "queued",
  "sending",
  "paused",
  "completed",
  "cancelled"
])
export type NotificationStatus = typeof NotificationStatus.Type

/** What a provider needs to know to write a notification's messages; the same for every recipient. */
export const Message = Schema.Struct({
  notificationId: NotificationId,
  appId: AppId,
  content: Content,
  priority: Priority,
  /** Epoch milliseconds after which the message must no longer be delivered. */
  expiresAt: Schema.Number,
  /** The time to live was given as 0: deliver now or never. */
  nowOrNever: Schema.Boolean,
  collapseKey: Schema.NullOr(Schema.String),
  overrides: Overrides
})
export type Message = typeof Message.Type

/** A notification as it is kept. */
export interface Notification {
  readonly id: NotificationId
  readonly appId: AppId
  readonly status: NotificationStatus
  readonly request: SendNotification
  readonly createdAt: number
  readonly startedAt: number | null
  readonly completedAt: number | null
}
