import { Effect, Exit } from "effect"
import type { Fiber, Types } from "effect"
import type { AppId } from "../../services/domain/Ids.ts"
import type { Person } from "../../services/domain/people/Account.ts"
import type { Caller } from "../../services/engine/access/Auth.ts"
import { internalError } from "../http/pipeline/ApiError.ts"
import type { Call } from "../http/pipeline/Route.ts"
import type { Waits } from "../http/pipeline/WaitLimiter.ts"
import { again, WAIT_TIMEOUT_MS } from "../http/pipeline/WaitLimiter.ts"
import type { Visitor } from "../http/pipeline/Visitor.ts"
import type { ApplicationAccess } from "./ApplicationAccess.ts"
import { graphqlError, refusalOf } from "./GraphqlErrors.ts"
import type { Lookups } from "./Lookups.ts"
import { makeLookups } from "./Lookups.ts"
import type { LookupStores } from "./Lookups.ts"

/** A request of the endpoint. */
export type GraphqlCall = Call<string, "people">

/** What a request's resolvers stand on. */
export interface GraphqlContext {
  /** Whose key the request has; null for people, and for whoever is signed out. */
  readonly caller: Caller | null
  /** Who is signed in. */
  readonly person: Person | null
  /** The request, as a handler of the REST API has it. */
  readonly call: GraphqlCall
  readonly applications: ApplicationAccess
  /** What belongs to an object, within its application. */
  readonly lookups: (source: object) => Lookups
  /** Notes of which application an object is. */
  readonly noteOwner: (source: object, appId: AppId) => void
  /**
   * Runs a resolver's work: answers its value, at once where there was nothing to wait for. Throws a GraphQLError; what
   * is no refusal is logged, and clients learn of the request's id alone.
   */
  readonly run: <A>(work: Effect.Effect<A, unknown>) => A | Promise<A>
  /** The time that a part of the work may wait for the database: as long as the request has, whatever runs beside it. */
  readonly waits: () => Waits
  /** Notes texts of an answer that must not be kept for repetitions: what is in `value` and not in `kept`. */
  readonly keepSecret: (value: unknown, kept: unknown) => void
  readonly secrets: ReadonlySet<string>
  /** Notes that a field of a mutation has done its work, whatever becomes of what is asked of it. */
  readonly noteChange: () => void
  readonly hasChanged: boolean
  /** From here on the work is this visitor's: the same one, with the roles of now. */
  readonly renew: (visitor: Visitor) => void
  /** Interrupts what is under way: nobody waits for it. */
  readonly stop: () => void
}

const secretsIn = (value: unknown, kept: unknown): ReadonlyArray<string> =>
  value === kept || typeof value !== "object" || value === null
    ? []
    : Object.entries(value).flatMap(([name, text]) =>
        typeof text === "string" && (kept as Readonly<Record<string, unknown>>)[name] !== text ? [text] : []
      )

/** `fork`: as the request's own work runs. `isLive`: it goes on for as long as somebody listens. */
export const makeContext = (
  call: GraphqlCall,
  stores: LookupStores,
  applications: ApplicationAccess,
  fork: (work: Effect.Effect<unknown, unknown>) => Fiber.Fiber<unknown, unknown>,
  isLive: boolean
): GraphqlContext => {
  const running = new Set<Fiber.Fiber<unknown, unknown>>()
  const secrets = new Set<string>()
  const endsAt = performance.now() + Math.min(call.waits.left, WAIT_TIMEOUT_MS)
  const valueOf = <A>(exit: Exit.Exit<A, unknown>): A => {
    if (Exit.isSuccess(exit)) return exit.value
    const refusal = refusalOf(exit.cause)
    if (refusal !== null) throw graphqlError(refusal)
    fork(
      Effect.annotateLogs(Effect.logError("A field of a GraphQL request failed", exit.cause), {
        request_id: call.requestId
      })
    )
    throw graphqlError(internalError())
  }
  const run: GraphqlContext["run"] = <A>(work: Effect.Effect<A, unknown>): A | Promise<A> => {
    const fiber = fork(work) as Fiber.Fiber<A, unknown>
    const exit = fiber.pollUnsafe()
    if (exit !== undefined) return valueOf(exit)
    running.add(fiber)
    return new Promise((resolve, reject) =>
      fiber.addObserver((exit) => {
        running.delete(fiber)
        try {
          resolve(valueOf(exit))
        } catch (error) {
          reject(error as Error)
        }
      })
    )
  }
  const waits = (): Waits =>
    isLive ? again(call.waits) : { waitLimiter: call.waits.waitLimiter, left: endsAt - performance.now() }
  const owners = new WeakMap<object, AppId>()
  const byApplication = new Map<AppId, Lookups>()
  // A key has one application, and a note for each object of a page is a burden to the garbage collector.
  const noteOwner = (source: object, appId: AppId): void => {
    if (call.caller === null) owners.set(source, appId)
  }
  const lookups: GraphqlContext["lookups"] = (source) => {
    const appId = call.caller?.appId ?? owners.get(source)!
    const known = byApplication.get(appId)
    if (known !== undefined) return known
    const made = makeLookups(stores, appId, waits, run, (found) => noteOwner(found, appId))
    byApplication.set(appId, made)
    return made
  }
  const context: Types.Mutable<GraphqlContext> = {
    caller: call.caller,
    person: call.person,
    hasChanged: false,
    noteChange: () => {
      context.hasChanged = true
    },
    renew: ({ caller, person }) => {
      context.caller = caller
      context.person = person
    },
    call,
    applications,
    lookups,
    noteOwner,
    run,
    waits,
    keepSecret: (value, kept) => {
      for (const text of secretsIn(value, kept)) secrets.add(text)
    },
    secrets,
    stop: () => {
      for (const fiber of running) fiber.interruptUnsafe()
    }
  }
  return context
}
