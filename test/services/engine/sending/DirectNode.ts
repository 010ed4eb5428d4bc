import { Context, Effect, Exit, Layer, Option, Scope } from "effect"
import { SqlClient } from "effect/sql"
import { randomBytes } from "node:crypto"
import { layer as settingsOf } from "../../../../layers/config/Settings.ts"
import * as SecretBox from "../../../../layers/crypto/SecretBox.ts"
import { layer as liquid } from "../../../../layers/liquid/TemplateEngine.ts"
import * as LocalDirect from "../../../../layers/local/DirectSends.ts"
import * as AudienceStores from "../../../../layers/postgres/audience/AudienceStore.ts"
import * as Holders from "../../../../layers/postgres/operations/Holder.ts"
import * as BatchStores from "../../../../layers/postgres/sending/BatchStore.ts"
import * as CredentialStores from "../../../../layers/postgres/sending/CredentialStore.ts"
import * as NotificationStores from "../../../../layers/postgres/sending/NotificationStore.ts"
import type { Platform } from "../../../../services/domain/audience/Device.ts"
import type { AppId, DeviceId, NotificationId } from "../../../../services/domain/Ids.ts"
import type { CredentialConfig } from "../../../../services/domain/sending/Credential.ts"
import type { Message, SendNotification } from "../../../../services/domain/sending/Notification.ts"
import { Templates } from "../../../../services/engine/messages/Templates.ts"
import { WriteGate } from "../../../../services/engine/operations/WriteGate.ts"
import { Accept } from "../../../../services/engine/sending/Accept.ts"
import { Dispatcher } from "../../../../services/engine/sending/Dispatcher.ts"
import { laneKey } from "../../../../services/engine/sending/Lane.ts"
import type { Target } from "../../../../services/ports/audience/AudienceStore.ts"
import { AudienceStore } from "../../../../services/ports/audience/AudienceStore.ts"
import { DeviceStore } from "../../../../services/ports/audience/DeviceStore.ts"
import { JobQueue } from "../../../../services/ports/operations/JobQueue.ts"
import { BatchStore } from "../../../../services/ports/sending/BatchStore.ts"
import { CredentialStore } from "../../../../services/ports/sending/CredentialStore.ts"
import { NotificationStore } from "../../../../services/ports/sending/NotificationStore.ts"
import { DirectSends } from "../../../../services/ports/sending/DirectSends.ts"
import type { Outcome, Provider } from "../../../../services/ports/sending/Provider.ts"
import {
  ApnsProvider,
  FcmProvider,
  SmtpProvider,
  WebPushProvider
} from "../../../../services/ports/sending/Provider.ts"
import { Outage } from "../../../doubles/Outage.ts"
import { hotStores, newApp } from "../../../layers/postgres/Stores.ts"

/*
 * A process that accepts messages and sends them itself, over the real stores: everything but its providers, which do
 * as each test says.
 */

export const shared = CredentialStores.layer.pipe(
  Layer.provide(SecretBox.layerOf(randomBytes(32))),
  Layer.provideMerge(hotStores)
)

/** What a provider was asked to send. */
export interface Asked {
  readonly message: Message
  readonly target: Target
  /** Of the same call. */
  readonly together: number
}

export const OK: Outcome = { _tag: "Ok", messageId: "m" }

/** A push service. It accepts everything, unless `answer` says otherwise; what `mayBegin` refuses it is not asked. */
export class Service {
  readonly asked: Array<Asked> = []
  answer: (asked: Asked) => Effect.Effect<Outcome> = () => Effect.succeed(OK)
  /** Whether what it is asked waits for a stream. */
  isFull = false
  /** Runs before each message begins, and before `mayBegin` is asked. */
  before: (target: Target) => Effect.Effect<void> = () => Effect.void

  provider(takesEach: boolean): Provider {
    return {
      takesEach,
      window: 100,
      send: ({ each, mayBegin, message, onBegun, targets }, onOutcome) =>
        Effect.forEach(
          targets,
          (target, i) =>
            Effect.andThen(
              this.before(target),
              Effect.suspend(() => {
                if (mayBegin?.() === false) return Effect.sync(() => onOutcome(i, { _tag: "Withheld" }))
                const asked = { message: each?.[i] ?? message, target, together: targets.length }
                this.asked.push(asked)
                if (!this.isFull) onBegun?.(i)
                return Effect.map(this.answer(asked), (outcome) => onOutcome(i, outcome))
              })
            ),
          { concurrency: "unbounded", discard: true }
        )
    }
  }
}

const PEM = "-----BEGIN PRIVATE KEY-----\nc2VjcmV0IGtleQ==\n-----END PRIVATE KEY-----"
export const APNS: CredentialConfig = {
  kind: "apns",
  value: { team_id: "TEAM012345", key_id: "KEY0123456", private_key: PEM, bundle_id: "com.example.app" }
}
export const FCM: CredentialConfig = {
  kind: "fcm",
  value: { service_account: { project_id: "p", client_email: "a@p.example", private_key: PEM } }
}
const CREDENTIALS = [APNS, FCM]

/** An application with credentials of APNs and FCM. */
export const newSender = Effect.gen(function* () {
  const app = yield* newApp
  const credentials = yield* CredentialStore
  for (const config of CREDENTIALS) yield* credentials.put(app, config)
  return app
})

export const newDevices = Effect.fnUntraced(function* (
  app: AppId,
  count: number,
  platform: Platform = "android",
  user?: string
) {
  const devices = yield* DeviceStore
  const made = yield* devices.register(
    app,
    Array.from({ length: count }, () => ({
      token: platform === "ios" ? randomBytes(32).toString("hex") : randomBytes(8).toString("hex"),
      platform,
      ...(user !== undefined && { user_id: user })
    }))
  )
  return made.map(({ id }) => id as string)
})

export interface NodeOptions {
  readonly env?: Readonly<Record<string, string>>
  readonly drainMs?: number
  /** False: all is left to lanes. */
  readonly isDirect?: boolean
  /** It sends what it has accepted itself, and nothing else. */
  readonly onlyOwn?: boolean
}

/** Such a process, until the scope closes or it is stopped. */
export const makeNode = Effect.fnUntraced(function* ({
  drainMs = 60_000,
  env = {},
  isDirect = true,
  onlyOwn = false
}: NodeOptions = {}) {
  const outage = new Outage()
  const [apns, fcm] = [new Service(), new Service()]
  const settings = settingsOf(env)
  const sql = yield* SqlClient.SqlClient
  const stores = Layer.mergeAll(
    outage.over(AudienceStore, AudienceStores.layer),
    outage.over(BatchStore, BatchStores.layer),
    outage.over(NotificationStore, NotificationStores.layer),
    outage.over(CredentialStore, Layer.succeed(CredentialStore, yield* CredentialStore))
  )
  let wake: ((id: string, priority: "high" | "bulk") => Effect.Effect<void>) | null = null
  const [toPlan, toSend] = [[] as Array<string>, [] as Array<string>]
  const queue = Layer.mock(JobQueue, {
    reachesOthers: () => false,
    publish: (jobs) =>
      Effect.forEach(
        jobs,
        ({ id, priority, type }) => {
          if (type === "PlanV1") toPlan.push(id)
          if (type === "SendV1") toSend.push(id)
          // Others are told, who are not here.
          return type === "SendV1" && !onlyOwn && wake !== null ? wake(id, priority) : Effect.void
        },
        { discard: true }
      )
  })
  const providers = Layer.mergeAll(
    Layer.succeed(ApnsProvider, apns.provider(true)),
    Layer.succeed(FcmProvider, fcm.provider(false)),
    Layer.mock(WebPushProvider, { window: 1 }),
    Layer.mock(SmtpProvider, { window: 1 })
  )
  const scope = yield* Effect.acquireRelease(Scope.make(), (scope) => Scope.close(scope, Exit.void))
  // As in src/app.ts: who accepts goes on while those who send drain.
  const base = yield* (isDirect ? LocalDirect.layer : Layer.empty).pipe(
    Layer.provideMerge(stores),
    Layer.provideMerge(Holders.layer),
    Layer.provideMerge(queue),
    Layer.provideMerge(settings),
    Layer.provideMerge(Templates.layer.pipe(Layer.provide(liquid))),
    Layer.fresh,
    Layer.buildWithScope(scope)
  )
  const accepting = yield* Accept.layer.pipe(Layer.buildWithScope(scope), Effect.provide(base))
  const accept = Context.get(accepting, Accept)
  const working = yield* Scope.fork(scope)
  const { dispatcher, gate } = yield* Effect.gen(function* () {
    return { dispatcher: yield* Dispatcher, gate: yield* WriteGate }
  }).pipe(
    Effect.provide(
      yield* (onlyOwn ? Dispatcher.layerOfOwn(drainMs) : Dispatcher.layer(drainMs)).pipe(
        Layer.provide(providers),
        Layer.provideMerge(WriteGate.layer),
        Layer.orDie,
        Layer.buildWithScope(working),
        Effect.provide(base)
      )
    )
  )
  const wakeLane = (id: string, priority: "high" | "bulk") => {
    const key = laneKey(id, priority)
    return key === null ? Effect.void : dispatcher.wake(key)
  }
  wake = wakeLane

  const send = (app: AppId, device: string, more: Partial<SendNotification> = {}) =>
    Effect.map(
      accept.send(app, { to: { device_ids: [device as DeviceId] }, content: { title: "Hello" }, ...more }),
      ({ id }) => id
    )
  const row = (id: NotificationId) =>
    Effect.map(
      sql<{
        readonly status: string
        readonly sent: number
        readonly failed: number
        readonly skipped: number
        readonly pending: number
      }>`
        SELECT n.status, sum(b.sent)::integer AS sent, sum(b.failed)::integer AS failed, sum(b.skipped)::integer AS skipped,
          sum(b.pending)::integer AS pending
        FROM notifications n JOIN all_batches b ON b.notification_id = n.id WHERE n.id = ${id} GROUP BY n.id`,
      (rows) => rows[0]!
    ).pipe(Effect.orDie)
  return {
    /** Who would take a message of the application now. */
    taker: (app: AppId) => Context.get(base, DirectSends).taker(app, "bulk"),
    outage,
    /** Notifications that a planner was told of, who is not here. */
    toPlan,
    /** Lanes that others were told of. */
    toSend,
    accept,
    apns,
    fcm,
    gate,
    dispatcher,
    send,
    row,
    /** Sends to the devices of users. */
    sendTo: (app: AppId, users: ReadonlyArray<string>, more: Partial<SendNotification> = {}) =>
      Effect.map(accept.send(app, { to: { user_ids: users }, content: { title: "Hello" }, ...more }), ({ id }) => id),
    /** Sends to many at once, as clients do that do not know of each other. */
    sendAll: (app: AppId, devices: ReadonlyArray<string>, more: Partial<SendNotification> = {}) =>
      Effect.forEach(devices, (device) => send(app, device, more), { concurrency: "unbounded" }),
    /** Waits until the notification is completed. */
    completed: (id: NotificationId) => until(row(id), ({ status }) => status === "completed"),
    /** Ends those who send, as a stop does. */
    stop: Scope.close(working, Exit.void),
    wake: wakeLane
  }
})

export type DirectNode = Effect.Success<ReturnType<typeof makeNode>>

/** Asks until the answer fits: of the database, which tells nobody. */
export const until = <A, E, R>(ask: Effect.Effect<A, E, R>, isThere: (answer: A) => boolean): Effect.Effect<A, E, R> =>
  Effect.flatMap(ask, (answer) =>
    isThere(answer) ? Effect.succeed(answer) : Effect.andThen(Effect.sleep("10 millis"), until(ask, isThere))
  )

/** The batch of a notification. */
export const batchOf = Effect.fnUntraced(function* (id: NotificationId) {
  const sql = yield* SqlClient.SqlClient
  const rows = yield* sql<{
    readonly id: string
    readonly fence: number
    readonly done: boolean
    readonly holder: number | null
    readonly lease: number | null
    readonly suspended: boolean
    readonly slowed: boolean
    readonly attempts: number
    readonly due: number
  }>`SELECT id, fence, done, lease_holder AS holder, extract(epoch FROM lease_until - now())::float8 * 1000 AS lease,
      suspended, slowed, attempts, extract(epoch FROM due_at - now())::float8 * 1000 AS due
    FROM all_batches WHERE notification_id = ${id} ORDER BY done, id`
  return Option.getOrThrow(Option.fromUndefinedOr(rows[0]))
})
