import { Effect, Layer } from "effect"
import { createHmac, hash, hkdfSync, timingSafeEqual } from "node:crypto"
import type { AccountId, SessionId } from "../../services/domain/Ids.ts"
import { now } from "../../services/ports/Now.ts"
import { SessionTokens } from "../../services/ports/people/SessionTokens.ts"
import type { Settings } from "../config/Settings.ts"
import type { MasterKeyUnusable } from "./MasterKey.ts"
import { masterKeys } from "./MasterKey.ts"

/*
 * JWS with HS256 over node:crypto, which takes a tenth of the time of `jose` for it. The header is one of a few texts, one
 * for each live key, and compared as text: no algorithm, type or key is ever chosen by what a token says.
 */

const PURPOSE = "heliograph session tokens"
const ISSUER = "heliograph"
const AUDIENCE = "heliograph sessions"
const TYPE = "session+jwt"

/** The longest that is looked at. Those that are made here have about 400 characters. */
const LONGEST = 1000

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

interface Key {
  readonly header: string
  readonly bytes: Buffer
}

const encode = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString("base64url")

const keyOf = (master: Uint8Array): Key => {
  const bytes = Buffer.from(hkdfSync("sha256", master, "", PURPOSE, 32))
  const kid = hash("sha256", Buffer.concat([Buffer.from("heliograph session key id\0"), bytes]), "hex").slice(0, 8)
  return { header: encode({ alg: "HS256", typ: TYPE, kid }), bytes }
}

const signed = (key: Key, text: string): Buffer => createHmac("sha256", key.bytes).update(text).digest()

const make = (masters: ReadonlyArray<Uint8Array>): SessionTokens["Service"] => {
  const keys = masters.map(keyOf)
  const signing = keys[0]
  if (signing === undefined) throw new Error("there must be a key for sessions")
  return {
    sign: ({ accountId, epoch, expiresAt, sessionId }) => {
      const claims = { iss: ISSUER, aud: AUDIENCE, sub: accountId, jti: sessionId, ep: epoch, exp: expiresAt }
      const text = `${signing.header}.${encode(claims)}`
      return `${text}.${signed(signing, text).toString("base64url")}`
    },
    verify: (token) => {
      if (token.length > LONGEST) return null
      const [header, body, signature, ...more] = token.split(".")
      const key = keys.find((key) => key.header === header)
      if (key === undefined || body === undefined || signature === undefined || more.length > 0) return null
      const given = Buffer.from(signature, "base64url")
      const wanted = signed(key, `${header}.${body}`)
      // Other texts decode to the same bytes; only one of them was written here.
      if (given.toString("base64url") !== signature) return null
      if (given.length !== wanted.length || !timingSafeEqual(given, wanted)) return null
      let claims: Readonly<Record<string, unknown>>
      try {
        claims = JSON.parse(Buffer.from(body, "base64url").toString()) as Readonly<Record<string, unknown>>
      } catch {
        return null
      }
      const { aud, ep, exp, iss, jti, sub } = claims
      if (iss !== ISSUER || aud !== AUDIENCE) return null
      if (typeof sub !== "string" || typeof jti !== "string" || !UUID.test(sub) || !UUID.test(jti)) return null
      if (typeof ep !== "number" || typeof exp !== "number" || exp * 1000 <= now()) return null
      return { accountId: sub as AccountId, sessionId: jti as SessionId, epoch: ep, expiresAt: exp }
    }
  }
}

/** The first key signs, each of them opens what was signed with it. Keys are 32 bytes. */
export const layerOf = (...keys: ReadonlyArray<Uint8Array>): Layer.Layer<SessionTokens> =>
  Layer.sync(SessionTokens, () => make(keys))

/** With keys that follow from the master keys of the settings or the data directory. */
export const layer: Layer.Layer<SessionTokens, MasterKeyUnusable, Settings> = Layer.effect(
  SessionTokens,
  Effect.map(masterKeys, make)
)
