import type { Schema } from "effect"
import { Effect } from "effect"
import type { HttpServerResponse } from "effect/http"
import type { Caller, IdentityUnverified } from "../../services/engine/Auth.ts"
import { CurrentActor } from "../../services/ports/AuditLog.ts"
import type { Settlement } from "../../services/ports/IdempotencyStore.ts"
import type { StoreError } from "../../services/ports/StoreError.ts"
import type { ApiError, ErrorCode } from "./ApiError.ts"
import type { Incoming } from "./Incoming.ts"

/**
 * The route table. A route is one value that says everything about an endpoint: ShortRoad makes the serving code of it
 * and OpenApi the documentation, so what is documented is what serves.
 */
export type Method = "GET" | "POST" | "PUT" | "PATCH" | "DELETE"

/** `secret`: secret keys only. `public`: public keys too, and any origin. `open`: nobody is asked for a key. */
export type Access = "secret" | "public" | "open"

/** The names behind the colons of a path. They are ids, but for `token` and `link`, which are texts that were signed. */
type Params<Path extends string> = Path extends `${string}:${infer Name}/${infer Rest}`
  ? Name | Params<`/${Rest}`>
  : Path extends `${string}:${infer Name}`
    ? Name
    : never

/** A request, after all that its route demands was checked. */
export interface Call<
  Path extends string = string,
  A extends Access = Access,
  Body = unknown,
  Query = unknown,
  Success = never
> {
  readonly request: Incoming
  readonly requestId: string
  readonly caller: A extends "open" ? null : Caller
  /** Lower-case UUIDs; those named `token` and `link` are base64url, as it came. */
  readonly params: Readonly<Record<Params<Path>, string>>
  readonly body: Body
  readonly query: Query
  /**
   * Set when the request has an Idempotency-Key: the answer for a value of success, for a handler that keeps it in the
   * transaction of its work. For all others the road keeps it afterwards.
   */
  readonly settle: ((value: Success) => Settlement) | null
}

/** A JSON body, decoded whole; or a stream of lines, which the handler reads from the request itself. */
interface BodySpec<B> {
  readonly schema: B
  /** Its name in the documentation and in generated clients. */
  readonly name?: string
  readonly example: unknown
  readonly mediaTypes?: readonly [string, ...ReadonlyArray<string>]
  readonly isStream?: boolean
}

interface SuccessSpec<S> {
  readonly status: 200 | 201 | 202 | 302
  readonly description: string
  /** Of the body; for a stream, of one line. */
  readonly schema: S
  readonly example: unknown
  readonly mediaType?: string
  /** The path of what was made, for the Location header. */
  readonly location?: (value: never) => string
  /** What is kept of the answer for repetitions with its Idempotency-Key, where that must not be all of it. */
  readonly kept?: (value: never) => unknown
}

type Decodable = Schema.ConstraintDecoder<unknown>

export interface Definition<
  Path extends `/${string}`,
  A extends Access,
  B extends Decodable,
  Q extends Decodable,
  S extends Decodable,
  C extends ErrorCode
> {
  readonly method: Method
  readonly path: Path
  readonly access: A
  /** The heading under which the documentation shows it. */
  readonly tag: string
  readonly summary: string
  readonly description?: string
  /**
   * `registration`: public keys have a narrower rate limit here. `none`: not counted, for supervisors, who must get an
   * answer when nothing else works. `signed`: links in mail, counted only when they are refused: image proxies and mail
   * providers come for all readers from a few addresses. All else is counted by who asks.
   */
  readonly limit?: "registration" | "none" | "signed"
  /** Whether what it changes is written to the audit log: the stores then learn which key is at work. */
  readonly isAudited?: boolean
  readonly body?: BodySpec<B>
  readonly query?: Q
  readonly success: SuccessSpec<S> & {
    readonly location?: (value: S["Type"]) => string
    readonly kept?: (value: S["Type"]) => S["Type"]
  }
  /** What the handler itself refuses with. What the road refuses with is added. */
  readonly errors?: ReadonlyArray<C>
  /** Answers the value to be written as JSON, or a response of its own. */
  readonly handler: (
    call: Call<Path, A, B["Type"], Q["Type"], S["Type"]>
  ) => Effect.Effect<
    S["Type"] | HttpServerResponse.HttpServerResponse,
    ApiError<NoInfer<C>> | IdentityUnverified | StoreError
  >
}

/** A route of the table, with the types of its parts forgotten. */
export interface Route {
  readonly method: Method
  readonly path: `/${string}`
  readonly access: Access
  readonly tag: string
  readonly summary: string
  readonly description: string
  readonly limit: "caller" | "registration" | "none" | "signed"
  readonly body: Required<BodySpec<Decodable>> | null
  readonly query: Decodable | null
  readonly params: ReadonlyArray<string>
  /**
   * Whether it honours an Idempotency-Key. Imports do not: their lines may be sent again without harm, and nobody keeps
   * an answer without end.
   */
  readonly takesKey: boolean
  readonly success: Required<Omit<SuccessSpec<Decodable>, "location" | "kept">> & {
    readonly location: ((value: unknown) => string) | null
    readonly kept: (value: unknown) => unknown
  }
  readonly errors: ReadonlyArray<ErrorCode>
  readonly handler: (call: Call) => Effect.Effect<unknown, ApiError | StoreError>
}

/** Parameters of a path that are no ids. */
export const isSignedParam = (name: string): boolean => name === "token" || name === "link"

export const JSON_TYPE = "application/json"

/** Everything that can go wrong on the road to the handler. */
const roadErrors = (
  access: Access,
  hasBody: boolean,
  hasQuery: boolean,
  hasId: boolean,
  hasKey: boolean,
  isCounted: boolean
): ReadonlyArray<ErrorCode> => [
  ...(hasBody ? (["validation_error", "request_timeout", "payload_too_large", "unsupported_media_type"] as const) : []),
  ...(hasQuery ? (["validation_error"] as const) : []),
  ...(access === "open" ? [] : (["unauthorized", "unavailable"] as const)),
  ...(access === "secret" ? (["forbidden"] as const) : []),
  ...(hasId ? (["not_found"] as const) : []),
  ...(hasKey ? (["validation_error", "conflict", "idempotency_key_reused"] as const) : []),
  ...(isCounted ? (["rate_limited", "rate_limiter_unavailable"] as const) : []),
  "internal_error"
]

const asActor =
  (handler: Route["handler"]): Route["handler"] =>
  (call) =>
    Effect.provideService(handler(call), CurrentActor, {
      kind: call.caller === null ? "system" : "key",
      id: call.caller?.keyId ?? null
    })

export const route = <
  const Path extends `/${string}`,
  A extends Access,
  S extends Decodable,
  B extends Decodable = never,
  Q extends Decodable = never,
  C extends ErrorCode = never
>(
  definition: Definition<Path, A, B, Q, S, C>
): Route => {
  const { method, path, access, tag, summary, body, query, success } = definition
  const params = [...path.matchAll(/:([a-z_]+)/g)].map(([, name]) => name!)
  const takesKey = method === "POST" && access === "secret" && body?.isStream !== true
  const handler = definition.handler as unknown as Route["handler"]
  const limit = definition.limit ?? "caller"
  const isCounted = limit !== "none"
  const road = roadErrors(access, body !== undefined, query !== undefined, params.length > 0, takesKey, isCounted)
  return {
    method,
    path,
    access,
    tag,
    summary,
    description: definition.description ?? "",
    limit,
    body: body === undefined ? null : { name: "", mediaTypes: [JSON_TYPE], isStream: false, ...body },
    query: query ?? null,
    params,
    takesKey,
    success: {
      ...success,
      mediaType: success.mediaType ?? JSON_TYPE,
      location: (success.location as ((value: unknown) => string) | undefined) ?? null,
      kept: (success.kept as ((value: unknown) => unknown) | undefined) ?? ((value) => value)
    },
    errors: [...new Set<ErrorCode>([...road, ...(definition.errors ?? [])])],
    handler: definition.isAudited === true ? asActor(handler) : handler
  }
}
