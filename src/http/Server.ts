import { Context, Effect, Layer } from "effect"
import type { Types } from "effect"
import type { HttpServerError, HttpServerResponse } from "effect/http"
import { HttpRouter, HttpServerRequest } from "effect/http"
import type { IncomingMessage, Server, ServerResponse } from "node:http"
import { createServer } from "node:http"
import { uuidv7 } from "../../services/domain/Ids.ts"
import type { Accept } from "../../services/engine/Accept.ts"
import type { Budget } from "../../services/domain/RateLimit.ts"
import { Auth } from "../../services/engine/Auth.ts"
import type { Credentials } from "../../services/engine/Credentials.ts"
import type { HookTests } from "../../services/engine/HookTests.ts"
import type { Engagement } from "../../services/engine/Engagement.ts"
import type { Templates } from "../../services/engine/Templates.ts"
import type { InboxStreams } from "../../services/engine/InboxStreams.ts"
import type { ApplicationStore } from "../../services/ports/ApplicationStore.ts"
import type { AuditLog } from "../../services/ports/AuditLog.ts"
import type { Keys } from "../../services/ports/Keys.ts"
import type { AudienceStore } from "../../services/ports/AudienceStore.ts"
import type { ChannelStore } from "../../services/ports/ChannelStore.ts"
import type { ContactStore } from "../../services/ports/ContactStore.ts"
import type { CredentialStore } from "../../services/ports/CredentialStore.ts"
import type { DeadLetterStore } from "../../services/ports/DeadLetterStore.ts"
import type { DeviceStore } from "../../services/ports/DeviceStore.ts"
import type { EngineSettings } from "../../services/ports/EngineSettings.ts"
import type { HookStore } from "../../services/ports/HookStore.ts"
import { HttpSettings } from "../../services/ports/HttpSettings.ts"
import { IdempotencyStore } from "../../services/ports/IdempotencyStore.ts"
import type { RateLimiter } from "../../services/engine/RateLimiter.ts"
import type { InboxStore } from "../../services/ports/InboxStore.ts"
import type { JobQueue } from "../../services/ports/JobQueue.ts"
import type { Links } from "../../services/ports/Links.ts"
import { Metrics } from "../../services/ports/Metrics.ts"
import type { NotificationStore } from "../../services/ports/NotificationStore.ts"
import type { ReplayStore } from "../../services/ports/ReplayStore.ts"
import type { OutboundPolicy } from "../../services/ports/OutboundPolicy.ts"
import type { PayloadSizes } from "../../services/ports/PayloadSizes.ts"
import type { StatsStore } from "../../services/ports/StatsStore.ts"
import type { SegmentStore } from "../../services/ports/SegmentStore.ts"
import type { TemplateStore } from "../../services/ports/TemplateStore.ts"
import { makeAdmission } from "./Admission.ts"
import { ApiError, errorResponse } from "./ApiError.ts"
import { apiKeyRoutes } from "./ApiKeys.ts"
import { applicationRoutes } from "./Application.ts"
import { auditRoutes } from "./AuditLog.ts"
import { channelRoutes } from "./Channels.ts"
import { contactRoutes } from "./Contacts.ts"
import { preflight } from "./Cors.ts"
import type { Express } from "./Express.ts"
import { expressFor, open } from "./Express.ts"
import { credentialRoutes } from "./Credentials.ts"
import { deadLetterRoutes } from "./DeadLetters.ts"
import { exportRoutes } from "./DeviceExport.ts"
import { importRoutes } from "./DeviceImport.ts"
import { deviceRoutes } from "./Devices.ts"
import { engagementRoutes } from "./Engagement.ts"
import { inboxRoutes } from "./Inbox.ts"
import { mailLinkRoutes } from "./MailLinks.ts"
import { lacksHost, refuseHostless, refuseMalformed } from "./Malformed.ts"
import { metricsRoutes } from "./Metrics.ts"
import { notificationRoutes } from "./Notifications.ts"
import { withReference } from "./Reference.ts"
import { asResponse } from "./Reply.ts"
import type { Route } from "./Route.ts"
import { answerCause, compile, headersFor } from "./ShortRoad.ts"
import { segmentRoutes } from "./Segments.ts"
import { statsRoutes } from "./Stats.ts"
import { statusRoutes } from "./Status.ts"
import { templateRoutes } from "./Templates.ts"
import { webhookDeliveryRoutes } from "./WebhookDeliveries.ts"
import { webhookRoutes } from "./Webhooks.ts"

/** What the handlers of the table stand on. */
export type RouteServices =
  | Accept
  | ApplicationStore
  | AuditLog
  | AudienceStore
  | Auth
  | ChannelStore
  | ContactStore
  | CredentialStore
  | Credentials
  | DeadLetterStore
  | DeviceStore
  | EngineSettings
  | Engagement
  | HookStore
  | HookTests
  | HttpSettings
  | IdempotencyStore
  | InboxStore
  | InboxStreams
  | JobQueue
  | Keys
  | Links
  | NotificationStore
  | ReplayStore
  | OutboundPolicy
  | RateLimiter
  | PayloadSizes
  | SegmentStore
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
    inboxRoutes,
    mailLinkRoutes,
    notificationRoutes,
    templateRoutes,
    segmentRoutes,
    statsRoutes,
    webhookRoutes,
    webhookDeliveryRoutes,
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
  return withReference(routes, baseUrl)
})

/** Which methods a path has: asked only when a request found no route. */
const methodsByPath = (routes: ReadonlyArray<Route>) => {
  const paths = new Map<string, { readonly pattern: RegExp; readonly methods: Array<string> }>()
  for (const { path, method } of routes) {
    const pattern = new RegExp(`^${path.replaceAll(".", "\\.").replace(/:[a-z_]+/g, "[^/]+")}/?$`)
    const entry = paths.get(path) ?? { pattern, methods: [] }
    entry.methods.push(method, ...(method === "GET" ? ["HEAD"] : []))
    paths.set(path, entry)
  }
  return (url: string): ReadonlyArray<string> => {
    const path = url.split(/[?#]/, 1)[0]!
    return [...new Set([...paths.values()].flatMap(({ pattern, methods }) => (pattern.test(path) ? methods : [])))]
  }
}

const isRouteNotFound = (error: unknown): boolean =>
  (error as HttpServerError.HttpServerError | undefined)?._tag === "HttpServerError" &&
  (error as HttpServerError.HttpServerError).reason._tag === "RouteNotFound"

/** Serve with `HttpRouter.serve(…, { routerConfig })`: a path is what the table says, to the letter. */
export const routerConfig = { caseSensitive: true, ignoreDuplicateSlashes: false, maxParamLength: 4096 }

const LISTED = "There is nothing at this path. The endpoints are listed at /docs."
const NOT_HERE =
  "There is nothing at this path: this process serves /healthz, /readyz and /metrics alone, beside its work."

/** Puts routes on the router, and behind them the answers to what no route takes: 404, 405, and 500 for defects. */
const mount = <R>(table: Effect.Effect<ReadonlyArray<Route>, never, R>, nothing: string, way: Express | null) =>
  HttpRouter.use(
    Effect.fnUntraced(function* (router) {
      const all = yield* table
      const road = {
        admission: yield* makeAdmission,
        auth: yield* Auth,
        idempotency: yield* IdempotencyStore,
        bodyLimit: (yield* HttpSettings).bodyLimit,
        metrics: yield* Metrics
      }
      if (way !== null) way.bodyLimit = road.bodyLimit
      const { admission } = road
      for (const route of all) {
        const { express, handler } = compile(route, road)
        yield* router.add(route.method, route.path, handler)
        if (way === null || express === null) continue
        yield* open(way, route.path, express, (requestId) => {
          const headers = headersFor(requestId, route.access === "public")
          admission.pass(headers)
          return headers
        })
      }

      const publicPaths = new Set(all.filter(({ access }) => access === "public").map(({ path }) => path))
      for (const path of publicPaths) {
        const methods = all.filter((route) => route.path === path).map(({ method }) => method)
        yield* router.add(
          "OPTIONS",
          path,
          HttpServerRequest.HttpServerRequest.use((request) => {
            const requestId = uuidv7()
            const headers = headersFor(requestId, true)
            return Effect.match(admission.admitPreflight(request, headers), {
              onSuccess: () => preflight(methods, headers),
              onFailure: (error) => errorResponse(error, requestId, headers)
            })
          })
        )
      }

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
        return Effect.match(admission.admitAnonymous(request, headers), {
          onSuccess: () => errorResponse(error, requestId, headers),
          onFailure: (refused) => errorResponse(refused, requestId, headers)
        })
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
            return Effect.matchCauseEffect(admission.admitAnonymous(request, headers), {
              onSuccess: () => Effect.map(answerCause(cause, request, requestId, headers), asResponse),
              onFailure: (refused) => Effect.map(answerCause(refused, request, requestId, headers), asResponse)
            })
          })
        ) as Effect.Effect<HttpServerResponse.HttpServerResponse, Types.unhandled, HttpServerRequest.HttpServerRequest>
      yield* router.addGlobalMiddleware(answerAll)
    })
  )

/** Everything that a process with the role `api` serves; `way` is that of the server in front of the router. */
export const routes = (way: Express): Layer.Layer<never, never, HttpRouter.HttpRouter | RouteServices> =>
  mount(table, LISTED, way)

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

/**
 * The server that app.ts gives to NodeHttpServer. Idle connections outlive those of common load balancers (60 s), which
 * would otherwise send into a closing one; a request has as long as it likes while its bytes keep coming (imports are
 * large, and small bodies have a deadline of their own), and none for its headers. What is no request is not counted; its
 * answer names the budget of anonymous clients.
 */
export const makeNodeServer = (way: Express, anonymous: Budget): Server<typeof IncomingMessage> => {
  const server = createServer({
    keepAliveTimeout: 65_000,
    headersTimeout: 20_000,
    requestTimeout: 0,
    connectionsCheckingInterval: 5_000,
    noDelay: true,
    // Node's own refusal has neither a body nor the headers of all answers.
    requireHostHeader: false
  })
  server.setTimeout(120_000)
  refuseMalformed(server, anonymous)
  // Before the router's listener, and in its place where the express way goes.
  const emit = server.emit.bind(server)
  server.emit = (event: string, ...args: Array<unknown>): boolean => {
    if (event !== "request") return emit(event, ...args)
    const [incoming, outgoing] = args as [IncomingMessage, ServerResponse]
    if (lacksHost(incoming)) {
      refuseHostless(outgoing, anonymous)
      return true
    }
    const serve = expressFor(way, incoming)
    if (serve === undefined) return emit(event, ...args)
    serve(incoming, outgoing)
    return true
  }
  return server
}
