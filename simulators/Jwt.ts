import { verify, type KeyObject } from "node:crypto"
import { isObject } from "./Simulator.ts"

export interface Jwt {
  readonly header: Readonly<Record<string, unknown>>
  readonly claims: Readonly<Record<string, unknown>>
  /** Whether the signature is `key`'s, by exactly this algorithm: what the header says is never followed. */
  readonly signedBy: (key: KeyObject, algorithm: "ES256" | "RS256") => boolean
}

const BASE64URL = /^[A-Za-z0-9_-]+$/

const part = (text: string): Record<string, unknown> | undefined => {
  try {
    const value: unknown = JSON.parse(Buffer.from(text, "base64url").toString())
    return isObject(value) ? value : undefined
  } catch {
    return undefined
  }
}

/** Takes a compact JWT apart; undefined when it is none. */
export const readJwt = (token: string): Jwt | undefined => {
  const parts = token.split(".")
  if (parts.length !== 3 || !parts.every((text) => BASE64URL.test(text))) return undefined
  const header = part(parts[0]!)
  const claims = part(parts[1]!)
  if (header === undefined || claims === undefined) return undefined
  const signed = Buffer.from(`${parts[0]}.${parts[1]}`)
  const signature = Buffer.from(parts[2]!, "base64url")
  return {
    header,
    claims,
    signedBy: (key, algorithm) => {
      if (header["alg"] !== algorithm) return false
      return algorithm === "ES256"
        ? signature.length === 64 && verify("sha256", signed, { key, dsaEncoding: "ieee-p1363" }, signature)
        : verify("sha256", signed, key, signature)
    }
  }
}
