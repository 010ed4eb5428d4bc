import { createPrivateKey, hash } from "node:crypto"
import type { ApnsCredential } from "../../services/domain/sending/Credential.ts"
import { signDeterministically } from "./DeterministicSignature.ts"

const MINUTE = 60_000
/** APNs takes a token for 20 to 60 minutes, and a new one of a team at most every 20. */
const PERIOD = 30 * MINUTE
const UPDATE_BUDGET = 20 * MINUTE

/** The key cannot be read, or is not one for ES256. */
export class UnusableKey extends Error {}

interface Token {
  readonly jwt: string
  /** What it says of itself, in epoch milliseconds. */
  readonly issuedAt: number
  /** It replaced one that APNs called expired before its time. */
  readonly replaces: boolean
}

const encode = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString("base64url")

/** Put together here: `jose` takes no signature from outside, and its own differ each time. */
const issue = (credential: ApnsCredential, issuedAt: number): string => {
  let key
  try {
    key = createPrivateKey(credential.private_key)
  } catch {
    throw new UnusableKey("the private key of the APNs credential cannot be read")
  }
  if (key.asymmetricKeyDetails?.namedCurve !== "prime256v1") {
    throw new UnusableKey("the private key of the APNs credential is not a P-256 key")
  }
  const signed = `${encode({ alg: "ES256", kid: credential.key_id, typ: "JWT" })}.${encode({
    iss: credential.team_id,
    iat: issuedAt / 1000
  })}`
  return `${signed}.${Buffer.from(signDeterministically(key, Buffer.from(signed))).toString("base64url")}`
}

const roundDown = (moment: number, step: number): number => Math.floor(moment / step) * step

/**
 * Provider tokens by team and key, whatever application or credential version asks: their renewals share one budget.
 * They share it with every other process and node, and with those before a restart, so all of them make the very same
 * token without a word between them: it is dated to the last full half hour and signed deterministically.
 */
export const makeProviderTokens = () => {
  const tokens = new Map<string, Token>()

  // The key's text is part of the name, hashed: one application must not send by another's key of the same ids.
  const names = new WeakMap<ApnsCredential, string>()
  const nameOf = (credential: ApnsCredential): string => {
    let name = names.get(credential)
    if (name === undefined) {
      name = `${credential.team_id} ${credential.key_id} ${hash("sha256", credential.private_key)}`
      names.set(credential, name)
    }
    return name
  }

  const put = (name: string, credential: ApnsCredential, issuedAt: number, replaces: boolean): string => {
    const jwt = issue(credential, issuedAt)
    for (const [old, token] of tokens) if (issuedAt - token.issuedAt >= 2 * PERIOD) tokens.delete(old)
    tokens.set(name, { jwt, issuedAt, replaces })
    return jwt
  }

  // One from the future was made before the clock was set back: APNs refuses it.
  const isCurrent = ({ issuedAt, replaces }: Token, now: number): boolean =>
    issuedAt <= now + MINUTE && (issuedAt >= roundDown(now, PERIOD) || (replaces && now - issuedAt < UPDATE_BUDGET))

  return {
    /** The token to send with. Throws UnusableKey. */
    current: (credential: ApnsCredential, now: number): string => {
      const name = nameOf(credential)
      const token = tokens.get(name)
      return token !== undefined && isCurrent(token, now)
        ? token.jwt
        : put(name, credential, roundDown(now, PERIOD), false)
    },
    /**
     * APNs called `jwt` expired. True when there is another to try: made now, or by an earlier refusal. False when the
     * refused one had itself just replaced another; a further one would only use up the team's budget.
     */
    refused: (credential: ApnsCredential, jwt: string, now: number): boolean => {
      const name = nameOf(credential)
      const token = tokens.get(name)
      if (token !== undefined && token.jwt !== jwt) return true
      if (token?.replaces === true && now - token.issuedAt < UPDATE_BUDGET) return false
      // To the minute, so that most processes that hear of it replace it by the same one.
      put(name, credential, Math.max(roundDown(now, MINUTE), (token?.issuedAt ?? 0) + 1000), true)
      return true
    }
  }
}
