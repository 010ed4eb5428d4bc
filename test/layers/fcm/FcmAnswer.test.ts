import { describe, expect, it } from "vitest"
import { outcomeOfFailure, verdictOf } from "../../../layers/fcm/FcmAnswer.ts"
import { answer } from "../Sending.ts"

const FCM = "type.googleapis.com/google.firebase.fcm.v1.FcmError"
const BAD_REQUEST = "type.googleapis.com/google.rpc.BadRequest"

const error = (
  code: number,
  status: string,
  fcm: string | null,
  fields: ReadonlyArray<string> | null = null,
  headers: Record<string, string> = {}
) =>
  answer(
    code,
    {
      error: {
        code,
        status,
        message: "words that nobody reads",
        details: [
          ...(fields === null
            ? []
            : [{ "@type": BAD_REQUEST, fieldViolations: fields.map((field) => ({ field, description: "" })) }]),
          ...(fcm === null ? [] : [{ "@type": FCM, errorCode: fcm }])
        ]
      }
    },
    headers
  )
const of = (given: ReturnType<typeof answer>) => {
  const verdict = verdictOf(given, 0)
  return verdict._tag === "Done" ? verdict.outcome : verdict._tag
}

describe("an answer of FCM", () => {
  it("is OK at 200, with the message's name", () => {
    expect(of(answer(200, { name: "projects/p/messages/1" }))).toEqual({
      _tag: "Ok",
      messageId: "projects/p/messages/1"
    })
    expect(of(answer(200, "not json"))).toEqual({ _tag: "Ok", messageId: null })
  })

  it("drops a token at 404 UNREGISTERED", () => {
    expect(of(error(404, "NOT_FOUND", "UNREGISTERED"))).toEqual({
      _tag: "Drop",
      reason: "unregistered",
      seenBefore: null
    })
  })

  it("tells apart, at 400 INVALID_ARGUMENT, what is said of the token and of the message", () => {
    expect(of(error(400, "INVALID_ARGUMENT", "INVALID_ARGUMENT"))).toBe("InvalidArgument")
    expect(of(error(400, "INVALID_ARGUMENT", "INVALID_ARGUMENT", ["message.token"]))).toMatchObject({ _tag: "Drop" })
    expect(of(error(400, "INVALID_ARGUMENT", null, ["message.token"]))).toMatchObject({ _tag: "Drop" })
    expect(of(error(400, "INVALID_ARGUMENT", null, ["message.data[0].value"]))).toMatchObject({ _tag: "Fail" })
    expect(
      of(error(400, "INVALID_ARGUMENT", "INVALID_ARGUMENT", ["message.token", "message.android.ttl"]))
    ).toMatchObject({ _tag: "Fail" })
    expect(of(error(400, "INVALID_ARGUMENT", null))).toMatchObject({ _tag: "Fail" })
  })

  it("leaves 403 SENDER_ID_MISMATCH to be judged with the others of its batch", () => {
    expect(of(error(403, "PERMISSION_DENIED", "SENDER_ID_MISMATCH"))).toBe("SenderMismatch")
  })

  it("holds the credential at 403 PERMISSION_DENIED", () => {
    expect(of(error(403, "PERMISSION_DENIED", null))).toMatchObject({ _tag: "Suspend" })
  })

  it("has a token alone wait at 401 THIRD_PARTY_AUTH_ERROR: whoever registers a device can give a browser's", () => {
    expect(of(error(401, "UNAUTHENTICATED", "THIRD_PARTY_AUTH_ERROR"))).toEqual({
      _tag: "Slow",
      scope: "recipient",
      reason: "third_party_auth_error",
      afterMs: 900_000
    })
  })

  it("asks for a new access token at 401 UNAUTHENTICATED", () => {
    expect(of(error(401, "UNAUTHENTICATED", null))).toBe("Refresh")
    expect(of(answer(401, ""))).toBe("Refresh")
  })

  it("slows the project down at 429 QUOTA_EXCEEDED, for as long as it says, else a minute", () => {
    const slow = (afterMs: number) => ({ _tag: "Slow", scope: "project", reason: "quota_exceeded", afterMs })
    expect(of(error(429, "RESOURCE_EXHAUSTED", "QUOTA_EXCEEDED", null, { "retry-after": "5" }))).toEqual(slow(5000))
    expect(of(error(429, "RESOURCE_EXHAUSTED", null))).toEqual(slow(60_000))
    // A limit that is over at once, or that nobody can read, would have messages sent again at once for days.
    for (const said of ["0", "1.5", "5, 10", "Thu, 01 Jan 1970 00:00:00 GMT"]) {
      expect(of(error(429, "RESOURCE_EXHAUSTED", "QUOTA_EXCEEDED", null, { "retry-after": said }))).toEqual(
        slow(60_000)
      )
    }
    expect(of(answer(429, "<html>"))).toEqual(slow(60_000))
  })

  it("retries 500 INTERNAL and 503 UNAVAILABLE after ten seconds, or later when told so", () => {
    expect(of(error(500, "INTERNAL", "INTERNAL"))).toEqual({ _tag: "Retry", reason: "internal", afterMs: 10_000 })
    expect(of(error(503, "UNAVAILABLE", "UNAVAILABLE", null, { "retry-after": "90" }))).toEqual({
      _tag: "Retry",
      reason: "unavailable",
      afterMs: 90_000
    })
    expect(of(answer(502, "<html>"))).toMatchObject({ _tag: "Retry", afterMs: 10_000 })
  })

  it("drops nobody for a status alone", () => {
    expect(of(answer(404, "<title>Not Found</title>"))).toMatchObject({ _tag: "Suspend" })
    expect(of(error(404, "NOT_FOUND", null))).toMatchObject({ _tag: "Suspend" })
    expect(of(answer(400, ""))).toMatchObject({ _tag: "Fail" })
    expect(of(answer(403, ""))).toMatchObject({ _tag: "Suspend" })
    expect(of(answer(410, "[]"))).toMatchObject({ _tag: "Fail" })
  })

  it("that never came is tried again, at once only if the message was not processed", () => {
    const after = (unprocessed: boolean) => outcomeOfFailure({ reason: "timeout", message: "", unprocessed })
    expect(after(false)).toEqual({ _tag: "Retry", reason: "timeout", afterMs: 10_000, isUnknown: true })
    expect(after(true)).toEqual({ _tag: "Retry", reason: "timeout", afterMs: null })
  })
})
