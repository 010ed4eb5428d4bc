import { Effect, Layer } from "effect"
import { randomBytes } from "node:crypto"
import * as SecretBox from "../../../../layers/crypto/SecretBox.ts"
import * as IdempotencyStores from "../../../../layers/postgres/access/IdempotencyStore.ts"
import * as HolderStores from "../../../../layers/postgres/operations/HolderStore.ts"
import * as CredentialStores from "../../../../layers/postgres/sending/CredentialStore.ts"
import type { RegisterDevice } from "../../../../services/domain/audience/Device.ts"
import type { AppId, BatchId, NotificationId } from "../../../../services/domain/Ids.ts"
import type { CredentialConfig } from "../../../../services/domain/sending/Credential.ts"
import type { KeptRequest } from "../../../../services/domain/sending/Notification.ts"
import { DeviceStore } from "../../../../services/ports/audience/DeviceStore.ts"
import { uuidv7 } from "../../../../services/ports/NewId.ts"
import type { HolderId } from "../../../../services/ports/operations/HolderStore.ts"
import { CredentialStore } from "../../../../services/ports/sending/CredentialStore.ts"
import type { NewNotification } from "../../../../services/ports/sending/NotificationStore.ts"
import { NotificationStore } from "../../../../services/ports/sending/NotificationStore.ts"
import { HELLO, hotStores, newApp } from "../Stores.ts"

/* Messages that are leased as they are accepted, for the tests of what becomes of them. */

export const stores = Layer.mergeAll(CredentialStores.layer, IdempotencyStores.layer, HolderStores.layer).pipe(
  Layer.provide(SecretBox.layerOf(randomBytes(32))),
  Layer.provideMerge(hotStores)
)

export const HOLDER = 4711 as HolderId
export const LEASE = 60_000
export const TTL = 30_000

const PEM = "-----BEGIN PRIVATE KEY-----\nc2VjcmV0IGtleQ==\n-----END PRIVATE KEY-----"
export const APNS: CredentialConfig = {
  kind: "apns",
  value: { team_id: "TEAM012345", key_id: "KEY0123456", private_key: PEM, bundle_id: "com.example.app" }
}
export const FCM: CredentialConfig = {
  kind: "fcm",
  value: { service_account: { project_id: "p", client_email: "a@p.example", private_key: PEM } }
}
const WEBPUSH: CredentialConfig = {
  kind: "webpush",
  value: { subject: "mailto:a@b.example", public_key: "public-half", private_key: "private-half" }
}

export const newSender = Effect.gen(function* () {
  const app = yield* newApp
  const credentials = yield* CredentialStore
  for (const config of [APNS, FCM, WEBPUSH]) yield* credentials.put(app, config)
  return app
})

export const ios = (more: Partial<RegisterDevice> = {}): RegisterDevice => ({
  token: randomBytes(32).toString("hex"),
  platform: "ios",
  ...more
})
export const android = (more: Partial<RegisterDevice> = {}): RegisterDevice => ({
  token: randomBytes(16).toString("hex"),
  platform: "android",
  ...more
})
export const web = (): RegisterDevice => ({
  token: `https://push.example/{"a",\\b}/${randomBytes(8).toString("hex")}`,
  platform: "web",
  web_push_p256dh: "p-256",
  web_push_auth: "au,th"
})

export const devicesOf = Effect.fnUntraced(function* (app: AppId, devices: ReadonlyArray<RegisterDevice>) {
  const made = yield* (yield* DeviceStore).register(app, devices)
  return made.map(({ id }) => id as string)
})

/** Accepts a message to a device, leased unless said otherwise. */
export const accept = Effect.fnUntraced(function* (
  appId: AppId,
  device: string,
  more: { readonly isLeased?: boolean; readonly request?: KeptRequest } & Partial<NewNotification> = {}
) {
  const notifications = yield* NotificationStore
  const { isLeased = true, request = HELLO, ...over } = more
  const id = uuidv7() as NotificationId
  const batch = uuidv7() as BatchId
  const accepted = yield* notifications.acceptForDevice(
    { id, appId, request, ttlMs: TTL, batches: null, ...over },
    { id: device, batch, lease: isLeased ? { holder: HOLDER, ms: LEASE } : null }
  )
  return { id, batch, accepted }
})
