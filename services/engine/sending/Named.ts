import { Effect, Schema } from "effect"
import type { ChannelKind } from "../../domain/audience/Channel.ts"
import type { Platform } from "../../domain/audience/Device.ts"
import type { AppId } from "../../domain/Ids.ts"
import type { Audience, Unknown } from "../../domain/sending/Notification.ts"
import type { AudiencePage } from "../../ports/audience/AudienceStore.ts"
import { ChannelStore } from "../../ports/audience/ChannelStore.ts"
import { DeviceStore } from "../../ports/audience/DeviceStore.ts"
import type { StoreError } from "../../ports/StoreError.ts"

/** None of the ids by which recipients were named is the application's. */
export class UnknownRecipients extends Schema.TaggedError<UnknownRecipients>()("UnknownRecipients", {
  field: Schema.Literals(["device_ids", "channel_ids"]),
  /** Where they stand in the list, each once. */
  places: Schema.Array(Schema.Int)
}) {}

/** Ids that are named in an answer, at most; the others are only counted. */
export const NAMED = 100

export interface NamedRecipients {
  /** Those that take messages, by the provider that reaches them. */
  readonly recipients: AudiencePage["recipients"]
  /** Ids that the application does not have; null when there are none. */
  readonly skipped: Unknown | null
}

export const lower = (id: string): string => id.toLowerCase()

const idsOf = <A extends { readonly id: string }>(
  all: ReadonlyArray<A>,
  isMeant: (one: A) => boolean
): ReadonlyArray<string> => all.flatMap((one) => (isMeant(one) ? one.id : [])).sort()

/** Sets aside the ids of nothing. A list that is old has some of them, and everybody else is to be reached all the same. */
const unknownAmong = (
  field: UnknownRecipients["field"],
  ids: ReadonlyArray<string>,
  found: ReadonlyArray<{ readonly id: string }>
): Effect.Effect<Unknown | null, UnknownRecipients> => {
  const known = new Set(found.map(({ id }) => id))
  const unknown = new Map<string, number>()
  for (const [place, id] of ids.entries()) {
    const key = lower(id)
    if (!known.has(key) && !unknown.has(key)) unknown.set(key, place)
  }
  if (unknown.size === 0) return Effect.succeed(null)
  const places = [...unknown.values()]
  return known.size === 0
    ? Effect.fail(new UnknownRecipients({ field, places }))
    : // As the client spells them.
      Effect.succeed({ count: unknown.size, ids: places.slice(0, NAMED).map((place) => ids[place]!) })
}

/** Looks up who is named by id, in one query. Null for an audience that names nobody so. */
export const makeNamed = Effect.gen(function* () {
  const devices = yield* DeviceStore
  const channels = yield* ChannelStore

  return Effect.fnUntraced(function* (
    appId: AppId,
    { channel_ids, device_ids }: Audience
  ): Effect.fn.Return<NamedRecipients | null, UnknownRecipients | StoreError> {
    if (device_ids !== undefined) {
      const found = yield* devices.among(appId, device_ids.map(lower))
      const skipped = yield* unknownAmong("device_ids", device_ids, found)
      const by = (platform: Platform) => idsOf(found, (device) => device.active && device.platform === platform)
      return {
        recipients: { apns: by("ios"), fcm: by("android"), webpush: by("web"), smtp: [], inbox: [] },
        skipped
      }
    }
    if (channel_ids !== undefined) {
      const found = yield* channels.among(appId, channel_ids.map(lower))
      const skipped = yield* unknownAmong("channel_ids", channel_ids, found)
      const by = (kind: ChannelKind) => idsOf(found, (channel) => channel.active && channel.kind === kind)
      return { recipients: { apns: [], fcm: [], webpush: [], smtp: by("email"), inbox: by("inbox") }, skipped }
    }
    return null
  })
})
