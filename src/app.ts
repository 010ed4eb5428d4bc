import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import { Console, Effect, Layer, Option, Schedule } from "effect"
import { HttpRouter, HttpServer } from "effect/http"
import { Settings, layer as settingsOf } from "../layers/config/Settings.ts"
import * as Apns from "../layers/apns/ApnsProvider.ts"
import { sizeOf as apnsSizeOf } from "../layers/apns/Payload.ts"
import * as Keys from "../layers/crypto/Keys.ts"
import * as Links from "../layers/crypto/Links.ts"
import * as SecretBox from "../layers/crypto/SecretBox.ts"
import * as Fcm from "../layers/fcm/FcmProvider.ts"
import { sizeOf as fcmSizeOf } from "../layers/fcm/Payload.ts"
import * as OwnHttp2 from "../layers/http2/OwnHttp2Client.ts"
import * as Liquid from "../layers/liquid/TemplateEngine.ts"
import { ofProcess } from "../layers/local/Channel.ts"
import * as Clock from "../layers/local/Clock.ts"
import * as LocalHub from "../layers/local/JobHub.ts"
import * as LocalWorkerQueue from "../layers/local/WorkerJobQueue.ts"
import * as Smtp from "../layers/mail/SmtpProvider.ts"
import * as Outbound from "../layers/outbound/OutboundPolicy.ts"
import * as ApplicationStore from "../layers/postgres/ApplicationStore.ts"
import * as AuditLog from "../layers/postgres/AuditLog.ts"
import * as AudienceStore from "../layers/postgres/AudienceStore.ts"
import * as BacklogStore from "../layers/postgres/BacklogStore.ts"
import * as BatchStore from "../layers/postgres/BatchStore.ts"
import * as ChannelStore from "../layers/postgres/ChannelStore.ts"
import * as ContactStore from "../layers/postgres/ContactStore.ts"
import * as CredentialStore from "../layers/postgres/CredentialStore.ts"
import * as Database from "../layers/postgres/Database.ts"
import * as DeadLetterStore from "../layers/postgres/DeadLetterStore.ts"
import * as DeviceStore from "../layers/postgres/DeviceStore.ts"
import * as EngagementStore from "../layers/postgres/EngagementStore.ts"
import * as HookStore from "../layers/postgres/HookStore.ts"
import * as IdempotencyStore from "../layers/postgres/IdempotencyStore.ts"
import * as InboxNotices from "../layers/postgres/InboxNotices.ts"
import * as InboxStore from "../layers/postgres/InboxStore.ts"
import * as Migrations from "../layers/postgres/Migrations.ts"
import * as RateLimitStore from "../layers/postgres/RateLimitStore.ts"
import * as NotificationStore from "../layers/postgres/NotificationStore.ts"
import * as ReplayStore from "../layers/postgres/ReplayStore.ts"
import * as Retention from "../layers/postgres/Retention.ts"
import * as SegmentStore from "../layers/postgres/SegmentStore.ts"
import * as StatsStore from "../layers/postgres/StatsStore.ts"
import * as TemplateStore from "../layers/postgres/TemplateStore.ts"
import * as Logger from "../layers/telemetry/Logger.ts"
import * as Tracing from "../layers/telemetry/Tracing.ts"
import * as Webhook from "../layers/webhook/WebhookClient.ts"
import { sizeOf as webPushSizeOf } from "../layers/webpush/Payload.ts"
import * as WebPush from "../layers/webpush/WebPushProvider.ts"
import { Accept } from "../services/engine/Accept.ts"
import { createFirstApplication } from "../services/engine/Applications.ts"
import { Auth } from "../services/engine/Auth.ts"
import { Credentials } from "../services/engine/Credentials.ts"
import { Dispatcher } from "../services/engine/Dispatcher.ts"
import { Engagement } from "../services/engine/Engagement.ts"
import { HookActors } from "../services/engine/HookActors.ts"
import { HookTests } from "../services/engine/HookTests.ts"
import { InboxStreams } from "../services/engine/InboxStreams.ts"
import { Planner } from "../services/engine/Planner.ts"
import { RateLimiter } from "../services/engine/RateLimiter.ts"
import { Templates } from "../services/engine/Templates.ts"
import { EngineSettings } from "../services/ports/EngineSettings.ts"
import { JobQueue } from "../services/ports/JobQueue.ts"
import { PayloadSizes } from "../services/ports/PayloadSizes.ts"
import { anteroom } from "./http/Anteroom.ts"
import type { Detail } from "./http/ApiError.ts"
import type { Express } from "./http/Express.ts"
import { makeExpress } from "./http/Express.ts"
import { makeNodeServer, routerConfig, routes, statusRoutesOnly } from "./http/Server.ts"
import { nodeMetrics } from "./http/NodeMetrics.ts"
import { Draining, ReadyWorkers } from "./http/Status.ts"
import { lastResort } from "./workers/LastResort.ts"
import * as Metering from "./workers/Metering.ts"
import * as Processes from "./workers/Processes.ts"
import * as Workers from "./workers/Workers.ts"

/*
 * Where everything is put together: the only file that knows the layers. From the bottom: what every process has, then
 * the stores, the ways out, the engine, and last the roles that a process plays.
 */

export type Environment = Readonly<Record<string, string | undefined>>

/** What the environment says, or what is wrong with it. */
export const settingsIn = (env: Environment) => Effect.provide(Settings, settingsOf(env))

/** The clock, settings, logging, cryptography, the outbound rules. */
export const base = (env: Environment) =>
  Layer.mergeAll(
    Clock.layer,
    Keys.layer,
    SecretBox.layer,
    Links.layer,
    Outbound.layer,
    Logger.layer,
    Tracing.layer
  ).pipe(Layer.provideMerge(settingsOf(env)))

/** The database's tables, under their ports. The database is migrated before the first of them is used. */
const stores = Layer.mergeAll(
  ApplicationStore.layer,
  AuditLog.layer,
  AudienceStore.layer,
  BacklogStore.layer,
  BatchStore.layer,
  ChannelStore.layer,
  ContactStore.layer,
  CredentialStore.layer,
  DeadLetterStore.layer,
  DeviceStore.layer,
  EngagementStore.layer,
  HookStore.layer,
  IdempotencyStore.layer,
  InboxNotices.layer,
  InboxStore.layer,
  NotificationStore.layer,
  ReplayStore.layer,
  SegmentStore.layer,
  StatsStore.layer,
  TemplateStore.layer
)

/** How large messages become, as those say who write them. */
const payloadSizes = Layer.succeed(PayloadSizes, {
  sizeOf: (provider, message) => {
    switch (provider) {
      case "apns":
        return apnsSizeOf(message)
      case "fcm":
        return fcmSizeOf(message)
      case "webpush":
        return webPushSizeOf(message)
      default:
        return null
    }
  }
})

const templates = Templates.layer.pipe(Layer.provide(Liquid.layer))

/** Test deliveries of webhooks go out from the process that is asked for them. */
const hookTests = HookTests.layer.pipe(Layer.provide(Webhook.layer))

/** What most nodes do not use is not loaded by them: it would cost each of their processes some 15 MB. */
const natsQueue = Layer.unwrap(
  Effect.map(
    Effect.promise(() => import("../layers/nats/JobQueue.ts")),
    ({ layer }) => layer
  )
)
const wrapperHttp2 = Layer.unwrap(
  Effect.map(
    Effect.promise(() => import("../layers/http2/WrapperHttp2Client.ts")),
    ({ layer }) => layer
  )
)

/** The queue of a main process, and the hub by which its workers share it. */
export const queue = Layer.unwrap(
  Effect.map(Settings, ({ natsUrl }) =>
    natsUrl === null ? LocalHub.layer : Layer.provideMerge(natsQueue, LocalHub.beside)
  )
)

/** The queue of a worker process. */
const workerQueue = Layer.unwrap(
  Effect.map(Settings, ({ natsUrl }) =>
    natsUrl === null
      ? LocalWorkerQueue.layerOf(ofProcess(process))
      : Layer.provide(natsQueue, LocalWorkerQueue.besideOf(ofProcess(process)))
  )
)

const http2 = Layer.unwrap(
  Effect.map(Settings, ({ http2Transport }) => (http2Transport === "own" ? OwnHttp2.layer : wrapperHttp2))
)

const providers = Layer.mergeAll(Apns.layer, Fcm.layer, WebPush.layer, Smtp.layer).pipe(Layer.provide(http2))

/** What a single command needs: the stores over a migrated database, and the engine's parts that commands use. */
export const commands = (env: Environment) =>
  Credentials.layer.pipe(
    Layer.provideMerge(stores),
    Layer.provideMerge(Database.migratedLayer),
    Layer.provideMerge(base(env))
  )

/** Brings the schema up to date. Answers the names of what was applied now. */
export const migrations = (env: Environment) =>
  Migrations.migrate.pipe(Effect.provide(Database.layer.pipe(Layer.provide(base(env)))))

/** The first start makes an application, so that the first request can be made, and shows its keys this once. */
const firstStart = Layer.effectDiscard(
  Effect.gen(function* () {
    const first = yield* createFirstApplication("Demo").pipe(
      // The database that was there a moment ago may be restarting.
      Effect.tapError((error) => Effect.logWarning("Waiting for the database", error)),
      Effect.retry({ while: (error) => error._tag === "StoreError", schedule: Schedule.spaced("1 second") })
    )
    if (Option.isNone(first)) return
    const { appId, identitySecret, publicKey, secretKey } = first.value
    yield* Console.log(
      [
        "This is the first start. An application was made; its secrets are shown this once:",
        `  app_id           ${appId}`,
        `  secret_key       ${secretKey}`,
        `  public_key       ${publicKey}`,
        `  identity_secret  ${identitySecret}`
      ].join("\n")
    )
  })
)

const posting = (drainMs: number) =>
  Workers.webhooks.pipe(Layer.provide(HookActors.layer(drainMs)), Layer.provide(Webhook.layer))

/** The work of the roles `dispatch`, `webhooks` and `workflows`, in this very process. */
const work = ({ drainMs, roles }: Settings["Service"]) =>
  Layer.mergeAll(
    roles.has("dispatch")
      ? Workers.dispatch.pipe(
          Layer.provide(Layer.mergeAll(Planner.layer, Dispatcher.layer(drainMs))),
          Layer.provide(templates),
          Layer.provide(providers)
        )
      : Layer.empty,
    roles.has("webhooks") ? posting(drainMs) : Layer.empty
  )

/** What is meant for a node is shared among its processes. */
const sharesOf = (settings: Settings["Service"]) => {
  const { engine, processes, roles } = settings
  const workers = processes - 1
  /**
   * The main process posts webhooks as well with one worker: half of the node would stand still when a mailing is out
   * and its webhooks follow. So it does without the API: there are no answers that it could delay.
   */
  const isMainFree = roles.has("webhooks") && (workers === 1 || !roles.has("api"))
  const mainPosts = isMainFree ? Math.floor(engine.webhookConcurrency / processes) : 0
  return {
    workers,
    /** Posts at once of the main process: none where the node has too few of them. */
    mainPosts,
    dispatchConcurrency: Math.max(2, Math.ceil(engine.dispatchConcurrency / workers)),
    webhookConcurrency: Math.ceil((engine.webhookConcurrency - mainPosts) / workers)
  }
}

/** The same work, in processes of their own: docs/decisions/0014-process-per-core.md */
const workers = (env: Environment, settings: Settings["Service"], crew: Crew) =>
  Layer.effectDiscard(
    Effect.gen(function* () {
      const hub = yield* LocalHub.JobHub
      const { drainMs, roles } = settings
      const shares = sharesOf(settings)
      const { ready } = yield* Processes.keep({
        count: shares.workers,
        module: new URL("./main.ts", import.meta.url),
        args: ["work"],
        env: {
          ...env,
          ROLES: [...roles].filter((role) => role !== "api").join(","),
          DISPATCH_CONCURRENCY: String(shares.dispatchConcurrency),
          WEBHOOK_CONCURRENCY: String(shares.webhookConcurrency)
        },
        drainMs,
        attach: (child) => Effect.andThen(hub.attach(ofProcess(child)), crew.numbers.attach(ofProcess(child)))
      })
      crew.ready = ready
    })
  )

/** The main process' part of the work that its workers do. */
const besideWorkers = (settings: Settings["Service"]) => {
  const { mainPosts: webhookConcurrency } = sharesOf(settings)
  if (webhookConcurrency === 0) return Layer.empty
  const share = Layer.succeed(EngineSettings, { ...settings.engine, webhookConcurrency })
  return Layer.provide(posting(settings.drainMs), share)
}

/** What the status endpoints tell of a node: of its workers, which start, and stop, beside the server, and of its state. */
interface Crew {
  ready: () => number | null
  isDraining: boolean
  /** Whether the database answered and is up to date, for a node that starts. */
  hasDatabase: boolean
  /** Whether the queue answers, likewise. */
  hasQueue: () => Promise<boolean>
  readonly numbers: Metering.Crowd
}

/** A stop sends live readers away at once, to another node: they would never be done. */
const inboxStreams = (crew: Crew) =>
  Layer.unwrap(
    Effect.map(Settings, ({ inboxStreams, inboxStreamsPerApp }) =>
      InboxStreams.layer({
        max: inboxStreams,
        maxOfApp: inboxStreamsPerApp,
        tick: "1 second",
        ticksOfBeat: 15,
        isStopping: () => crew.isDraining
      })
    )
  )

const http = ({ baseUrl, databaseConnections, host, port, roles }: Settings["Service"], crew: Crew, way: Express) => {
  const listening = Layer.effectDiscard(
    Effect.gen(function* () {
      const { address } = yield* HttpServer.HttpServer
      yield* Effect.logInfo(`Heliograph serves ${[...roles].join(", ")} at ${baseUrl}`).pipe(
        Effect.annotateLogs({
          host,
          port: "port" in address ? address.port : port,
          pid: process.pid
        })
      )
    })
  )
  const options = { routerConfig, disableLogger: true, disableListenLog: true }
  const served = roles.has("api")
    ? HttpRouter.serve(routes(way), options).pipe(
        Layer.provide(
          Layer.mergeAll(Accept.layer, Credentials.layer, Engagement.layer, hookTests, payloadSizes, inboxStreams(crew))
        ),
        Layer.provide(templates)
      )
    : HttpRouter.serve(statusRoutesOnly, options)
  return served.pipe(
    Layer.provideMerge(listening),
    Layer.provide(Layer.merge(Auth.layer, RateLimiter.layer.pipe(Layer.provide(RateLimitStore.layer)))),
    Layer.provide(Layer.succeed(ReadyWorkers, () => crew.ready())),
    Layer.provide(Layer.succeed(Draining, () => crew.isDraining)),
    Layer.provide(
      nodeMetrics({
        workersReady: () => crew.ready(),
        isDraining: () => crew.isDraining,
        numbers: () => crew.numbers.read(),
        databaseConnections
      })
    )
  )
}

/** What a node that starts still waits for. */
const missing = async (crew: Crew): Promise<ReadonlyArray<Detail>> => {
  const details: Array<Detail> = []
  if (!crew.hasDatabase) details.push({ field: "database", message: "does not answer yet, or is being migrated" })
  if (!(await crew.hasQueue())) details.push({ field: "queue", message: "does not answer" })
  return details.length > 0 ? details : [{ field: "node", message: "is starting" }]
}

/** The node listens before anything else is there. */
const entrance = (crew: Crew, way: Express) =>
  Layer.unwrap(
    Effect.map(Settings, (settings) => {
      const { drainMs, host, port, rateLimits } = settings
      const makeServer = () =>
        anteroom(makeNodeServer(way, rateLimits.anonymous), rateLimits.anonymous, () => missing(crew))
      return Layer.merge(
        lastResort(drainMs, () => {
          crew.isDraining = true
        }),
        NodeHttpServer.layer(makeServer, { host, port, gracefulShutdownTimeout: drainMs })
      )
    })
  )

/** How long the queue may take to answer before a node that starts names it as missing. */
const STARTING_PATIENCE = "1 second"

const watchedQueue = (crew: Crew) =>
  Layer.effectDiscard(
    Effect.map(JobQueue, ({ ping }) => {
      const answers = ping.pipe(
        Effect.timeout(STARTING_PATIENCE),
        Effect.as(true),
        Effect.catchCause(() => Effect.succeed(false))
      )
      crew.hasQueue = () => Effect.runPromise(answers)
    })
  ).pipe(Layer.provideMerge(queue))

const watchedDatabase = (crew: Crew) =>
  Layer.effectDiscard(Effect.sync(() => (crew.hasDatabase = true))).pipe(
    Layer.provideMerge(Database.migratedLayer),
    Layer.provide(Database.asNode)
  )

/** A node of the service, with the roles of its settings, until its scope closes: this process, and its workers. */
export const server = (env: Environment) => {
  const crew: Crew = {
    ready: () => null,
    isDraining: false,
    hasDatabase: false,
    hasQueue: () => Promise.resolve(true),
    numbers: Metering.makeCrowd()
  }
  const way = makeExpress()
  return Layer.unwrap(
    Effect.map(Settings, (settings) => {
      const { processes, roles } = settings
      const hasWork = roles.has("dispatch") || roles.has("webhooks") || roles.has("workflows")
      const isSpread = processes > 1 && hasWork
      if (isSpread) crew.ready = () => 0
      return Layer.mergeAll(
        Metering.vitalsLayer,
        isSpread ? Layer.merge(workers(env, settings, crew), besideWorkers(settings)) : work(settings),
        // One for all processes of the node.
        roles.has("dispatch") || roles.has("webhooks")
          ? Workers.sweeper({ dispatch: roles.has("dispatch"), webhooks: roles.has("webhooks") })
          : Layer.empty,
        roles.has("dispatch") ? Workers.replays : Layer.empty,
        Retention.layer,
        roles.has("api") ? firstStart : Layer.empty
        // Last to close: while the work drains, load balancers are told so, and requests that still come are answered.
      ).pipe(Layer.provideMerge(http(settings, crew, way)))
    })
  ).pipe(
    Layer.provide(stores),
    Layer.provide(watchedDatabase(crew)),
    Layer.provide(watchedQueue(crew)),
    Layer.provide(entrance(crew, way)),
    Layer.provide(base(env))
  )
}

/**
 * A worker process of a node: the work of its roles, and no port. The main process has migrated the database and keeps
 * it so. `ready` runs when jobs are taken.
 */
export const worker = (env: Environment, ready: Effect.Effect<void>) =>
  Layer.unwrap(Effect.map(Settings, work)).pipe(
    Layer.flatMap(() => Layer.effectDiscard(ready)),
    Layer.merge(Layer.merge(Metering.vitalsLayer, Metering.reportLayer(ofProcess(process)))),
    Layer.provide(workerQueue),
    Layer.provide(stores),
    Layer.provide(Database.layer),
    Layer.provide(base(env))
  )
