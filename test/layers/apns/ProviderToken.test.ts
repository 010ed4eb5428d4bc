import { jwtVerify } from "jose"
import { generateKeyPairSync } from "node:crypto"
import { describe, expect, it } from "vitest"
import { makeProviderTokens, UnusableKey } from "../../../layers/apns/ProviderToken.ts"
import type { ApnsCredential } from "../../../services/domain/sending/Credential.ts"

const MINUTE = 60_000
const pair = generateKeyPairSync("ec", { namedCurve: "P-256" })
const pem = (key = pair.privateKey) => key.export({ type: "pkcs8", format: "pem" }).toString()
const credential = (changes: Partial<ApnsCredential> = {}): ApnsCredential => ({
  team_id: "TEAMTEAM01",
  key_id: "KEYKEYKEY1",
  private_key: pem(),
  bundle_id: "org.example.app",
  ...changes
})

describe("provider tokens", () => {
  it("are ES256 JWTs of team and key, dated to the last half hour", async () => {
    const jwt = makeProviderTokens().current(credential(), 1_700_000_000_500)
    const { payload, protectedHeader } = await jwtVerify(jwt, pair.publicKey, { algorithms: ["ES256"] })
    expect(protectedHeader).toEqual({ alg: "ES256", kid: "KEYKEYKEY1", typ: "JWT" })
    expect(payload).toEqual({ iss: "TEAMTEAM01", iat: 1_699_999_200 })
  })

  it("are those of nodes that run another release", () => {
    /** The key of RFC 6979, appendix A.2.5. */
    const private_key = `-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgya+p2EW6dRZrXCFX
Z7HWk05Qw9s26JsSe4piKxIPZyGhRANCAARg/tS6JVqdMclh63TGNW1owEm4kjth
+mzmaWIuYPKftnkD/hAIuLyZpBrp6VYovGTy8bIMLX6fUXejwpTURiKZ
-----END PRIVATE KEY-----
`
    expect(makeProviderTokens().current(credential({ private_key }), 1_700_000_000_500)).toBe(
      "eyJhbGciOiJFUzI1NiIsImtpZCI6IktFWUtFWUtFWTEiLCJ0eXAiOiJKV1QifQ" +
        ".eyJpc3MiOiJURUFNVEVBTTAxIiwiaWF0IjoxNjk5OTk5MjAwfQ" +
        ".JkeW0LX2yg6X-nBFqn57W8v18_yQ_mPjbEyqb1kg-ZHCDucgkjDfeYpLaAvr4XGhW_Bl16w_gv_ZSWnpMdhm5g"
    )
  })

  it("are reused for half an hour, by every application with the same key, and then renewed", () => {
    const tokens = makeProviderTokens()
    const first = tokens.current(credential(), 0)
    expect(tokens.current(credential({ bundle_id: "org.example.other" }), 29 * MINUTE)).toBe(first)
    const second = tokens.current(credential(), 30 * MINUTE)
    expect(second).not.toBe(first)
    expect(tokens.current(credential(), 59 * MINUTE)).toBe(second)
  })

  it("are the same in every process and after every restart, so that all of them are one update for APNs", () => {
    const [one, other] = [makeProviderTokens(), makeProviderTokens()]
    expect(one.current(credential(), 31 * MINUTE)).toBe(other.current(credential(), 58 * MINUTE))
  })

  it("are not shared with an application whose key only bears the same ids", () => {
    const tokens = makeProviderTokens()
    const other = pem(generateKeyPairSync("ec", { namedCurve: "P-256" }).privateKey)
    expect(tokens.current(credential({ private_key: other }), 0)).not.toBe(tokens.current(credential(), 0))
  })

  it("are renewed once when refused as expired, however many batches hear it, and not again within 20 minutes", () => {
    const tokens = makeProviderTokens()
    const first = tokens.current(credential(), 0)
    expect(tokens.refused(credential(), first, MINUTE)).toBe(true)
    const second = tokens.current(credential(), MINUTE)
    expect(second).not.toBe(first)
    expect(tokens.refused(credential(), first, MINUTE)).toBe(true)
    expect(tokens.current(credential(), MINUTE)).toBe(second)
    expect(tokens.refused(credential(), second, 2 * MINUTE)).toBe(false)
    expect(tokens.current(credential(), 2 * MINUTE)).toBe(second)
    expect(tokens.refused(credential(), second, 22 * MINUTE)).toBe(true)
  })

  it("are replaced by others even in the moment of their making", () => {
    const tokens = makeProviderTokens()
    const first = tokens.current(credential(), 30 * MINUTE)
    expect(tokens.refused(credential(), first, 30 * MINUTE)).toBe(true)
    expect(tokens.current(credential(), 30 * MINUTE)).not.toBe(first)
  })

  it("are made anew when the clock was ahead and was set back", () => {
    const tokens = makeProviderTokens()
    const right = makeProviderTokens().current(credential(), 10 * MINUTE)
    const ahead = tokens.current(credential(), 70 * MINUTE)
    expect(tokens.refused(credential(), ahead, 10 * MINUTE)).toBe(true)
    expect(tokens.current(credential(), 10 * MINUTE)).toBe(right)
  })

  it("cannot be made with a key that is unreadable or not of P-256", () => {
    const rsa = pem(generateKeyPairSync("rsa", { modulusLength: 2048 }).privateKey)
    for (const private_key of ["-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----", rsa]) {
      expect(() => makeProviderTokens().current(credential({ private_key }), 0)).toThrow(UnusableKey)
    }
  })
})
