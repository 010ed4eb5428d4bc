import { Schema, Struct } from "effect"
import { EmailAddress } from "../audience/EmailAddress.ts"
import { NewUserId, Platform } from "../audience/Device.ts"
import { Locale } from "../audience/Contact.ts"
import type { WorkflowId } from "../Ids.ts"
import { AppId, ChannelId, DeviceId, NotificationId, SegmentId, TemplateId, TemplateVersionId } from "../Ids.ts"
import { LocalTime } from "./LocalTime.ts"
import { JsonRecord } from "../Json.ts"
import { Overrides, PushData } from "./PushData.ts"
import type { SegmentFilter } from "../audience/Segment.ts"
import { attributeRules, tagList } from "../audience/Segment.ts"
import { Variables } from "../messages/Template.ts"
import { maxLength, withoutNul } from "../Text.ts"
import { isDay, MomentOrDay, NO_MOMENT, TimeZone } from "../Time.ts"

/** Explicit recipients of one request. A larger audience is described (tags, all), not listed. */
const IDS = 10_000
const listOf = <S extends Schema.Constraint>(item: S) =>
  Schema.Array(item).check(Schema.isMinLength(1), Schema.isMaxLength(IDS))

/** Selectors that describe: any of them together, and none beside another kind. */
const DESCRIBING = ["tags_any", "tags_all", "platforms", "timezone", "locale", "attributes"] as const

/**
 * Who receives a notification. The selectors are exclusive. The e-mail channels of the people addressed belong to the
 * audience when the content has a part for e-mail (`subject` or `html`).
 */
export const Audience = Schema.Struct({
  all: Schema.optionalKey(Schema.Literal(true)),
  device_ids: Schema.optionalKey(listOf(DeviceId)),
  user_ids: Schema.optionalKey(listOf(NewUserId)),
  channel_ids: Schema.optionalKey(listOf(ChannelId)),
  emails: Schema.optionalKey(listOf(EmailAddress)),
  tags_any: Schema.optionalKey(tagList),
  tags_all: Schema.optionalKey(tagList),
  platforms: Schema.optionalKey(Schema.Array(Platform).check(Schema.isMinLength(1), Schema.isMaxLength(3))),
  timezone: Schema.optionalKey(TimeZone),
  locale: Schema.optionalKey(Locale),
  attributes: Schema.optionalKey(attributeRules),
  segment_id: Schema.optionalKey(SegmentId)
}).check(
  Schema.makeFilter((to) => {
    const kinds = [
      to.all && "all",
      to.device_ids && "device_ids",
      to.user_ids && "user_ids",
      to.channel_ids && "channel_ids",
      to.emails && "emails",
      to.segment_id && "segment_id",
      DESCRIBING.some((name) => to[name] !== undefined) && DESCRIBING.join(", ")
    ].filter((kind) => typeof kind === "string")
    if (kinds.length === 1) return undefined
    return kinds.length === 0
      ? `must name recipients: all, device_ids, user_ids, channel_ids, emails, segment_id, or ${DESCRIBING.join(", ")}`
      : `must use one kind of selector, not ${kinds.join(" and ")}`
  })
)
export type Audience = typeof Audience.Type

/** A template can make U+0000 by its filters; what a request may send is looked at before. */
const Text = (max: number) => Schema.String.check(maxLength(max), withoutNul)

/** Header fields are one line: a line break in a subject would start a header of its own. */
const Line = (max: number) =>
  Text(max).check(Schema.isPattern(/^[^\p{Cc}]*$/u, { message: "must be one line without control characters" }))

const isHttpUrl = (value: string): boolean =>
  URL.canParse(value) && ["http:", "https:"].includes(new URL(value).protocol)
const HttpUrl = Line(2048).check(
  Schema.makeFilter((value: string) => isHttpUrl(value) || "must be an http or https URL")
)

/** What the recipient sees. `title`, `body`, `url`, `image`, `data` go to devices; `subject`, `html` (and `body`) to e-mail. */
export const Content = Schema.Struct({
  title: Schema.optionalKey(Text(1024)),
  body: Schema.optionalKey(Text(65_536)),
  url: Schema.optionalKey(
    HttpUrl.annotate({
      description: "Where it leads: `url` at the top of what APNs and Web Push carry, and in the data of FCM."
    })
  ),
  image: Schema.optionalKey(HttpUrl),
  data: Schema.optionalKey(PushData),
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

/** 28 days: the longest time to live that FCM takes, in seconds. */
export const MAX_TTL = 2_419_200

/** `high`: sent ahead of any mailing, at the provider's high priority. `bulk`: everything else. */
export const Priority = Schema.Literals(["high", "bulk"])
export type Priority = typeof Priority.Type

/** Kinds of ways to a person. */
export const Way = Schema.Literals(["push", "email", "inbox"])
export type Way = typeof Way.Type

/** What of a notification's mail is tracked. */
export const Track = Schema.Struct({
  opens: Schema.optionalKey(Schema.Boolean),
  clicks: Schema.optionalKey(Schema.Boolean)
})
export type Track = typeof Track.Type

/** What a request may say beside its audience. */
export const requestParts = {
  /** Which ways to take to the people of the audience. Left out: push, and e-mail when there is a part for it. */
  channels: Schema.Array(Way).check(Schema.isMinLength(1), Schema.isMaxLength(3)),
  content: Content,
  /** Instead of a content: a template, filled with `variables` and with what is known of each recipient. */
  template_id: TemplateId,
  variables: Variables,
  ttl: Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: MAX_TTL })).annotate({
    description:
      "Seconds for which the message is worth sending. 0 is now or never: one attempt, within half a minute, and the provider does not keep it."
  }),
  priority: Priority,
  /**
   * When it is sent; the time to live counts from then. With `local_time`, it may be a day. Whether that is still to
   * come, is looked at when it is accepted.
   */
  send_at: MomentOrDay,
  /** A time of day on each recipient's clock, on the day of `send_at` or at the first such moment from it on. */
  local_time: LocalTime,
  /** Of recipients whose own zone is not known. */
  timezone: TimeZone,
  collapse_key: Schema.NonEmptyString.check(
    maxLength(64),
    Schema.isPattern(/^[\x21-\x7e]+$/, { message: "must be printable ASCII without spaces" })
  ).annotate({
    description:
      "Printable ASCII without spaces. Of messages that have the same one, a device shows the one that the provider took last: the newest, unless an older one had to be tried again."
  }),
  overrides: Overrides,
  /** An open pixel and tracked links in the HTML of e-mail; what is left out follows the operator's setting. */
  track: Track
}

/** POST /notifications. */
export const SendNotification = Schema.Struct({
  to: Audience,
  ...Struct.map(requestParts, Schema.optionalKey)
}).check(
  Schema.makeFilter(({ local_time, send_at, timezone }) => {
    if (local_time !== undefined) return undefined
    if (send_at !== undefined && isDay(send_at)) return { path: ["send_at"], issue: NO_MOMENT }
    return timezone === undefined || { path: ["timezone"], issue: "must be left out where there is no local_time" }
  }),
  Schema.makeFilter(({ channels, to }) => {
    if (channels === undefined) return undefined
    const named = (["device_ids", "channel_ids", "emails", "platforms"] as const).find((name) => to[name] !== undefined)
    return (
      named === undefined || {
        path: ["channels"],
        issue: `must be left out: to.${named} already says which way to take`
      }
    )
  }),
  Schema.makeFilter(({ content, template_id, variables }) => {
    if (template_id === undefined) {
      if (content === undefined) return { path: ["content"], issue: "is required, or a template_id" }
      return variables === undefined || { path: ["variables"], issue: "belong to a template_id" }
    }
    return content === undefined || { path: ["template_id"], issue: "takes the place of content: send one of them" }
  })
)
export type SendNotification = typeof SendNotification.Type

/** A template as it was when the notification was accepted: later changes of it change nothing here. */
export interface PinnedTemplate {
  readonly version: TemplateVersionId
  /** The parts of a content that it fills, in any of its languages. */
  readonly parts: ReadonlyArray<keyof Content>
}

/** Ids of recipients that the application does not have: how many, and the first hundred of them. */
export interface Unknown {
  readonly count: number
  readonly ids: ReadonlyArray<string>
}

/** An audience that can be read without looking anything up: a segment comes with its conditions. */
export type KeptAudience = Audience & { readonly filter?: SegmentFilter }

/**
 * A request as it is kept. One whose template says the same to everybody has the filled content; any other is filled for
 * each recipient.
 */
export type KeptRequest = Omit<SendNotification, "to"> & {
  readonly to: KeptAudience
  readonly template?: PinnedTemplate
  /** Of a workflow: what the template may ask of each person's run beside the variables, by `user_id`. */
  readonly own?: Readonly<Record<string, Readonly<Record<string, unknown>>>>
  /** The step that sent it, by its key. */
  readonly workflow?: { readonly id: WorkflowId; readonly step: string }
  /** Named in `to`, and no recipients of the application when it was accepted. */
  readonly skipped?: Unknown
}

/** A request as it came: without what was looked up for it. */
export const asSent = (kept: KeptRequest): SendNotification => {
  const { own: _own, skipped: _skipped, template: _template, to, workflow: _workflow, ...request } = kept
  const { filter: _filter, ...audience } = to
  if (request.template_id === undefined) return { ...request, to: audience }
  const { content: _filled, ...named } = request
  return { ...named, to: audience }
}

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
  overrides: Overrides,
  track: Schema.optionalKey(Track),
  /** Set when each recipient has a content of its own; the one above is empty then. */
  template: Schema.optionalKey(
    Schema.Struct({
      version: TemplateVersionId,
      variables: Variables,
      /** What is each person's own beside the variables, by `user_id`. */
      own: Schema.optionalKey(Schema.Record(Schema.String, JsonRecord))
    })
  ),
  /** The span that the notification came in with, if it is traced. */
  trace: Schema.optionalKey(Schema.String)
})
export type Message = typeof Message.Type

/** What a notification's messages are made from. `expiresAt` is epoch milliseconds. */
export const messageOf = (
  request: KeptRequest,
  {
    appId,
    expiresAt,
    id,
    trace
  }: Pick<Notification, "id" | "appId"> & {
    readonly expiresAt: number
    readonly trace: string | null
  }
): Message => ({
  notificationId: id,
  appId,
  content: request.content ?? {},
  priority: request.priority ?? "bulk",
  expiresAt,
  nowOrNever: request.ttl === 0,
  collapseKey: request.collapse_key ?? null,
  ...(trace === null ? {} : { trace }),
  overrides: request.overrides ?? {},
  ...(request.track === undefined ? {} : { track: request.track }),
  ...(request.template !== undefined && {
    template: {
      version: request.template.version,
      variables: request.variables ?? {},
      ...(request.own === undefined ? {} : { own: request.own as Readonly<Record<string, Schema.JsonObject>> })
    }
  })
})

/** A notification as it is kept. */
export interface Notification {
  readonly id: NotificationId
  readonly appId: AppId
  readonly status: NotificationStatus
  readonly request: KeptRequest
  readonly createdAt: number
  /** When what it says was last changed; null: never. */
  readonly updatedAt: number | null
  /** Null as long as nobody can have got anything of it. */
  readonly startedAt: number | null
  readonly completedAt: number | null
  /** Another one after each command and each change. */
  readonly revision: number
}
