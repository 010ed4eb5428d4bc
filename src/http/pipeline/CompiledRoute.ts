import { Effect } from "effect"
import type { Auth } from "../../../services/engine/access/Auth.ts"
import type { IdempotencyStore } from "../../../services/ports/access/IdempotencyStore.ts"
import type { Room } from "../../../services/domain/operations/Room.ts"
import type { Registry } from "../../../services/ports/operations/Metrics.ts"
import type { Admission, Headers } from "./Admission.ts"
import { isCounted } from "./Admission.ts"
import { readable } from "./ErrorPage.ts"
import type { Incoming } from "./Incoming.ts"
import type { KeptAnswers } from "./KeptAnswers.ts"
import type { Meter } from "./Meter.ts"
import { makeMeter } from "./Meter.ts"
import { noQuery, queryDecoder } from "./Parameters.ts"
import type { Reply, SetCookie } from "./Reply.ts"
import type { Client, Route } from "./Route.ts"
import { bodyLimitOf, knownBodyLimitOf } from "./Route.ts"
import { decoder } from "./Validation.ts"
import type { SessionReader, Visitor } from "./Visitor.ts"
import { recognise } from "./Visitor.ts"
import type { LargeBodies } from "./LargeBodies.ts"
import type { WaitLimiter, Waits } from "./WaitLimiter.ts"
import { within } from "./WaitLimiter.ts"

/** What the pipeline needs beside the route itself. */
export interface PipelineServices {
  readonly admission: Admission
  readonly auth: Auth["Service"]
  /** Null where no route asks for people. */
  readonly sessions: SessionReader | null
  readonly idempotency: IdempotencyStore["Service"]
  readonly keptAnswers: KeptAnswers
  readonly bodyLimit: number
  readonly metrics: Registry
  readonly waitLimiter: WaitLimiter
  readonly largeBodies: LargeBodies
  /** Of GET requests that their handlers are at: each takes 1. */
  readonly reads: Room
}

/** GET requests that a process carries out at once: half of them of one application, and one of any that has none. */
export const READS_AT_ONCE = 32

type Decode = ReturnType<typeof decoder>

/** A route, and what serves its requests: made once. */
export interface CompiledRoute {
  readonly route: Route
  readonly services: PipelineServices
  /** Bytes of a body, at most. */
  readonly bodyLimit: number
  /** The same where it is known who asks. */
  readonly knownBodyLimit: number
  /** Null where no body is decoded: none is taken, or a stream. */
  readonly decodeBody: Decode | null
  /** Null where a query is not looked at: links and pages get parameters on their way. */
  readonly decodeQuery: ReturnType<typeof queryDecoder> | null
  readonly meter: Meter
}

export const compileRoute = (route: Route, services: PipelineServices): CompiledRoute => {
  const { access, body, method, path, query } = route
  return {
    route,
    services,
    bodyLimit: bodyLimitOf(route, services.bodyLimit),
    knownBodyLimit: knownBodyLimitOf(route, services.bodyLimit),
    decodeBody: body === null || body.isStream ? null : bodyDecoder(body),
    decodeQuery: query !== null ? queryDecoder(query) : access === "secret" ? noQuery : null,
    meter: makeMeter(services.metrics, method, path)
  }
}

const bodyDecoder = ({ schema, unify }: NonNullable<Route["body"]>): Decode => {
  const decode = decoder(schema)
  return (body) => decode(unify(body))
}

/** What a request says without ids in its path, without a query, or without a body. */
export const NOTHING = {}

/** A request for a handler. Its body and its query are what the route's schemas made of them. */
export const callOf = (
  { services }: CompiledRoute,
  request: Incoming,
  requestId: string,
  visitor: Visitor,
  params: Readonly<Record<string, string>>,
  query: unknown,
  body: unknown,
  headers: Headers,
  waits: Waits,
  cookies: Array<SetCookie>
) => ({
  request,
  requestId,
  caller: visitor.caller,
  person: visitor.person,
  ended: visitor.ended,
  cookies,
  params,
  query,
  body,
  settle: null,
  waits,
  client: new RequestClient(services, request, visitor, headers, waits)
})

/** One object a request, and not a function for each that may be asked: most are asked for none. */
class RequestClient implements Client {
  readonly #services: PipelineServices
  readonly #request: Incoming
  readonly #caller: Visitor["caller"]
  readonly #person: Visitor["person"]
  readonly #headers: Headers
  readonly #waits: Waits

  constructor(
    services: PipelineServices,
    request: Incoming,
    { caller, person }: Visitor,
    headers: Headers,
    waits: Waits
  ) {
    this.#services = services
    this.#request = request
    this.#caller = caller
    this.#person = person
    this.#headers = headers
    this.#waits = waits
  }

  address() {
    return this.#services.admission.addressOf(this.#request)
  }

  follow() {
    const { admission } = this.#services
    return Effect.tapError(within(this.#waits, admission.admitLink(this.#request, this.#headers)), () =>
      Effect.sync(() => {
        if (!isCounted(this.#headers)) admission.pass(this.#headers)
      })
    )
  }

  // Nothing of it can reach the answer any more: its head has gone out.
  again() {
    const { auth, sessions } = this.#services
    return Effect.flatMap(recognise(auth, sessions!, this.#request, []), (visitor) =>
      visitor.ended === null ? Effect.succeed(visitor) : Effect.fail(visitor.ended)
    )
  }

  charge(permits: number) {
    const { admission } = this.#services
    const one = Effect.suspend(() => {
      const [caller, person, request, headers] = [this.#caller, this.#person, this.#request, this.#headers]
      if (caller !== null && admission.admitNow(request, caller, false, headers)) return Effect.void
      return within(
        this.#waits,
        person !== null
          ? admission.admitPerson(person.account.id, headers)
          : caller === null
            ? admission.admitAnonymous(request, headers)
            : admission.admit(request, caller, false, headers)
      )
    })
    return permits <= 0 ? Effect.void : Effect.asVoid(Effect.repeat(one, { times: permits - 1 }))
  }
}

/** An answer in the form of its route. */
export const formed = ({ form }: Route, reply: Reply, request: Incoming): Reply =>
  form === null ? readable(reply, request) : form(reply, request.headers["accept"])

/** The answer to what a handler answered. */
export const replyOf = ({ location, status }: Route["success"], value: unknown, headers: Headers): Reply => {
  if (location !== null) headers["location"] = location(value)
  return { status, body: JSON.stringify(value), headers }
}
