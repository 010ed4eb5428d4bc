import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import type { PgClient } from "@effect/sql-pg/PgClient"
import { Cause, Effect, Layer } from "effect"
import type { SqlClient } from "effect/sql/SqlClient"
import { HttpRouter, HttpServer } from "effect/http"
import { flushCompileCache } from "node:module"
import { askWhetherMeant, misspelt } from "../layers/config/SettingNames.ts"
import { Settings, layer as settingsOf } from "../layers/config/Settings.ts"
import type { SettingsError } from "../layers/config/Settings.ts"
import type { MasterKeyUnusable } from "../layers/crypto/MasterKey.ts"
import type { EmbeddedServerError } from "../layers/postgres/server/EmbeddedBinaries.ts"
import * as Apns from "../layers/apns/ApnsProvider.ts"
import { sizeOf as apnsSizeOf } from "../layers/apns/ApnsPayload.ts"
import * as Keys from "../layers/crypto/Keys.ts"
import * as Links from "../layers/crypto/Links.ts"
import * as SecretBox from "../layers/crypto/SecretBox.ts"
import * as SessionTokens from "../layers/crypto/SessionTokens.ts"
import * as SignInSecrets from "../layers/crypto/SignInSecrets.ts"
import * as Fcm from "../layers/fcm/FcmProvider.ts"
import { sizeOf as fcmSizeOf } from "../layers/fcm/FcmPayload.ts"
import * as OwnHttp2 from "../layers/http2/OwnHttp2Client.ts"
import * as Liquid from "../layers/liquid/TemplateEngine.ts"
import { ofProcess } from "../layers/local/ProcessChannel.ts"
import * as BrowserFiles from "../layers/local/BrowserFiles.ts"
import * as Clock from "../layers/local/Clock.ts"
import * as DashboardFiles from "../layers/local/DashboardFiles.ts"
import * as LocalDirect from "../layers/local/DirectSends.ts"
import * as LocalHub from "../layers/local/JobHub.ts"
import * as WorkerDirect from "../layers/local/WorkerDirectSends.ts"
import * as LocalWorkerQueue from "../layers/local/WorkerJobQueue.ts"
import * as ServiceMailer from "../layers/mail/ServiceMailer.ts"
import * as Smtp from "../layers/mail/SmtpOnDemand.ts"
import * as FetchClient from "../layers/outbound/FetchClient.ts"
import * as Outbound from "../layers/outbound/OutboundPolicy.ts"
import * as PushPools from "../layers/outbound/PushPools.ts"
import * as SmallRequests from "../layers/outbound/SmallRequests.ts"
import * as AccountStore from "../layers/postgres/people/AccountStore.ts"
import * as AddressChangeStore from "../layers/postgres/people/AddressChangeStore.ts"
import * as ApplicationStore from "../layers/postgres/access/ApplicationStore.ts"
import * as AuditLog from "../layers/postgres/access/AuditLog.ts"
import * as AudienceStore from "../layers/postgres/audience/AudienceStore.ts"
import * as BacklogStore from "../layers/postgres/operations/BacklogStore.ts"
import * as BatchStore from "../layers/postgres/sending/BatchStore.ts"
import * as ChannelStore from "../layers/postgres/audience/ChannelStore.ts"
import * as ContactStore from "../layers/postgres/audience/ContactStore.ts"
import * as CredentialStore from "../layers/postgres/sending/CredentialStore.ts"
import * as Database from "../layers/postgres/server/Database.ts"
import * as DeadLetterStore from "../layers/postgres/sending/DeadLetterStore.ts"
import * as DeviceStore from "../layers/postgres/audience/DeviceStore.ts"
import * as EngagementStore from "../layers/postgres/engagement/EngagementStore.ts"
import * as ExternalSignInStore from "../layers/postgres/people/ExternalSignInStore.ts"
import * as Holder from "../layers/postgres/operations/Holder.ts"
import * as HolderStore from "../layers/postgres/operations/HolderStore.ts"
import * as WebhookStore from "../layers/postgres/webhooks/WebhookStore.ts"
import * as IdempotencyStore from "../layers/postgres/access/IdempotencyStore.ts"
import * as InboxNotices from "../layers/postgres/inbox/InboxNotices.ts"
import * as InboxStore from "../layers/postgres/inbox/InboxStore.ts"
import * as LoginCodeStore from "../layers/postgres/people/LoginCodeStore.ts"
import * as OrganizationStore from "../layers/postgres/people/OrganizationStore.ts"
import * as OwnershipStore from "../layers/postgres/people/OwnershipStore.ts"
import * as PeopleLog from "../layers/postgres/people/PeopleLog.ts"
import * as ServiceMailStore from "../layers/postgres/people/ServiceMailStore.ts"
import * as SessionNotices from "../layers/postgres/people/SessionNotices.ts"
import * as SessionStore from "../layers/postgres/people/SessionStore.ts"
import { isInitialised } from "../layers/postgres/server/EmbeddedServer.ts"
import * as MasterKeyCheck from "../layers/postgres/access/MasterKeyCheck.ts"
import type { MigrationError } from "../layers/postgres/server/Migrations.ts"
import * as RateLimitStore from "../layers/postgres/access/RateLimitStore.ts"
import * as NotificationStore from "../layers/postgres/sending/NotificationStore.ts"
import * as RedeliveryStore from "../layers/postgres/webhooks/RedeliveryStore.ts"
import * as ReplayStore from "../layers/postgres/sending/ReplayStore.ts"
import * as Retention from "../layers/postgres/operations/Retention.ts"
import * as SegmentStore from "../layers/postgres/audience/SegmentStore.ts"
import * as StatsStore from "../layers/postgres/operations/StatsStore.ts"
import * as ExecutionStore from "../layers/postgres/workflows/ExecutionStore.ts"
import * as TriggerStore from "../layers/postgres/workflows/TriggerStore.ts"
import * as WorkflowStore from "../layers/postgres/workflows/WorkflowStore.ts"
import * as TemplateStore from "../layers/postgres/messages/TemplateStore.ts"
import * as Logger from "../layers/telemetry/Logger.ts"
import * as Metrics from "../layers/telemetry/Metrics.ts"
import * as Tracing from "../layers/telemetry/Tracing.ts"
import * as Webhook from "../layers/webhook/WebhookClient.ts"
import { sizeOf as webPushSizeOf } from "../layers/webpush/WebPushPayload.ts"
import * as WebPush from "../layers/webpush/WebPushProvider.ts"
import { Accept } from "../services/engine/sending/Accept.ts"
import { Auth } from "../services/engine/access/Auth.ts"
import { CredentialChecks } from "../services/engine/sending/CredentialChecks.ts"
import { Credentials } from "../services/engine/sending/Credentials.ts"
import { Dispatcher } from "../services/engine/sending/Dispatcher.ts"
import { Engagement } from "../services/engine/engagement/Engagement.ts"
import { WebhookActors } from "../services/engine/webhooks/WebhookActors.ts"
import { TestEvents } from "../services/engine/webhooks/TestEvents.ts"
import { Redeliveries } from "../services/engine/webhooks/Redeliveries.ts"
import { InboxStreams } from "../services/engine/inbox/InboxStreams.ts"
import { Accounts } from "../services/engine/people/Accounts.ts"
import { AddressChanges } from "../services/engine/people/AddressChanges.ts"
import { ExternalSignIns } from "../services/engine/people/ExternalSignIns.ts"
import { Organizations } from "../services/engine/people/Organizations.ts"
import { Permissions } from "../services/engine/people/Permissions.ts"
import * as Removals from "../services/engine/people/Removals.ts"
import { ServiceMails } from "../services/engine/people/ServiceMails.ts"
import { Sessions } from "../services/engine/people/Sessions.ts"
import { SessionWatch } from "../services/engine/people/SessionWatch.ts"
import { SignIn } from "../services/engine/people/SignIn.ts"
import { Planner } from "../services/engine/sending/Planner.ts"
import { RateLimiter } from "../services/engine/access/RateLimiter.ts"
import { Templates } from "../services/engine/messages/Templates.ts"
import { Programs } from "../services/engine/workflows/Programs.ts"
import { Workflows } from "../services/engine/workflows/Workflows.ts"
import { WriteGate } from "../services/engine/operations/WriteGate.ts"
import type { Keys as KeysPort } from "../services/ports/access/Keys.ts"
import type { SecretBox as SecretBoxPort } from "../services/ports/access/SecretBox.ts"
import type { Links as LinksPort } from "../services/ports/engagement/Links.ts"
import type { HttpSettings } from "../services/ports/HttpSettings.ts"
import type { OutboundPolicy } from "../services/ports/outbound/OutboundPolicy.ts"
import type { PeopleSettings } from "../services/ports/people/PeopleSettings.ts"
import type { SessionTokens as SessionTokensPort } from "../services/ports/people/SessionTokens.ts"
import type { SignInSecrets as SignInSecretsPort } from "../services/ports/people/SignInSecrets.ts"
import type { StoreError } from "../services/ports/StoreError.ts"
import type { QueueUnavailable } from "../services/ports/operations/JobQueue.ts"
import { EngineSettings } from "../services/ports/EngineSettings.ts"
import { JobQueue, problemOfQueue } from "../services/ports/operations/JobQueue.ts"
import { PayloadSizes } from "../services/ports/sending/PayloadSizes.ts"
import { answerWhileStarting } from "./http/pipeline/Starting.ts"
import type { Detail } from "./http/pipeline/ApiError.ts"
import type { FastPath } from "./http/pipeline/FastPath.ts"
import { makeFastPath } from "./http/pipeline/FastPath.ts"
import { GracefulShutdown } from "./http/pipeline/GracefulShutdown.ts"
import type { CannotListen } from "./http/pipeline/Listening.ts"
import { cannotListen } from "./http/pipeline/Listening.ts"
import { nodeMetrics } from "./http/endpoints/NodeMetrics.ts"
import { Draining, ReadyWorkers } from "./http/endpoints/Status.ts"
import * as WorkerExits from "./workers/WorkerExits.ts"
import { lastResort } from "./workers/LastResort.ts"
import * as Metering from "./workers/Metering.ts"
import * as Processes from "./workers/Processes.ts"
import { sharesOf } from "./workers/Shares.ts"
import * as Workers from "./workers/Workers.ts"
import { firstStart } from "./cli/FirstStart.ts"

/*
 * Where everything is put together: the only file that knows the layers. By subsystem, from the bottom:
 *
 * 1. what every process has    5. ways out: providers, webhooks
 * 2. the database              6. the work of each role
 * 3. the queue                 7. the API
 * 4. templates                 8. processes: a node, its workers, single commands
 *
 * role       what a node does with it
 * api        answers requests (7)
 * dispatch   plans notifications, sends batches, carries out replays (6)
 * webhooks   posts events, carries out redeliveries (6)
 * workflows  moves runs of workflows (6)
 */

// 1. What every process has

export type Environment = Readonly<Record<string, string | undefined>>

/** What keeps every process from starting, each in words that say what to do. */
export type StartError = SettingsError | MasterKeyUnusable | Database.DatabaseAway | EmbeddedServerError

/** What ends a command. */
export type CommandError = StartError | MigrationError | MasterKeyCheck.WrongMasterKey

/** What ends a node. */
export type NodeError = CommandError | QueueUnavailable | StoreError | CannotListen

type Base =
  | EngineSettings
  | HttpSettings
  | KeysPort
  | LinksPort
  | OutboundPolicy
  | PeopleSettings
  | SecretBoxPort
  | SessionTokensPort
  | Settings
  | SignInSecretsPort
type Stores = Layer.Success<typeof stores>

/** What the environment says, or what is wrong with it. */
export const settingsIn = (env: Environment): Effect.Effect<Settings["Service"], SettingsError> =>
  Effect.provide(Settings, settingsOf(env))

/** The clock, settings, logging, metrics, cryptography, the outbound rules. */
export const base = (env: Environment): Layer.Layer<Base, SettingsError | MasterKeyUnusable> =>
  Layer.mergeAll(
    Clock.layer,
    Keys.layer,
    SecretBox.layer,
    SessionTokens.layer,
    SignInSecrets.layer,
    Links.layer,
    Outbound.layer,
    Logger.layer,
    Metrics.layer,
    Tracing.layer
  ).pipe(Layer.provideMerge(settingsOf(env)))

/** A module that not every process loads. It is kept compiled at once, as those of main.ts are. */
const loaded = <A>(load: () => Promise<A>): Effect.Effect<A> =>
  Effect.promise(async () => {
    const module = await load()
    flushCompileCache()
    return module
  })

const onDemand = <A, E, R>(load: () => Promise<{ readonly layer: Layer.Layer<A, E, R> }>): Layer.Layer<A, E, R> =>
  Layer.unwrap(Effect.map(loaded(load), ({ layer }) => layer))

// 2. The database

const acceptLinger = Layer.effect(
  NotificationStore.AcceptLinger,
  Effect.map(Settings, ({ acceptLingerMs }) => acceptLingerMs)
)

/** The database's tables, under their ports. The database is migrated before the first of them is used. */
const stores = Layer.mergeAll(
  AccountStore.layer,
  AddressChangeStore.layer,
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
  ExternalSignInStore.layer,
  HolderStore.layer,
  WebhookStore.layer,
  IdempotencyStore.layer,
  InboxNotices.layer,
  InboxStore.layer,
  LoginCodeStore.layer,
  NotificationStore.layer.pipe(Layer.provide(acceptLinger)),
  OrganizationStore.layer,
  OwnershipStore.layer,
  PeopleLog.layer,
  RedeliveryStore.layer,
  ReplayStore.layer,
  SegmentStore.layer,
  ServiceMailStore.layer,
  SessionNotices.layer,
  SessionStore.layer,
  StatsStore.layer,
  TemplateStore.layer,
  ExecutionStore.layer,
  TriggerStore.layer,
  WorkflowStore.layer
)

/** A migrated database whose secrets the master key opens. */
const ownDatabase = MasterKeyCheck.layer.pipe(Layer.provideMerge(Database.migratedLayer))

// 3. The queue

/** What most nodes do not use is not loaded by them: it would cost each of their processes some 15 MB. */
const natsQueue = onDemand(() => import("../layers/nats/JobQueue.ts"))
/** The queue of a main process, and the hub by which its workers share it. */
export const queue: Layer.Layer<JobQueue | LocalHub.JobHub, never, Settings> = Layer.unwrap(
  Effect.map(Settings, ({ natsUrl, roles }) =>
    natsUrl === null ? LocalHub.layer : Layer.provideMerge(natsQueue, LocalHub.besideFor(Workers.jobsOf(roles)))
  )
)

/** The queue for a look at it alone. Nothing that it stands on makes a master key. */
export const queueOf = (env: Environment): Layer.Layer<JobQueue, SettingsError> =>
  queue.pipe(Layer.provide(Layer.mergeAll(Clock.layer, Logger.layer)), Layer.provide(settingsOf(env)))

/** Makes the streams of NATS_URL that nodes would make, where they are missing. */
export const makeQueueStreams = (env: Environment) =>
  Effect.flatMap(
    loaded(() => import("../layers/nats/JobQueue.ts")),
    ({ makeStreams }) => makeStreams
  ).pipe(Effect.provide(Logger.layer), Effect.provide(settingsOf(env)))

/** The queue of a worker process. */
const workerQueue = Layer.unwrap(
  Effect.map(Settings, ({ natsUrl }) =>
    natsUrl === null
      ? LocalWorkerQueue.layerOf(ofProcess(process))
      : Layer.provide(natsQueue, LocalWorkerQueue.besideOf(ofProcess(process)))
  )
)

// 4. Templates

const templates = Templates.layer.pipe(Layer.provide(Liquid.layer))

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

// 5. Ways out: providers, webhooks

/** Not loaded either where it is not used. */
const wrapperHttp2 = onDemand(() => import("../layers/http2/WrapperHttp2Client.ts"))

const http2 = Layer.unwrap(
  Effect.map(Settings, ({ http2Transport }) => (http2Transport === "own" ? OwnHttp2.layer : wrapperHttp2))
)

const connections = Layer.mergeAll(http2, PushPools.layer, SmallRequests.layer)
/** Those that can be asked about a credential. */
const askable = Layer.mergeAll(Apns.layer, Fcm.layer, Smtp.layer).pipe(Layer.provide(connections))
const providers = Layer.merge(askable, WebPush.layer.pipe(Layer.provide(connections)))

/** Checks of credentials go out from the process that is asked for them. */
const credentialChecks = CredentialChecks.layer.pipe(Layer.provide(askable))

/** Test deliveries of webhooks go out from the process that is asked for them. */
const testEvents = TestEvents.layer.pipe(Layer.provide(Webhook.layer))

// 6. The work of each role

const posting = (drainMs: number) =>
  Workers.webhooks.pipe(Layer.provide(WebhookActors.layer(drainMs)), Layer.provide(Webhook.layer))

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
    roles.has("webhooks") ? posting(drainMs) : Layer.empty,
    roles.has("workflows")
      ? Workers.workflows(drainMs).pipe(
          Layer.provide(
            Layer.mergeAll(Programs.layer, FetchClient.layer.pipe(Layer.provide(SmallRequests.layer)), templates)
          )
        )
      : Layer.empty
  )

/** Not loaded by processes that nobody signs in at. */
const identityProviders = onDemand(() => import("../layers/oauth/IdentityProviders.ts")).pipe(
  Layer.provide(SmallRequests.layer)
)

/** What people do: sign in, belong to organizations. Their mail is sent where `peopleAtWork` is. */
const people = Layer.mergeAll(
  Accounts.layer,
  AddressChanges.layer,
  ExternalSignIns.layer,
  Organizations.layer,
  Sessions.layer,
  SessionWatch.layer,
  SignIn.layer
).pipe(
  Layer.provideMerge(Permissions.layer),
  Layer.provideMerge(ServiceMails.layer.pipe(Layer.provide(ServiceMailer.layer))),
  Layer.provide(identityProviders)
)

/** The service's own mail, and what deleted organizations leave behind: by every node that people sign in at. */
const peopleAtWork = Layer.merge(ServiceMails.running, Layer.effectDiscard(Effect.forkScoped(Removals.run)))

// 7. The API

/** Not loaded by processes that serve none of it: it would cost each of them some 6 and 20 MB. */
const api = loaded(() => import("./http/pipeline/Server.ts"))
const graphql = loaded(() => import("./graphql/GraphqlRoute.ts"))

/** A stop sends live readers away at once, to another node: they would never be done. */
const inboxStreams = (state: NodeState) =>
  Layer.unwrap(
    Effect.map(Settings, (settings) =>
      InboxStreams.layer({
        max: settings.inboxStreams,
        maxOfApp: settings.inboxStreamsPerApp,
        maxOfUser: settings.inboxStreamsPerUser,
        maxOfAddress: settings.inboxStreamsPerAddress,
        tick: "1 second",
        ticksOfBeat: 15,
        isStopping: () => state.isDraining
      })
    )
  )

const http = (
  { baseUrl, databaseConnections, host, port, roles }: Settings["Service"],
  state: NodeState,
  fastPath: FastPath
) => {
  const listening = Layer.effectDiscard(
    Effect.gen(function* () {
      const { address } = yield* HttpServer.HttpServer
      const documented = roles.has("api") ? `; API ${baseUrl}/api/v1, documentation ${baseUrl}/docs` : ""
      yield* Effect.logInfo(`Heliograph serves ${[...roles].join(", ")} at ${baseUrl}${documented}`).pipe(
        Effect.annotateLogs({
          host,
          port: "port" in address ? address.port : port,
          pid: process.pid
        })
      )
    })
  )
  const options = { disableLogger: true, disableListenLog: true }
  const served = roles.has("api")
    ? Layer.unwrap(
        Effect.map(Effect.all([api, graphql]), ([{ routerConfig, routes }, { graphqlRoutes }]) =>
          HttpRouter.serve(routes(fastPath, graphqlRoutes), { ...options, routerConfig })
        )
      ).pipe(
        Layer.provide(
          Layer.mergeAll(
            Accept.layer,
            credentialChecks,
            Credentials.layer,
            Engagement.layer,
            Redeliveries.layer,
            Workflows.layer.pipe(Layer.provide(Programs.layer)),
            testEvents,
            payloadSizes,
            inboxStreams(state),
            BrowserFiles.layer,
            DashboardFiles.layer
          )
        ),
        Layer.merge(peopleAtWork),
        Layer.provide(people),
        Layer.provide(templates)
      )
    : Layer.unwrap(
        Effect.map(api, ({ routerConfig, statusRoutesOnly }) =>
          HttpRouter.serve(statusRoutesOnly, { ...options, routerConfig })
        )
      )
  return served.pipe(
    Layer.provideMerge(listening),
    Layer.provide(Layer.merge(Auth.layer, RateLimiter.layer.pipe(Layer.provide(RateLimitStore.layer)))),
    Layer.provide(Layer.succeed(ReadyWorkers, () => state.ready())),
    Layer.provide(Layer.succeed(Draining, () => state.isDraining)),
    Layer.provide(
      nodeMetrics({
        workersReady: () => state.ready(),
        isDraining: () => state.isDraining,
        numbers: () => state.numbers.read(),
        databaseConnections
      })
    )
  )
}

// 8. Processes: a node, its workers, single commands

/**
 * What the status endpoints tell of a node: of its workers, which start, and stop, beside the server, and of its state.
 */
interface NodeState {
  ready: () => number | null
  isDraining: boolean
  /** Whether the database answered and is up to date, for a node that starts. */
  hasDatabase: boolean
  /** What is wrong with the queue, likewise; null when it answers. */
  queueProblem: () => Promise<string | null>
  readonly numbers: Metering.WorkerMetrics
  readonly shutdown: GracefulShutdown
}

/** What a node that starts still waits for. It is not ready, whatever its readiness may leave aside: nobody serves yet. */
const missing = async (state: NodeState, isQueueExcluded: boolean): Promise<ReadonlyArray<Detail>> => {
  const details: Array<Detail> = []
  if (!state.hasDatabase) {
    details.push({ field: "database", message: "does not answer yet, takes no writes, or is being migrated" })
  }
  const message = isQueueExcluded ? null : await state.queueProblem()
  if (message !== null) details.push({ field: "queue", message })
  return details.length > 0 ? details : [{ field: "node", message: "is starting" }]
}

/** The same work, in processes of their own: docs/decisions/0014-process-per-core.md */
const workers = (env: Environment, settings: Settings["Service"], state: NodeState) =>
  Layer.effectDiscard(
    Effect.gen(function* () {
      const hub = yield* LocalHub.JobHub
      const direct = yield* LocalDirect.DirectHub
      const watchExit = yield* WorkerExits.make
      const { drainMs, roles } = settings
      const shares = sharesOf(settings)
      const { ready } = yield* Processes.keep({
        count: shares.workers,
        module: new URL("./main.ts", import.meta.url),
        args: ["work"],
        env: {
          // glibc gives each thread a heap of its own, and keeps what V8's threads once needed to compile: 20 MB.
          MALLOC_ARENA_MAX: "1",
          ...env,
          ROLES: [...roles].filter((role) => role !== "api").join(","),
          DISPATCH_CONCURRENCY: String(shares.dispatchConcurrency),
          WEBHOOK_CONCURRENCY: String(shares.webhookConcurrency)
        },
        drainMs,
        attach: (child) =>
          Effect.all([
            hub.attach(ofProcess(child)),
            direct.attach(ofProcess(child)),
            state.numbers.attach(ofProcess(child)),
            watchExit(child, ofProcess(child))
          ])
      })
      state.ready = ready
    })
  )

/** The main process' part of the work that its workers do: posts, and what it has accepted itself. */
const besideWorkers = (settings: Settings["Service"]) => {
  const { drainMs, engine, roles } = settings
  const { mainPosts: webhookConcurrency } = sharesOf(settings)
  const share = Layer.succeed(EngineSettings, { ...engine, webhookConcurrency })
  return Layer.merge(
    webhookConcurrency === 0 ? Layer.empty : Layer.provide(posting(drainMs), share),
    roles.has("api") && roles.has("dispatch")
      ? Dispatcher.layerOfOwn(drainMs).pipe(Layer.provide(templates), Layer.provide(providers))
      : Layer.empty
  )
}

/** A node without other work has mails of the service in hand: its session shows that it lives. */
const alive = Layer.effectDiscard(WriteGate).pipe(Layer.provide(WriteGate.layer))

/** Closes after the work, and before everything that requests stand on. */
const leaving = ({ drainMs }: Settings["Service"], state: NodeState) =>
  Layer.effectDiscard(Effect.addFinalizer(() => state.shutdown.end(drainMs)))

/** The node listens before anything else is there. */
const entrance = (state: NodeState, fastPath: FastPath) =>
  Layer.unwrap(
    Effect.map(Effect.all([Settings, api]), ([settings, { makeNodeServer }]) => {
      const { connectionsPerAddress, drainMs, host, port, rateLimits, trustedProxies } = settings
      const rules = { perAddress: connectionsPerAddress, trustedProxies }
      const makeServer = () =>
        answerWhileStarting(
          makeNodeServer(fastPath, rateLimits.anonymous, state.shutdown, rules),
          rateLimits.anonymous,
          (isQueueExcluded) => missing(state, isQueueExcluded)
        )
      return Layer.merge(
        lastResort(drainMs, () => {
          state.isDraining = true
          state.shutdown.begin(drainMs)
        }),
        NodeHttpServer.layer(makeServer, { host, port, disablePreemptiveShutdown: true }).pipe(
          Layer.catch((error) => Layer.effectContext(Effect.fail(cannotListen(error, { host, port }))))
        )
      )
    })
  )

/** How long the queue may take to answer before a node that starts names it as missing. */
const STARTING_TIMEOUT = "1 second"

const watchedQueue = (state: NodeState) =>
  Layer.effectDiscard(
    Effect.map(JobQueue, ({ ping }) => {
      const answers = ping.pipe(
        Effect.timeout(STARTING_TIMEOUT),
        Effect.as(null),
        Effect.catchCause((cause) => Effect.succeed(problemOfQueue(Cause.squash(cause))))
      )
      state.queueProblem = () => Effect.runPromise(answers)
    })
  ).pipe(Layer.provideMerge(queue))

const watchedDatabase = (state: NodeState) =>
  Layer.effectDiscard(Effect.sync(() => (state.hasDatabase = true))).pipe(
    Layer.provideMerge(ownDatabase),
    Layer.provide(Database.asNode)
  )

/** A node of the service, with the roles of its settings, until its scope closes: this process, and its workers. */
export const server = (env: Environment): Layer.Layer<never, NodeError> => {
  const state: NodeState = {
    ready: () => null,
    isDraining: false,
    hasDatabase: false,
    queueProblem: () => Promise.resolve(null),
    numbers: Metering.makeWorkerMetrics(),
    shutdown: new GracefulShutdown()
  }
  const fastPath = makeFastPath()
  return Layer.unwrap(
    Effect.map(Settings, (settings) => {
      const { processes, roles } = settings
      const hasWork = roles.has("dispatch") || roles.has("webhooks") || roles.has("workflows")
      const isSpread = processes > 1 && hasWork
      if (isSpread) state.ready = () => 0
      return Layer.mergeAll(
        Metering.processLayer,
        hasWork
          ? Layer.mergeAll(
              isSpread ? Layer.merge(workers(env, settings, state), besideWorkers(settings)) : work(settings),
              // One for all processes of the node.
              roles.has("dispatch") || roles.has("webhooks")
                ? Workers.sweeper({ dispatch: roles.has("dispatch"), webhooks: roles.has("webhooks") })
                : Layer.empty,
              roles.has("dispatch") ? Workers.replays : Layer.empty,
              roles.has("webhooks") ? Workers.redeliveries : Layer.empty
            ).pipe(Layer.provide(WriteGate.layer))
          : alive,
        Retention.layer,
        told("The node stops: it takes no new work and finishes what is under way"),
        roles.has("api") ? firstStart(settings) : Layer.empty
        // Last to close: while the work drains, load balancers are told so, and requests that still come are answered.
      ).pipe(Layer.provideMerge(leaving(settings, state)), Layer.provideMerge(http(settings, state, fastPath)))
    })
  ).pipe(
    Layer.provide(LocalDirect.layer),
    Layer.provide(stores),
    Layer.provide(Holder.layer),
    Layer.provide(watchedDatabase(state)),
    Layer.provide(watchedQueue(state)),
    Layer.provide(entrance(state, fastPath)),
    Layer.provide(told("The node has stopped")),
    Layer.provide(askingWhatIsMeant(env)),
    Layer.provide(base(env))
  )
}

/** Operators find out late that a setting did nothing; whoever starts a node seldom asks `doctor` before. */
const askingWhatIsMeant = (env: Environment) =>
  Layer.effectDiscard(
    Effect.forEach(misspelt(env), (one) => Effect.logWarning(askWhetherMeant(one)), { discard: true })
  )

/** Says so when it is closed. */
const told = (words: string) =>
  Layer.effectDiscard(Effect.addFinalizer(() => Effect.annotateLogs(Effect.logInfo(words), { pid: process.pid })))

/**
 * A worker process of a node: the work of its roles, and no port. The main process has migrated the database and keeps
 * it so. `ready` runs when jobs are taken.
 */
export const worker = (
  env: Environment,
  ready: Effect.Effect<void>
): Layer.Layer<never, StartError | QueueUnavailable> =>
  Layer.unwrap(Effect.map(Settings, work)).pipe(
    Layer.flatMap(() => Layer.effectDiscard(ready)),
    // Work may end the process as soon as it begins: whose it was is said before, right after the first beat.
    Layer.provide(Layer.provideMerge(WorkerExits.announceLayer(ofProcess(process)), WriteGate.layer)),
    Layer.merge(Layer.merge(Metering.processLayer, Metering.reportLayer(ofProcess(process)))),
    Layer.provide(workerQueue),
    Layer.provide(WorkerDirect.layerOf(ofProcess(process))),
    Layer.provide(stores),
    Layer.provide(Holder.layer),
    Layer.provide(Database.layer),
    Layer.provide(base(env))
  )

/** What a single command needs: the stores over a migrated database, and the engine's parts that commands use. */
export const commands = (env: Environment): Layer.Layer<Base | Stores | Credentials | SignIn, CommandError> =>
  Layer.merge(Credentials.layer, people).pipe(
    Layer.provideMerge(stores),
    Layer.provideMerge(ownDatabase),
    Layer.provide(Database.asCommand),
    Layer.provideMerge(base(env))
  )

/** Brings the schema up to date. Answers the names of what was applied now. */
export const migrations = (env: Environment): Effect.Effect<ReadonlyArray<string>, StartError | MigrationError> =>
  Database.migrated.pipe(Effect.provide(Database.asCommand), Effect.provide(base(env)))

/** For a look that changes nothing: the database as it is found. Only where `isBegun`. */
export const inspection = (env: Environment): Layer.Layer<Base | Stores | PgClient | SqlClient, StartError> =>
  stores.pipe(
    Layer.provide(Database.sessionsOfOwn),
    Layer.provideMerge(Database.layer),
    Layer.provide(Database.asCommand),
    Layer.provideMerge(base(env))
  )

/** Whether there is anything to look at yet: the embedded database is made by the first start. */
export const isBegun = ({ databaseUrl, dataDir }: Settings["Service"]): boolean =>
  databaseUrl !== null || isInitialised(dataDir)

export { askWhetherMeant, misspelt } from "../layers/config/SettingNames.ts"
export { ROLES_WANTED, wrongRolesIn } from "../layers/config/Settings.ts"
export { unwritable as unwritableMails } from "../layers/mail/ServiceMailer.ts"
export { hasMasterKey } from "../layers/crypto/MasterKey.ts"
export { look as lookAtMasterKey, sealedOtherwise } from "../layers/postgres/access/MasterKeyCheck.ts"
export type { SealedOtherwise } from "../layers/postgres/access/MasterKeyCheck.ts"
export { READ_ONLY, refusalIn, unwritable } from "../layers/postgres/server/databaseFault.ts"
export { standing } from "../layers/postgres/server/Migrations.ts"
export type { Standing } from "../layers/postgres/server/Migrations.ts"
