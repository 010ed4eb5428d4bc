import SMTPConnection from "nodemailer/lib/smtp-connection"
import { HEARING_MS } from "../../services/ports/outbound/Deadline.ts"

/** nodemailer's own, called when nothing was read or written for `socketTimeout`; it ends the connection. */
const { _onTimeout: endForSilence } = SMTPConnection.prototype as unknown as { readonly _onTimeout: () => void }

/**
 * A connection that is listened to for a moment more before its silence ends it. A process that slept hears its timers
 * before its sockets, and a mail that the server has taken meanwhile would go again.
 */
export class SmtpConnection extends SMTPConnection {
  declare readonly _supportedExtensions: ReadonlyArray<string>
  declare readonly _responseQueue: ReadonlyArray<string>

  /** Whether the server takes addresses beyond ASCII (RFC 6531). It has said so by when it is ready to take a mail. */
  get takesUtf8(): boolean {
    return this._supportedExtensions.includes("SMTPUTF8")
  }

  /** Whether the server has said more than it was asked. */
  get hasAnswer(): boolean {
    return this._responseQueue.length > 0
  }

  /** Whether the system has not taken yet all that was written. */
  get isWriting(): boolean {
    return (this._socket ? this._socket.writableLength : 0) > 0
  }

  _onTimeout(): void {
    const socket = this._socket
    const moved = (): number => (socket ? socket.bytesRead + socket.bytesWritten : 0)
    const before = moved()
    // Whatever moves begins the time of silence anew.
    setTimeout(() => {
      if (!this.destroyed && moved() === before) endForSilence.call(this)
    }, HEARING_MS).unref()
  }
}
