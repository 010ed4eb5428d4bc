/** The code of a mail that was not offered: its sender or recipient is beyond ASCII, and the server takes no such address. */
export const NO_UTF8 = "ENOUTF8"

/** What nodemailer says of a failure. */
export interface SmtpFailure {
  readonly code?: string | undefined
  /** What the system, or TLS, called it. */
  readonly originalCode?: string | undefined
  /** The server's reply, when there was one. */
  readonly response?: string | undefined
  readonly responseCode?: number | undefined
  /** The command that was refused. */
  readonly command?: string | undefined
  readonly message: string
}
