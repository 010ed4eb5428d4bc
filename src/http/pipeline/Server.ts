import { Context, Effect, Layer, Option } from "effect"
import type { Types } from "effect"
import type { HttpServerError, HttpServerResponse } from "effect/http"
import { HttpRouter, HttpServerRequest } from "effect/http"
import type { IncomingMessage, Server, ServerResponse } from "node:http"
import { createServer } from "node:http"
import { uuidv7 } from "../../../services/ports/NewId.ts"
import type { Accept } from "../../../services/engine/sending/Accept.ts"
import type { Budget } from "../../../services/domain/access/RateLimit.ts"
import { Auth } from "../../../services/engine/access/Auth.ts"
import type { CredentialChecks } from "../../../services/engine/sending/CredentialChecks.ts"
import type { Credentials } from "../../../services/engine/sending/Credentials.ts"
import type { TestEvents } from "../../../services/engine/webhooks/TestEvents.ts"
import type { Engagement } from "../../../services/engine/engagement/Engagement.ts"
import type { Templates } from "../../../services/engine/messages/Templates.ts"
import type { InboxStreams } from "../../../services/engine/inbox/InboxStreams.ts"
import type { ApplicationStore } from "../../../services/ports/access/ApplicationStore.ts"
import type { AuditLog } from "../../../services/ports/access/AuditLog.ts"
import type { Keys } from "../../../services/ports/access/Keys.ts"
import type { AudienceStore } from "../../../services/ports/audience/AudienceStore.ts"
import type { ChannelStore } from "../../../services/ports/audience/ChannelStore.ts"
import type { ContactStore } from "../../../services/ports/audience/ContactStore.ts"
import type { CredentialStore } from "../../../services/ports/sending/CredentialStore.ts"
import type { DeadLetterStore } from "../../../services/ports/sending/DeadLetterStore.ts"
import type { DeviceStore } from "../../../services/ports/audience/DeviceStore.ts"
import type { BrowserFiles } from "../../../services/ports/operations/BrowserFiles.ts"
import type { EngineSettings } from "../../../services/ports/EngineSettings.ts"
import type { WebhookStore } from "../../../services/ports/webhooks/WebhookStore.ts"
import { HttpSettings } from "../../../services/ports/HttpSettings.ts"
import { IdempotencyStore } from "../../../services/ports/access/IdempotencyStore.ts"
import type { Accounts } from "../../../services/engine/people/Accounts.ts"
import type { AddressChanges } from "../../../services/engine/people/AddressChanges.ts"
import type { Organizations } from "../../../services/engine/people/Organizations.ts"
import type { OrganizationStore } from "../../../services/ports/people/OrganizationStore.ts"
import type { Permissions } from "../../../services/engine/people/Permissions.ts"
import { Sessions } from "../../../services/engine/people/Sessions.ts"
import type { SessionWatch } from "../../../services/engine/people/SessionWatch.ts"
import type { SignIn } from "../../../services/engine/people/SignIn.ts"
import type { ExternalSignIns } from "../../../services/engine/people/ExternalSignIns.ts"
import type { PeopleSettings } from "../../../services/ports/people/PeopleSettings.ts"
import type { OwnershipStore } from "../../../services/ports/people/OwnershipStore.ts"
import type { RateLimiter } from "../../../services/engine/access/RateLimiter.ts"
import type { InboxStore } from "../../../services/ports/inbox/InboxStore.ts"
import type { JobQueue } from "../../../services/ports/operations/JobQueue.ts"
import type { Links } from "../../../services/ports/engagement/Links.ts"
import { Metrics } from "../../../services/ports/operations/Metrics.ts"
import type { NotificationStore } from "../../../services/ports/sending/NotificationStore.ts"
import type { Redeliveries } from "../../../services/engine/webhooks/Redeliveries.ts"
import type { RedeliveryStore } from "../../../services/ports/webhooks/RedeliveryStore.ts"
import type { ReplayStore } from "../../../services/ports/sending/ReplayStore.ts"
import type { OutboundPolicy } from "../../../services/ports/outbound/OutboundPolicy.ts"
import type { PayloadSizes } from "../../../services/ports/sending/PayloadSizes.ts"
import type { StatsStore } from "../../../services/ports/operations/StatsStore.ts"
import type { SegmentStore } from "../../../services/ports/audience/SegmentStore.ts"
import type { TemplateStore } from "../../../services/ports/messages/TemplateStore.ts"
import { Room } from "../../../services/domain/operations/Room.ts"
import type { Headers, Refused } from "./Admission.ts"
import { makeAdmission } from "./Admission.ts"
import { ApiError, errorReply, errorResponse } from "./ApiError.ts"
import { apiKeyRoutes } from "../endpoints/ApiKeys.ts"
import { applicationRoutes } from "../endpoints/Application.ts"
import { auditRoutes } from "../endpoints/AuditLog.ts"
import { browserFileRoutes } from "../endpoints/BrowserFiles.ts"
import { channelRoutes } from "../endpoints/Channels.ts"
import { contactRoutes } from "../endpoints/Contacts.ts"
import { formed, READS_AT_ONCE } from "./CompiledRoute.ts"
import type { ConnectionRules } from "./Connections.ts"
import { boundConnections } from "./Connections.ts"
import { preflight } from "./Cors.ts"
import type { FastPath } from "./FastPath.ts"
import { fastPathFor, open } from "./FastPath.ts"
import { oneContactRoutes } from "../endpoints/OneContact.ts"
import { credentialRoutes } from "../endpoints/Credentials.ts"
import { builtDashboard, dashboardRoutes } from "../endpoints/Dashboard.ts"
import { deadLetterRoutes } from "../endpoints/DeadLetters.ts"
import { externalSignInRoutes } from "../endpoints/ExternalSignIn.ts"
import { exportRoutes } from "../endpoints/DeviceExport.ts"
import { GracefulShutdown } from "./GracefulShutdown.ts"
import type { Incoming } from "./Incoming.ts"
import { importRoutes } from "../endpoints/DeviceImport.ts"
import { deviceRoutes } from "../endpoints/Devices.ts"
import { engagementRoutes } from "../endpoints/Engagement.ts"
import { inboxRoutes } from "../endpoints/Inbox.ts"
import { mailLinkRoutes } from "../endpoints/MailLinks.ts"
import { makeKeptAnswers } from "./KeptAnswers.ts"
import { readable } from "./ErrorPage.ts"
import { faultOfHead, refuseHead, refuseMalformed } from "./Malformed.ts"
import { metricsRoutes } from "../endpoints/Metrics.ts"
import { notificationRoutes } from "../endpoints/Notifications.ts"
import { sessionReader } from "./Visitor.ts"
import { LargeBodies } from "./LargeBodies.ts"
import { WaitLimiter, waitsOf, within } from "./WaitLimiter.ts"
import { withReference } from "../docs/Reference.ts"
import { asResponse, headersFor } from "./Reply.ts"
import type { Route } from "./Route.ts"
import { targetOf } from "./Route.ts"
import { compile } from "./Pipeline.ts"
import { answerCause } from "./Refusals.ts"
import { redeliveryRoutes } from "../endpoints/Redeliveries.ts"
import { signInPageRoutes } from "../endpoints/SignInPages.ts"
import { customEventRoutes } from "../endpoints/CustomEvents.ts"
import { executionRoutes } from "../endpoints/Executions.ts"
import { workflowRoutes } from "../endpoints/Workflows.ts"
import { segmentRoutes } from "../endpoints/Segments.ts"
import { statsRoutes } from "../endpoints/Stats.ts"
import { statusRoutes } from "../endpoints/Status.ts"
import { templateRoutes } from "../endpoints/Templates.ts"
import { webhookDeliveryRoutes } from "../endpoints/WebhookDeliveries.ts"
import { webhookRoutes } from "../endpoints/Webhooks.ts"

/** What the handlers of the table stand on. */
export type RouteServices =
  | Accept
  | Accounts
  | AddressChanges
  | ApplicationStore
  | AuditLog
  | AudienceStore
  | Auth
  | BrowserFiles
  | ChannelStore
  | ContactStore
  | CredentialChecks
  | CredentialStore
  | Credentials
  | DeadLetterStore
  | DeviceStore
  | EngineSettings
  | Engagement
  | ExternalSignIns
  | WebhookStore
  | TestEvents
  | HttpSettings
  | IdempotencyStore
  | InboxStore
  | InboxStreams
  | JobQueue
  | Keys
  | Links
  | NotificationStore
  | Redeliveries
  | RedeliveryStore
  | ReplayStore
  | Organizations
  | OrganizationStore
  | OutboundPolicy
  | OwnershipStore
  | PeopleSettings
  | RateLimiter
  | PayloadSizes
  | Permissions
  | SegmentStore
  | Sessions
  | SessionWatch
  | SignIn
  | StatsStore
  | TemplateStore
  | Templates

/** The whole REST surface: every route of every resource, and the documentation made from them. */
export const table: Effect.Effect<ReadonlyArray<Route>, never, RouteServices> = Effect.gen(function* () {
  const { baseUrl } = yield* HttpSettings
  const resources = [
    deviceRoutes,
    importRoutes,
    exportRoutes,
    engagementRoutes,
    channelRoutes,
    contactRoutes,
    oneContactRoutes,
    inboxRoutes,
    mailLinkRoutes,
    notificationRoutes,
    templateRoutes,
    segmentRoutes,
    workflowRoutes,
    executionRoutes,
    customEventRoutes,
    statsRoutes,
    webhookRoutes,
    webhookDeliveryRoutes,
    redeliveryRoutes,
    deadLetterRoutes,
    credentialRoutes,
    applicationRoutes,
    apiKeyRoutes,
    auditRoutes,
    statusRoutes,
    metricsRoutes
  ]
  const routes: Array<Route> = []
  for (const resource of resources)
    routes.push(...(yield* resource as Effect.Effect<ReadonlyArray<Route>, never, RouteServices>))
  return yield* withReference(routes, baseUrl, yield* builtDashboard)
})

/** Which methods a path has: asked only when a request found no route. */
const methodsByPath = (routes: ReadonlyArray<Route>) => {
  const paths = new Map<string, { readonly target: RegExp; readonly methods: Array<string> }>()
  for (const { path, method } of routes) {
    const entry = paths.get(path) ?? { target: targetOf(path), methods: [] }
    entry.methods.push(method, ...(method === "GET" ? ["HEAD"] : []))
    paths.set(path, entry)
  }
  return (url: string): ReadonlyArray<string> => [
    ...new Set([...paths.values()].flatMap(({ target, methods }) => (target.test(url) ? methods : [])))
  ]
}

const isRouteNotFound = (error: unknown): boolean =>
  (error as HttpServerError.HttpServerError | undefined)?._tag === "HttpServerError" &&
  (error as HttpServerError.HttpServerError).reason._tag === "RouteNotFound"

/** Serve with `HttpRouter.serve(…, { routerConfig })`; that a path is matched exactly is seen to beside it. */
export const routerConfig = {
  caseSensitive: true,
  ignoreDuplicateSlashes: false,
  ignoreTrailingSlash: false,
  maxParamLength: 4096
}

const LISTED = "There is nothing at this path. The endpoints are listed at /docs."
const NOT_HERE =
  "There is nothing at this path: this process serves /healthz, /readyz and /metrics alone, beside its work."

/** Puts routes on the router, and behind them the answers to what no route takes: 404, 405, and 500 for defects. */
const mount = <R>(table: Effect.Effect<ReadonlyArray<Route>, never, R>, nothing: string, fastPath: FastPath | null) =>
  HttpRouter.use(
    Effect.fnUntraced(function* (router) {
      const all = yield* table
      const fork = Effect.runForkWith(yield* Effect.context<never>())
      const { baseUrl, bodyLimit } = yield* HttpSettings
      const services = {
        admission: yield* makeAdmission,
        auth: yield* Auth,
        sessions: Option.getOrNull(
          Option.map(yield* Effect.serviceOption(Sessions), (sessions) => sessionReader(sessions, baseUrl))
        ),
        idempotency: yield* IdempotencyStore,
        keptAnswers: makeKeptAnswers(),
        bodyLimit,
        metrics: yield* Metrics,
        largeBodies: new LargeBodies(),
        reads: new Room(READS_AT_ONCE),
        waitLimiter: new WaitLimiter((defect) =>
          fork(Effect.logError("A request that waited too long was not answered", defect))
        )
      }
      const { admission, waitLimiter } = services
      /** Counts a request that no route serves. */
      const count = (request: Incoming, admitted: Effect.Effect<void, Refused>, headers: Headers) =>
        Effect.mapError(within(waitsOf(waitLimiter), admitted), (refused) =>
          refused._tag === "StoreError" ? admission.refuse(request, false, headers) : refused
        )
      const publicPaths = new Set(all.filter(({ access }) => access === "public").map(({ path }) => path))

      const methodsOf = methodsByPath(all)
      const answerUnrouted = (request: HttpServerRequest.HttpServerRequest) => {
        const requestId = uuidv7()
        const methods = methodsOf(request.url)
        const error =
          // A method that the path has was refused for its id: one too long, or one that is not even text.
          methods.length === 0 || methods.includes(request.method)
            ? new ApiError("not_found", nothing)
            : new ApiError("method_not_allowed", `This path answers ${methods.join(", ")}.`, [], {
                allow: methods.join(", ")
              })
        const path = request.url.split("?", 1)[0]!
        const isPublic = publicPaths.has(path as Route["path"]) || path.startsWith("/api/v1/public/")
        const headers = headersFor(requestId, isPublic)
        const route = all.find((route) => route.path === path)
        const refusal = (error: ApiError) => {
          const reply = errorReply(error, requestId, headers)
          return asResponse(route === undefined ? readable(reply, request) : formed(route, reply, request))
        }
        return Effect.match(count(request, admission.admitAnonymous(request, headers), headers), {
          onSuccess: () => refusal(error),
          onFailure: refusal
        })
      }
      /** Serves a path and none of its other names. */
      const add = <R>(
        method: Route["method"] | "OPTIONS",
        path: Route["path"],
        handler: Effect.Effect<HttpServerResponse.HttpServerResponse, never, R>
      ) => {
        const target = targetOf(path)
        return router.add(
          method,
          path,
          HttpServerRequest.HttpServerRequest.use((request) =>
            // As it came: `request.url` is without the origin of an absolute target.
            target.test((request.source as IncomingMessage).url ?? "") ? handler : answerUnrouted(request)
          )
        )
      }

      for (const route of all) {
        const { fast, handler } = compile(route, services)
        yield* add(route.method, route.path, handler)
        if (fastPath === null || fast === null) continue
        yield* open(fastPath, route.path, fast, (requestId) => {
          const headers = headersFor(requestId, route.access === "public")
          admission.pass(headers)
          return headers
        })
      }

      for (const path of publicPaths) {
        const methods = all.filter((route) => route.path === path).map(({ method }) => method)
        yield* add(
          "OPTIONS",
          path,
          HttpServerRequest.HttpServerRequest.use((request) => {
            const requestId = uuidv7()
            const headers = headersFor(requestId, true)
            return Effect.match(count(request, admission.admitPreflight(request, headers), headers), {
              onSuccess: () => preflight(methods, headers),
              onFailure: (error) => errorResponse(error, requestId, headers)
            })
          })
        )
      }

      // Typed as if it let errors pass, because the router's types allow no middleware to catch what is not its own.
      const answerAll = (effect: Effect.Effect<HttpServerResponse.HttpServerResponse, Types.unhandled>) =>
        Effect.catchCause(effect, (cause) =>
          Effect.contextWith((context: Context.Context<HttpServerRequest.HttpServerRequest>) => {
            const request = Context.get(context, HttpServerRequest.HttpServerRequest)
            if (cause.reasons.some((reason) => reason._tag === "Fail" && isRouteNotFound(reason.error))) {
              return answerUnrouted(request)
            }
            const requestId = uuidv7()
            const headers = headersFor(requestId, false)
            return Effect.matchCauseEffect(count(request, admission.admitAnonymous(request, headers), headers), {
              onSuccess: () => Effect.map(answerCause(cause, request, requestId, headers), asResponse),
              onFailure: (refused) => Effect.map(answerCause(refused, request, requestId, headers), asResponse)
            })
          })
        ) as Effect.Effect<HttpServerResponse.HttpServerResponse, Types.unhandled, HttpServerRequest.HttpServerRequest>
      yield* router.addGlobalMiddleware(answerAll)
    })
  )

/** Routes that stand beside the table, which they call: they are served by the same pipeline, and documented elsewhere. */
export type Beside = (table: ReadonlyArray<Route>) => Effect.Effect<ReadonlyArray<Route>, never, RouteServices>

/** Everything that a process with the role `api` serves; `fastPath` is that of the server in front of the router. */
export const routes = (
  fastPath: FastPath,
  beside: Beside
): Layer.Layer<never, never, HttpRouter.HttpRouter | RouteServices> =>
  mount(
    Effect.gen(function* () {
      const documented = yield* table
      const built = yield* builtDashboard
      return [
        ...documented,
        ...(yield* beside(documented)),
        ...(yield* browserFileRoutes),
        ...(yield* externalSignInRoutes),
        ...(built === null ? yield* signInPageRoutes : dashboardRoutes(built))
      ]
    }),
    LISTED,
    fastPath
  )

/** What every other process serves: `/healthz`, `/readyz` and `/metrics`, for supervisors. */
export const statusRoutesOnly: Layer.Layer<
  never,
  never,
  HttpRouter.HttpRouter | ApplicationStore | Auth | HttpSettings | IdempotencyStore | JobQueue | RateLimiter
> = mount(
  Effect.map(Effect.all([statusRoutes, metricsRoutes]), (routes) => routes.flat()),
  NOT_HERE,
  null
)

/** By which of them a request comes follows from its `Expect`. */
const REQUESTS: ReadonlySet<string> = new Set(["request", "checkContinue", "checkExpectation"])

/**
 * The server that app.ts gives to NodeHttpServer. Idle connections outlive those of common load balancers (60 s), which
 * would otherwise send into a closing one; a request has as long as it likes while its bytes keep coming (imports are
 * large; they and small bodies have deadlines of their own), and 20 seconds for its headers. What is no request is not
 * counted; its answer names the budget of anonymous clients.
 */
export const makeNodeServer = (
  fastPath: FastPath,
  anonymous: Budget,
  shutdown = new GracefulShutdown(),
  rules: ConnectionRules = { perAddress: Infinity, trustedProxies: [] }
): Server<typeof IncomingMessage> => {
  const server = createServer({
    ServerResponse: shutdown.responses(),
    keepAliveTimeout: 65_000,
    headersTimeout: 20_000,
    requestTimeout: 0,
    connectionsCheckingInterval: 5_000,
    noDelay: true,
    // Node's own refusal has neither a body nor the headers of all answers.
    requireHostHeader: false,
    // Java's client asks each plain server for HTTP/2 beside its request (`Upgrade: h2c`). The router listens for upgrades,
    // and node would leave the socket to it: the request passed our door, and the connection closed behind its answer.
    shouldUpgradeCallback: () => false
  })
  server.setTimeout(120_000)
  shutdown.watch(server)
  boundConnections(server, rules)
  refuseMalformed(server, anonymous)
  // Before the router's listener, and in its place where the fast path goes.
  const emit = server.emit.bind(server)
  server.emit = (event: string, ...args: Array<unknown>): boolean => {
    if (!REQUESTS.has(event)) return emit(event, ...args)
    const [incoming, outgoing] = args as [IncomingMessage, ServerResponse]
    const fault = faultOfHead(incoming)
    if (fault !== null) {
      refuseHead(outgoing, fault, anonymous)
      return true
    }
    const serve = event === "request" ? fastPathFor(fastPath, incoming) : undefined
    if (serve === undefined) return emit(event, ...args)
    serve(incoming, outgoing)
    return true
  }
  return server
}
