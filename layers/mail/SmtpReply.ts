import type { Outcome, Settled } from "../../services/ports/sending/Provider.ts"
import { NO_UTF8, type SmtpFailure } from "./SmtpFailure.ts"
import { isTlsFailure, lastingTlsFault } from "./TlsFault.ts"

/** How far a message had got when it failed. `dot`: everything was written, the final dot included. */
export type Stage = "connect" | "envelope" | "data" | "dot"

/** What a failure asks of the sender (providers.md). */
export type Verdict =
  | { readonly _tag: "Done"; readonly outcome: Outcome }
  /** A policy refused the sender or the content, whoever it was for; a burst of such refusals is about the sender. */
  | { readonly _tag: "Policy"; readonly reason: string; readonly said: string }
  /** A policy refused the recipient, as far as the reply tells: whoever chose the address may be to blame for it. */
  | { readonly _tag: "RecipientPolicy"; readonly reason: string; readonly said: string }

const SERVER_PAUSE_MS = 60_000
const MAILBOX_PAUSE_MS = 30 * 60_000

/** Refusals of those whom a policy may let through once the credential is mended. */
const REPAIR_MS = 15 * 60_000

/**
 * Codes that speak of the sender whatever was asked: the account (5.7.8 to 5.7.14), and what SPF, DKIM, DMARC, the
 * reverse name and limits of the rate say of it (5.7.20 to 5.7.29).
 */
const OF_THE_SENDER = /^5\.7\.(8|9|1[0-4]|2\d)$/

const done = (outcome: Outcome): Verdict => ({ _tag: "Done", outcome })

/** A server's words, fit for an operator's eyes: one short printable line. */
const shown = (text: string, most = 200): string =>
  text
    .replace(/[^\x20-\x7e]+/g, " ")
    .trim()
    .slice(0, most)

/** Refusals for good that say why by their enhanced code alone. */
const REFUSED = new Set([550, 551, 553, 554])

/** The server may have taken the message, and has not said so: it goes again under the same Message-ID. */
export const POSSIBLY_DELIVERED = {
  _tag: "Retry",
  reason: "possibly_delivered",
  afterMs: null,
  isUnknown: true
} as const satisfies Settled

/** Characters of what an operator is told to do. */
const TOLD = 400

const slow = (reason: string): Verdict => done({ _tag: "Slow", scope: "server", reason, afterMs: SERVER_PAUSE_MS })

const hold = (what: string, failure: SmtpFailure): Verdict =>
  done({ _tag: "Suspend", reason: `the SMTP server refuses ${what} (${shown(failure.response ?? failure.message)})` })

/** RFC 3463: `550 5.1.1 …` → `5.1.1`. */
const enhancedOf = (response: string): string | null => /^\d{3}[ -](\d\.\d{1,3}\.\d{1,3})\b/.exec(response)?.[1] ?? null

export const verdictOf = (failure: SmtpFailure, stage: Stage): Verdict => {
  const { code, command, response, responseCode: status } = failure
  // What is no reply of SMTP says nothing.
  if (response === undefined || status === undefined || status < 400 || status > 599) return noReply(failure, stage)
  const enhanced = enhancedOf(response)
  const reason = enhanced === null ? `smtp_${status}` : `smtp_${status}_${enhanced}`
  const ofSender = command === "MAIL FROM"
  if (status === 421 || status === 454) return slow(reason)
  const fault = lastingTlsFault(failure)
  if (fault !== null) return done({ _tag: "Suspend", reason: shown(fault, TOLD) })
  if (stage === "connect") {
    // No message was offered yet: whatever the server refuses, it refuses the credential or the engine itself.
    if (status < 500) return slow(reason)
    return hold(code === "EAUTH" ? "the sign-in" : "the connection", failure)
  }
  if ((status === 450 || status === 451) && enhanced?.startsWith("4.7.")) return slow(reason)
  if ((status === 452 && enhanced === "4.2.2") || (status === 552 && enhanced === "5.2.2")) {
    // A full mailbox: hours may help, minutes do not.
    return done({ _tag: "Retry", reason, afterMs: MAILBOX_PAUSE_MS })
  }
  // 503: the session was in the wrong state, which says nothing about the message.
  if (status < 500 || status === 503) return done({ _tag: "Retry", reason, afterMs: null })
  if (status === 530 || status === 535 || code === "EAUTH") return hold("the sign-in", failure)
  const isPolicy = REFUSED.has(status) && enhanced?.startsWith("5.7.") === true
  // No recipient has been named to the server by then.
  if (ofSender && (isPolicy || (REFUSED.has(status) && enhanced === null))) return hold("the sender's address", failure)
  if ((status === 550 || status === 551 || status === 553) && enhanced?.startsWith("5.1.")) {
    // 5.1.7 and 5.1.8 are the sender's address, as is whatever MAIL FROM is answered.
    return ofSender || enhanced === "5.1.7" || enhanced === "5.1.8"
      ? hold("the sender's address", failure)
      : done({ _tag: "Drop", reason, seenBefore: null })
  }
  if (isPolicy) {
    const isOfRecipient = command === "RCPT TO" && !OF_THE_SENDER.test(enhanced)
    return { _tag: isOfRecipient ? "RecipientPolicy" : "Policy", reason, said: shown(response) }
  }
  return done({ _tag: "Fail", reason })
}

/** The connection failed, or the server never answered. */
const noReply = (failure: SmtpFailure, stage: Stage): Verdict => {
  const retry = (reason: string) => done({ _tag: "Retry", reason, afterMs: null })
  if (failure.code === "EAUTH") return hold("the sign-in", failure)
  if (stage === "dot") return done(POSSIBLY_DELIVERED)
  if (failure.code === NO_UTF8) {
    // Another server may take it: nothing is said against the mailbox.
    return failure.command === "MAIL FROM"
      ? hold("the sender's address", failure)
      : done({ _tag: "Fail", reason: "smtputf8_unsupported" })
  }
  // Its own SIZE says that it never takes this one.
  if (failure.code === "EMESSAGE") return done({ _tag: "Fail", reason: "payload_too_large" })
  const fault = lastingTlsFault(failure)
  if (fault !== null) return done({ _tag: "Suspend", reason: shown(fault, TOLD) })
  if (isTlsFailure(failure)) return retry("tls_failed")
  if (failure.code === "ETIMEDOUT") return retry("timeout")
  return retry(stage === "connect" ? "connection_connect" : "connection_closed")
}

/** Whether a server that asks to be slowed down says so of a recipient: it may mean that one alone, as who greylists does. */
export const isDelayed = (
  { command, responseCode }: SmtpFailure,
  outcome: Outcome
): outcome is Extract<Outcome, { _tag: "Slow" }> =>
  outcome._tag === "Slow" && command === "RCPT TO" && (responseCode === 450 || responseCode === 451)

export const policyOutcome = (verdict: Extract<Verdict, { _tag: "Policy" }>, blamesSender: boolean): Settled =>
  blamesSender
    ? { _tag: "Suspend", reason: `the SMTP server refuses all mail (${verdict.said})` }
    : { _tag: "Fail", reason: verdict.reason }

/** `isEnough`: whether all who were asked were refused, and enough of them in a row to blame the credential. */
export const recipientOutcome = (
  { reason, said }: Extract<Verdict, { _tag: "RecipientPolicy" }>,
  isEnough: () => boolean
): Outcome => ({
  _tag: "Refused",
  reason: `the SMTP server refuses all recipients (${said})`,
  isEnough,
  otherwise: () =>
    isEnough() ? { _tag: "Slow", scope: "recipient", reason, afterMs: REPAIR_MS } : { _tag: "Fail", reason }
})
