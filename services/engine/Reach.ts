import type { ProviderKind } from "../domain/Credential.ts"
import type { BatchId } from "../domain/Ids.ts"
import { uuidv7 } from "../domain/Ids.ts"
import type { Audience, Content, SendNotification } from "../domain/Notification.ts"
import type { AudiencePage } from "../ports/AudienceStore.ts"
import type { NewBatch } from "../ports/NotificationStore.ts"

/*
 * Whom a content reaches, and by which provider: the rules that Accept and the planner share.
 */

/** Whether the content has something to show on a device. */
export const hasPush = ({ body, data, title }: Content): boolean =>
  Boolean(title) || Boolean(body) || data !== undefined

/** Whether the content is meant for e-mail too. */
export const hasEmail = ({ html, subject }: Content): boolean => Boolean(subject) || Boolean(html)

/** The audience names e-mail recipients itself, so that any text is e-mail content. */
export const isEmailOnly = (to: Audience): boolean => to.channel_ids !== undefined || to.emails !== undefined

/** The providers for which the content has something to say. */
export const reachedBy =
  ({ content, to }: SendNotification) =>
  (provider: ProviderKind): boolean =>
    provider === "smtp" ? hasEmail(content) || isEmailOnly(to) : hasPush(content)

const PROVIDERS: ReadonlyArray<ProviderKind> = ["apns", "fcm", "webpush", "smtp"]

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
