import type { ProviderKind } from "../../domain/sending/Credential.ts"
import type { BatchId } from "../../domain/Ids.ts"
import { uuidv7 } from "../../ports/NewId.ts"
import type { Audience, Content, KeptRequest, Way } from "../../domain/sending/Notification.ts"
import type { AudiencePage } from "../../ports/audience/AudienceStore.ts"
import type { NewBatch } from "../../ports/sending/NotificationStore.ts"

/*
 * Whom a content reaches, and by which provider: the rules that Accept and the planner share.
 */

/** Whether the content has something to show on a device. */
export const hasPush = ({ body, data, title }: Content): boolean =>
  Boolean(title) || Boolean(body) || data !== undefined

/** Whether the content is meant for e-mail too. */
export const hasEmail = ({ html, subject }: Content): boolean => Boolean(subject) || Boolean(html)

/** Whether there is something to read in an inbox. */
export const hasText = ({ body, subject, title }: Content): boolean =>
  Boolean(title) || Boolean(body) || Boolean(subject)

/** What a request says; of a template that is filled later, its parts stand for what they will say. */
export const contentOf = ({ content, template }: KeptRequest): Content => {
  if (template === undefined) return content ?? {}
  return Object.fromEntries(template.parts.map((part) => [part, part === "data" ? {} : "…"]))
}

/** The audience names channels itself, so that any text is content for them. */
export const isChannelsOnly = (to: Audience): boolean => to.channel_ids !== undefined || to.emails !== undefined

/** The ways for which the content has something to say, of those that are asked for. */
export const waysOf = (request: KeptRequest): ReadonlyArray<Way> => {
  const { channels, to } = request
  const content = contentOf(request)
  if (to.emails !== undefined) return ["email"]
  if (to.channel_ids !== undefined) return hasText(content) ? ["email", "inbox"] : ["email"]
  const has: Readonly<Record<Way, boolean>> = {
    push: hasPush(content),
    email: hasEmail(content) || (channels !== undefined && hasText(content)),
    inbox: hasText(content)
  }
  const wanted: ReadonlyArray<Way> = channels ?? ["push", "email"]
  return WAYS.filter((way) => wanted.includes(way) && has[way])
}

const WAYS: ReadonlyArray<Way> = ["push", "email", "inbox"]

const wayOf: Readonly<Record<ProviderKind, Way>> = {
  apns: "push",
  fcm: "push",
  webpush: "push",
  smtp: "email",
  inbox: "inbox"
}

/** The providers that the ways of a notification lead to. */
export const reachedBy = (request: KeptRequest): ((provider: ProviderKind) => boolean) => {
  const ways = waysOf(request)
  return (provider) => ways.includes(wayOf[provider])
}

export const PROVIDERS: ReadonlyArray<ProviderKind> = ["apns", "fcm", "webpush", "smtp", "inbox"]

/** Cuts a page into batches of at most `size` recipients of one provider. */
export const batchesOf = (
  recipients: AudiencePage["recipients"],
  size: number,
  reaches: (provider: ProviderKind) => boolean
): ReadonlyArray<NewBatch> =>
  PROVIDERS.filter(reaches).flatMap((provider) => {
    const all = recipients[provider]
    const batches: Array<NewBatch> = []
    for (let at = 0; at < all.length; at += size) {
      batches.push({ id: uuidv7() as BatchId, provider, recipients: all.slice(at, at + size) })
    }
    return batches
  })
