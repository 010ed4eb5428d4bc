import { Effect } from "effect"
import { generateKeyPairSync, verify } from "node:crypto"
import { describe, expect, it } from "vitest"
import { PushServices } from "../../../layers/webpush/PushServices.ts"

const A = "https://a.example.org"
const B = "https://b.example.org"
const SECOND = 1000
const HOUR = 3_600_000
const DAY = 24 * HOUR
const refuse = (services: PushServices, origin: string, times: number) => {
  for (let n = 0; n < times; n++) services.refused("app:1", origin)
}

describe("PushServices", () => {
  it("signs for each service once in hours, with the service as audience and less than a day to live", async () => {
    const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" })
    const { d, x, y } = privateKey.export({ format: "jwk" })
    const point = Buffer.concat([Buffer.of(4), Buffer.from(x!, "base64url"), Buffer.from(y!, "base64url")])
    const keys = { subject: "mailto:a@b.c", public_key: point.toString("base64url"), private_key: d! }
    const services = new PushServices()
    const authorization = (owner: string, origin: string, now: number) =>
      Effect.runPromise(services.authorization(owner, origin, keys, now))
    const first = await authorization("app:1", A, 0)
    const [, signed, claims, signature, key] = /^vapid t=([\w-]+\.([\w-]+))\.([\w-]+), k=([\w-]+)$/.exec(first!)!
    expect(JSON.parse(Buffer.from(claims!, "base64url").toString())).toEqual({
      aud: A,
      exp: 12 * 3600,
      sub: "mailto:a@b.c"
    })
    expect(key).toBe(keys.public_key)
    // What checks here is other code than what signs.
    const spki = { key: publicKey, dsaEncoding: "ieee-p1363" } as const
    expect(verify("sha256", Buffer.from(signed!), spki, Buffer.from(signature!, "base64url"))).toBe(true)
    expect(await authorization("app:1", A, 10 * HOUR)).toBe(first)
    expect(await authorization("app:1", B, 0)).not.toBe(first)
    expect(await authorization("app:2", A, 0)).not.toBe(first)
    expect(await authorization("app:1", A, 11 * HOUR)).not.toBe(first)
  })

  it("has no authorization from keys that are no pair of P-256", async () => {
    const keys = { subject: "mailto:a@b.c", public_key: "BAAA", private_key: "AAAA" }
    expect(await Effect.runPromise(new PushServices().authorization("app:1", A, keys, 0))).toBe(null)
  })

  it("pauses a service that throttles several in a row, for one owner, and only that service", () => {
    const services = new PushServices()
    services.throttled("app:1", A, 5000, 0)
    services.throttled("app:1", A, 5000, 0)
    expect(services.permit("app:1", A, 0)).toEqual({ _tag: "Open" })
    services.throttled("app:1", A, 5000, 0)
    expect(services.permit("app:1", A, 1000)).toEqual({ _tag: "Paused", afterMs: 4000 })
    for (const [owner, origin, now] of [
      ["app:1", B, 0],
      ["app:2", A, 0],
      ["app:1", A, 5000]
    ] as const) {
      expect(services.permit(owner, origin, now)).toEqual({ _tag: "Open" })
    }
  })

  it("pauses a service for longer each time that it throttles again when a pause is over, until it takes a message", () => {
    const services = new PushServices()
    const pauseFrom = (now: number): number => {
      for (let n = 0; n < 3; n++) services.throttled("app:1", A, 5 * SECOND, now)
      let end = now
      while (services.permit("app:1", A, end)._tag !== "Open") end += SECOND
      return end - now
    }
    const pauses: Array<number> = []
    let now = 0
    for (let n = 0; n < 13; n++) {
      pauses.push(pauseFrom(now) / SECOND)
      now += pauses.at(-1)! * SECOND
    }
    expect(pauses).toEqual([5, 5, 5, 8, 16, 32, 64, 128, 256, 512, 600, 600, 600])
    services.accepted("app:1", A, "device")
    expect(pauseFrom(now)).toBe(5 * SECOND)
  })

  it("tries a paused service with one message each half minute, and asks it for all once it has taken one", () => {
    const services = new PushServices()
    for (let n = 0; n < 3; n++) services.throttled("app:1", A, HOUR, 0)
    const permits = (...seconds: ReadonlyArray<number>) =>
      seconds.map((second) => services.permit("app:1", A, second * SECOND))
    expect(permits(0, 29)).toEqual([30, 1].map((left) => ({ _tag: "Paused", afterMs: left * SECOND })))
    expect(permits(30, 30, 59)).toEqual([
      { _tag: "Probe" },
      { _tag: "Paused", afterMs: 30 * SECOND },
      { _tag: "Paused", afterMs: SECOND }
    ])
    services.throttled("app:1", A, HOUR, 31 * SECOND)
    expect(permits(59, 60)).toEqual([{ _tag: "Paused", afterMs: SECOND }, { _tag: "Probe" }])
    services.accepted("app:1", A, "d1")
    expect(permits(61)).toEqual([{ _tag: "Open" }])
  })

  it("has those refused wait, and nobody else, when a whole service refuses", () => {
    const services = new PushServices()
    refuse(services, A, 5)
    const waits = { _tag: "Slow", scope: "recipient", reason: "service_refuses_sender" }
    expect(services.judge("app:1", A, 0, "d1", 0)).toMatchObject(waits)
    expect(services.suspended("app:1", "d1", 0, 1)).toBe(false)
    expect(services.judge("app:1", A, 1, "d1", 0)).toMatchObject({ _tag: "Fail" })
    expect(services.judge("app:1", B, 0, "d1", 0)).toMatchObject({ _tag: "Fail" })
    services.accepted("app:1", A, "d3")
    expect(services.judge("app:1", A, 0, "d1", 0)).toMatchObject({ _tag: "Fail" })
  })

  it("tells an operator of the refusals of a browser's service alone, once an hour", () => {
    const services = new PushServices()
    const worth = (origin: string, now: number) => services.isWorthSaying("app:1", origin, 0, now)
    const ofBrowsers = [
      "https://fcm.googleapis.com",
      "https://updates.push.services.mozilla.com",
      "https://web.push.apple.com",
      "https://wns2-par02p.notify.windows.com"
    ]
    for (const origin of ofBrowsers) {
      expect(worth(origin, 0)).toBe(false)
      refuse(services, origin, 5)
      expect([worth(origin, 0), worth(origin, HOUR - 1), worth(origin, HOUR)]).toEqual([true, false, true])
      expect(services.isWorthSaying("app:1", origin, 1, 9 * HOUR)).toBe(false)
    }
    const strangers = [
      "https://fcm.googleapis.com.example.org",
      "https://fcm.googleapis.com:8443",
      "https://notify.windows.com"
    ]
    for (const origin of strangers) {
      refuse(services, origin, 5)
      expect(worth(origin, 0)).toBe(false)
    }
  })

  it("drops a subscription that still refuses days after it first did, as of that first time", () => {
    const services = new PushServices()
    expect(services.judge("app:1", A, 1, "d1", 1000)).toMatchObject({ _tag: "Fail" })
    expect(services.suspended("app:1", "d1", 0, 1000 + HOUR / 2)).toBe(true)
    expect(services.suspended("app:1", "d1", 0, 1000 + HOUR)).toBe(false)
    expect(services.judge("app:1", A, 1, "d1", DAY)).toMatchObject({ _tag: "Fail" })
    expect(services.judge("app:1", A, 1, "d1", 1000 + 3 * DAY)).toEqual({
      _tag: "Drop",
      reason: "subscription_refused",
      seenBefore: 1000
    })
  })

  it("forgets the refusals of a subscription that is accepted or registered again", () => {
    const services = new PushServices()
    services.judge("app:1", A, 1, "d1", 0)
    services.accepted("app:1", A, "d1")
    expect(services.judge("app:1", A, 1, "d1", 4 * DAY)).toMatchObject({ _tag: "Fail" })
    expect(services.suspended("app:1", "d1", 4 * DAY + 1, 4 * DAY + 2)).toBe(false)
    expect(services.judge("app:1", A, 1, "d1", 8 * DAY)).toMatchObject({ _tag: "Fail" })
  })

  it("forgets the refusals of all subscriptions when the credential changes", () => {
    const services = new PushServices()
    services.judge("app:1", A, 1, "d1", 0)
    expect(services.suspended("app:1", "d1", 0, 1000)).toBe(true)
    expect(services.suspended("app:2", "d1", 0, 1000)).toBe(false)
    expect(services.judge("app:2", A, 1, "d1", 3 * DAY)).toMatchObject({ _tag: "Fail" })
    expect(services.judge("app:2", A, 1, "d1", 6 * DAY)).toMatchObject({ _tag: "Drop", seenBefore: 3 * DAY })
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
