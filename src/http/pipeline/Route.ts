import type { Schema } from "effect"
import { Effect } from "effect"
import type { HttpServerResponse } from "effect/http"
import type { Caller, Forbidden, IdentityUnverified, Unauthorized } from "../../../services/engine/access/Auth.ts"
import { CurrentActor } from "../../../services/ports/access/AuditLog.ts"
import { CanWait } from "../../../services/ports/operations/CanWait.ts"
import type { Settlement } from "../../../services/ports/access/IdempotencyStore.ts"
import type { Person } from "../../../services/domain/people/Account.ts"
import type { StoreError } from "../../../services/ports/StoreError.ts"
import type { Refused } from "./Admission.ts"
import type { ApiError, ErrorCode } from "./ApiError.ts"
import type { Incoming } from "./Incoming.ts"
import type { Reply, SetCookie } from "./Reply.ts"
import type { Visitor } from "./Visitor.ts"
import type { Waits } from "./WaitLimiter.ts"

/**
 * The route table. A route is one value that says everything about an endpoint: Pipeline makes the serving code of it
 * and OpenApi the documentation, so what is documented is what serves.
 */
export type Method = "GET" | "POST" | "PUT" | "PATCH" | "DELETE"

/**
 * `secret`: secret keys only. `public`: public keys too, and any origin. `open`: nobody is asked for a key. `people`:
 * secret keys, sessions, and whoever shows neither, of whom the handler says what they may.
 */
export type Access = "secret" | "public" | "open" | "people"

/**
 * The names behind the colons of a path. They are ids, but for `token` and `link`, which are texts that were signed,
 * and `external_id`, the application's own id of a person.
 */
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
  readonly caller: A extends "open" ? null : A extends "people" ? Caller | null : Caller
  /** Who is signed in, where people are asked for. */
  readonly person: Person | null
  /** Of a browser whose session has ended: see `Visitor`. */
  readonly ended: Unauthorized | null
  /** Lower-case UUIDs; those named `token` and `link` are base64url, as it came; `external_id` is any text, decoded. */
  readonly params: Readonly<Record<Params<Path>, string>>
  readonly body: Body
  readonly query: Query
  /**
   * Set when the request has an Idempotency-Key: the answer for a value of success, for a handler that keeps it in the
   * transaction of its work. For all others the pipeline keeps it afterwards.
   */
  readonly settle: ((value: Success) => Settlement) | null
  /** For a handler that sees to its deadlines itself: waits for the database as long as the request may. */
  readonly waits: Waits
  readonly client: Client
  /** Of the answer, whatever it will be: the handler adds to them. */
  readonly cookies: Array<SetCookie>
}

/** Who sends a request, as far as addresses tell. */
export interface Client {
  /** Good for counting only. */
  readonly address: () => string
  /** Counts a request for a signed link, after its signature was found good. */
  readonly follow: () => Effect.Effect<void, Refused | StoreError>
  /** Counts more permits of a caller whose request does the work of several. */
  readonly charge: (permits: number) => Effect.Effect<void, Refused | StoreError>
  /** Who sends it, as is known by now: for streams, that outlive keys and sessions. */
  readonly again: () => Effect.Effect<Visitor, ApiError | Forbidden | Unauthorized | StoreError>
}

/** A JSON body, decoded whole; or a stream of lines, which the handler reads from the request itself. */
interface BodySpec<B> {
  readonly schema: B
  /** Its name in the documentation and in generated clients. */
  readonly name?: string
  readonly example: unknown
  readonly mediaTypes?: readonly [string, ...ReadonlyArray<string>]
  readonly isStream?: boolean
  /** May be left out, which says the same as an empty object. */
  readonly isOptional?: boolean
  /** Bytes, at most, where that is less than of any other body. */
  readonly limit?: number
  /** The same from somebody who showed a key or a session, where strangers may ask as well. */
  readonly limitWhenKnown?: number
  /** Levels around what is nested no deeper than other bodies, where each has several such objects. */
  readonly envelope?: number
  /** Puts another form that is taken as well into that of `schema`, before it is decoded. */
  readonly unify?: (body: unknown) => unknown
  /** What two requests with one Idempotency-Key have to say alike, where that is not the whole body. */
  readonly said?: (body: unknown) => unknown
  /** The whole shape, where the handler checks parts of the body one by one and `schema` says less of them. */
  readonly parts?: Decodable | null
  /** That form, for the documentation and generated clients. */
  readonly other?: { readonly schema: Schema.Constraint; readonly name: string } | null
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
   * answer when nothing else works. `signed`: links in mail, which their handlers count by `follow` when the signature
   * is good, apart from all else: image proxies and mail providers come for all readers from a few addresses. All else
   * is counted by who asks.
   */
  readonly limit?: "registration" | "none" | "signed"
  /**
   * Its handler waits for others than the database, and sees to the deadlines of all its waits itself. Else its work
   * has what is left of the request's time: WaitLimiter.ts.
   */
  readonly hasDeadline?: boolean
  /** Whether it answers those who `Accept` server-sent events by a stream: these go by the router. */
  readonly hasEvents?: boolean
  /** Whether its work may wait for more urgent work (`CanWait`): reading does, unless this says otherwise. */
  readonly canWait?: boolean
  /** What its answers of JSON are made into, refusals too, whoever refuses: for whoever takes other forms. */
  readonly form?: (reply: Reply, accept: string | undefined) => Reply
  readonly body?: BodySpec<B>
  readonly query?: Q
  readonly success: SuccessSpec<S> & {
    readonly location?: (value: S["Type"]) => string
    readonly kept?: (value: S["Type"]) => S["Type"]
  }
  /** What the handler itself refuses with. What the pipeline refuses with is added. */
  readonly errors?: ReadonlyArray<C>
  /** Answers the value to be written as JSON, or a response of its own. */
  readonly handler: (
    call: Call<Path, A, B["Type"], Q["Type"], S["Type"]>
  ) => Effect.Effect<
    S["Type"] | HttpServerResponse.HttpServerResponse,
    ApiError<NoInfer<C>> | Refused | IdentityUnverified | StoreError
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
  readonly hasDeadline: boolean
  readonly hasEvents: boolean
  readonly form: ((reply: Reply, accept: string | undefined) => Reply) | null
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

/**
 * What a request's target has to be for a path: exactly, with any query. Routers and proxies know more names for
 * the same place (`/metrics/`, `/metrics;x`, `/%6detrics`), which a rule in front of this service would not.
 */
export const targetOf = (path: string): RegExp =>
  new RegExp(`^${path.replaceAll(".", "\\.").replace(/:[a-z_]+/g, "[^/?#;]+")}(?:\\?|$)`)

/** Parameters of a path that are no UUIDs. */
export const EXTERNAL_ID = "external_id"
export const isSignedParam = (name: string): boolean => name === "token" || name === "link"

/** A public key is in everybody's hands, and what it may say is short: a device with all that it may have fits. */
const PUBLIC_BODY_BYTES = 64 * 1024

/** Bytes of a JSON body, at most, where secret keys may send `limit`. */
export const bodyLimitOf = ({ access, body }: Route, limit: number): number =>
  Math.min(limit, body?.limit ?? Infinity, access === "secret" ? Infinity : PUBLIC_BODY_BYTES)

/** The same of a request whose sender is known before its body is read. */
export const knownBodyLimitOf = (route: Route, limit: number): number =>
  Math.max(bodyLimitOf(route, limit), Math.min(limit, route.body?.limitWhenKnown ?? 0))

export const JSON_TYPE = "application/json"

/** Everything that can go wrong before the handler. */
const pipelineErrors = (
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

/** Has the audit log say whose key, or which person, is at work. What public keys do is not written down. */
const asActor =
  (handler: Route["handler"]): Route["handler"] =>
  (call) =>
    Effect.provideService(handler(call), CurrentActor, {
      kind: call.person !== null ? "user" : call.caller === null ? "system" : "key",
      id: call.person?.account.id ?? call.caller?.keyId ?? null
    })

/** Leaves connections of the database to what is more urgent. */
const waiting =
  (handler: Route["handler"]): Route["handler"] =>
  (call) =>
    Effect.provideService(handler(call), CanWait, true)

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
  const takesKey = method === "POST" && (access === "secret" || access === "people") && body?.isStream !== true
  const isActing = access === "secret" || access === "people"
  const canWait = definition.canWait ?? (isActing && method === "GET")
  const work = definition.handler as unknown as Route["handler"]
  const handler = canWait ? waiting(work) : work
  const limit = definition.limit ?? "caller"
  const isCounted = limit !== "none"
  // With a secret key a query is refused where there is none.
  const hasQuery = query !== undefined || access === "secret"
  const route = pipelineErrors(access, body !== undefined, hasQuery, params.length > 0, takesKey, isCounted)
  return {
    method,
    path,
    access,
    tag,
    summary,
    description: definition.description ?? "",
    limit,
    hasDeadline: definition.hasDeadline ?? false,
    hasEvents: definition.hasEvents ?? false,
    form: definition.form ?? null,
    body:
      body === undefined
        ? null
        : {
            name: "",
            mediaTypes: [JSON_TYPE],
            isStream: false,
            isOptional: false,
            limit: Infinity,
            limitWhenKnown: 0,
            envelope: 0,
            unify: (form) => form,
            said: (body) => body,
            parts: null,
            other: null,
            ...body
          },
    query: query ?? null,
    params,
    takesKey,
    success: {
      ...success,
      mediaType: success.mediaType ?? JSON_TYPE,
      location: (success.location as ((value: unknown) => string) | undefined) ?? null,
      kept: (success.kept as ((value: unknown) => unknown) | undefined) ?? ((value) => value)
    },
    errors: [...new Set<ErrorCode>([...route, ...(definition.errors ?? [])])],
    handler: isActing ? asActor(handler) : handler
  }
}
