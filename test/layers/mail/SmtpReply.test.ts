import { describe, expect, it } from "vitest"
import { policyOutcome, recipientOutcome, verdictOf, type Stage } from "../../../layers/mail/SmtpReply.ts"
import { NO_UTF8, type SmtpFailure } from "../../../layers/mail/SmtpFailure.ts"

const reply = (response: string, command = "RCPT TO", code = "EENVELOPE"): SmtpFailure => ({
  code,
  command,
  response,
  responseCode: Number(response.slice(0, 3)),
  message: `refused: ${response}`
})
const of = (failure: SmtpFailure, stage: Stage = "envelope") => {
  const verdict = verdictOf(failure, stage)
  return verdict._tag === "Done" ? verdict.outcome : verdict
}

describe("a reply of an SMTP server", () => {
  it.each(["421 4.7.0 Too many connections", "454 4.7.0 Temporary failure", "450 4.7.1 Later", "451 4.7.1 Later"])(
    "slows the server down at %s",
    (response) => {
      expect(of(reply(response))).toMatchObject({ _tag: "Slow", scope: "server" })
    }
  )

  it("waits long for a full mailbox, and as usual for any other temporary refusal", () => {
    expect(of(reply("452 4.2.2 Mailbox full"))).toMatchObject({ _tag: "Retry", afterMs: 1_800_000 })
    expect(of(reply("552 5.2.2 Mailbox full"))).toMatchObject({ _tag: "Retry", afterMs: 1_800_000 })
    for (const response of [
      "450 4.2.1 Busy",
      "451 4.3.0 Error",
      "452 4.3.1 Disk full",
      "450 later",
      "503 5.5.1 Order"
    ]) {
      expect(of(reply(response))).toMatchObject({ _tag: "Retry", afterMs: null })
    }
  })

  it.each(["530 5.7.0 Authenticate first", "535 5.7.8 Invalid credentials", "534 5.7.9 Mechanism too weak"])(
    "holds the credential at %s",
    (response) => {
      expect(of(reply(response, "AUTH PLAIN", "EAUTH"), "connect")).toMatchObject({
        _tag: "Suspend",
        reason: expect.stringContaining(response)
      })
    }
  )

  it.each(["550 5.1.1 No such user", "551 5.1.6 Moved", "553 5.1.3 Bad address"])(
    "suppresses the address at %s",
    (response) => {
      expect(of(reply(response))).toMatchObject({ _tag: "Drop", seenBefore: null })
    }
  )

  it("suppresses nobody whom only this server cannot take", () => {
    const failure = (command: string) => ({ code: NO_UTF8, command, message: "no SMTPUTF8" })
    expect(of(failure("RCPT TO"))).toEqual({ _tag: "Fail", reason: "smtputf8_unsupported" })
    expect(of(failure("MAIL FROM"))).toEqual({
      _tag: "Suspend",
      reason: "the SMTP server refuses the sender's address (no SMTPUTF8)"
    })
  })

  it("never suppresses a recipient for what is said of the sender, or without an enhanced code", () => {
    expect(of(reply("550 5.1.8 Bad sender"))).toMatchObject({ _tag: "Suspend" })
    expect(of(reply("553 5.1.7 Bad sender", "MAIL FROM"))).toMatchObject({ _tag: "Suspend" })
    expect(of(reply("550 5.1.0 Sender rejected", "MAIL FROM"))).toMatchObject({ _tag: "Suspend" })
    expect(of(reply("550 Mailbox unavailable"))).toEqual({ _tag: "Fail", reason: "smtp_550" })
  })

  it.each(["550 5.7.1 Spam", "554 5.7.1 Blocked"])(
    "fails at %s, and holds the credential for a burst of it",
    (response) => {
      const verdict = verdictOf(reply(response, "DATA", "EMESSAGE"), "dot")
      if (verdict._tag !== "Policy") throw new Error(`not a policy: ${verdict._tag}`)
      expect(policyOutcome(verdict, false)).toMatchObject({ _tag: "Fail" })
      expect(policyOutcome(verdict, true)).toMatchObject({ _tag: "Suspend", reason: expect.stringContaining(response) })
    }
  )

  it.each(["550 5.7.1 Not authorized", "553 5.7.1 Rejected", "554 5.7.1 Relay access denied"])(
    "leaves open at %s of a recipient whom it is about",
    (response) => {
      const verdict = verdictOf(reply(response), "envelope")
      if (verdict._tag !== "RecipientPolicy") throw new Error(`not about a recipient: ${verdict._tag}`)
      const reason = `smtp_${response.slice(0, 3)}_5.7.1`
      const judged = (isEnough: boolean) => {
        const outcome = recipientOutcome(verdict, () => isEnough)
        return outcome._tag === "Refused" ? [outcome.reason, outcome.isEnough?.(), outcome.otherwise()] : outcome
      }
      const said = `the SMTP server refuses all recipients (${response})`
      expect(judged(false)).toEqual([said, false, { _tag: "Fail", reason }])
      expect(judged(true)).toEqual([said, true, { _tag: "Slow", scope: "recipient", reason, afterMs: 900_000 }])
    }
  )

  it.each(["550 5.7.23 SPF", "550 5.7.25 No reverse name", "554 5.7.13 Account disabled", "550 5.7.26 DMARC"])(
    "takes %s for the sender's, whatever was asked",
    (response) => expect(verdictOf(reply(response), "envelope")).toMatchObject({ _tag: "Policy" })
  )

  it.each(["553 5.7.1 Sender address rejected: not owned by user", "550 5.7.1 Over your limit", "550 Rejected"])(
    "suspends the credential at %s, when nobody but the sender was named",
    (response) => expect(of(reply(response, "MAIL FROM"))).toMatchObject({ _tag: "Suspend" })
  )

  it("fails at 552 5.3.4 and at what is refused for good otherwise", () => {
    expect(of(reply("552 5.3.4 Too big", "DATA", "EMESSAGE"), "dot")).toEqual({
      _tag: "Fail",
      reason: "smtp_552_5.3.4"
    })
    expect(of(reply("554 5.6.0 Malformed", "DATA", "EMESSAGE"), "dot")).toMatchObject({ _tag: "Fail" })
  })

  it("to the connection itself is about the credential, never about a message", () => {
    for (const response of ["554 5.7.1 Blocked", "550 5.1.1 Go away", "554 No"]) {
      expect(of(reply(response, "CONN", "EPROTOCOL"), "connect")).toMatchObject({ _tag: "Suspend" })
    }
    expect(of(reply("502 5.5.1 Unknown command", "STARTTLS", "ETLS"), "connect")).toMatchObject({
      _tag: "Suspend",
      reason: expect.stringContaining("starttls_missing")
    })
    expect(of(reply("450 4.3.2 Not now", "CONN", "EPROTOCOL"), "connect")).toMatchObject({
      _tag: "Slow",
      scope: "server"
    })
  })

  it("that never came leaves it open, after the final dot alone, whether the mail was delivered", () => {
    const lost = { code: "ECONNECTION", command: "CONN", message: "Connection closed unexpectedly" }
    expect(of(lost, "dot")).toEqual({
      _tag: "Retry",
      reason: "possibly_delivered",
      afterMs: null,
      isUnknown: true
    })
    for (const stage of ["connect", "envelope", "data"] as const) {
      expect(of(lost, stage)).toMatchObject({ _tag: "Retry" })
      expect(of(lost, stage)).not.toMatchObject({ reason: "possibly_delivered" })
    }
    expect(of({ code: "ETIMEDOUT", message: "Timeout" }, "dot")).toMatchObject({ reason: "possibly_delivered" })
    expect(of({ code: "EAUTH", message: "Missing credentials" }, "connect")).toMatchObject({ _tag: "Suspend" })
  })
})
