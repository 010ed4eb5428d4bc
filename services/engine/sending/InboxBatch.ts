import { Effect, Result } from "effect"
import { METADATA_BYTES } from "../../domain/audience/Device.ts"
import type { InboxContent } from "../../domain/inbox/Inbox.ts"
import { inboxContentOf } from "../../domain/inbox/Inbox.ts"
import { uuidv7 } from "../../ports/NewId.ts"
import { now } from "../../ports/Now.ts"
import type { Target } from "../../ports/audience/AudienceStore.ts"
import type { StoreError } from "../../ports/StoreError.ts"
import { bytesOf } from "./Accept.ts"
import type { Rendering } from "./Rendering.ts"
import { failureOf } from "./Rendering.ts"
import { Results, unreached } from "./Results.ts"
import type { Sending } from "./Sending.ts"

interface InboxSending extends Pick<Sending, "batch" | "message" | "rules" | "targets" | "unsubscribed"> {
  /** Set when the messages are filled from a template. */
  readonly rendering: Rendering<StoreError> | undefined
}

/**
 * The results of a batch of inbox messages: there is no provider to ask, the store writes the messages together with
 * their deliveries.
 */
export const inboxBatch = Effect.fnUntraced(function* (sending: InboxSending) {
  const { batch, message, rendering, rules, targets, unsubscribed } = sending
  const results = new Results(batch, rules, Math.random)
  const at = now()
  const known = new Map(targets.map((target) => [target.id, target]))
  const contents = new Map<string, InboxContent>()
  const toFill: Array<Target> = []
  for (const recipient of batch.recipients) {
    const target = known.get(recipient)
    if (target === undefined) results.skip(recipient, unreached(recipient, unsubscribed))
    else if (at >= rules.expiresAt) results.fail(recipient, "expired")
    else if (rendering === undefined) results.add(target, { _tag: "Ok", messageId: uuidv7(at) }, at)
    else toFill.push(target)
  }
  while (toFill.length > 0) {
    const all = yield* rendering!.contentsOf(toFill.map(({ person }) => person))
    for (const [i, target] of toFill.splice(0, all.length).entries()) {
      const { id: recipient } = target
      const filled = all[i]!
      const bytes = Result.isSuccess(filled) ? bytesOf(filled.success.data) : 0
      if (bytes > METADATA_BYTES) results.fail(recipient, "payload_too_large")
      else if (Result.isFailure(filled)) results.add(target, failureOf(filled.failure), at)
      else {
        contents.set(recipient, inboxContentOf(filled.success))
        results.add(target, { _tag: "Ok", messageId: uuidv7(at) }, at)
      }
    }
  }
  const chunk = results.take(at)
  if (rendering === undefined) return { ...chunk, inbox: inboxContentOf(message.content) }
  const nothing = inboxContentOf({})
  const inbox = chunk.final.recipients.map((recipient) => contents.get(recipient) ?? nothing)
  return { ...chunk, inbox }
})
