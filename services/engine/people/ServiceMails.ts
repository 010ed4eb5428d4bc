import { Context, Effect, Layer } from "effect"
import type { AccountAddress } from "../../domain/people/AccountAddress.ts"
import { SecretBox } from "../../ports/access/SecretBox.ts"
import { uuidv7 } from "../../ports/NewId.ts"
import { PeopleSettings } from "../../ports/people/PeopleSettings.ts"
import { ServiceMailer } from "../../ports/people/ServiceMailer.ts"
import type { NewMail, WaitingMail } from "../../ports/people/ServiceMailStore.ts"
import { ServiceMailStore } from "../../ports/people/ServiceMailStore.ts"
import * as Signal from "../operations/Signal.ts"
import type { MailContent } from "./MailTexts.ts"
import { writeMail } from "./MailTexts.ts"

/** Mails of a kind that a process sends at once. No more are taken: what lies here waits for nobody who dies. */
const AT_ONCE = 4
/**
 * How long a server may take for a mail. Who waits for a code is there now; and a server that keeps silent to one address is
 * no reason to keep others waiting.
 */
const TIMEOUT = { codes: "20 seconds", others: "100 seconds" } as const
/** Longer than that: for a process that is frozen. Of one that has died the session has ended (`HolderStore`). */
const LEASE_MS = { codes: 30_000, others: 120_000 } as const
/** How long a process that stops waits for mails that are on their way: cut off, they would go twice. */
const LAST = "10 seconds"
/** How often it is looked for mail of other nodes, and for what is due again. What a dead process had is free three seconds later. */
const LOOK = { codes: "1 second", others: "2 seconds" } as const
/** After how long a mail is tried again that was not taken. A code is good for ten minutes, in which somebody waits for it. */
const RETRY_MS = {
  codes: [5_000, 15_000, 30_000],
  others: [5_000, 15_000, 30_000, 60_000, 300_000, 900_000]
} as const
type Queue = keyof typeof RETRY_MS

/** What somebody waits for who is about to sign in, or has asked for it a moment ago. */
const CODES: ReadonlySet<MailContent["type"]> = new Set(["code", "old_address_code", "new_address_code"])

const place = (id: string): string => `service_mails.sealed:${id}`

/**
 * The service's own mail. It is written with the change that it tells of, and sent afterwards by whoever comes first: a request
 * neither waits for a mail server nor takes longer for an address that gets mail than for one that gets none.
 */
export class ServiceMails extends Context.Service<
  ServiceMails,
  {
    /** `sender`: who has it sent, where one may have many. */
    readonly draft: (email: AccountAddress, content: MailContent, lifetimeMs: number, sender?: string) => NewMail
    /** There may be mail to send. */
    readonly wake: Effect.Effect<void>
    /** Sends what is due. Answers how many mails were looked at. */
    readonly sendDue: Effect.Effect<number>
    /** Sends for as long as it runs. What is on its way when it ends goes on: `sent` waits for it, for a while. */
    readonly run: Effect.Effect<never>
    readonly sent: Effect.Effect<void>
  }
>()("heliograph/engine/ServiceMails") {
  static readonly layer: Layer.Layer<
    ServiceMails,
    never,
    SecretBox | PeopleSettings | ServiceMailer | ServiceMailStore
  > = Layer.effect(
    ServiceMails,
    Effect.gen(function* () {
      const box = yield* SecretBox
      const { baseUrl, registration } = yield* PeopleSettings
      const mailer = yield* ServiceMailer
      const store = yield* ServiceMailStore
      const inboxes = { codes: Signal.make(), others: Signal.make() }

      const draft: ServiceMails["Service"]["draft"] = (email, content, lifetimeMs, sender) => {
        const id = uuidv7()
        const sealed = box.seal(place(id), JSON.stringify(content))
        return { id, email, sealed, isCode: CODES.has(content.type), sender: sender ?? null, lifetimeMs }
      }

      /** Whoever may not sign in gets no code. That is found out here, where nobody waits who could draw conclusions. */
      const isWanted = ({ hasAccount, isDisabled, isInvited }: WaitingMail, content: MailContent): boolean => {
        if (content.type !== "code") return true
        if (hasAccount) return !isDisabled
        return content.purpose === "sign_in" && (registration === "open" || isInvited)
      }

      const sendOne = Effect.fnUntraced(function* (mail: WaitingMail, queue: Queue) {
        const content = JSON.parse(yield* box.open(place(mail.id), mail.sealed)) as MailContent
        if (isWanted(mail, content)) {
          yield* mailer
            .send({ id: mail.id, to: mail.email, ...writeMail(content, baseUrl) })
            .pipe(Effect.timeout(TIMEOUT[queue]))
        }
        yield* store.remove(mail.id)
      })

      const settle = (mail: WaitingMail, queue: Queue) => {
        const delays = RETRY_MS[queue]
        const again = store.postpone(mail.id, delays[mail.attempts - 1] ?? delays.at(-1)!)
        return sendOne(mail, queue).pipe(
          Effect.catchTag("SecretUnreadable", () =>
            Effect.andThen(
              Effect.logWarning("A mail of the service cannot be read with this master key, and is not sent"),
              store.remove(mail.id)
            )
          ),
          Effect.catchTags({
            MailNotTaken: ({ isFinal, reason }) =>
              Effect.andThen(
                Effect.logWarning("A mail of the service was not taken").pipe(
                  Effect.annotateLogs({ reason, final: isFinal })
                ),
                isFinal ? store.remove(mail.id) : again
              ),
            TimeoutError: () =>
              Effect.andThen(Effect.logWarning("The mail server did not answer; the mail is tried again"), again)
          }),
          Effect.catchDefect((defect) =>
            Effect.andThen(Effect.logError("Sending a mail of the service broke; it is tried again", defect), again)
          ),
          // Its lease ends, and the next look finds it.
          Effect.catchTag("StoreError", (error) =>
            Effect.logWarning("A mail of the service waits for the database", error)
          )
        )
      }

      const take = (queue: Queue, limit: number) =>
        store.claim(queue, limit, LEASE_MS[queue]).pipe(
          Effect.catchTag("StoreError", (error) =>
            Effect.as(Effect.logDebug("The service's mail waits for the database", error), [])
          ),
          Effect.catchDefect((defect) => Effect.as(Effect.logError("Looking for the service's mail broke", defect), []))
        )
      const sendDueOf = Effect.fnUntraced(function* (queue: Queue) {
        for (let all = 0; ;) {
          const mails = yield* take(queue, AT_ONCE)
          yield* Effect.forEach(mails, (mail) => settle(mail, queue), { concurrency: AT_ONCE, discard: true })
          all += mails.length
          if (mails.length < AT_ONCE) return all
        }
      })
      const sendDue = Effect.suspend(() =>
        Effect.zipWith(sendDueOf("codes"), sendDueOf("others"), (codes, others) => codes + others)
      )

      /** Of both kinds, on their way. */
      let underWay = 0
      const settled = Signal.make()
      const isAtWork = () => underWay > 0
      /** Each for itself: a code waits for no other mail, however slow the server is with those, and for no other code. */
      const runOf = Effect.fnUntraced(function* (queue: Queue): Effect.fn.Return<never> {
        let free = AT_ONCE
        const freed = Signal.make()
        const isFull = () => free === 0
        const send = (mail: WaitingMail) => {
          free--
          underWay++
          const done = Effect.sync(() => {
            free++
            underWay--
            freed.signal()
            settled.signal()
          })
          return Effect.forkDetach(Effect.ensuring(settle(mail, queue), done))
        }
        while (true) {
          while (isFull()) yield* freed.wait
          const asked = free
          // What was taken is begun, also when the process is told to stop in between.
          const taken = yield* Effect.uninterruptible(
            Effect.tap(take(queue, asked), (mails) => Effect.forEach(mails, send, { discard: true }))
          )
          if (taken.length < asked) yield* Effect.raceFirst(inboxes[queue].wait, Effect.sleep(LOOK[queue]))
        }
      })
      const run = Effect.raceFirst(runOf("codes"), runOf("others"))
      const sent = Effect.suspend(() =>
        Effect.gen(function* () {
          while (isAtWork()) yield* settled.wait
        })
      ).pipe(Effect.timeoutOption(LAST), Effect.asVoid)

      const wake = Effect.sync(() => {
        inboxes.codes.signal()
        inboxes.others.signal()
      })

      return ServiceMails.of({ draft, wake, sendDue, run, sent })
    })
  )

  /** Sends while the layer lives. */
  static readonly running: Layer.Layer<never, never, ServiceMails> = Layer.effectDiscard(
    Effect.flatMap(ServiceMails, ({ run, sent }) =>
      // In the reverse order: it takes no more, and then what is on its way is waited for.
      Effect.andThen(
        Effect.addFinalizer(() => sent),
        Effect.forkScoped(run)
      )
    )
  )
}
