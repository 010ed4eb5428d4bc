import { Context, Effect, Option, Result, Stream } from "effect"
import type { HttpServerResponse } from "effect/http"
import { HttpServerResponse as Response } from "effect/http"
import type { FormattedExecutionResult } from "graphql"
import { Room } from "../../services/domain/operations/Room.ts"
import { make as makeSignal } from "../../services/engine/operations/Signal.ts"
import { SessionWatch } from "../../services/engine/people/SessionWatch.ts"
import { ApplicationStore } from "../../services/ports/access/ApplicationStore.ts"
import type { StoreError } from "../../services/ports/StoreError.ts"
import { Draining } from "../http/endpoints/Status.ts"
import { ApiError } from "../http/pipeline/ApiError.ts"
import type { Waits } from "../http/pipeline/WaitLimiter.ts"
import { within } from "../http/pipeline/WaitLimiter.ts"
import { COMPLETE, EVENT_HEADERS, EVENTS, nextEvent } from "./AnswerForm.ts"
import type { GraphqlCall, GraphqlContext } from "./Context.ts"
import { graphqlError } from "./GraphqlErrors.ts"
import { fingerprintOf, Held, HELD } from "./HeldAnswers.ts"

/*
 * Subscriptions, as server-sent events (the "distinct connections" of the GraphQL over SSE protocol). A subscription is a
 * question that is asked again every second: whoever listens is told the answer, and told again when it is another one.
 * So nothing is missed that somebody could have seen by asking, whichever node it happened on, and a reader that is slow
 * costs a comparison. What takes long to answer is asked less often, so that all streams of one application or person take a
 * quarter of the process's time at most.
 *
 * States   open     asked every `tick`, or after a longer while; every `ticksOfCheck` the key or the session is looked at
 *                   again, and a comment sent; a session also when it may have ended, or its roles have changed: a notice
 *                   says so at once
 *          refused  the answer is an error that stays one: it is told, and the stream is complete
 *          ended    the key or session has ended, which is told, and the stream is complete; or the node stops, or the
 *                   client is gone: then it just ends. A client that is told `complete` does not come back, and another
 *                   node would go on
 */

export class LiveSettings extends Context.Reference<{
  readonly tickMs: number
  readonly ticksOfCheck: number
  /** Streams of this process, at most; by keys, so that some are left for people; and of these by one organization's. */
  readonly max: number
  readonly maxByKeys: number
  readonly maxOfOrganization: number
  /** Of one application or person, and from one address, at most. */
  readonly maxOfOne: number
  readonly maxOfAddress: number
}>("heliograph/graphql/LiveSettings", {
  defaultValue: () => ({
    tickMs: 1000,
    ticksOfCheck: 15,
    max: 500,
    maxByKeys: 350,
    maxOfOrganization: 100,
    maxOfOne: 50,
    maxOfAddress: 100
  })
}) {}

const next = (answer: object): string => nextEvent(JSON.stringify(answer))
const BEAT = ": beat\n\n"

/** Whether it may be over by the next time. */
const isPassing = ({ code }: ApiError): boolean =>
  code === "unavailable" || code === "rate_limiter_unavailable" || code === "internal_error"

const full = () =>
  new ApiError("rate_limited", "As many streams are open already as may be. Try again after Retry-After seconds.", [], {
    "retry-after": "5"
  })

/** One part in so many of the time goes by over the questions of one application's or person's streams, at most. */
const SHARE = 4
/** However long an answer takes, which may be the doing of others. */
const MOST_MS = 60_000

/** Counts streams by name; what is not counted any more is forgotten. */
class Seats {
  readonly #taken = new Map<string, number>()

  of(name: string): number {
    return this.#taken.get(name) ?? 0
  }

  add(names: ReadonlyArray<string>, change: number): void {
    for (const name of names) {
      const now = this.of(name) + change
      if (now === 0) this.#taken.delete(name)
      else this.#taken.set(name, now)
    }
  }
}

export interface LiveAnswers {
  /** Answers with a stream, after a first answer, which may be a refusal. */
  readonly follow: (
    call: GraphqlCall,
    context: GraphqlContext,
    /** `isFirst`: it is charged as a query's answer is. */
    ask: (isFirst: boolean) => Effect.Effect<FormattedExecutionResult, ApiError>
  ) => Effect.Effect<HttpServerResponse.HttpServerResponse, ApiError | StoreError>
}

export const makeLiveAnswers: Effect.Effect<LiveAnswers, never, ApplicationStore | SessionWatch> = Effect.gen(
  function* () {
    const { max, maxByKeys, maxOfAddress, maxOfOne, maxOfOrganization, tickMs, ticksOfCheck } = yield* LiveSettings
    const applications = yield* ApplicationStore
    const isDraining = yield* Draining
    const { watch } = yield* SessionWatch
    const seats = new Seats()
    const room = new Room(HELD)
    type Limits = ReadonlyArray<readonly [name: string, most: number]>
    const limits = Effect.fnUntraced(function* ({ caller, client, person }: GraphqlCall, waits: Waits) {
      const everybody = [
        ["process", max],
        [`who ${person?.account.id ?? caller!.appId}`, maxOfOne],
        [`address ${client.address()}`, maxOfAddress]
      ] as const
      if (caller === null) return everybody
      // Whoever signs up makes as many applications as the organization may have.
      const application = yield* within(waits, applications.find(caller.appId))
      const organization = Option.match(application, {
        onNone: () => "",
        onSome: ({ organizationId }) => organizationId
      })
      return [...everybody, ["keys", maxByKeys], [`organization ${organization}`, maxOfOrganization]] satisfies Limits
    })

    const follow: LiveAnswers["follow"] = Effect.fnUntraced(function* (call, context, ask) {
      const wanted = yield* limits(call, context.waits())
      const names = wanted.map(([name]) => name)
      const [, [ofOne]] = wanted
      const hasRoom = () => wanted.every(([name, most]) => seats.of(name) < most)
      if (!hasRoom()) return yield* Effect.fail(full())
      /** Of `performance.now()`: when it is asked next. */
      let askAt = -Infinity
      const timed = (isFirst: boolean) =>
        Effect.suspend(() => {
          const began = performance.now()
          return Effect.tap(ask(isFirst), () =>
            Effect.sync(() => {
              const at = performance.now()
              const share = (at - began) * Math.max(SHARE * Math.max(1, seats.of(ofOne)), seats.of("process"))
              // Those that were opened together are not asked together for ever.
              if (share > tickMs) askAt = at + Math.min(MOST_MS, share) * (0.5 + Math.random())
            })
          )
        })
      let first = JSON.stringify(yield* timed(true))
      let told = fingerprintOf(first)
      const held = new Held(room, ofOne)
      // Streams that were opened together are not looked at together.
      let ticks = Math.floor(Math.random() * ticksOfCheck)
      const news = makeSignal()
      // What happened before the stream was watched for, nobody has told it.
      let isChanged = call.person !== null
      const changed = () => {
        isChanged = true
        news.signal()
      }

      /** What there is to say after one more tick; null when the node stops. */
      const tick = Effect.gen(function* () {
        yield* Effect.raceFirst(Effect.sleep(tickMs), news.wait)
        if (isDraining()) return null
        const isDue = ++ticks % ticksOfCheck === 0
        // Whether a person may still see it shows in the answer alone.
        const mustAsk = isChanged || (isDue && call.person !== null)
        if (isDue || isChanged) {
          isChanged = false
          const visitor = yield* Effect.result(call.client.again())
          if (Result.isSuccess(visitor)) context.renew(visitor.success)
          // When it cannot be told, it is asked again.
          else if (visitor.failure._tag === "StoreError") isChanged = true
          else {
            return `${next({ errors: [graphqlError(new ApiError("unauthorized", visitor.failure.message))] })}${COMPLETE}`
          }
        }
        const beat = isDue ? BEAT : ""
        if (performance.now() < askAt && !mustAsk) return beat
        const answer = yield* Effect.result(timed(false))
        if (Result.isFailure(answer)) {
          return isPassing(answer.failure) ? beat : `${next(answer.failure.beside)}${COMPLETE}`
        }
        const text = JSON.stringify(answer.success)
        const fingerprint = fingerprintOf(text)
        if (fingerprint === told) return beat
        if (!held.takes(text)) return `${next({ errors: [graphqlError(full())] })}${COMPLETE}`
        told = fingerprint
        return `${next(answer.success)}${beat}`
      })

      const seat = Effect.acquireRelease(
        Effect.sync(() => {
          // The last place may have been taken since it was looked at.
          const isIn = hasRoom() && held.takes(first)
          if (isIn) seats.add(names, 1)
          return isIn
        }),
        (isIn) =>
          Effect.sync(() => {
            if (isIn) seats.add(names, -1)
            held.leave()
            context.stop()
          })
      )
      const events = Stream.unwrap(
        Effect.gen(function* () {
          if (!(yield* seat)) return Stream.make(`${next({ errors: [graphqlError(full())] })}${COMPLETE}`)
          if (call.person !== null) yield* watch(call.person.account.id, changed)
          return Stream.concat(
            // Kept by nobody once it is told.
            Stream.suspend(() => {
              const event = nextEvent(first)
              first = ""
              return Stream.make(event)
            }),
            Stream.takeUntil(
              Stream.takeWhile(Stream.fromEffectRepeat(tick), (text): text is string => text !== null),
              (text) => text.endsWith(COMPLETE)
            )
          )
        })
      ).pipe(
        Stream.filter((text) => text !== ""),
        Stream.map((text) => Buffer.from(text))
      )
      return Response.stream(events, { contentType: EVENTS, headers: EVENT_HEADERS })
    })
    return { follow }
  }
)
