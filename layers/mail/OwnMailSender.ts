import { Effect, Layer } from "effect"
import { lookup } from "node:dns/promises"
import { now } from "../../services/ports/Now.ts"
import { MailNotTaken, ServiceMailer } from "../../services/ports/people/ServiceMailer.ts"
import { Settings } from "../config/Settings.ts"
import { trust } from "../config/Trust.ts"
import { compose } from "./Message.ts"
import type { SmtpFailure } from "./SmtpFailure.ts"
import { SmtpPool } from "./SmtpPool.ts"
import type { Stage } from "./SmtpReply.ts"
import { verdictOf } from "./SmtpReply.ts"
import { greetingOf, smtpServerOf } from "./smtpServerOf.ts"

/** What a failure says to whoever looks into the log. */
const SAID = 200

const refused = (failure: SmtpFailure, stage: Stage): MailNotTaken => {
  const verdict = verdictOf(failure, stage)
  return new MailNotTaken({
    reason: (failure.response ?? failure.message).replace(/[^\x20-\x7e]+/g, " ").slice(0, SAID),
    // There is nobody like this, or no such mail. All else may be mended: a password, a policy, a full mailbox.
    isFinal: verdict._tag === "Done" && (verdict.outcome._tag === "Drop" || verdict.outcome._tag === "Fail")
  })
}

/** The service's own mail over SMTP. The server is the operator's: it may be anywhere, this machine included. */
export const layer: Layer.Layer<ServiceMailer, never, Settings> = Layer.effect(
  ServiceMailer,
  Effect.gen(function* () {
    const { baseUrl, mailFrom, smtpUrl } = yield* Settings
    const server = smtpServerOf(smtpUrl ?? "", greetingOf(baseUrl), yield* trust)
    if (server === null) return yield* Effect.die(new Error("SMTP_URL names no server"))
    const pool = yield* Effect.acquireRelease(
      Effect.sync(() => new SmtpPool(server, server.host)),
      (pool) => Effect.sync(() => pool.close())
    )
    const locate = Effect.tryPromise({
      try: () => lookup(server.host),
      catch: (error) => new MailNotTaken({ reason: (error as Error).message, isFinal: false })
    })

    return ServiceMailer.of({
      send: (mail) =>
        Effect.gen(function* () {
          pool.address = (yield* locate).address
          const { html, id, subject, text, to } = mail
          const template = yield* Effect.promise(() =>
            compose({ content: { subject, body: text, html } }, mailFrom, now())
          )
          return yield* Effect.callback<void, MailNotTaken>((resume) => {
            const abandon = pool.submit({
              count: 1,
              from: template.sender,
              to: () => to,
              write: () => template.write(to, template.idOf(id), null),
              onSent: () => resume(Effect.void),
              onFailure: (_, failure, stage) => resume(Effect.fail(refused(failure, stage))),
              onWithheld: () => resume(Effect.fail(new MailNotTaken({ reason: "withheld", isFinal: false }))),
              onEnd: () => {}
            })
            return Effect.sync(abandon)
          })
        })
    })
  })
)
