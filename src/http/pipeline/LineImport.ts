import { Effect, Exit, Result, Schedule, Schema, Scope, Stream } from "effect"
import type { HttpServerRequest } from "effect/http"
import { HttpServerResponse } from "effect/http"
import type { IncomingMessage } from "node:http"
import type { Actor } from "../../../services/domain/access/Audit.ts"
import type { AuditEntryId } from "../../../services/domain/Ids.ts"
import type { Caller } from "../../../services/engine/access/Auth.ts"
import { Room } from "../../../services/domain/operations/Room.ts"
import { CurrentActor } from "../../../services/ports/access/AuditLog.ts"
import { CurrentImport } from "../../../services/ports/access/CurrentImport.ts"
import { CanWait } from "../../../services/ports/operations/CanWait.ts"
import { inRoom } from "../../../services/ports/operations/InRoom.ts"
import type { StoreError } from "../../../services/ports/StoreError.ts"
import { ApiError, ErrorBody, invalid } from "./ApiError.ts"
import { parseJson, tooSlow } from "./Body.ts"
import { heldBack, isBehindProxy } from "./HeldAnswer.ts"
import type { Incoming } from "./Incoming.ts"
import { withdrawn } from "./Refusals.ts"
import type { Line } from "./Lines.ts"
import { LineGroups, LineSplitter } from "./Lines.ts"
import { readInTurns } from "./ReadingTurns.ts"
import type { Waits } from "./WaitLimiter.ts"
import { again, within } from "./WaitLimiter.ts"
import { decoder } from "./Validation.ts"

/** Lines that are stored in one go, and their bytes. */
const CHUNK = 1000
const CHUNK_BYTES = 1 << 20
/** More than any valid line needs. */
const LINE_BYTES = 64 * 1024

export const LINE_TYPES = ["application/x-ndjson", "application/ndjson", "application/jsonl"] as const

/** What the documentation of every import says. */
export const ABOUT_LINES =
  'as newline-delimited JSON; any number of lines (of curl, `--data-binary @lines.ndjson`: `-d` joins them to one). The answer has a line for each, in the same order: `{"line", "id", "created"}`, or `{"line", "error"}` for one that was refused, which stops nothing. Results come while you send: read them meanwhile, or a long import stands still. Behind a proxy, which may stop sending once an answer has begun, they come after the last line. An import that sends less than 1,000 bytes in each 5 seconds for half a minute ends, with an error as its last line; so does one whose lines the database could not store for a quarter of a minute.'

/** Why a line, or an item, was refused. */
export const LineError = Schema.Struct({
  code: ErrorBody.fields.error.fields.code,
  message: Schema.String,
  details: ErrorBody.fields.error.fields.details
})

export const LineResult = Schema.Union([
  Schema.Struct({ line: Schema.Int, id: Schema.String.check(Schema.isUUID()), created: Schema.Boolean }),
  Schema.Struct({
    line: Schema.Int,
    error: LineError
  })
]).annotate({ identifier: "ImportResult" })

/** Bytes that come while an import waits for more, in each of its looks, at least; so many looks without them end it. */
const LOOK_BYTES = 1_000
const LOOK_MS = 5_000
const SLOW_LOOKS = 6

/** Ends when the sender is too slow, or silent. What is not read because the database is slow is not the sender's fault. */
const slowness = (source: IncomingMessage): Effect.Effect<void> =>
  Effect.callback((resume) => {
    let before = source.socket.bytesRead
    let slow = 0
    const timer = setInterval(() => {
      const { bytesRead } = source.socket
      const isWaitedFor = source.readableLength === 0 && !source.complete
      slow = isWaitedFor && bytesRead - before < LOOK_BYTES ? slow + 1 : 0
      before = bytesRead
      if (slow >= SLOW_LOOKS) resume(Effect.void)
    }, LOOK_MS)
    return Effect.sync(() => clearInterval(timer))
  })

const SLOW = tooSlow(
  `The lines came too slowly: less than ${LOOK_BYTES} bytes in each ${LOOK_MS / 1000} seconds of the last ${(LOOK_MS * SLOW_LOOKS) / 1000}. The import ended with the lines before this one.`
)

/**
 * A body that is looked at now and read later. A client that waits for `100 Continue` is told so by the first look, which
 * has to come before the answer: nothing can be told ahead of an answer that has begun.
 */
const opened = Effect.fnUntraced(function* <A, E>(body: Stream.Stream<A, E>) {
  const scope = yield* Scope.make()
  const pull = yield* Scope.provide(Stream.toPull(body), scope)
  return Stream.ensuring(Stream.fromPull(Effect.succeed(pull)), Scope.close(scope, Exit.void))
})

/**
 * A chunk that the database cannot take is tried again for a quarter of a minute: longer than a server takes to restart or
 * to hand over, and no longer than senders wait for an answer. What was stored all the same is refreshed.
 */
const AGAIN = { schedule: Schedule.exponential("250 millis"), times: 6 }
const AGAIN_MS = 15_000

const mayPass = (error: StoreError): boolean => error.refused !== true && error.withdrawn !== true

/** Chunks that a process stores at once, two of one application at most: the rest of what can wait goes on beside them. */
const stores = new Room(4)

/** What lines are answered with that were not stored. */
const NOT_STORED = new ApiError("unavailable", "The database did not store this line. Send it again.")

/** The last answer of an import that waited for the database in vain. */
const GIVEN_UP = new ApiError(
  "unavailable",
  "The import ended here: the database does not answer. Send the lines from the first one on that was answered with `unavailable` again; those that were stored all the same are only refreshed."
)

/** The last answer of an import whose key was revoked, or whose organization was deleted, while it was under way. */
const ENDED = new ApiError(
  "forbidden",
  "The import ended here: what you were allowed to do was taken away while it was under way. What was stored before stays as it is."
)

const refused = (line: number, { code, message, details }: ApiError): string =>
  `${JSON.stringify({ line, error: { code, message, details } })}\n`

/** Stores the good lines of a chunk; answers in their order. */
export type StoreLines<A> = (
  items: ReadonlyArray<A>
) => Effect.Effect<ReadonlyArray<{ readonly id: string; readonly created: boolean }>, StoreError>

/** Of a request, what an import needs. */
interface ImportCall {
  readonly request: Incoming
  readonly requestId: string
  readonly caller: Caller
  readonly waits: Waits
}

/**
 * Things as lines, any number of them. A chunk is read only after the one before is stored and its results are on their
 * way, so memory stays flat and a slow database or a slow reader slows the sender down. `refusalOf` says what the schema
 * cannot.
 */
export const makeLineImport = <A extends Schema.ConstraintDecoder<unknown>>(
  schema: A,
  limit: number,
  refusalOf: (item: A["Type"]) => ApiError | null = () => null
) => {
  const decode = decoder(schema)
  const tooLarge = new ApiError("payload_too_large", `An import has at most ${limit} bytes. Send the rest in another.`)

  /** What a line says, or the answer to one that is wrong. */
  const read = ({ bytes, number }: Line): Result.Result<A["Type"], string> =>
    bytes === null
      ? Result.fail(refused(number, invalid([{ field: "body", message: `must be at most ${LINE_BYTES} bytes` }])))
      : Result.flatMap(Result.flatMap(parseJson(bytes), decode), (item) => {
          const refusal = refusalOf(item)
          return refusal === null ? Result.succeed(item) : Result.fail(refusal)
        }).pipe(Result.mapError((error) => refused(number, error)))

  /**
   * The answers to a chunk, in its order. What the database could not take is told per line: the rest stands. An import
   * that waited, or tried, in vain ends with this chunk, and an answer more.
   */
  const storeChunk = Effect.fnUntraced(function* (
    lines: ReadonlyArray<Line>,
    store: StoreLines<A["Type"]>,
    { caller, requestId, waits }: ImportCall
  ) {
    /** Why lines were not stored, and what ends the import. */
    let [why, last]: [ApiError, ApiError | null] = [NOT_STORED, null]
    const results = yield* readInTurns(caller.appId, lines, read)
    const began = performance.now()
    const good = results.filter(Result.isSuccess).map(({ success }) => success)
    const stored =
      good.length === 0
        ? []
        : yield* Effect.suspend(() => inRoom(stores, caller.appId, 1)(within(again(waits), store(good)))).pipe(
            Effect.retry({ ...AGAIN, while: (error) => mayPass(error) && performance.now() - began < AGAIN_MS }),
            Effect.catch((error: StoreError) => {
              if (error.withdrawn === true) {
                ;[why, last] = [withdrawn(), ENDED]
                return Effect.succeed(null)
              }
              if (error.refused !== true) last = GIVEN_UP
              return Effect.logWarning("Could not store a chunk of an import", error.cause).pipe(
                Effect.annotateLogs({ request_id: requestId, app_id: caller.appId }),
                Effect.as(null)
              )
            })
          )
    let at = 0
    let text = ""
    for (const [i, result] of results.entries()) {
      const line = lines[i]!.number
      if (Result.isFailure(result)) text += result.failure
      else if (stored === null) text += refused(line, why)
      else {
        const { id, created } = stored[at++]!
        text += `{"line":${line},"id":"${id}","created":${created}}\n`
      }
    }
    if (last !== null) text += refused(lines.at(-1)!.number + 1, last)
    return { text: Buffer.from(text), isLast: last !== null }
  })

  /** `noted` is done before the first line is read: the entry of the audit log that counts what the lines write. */
  return (
    call: ImportCall,
    store: StoreLines<A["Type"]>,
    noted: Effect.Effect<AuditEntryId, StoreError>
  ): Effect.Effect<HttpServerResponse.HttpServerResponse, ApiError<"payload_too_large"> | StoreError> => {
    const { request } = call
    if (Number(request.headers["content-length"] ?? 0) > limit) return Effect.fail(tooLarge)
    // A stream of a body never comes by the fast path.
    const { stream } = request as HttpServerRequest.HttpServerRequest
    const splitter = new LineSplitter(LINE_BYTES)
    const groups = new LineGroups(CHUNK, CHUNK_BYTES)
    let bytes = 0
    let isOver = false
    let isSlow = false
    const slow = Effect.tap(slowness(request.source as IncomingMessage), () => Effect.sync(() => (isSlow = true)))
    const allowed = (chunks: typeof stream) =>
      chunks.pipe(
        Stream.interruptWhen(slow),
        Stream.takeWhile((chunk: Uint8Array) => (bytes += chunk.length) <= limit)
      )
    const answers = (chunks: typeof stream, entry: AuditEntryId, actor: Actor) =>
      allowed(chunks).pipe(
        Stream.map((chunk) => groups.push(splitter.push(chunk))),
        Stream.filter((full): full is [ReadonlyArray<Line>, ...Array<ReadonlyArray<Line>>] => full.length > 0),
        Stream.flattenArray,
        Stream.concat(
          Stream.suspend(() => {
            const full = bytes > limit || isSlow ? [] : groups.push(splitter.end())
            return Stream.fromIterable([...full, ...groups.end()])
          })
        ),
        Stream.mapEffect((lines) =>
          storeChunk(lines, store, call).pipe(
            Effect.provideService(CurrentImport, entry),
            // The answer is made when the request's own effect is over, and what that was given.
            Effect.provideService(CurrentActor, actor),
            Effect.provideService(CanWait, true)
          )
        ),
        Stream.takeUntil(({ isLast }) => (isOver = isLast)),
        Stream.map(({ text }) => text),
        Stream.concat(
          Stream.suspend(() => {
            const last = isOver ? null : isSlow ? SLOW : bytes > limit ? tooLarge : null
            return last === null ? Stream.empty : Stream.succeed(Buffer.from(refused(splitter.next, last)))
          })
        )
      )
    return Effect.gen(function* () {
      const [actor, entry] = [yield* CurrentActor, yield* noted]
      const answer = answers(yield* opened(stream), entry, actor)
      return HttpServerResponse.stream(isBehindProxy(request.headers) ? heldBack(answer) : answer, {
        contentType: LINE_TYPES[0]
      })
    })
  }
}
