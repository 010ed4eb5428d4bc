import { Effect, Layer, Option } from "effect"
import { createHmac, hkdfSync, timingSafeEqual } from "node:crypto"
import type { AppId, ChannelId, NotificationId } from "../../services/domain/Ids.ts"
import { formatUuid, parseUuid } from "../../services/domain/Ids.ts"
import { Links } from "../../services/ports/Links.ts"
import { Settings } from "../config/Settings.ts"
import type { MasterKeyUnusable } from "./MasterKey.ts"
import { masterKeys } from "./MasterKey.ts"

/** A token: application (16) · channel (16) · notification (16) · the first 16 bytes of their HMAC, as base64url. */
const IDS = 48
const MAC = 16
const LENGTH = Math.ceil(((IDS + MAC) * 4) / 3)

const make = (baseUrl: string, keys: ReadonlyArray<Uint8Array>): Links["Service"] => {
  // A key of its own: whoever learns it can unsubscribe people, but open no secret.
  const derived = keys.map((key) => Buffer.from(hkdfSync("sha256", key, "", "heliograph unsubscribe links", 32)))
  const signing = derived[0]
  if (signing === undefined) throw new Error("there must be a key for links")
  const sign = (key: Buffer, ids: Uint8Array) => createHmac("sha256", key).update(ids).digest().subarray(0, MAC)
  return {
    unsubscribeUrl: (appId, channelId, notificationId) => {
      const ids = Buffer.concat([parseUuid(appId), parseUuid(channelId), parseUuid(notificationId)])
      return `${baseUrl}/u/${Buffer.concat([ids, sign(signing, ids)]).toString("base64url")}`
    },
    openUnsubscribe: (token) => {
      if (token.length !== LENGTH || !/^[A-Za-z0-9_-]+$/.test(token)) return Option.none()
      const bytes = Buffer.from(token, "base64url")
      const ids = bytes.subarray(0, IDS)
      if (!derived.some((key) => timingSafeEqual(sign(key, ids), bytes.subarray(IDS)))) return Option.none()
      return Option.some({
        appId: formatUuid(ids, 0) as AppId,
        channelId: formatUuid(ids, 16) as ChannelId,
        notificationId: formatUuid(ids, 32) as NotificationId
      })
    }
  }
}

/** The first key signs, each of them opens what was signed with it. Keys are 32 bytes. */
export const layerOf = (baseUrl: string, ...keys: ReadonlyArray<Uint8Array>): Layer.Layer<Links> =>
  Layer.sync(Links, () => make(baseUrl, keys))

/** With the master key of the settings or the data directory, and the base URL that clients reach. */
export const layer: Layer.Layer<Links, MasterKeyUnusable, Settings> = Layer.effect(
  Links,
  Effect.gen(function* () {
    const { baseUrl } = yield* Settings
    return make(baseUrl, yield* masterKeys)
  })
)
