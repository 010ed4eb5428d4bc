import { Effect, Layer } from "effect"
import { createHmac, hkdfSync, randomBytes, randomInt, timingSafeEqual } from "node:crypto"
import type { AccountAddress } from "../../services/domain/people/AccountAddress.ts"
import { CODE_DIGITS } from "../../services/domain/people/SignInCode.ts"
import { now } from "../../services/ports/Now.ts"
import { SignInSecrets } from "../../services/ports/people/SignInSecrets.ts"
import type { Settings } from "../config/Settings.ts"
import type { MasterKeyUnusable } from "./MasterKey.ts"
import { masterKeys } from "./MasterKey.ts"

/*
 * Six digits are guessed in no time from a plain hash: codes are kept as HMACs under a key that is not in the database.
 * A device token is base64url of id (16) · second of its making (4) · HMAC (16) over them and the address.
 */

const ID = 16
const TIME = 4
const MAC = 16
const DEVICE_SECONDS = 180 * 86_400

const PURPOSES = {
  codes: "heliograph sign-in codes",
  attempts: "heliograph sign-in attempts",
  devices: "heliograph sign-in devices"
} as const

/** Parts that cannot run into one another: each is preceded by its length. */
const mac = (key: Uint8Array, ...parts: ReadonlyArray<string | Uint8Array>): Buffer => {
  const hmac = createHmac("sha256", key)
  for (const part of parts) {
    const bytes = typeof part === "string" ? Buffer.from(part) : part
    const length = Buffer.alloc(4)
    length.writeUInt32BE(bytes.length)
    hmac.update(length).update(bytes)
  }
  return hmac.digest()
}

const make = (masters: ReadonlyArray<Uint8Array>): SignInSecrets["Service"] => {
  const derived = (purpose: keyof typeof PURPOSES) => {
    const [first, ...others] = masters.map((key) => Buffer.from(hkdfSync("sha256", key, "", PURPOSES[purpose], 32)))
    if (first === undefined) throw new Error("there must be a key for sign-in codes")
    return [first, ...others] as const
  }
  const codes = derived("codes")
  const [attempts] = derived("attempts")
  const devices = derived("devices")
  const deviceMac = (key: Uint8Array, email: AccountAddress, head: Uint8Array) => mac(key, email, head).subarray(0, MAC)
  return {
    newCode: () => String(randomInt(10 ** CODE_DIGITS)).padStart(CODE_DIGITS, "0"),
    codeHashes: (purpose, email, code) => {
      const under = (key: Uint8Array) => new Uint8Array(mac(key, purpose, email, code))
      const [first, ...others] = codes
      return [under(first), ...others.map(under)]
    },
    attemptKey: (kind, text) => `${kind}:${mac(attempts, kind, text).subarray(0, 16).toString("hex")}`,
    newDevice: (email) => {
      const head = Buffer.concat([randomBytes(ID), Buffer.alloc(TIME)])
      head.writeUInt32BE(Math.floor(now() / 1000), ID)
      return Buffer.concat([head, deviceMac(devices[0], email, head)]).toString("base64url")
    },
    deviceOf: (email, token) => {
      const bytes = Buffer.from(token, "base64url")
      if (bytes.length !== ID + TIME + MAC || bytes.toString("base64url") !== token) return null
      const head = bytes.subarray(0, ID + TIME)
      const isOurs = devices.some((key) => timingSafeEqual(deviceMac(key, email, head), bytes.subarray(ID + TIME)))
      if (!isOurs || head.readUInt32BE(ID) + DEVICE_SECONDS <= now() / 1000) return null
      return head.subarray(0, ID).toString("hex")
    }
  }
}

/** The first key makes, each of them recognizes what was made with it. Keys are 32 bytes. */
export const layerOf = (...keys: ReadonlyArray<Uint8Array>): Layer.Layer<SignInSecrets> =>
  Layer.sync(SignInSecrets, () => make(keys))

/** With keys that follow from the master keys of the settings or the data directory. */
export const layer: Layer.Layer<SignInSecrets, MasterKeyUnusable, Settings> = Layer.effect(
  SignInSecrets,
  Effect.map(masterKeys, make)
)
