import type { Outcome } from "../../services/ports/Provider.ts"

/** How far a message had got when it failed. `dot`: everything was written, the final dot included. */
export type Stage = "connect" | "envelope" | "data" | "dot"

/** What nodemailer says of a failure. */
export interface SmtpFailure {
  readonly code?: string | undefined
  /** The server's reply, when there was one. */
  readonly response?: string | undefined
  readonly responseCode?: number | undefined
  /** The command that was refused. */
  readonly command?: string | undefined
  readonly message: string
}

/** What a failure asks of the sender (providers.md). */
export type Verdict =
  | { readonly _tag: "Done"; readonly outcome: Outcome }
  /** A policy refused the message; a burst of such refusals is about the sender. */
  | { readonly _tag: "Policy"; readonly reason: string; readonly said: string }

const SERVER_PAUSE_MS = 60_000
const MAILBOX_PAUSE_MS = 30 * 60_000

const done = (outcome: Outcome): Verdict => ({ _tag: "Done", outcome })

/** A server's words, fit for an operator's eyes: one short printable line. */
const shown = (text: string): string =>
  text
    .replace(/[^\x20-\x7e]+/g, " ")
    .trim()
    .slice(0, 200)

const slow = (reason: string): Verdict => done({ _tag: "Slow", scope: "server", reason, afterMs: SERVER_PAUSE_MS })

const hold = (what: string, failure: SmtpFailure): Verdict =>
  done({ _tag: "Hold", reason: `the SMTP server refuses ${what} (${shown(failure.response ?? failure.message)})` })

/** RFC 3463: `550 5.1.1 …` → `5.1.1`. */
const enhancedOf = (response: string): string | null => /^\d{3}[ -](\d\.\d{1,3}\.\d{1,3})\b/.exec(response)?.[1] ?? null

export const verdictOf = (failure: SmtpFailure, stage: Stage): Verdict => {
  const { code, command, response, responseCode: status } = failure
  if (response === undefined || status === undefined || status < 400) return noReply(failure, stage)
  const enhanced = enhancedOf(response)
  const reason = enhanced === null ? `smtp_${status}` : `smtp_${status}_${enhanced}`
  const ofSender = command === "MAIL FROM"
  if (status === 421 || status === 454) return slow(reason)
  if (stage === "connect") {
    // No message was offered yet: whatever the server refuses, it refuses the credential or the engine itself.
    if (status < 500) return slow(reason)
    if (code === "ETLS") return hold("to encrypt the connection", failure)
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
  if ((status === 550 || status === 551 || status === 553) && enhanced?.startsWith("5.1.")) {
    // 5.1.7 and 5.1.8 are the sender's address, as is whatever MAIL FROM is answered.
    return ofSender || enhanced === "5.1.7" || enhanced === "5.1.8"
      ? hold("the sender's address", failure)
      : done({ _tag: "Drop", reason, seenBefore: null })
  }
  if ((status === 550 || status === 554) && enhanced?.startsWith("5.7.")) {
    return { _tag: "Policy", reason, said: shown(response) }
  }
  return done({ _tag: "Fail", reason })
}

/** The connection failed, or the server never answered. */
const noReply = (failure: SmtpFailure, stage: Stage): Verdict => {
  const retry = (reason: string) => done({ _tag: "Retry", reason, afterMs: null })
  if (failure.code === "EAUTH") return hold("the sign-in", failure)
  // The server may have taken the message: it goes again under the same Message-ID.
  if (stage === "dot") return retry("possibly_delivered")
  // Its own SIZE says that it never takes this one.
  if (failure.code === "EMESSAGE") return done({ _tag: "Fail", reason: "payload_too_large" })
  if (failure.code === "ETLS") return retry("tls_failed")
  if (failure.code === "ETIMEDOUT") return retry("timeout")
  return retry(stage === "connect" ? "connection_connect" : "connection_closed")
}

/** Envelope errors that no server was asked about, for example an address that cannot be written. */
export const policyOutcome = (verdict: Extract<Verdict, { _tag: "Policy" }>, blamesSender: boolean): Outcome =>
  blamesSender
    ? { _tag: "Hold", reason: `the SMTP server refuses all mail (${verdict.said})` }
    : { _tag: "Fail", reason: verdict.reason }
