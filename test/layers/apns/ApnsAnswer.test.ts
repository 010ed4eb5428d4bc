import { describe, expect, it } from "vitest"
import { verdictOf, type Verdict } from "../../../layers/apns/ApnsAnswer.ts"
import { answer } from "../Sending.ts"

const SENT = 1000
const NOW = 2000
const ID = "0190a000-0000-7000-8000-000000000000"
const of = (status: number, body: object | string, headers: Record<string, string> = {}): Verdict =>
  verdictOf(answer(status, body, headers), ID, SENT, NOW)
const outcome = (verdict: Verdict) => (verdict._tag === "Done" ? verdict.outcome : verdict._tag)
const renews = (verdict: Verdict) => verdict._tag === "Done" && verdict.renew

describe("an answer of APNs", () => {
  it("is OK at 200, with the apns-id", () => {
    expect(outcome(of(200, "", { "apns-id": "X" }))).toEqual({ _tag: "Ok", messageId: "X" })
    expect(outcome(of(200, ""))).toEqual({ _tag: "Ok", messageId: ID })
  })

  it("asks for the other environment at BadDeviceToken, and leaves open at DeviceTokenNotForTopic which is wrong", () => {
    expect(of(400, { reason: "BadDeviceToken" })).toEqual({ _tag: "OtherEnvironment" })
    expect(of(400, { reason: "DeviceTokenNotForTopic" })).toEqual({ _tag: "OtherTopic" })
  })

  it.each(["Unregistered", "ExpiredToken"])("drops at 410 %s unless registered again since its timestamp", (reason) => {
    expect(outcome(of(410, { reason, timestamp: 55 }))).toMatchObject({ _tag: "Drop", seenBefore: 55 })
    expect(outcome(of(410, { reason }))).toMatchObject({ _tag: "Drop", seenBefore: SENT })
  })

  it.each(["BadTopic", "MissingTopic", "TopicDisallowed"])("holds the credential at 400 %s", (reason) => {
    expect(outcome(of(400, { reason }))).toMatchObject({ _tag: "Suspend", reason: expect.stringContaining(reason) })
  })

  it.each([
    "InvalidProviderToken",
    "MissingProviderToken",
    "BadCertificate",
    "BadCertificateEnvironment",
    "Forbidden",
    "UnrelatedKeyIdInToken"
  ])("holds the credential at 403 %s", (reason) => {
    expect(outcome(of(403, { reason }))).toMatchObject({ _tag: "Suspend", reason: expect.stringContaining(reason) })
  })

  it("has a device alone wait at 403 BadEnvironmentKeyInToken: whoever registers it names its environment", () => {
    expect(outcome(of(403, { reason: "BadEnvironmentKeyInToken" }))).toEqual({
      _tag: "Slow",
      scope: "recipient",
      reason: "bad_environment_key_in_token",
      afterMs: 900_000
    })
  })

  it("asks for a new provider token at ExpiredProviderToken", () => {
    expect(of(403, { reason: "ExpiredProviderToken" })).toEqual({ _tag: "Refresh" })
  })

  it.each([
    [400, "IdleTimeout"],
    [500, "InternalServerError"],
    [503, "ServiceUnavailable"],
    [503, "Shutdown"]
  ])("retries %i %s on a new connection", (status, reason) => {
    const verdict = of(status, { reason })
    expect(outcome(verdict)).toMatchObject({ _tag: "Retry", afterMs: null })
    expect(renews(verdict)).toBe(true)
  })

  it("slows the team down for 20 minutes at least, on a new connection, at TooManyProviderTokenUpdates", () => {
    const verdict = of(429, { reason: "TooManyProviderTokenUpdates" }, { "retry-after": "60" })
    expect(outcome(verdict)).toMatchObject({ _tag: "Slow", scope: "team", afterMs: 1_200_000 })
    expect(renews(verdict)).toBe(true)
    expect(outcome(of(429, { reason: "TooManyProviderTokenUpdates" }, { "retry-after": "3600" }))).toMatchObject({
      afterMs: 3_600_000
    })
  })

  it("slows only the device down at TooManyRequests", () => {
    expect(outcome(of(429, { reason: "TooManyRequests" }))).toMatchObject({ _tag: "Slow", scope: "recipient" })
    for (const reason of ["TooManyRequests", "SomethingNew"]) {
      expect(outcome(of(429, { reason }, { "retry-after": "0" }))).toMatchObject({ _tag: "Slow", afterMs: 60_000 })
    }
  })

  it.each([
    [400, "BadPriority"],
    [400, "PayloadEmpty"],
    [404, "BadPath"],
    [405, "MethodNotAllowed"],
    [413, "PayloadTooLarge"]
  ])("fails at %i %s", (status, reason) => {
    expect(outcome(of(status, { reason }))).toMatchObject({ _tag: "Fail" })
  })

  it("is kept as a short line, whatever the reason is, so that deliveries are found by it", () => {
    const reason = `Odd\nreason ${"long".repeat(400)}`
    const said = outcome(of(400, { reason })) as { readonly reason: string }
    expect(said.reason).toMatch(/^odd reason long/)
    expect(said.reason).toHaveLength(200)
    expect(outcome(of(403, { reason }))).toMatchObject({ reason: expect.stringMatching(/^[ -~]{1,300}$/) })
    expect(outcome(of(400, { reason: "" }))).toMatchObject({ reason: "status_400" })
  })

  it("drops nobody for a status without a reason, or with one that Apple does not list", () => {
    for (const body of ["", "<html>", "[]", { reason: 5 }, { reason: "Surprise" }]) {
      for (const status of [400, 404, 410, 413]) expect(outcome(of(status, body))).toMatchObject({ _tag: "Fail" })
      expect(outcome(of(502, body))).toMatchObject({ _tag: "Retry" })
      expect(outcome(of(429, body))).toMatchObject({ _tag: "Slow", scope: "recipient" })
      expect(outcome(of(403, body))).toMatchObject({ _tag: "Suspend" })
    }
  })
})
