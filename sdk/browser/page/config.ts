import { addressOf, isWeb } from "../shared/addresses.ts"
import { HeliographError } from "../shared/errors.ts"

/** What a page says of its application. */
export interface HeliographOptions {
  /** The application's id. */
  readonly appId: string
  /** The application's public key: `pk_…`. */
  readonly key: string
  /** The address of the service: `https://push.example.com`. */
  readonly api: string
  /** The path of the worker on this site; `/sw.js` unless given. */
  readonly swPath?: string
  /** The worker's scope; without it, `/` where no other worker has that, else a folder of its own. */
  readonly swScope?: string
  /** Answers the hexadecimal HMAC-SHA256 of a user id, which your server computes. */
  readonly identityHash?: (userId: string) => string | Promise<string>
  /** Seconds after which a page load tells the service that the device is still there; a week unless given. */
  readonly refreshSeconds?: number
  /** Seconds after which a page load compares the VAPID key again; an hour unless given. */
  readonly recheckSeconds?: number
}

export interface Config extends Required<Omit<HeliographOptions, "identityHash" | "swScope">> {
  readonly swScope: string | null
  readonly identityHash: (userId: string) => Promise<string | null>
}

const wrong = (message: string) => new HeliographError("INVALID_CONFIG", message)

const UUID = /^[\da-f-]{36}$/i
const HOUR = 3600
const WEEK = 604_800

/** Refuses what cannot work where it is written, not at the first click. */
export const configOf = (options: HeliographOptions): Config => {
  const {
    api,
    appId,
    identityHash,
    key,
    recheckSeconds = HOUR,
    refreshSeconds = WEEK,
    swPath = "/sw.js",
    swScope = null
  } = options ?? {}
  if (!UUID.test(appId)) throw wrong("appId must be the application's id.")
  if (String(key).startsWith("sk_")) {
    throw wrong("key is a secret key: revoke it, and use the public one (pk_…).")
  }
  if (!/^pk_[!-~]+$/.test(key)) throw wrong("key must be the application's public key: pk_…")
  const url = addressOf(api)
  if (!isWeb(url) || url.username !== "") {
    throw wrong("api must be the service's address: https://push.example.com")
  }
  if (addressOf(swPath, location.href)?.origin !== location.origin) {
    throw wrong("swPath must be a path of this site.")
  }
  return {
    appId: appId.toLowerCase(),
    key,
    api: url.origin + url.pathname.replace(/\/+$/, "").replace(/\/api\/v1$/, ""),
    swPath,
    swScope,
    refreshSeconds,
    recheckSeconds,
    identityHash: async (userId) => (await identityHash?.(userId)) ?? null
  }
}
