import { Effect, Result, Schema, Stream } from "effect"
import type { HttpServerRequest } from "effect/http"
import { HttpServerResponse } from "effect/http"
import type { Caller } from "../../services/engine/Auth.ts"
import type { StoreError } from "../../services/ports/StoreError.ts"
import { ApiError, ErrorBody, invalid, unavailable } from "./ApiError.ts"
import { parseJson } from "./Body.ts"
import type { Incoming } from "./Incoming.ts"
import type { Line } from "./Lines.ts"
import { LineSplitter } from "./Lines.ts"
import { decoder } from "./Validation.ts"

/** Lines that are stored in one go. */
const CHUNK = 1000
/** More than any valid line needs. */
const LINE_BYTES = 64 * 1024

export const LINE_TYPES = ["application/x-ndjson", "application/ndjson", "application/jsonl"] as const

/** What the documentation of every import says. */
export const ABOUT_LINES =
  'as newline-delimited JSON; any number of lines. The answer has a line for each, in the same order: `{"line", "id", "created"}`, or `{"line", "error"}` for one that was refused, which stops nothing. Results come while you send: read them meanwhile, or a long import stands still.'

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

  const read = ({ bytes }: Line): Result.Result<A["Type"], ApiError> =>
    bytes === null
      ? Result.fail(invalid([{ field: "body", message: `must be at most ${LINE_BYTES} bytes` }]))
      : Result.flatMap(Result.flatMap(parseJson(bytes), decode), (item) => {
          const refusal = refusalOf(item)
          return refusal === null ? Result.succeed(item) : Result.fail(refusal)
        })

  /** The answers to a chunk, in its order. What the database could not take is told per line: the rest stands. */
  const storeChunk = Effect.fnUntraced(function* (
    lines: ReadonlyArray<Line>,
    store: StoreLines<A["Type"]>,
    { caller, requestId }: ImportCall
  ) {
    const results = lines.map(read)
    const good = results.filter(Result.isSuccess).map(({ success }) => success)
    const stored =
      good.length === 0
        ? []
        : yield* store(good).pipe(
            Effect.catch((error: StoreError) =>
              Effect.logWarning("Could not store a chunk of an import", error.cause).pipe(
                Effect.annotateLogs({ request_id: requestId, app_id: caller.appId }),
                Effect.as(null)
              )
            )
          )
    let at = 0
    let text = ""
    for (const [i, result] of results.entries()) {
      const line = lines[i]!.number
      if (Result.isFailure(result)) text += refused(line, result.failure)
      else if (stored === null) text += refused(line, unavailable())
      else {
        const { id, created } = stored[at++]!
        text += `{"line":${line},"id":"${id}","created":${created}}\n`
      }
    }
    return Buffer.from(text)
  })

  return (
    call: ImportCall,
    store: StoreLines<A["Type"]>
  ): Effect.Effect<HttpServerResponse.HttpServerResponse, ApiError<"payload_too_large">> => {
    const { request } = call
    if (Number(request.headers["content-length"] ?? 0) > limit) return Effect.fail(tooLarge)
    // A stream of a body never comes by the express way.
    const { stream } = request as HttpServerRequest.HttpServerRequest
    const splitter = new LineSplitter(LINE_BYTES)
    let bytes = 0
    const within = Stream.takeWhile(stream, (chunk: Uint8Array) => (bytes += chunk.length) <= limit)
    const answers = within.pipe(
      Stream.map((chunk) => splitter.push(chunk)),
      Stream.filter((lines): lines is [Line, ...Array<Line>] => lines.length > 0),
      Stream.flattenArray,
      Stream.concat(Stream.suspend(() => Stream.fromIterable(bytes > limit ? [] : splitter.end()))),
      Stream.grouped(CHUNK),
      Stream.mapEffect((lines: ReadonlyArray<Line>) => storeChunk(lines, store, call)),
      Stream.concat(
        Stream.suspend(() =>
          bytes > limit ? Stream.succeed(Buffer.from(refused(splitter.next, tooLarge))) : Stream.empty
        )
      )
    )
    return Effect.succeed(HttpServerResponse.stream(answers, { contentType: LINE_TYPES[0] }))
  }
}
