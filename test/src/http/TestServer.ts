import { NodeHttpServer } from "@effect/platform-node"
import { Ajv2020 } from "ajv/dist/2020.js"
import addFormats from "ajv-formats"
import { Effect, Layer, Logger, ManagedRuntime } from "effect"
import { HttpRouter, HttpServer } from "effect/http"
import { expect } from "vitest"
import { layer as settingsLayer, read as readSettings } from "../../../layers/config/Settings.ts"
import { layer as keysLayer } from "../../../layers/crypto/Keys.ts"
import { layer as outboundLayer } from "../../../layers/outbound/OutboundPolicy.ts"
import type { ApiKeyId, AppId, OrganizationId } from "../../../services/domain/Ids.ts"
import { uuidv7 } from "../../../services/domain/Ids.ts"
import { Accept } from "../../../services/engine/Accept.ts"
import { Auth } from "../../../services/engine/Auth.ts"
import { Credentials } from "../../../services/engine/Credentials.ts"
import { Engagement } from "../../../services/engine/Engagement.ts"
import { HookTests } from "../../../services/engine/HookTests.ts"
import { HttpSettings } from "../../../services/ports/HttpSettings.ts"
import { Keys } from "../../../services/ports/Keys.ts"
import { makeNodeServer, routerConfig, routes } from "../../../src/http/Server.ts"
import { ApplicationTable } from "../../doubles/ApplicationStore.ts"
import { ChannelTable } from "../../doubles/ChannelStore.ts"
import { ContactTable } from "../../doubles/ContactStore.ts"
import { CredentialTable } from "../../doubles/CredentialStore.ts"
import { DeadLetterTable } from "../../doubles/DeadLetterStore.ts"
import { DeviceTable } from "../../doubles/DeviceStore.ts"
import { EngagementTable } from "../../doubles/EngagementStore.ts"
import { HookTable } from "../../doubles/HookStore.ts"
import { KeyTable } from "../../doubles/IdempotencyStore.ts"
import { InboxTable } from "../../doubles/InboxStore.ts"
import { QueueLog } from "../../doubles/JobQueue.ts"
import { NotificationTable } from "../../doubles/NotificationStore.ts"
import { Outage } from "../../doubles/Outage.ts"
import { Receivers } from "../../doubles/WebhookClient.ts"

export const BODY_LIMIT = 100_000
export const IMPORT_LIMIT = 4_000_000

export interface Answer {
  readonly status: number
  readonly headers: Headers
  readonly text: string
  // Tests look into answers whose shape was checked against the OpenAPI document before.
  // oxlint-disable-next-line typescript/no-explicit-any
  readonly json: any
}

export interface Tenant {
  readonly appId: AppId
  readonly secretKey: string
  readonly publicKey: string
  readonly identitySecret: string
}

/** The API on a real server and an ephemeral port, over stores in memory, with two applications. */
export const startServer = async (options: { importLimit?: number } = {}) => {
  const outage = new Outage()
  const tables = {
    applications: new ApplicationTable(),
    devices: new DeviceTable(),
    channels: new ChannelTable(),
    contacts: new ContactTable(),
    notifications: new NotificationTable(),
    engagement: new EngagementTable(),
    hooks: new HookTable(),
    keys: new KeyTable(),
    inbox: new InboxTable(),
    credentials: new CredentialTable(),
    deadLetters: new DeadLetterTable(),
    receivers: new Receivers(),
    queue: new QueueLog()
  }
  tables.notifications.settle = (settlement) => tables.keys.settle(settlement)
  const logs: Array<string> = []
  const logger = Logger.layer([Logger.map(Logger.formatLogFmt, (line) => void logs.push(line))])
  const settings = settingsLayer({ OUTBOUND_ALLOW_CIDRS: "198.18.7.0/24" })
  const stores = Layer.mergeAll(
    tables.applications.layer(outage),
    tables.devices.layer(outage),
    tables.channels.layer(outage),
    tables.contacts.layer(outage),
    tables.notifications.layer(outage),
    tables.engagement.layer(outage),
    tables.hooks.layer(outage),
    tables.keys.layer(outage),
    tables.inbox.layer(outage),
    tables.credentials.layer(outage),
    tables.deadLetters.layer(outage),
    tables.receivers.layer,
    tables.queue.layer,
    keysLayer,
    outboundLayer.pipe(Layer.provide(settings)),
    settings,
    Layer.succeed(HttpSettings, {
      baseUrl: readSettings({}).baseUrl,
      bodyLimit: BODY_LIMIT,
      importLimit: options.importLimit ?? IMPORT_LIMIT,
      trustedProxies: []
    })
  )
  const engine = Layer.mergeAll(Accept.layer, Auth.layer, Credentials.layer, Engagement.layer, HookTests.layer).pipe(
    Layer.provideMerge(stores)
  )
  // A mount beside the table, as GraphQL will be: what it does wrong is answered like everything else.
  const broken = HttpRouter.add("GET", "/broken", Effect.die(new Error("a secret of ours")))
  const app = HttpRouter.serve(Layer.merge(routes, broken), {
    routerConfig,
    disableLogger: true,
    disableListenLog: true
  }).pipe(
    Layer.provideMerge(NodeHttpServer.layer(makeNodeServer, { port: 0, host: "127.0.0.1" })),
    Layer.provideMerge(engine),
    Layer.provideMerge(logger)
  )
  const runtime = ManagedRuntime.make(app)
  const address = await runtime.runPromise(
    Effect.map(HttpServer.HttpServer, (server) => server.address as { readonly port: number })
  )
  const keys = await runtime.runPromise(Effect.map(Keys, (keys) => keys))
  const baseUrl = `http://127.0.0.1:${address.port}`

  const makeTenant = (): Tenant => {
    const appId = uuidv7() as AppId
    const [secretKey, publicKey] = [keys.generate("secret"), keys.generate("public")]
    const identitySecret = keys.secret()
    tables.applications.applications.set(appId, {
      id: appId,
      organizationId: uuidv7() as OrganizationId,
      name: "An application",
      identityVerification: true,
      createdAt: Date.now()
    })
    tables.applications.identitySecrets.set(appId, identitySecret)
    for (const [kind, key] of [
      ["secret", secretKey],
      ["public", publicKey]
    ] as const) {
      tables.applications.keys.set(keys.hash(key).toHex(), { id: uuidv7() as ApiKeyId, appId, kind })
    }
    return { appId, secretKey, publicKey, identitySecret }
  }

  const document = (await (await fetch(`${baseUrl}/api/v1/openapi.json`)).json()) as OpenApi
  const check = contractCheck(document)

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
    const isJson = response.headers.get("content-type")?.startsWith("application/json") === true
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
    outage,
    tables,
    keys,
    document,
    call,
    makeTenant,
    ours: makeTenant(),
    theirs: makeTenant(),
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
        readonly requestBody?: {
          readonly content: Record<string, { readonly schema: object; readonly example: unknown }>
        }
        readonly responses: Record<
          string,
          { readonly content?: Record<string, { readonly schema: object; readonly example?: unknown }> }
        >
      }
    >
  >
  readonly components: { readonly schemas: Record<string, object> }
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
    if (answer.status >= 400 && method !== "HEAD") {
      expect(isError(answer.json), answer.text).toBe(true)
      expect(answer.json.error.request_id).toBe(answer.headers.get("x-request-id"))
    }
    const path = url.split("?", 1)[0]!
    // A template without parameters comes first: /devices/import is no device.
    const matching = templates.filter(({ pattern }) => pattern.test(path)).sort((a, b) => a.path.length - b.path.length)
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
