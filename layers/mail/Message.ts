import MailComposer from "nodemailer/lib/mail-composer"
import { domainToASCII } from "node:url"
import type { Message } from "../../services/domain/Notification.ts"

/** One notification's mail: everything but the lines that name the recipient, written once. */
export interface MailTemplate {
  /** The envelope's sender. */
  readonly sender: string
  /** The whole message for one recipient; `id` without angle brackets. */
  readonly write: (to: string, id: string, unsubscribeUrl: string | null) => Buffer
  /** The Message-ID of a delivery, without angle brackets: the same on every attempt. */
  readonly idOf: (deliveryId: string) => string
}

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

/** `Name <a@b>` or `a@b` → `a@b`, its domain in ASCII. */
const addressOf = (from: string): string => {
  const bare = (/<([^<>]+)>\s*$/.exec(from)?.[1] ?? from).trim()
  const at = bare.lastIndexOf("@")
  return `${bare.slice(0, at)}@${domainToASCII(bare.slice(at + 1)) || bare.slice(at + 1)}`
}

/** Mail without a subject is taken for spam: the first line of the text stands in for it. */
const subjectOf = ({ content }: Message): string => {
  const first = (content.body ?? "").split("\n").find((text) => text.trim() !== "")
  return line(content.subject ?? content.title ?? first?.slice(0, 78) ?? "") || "(no subject)"
}

/** Whether there is anything to mail. */
export const isMailable = ({ content }: Message): boolean =>
  [content.subject, content.title, content.body, content.html].some((part) => part !== undefined && part !== "")

/**
 * multipart/alternative of a text and an HTML part. The subject falls back to the title, the text to it too; the HTML
 * to the text; the url is added to what the engine writes itself, never to the customer's own HTML.
 */
export const compose = async (message: Message, from: string, at: number): Promise<MailTemplate> => {
  const { content } = message
  const body = content.body ?? content.title ?? ""
  const composed = await new MailComposer({
    from,
    subject: subjectOf(message),
    text: content.url === undefined ? body : `${body}\n\n${content.url}`,
    html: content.html ?? htmlOf(body, content.url),
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
  const sender = addressOf(from)
  const domain = sender.slice(sender.lastIndexOf("@") + 1)
  return {
    sender,
    idOf: (deliveryId) => `${deliveryId}@${domain}`,
    write: (to, id, unsubscribeUrl) => {
      let head = `To: ${line(to)}\r\nMessage-ID: <${id}>\r\n`
      if (unsubscribeUrl !== null) {
        head += `List-Unsubscribe: <${unsubscribeUrl}>\r\nList-Unsubscribe-Post: List-Unsubscribe=One-Click\r\n`
      }
      return Buffer.concat([Buffer.from(head), rest])
    }
  }
}
