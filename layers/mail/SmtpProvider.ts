import { Clock, Duration, Effect, Equal, Hash, Layer, Option, RcMap, Semaphore } from "effect"
import { asciiAddress } from "../../services/domain/audience/EmailAddress.ts"
import type { ChannelId, NotificationId } from "../../services/domain/Ids.ts"
import { deliveryIdsOf } from "../../services/domain/sending/DeliveryIds.ts"
import { isExpired, RefusalRun } from "../../services/domain/sending/Push.ts"
import { Links } from "../../services/ports/engagement/Links.ts"
import { OutboundPolicy } from "../../services/ports/outbound/OutboundPolicy.ts"
import type { Outcome, Provider, SendBatch } from "../../services/ports/sending/Provider.ts"
import { SmtpProvider } from "../../services/ports/sending/Provider.ts"
import { Settings } from "../config/Settings.ts"
import { trust } from "../config/Trust.ts"
import type { Tracking } from "./Message.ts"
import { compose, isMailable } from "./Message.ts"
import { isDelayed, policyOutcome, POSSIBLY_DELIVERED, recipientOutcome, verdictOf, type Verdict } from "./SmtpReply.ts"
import type { SmtpServer } from "./SmtpPool.ts"
import { SmtpPool } from "./SmtpPool.ts"
import { greetingOf, smtpServerOf } from "./smtpServerOf.ts"

const IDLE = "5 minutes"
/** Characters of a content that is not small: to write it as mail takes a millisecond for every 8,000. */
const LARGE = 65_536

interface Server {
  readonly pool: SmtpPool
  /** Refusals by policy in a row: of the sender or the content, and of recipients. */
  readonly policies: RefusalRun
  readonly recipients: RefusalRun
  /** Recipients in a row for whom it wants to be asked again later. */
  readonly delayed: RefusalRun
}

/** A credential version; the server it names comes along for whoever opens the pool. */
class Owner implements Equal.Equal {
  readonly id: string
  readonly server: SmtpServer
  readonly address: string
  constructor(id: string, server: SmtpServer, address: string) {
    this.id = id
    this.server = server
    this.address = address
  }
  [Equal.symbol](that: Equal.Equal): boolean {
    return that instanceof Owner && that.id === this.id
  }
  [Hash.symbol](): number {
    return Hash.string(this.id)
  }
}

const make = Effect.gen(function* () {
  const policy = yield* OutboundPolicy
  const links = yield* Links
  const { baseUrl, emailTracking } = yield* Settings
  const trusted = yield* trust
  const name = greetingOf(baseUrl)

  /** The engine's own links, to unsubscribe for example, lead where they say. */
  const linkOf = (notificationId: NotificationId) => (destination: string) =>
    destination.startsWith(`${baseUrl}/`) ? null : links.linkUrl(notificationId, destination)

  const servers = yield* RcMap.make({
    lookup: ({ address, server }: Owner) =>
      Effect.acquireRelease(
        Effect.sync((): Server => ({
          pool: new SmtpPool(server, address),
          policies: new RefusalRun(),
          recipients: new RefusalRun(),
          delayed: new RefusalRun()
        })),
        ({ pool }) => Effect.sync(() => pool.close())
      ),
    idleTimeToLive: IDLE
  })

  const turns = Semaphore.makeUnsafe(1)
  /** One after another, with a third of the time in between for all else that the process has to do. */
  const inTurn = <A>(composing: Effect.Effect<A>): Effect.Effect<A> =>
    turns.withPermit(
      Effect.flatMap(Effect.timed(composing), ([took, composed]) =>
        Effect.as(Effect.sleep(Duration.toMillis(took) / 2), composed)
      )
    )

  const send = Effect.fnUntraced(function* (batch: SendBatch, onOutcome: (index: number, outcome: Outcome) => void) {
    const { message, targets } = batch
    if (batch.credential.config.kind !== "smtp") return yield* Effect.die(new Error("not a credential of SMTP"))
    const credential = batch.credential.config.value
    const all = (outcome: Outcome) => targets.forEach((_, index) => onOutcome(index, outcome))

    const now = yield* Clock.currentTimeMillis
    if (isExpired(message, now)) return all({ _tag: "Fail", reason: "expired" })
    if (!isMailable(message)) return all({ _tag: "Fail", reason: "empty_content" })
    const server = smtpServerOf(credential.url, name, trusted)
    if (server === null) return all({ _tag: "Suspend", reason: "the url of the SMTP credential cannot be understood" })
    const checked = yield* Effect.result(policy.checkHost(server.host, server.port))
    if (checked._tag === "Failure") {
      return all(
        checked.failure.transient
          ? { _tag: "Retry", reason: "server_unresolved", afterMs: null }
          : { _tag: "Suspend", reason: `the SMTP server may not be called: ${checked.failure.words}` }
      )
    }
    const { address } = checked.success

    const opens = message.track?.opens ?? emailTracking
    const clicks = message.track?.clicks ?? emailTracking
    const tracking: Tracking = {
      pixel: opens ? links.pixelUrl : null,
      link: clicks ? linkOf(message.notificationId) : null
    }
    const { body = "", html = "" } = message.content
    const composing = Effect.tryPromise(() => compose(message, credential.from, now, tracking)).pipe(
      Effect.tapError(({ cause }) =>
        Effect.annotateLogs(Effect.logError("A mail could not be composed", cause), {
          app_id: message.appId,
          notification_id: message.notificationId
        })
      ),
      Effect.option
    )
    const composed = yield* body.length + html.length > LARGE ? inTurn(composing) : composing
    if (Option.isNone(composed)) return all({ _tag: "Fail", reason: "not_composable" })
    const template = composed.value
    const tokenOf = (channelId: string) =>
      opens || clicks
        ? links.mailToken({
            appId: message.appId,
            channelId: channelId as ChannelId,
            notificationId: message.notificationId,
            sentAt: now
          })
        : undefined
    const deliveryIdOf = deliveryIdsOf(message.notificationId)
    const ids = targets.map((target) => template.idOf(deliveryIdOf(target.id)))
    // RFC 8058 knows only https: an engine that is not reached by it has no link to offer.
    const unsubscribable = message.priority === "bulk" && baseUrl.startsWith("https://")
    const unsubscribeUrl = (channelId: string) =>
      unsubscribable ? links.unsubscribeUrl(message.appId, channelId as ChannelId, message.notificationId) : null

    const policyRefusals: Array<readonly [index: number, verdict: Extract<Verdict, { _tag: "Policy" }>]> = []
    const withheld: Array<number> = []
    let accepted = 0
    yield* Effect.scoped(
      Effect.gen(function* () {
        const owner = new Owner(`${batch.credential.appId}:${batch.credential.version}`, server, address)
        const { delayed, policies, pool, recipients } = yield* RcMap.get(servers, owner)
        const refusesAll = () => accepted === 0 && recipients.blamesCredential
        const isBlamed = () => accepted === 0 && policyRefusals.length > 0 && policies.blamesCredential
        // New connections go where the name leads now.
        pool.address = address
        yield* Effect.callback<void>((resume) => {
          const abandon = pool.submit({
            count: targets.length,
            isHigh: batch.message.priority === "high",
            mayBegin: () => !isBlamed() && batch.mayBegin?.() !== false,
            onWithheld: (index) => void withheld.push(index),
            from: template.sender,
            to: (index) => asciiAddress(targets[index]!.address),
            write: (index) => {
              const { address, id } = targets[index]!
              return template.write(address, ids[index]!, unsubscribeUrl(id), tokenOf(id))
            },
            onSent: (index) => {
              accepted++
              policies.accepted()
              recipients.accepted()
              delayed.accepted()
              onOutcome(index, { _tag: "Ok", messageId: ids[index]! })
            },
            onFailure: (index, failure, stage) => {
              const verdict = verdictOf(failure, stage)
              if (verdict._tag === "Done") {
                if (!isDelayed(failure, verdict.outcome)) return onOutcome(index, verdict.outcome)
                // Greylisting is about one recipient, whom anybody may have chosen: the others go on, unless it is all of them.
                delayed.refused()
                const scope = delayed.blamesCredential ? "server" : "recipient"
                return onOutcome(index, { ...verdict.outcome, scope })
              }
              if (verdict._tag === "RecipientPolicy") {
                // Asked of all, however many it refuses: whoever chose the first addresses may have chosen them for it.
                recipients.refused()
                return onOutcome(index, recipientOutcome(verdict, refusesAll))
              }
              policies.refused()
              policyRefusals.push([index, verdict])
            },
            onEnd: () => resume(Effect.void)
          })
          return Effect.sync(() => {
            for (const index of abandon()) onOutcome(index, POSSIBLY_DELIVERED)
          })
        })
        const blamesSender = isBlamed()
        for (const [index, verdict] of policyRefusals) onOutcome(index, policyOutcome(verdict, blamesSender))
        for (const index of withheld) {
          onOutcome(index, blamesSender ? policyOutcome(policyRefusals[0]![1], true) : { _tag: "Withheld" })
        }
      })
    )
  })

  return { send, window: 500 } satisfies Provider
})

/** Mail over pooled SMTP connections, one recipient a message. */
export const layer: Layer.Layer<SmtpProvider, never, OutboundPolicy | Links | Settings> = Layer.effect(
  SmtpProvider,
  make
)
