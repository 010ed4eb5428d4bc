import { Clock, Effect, Equal, Hash, Layer, RcMap } from "effect"
import { isIP } from "node:net"
import { domainToASCII } from "node:url"
import type { SmtpCredential } from "../../services/domain/Credential.ts"
import type { ChannelId, NotificationId } from "../../services/domain/Ids.ts"
import { deliveryIdsOf } from "../../services/domain/Ids.ts"
import { isExpired, RefusalRun } from "../../services/domain/Push.ts"
import { Links } from "../../services/ports/Links.ts"
import { OutboundPolicy } from "../../services/ports/OutboundPolicy.ts"
import type { Outcome, Provider, SendBatch } from "../../services/ports/Provider.ts"
import { SmtpProvider } from "../../services/ports/Provider.ts"
import { Settings } from "../config/Settings.ts"
import { trust } from "../config/Trust.ts"
import type { Tracking } from "./Message.ts"
import { compose, isMailable } from "./Message.ts"
import { policyOutcome, verdictOf, type Verdict } from "./Reply.ts"
import type { SmtpServer } from "./SmtpPool.ts"
import { SmtpPool } from "./SmtpPool.ts"

const IDLE = "5 minutes"

interface Server {
  readonly pool: SmtpPool
  /** Refusals by policy in a row. */
  readonly policies: RefusalRun
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

/** Credentials are checked when they are set; one that was set before the check must not throw in every batch. */
const decoded = (text: string): string | undefined => {
  try {
    return decodeURIComponent(text)
  } catch {
    return undefined
  }
}

/** What a credential's URL says; passwords come percent-encoded in it. Null when it cannot be understood. */
const serverOf = (credential: SmtpCredential, name: string, trusted: SmtpServer["tls"]): SmtpServer | null => {
  const url = URL.parse(credential.url)
  if (url === null) return null
  const [hostname, user, pass] = [url.hostname, url.username, url.password].map(decoded)
  if (hostname === undefined || user === undefined || pass === undefined) return null
  // The parser leaves the host of a scheme that it does not know as it stands.
  const bare = hostname.replace(/^\[(.*)\]$/, "$1")
  const host = isIP(bare) === 0 ? domainToASCII(bare) : bare
  if (host === "") return null
  const secure = url.protocol === "smtps:"
  return {
    host,
    port: url.port === "" ? (secure ? 465 : 587) : Number(url.port),
    secure,
    auth: user === "" ? null : { user, pass },
    name,
    // SNI knows no addresses; the certificate is then checked against the address itself.
    tls: { ...trusted, ...(isIP(host) === 0 && { servername: host }) }
  }
}

const make = Effect.gen(function* () {
  const policy = yield* OutboundPolicy
  const links = yield* Links
  const { baseUrl, emailTracking } = yield* Settings
  const trusted = yield* trust
  const hostname = new URL(baseUrl).hostname
  const name = isIP(hostname) === 4 ? `[${hostname}]` : hostname

  /** The engine's own links, to unsubscribe for example, lead where they say. */
  const linkOf = (notificationId: NotificationId) => (destination: string) =>
    destination.startsWith(`${baseUrl}/`) ? null : links.linkUrl(notificationId, destination)

  const servers = yield* RcMap.make({
    lookup: ({ address, server }: Owner) =>
      Effect.acquireRelease(
        Effect.sync((): Server => ({ pool: new SmtpPool(server, address), policies: new RefusalRun() })),
        ({ pool }) => Effect.sync(() => pool.close())
      ),
    idleTimeToLive: IDLE
  })

  const send = Effect.fnUntraced(function* (batch: SendBatch, onOutcome: (index: number, outcome: Outcome) => void) {
    const { message, targets } = batch
    if (batch.credential.config.kind !== "smtp") return yield* Effect.die(new Error("not a credential of SMTP"))
    const credential = batch.credential.config.value
    const all = (outcome: Outcome) => targets.forEach((_, index) => onOutcome(index, outcome))

    const now = yield* Clock.currentTimeMillis
    if (isExpired(message, now)) return all({ _tag: "Fail", reason: "expired" })
    if (!isMailable(message)) return all({ _tag: "Fail", reason: "empty_content" })
    const server = serverOf(credential, name, trusted)
    if (server === null) return all({ _tag: "Hold", reason: "the url of the SMTP credential cannot be understood" })
    const checked = yield* Effect.result(policy.checkHost(server.host, server.port))
    if (checked._tag === "Failure") {
      return all(
        checked.failure.transient
          ? { _tag: "Retry", reason: "server_unresolved", afterMs: null }
          : { _tag: "Hold", reason: `the SMTP server may not be called: ${checked.failure.message}` }
      )
    }
    const { address } = checked.success

    const opens = message.track?.opens ?? emailTracking
    const clicks = message.track?.clicks ?? emailTracking
    const tracking: Tracking = {
      pixel: opens ? links.pixelUrl : null,
      link: clicks ? linkOf(message.notificationId) : null
    }
    const template = yield* Effect.promise(() => compose(message, credential.from, now, tracking))
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
    let accepted = 0
    yield* Effect.scoped(
      Effect.gen(function* () {
        const owner = new Owner(`${batch.credential.appId}:${batch.credential.version}`, server, address)
        const { policies, pool } = yield* RcMap.get(servers, owner)
        // New connections go where the name leads now.
        pool.address = address
        yield* Effect.callback<void>((resume) => {
          const abandon = pool.submit({
            count: targets.length,
            from: template.sender,
            to: (index) => targets[index]!.address,
            write: (index) => {
              const { address, id } = targets[index]!
              return template.write(address, ids[index]!, unsubscribeUrl(id), tokenOf(id))
            },
            onSent: (index) => {
              accepted++
              policies.accepted()
              onOutcome(index, { _tag: "Ok", messageId: ids[index]! })
            },
            onFailure: (index, failure, stage) => {
              const verdict = verdictOf(failure, stage)
              if (verdict._tag === "Done") return onOutcome(index, verdict.outcome)
              policies.refused()
              policyRefusals.push([index, verdict])
            },
            onEnd: () => resume(Effect.void)
          })
          return Effect.sync(abandon)
        })
        const blamesSender = accepted === 0 && policies.blamesCredential
        for (const [index, verdict] of policyRefusals) onOutcome(index, policyOutcome(verdict, blamesSender))
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
