import { Readable } from "node:stream"
import type { ConnectionOptions } from "node:tls"
import { isAscii } from "../../services/domain/audience/EmailAddress.ts"
import type { MailBatch } from "./MailBatch.ts"
import { MailWork } from "./MailBatch.ts"
import { SmtpConnection } from "./SmtpConnection.ts"
import { NO_UTF8, type SmtpFailure } from "./SmtpFailure.ts"
import { type Stage, verdictOf } from "./SmtpReply.ts"

export interface SmtpServer {
  readonly host: string
  readonly port: number
  readonly secure: boolean
  readonly auth: { readonly user: string; readonly pass: string } | null
  /** What the engine calls itself in EHLO. */
  readonly name: string
  readonly tls: Pick<ConnectionOptions, "ca" | "servername">
}

/** Connections that are at work. */
const CONNECTIONS = 8
/**
 * With those that wait for an answer while others have theirs, which are not at work: one mail without an answer keeps its
 * connection for minutes, and nobody else waits for that. A common limit of servers (Postfix) is 50 from one address.
 */
const MOST_CONNECTIONS = 40
/** Of these, for what is high alone. */
const FOR_HIGH = 2
/** So long (ms) a message is under way before another connection may do its connection's work. */
const SILENT_MS = 5_000
/** How often it is looked whether something waits in vain. */
const LOOK_MS = 1_000
const MESSAGES_A_CONNECTION = 500
const CONNECT_MS = 15_000
/** Silence that ends a connection. Servers may think for minutes before they answer the final dot (RFC 5321). */
const SILENCE_MS = 5 * 60_000
/** An idle connection says goodbye before the server does. */
const IDLE_MS = 20_000
const GOODBYE_MS = 1000
/** Failures of a message after which the session goes on. */
const OF_THE_MESSAGE: ReadonlySet<string | undefined> = new Set(["EENVELOPE", "EMESSAGE", NO_UTF8])
/**
 * A connection over which so many messages went may have had its share when the server closes it with 421 (limits of 10, 20
 * or 100 a connection are common). One that is refused earlier, or the next one, says that the server wants less.
 */
const SHARE = 5
/** After a server refused one connection more, it is not asked for it again for so long. */
const FEWER_MS = 60_000

/** A password travels in the clear only within this machine; elsewhere a server without STARTTLS does not get it. */
export const mustEncrypt = (server: Pick<SmtpServer, "auth">, address: string): boolean =>
  server.auth !== null && address !== "::1" && !address.startsWith("127.")

/**
 * How much a failure to connect says: to be told of the number of connections alone hides that the sign-in is refused too.
 */
const weightOf = (failure: SmtpFailure): number => {
  const verdict = verdictOf(failure, "connect")
  if (verdict._tag !== "Done") return 0
  return verdict.outcome._tag === "Suspend" ? 2 : verdict.outcome._tag === "Slow" ? 1 : 0
}

/**
 * A connection: `connecting`, then by turns `sending` (and `resetting` after a refusal) and `idle`, until it is `over`.
 * While it is `leaving`, the server may still count it, and so does the limit.
 */
interface Link {
  /** Whether it carries high messages alone, while there are others. */
  readonly isForHigh: boolean
  state: "connecting" | "idle" | "sending" | "resetting" | "leaving" | "over"
  readonly connection: SmtpConnection
  messages: number
  idle: NodeJS.Timeout | undefined
  /** Since when it sends its message, by `performance.now()`. */
  sendsSince: number
  /** Its message, while it sends. */
  message: { readonly work: MailWork; readonly index: number; stage: Stage } | null
}

/**
 * Connections to one server. Written over nodemailer's connection instead of its pool, because only here is it known
 * whether a message was lost before or after its final dot.
 */
export class SmtpPool {
  readonly #server: SmtpServer
  /** Where new connections go: the address that was checked last. */
  address: string
  #works: Array<MailWork> = []
  readonly #links = new Set<Link>()
  #limit = MOST_CONNECTIONS
  /** Of `performance.now()`. */
  #limitUntil = -Infinity
  /** When the server took a message last. */
  #sentAt = 0
  #look: NodeJS.Timeout | undefined
  /** What said most of connections that did not come about, since one did or the first of them was opened. */
  #unopenedBy: SmtpFailure | undefined
  #closed = false
  readonly #silenceMs: number
  readonly #silentMs: number

  constructor(server: SmtpServer, address: string, silenceMs: number = SILENCE_MS, silentMs: number = SILENT_MS) {
    this.#server = server
    this.address = address
    this.#silenceMs = silenceMs
    this.#silentMs = silentMs
  }

  /**
   * Starts a batch; the answer abandons it: nothing of it is called any more. What the server has not been given whole goes
   * no further. The others are answered, whom it may have taken: their connections wait for its answers, which nobody hears.
   */
  submit(batch: MailBatch): () => ReadonlyArray<number> {
    const work = new MailWork(batch)
    if (batch.count === 0) batch.onEnd()
    else {
      this.#works.push(work)
      this.#pump()
      this.#lookLater()
    }
    return () => {
      work.live = false
      this.#works = this.#works.filter((other) => other !== work)
      const given: Array<number> = []
      for (const link of this.#links) {
        if (link.message?.work !== work) continue
        const { index, stage } = link.message
        if (stage === "dot") given.push(index)
        // What is written in part still goes no further, though nobody can say of its end that it did not get there.
        if (stage === "dot" && !link.connection.isWriting) continue
        link.message = null
        this.#lost(link)
      }
      return given
    }
  }

  close(): void {
    this.#closed = true
    clearTimeout(this.#look)
    for (const link of this.#links) {
      if (link.state === "idle") this.#quit(link)
      else if (link.state !== "leaving") {
        this.#end(link)
        link.connection.close()
      }
    }
  }

  /** The next message, each batch in its turn, and what is high before all else. */
  #take(isForHigh: boolean): readonly [work: MailWork, index: number] | undefined {
    while (this.#works.length > 0) {
      const high = this.#works.findIndex(({ batch }) => batch.isHigh === true)
      if (high === -1 && isForHigh) return undefined
      const [work] = this.#works.splice(Math.max(high, 0), 1) as [MailWork]
      if (work.waiting === 0) continue
      if (work.batch.mayBegin?.() === false) {
        work.withhold()
        continue
      }
      const index = work.take()
      if (work.waiting > 0) this.#works.push(work)
      return [work, index]
    }
    return undefined
  }

  /** Lets go of what waits and may not begin any more. */
  #withhold(): void {
    for (const work of this.#works) {
      if (work.waiting > 0 && work.batch.mayBegin?.() === false) work.withhold()
    }
    this.#works = this.#works.filter((work) => work.waiting > 0)
  }

  #waiting(isHigh?: true): number {
    let waiting = 0
    for (const work of this.#works) if (isHigh === undefined || work.batch.isHigh === true) waiting += work.waiting
    return waiting
  }

  /** While something waits, connections may come to be silent, and what waits may be cancelled. */
  #lookLater(): void {
    if (this.#look !== undefined || this.#closed || this.#works.length === 0) return
    this.#look = setTimeout(() => {
      this.#look = undefined
      this.#withhold()
      this.#pump()
      this.#lookLater()
    }, LOOK_MS).unref()
  }

  /** Whether the server leaves its message alone, and has taken others since. */
  #isSilent({ sendsSince, state }: Link): boolean {
    return state === "sending" && performance.now() - sendsSince > this.#silentMs && this.#sentAt > sendsSince
  }

  #pump(): void {
    for (const link of this.#links) if (link.state === "idle") this.#send(link)
    if (performance.now() >= this.#limitUntil) this.#limit = MOST_CONNECTIONS
    let [connecting, busy, forHigh] = [0, 0, 0]
    for (const link of this.#links) {
      if (link.state === "connecting") connecting++
      if (link.isForHigh) forHigh++
      else if (!this.#isSilent(link)) busy++
    }
    const most = Math.min(this.#limit, MOST_CONNECTIONS - FOR_HIGH)
    let wanted = this.#waiting() - connecting
    for (
      ;
      wanted > 0 && busy < CONNECTIONS && this.#links.size - forHigh < most && this.#links.size < this.#limit;
      wanted--
    ) {
      this.#open(false)
      busy++
      connecting++
    }
    for (let high = this.#waiting(true) - connecting; high > 0 && forHigh < FOR_HIGH; high--) {
      if (this.#links.size >= this.#limit) return
      this.#open(true)
      forHigh++
    }
  }

  #open(isForHigh: boolean): void {
    if (this.#closed) return
    if (this.#links.size === 0) this.#unopenedBy = undefined
    const { auth, name, port, secure, tls } = this.#server
    const connection = new SmtpConnection({
      host: this.address,
      port,
      secure,
      name,
      requireTLS: mustEncrypt(this.#server, this.address),
      tls: { ...tls },
      ...(tls.servername !== undefined && { servername: tls.servername }),
      connectionTimeout: CONNECT_MS,
      greetingTimeout: CONNECT_MS,
      socketTimeout: this.#silenceMs,
      socketCloseTimeout: GOODBYE_MS
    })
    const link: Link = {
      isForHigh,
      state: "connecting",
      connection,
      messages: 0,
      idle: undefined,
      sendsSince: 0,
      message: null
    }
    this.#links.add(link)
    const ready = (error?: SmtpFailure | null) => {
      if (link.state !== "connecting") return
      if (error !== undefined && error !== null) return this.#unopened(link, error)
      this.#unopenedBy = undefined
      link.state = "idle"
      this.#send(link)
    }
    // While it sends, the callback of the message learns of it.
    connection.on("error", (error: SmtpFailure) => {
      if (link.state === "connecting") ready(error)
      else if (link.state !== "sending") this.#lost(link)
    })
    connection.once("end", () => {
      if (link.state === "connecting") ready({ message: "the server closed the connection" })
      else if (link.state !== "sending") this.#lost(link)
    })
    connection.connect((error) => {
      if (error !== undefined || auth === null || !connection.allowsAuth) return ready(error)
      connection.login({ credentials: { ...auth } }, (error) => ready(error))
    })
  }

  /**
   * A connection did not come about. With others, at work or still to come about, it is one too many: servers that take
   * fewer refuse at once, often before they greet the first that they take. The last one says what all who wait must hear.
   */
  #unopened(link: Link, failure: SmtpFailure): void {
    this.#end(link)
    link.connection.close()
    const before = this.#unopenedBy
    const said = before !== undefined && weightOf(before) > weightOf(failure) ? before : failure
    if (this.#links.size > 0) {
      this.#unopenedBy = said
      this.#limit = this.#links.size
      this.#limitUntil = performance.now() + FEWER_MS
      return
    }
    // All alike, they say nothing of how many it takes.
    this.#limit = MOST_CONNECTIONS
    const works = this.#works
    this.#works = []
    for (const work of works) while (work.waiting > 0) work.fail(work.take(), said, "connect")
  }

  #end(link: Link): void {
    link.state = "over"
    clearTimeout(link.idle)
    this.#links.delete(link)
  }

  /** Says goodbye, and does not wait long for the answer. */
  #quit(link: Link): void {
    link.state = "leaving"
    clearTimeout(link.idle)
    link.connection.quit()
    setTimeout(() => this.#lost(link), GOODBYE_MS).unref()
  }

  #send(link: Link): void {
    clearTimeout(link.idle)
    // Of a server that takes few connections it may be the only one.
    const isForHigh = link.isForHigh && Array.from(this.#links).some((other) => !other.isForHigh)
    const next = this.#take(isForHigh)
    if (next === undefined) {
      link.state = "idle"
      link.idle = setTimeout(() => this.#quit(link), IDLE_MS).unref()
      return
    }
    const [work, index] = next
    link.state = "sending"
    link.sendsSince = performance.now()
    const { connection } = link
    const message = work.batch.write(index)
    const under: NonNullable<Link["message"]> = { work, index, stage: "envelope" }
    link.message = under
    // nodemailer begins to read when the server has taken the DATA command, and writes the final dot after the end.
    const body = new Readable({
      read() {
        under.stage = "data"
        // An answer that is there already would be taken for that to the mail: it comes next, and ends the connection.
        if (connection.hasAnswer) return
        this.push(message)
        this.push(null)
        under.stage = "dot"
      }
    })
    const done = (error?: SmtpFailure | Error | null): void => {
      if (link.message !== under) return
      link.message = null
      const { stage } = under
      if ((error === null || error === undefined) && stage !== "dot") {
        // Whatever it took, it was not this mail, and its next answers would be about others.
        work.fail(index, { message: "the server answered before it had the mail" }, stage)
        return this.#lost(link)
      }
      if (error === null || error === undefined) {
        this.#sentAt = performance.now()
        work.sent(index)
        return this.#continue(link)
      }
      const failure = error as SmtpFailure
      // A refusal of this message leaves the session in order.
      const refused = OF_THE_MESSAGE.has(failure.code) && failure.responseCode !== 421
      if (refused && !connection.destroyed) {
        link.state = "resetting"
        connection.reset((error) => (error ? this.#lost(link) : this.#continue(link)))
        work.fail(index, failure, stage)
        return
      }
      // The server may end a connection between two messages: this one was not even announced to it.
      const isUntouched = stage === "envelope" && work.live
      // As often as that happens, it takes a connection each time that has sent some.
      const isUsedUp = isUntouched && failure.responseCode === 421 && link.messages >= SHARE
      const isStale = isUntouched && failure.responseCode === undefined && link.messages > 0
      if ((isUsedUp || isStale) && work.again(index, isUsedUp)) {
        if (!this.#works.includes(work)) this.#works.unshift(work)
      } else work.fail(index, failure, stage)
      this.#lost(link)
    }
    const from = work.batch.from
    const to = work.batch.to(index)
    if (!connection.takesUtf8 && !isAscii(from + to)) {
      const command = isAscii(from) ? "RCPT TO" : "MAIL FROM"
      return done({ code: NO_UTF8, command, message: "it takes no addresses beyond ASCII: it does not offer SMTPUTF8" })
    }
    connection.send({ from, to: [to], size: message.length }, body, done)
  }

  #continue(link: Link): void {
    if (link.state === "over") return
    if (++link.messages >= MESSAGES_A_CONNECTION) {
      this.#quit(link)
      return this.#pump()
    }
    this.#send(link)
  }

  #lost(link: Link): void {
    if (link.state === "over") return
    this.#end(link)
    link.connection.close()
    this.#pump()
  }
}
