import { Cache, Effect, Option } from "effect"
import type { AppId } from "../../domain/Ids.ts"
import type { CredentialKind } from "../../domain/sending/Credential.ts"
import { AudienceStore } from "../../ports/audience/AudienceStore.ts"
import { EngineSettings } from "../../ports/EngineSettings.ts"
import { JobQueue } from "../../ports/operations/JobQueue.ts"
import { Metrics } from "../../ports/operations/Metrics.ts"
import { Tracing } from "../../ports/operations/Tracing.ts"
import { BatchStore } from "../../ports/sending/BatchStore.ts"
import type { Credential } from "../../ports/sending/CredentialStore.ts"
import { CredentialStore } from "../../ports/sending/CredentialStore.ts"
import { NotificationStore } from "../../ports/sending/NotificationStore.ts"
import type { Provider } from "../../ports/sending/Provider.ts"
import { ApnsProvider, FcmProvider, SmtpProvider, WebPushProvider } from "../../ports/sending/Provider.ts"
import type { StoreError } from "../../ports/StoreError.ts"
import { makeWakeUps } from "../operations/WakeUps.ts"
import { WriteGate } from "../operations/WriteGate.ts"
import type { ChunkWriting } from "./ChunkWriter.ts"
import type { CredentialProbes } from "./CredentialProbes.ts"
import { makeCredentialProbes } from "./CredentialProbes.ts"
import type { Rooms } from "./MessageRooms.ts"
import { MessageRooms } from "./MessageRooms.ts"
import type { PreparedMessages } from "./PreparedMessages.ts"
import { makePreparedMessages, unlessFailed } from "./PreparedMessages.ts"

/** What all batches share. */
export interface Means extends ChunkWriting {
  readonly audiences: AudienceStore["Service"]
  readonly credentials: CredentialStore["Service"]
  readonly settings: EngineSettings["Service"]
  readonly providers: Readonly<Record<CredentialKind, Provider>>
  readonly probes: CredentialProbes
  readonly messages: PreparedMessages
  readonly rooms: Rooms
  /** By application, kind and version. */
  readonly versions: Cache.Cache<string, Option.Option<Credential>, StoreError>
  calls: number
}

export const makeMeans = Effect.gen(function* () {
  const credentials = yield* CredentialStore
  // Made before the finalizers of those who send, so that it closes after them: what the last batches have to tell is
  // told.
  const wakeUp = yield* makeWakeUps(yield* JobQueue)
  const means: Means = {
    store: yield* BatchStore,
    audiences: yield* AudienceStore,
    notifications: yield* NotificationStore,
    credentials,
    settings: yield* EngineSettings,
    gate: yield* WriteGate,
    metrics: yield* Metrics,
    tracing: yield* Tracing,
    wakeWebhook: (id) => wakeUp({ type: "WebhookV1", id, priority: "bulk" }),
    providers: {
      apns: yield* ApnsProvider,
      fcm: yield* FcmProvider,
      webpush: yield* WebPushProvider,
      smtp: yield* SmtpProvider
    },
    probes: makeCredentialProbes(),
    messages: yield* makePreparedMessages,
    rooms: yield* MessageRooms,
    // By version, which a claimed batch brings along: what is remembered is never out of date.
    versions: yield* Cache.makeWith(
      (key: string) => {
        const [appId, kind] = key.split(":")
        return credentials.find(appId as AppId, kind as CredentialKind)
      },
      { capacity: 4096, timeToLive: unlessFailed("1 hour") }
    ),
    calls: 0
  }
  return means
})

/** Tells other processes that a credential version works. One that could not is told with the next batch. */
export const noteAcceptance = (
  { credentials, probes }: Means,
  { appId, config, version }: Credential,
  acceptedAt: number | null
) =>
  Effect.suspend(() =>
    probes.notes(version, acceptedAt) ? credentials.accepted(appId, config.kind, version) : Effect.void
  ).pipe(Effect.catch(() => Effect.sync(() => probes.unnoted(version))))
