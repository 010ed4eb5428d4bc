import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import { Ajv2020 } from "ajv/dist/2020.js"
import addFormats from "ajv-formats"
import { Effect, Layer, Logger, ManagedRuntime } from "effect"
import { HttpRouter, HttpServer } from "effect/http"
import { SqlClient } from "effect/sql"
import { expect } from "vitest"
import * as BrowserFiles from "../../../layers/local/BrowserFiles.ts"
import { layer as settingsLayer, read as readSettings } from "../../../layers/config/Settings.ts"
import { layer as keysLayer } from "../../../layers/crypto/Keys.ts"
import { layerOf as sessionTokensOf } from "../../../layers/crypto/SessionTokens.ts"
import { layerOf as signInSecretsOf } from "../../../layers/crypto/SignInSecrets.ts"
import { layerOf as linksOf } from "../../../layers/crypto/Links.ts"
import { sizeOf } from "../../../layers/apns/ApnsPayload.ts"
import { layer as liquidLayer } from "../../../layers/liquid/TemplateEngine.ts"
import { layer as identityProviders } from "../../../layers/oauth/IdentityProviders.ts"
import { layer as outboundLayer } from "../../../layers/outbound/OutboundPolicy.ts"
import { layer as apnsLayer } from "../../../layers/apns/ApnsProvider.ts"
import { layer as fcmLayer } from "../../../layers/fcm/FcmProvider.ts"
import { layer as http2Layer } from "../../../layers/http2/OwnHttp2Client.ts"
import { layer as smtpLayer } from "../../../layers/mail/SmtpOnDemand.ts"
import { layer as pushPools } from "../../../layers/outbound/PushPools.ts"
import { layer as smallRequests } from "../../../layers/outbound/SmallRequests.ts"
import { providerCode, statusCode } from "../../../layers/postgres/sending/deliveryCodes.ts"
import type { ApplicationSecrets } from "../../../services/domain/access/Application.ts"
import type { Budget, RateLimits } from "../../../services/domain/access/RateLimit.ts"
import type { EngagementType } from "../../../services/domain/engagement/Engagement.ts"
import type { AppId, NotificationId } from "../../../services/domain/Ids.ts"
import type { DeliveryStatus } from "../../../services/domain/sending/Delivery.ts"
import type { NotificationStatus } from "../../../services/domain/sending/Notification.ts"
import { createApplication } from "../../../services/engine/access/Applications.ts"
import { Auth } from "../../../services/engine/access/Auth.ts"
import { RateLimiter } from "../../../services/engine/access/RateLimiter.ts"
import { Engagement } from "../../../services/engine/engagement/Engagement.ts"
import { Accounts } from "../../../services/engine/people/Accounts.ts"
import { AddressChanges } from "../../../services/engine/people/AddressChanges.ts"
import { ExternalSignIns } from "../../../services/engine/people/ExternalSignIns.ts"
import { Organizations } from "../../../services/engine/people/Organizations.ts"
import { Permissions } from "../../../services/engine/people/Permissions.ts"
import { ServiceMails } from "../../../services/engine/people/ServiceMails.ts"
import { Sessions } from "../../../services/engine/people/Sessions.ts"
import { SessionWatch } from "../../../services/engine/people/SessionWatch.ts"
import { SignIn } from "../../../services/engine/people/SignIn.ts"
import { InboxStreams } from "../../../services/engine/inbox/InboxStreams.ts"
import { Templates } from "../../../services/engine/messages/Templates.ts"
import { Accept } from "../../../services/engine/sending/Accept.ts"
import { CredentialChecks } from "../../../services/engine/sending/CredentialChecks.ts"
import { Credentials } from "../../../services/engine/sending/Credentials.ts"
import { Redeliveries } from "../../../services/engine/webhooks/Redeliveries.ts"
import { TestEvents } from "../../../services/engine/webhooks/TestEvents.ts"
import { Programs } from "../../../services/engine/workflows/Programs.ts"
import { Workflows } from "../../../services/engine/workflows/Workflows.ts"
import { PeopleSettings } from "../../../services/ports/people/PeopleSettings.ts"
import type { OwnMail } from "../../../services/ports/people/ServiceMailer.ts"
import { ServiceMailer } from "../../../services/ports/people/ServiceMailer.ts"
import { Keys } from "../../../services/ports/access/Keys.ts"
import { uuidv7 } from "../../../services/ports/NewId.ts"
import { HttpSettings } from "../../../services/ports/HttpSettings.ts"
import { PayloadSizes } from "../../../services/ports/sending/PayloadSizes.ts"
import { graphqlRoutes } from "../../../src/graphql/GraphqlRoute.ts"
import { LiveSettings } from "../../../src/graphql/LiveAnswers.ts"
import { Draining } from "../../../src/http/endpoints/Status.ts"
import { makeFastPath } from "../../../src/http/pipeline/FastPath.ts"
import { GracefulShutdown } from "../../../src/http/pipeline/GracefulShutdown.ts"
import { makeNodeServer, routerConfig, routes } from "../../../src/http/pipeline/Server.ts"
import { QueueLog } from "../../doubles/operations/JobQueue.ts"
import { Outage } from "../../doubles/Outage.ts"
import { Receivers } from "../../doubles/webhooks/WebhookClient.ts"
import type { StatementLog } from "./StatementLog.ts"
import { MASTER_KEY, storesOver } from "./TestStores.ts"

export const BODY_LIMIT = 100_000
/** Links in mail are signed with it, and written as paths. */
export const LINK_KEY = new Uint8Array(32).fill(7)
export const IMPORT_LIMIT = 4_000_000

const MANY: Budget = { requests: 1_000_000, windowMs: 60_000 }
/** Limits that no test comes near, unless it is about them. */
const PLENTY: RateLimits = {
  secret: MANY,
  public: MANY,
  devices: MANY,
  public_total: MANY,
  session: MANY,
  anonymous: MANY,
  links: MANY,
  preflight: MANY
}

export interface Answer {
  readonly status: number
  readonly headers: Headers
  readonly text: string
  // Tests look into answers whose shape was checked against the OpenAPI document before.
  // oxlint-disable-next-line typescript/no-explicit-any
  readonly json: any
}

/** Sizes as APNs has them. */
const sizes: PayloadSizes["Service"]["sizeOf"] = (provider, message) => (provider === "smtp" ? null : sizeOf(message))

/** What somebody did with what they got. */
export interface Report {
  readonly appId: AppId
  readonly notificationId: NotificationId
  readonly recipientId: string
  readonly type: EngagementType
  readonly isMachine: boolean
  readonly destination: string | null
}

/** An application and its secrets. */
export type Tenant = ApplicationSecrets

/** The API on a real server and an ephemeral port, over the real stores and a database of its own, with two applications. */
export const startServer = async (
  options: {
    bodyLimit?: number
    importLimit?: number
    rateLimits?: Partial<RateLimits>
    trustedProxies?: string
    drainMs?: number
    streamsPerAddress?: number
    registration?: "open" | "invite"
    baseUrl?: string
    /** After how many ticks subscriptions look by themselves whether their key or session is still good. */
    ticksOfCheck?: number
    /** How many of them there may be. */
    live?: Partial<(typeof LiveSettings)["Service"]>
    /** Where statements are noted. */
    statements?: StatementLog
    /** Settings beside these. */
    env?: Readonly<Record<string, string>>
  } = {}
) => {
  const outage = new Outage()
  const limiterOutage = new Outage()
  const queue = new QueueLog()
  const receivers = new Receivers()
  /** Of the node that the server would be part of. */
  const node = { isStopping: false }
  // Stands in a window that neither begins nor ends while a test counts, however long the server takes to start.
  const moment = Math.ceil(Date.now() / 60_000) * 60 + 20
  const logs: Array<string> = []
  /** What the service has written to people. */
  const mails: Array<OwnMail> = []
  const logger = Logger.layer([Logger.map(Logger.formatLogFmt, (line) => void logs.push(line))])
  const settings = settingsLayer({ OUTBOUND_ALLOW_CIDRS: "198.18.7.0/24", ...options.env })
  const baseUrlOfSettings = options.baseUrl ?? readSettings({}).baseUrl
  const stores = storesOver(outage, limiterOutage, moment)
  const others = Layer.mergeAll(
    Layer.succeed(PayloadSizes, { sizeOf: sizes }),
    receivers.layer,
    queue.layer,
    keysLayer,
    sessionTokensOf(MASTER_KEY),
    signInSecretsOf(MASTER_KEY),
    Layer.succeed(ServiceMailer, { send: (mail) => Effect.sync(() => void mails.push(mail)) }),
    linksOf("", LINK_KEY),
    outboundLayer.pipe(Layer.provide(settings)),
    identityProviders.pipe(Layer.provide(smallRequests), Layer.provide(outboundLayer), Layer.provide(settings)),
    settings,
    Layer.succeed(PeopleSettings, {
      registration: options.registration ?? "open",
      baseUrl: baseUrlOfSettings
    }),
    Layer.succeed(HttpSettings, {
      baseUrl: baseUrlOfSettings,
      bodyLimit: options.bodyLimit ?? BODY_LIMIT,
      importLimit: options.importLimit ?? IMPORT_LIMIT,
      trustedProxies: readSettings({ TRUSTED_PROXIES: options.trustedProxies }).trustedProxies,
      rateLimits: { ...PLENTY, ...options.rateLimits }
    })
  )
  const engine = Layer.mergeAll(
    Accept.layer,
    Auth.layer,
    Credentials.layer,
    CredentialChecks.layer.pipe(
      Layer.provide(Layer.mergeAll(apnsLayer, fcmLayer, smtpLayer)),
      Layer.provide(Layer.mergeAll(http2Layer, pushPools, smallRequests))
    ),
    Engagement.layer,
    TestEvents.layer,
    Redeliveries.layer,
    Workflows.layer.pipe(Layer.provide(Programs.layer)),
    // Passes and beats come as quickly as a test can want them.
    InboxStreams.layer({
      max: 8,
      maxOfApp: 6,
      maxOfUser: 4,
      maxOfAddress: options.streamsPerAddress ?? 8,
      tick: "20 millis",
      ticksOfBeat: 2,
      isStopping: () => node.isStopping
    }),
    BrowserFiles.layer,
    RateLimiter.layer,
    Accounts.layer,
    AddressChanges.layer,
    ExternalSignIns.layer,
    Organizations.layer,
    Sessions.layer,
    SessionWatch.layer,
    SignIn.layer,
    Layer.succeed(LiveSettings, {
      tickMs: 20,
      ticksOfCheck: options.ticksOfCheck ?? 3,
      max: 50,
      maxByKeys: 40,
      maxOfOrganization: 20,
      maxOfOne: 3,
      maxOfAddress: 20,
      ...options.live
    }),
    Layer.succeed(Draining, () => node.isStopping)
  ).pipe(
    Layer.provideMerge(Layer.merge(Permissions.layer, ServiceMails.layer)),
    Layer.provideMerge(Templates.layer.pipe(Layer.provide(liquidLayer))),
    Layer.provideMerge(Layer.merge(stores, others))
  )
  // A mount beside the table, as GraphQL will be: what it does wrong is answered like everything else.
  const broken = HttpRouter.add("GET", "/broken", Effect.die(new Error("a secret of ours")))
  const fastPath = makeFastPath()
  const shutdown = new GracefulShutdown()
  const leaving = Layer.effectDiscard(Effect.addFinalizer(() => shutdown.end(options.drainMs ?? 20_000)))
  const served = HttpRouter.serve(Layer.merge(routes(fastPath, graphqlRoutes), broken), {
    routerConfig,
    disableLogger: true,
    disableListenLog: true
  })
  const app = leaving.pipe(
    Layer.provideMerge(served),
    Layer.provideMerge(
      NodeHttpServer.layer(() => makeNodeServer(fastPath, PLENTY.anonymous, shutdown), {
        port: 0,
        host: "127.0.0.1",
        disablePreemptiveShutdown: true
      })
    ),
    Layer.provideMerge(engine),
    Layer.provideMerge(logger),
    Layer.provideMerge(options.statements?.layer ?? Layer.empty)
  )
  const runtime = ManagedRuntime.make(app)
  const address = await runtime.runPromise(
    Effect.map(HttpServer.HttpServer, (server) => server.address as { readonly port: number })
  )
  const keys = await runtime.runPromise(Effect.map(Keys, (keys) => keys))
  const baseUrl = `http://127.0.0.1:${address.port}`

  /** Runs an effect as the server's own code is run, with all that it stands on. */
  const run = <A, E>(effect: Effect.Effect<A, E, ManagedRuntime.ManagedRuntime.Services<typeof runtime>>): Promise<A> =>
    runtime.runPromise(effect)
  /** Asks the server's database, also while an outage keeps its stores away. */
  // oxlint-disable-next-line typescript/no-explicit-any
  const sql = async <Row extends object = any>(
    strings: TemplateStringsArray,
    ...values: ReadonlyArray<unknown>
  ): Promise<ReadonlyArray<Row>> =>
    run(Effect.flatMap(SqlClient.SqlClient, (client) => client<Row>(strings, ...values)))
  /** The rows of a table, of all applications. */
  const count = async (table: string): Promise<number> =>
    (await run(Effect.flatMap(SqlClient.SqlClient, (client) => client`SELECT 1 FROM ${client(table)}`))).length
  /** A notification that has ended. */
  const makeNotification = async ({ appId }: Tenant, status: NotificationStatus = "completed") => {
    const id = uuidv7() as NotificationId
    await sql`
      INSERT INTO notifications (id, app_id, status, priority, request, expires_at, plan_done, completed_at)
      VALUES (${id}, ${appId}, ${status}, 'bulk', '{"to":{"all":true},"content":{"title":"Hello"}}', now(), true, now())`
    return id
  }
  /** A notification, and a device for which it ended so. */
  const makeDelivery = async (tenant: Tenant, status: DeliveryStatus = "sent") => {
    const [notification_id, device_id] = [await makeNotification(tenant), uuidv7()]
    await sql`
      INSERT INTO deliveries (notification_id, recipient_id, provider, status, attempts)
      VALUES (${notification_id}, ${device_id}, ${providerCode.fcm}, ${statusCode[status]}, 1)`
    return { notification_id, device_id }
  }
  /** What was reported of single recipients, oldest first. Where a click led is told to webhooks alone: one must want it. */
  const reports = () => sql<Report>`
    SELECT n.app_id AS "appId", n.id AS "notificationId", e.recipient_id AS "recipientId", t.type,
      e.machine AS "isMachine", (
        SELECT c.columns::json -> 'destination' ->> 0 FROM event_chunks c
        WHERE c.event = 'NOTIFICATION_' || upper(t.type) AND c.columns::json -> 'notificationId' ->> 0 = n.id::text
      ) AS destination
    FROM engagements e JOIN notifications n ON n.id = e.notification_id
      JOIN (VALUES ('d', 'delivered'), ('o', 'opened'), ('c', 'clicked')) AS t (code, type) ON t.code::"char" = e.type
    ORDER BY e.at`
  /** The code of the last mail to an address that has one, once all mail has gone out: codes go before all else. */
  const mailedCode = async (email: string): Promise<string | null> => {
    await run(Effect.flatMap(ServiceMails, ({ sendDue }) => sendDue))
    const codes = mails.flatMap(({ text, to }) => (to === email ? (/^ {4}(\d{6})$/m.exec(text)?.[1] ?? []) : []))
    return codes.at(-1) ?? null
  }
  const makeTenant = (): Promise<Tenant> => run(createApplication("An application"))

  const document = await documentOf(baseUrl)
  const check = contractCheck(document)
  // The document was asked for. From here on it counts.
  await sql`DELETE FROM rate_limits`

  /** Sends a request, and holds the answer against the OpenAPI document and the rules for all answers. */
  const call = async (
    method: string,
    path: string,
    options: {
      key?: string
      body?: unknown
      raw?: string | Uint8Array<ArrayBuffer>
      headers?: Record<string, string>
    } = {}
  ): Promise<Answer> => {
    const body = options.raw ?? (options.body === undefined ? undefined : JSON.stringify(options.body))
    const response = await fetch(`${baseUrl}${path}`, {
      method,
      headers: {
        ...(options.key === undefined ? {} : { authorization: authorization(options.key) }),
        ...(body === undefined ? {} : { "content-type": "application/json" }),
        ...options.headers
      },
      ...(body === undefined ? {} : { body })
    })
    const text = await response.text()
    const isJson = /^application\/(graphql-response\+)?json/.test(response.headers.get("content-type") ?? "")
    const answer = {
      status: response.status,
      headers: response.headers,
      text,
      json: isJson && text !== "" ? JSON.parse(text) : null
    }
    check(method, path, answer)
    return answer
  }

  return {
    baseUrl,
    port: address.port,
    logs,
    mails,
    mailedCode,
    outage,
    limiterOutage,
    queue,
    receivers,
    node,
    keys,
    document,
    call,
    run,
    sql,
    count,
    makeNotification,
    makeDelivery,
    reports,
    makeTenant,
    ours: await makeTenant(),
    theirs: await makeTenant(),
    stop: () => runtime.dispose()
  }
}
export type TestServer = Awaited<ReturnType<typeof startServer>>

export const authorization = (key: string): string => (key.startsWith("sk_") ? `ApiKey ${key}` : `Public ${key}`)

export interface OpenApi {
  readonly paths: Record<
    string,
    Record<
      string,
      {
        readonly security: ReadonlyArray<Record<string, unknown>>
        readonly parameters?: ReadonlyArray<{ readonly name: string }>
        readonly requestBody?: {
          readonly content: Record<string, { readonly schema: object; readonly example: unknown }>
        }
        readonly responses: Record<
          string,
          {
            readonly description: string
            readonly headers?: Record<string, object>
            readonly content?: Record<string, { readonly schema: object; readonly example?: unknown }>
          }
        >
      }
    >
  >
  readonly components: {
    readonly schemas: Record<string, { readonly properties?: Record<string, { readonly description?: string }> }>
  }
}

/** Asks anew where the machine has so much else to do that the first request waits too long for its permit. */
const documentOf = async (baseUrl: string, tries = 10): Promise<OpenApi> => {
  const answer = await fetch(`${baseUrl}/api/v1/openapi.json`)
  if (answer.ok) return (await answer.json()) as OpenApi
  if (tries === 1) throw new Error(`the document was not there: ${answer.status} ${await answer.text()}`)
  return documentOf(baseUrl, tries - 1)
}

/** Compiles schemas of the document with a validator that is not ours. */
export const schemaCompiler = (document: OpenApi) => {
  const ajv = new Ajv2020({ strict: false, allErrors: true })
  addFormats.default(ajv)
  ajv.addSchema({ $id: "doc", components: document.components })
  return (schema: object) =>
    ajv.compile(JSON.parse(JSON.stringify(schema).replaceAll('"#/components', '"doc#/components')))
}

/** Fails a test whose answer the document does not foresee, in status or in shape. */
const contractCheck = (document: OpenApi) => {
  const compile = schemaCompiler(document)
  const isError = compile({ $ref: "#/components/schemas/Error" })
  const templates = Object.keys(document.paths).map((path) => ({
    path,
    pattern: new RegExp(`^${path.replaceAll(".", "\\.").replace(/\{[^}]+\}/g, "[^/]+")}/?$`)
  }))
  return (method: string, url: string, answer: Answer) => {
    expect(answer.headers.get("x-request-id")).toMatch(/^[0-9a-f-]{36}$/)
    const [limit, remaining, reset] = ["limit", "remaining", "reset"].map((name) => {
      expect(answer.headers.get(`x-ratelimit-${name}`), `${method} ${url} ${name}`).toMatch(/^\d+$/)
      return Number(answer.headers.get(`x-ratelimit-${name}`))
    })
    expect(remaining).toBeLessThanOrEqual(limit!)
    expect(reset).toBeGreaterThan(1_700_000_000)
    if (answer.status === 429 || answer.status === 503) expect(answer.headers.get("retry-after")).toMatch(/^[1-9]\d*$/)
    if (answer.status >= 400 && method !== "HEAD") {
      // GraphQL over HTTP has one place for what is no GraphQL.
      const isMap = answer.headers.get("content-type")?.startsWith("application/graphql-response+json") === true
      const refusal = isMap ? answer.json.extensions : answer.json
      expect(isError(refusal), answer.text).toBe(true)
      expect(refusal.error.request_id).toBe(answer.headers.get("x-request-id"))
    }
    const path = url.split("?", 1)[0]!
    // What is said by letters comes before what any id fits: /devices/import is no device.
    const matching = templates
      .filter(({ pattern }) => pattern.test(path))
      .sort((a, b) => b.path.indexOf("{") - a.path.indexOf("{") || a.path.length - b.path.length)
    const exact = matching.find((template) => template.path === path) ?? matching[0]
    const operation = exact && document.paths[exact.path]?.[method.toLowerCase()]
    if (operation === undefined) return
    const documented = operation.responses[answer.status]
    expect(documented, `${method} ${path} → ${answer.status} is not documented`).toBeDefined()
    const media = documented?.content?.["application/json"]
    if (media === undefined || answer.json === null) return
    const validate = compile(media.schema)
    expect(validate(answer.json), `${answer.text} ${JSON.stringify(validate.errors)}`).toBe(true)
  }
}
