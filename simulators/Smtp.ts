import type { AddressInfo, Socket } from "node:net"
import { SMTPServer, type SMTPServerSession } from "smtp-server"
import type { Certificates } from "./Certificates.ts"
import { headerMistake, readHeaders, textMistake } from "./MailHeaders.ts"
import { authorityOf, Simulator, type Listen, type Running } from "./Simulator.ts"

export interface SmtpOptions extends Listen {
  /** Offers STARTTLS with these; without them the connection stays plain. */
  readonly certificates?: Certificates
  /** Demands AUTH with exactly these; without them AUTH is not offered. */
  readonly auth?: { readonly user: string; readonly pass: string }
  /** Whether every message must carry List-Unsubscribe and List-Unsubscribe-Post; not unless given. */
  readonly bulk?: boolean
  /** Recipients that start with this are refused with 550 5.1.1. */
  readonly unknown?: string
  /** Bytes; 1 MiB unless given. */
  readonly size?: number
}

export interface RunningSmtp extends Running {
  /** How many messages each address (lower case) was sent, repeats included. */
  readonly recipients: () => ReadonlyMap<string, number>
}

/** An error that smtp-server answers with the given reply code. */
const reply = (code: number, text: string): Error => Object.assign(new Error(text), { responseCode: code })

/** What a server says with a code when a rule gives no reason of its own: an enhanced status code comes first. */
const REASON: Readonly<Record<number, string>> = {
  421: "4.7.0 Too many connections, try again later",
  450: "4.7.1 Try again later",
  451: "4.7.1 Try again later",
  452: "4.2.2 Mailbox is full",
  454: "4.7.0 Temporary authentication failure",
  535: "5.7.8 Authentication credentials invalid",
  550: "5.1.1 No such user here",
  552: "5.3.4 Message too big",
  554: "5.7.1 Message refused"
}

/** Starts a mail server that keeps count and no mail. A rule's `status` is an SMTP reply code (451 unless given). */
export const start = async (options: SmtpOptions = {}): Promise<RunningSmtp> => {
  const simulator = new Simulator()
  const recipients = new Map<string, number>()
  /** Which recipient a Message-ID belongs to: shared by two, one of their deliveries would pass for a duplicate. */
  const owners = new Map<string, string>()
  const sockets = new Map<number, Socket>()
  const { auth, certificates } = options

  const mistake = (reason: string, code: number, text: string): Error => {
    simulator.refused(reason)
    return reply(code, text)
  }

  const judge = (message: Buffer, session: SMTPServerSession, done: (error?: Error | null, text?: string) => void) => {
    simulator.requests++
    const { mailFrom, rcptTo } = session.envelope
    const to = rcptTo[0]!.address.toLowerCase()
    const text = textMistake(message)
    if (text !== undefined) return done(mistake(text, 554, `5.6.0 ${text}`))
    const headers = readHeaders(message)
    if (headers === undefined) return done(mistake("malformed header", 554, "5.6.0 Malformed header"))
    const envelope = { from: mailFrom === false ? "" : mailFrom.address, to }
    const wrong = headerMistake(headers, envelope, options.bulk ?? false)
    if (wrong !== undefined) return done(mistake(wrong, 554, `5.6.0 ${wrong}`))
    const messageId = headers.get("message-id")![0]!
    if ((owners.get(messageId) ?? to) !== to) {
      return done(mistake("message-id of another recipient", 554, "5.6.0 message-id of another recipient"))
    }
    const socket = sockets.get(session.remotePort)
    simulator.settle([to, messageId], {
      accept: () => {
        owners.set(messageId, to)
        simulator.ledger.add("", messageId)
        recipients.set(to, (recipients.get(to) ?? 0) + 1)
      },
      ok: () => done(null, `2.0.0 OK queued as ${simulator.ledger.accepted.toString(36).toUpperCase()}`),
      refuse: ({ reason, status }) => {
        // Over HTTP a throttle is 429; in mail it is 421 and the end of the connection.
        const code = status === 429 ? 421 : status === 503 ? 451 : status
        done(reply(code, reason ?? REASON[code] ?? "4.0.0 Refused by rule"))
        if (code === 421) socket?.end()
      },
      goaway: () => {
        done(reply(421, "4.3.2 Service shutting down"))
        socket?.end()
      },
      reset: () => socket?.destroy(),
      close: () => socket?.destroy()
    })
  }

  const disabled = [...(auth === undefined ? ["AUTH"] : []), ...(certificates === undefined ? ["STARTTLS"] : [])]
  const server = new SMTPServer({
    ...(certificates === undefined ? {} : { cert: certificates.cert, key: certificates.key }),
    name: "mail.simulator",
    logger: false,
    disabledCommands: disabled,
    authOptional: auth === undefined,
    // Loopback: a password in the clear is the test's own.
    allowInsecureAuth: true,
    disableReverseLookup: true,
    size: options.size ?? 1 << 20,
    rejectOversized: true,
    closeTimeout: 1,
    onConnect: (_, done) => {
      simulator.connections++
      done()
    },
    onAuth: (given, _, done) =>
      given.username === auth?.user && given.password === auth?.pass
        ? done(null, { user: given.username })
        : done(mistake("authentication", 535, "5.7.8 Authentication credentials invalid")),
    onRcptTo: ({ address }, session, done) => {
      if (session.envelope.rcptTo.length > 0) {
        return done(mistake("more than one recipient", 452, "4.5.3 Too many recipients: one a message"))
      }
      if (options.unknown !== undefined && address.startsWith(options.unknown)) {
        return done(mistake("unknown recipient", 550, "5.1.1 No such user here"))
      }
      done()
    },
    onData: (stream, session, done) => {
      const chunks: Array<Buffer> = []
      stream.on("data", (chunk: Buffer) => chunks.push(chunk))
      // A connection that was lost before the final dot ends the stream with an error: nothing was accepted.
      stream.on("error", () => {})
      stream.on("end", () => {
        if (stream.sizeExceeded) return done(mistake("too large", 552, "5.3.4 Message too big"))
        judge(Buffer.concat(chunks), session, done)
      })
    }
  })
  server.on("error", () => {})
  server.server.on("connection", (socket: Socket) => {
    const port = socket.remotePort
    if (port === undefined) return
    sockets.set(port, socket)
    socket.on("close", () => sockets.delete(port))
  })

  const host = options.host ?? "127.0.0.1"
  await new Promise<void>((resolve, reject) => {
    server.server.once("error", reject)
    server.listen(options.port ?? 0, host, () => resolve())
  })
  const { port } = server.server.address() as AddressInfo
  const login = auth === undefined ? "" : `${encodeURIComponent(auth.user)}:${encodeURIComponent(auth.pass)}@`
  const running = simulator.running({
    port,
    url: `smtp://${login}${authorityOf(options, port)}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        for (const socket of sockets.values()) socket.destroy()
      })
  })
  return {
    ...running,
    recipients: () => recipients,
    reset: () => {
      running.reset()
      recipients.clear()
      owners.clear()
    }
  }
}
