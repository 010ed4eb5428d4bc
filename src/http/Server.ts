import { Context, Effect, Layer } from "effect"
import type { Types } from "effect"
import type { HttpServerError, HttpServerResponse } from "effect/http"
import { HttpRouter, HttpServerRequest } from "effect/http"
import type { IncomingMessage, Server } from "node:http"
import { createServer, STATUS_CODES } from "node:http"
import { uuidv7 } from "../../services/domain/Ids.ts"
import type { Accept } from "../../services/engine/Accept.ts"
import { Auth } from "../../services/engine/Auth.ts"
import type { Credentials } from "../../services/engine/Credentials.ts"
import type { HookTests } from "../../services/engine/HookTests.ts"
import type { Engagement } from "../../services/engine/Engagement.ts"
import type { ApplicationStore } from "../../services/ports/ApplicationStore.ts"
import type { ChannelStore } from "../../services/ports/ChannelStore.ts"
import type { ContactStore } from "../../services/ports/ContactStore.ts"
import type { CredentialStore } from "../../services/ports/CredentialStore.ts"
import type { DeadLetterStore } from "../../services/ports/DeadLetterStore.ts"
import type { DeviceStore } from "../../services/ports/DeviceStore.ts"
import type { EngineSettings } from "../../services/ports/EngineSettings.ts"
import type { HookStore } from "../../services/ports/HookStore.ts"
import { HttpSettings } from "../../services/ports/HttpSettings.ts"
import { IdempotencyStore } from "../../services/ports/IdempotencyStore.ts"
import type { InboxStore } from "../../services/ports/InboxStore.ts"
import type { JobQueue } from "../../services/ports/JobQueue.ts"
import type { NotificationStore } from "../../services/ports/NotificationStore.ts"
import type { OutboundPolicy } from "../../services/ports/OutboundPolicy.ts"
import { ApiError, errorBody, errorResponse } from "./ApiError.ts"
import { channelRoutes } from "./Channels.ts"
import { contactRoutes } from "./Contacts.ts"
import { preflight } from "./Cors.ts"
import { credentialRoutes } from "./Credentials.ts"
import { deadLetterRoutes } from "./DeadLetters.ts"
import { importRoutes } from "./DeviceImport.ts"
import { deviceRoutes } from "./Devices.ts"
import { engagementRoutes } from "./Engagement.ts"
import { inboxRoutes } from "./Inbox.ts"
import { metricsRoutes } from "./Metrics.ts"
import { notificationRoutes } from "./Notifications.ts"
import { withReference } from "./Reference.ts"
import type { Route } from "./Route.ts"
import { answerCause, compile, headersFor } from "./ShortRoad.ts"
import { statusRoutes } from "./Status.ts"
import { webhookDeliveryRoutes } from "./WebhookDeliveries.ts"
import { webhookRoutes } from "./Webhooks.ts"

/** What the handlers of the table stand on. */
export type RouteServices =
  | Accept
  | ApplicationStore
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
  | JobQueue
  | NotificationStore
  | OutboundPolicy

/** The whole REST surface: every route of every resource, and the documentation made from them. */
export const table: Effect.Effect<ReadonlyArray<Route>, never, RouteServices> = Effect.gen(function* () {
  const { baseUrl } = yield* HttpSettings
  const resources = [
    deviceRoutes,
    importRoutes,
    engagementRoutes,
    channelRoutes,
    contactRoutes,
    inboxRoutes,
    notificationRoutes,
    webhookRoutes,
    webhookDeliveryRoutes,
    deadLetterRoutes,
    credentialRoutes,
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
export const routerConfig = { caseSensitive: true, ignoreDuplicateSlashes: false }

const LISTED = "There is nothing at this path. The endpoints are listed at /docs."
const NOT_HERE =
  "There is nothing at this path: this process serves /healthz, /readyz and /metrics alone, beside its work."

/** Puts routes on the router, and behind them the answers to what no route takes: 404, 405, and 500 for defects. */
const mount = <R>(table: Effect.Effect<ReadonlyArray<Route>, never, R>, nothing: string) =>
  HttpRouter.use(
    Effect.fnUntraced(function* (router) {
      const all = yield* table
      const road = {
        auth: yield* Auth,
        idempotency: yield* IdempotencyStore,
        bodyLimit: (yield* HttpSettings).bodyLimit
      }
      for (const route of all) yield* router.add(route.method, route.path, compile(route, road))

      const publicPaths = new Set(all.filter(({ access }) => access === "public").map(({ path }) => path))
      for (const path of publicPaths) {
        const methods = all.filter((route) => route.path === path).map(({ method }) => method)
        yield* router.add(
          "OPTIONS",
          path,
          Effect.sync(() => preflight(methods, headersFor(uuidv7(), true)))
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
        return errorResponse(error, requestId, headersFor(requestId, isPublic))
      }
      // Typed as if it let errors pass, because the router's types allow no middleware to catch what is not its own.
      const answerAll = (effect: Effect.Effect<HttpServerResponse.HttpServerResponse, Types.unhandled>) =>
        Effect.catchCause(effect, (cause) =>
          Effect.contextWith((context: Context.Context<HttpServerRequest.HttpServerRequest>) => {
            const request = Context.get(context, HttpServerRequest.HttpServerRequest)
            if (cause.reasons.some((reason) => reason._tag === "Fail" && isRouteNotFound(reason.error))) {
              return Effect.succeed(answerUnrouted(request))
            }
            const requestId = uuidv7()
            return answerCause(cause, request, requestId, headersFor(requestId, false))
          })
        ) as Effect.Effect<HttpServerResponse.HttpServerResponse, Types.unhandled, HttpServerRequest.HttpServerRequest>
      yield* router.addGlobalMiddleware(answerAll)
    })
  )

/** Everything that a process with the role `api` serves. */
export const routes: Layer.Layer<never, never, HttpRouter.HttpRouter | RouteServices> = mount(table, LISTED)

/** What every other process serves: `/healthz`, `/readyz` and `/metrics`, for supervisors. */
export const statusRoutesOnly: Layer.Layer<
  never,
  never,
  HttpRouter.HttpRouter | ApplicationStore | Auth | HttpSettings | IdempotencyStore | JobQueue
> = mount(
  Effect.map(Effect.all([statusRoutes, metricsRoutes]), (routes) => routes.flat()),
  NOT_HERE
)

/** A request that is not even HTTP gets an answer in the form of all errors, as far as one can be written. */
const refuseMalformed = (server: Server) =>
  server.on("clientError", (error: NodeJS.ErrnoException, socket) => {
    if (error.code === "ECONNRESET" || !socket.writable) {
      socket.destroy()
      return
    }
    const requestId = uuidv7()
    const [status, refusal] =
      error.code === "HPE_HEADER_OVERFLOW"
        ? ([431, new ApiError("payload_too_large", "The request's headers are too large.")] as const)
        : error.code === "ERR_HTTP_REQUEST_TIMEOUT"
          ? ([408, new ApiError("request_timeout", "The request did not arrive in time.")] as const)
          : ([400, new ApiError("validation_error", "The request is not valid HTTP.")] as const)
    const body = errorBody(refusal, requestId)
    socket.end(
      `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\nContent-Type: application/json\r\nX-Request-Id: ${requestId}\r\n` +
        `Content-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n\r\n${body}`
    )
  })

/**
 * The server that app.ts gives to NodeHttpServer. Idle connections outlive those of common load balancers (60 s), which
 * would otherwise send into a closing one; a request has as long as it likes while its bytes keep coming (imports are
 * large, and small bodies have a deadline of their own), and none for its headers.
 */
export const makeNodeServer = (): Server<typeof IncomingMessage> => {
  const server = createServer({
    keepAliveTimeout: 65_000,
    headersTimeout: 20_000,
    requestTimeout: 0,
    connectionsCheckingInterval: 5_000,
    noDelay: true
  })
  server.setTimeout(120_000)
  refuseMalformed(server)
  return server
}
