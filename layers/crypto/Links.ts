import { Effect, Layer, Option } from "effect"
import { createHmac, hkdfSync, timingSafeEqual } from "node:crypto"
import type { AppId, ChannelId, NotificationId } from "../../services/domain/Ids.ts"
import { formatUuid, parseUuid } from "../../services/domain/Ids.ts"
import { Links } from "../../services/ports/engagement/Links.ts"
import { Settings } from "../config/Settings.ts"
import type { MasterKeyUnusable } from "./MasterKey.ts"
import { masterKeys } from "./MasterKey.ts"

/**
 * Tokens are bytes, then the first 16 bytes of their HMAC, as base64url. The bytes:
 *
 *   unsubscribe   application (16) · channel (16) · notification (16)
 *   mail          the same, and the second in which it was sent (4)
 *   link          the destination; its HMAC covers the notification's id as well
 *
 * Each kind has a key of its own, so that none can stand in for another, and whoever learns one opens no secret.
 */
const IDS = 48
const MAC = 16

const purposes = {
  unsubscribe: "heliograph unsubscribe links",
  mail: "heliograph mail tokens",
  link: "heliograph link destinations"
} as const

/** Signs and opens the tokens of one purpose. The first key signs; each of them opens what was signed with it. */
const sealer = (keys: ReadonlyArray<Uint8Array>, purpose: keyof typeof purposes) => {
  const derived = keys.map((key) => Buffer.from(hkdfSync("sha256", key, "", purposes[purpose], 32)))
  const signing = derived[0]
  if (signing === undefined) throw new Error("there must be a key for links")
  const sign = (key: Buffer, context: Uint8Array, bytes: Uint8Array) =>
    createHmac("sha256", key).update(context).update(bytes).digest().subarray(0, MAC)
  return {
    seal: (bytes: Uint8Array, context: Uint8Array = NONE) =>
      Buffer.concat([bytes, sign(signing, context, bytes)]).toString("base64url"),
    open: (token: string, context: Uint8Array = NONE): Buffer | null => {
      const all = Buffer.from(token, "base64url")
      // Other texts decode to the same bytes; only one of them was written here.
      if (all.length < MAC || all.toString("base64url") !== token) return null
      const bytes = all.subarray(0, -MAC)
      return derived.some((key) => timingSafeEqual(sign(key, context, bytes), all.subarray(-MAC))) ? bytes : null
    }
  }
}

const NONE = new Uint8Array(0)

const idsOf = (bytes: Buffer) => ({
  appId: formatUuid(bytes, 0) as AppId,
  channelId: formatUuid(bytes, 16) as ChannelId,
  notificationId: formatUuid(bytes, 32) as NotificationId
})

const make = (baseUrl: string, keys: ReadonlyArray<Uint8Array>): Links["Service"] => {
  const unsubscribe = sealer(keys, "unsubscribe")
  const mail = sealer(keys, "mail")
  const link = sealer(keys, "link")
  return {
    unsubscribeUrl: (appId, channelId, notificationId) => {
      const ids = Buffer.concat([parseUuid(appId), parseUuid(channelId), parseUuid(notificationId)])
      return `${baseUrl}/u/${unsubscribe.seal(ids)}`
    },
    openUnsubscribe: (token) => {
      const bytes = unsubscribe.open(token)
      return bytes?.length === IDS ? Option.some(idsOf(bytes)) : Option.none()
    },
    mailToken: ({ appId, channelId, notificationId, sentAt }) => {
      const bytes = Buffer.alloc(IDS + 4)
      bytes.set(parseUuid(appId), 0)
      bytes.set(parseUuid(channelId), 16)
      bytes.set(parseUuid(notificationId), 32)
      bytes.writeUInt32BE(Math.floor(sentAt / 1000), IDS)
      return mail.seal(bytes)
    },
    openMail: (token) => {
      const bytes = mail.open(token)
      return bytes?.length === IDS + 4
        ? Option.some({ ...idsOf(bytes), sentAt: bytes.readUInt32BE(IDS) * 1000 })
        : Option.none()
    },
    pixelUrl: (token) => `${baseUrl}/o/${token}`,
    linkUrl: (notificationId, destination) => {
      const sealed = link.seal(Buffer.from(destination), parseUuid(notificationId))
      return (token) => `${baseUrl}/c/${token}/${sealed}`
    },
    openLink: (notificationId, sealed) =>
      Option.map(Option.fromNullishOr(link.open(sealed, parseUuid(notificationId))), (bytes) => bytes.toString())
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
