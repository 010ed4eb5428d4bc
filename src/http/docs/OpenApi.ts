import { Effect, Schema } from "effect"
import { USER_ID } from "../../../services/domain/audience/Device.ts"
import type { ErrorCode } from "../pipeline/ApiError.ts"
import { ErrorBody, STATUS } from "../pipeline/ApiError.ts"
import { ID } from "./Examples.ts"
import type { Route } from "../pipeline/Route.ts"
import { bodyLimitOf, EXTERNAL_ID, isSignedParam, knownBodyLimitOf } from "../pipeline/Route.ts"

/** The OpenAPI 3.1 document of a route table. Whatever stands here serves, and whatever serves stands here. */

export type Json = Schema.Json
type JsonObject = { readonly [name: string]: Json }
/** What the schema of a query is written as. */
interface QuerySchema {
  readonly properties?: Record<string, JsonObject>
  readonly required?: ReadonlyArray<string>
}

const MEANING: Readonly<Record<ErrorCode, string>> = {
  validation_error: "The request is not valid. `details` names each field.",
  unauthorized: "No key, or one that is wrong or revoked.",
  identity_unverified: "The user_id has no valid X-Identity-Hash.",
  forbidden: "A public key where a secret one is needed.",
  not_found: "There is no such thing in the application.",
  method_not_allowed: "The path has no such method; see Allow.",
  request_timeout: "The body did not arrive in time.",
  conflict: "It would exceed or contradict what is there.",
  transfer_ownership_first: "An organization would be left without an owner.",
  organization_has_payments: "The organization's payments are on record.",
  payload_too_large: "The body is too large.",
  unsupported_media_type: "The body is of another type, or compressed.",
  idempotency_key_reused: "The Idempotency-Key was used for another request.",
  rate_limited: "The budget of this window is used up. Wait until X-RateLimit-Reset, Retry-After seconds.",
  internal_error: "Something went wrong on our side. Report the request_id.",
  unavailable:
    "The service cannot do this at the moment. Try again after Retry-After seconds. Whether it was done all the same is not known: repeat a POST with its Idempotency-Key, and it is done once.",
  rate_limiter_unavailable: "Requests cannot be counted, so none is let through. Try again after Retry-After seconds."
}

/**
 * Patterns as ECMA 262, Python's `re` and Go's RE2 all read them: the control characters by their codes, and what has no
 * escape in all three as it is.
 */
const portable = (name: string, value: unknown): unknown =>
  name !== "pattern" || typeof value !== "string"
    ? value
    : value
        .replaceAll("\\p{Cc}", "\\x00-\\x1f\\x7f-\\x9f")
        .replace(/\\u([0-9a-f]{4})/gi, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)))

/**
 * Collects the schemas that have names, while others are written in place. What requests and answers share is written as
 * requests have it: an answer shows what was taken, and a request may not have more.
 */
const collector = () => {
  const [asked, answered]: [Record<string, Json>, Record<string, Json>] = [{}, {}]
  const write = (schema: Schema.Constraint, onExcessProperty: "ignore" | "error"): JsonObject => {
    const document = Schema.toJsonSchemaDocument(schema, { onExcessProperty })
    const text = JSON.stringify({ root: document.schema, definitions: document.definitions })
    const { root, definitions } = JSON.parse(text.replaceAll('"#/$defs/', '"#/components/schemas/'), portable) as {
      root: JsonObject
      definitions: Record<string, JsonObject>
    }
    Object.assign(onExcessProperty === "error" ? asked : answered, definitions)
    return root
  }
  return { schemas: (): JsonObject => ({ ...answered, ...asked }), write }
}

/** What every answer carries. */
const commonHeaders = {
  "X-Request-Id": { description: "Names the request in our logs.", schema: { type: "string" } },
  "X-RateLimit-Limit": { description: "Requests in a window, at most.", schema: { type: "integer" } },
  "X-RateLimit-Remaining": { description: "What is left of them in this window.", schema: { type: "integer" } },
  "X-RateLimit-Reset": { description: "When the next window begins, epoch seconds.", schema: { type: "integer" } }
}

const AT_WORK =
  "With `Retry-After`: the first request with this Idempotency-Key is still at work; repeat it with the same key."

/** Errors of one status share an answer, as HTTP has it. */
const errorResponses = ({ errors, takesKey }: Route): JsonObject => {
  const byStatus = new Map<number, Array<ErrorCode>>()
  for (const code of errors) byStatus.set(STATUS[code], [...(byStatus.get(STATUS[code]) ?? []), code])
  return Object.fromEntries(
    [...byStatus].map(([status, sharing]) => [
      String(status),
      {
        description: [
          ...sharing.map((code) => `\`${code}\`: ${MEANING[code]}`),
          ...(status === STATUS.conflict && takesKey ? [AT_WORK] : [])
        ].join(" "),
        headers: {
          ...commonHeaders,
          ...(status === 503 || status === 429 || (status === STATUS.conflict && takesKey)
            ? { "Retry-After": { description: "Seconds to wait.", schema: { type: "integer" } } }
            : undefined)
        },
        content: {
          "application/json": {
            schema: { $ref: "#/components/schemas/Error" },
            examples: Object.fromEntries(
              sharing.map((code) => [
                code,
                {
                  value: {
                    error: {
                      code,
                      message: MEANING[code],
                      details: code === "validation_error" ? [{ field: "platform", message: "is required" }] : [],
                      request_id: ID
                    }
                  }
                }
              ])
            )
          }
        }
      }
    ])
  )
}

const SECURITY: Readonly<Record<Route["access"], ReadonlyArray<Json>>> = {
  secret: [{ secretKey: [] }],
  public: [{ publicKey: [] }, { secretKey: [] }],
  open: [],
  people: [{ secretKey: [] }]
}

/**
 * `POST /api/v1/public/devices` → `postPublicDevices`: the name of the operation in generated clients. What stands for
 * the kind of an id, as `by-external-id` does, is said by the id.
 */
const operationId = ({ method, path }: Route): string =>
  method.toLowerCase() +
  (path === "/" ? "/front" : path)
    .replace("/api/v1", "")
    .replace(/by-[a-z-]+\/(?=:)/, "")
    .split(/[/._-]/)
    .filter((part) => part !== "")
    .map((part) =>
      part.startsWith(":") ? `By${part[1]!.toUpperCase()}${part.slice(2)}` : part[0]!.toUpperCase() + part.slice(1)
    )
    .join("")

const named = ({ name, schema }: { readonly name: string; readonly schema: Schema.Constraint }): Schema.Constraint =>
  name === "" ? schema : (schema as unknown as Schema.Top).annotate({ identifier: name })

/** Each of the forms that a body may have. */
const bodySchema = (body: NonNullable<Route["body"]>, write: ReturnType<typeof collector>["write"]): JsonObject => {
  const schema = write(named(body), "error")
  return body.other === null ? schema : { anyOf: [schema, write(named(body.other), "error")] }
}

/** What a parameter of a path has to be. */
const paramSchema = (name: string): JsonObject => {
  if (name === EXTERNAL_ID) return { type: "string", minLength: 1, maxLength: USER_ID }
  if (isSignedParam(name)) return { type: "string", pattern: "^[A-Za-z0-9_-]+$", maxLength: 4096 }
  return { type: "string", format: "uuid" }
}

const operation = (route: Route, write: ReturnType<typeof collector>["write"]): JsonObject => {
  const { body, success, query } = route
  const [longest, known] = [bodyLimitOf(route, Infinity), knownBodyLimitOf(route, Infinity)]
  const size = `At most ${longest.toLocaleString("en")} bytes${known > longest ? `; ${known.toLocaleString("en")} with a key or a session` : ""}.`
  const querySchema: QuerySchema = query === null ? {} : (write(query, "ignore") as QuerySchema)
  const parameters: ReadonlyArray<Json> = [
    ...route.params.map((name) => ({
      name,
      in: "path",
      required: true,
      ...(name === EXTERNAL_ID
        ? { description: "Your own id of the person, percent-encoded: `team/42` is `team%2F42`." }
        : undefined),
      schema: paramSchema(name)
    })),
    ...Object.entries(querySchema.properties ?? {}).map(([name, { description, ...schema }]) => ({
      name,
      in: "query",
      required: querySchema.required?.includes(name) ?? false,
      ...(description === undefined ? undefined : { description }),
      schema
    })),
    ...(route.errors.includes("identity_unverified")
      ? [
          {
            name: "X-Identity-Hash",
            in: "header",
            required: false,
            description: "Hexadecimal HMAC-SHA256 of the user_id, keyed with the application's identity secret.",
            schema: { type: "string", pattern: "^[0-9a-fA-F]{64}$" }
          }
        ]
      : []),
    ...(route.takesKey
      ? [
          {
            name: "Idempotency-Key",
            in: "header",
            required: false,
            description:
              "Makes a repetition safe: for 24 hours, the same request with the same key gets the first answer again, with `Idempotent-Replayed: true`, and does nothing. Refusals (4xx) are first answers as well: a request that was corrected, or is to be tried anew, takes a new key. While the first request is still at work, a repetition is answered 409 `conflict` with `Retry-After`, which is no first answer: repeat it with the same key. Requests are the same when their JSON says the same, whatever its white space and the order of its keys. A key belongs to the application and the endpoint: printable ASCII characters without spaces, such as a UUID.",
            schema: { type: "string", minLength: 1, maxLength: 255 }
          }
        ]
      : [])
  ]
  const media = (schema: JsonObject, example: unknown) => ({ schema, example: example as Json })
  return {
    operationId: operationId(route),
    tags: [route.tag],
    summary: route.summary,
    ...(route.description === "" ? undefined : { description: route.description }),
    security: SECURITY[route.access],
    ...(parameters.length === 0 ? undefined : { parameters }),
    ...(body === null
      ? undefined
      : {
          requestBody: {
            required: !body.isOptional,
            ...(longest === Infinity ? undefined : { description: size }),
            content: Object.fromEntries(
              body.mediaTypes.map((type) => [type, media(bodySchema(body, write), body.example)])
            )
          }
        }),
    responses: {
      [success.status]: {
        description: success.description,
        headers: {
          ...commonHeaders,
          ...(route.takesKey
            ? { "Idempotent-Replayed": { description: "`true` on a repeated answer.", schema: { type: "string" } } }
            : undefined),
          ...(success.location === null
            ? undefined
            : { Location: { description: "The path of what was made.", schema: { type: "string" } } })
        },
        content: { [success.mediaType]: media(write(success.schema, "ignore"), success.example) }
      },
      ...errorResponses(route)
    }
  }
}

/** Others have their turn between one route and the next: to write all of them takes a tenth of a second and more. */
export const openApi = Effect.fnUntraced(function* (routes: ReadonlyArray<Route>, baseUrl: string) {
  const { schemas, write } = collector()
  write(ErrorBody, "ignore")
  const paths: Record<string, Record<string, Json>> = {}
  for (const route of routes) {
    yield* Effect.yieldNow
    const path = route.path.replace(/:([a-z_]+)/g, "{$1}")
    paths[path] = { ...paths[path], [route.method.toLowerCase()]: operation(route, write) }
  }
  const header = { type: "apiKey", in: "header", name: "Authorization" }
  const document: JsonObject = {
    openapi: "3.1.0",
    info: {
      title: "Heliograph",
      version: "1",
      description:
        "Push notifications and e-mail for very large audiences. Times are ISO 8601 in UTC with milliseconds, and taken in this form (`2026-12-24T18:00:00Z`) with any offset (`+02:00`); ids are UUIDs; lists are read page by page with `cursor`. Numbers are read as doubles: fractions are rounded to what these hold, and a number beyond 2^53 that would be read back as another one is refused, however it is written. Send ids of 64 bits as texts.",
      license: { name: "Apache-2.0", identifier: "Apache-2.0" }
    },
    servers: [{ url: baseUrl }],
    tags: [...new Set(routes.map(({ tag }) => tag))].map((name) => ({ name })),
    paths,
    components: {
      schemas: schemas(),
      securitySchemes: {
        secretKey: { ...header, description: "`Authorization: ApiKey sk_…`: servers only, never in client code." },
        publicKey: { ...header, description: "`Authorization: Public pk_…`: safe in browsers and apps." }
      }
    }
  }
  return document
})
