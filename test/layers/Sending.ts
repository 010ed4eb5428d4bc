import { Effect, Layer, ManagedRuntime } from "effect"
import type { Context } from "effect"
import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { expect } from "vitest"
import * as Settings from "../../layers/config/Settings.ts"
import * as Http2 from "../../layers/http2/WrapperHttp2Client.ts"
import * as Outbound from "../../layers/outbound/OutboundPolicy.ts"
import * as Pools from "../../layers/outbound/PushPools.ts"
import * as SmallRequestsLayer from "../../layers/outbound/SmallRequests.ts"
import { uuidv7 } from "../../services/ports/NewId.ts"
import type { AppId, NotificationId } from "../../services/domain/Ids.ts"
import type { CredentialConfig } from "../../services/domain/sending/Credential.ts"
import type { Message } from "../../services/domain/sending/Notification.ts"
import type { Target } from "../../services/ports/audience/AudienceStore.ts"
import type { Credential } from "../../services/ports/sending/CredentialStore.ts"
import type { Http2Answer, Http2Client } from "../../services/ports/outbound/Http2Client.ts"
import type { OutboundPolicy } from "../../services/ports/outbound/OutboundPolicy.ts"
import type { SmallRequests } from "../../services/ports/outbound/SmallRequests.ts"
import type { PushPools } from "../../services/ports/outbound/PushPools.ts"
import type { Outcome, Provider, SendBatch, Settled } from "../../services/ports/sending/Provider.ts"
import { makeAuthority, writeCa } from "../../simulators/Certificates.ts"

/** What the tests of the provider layers share: messages, targets, and a provider over the real transports. */

export const APP = uuidv7() as AppId

export const message = (changes: Partial<Message> = {}): Message => ({
  notificationId: uuidv7() as NotificationId,
  appId: APP,
  content: { title: "Sale", body: "Everything must go" },
  priority: "high",
  expiresAt: Date.now() + 3_600_000,
  nowOrNever: false,
  collapseKey: null,
  overrides: {},
  ...changes
})

export const target = (address: string, changes: Partial<Target> = {}): Target => ({
  id: uuidv7(),
  address,
  environment: "production",
  p256dh: null,
  auth: null,
  seenAt: 0,
  ...changes
})

let version = 0
/** A credential of a version of its own, so that no test meets the connections of another. */
export const credential = (config: CredentialConfig): Credential => ({
  appId: APP,
  version: ++version,
  config,
  suspendedReason: null
})

export const answer = (status: number, body: unknown = "", headers: Record<string, string> = {}): Http2Answer => ({
  status,
  header: (name) => headers[name],
  body: typeof body === "string" ? body : JSON.stringify(body)
})

/** Whom every sender here trusts. */
export const authority = makeAuthority()
export const certificates = authority.issue()

export interface Sender {
  /** The outcome of each target; fails when one had none, or more than one. */
  readonly ask: (batch: SendBatch) => Promise<ReadonlyArray<Outcome>>
  /** The same with a credential that was accepted lately: what becomes of those for whom the sender was refused. */
  readonly send: (batch: SendBatch) => Promise<ReadonlyArray<Settled>>
  /** Interrupts the sending at its first outcome; answers the outcomes there were. */
  readonly sendUntilFirst: (batch: SendBatch) => Promise<ReadonlyArray<Outcome>>
  readonly provider: Provider
  readonly close: () => Promise<void>
}

/** A provider over the real HTTP/2 client and outbound rules, which trusts the simulators and may call loopback. */
export const startSender = async <
  I,
  R extends Settings.Settings | Http2Client | OutboundPolicy | PushPools | SmallRequests
>(
  tag: Context.Key<I, Provider>,
  layer: Layer.Layer<I, never, R>,
  env: Record<string, string> = {},
  http2: Layer.Layer<Http2Client, never, Settings.Settings> = Http2.layer
): Promise<Sender> => {
  const folder = await mkdtemp(join(tmpdir(), "heliograph-sender-"))
  const settings = Settings.layer({
    DATA_DIR: folder,
    OUTBOUND_ALLOW_CIDRS: "127.0.0.0/8,::1/128",
    OUTBOUND_CA_FILE: await writeCa(certificates, folder),
    ...env
  })
  const base = Layer.merge(
    http2,
    Layer.merge(Pools.layer, SmallRequestsLayer.layer).pipe(Layer.provideMerge(Outbound.layer))
  ).pipe(Layer.provideMerge(settings))
  const runtime = ManagedRuntime.make(layer.pipe(Layer.provide(base as Layer.Layer<R, Settings.SettingsError>)))
  const provider = await runtime.runPromise(
    Effect.flatMap(Effect.context<I>(), () => tag as never as Effect.Effect<Provider, never, I>)
  )
  const ask: Sender["ask"] = async (batch) => {
    const outcomes: Array<Outcome> = []
    await runtime.runPromise(
      provider.send(batch, (index, outcome) => {
        expect(outcomes[index], `a second outcome of ${index}`).toBeUndefined()
        outcomes[index] = outcome
      })
    )
    expect(outcomes.filter((outcome) => outcome !== undefined)).toHaveLength(batch.targets.length)
    return outcomes
  }
  return {
    provider,
    ask,
    send: async (batch) =>
      (await ask(batch)).map((outcome) => (outcome._tag === "Refused" ? outcome.otherwise() : outcome)),
    sendUntilFirst: async (batch) => {
      const outcomes: Array<Outcome> = []
      const first = Promise.withResolvers<void>()
      const sending = provider.send(batch, (index, outcome) => {
        outcomes[index] = outcome
        first.resolve()
      })
      await runtime.runPromise(
        Effect.raceFirst(
          sending,
          Effect.promise(() => first.promise)
        )
      )
      return outcomes
    },
    close: async () => {
      await runtime.dispose()
      await rm(folder, { recursive: true, force: true })
    }
  }
}
