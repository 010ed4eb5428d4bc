import { randomBytes } from "node:crypto"
import MailComposer from "nodemailer/lib/mail-composer"
import { asciiAddress } from "../../services/domain/audience/EmailAddress.ts"
import type { Message } from "../../services/domain/sending/Notification.ts"
import { senderOf } from "../../services/domain/sending/Sender.ts"
import { encodedSender, encodedWords, needsWords } from "./HeaderText.ts"
import { addPixel, trackLinks } from "./TrackedHtml.ts"

/** One notification's mail: everything but the lines that name the recipient, written once. */
export interface MailTemplate {
  /** The envelope's sender. */
  readonly sender: string
  /**
   * The whole message for one recipient; `id` without angle brackets. `mailToken` stands for the recipient in tracked
   * links and is needed only where there are any.
   */
  readonly write: (to: string, id: string, unsubscribeUrl: string | null, mailToken?: string) => Buffer
  /** The Message-ID of a delivery, without angle brackets: the same on every attempt. */
  readonly idOf: (deliveryId: string) => string
}

/** How the HTML part is tracked. Both answer an address for a mail's token, which has `TOKEN` characters. */
export interface Tracking {
  readonly pixel: ((mailToken: string) => string) | null
  /** Null leaves a link as it is. */
  readonly link: ((destination: string) => ((mailToken: string) => string) | null) | null
}

const NO_TRACKING: Tracking = { pixel: null, link: null }

const track = (html: string, { link, pixel }: Tracking, mark: string): string => {
  const linked = link === null ? html : trackLinks(html, (destination) => link(destination)?.(mark) ?? null)
  return pixel === null ? linked : addPixel(linked, pixel(mark))
}

/**
 * Cuts a composed message where the mark stands. The part that holds it is quoted-printable, which may break a line
 * anywhere in the mark; what is put there is set between soft breaks of its own.
 */
const cut = (composed: Buffer, mark: string): ReadonlyArray<Buffer> =>
  composed
    .toString("latin1")
    .split(new RegExp([...mark].join("(?:=\\r\\n)?")))
    .map((text) => Buffer.from(text, "latin1"))

/** The longest line of quoted-printable has 76 characters, its soft break included. */
const soft = (text: string): Buffer => Buffer.from(`=\r\n${(text.match(/.{1,70}/g) ?? []).join("=\r\n")}=\r\n`)

/** A line of its own in the composed message, to be taken out again: the composer would add a random one. */
const NO_ID = "<none@heliograph.invalid>"
const NO_ID_LINE = Buffer.from(`Message-ID: ${NO_ID}\r\n`)

const line = (text: string): string => text.replace(/\p{Cc}+/gu, " ").trim()

const escape = (text: string): string =>
  text.replace(/[&<>"]/g, (c) => ({ "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" })[c]!)

const htmlOf = (body: string, url: string | undefined): string => {
  const paragraphs = body
    .split(/\r?\n\s*\n/)
    .filter((paragraph) => paragraph.trim() !== "")
    .map((paragraph) => `<p>${escape(paragraph).replace(/\r?\n/g, "<br>")}</p>`)
  const link = url === undefined ? [] : [`<p><a href="${escape(url)}">${escape(url)}</a></p>`]
  return `<!doctype html><html><body>${[...paragraphs, ...link].join("")}</body></html>`
}

/** Mail without a subject is taken for spam: the first line of the text stands in for it. */
const subjectOf = ({ content }: Pick<Message, "content">): string => {
  const first = (content.body ?? "").split("\n").find((text) => text.trim() !== "")
  // Not in the middle of a surrogate pair.
  const start = first?.slice(0, 78).replace(/[\ud800-\udbff]$/, "")
  return line(content.subject || content.title || start || "") || "(no subject)"
}

/** Whether there is anything to mail. */
export const isMailable = ({ content }: Message): boolean =>
  [content.subject, content.title, content.body, content.html].some((part) => part !== undefined && part !== "")

/**
 * multipart/alternative of a text and an HTML part. The subject falls back to the title, the text to it too, and to the
 * subject where there is nothing else; the HTML to the text; the url is added to what the engine writes itself, never to the customer's own HTML.
 */
export const compose = async (
  message: Pick<Message, "content">,
  from: string,
  at: number,
  tracking: Tracking = NO_TRACKING
): Promise<MailTemplate> => {
  // Drawn anew, so that no content can hold it.
  const mark = randomBytes(12).toString("hex")
  const isTracked = tracking.pixel !== null || tracking.link !== null
  const { content } = message
  const subject = subjectOf(message)
  const { address, name } = senderOf(from)
  const sender = asciiAddress(address)
  const isOwnFrom = needsWords(name, "From: ")
  const isOwnSubject = needsWords(subject, "Subject: ")
  const ownFields = [
    ...(isOwnFrom ? [`From: ${encodedSender({ name, address: sender })}\r\n`] : []),
    ...(isOwnSubject ? [`Subject: ${encodedWords(subject)}\r\n`] : [])
  ].join("")
  // A template may leave it empty for some: they get what those have who were given none.
  const ownHtml = content.html === "" ? undefined : content.html
  // A mail without a text is taken for spam, too.
  const body = content.body || content.title || (ownHtml === undefined ? (content.subject ?? "") : "")
  const html = ownHtml ?? htmlOf(body, content.url)
  const composed = await new MailComposer({
    ...(isOwnFrom ? {} : { from: { name, address: sender } }),
    ...(isOwnSubject ? {} : { subject }),
    text: content.url === undefined ? body : `${body}\n\n${content.url}`,
    html: {
      content: isTracked ? track(html, tracking, mark) : html,
      ...(isTracked && { contentTransferEncoding: "quoted-printable" as const })
    },
    date: new Date(at),
    messageId: NO_ID,
    newline: "win",
    disableFileAccess: true,
    disableUrlAccess: true
  })
    .compile()
    .build()
  const found = composed.indexOf(NO_ID_LINE)
  if (found === -1) throw new Error("the composer wrote no Message-ID")
  const rest = Buffer.concat([composed.subarray(0, found), composed.subarray(found + NO_ID_LINE.length)])
  const parts = isTracked ? cut(rest, mark) : [rest]
  const domain = sender.slice(sender.lastIndexOf("@") + 1).toLowerCase()
  return {
    sender,
    idOf: (deliveryId) => `${deliveryId}@${domain}`,
    write: (to, id, unsubscribeUrl, mailToken) => {
      let head = `${ownFields}To: ${asciiAddress(line(to))}\r\nMessage-ID: <${id}>\r\n`
      if (unsubscribeUrl !== null) {
        head += `List-Unsubscribe: <${unsubscribeUrl}>\r\nList-Unsubscribe-Post: List-Unsubscribe=One-Click\r\n`
      }
      if (parts.length === 1 || mailToken === undefined) return Buffer.concat([Buffer.from(head), ...parts])
      const gap = soft(mailToken)
      return Buffer.concat([Buffer.from(head), ...parts.flatMap((part, i) => (i === 0 ? [part] : [gap, part]))])
    }
  }
}
