import { tlsFaultOf } from "../../services/ports/outbound/ConnectionFaults.ts"
import type { TlsFault } from "../../services/ports/outbound/ConnectionFaults.ts"
import type { SmtpFailure } from "./SmtpFailure.ts"

/** Faults of TLS that stay until somebody changes something at the mail server or in the credential: name, and what to do. */
const FAULTS: Readonly<Record<TlsFault | "starttls_missing", string>> = {
  tls_certificate_expired: "the mail server's certificate has expired; renew it there",
  tls_certificate_not_yet_valid: "the mail server's certificate is not valid yet; check the clocks of both machines",
  tls_certificate_unknown_authority:
    "nobody that this engine trusts has signed the mail server's certificate; name its authority with OUTBOUND_CA_FILE, or give the server the whole chain of a public one",
  tls_certificate_wrong_name:
    "the mail server's certificate is for another name; put a name that it has into the credential's url",
  tls_version: "the mail server offers no version of TLS from 1.2 on; update it",
  tls_not_spoken:
    "the mail server speaks no TLS at this port; use smtp:// for one that begins in the clear (often 587 or 25), smtps:// for one that begins with TLS (465)",
  starttls_missing:
    "the mail server does not offer STARTTLS, and a password is never sent in the clear; turn it on there, or use smtps://"
}

/** Whether a failure is TLS's, whatever its kind. */
export const isTlsFailure = ({ code, originalCode }: SmtpFailure): boolean =>
  code === "ETLS" ||
  (originalCode !== undefined && (tlsFaultOf(originalCode) !== null || originalCode.startsWith("ERR_SSL_")))

/** The fault with what to do, for the credential's error; null where trying again may help. */
export const lastingTlsFault = ({
  code,
  command,
  originalCode,
  response,
  responseCode
}: SmtpFailure): string | null => {
  const isRefused = code === "ETLS" && command === "STARTTLS" && responseCode !== undefined && responseCode >= 500
  const fault = isRefused ? "starttls_missing" : tlsFaultOf(originalCode)
  return fault === null ? null : `${fault}: ${FAULTS[fault]} (${isRefused ? response?.slice(0, 100) : originalCode})`
}
