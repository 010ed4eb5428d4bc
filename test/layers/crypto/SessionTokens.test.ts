import { Context, Effect, Layer } from "effect"
import { decodeProtectedHeader, jwtVerify, SignJWT } from "jose"
import { hkdfSync } from "node:crypto"
import { describe, expect, it } from "vitest"
import * as Live from "../../../layers/crypto/SessionTokens.ts"
import type { AccountId, SessionId } from "../../../services/domain/Ids.ts"
import { uuidv7 } from "../../../services/ports/NewId.ts"
import { SessionTokens } from "../../../services/ports/people/SessionTokens.ts"

const MASTER = new Uint8Array(32).fill(1)
const OTHER = new Uint8Array(32).fill(2)
const tokensOf = (...keys: ReadonlyArray<Uint8Array>) =>
  Effect.runSync(Effect.scoped(Effect.map(Layer.build(Live.layerOf(...keys)), Context.get(SessionTokens))))
const tokens = tokensOf(MASTER)
const derived = new Uint8Array(hkdfSync("sha256", MASTER, "", "heliograph session tokens", 32))

const CLAIMS = {
  sessionId: uuidv7() as SessionId,
  accountId: uuidv7() as AccountId,
  epoch: 3,
  expiresAt: Math.floor(Date.now() / 1000) + 3600
}
const token = tokens.sign(CLAIMS)

/** A token as `jose` makes it, with what is said otherwise. */
const forged = (
  header: Record<string, unknown> = {},
  claims: Record<string, unknown> = {},
  key: Uint8Array = derived
): Promise<string> =>
  new SignJWT({
    iss: "heliograph",
    aud: "heliograph sessions",
    sub: CLAIMS.accountId,
    jti: CLAIMS.sessionId,
    ep: 3,
    exp: CLAIMS.expiresAt,
    ...claims
  })
    .setProtectedHeader({ alg: "HS256", ...decodeProtectedHeader(token), ...header })
    .sign(key)

describe("a session's token", () => {
  it("is a JWT with HS256 that says whose session it is", async () => {
    const { payload, protectedHeader } = await jwtVerify(token, derived, {
      algorithms: ["HS256"],
      issuer: "heliograph",
      audience: "heliograph sessions",
      typ: "session+jwt"
    })
    expect(protectedHeader).toEqual({ alg: "HS256", typ: "session+jwt", kid: expect.stringMatching(/^[0-9a-f]{8}$/) })
    expect(payload).toEqual({
      iss: "heliograph",
      aud: "heliograph sessions",
      sub: CLAIMS.accountId,
      jti: CLAIMS.sessionId,
      ep: 3,
      exp: CLAIMS.expiresAt
    })
  })

  it("is opened with what it was made of, also when another library made it", async () => {
    expect(tokens.verify(token)).toEqual(CLAIMS)
    expect(tokens.verify(await forged())).toEqual(CLAIMS)
  })

  it("is good for as long as its key is live, and signed with the first", () => {
    expect(tokensOf(OTHER, MASTER).verify(token)).toEqual(CLAIMS)
    expect(tokensOf(OTHER).verify(token)).toBeNull()
    expect(tokensOf(MASTER).verify(tokensOf(OTHER, MASTER).sign(CLAIMS))).toBeNull()
  })

  it("is none with another algorithm, type, key, issuer, audience, or past its time", async () => {
    const none = `${Buffer.from('{"alg":"none","typ":"session+jwt"}').toString("base64url")}.${token.split(".")[1]}.`
    const refused = [
      none,
      await forged({ alg: "HS512" }, {}, new Uint8Array(64).fill(1)),
      await forged({ typ: "JWT" }),
      await forged({ kid: "00000000" }),
      await forged({ crit: ["b64"], b64: true }),
      await forged({}, {}, MASTER),
      await forged({}, { iss: "somebody" }),
      await forged({}, { aud: "somebody" }),
      await forged({}, { aud: ["heliograph sessions"] }),
      await forged({}, { exp: Math.floor(Date.now() / 1000) }),
      await forged({}, { exp: String(CLAIMS.expiresAt) }),
      await forged({}, { exp: undefined }),
      await forged({}, { jti: "1" }),
      await forged({}, { sub: 1 }),
      await forged({}, { ep: "3" })
    ]
    for (const one of refused) expect(tokens.verify(one), one).toBeNull()
  })

  it("is none when a character of it is another, or anything stands around it", () => {
    for (let i = 0; i < token.length; i++) {
      const changed = `${token.slice(0, i)}${token[i] === "A" ? "B" : "A"}${token.slice(i + 1)}`
      expect(tokens.verify(changed), String(i)).toBeNull()
    }
    // The last character of the signature has bits that decode to nothing.
    const last = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
    expect([...last].filter((c) => tokens.verify(token.slice(0, -1) + c) !== null)).toEqual([token.at(-1)])
    for (const one of ["", ".", "..", `${token}.`, ` ${token}`, `${token} `, `${token}=`, "x".repeat(1_000_000)]) {
      expect(tokens.verify(one)).toBeNull()
    }
  })
})
