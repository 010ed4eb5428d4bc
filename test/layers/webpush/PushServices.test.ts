import { generateKeyPairSync, verify } from "node:crypto"
import { describe, expect, it } from "vitest"
import { PushServices } from "../../../layers/webpush/PushServices.ts"

const A = "https://a.example.org"
const B = "https://b.example.org"
const HOUR = 3_600_000
const DAY = 24 * HOUR
const refuse = (services: PushServices, origin: string, times: number) => {
  for (let n = 0; n < times; n++) services.refused("app:1", origin)
}

describe("PushServices", () => {
  it("signs for each service once in hours, with the service as audience and less than a day to live", () => {
    const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" })
    const { d, x, y } = privateKey.export({ format: "jwk" })
    const point = Buffer.concat([Buffer.of(4), Buffer.from(x!, "base64url"), Buffer.from(y!, "base64url")])
    const keys = { subject: "mailto:a@b.c", public_key: point.toString("base64url"), private_key: d! }
    const services = new PushServices()
    const first = services.authorization("app:1", A, keys, 0)
    const [, signed, claims, signature, key] = /^vapid t=([\w-]+\.([\w-]+))\.([\w-]+), k=([\w-]+)$/.exec(first)!
    expect(JSON.parse(Buffer.from(claims!, "base64url").toString())).toEqual({
      aud: A,
      exp: 12 * 3600,
      sub: "mailto:a@b.c"
    })
    expect(key).toBe(keys.public_key)
    const spki = { key: publicKey, dsaEncoding: "ieee-p1363" } as const
    expect(verify("sha256", Buffer.from(signed!), spki, Buffer.from(signature!, "base64url"))).toBe(true)
    expect(services.authorization("app:1", A, keys, 10 * HOUR)).toBe(first)
    expect(services.authorization("app:1", B, keys, 0)).not.toBe(first)
    expect(services.authorization("app:2", A, keys, 0)).not.toBe(first)
    expect(services.authorization("app:1", A, keys, 11 * HOUR)).not.toBe(first)
  })

  it("pauses a service that throttles several in a row, for one owner, and only that service", () => {
    const services = new PushServices()
    services.throttled("app:1", A, 5000, 0)
    services.throttled("app:1", A, 5000, 0)
    expect(services.pause("app:1", A, 0)).toBe(0)
    services.throttled("app:1", A, 5000, 0)
    expect([services.pause("app:1", A, 1000), services.pause("app:1", B, 0), services.pause("app:2", A, 0)]).toEqual([
      4000, 0, 0
    ])
    expect(services.pause("app:1", A, 5000)).toBe(0)
  })

  it("holds the credential only when a whole service refuses it and no service took it lately", () => {
    const services = new PushServices()
    refuse(services, A, 5)
    expect(services.judge("app:1", A, 0, "status 403", "d1", 0)).toMatchObject({ _tag: "Hold" })
    services.accepted("app:1", B, "d2", 0)
    expect(services.judge("app:1", A, 0, "status 403", "d1", 0)).toMatchObject({ _tag: "Slow", scope: "recipient" })
    expect(services.judge("app:1", A, 0, "status 403", "d1", 2 * HOUR)).toMatchObject({ _tag: "Hold" })
    services.accepted("app:1", A, "d3", 0)
    expect(services.judge("app:1", A, 0, "status 403", "d1", 2 * HOUR)).toMatchObject({ _tag: "Fail" })
  })

  it("drops a subscription that still refuses days after it first did, as of that first time", () => {
    const services = new PushServices()
    expect(services.judge("app:1", A, 1, "status 403", "d1", 1000)).toMatchObject({ _tag: "Fail" })
    expect(services.suspended("d1", 0, 1000 + HOUR / 2)).toBe(true)
    expect(services.suspended("d1", 0, 1000 + HOUR)).toBe(false)
    expect(services.judge("app:1", A, 1, "status 403", "d1", DAY)).toMatchObject({ _tag: "Fail" })
    expect(services.judge("app:1", A, 1, "status 403", "d1", 1000 + 3 * DAY)).toEqual({
      _tag: "Drop",
      reason: "subscription_refused",
      seenBefore: 1000
    })
  })

  it("forgets the refusals of a subscription that is accepted or registered again", () => {
    const services = new PushServices()
    services.judge("app:1", A, 1, "status 403", "d1", 0)
    services.accepted("app:1", A, "d1", DAY)
    expect(services.judge("app:1", A, 1, "status 403", "d1", 4 * DAY)).toMatchObject({ _tag: "Fail" })
    expect(services.suspended("d1", 4 * DAY + 1, 4 * DAY + 2)).toBe(false)
    expect(services.judge("app:1", A, 1, "status 403", "d1", 8 * DAY)).toMatchObject({ _tag: "Fail" })
  })

  it("remembers for a while that a service speaks only HTTP/1.1", () => {
    const services = new PushServices()
    services.speaksHttp1(A, 0)
    expect([services.isHttp1(A, 1000), services.isHttp1(B, 1000), services.isHttp1(A, HOUR)]).toEqual([
      true,
      false,
      false
    ])
  })
})
