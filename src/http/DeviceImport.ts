import { Effect, Result, Schema, Stream } from "effect"
import { HttpServerResponse } from "effect/http"
import { RegisterDevice } from "../../services/domain/Device.ts"
import type { AppId } from "../../services/domain/Ids.ts"
import { DeviceId } from "../../services/domain/Ids.ts"
import { DeviceStore } from "../../services/ports/DeviceStore.ts"
import { HttpSettings } from "../../services/ports/HttpSettings.ts"
import type { StoreError } from "../../services/ports/StoreError.ts"
import { ApiError, ErrorBody, invalid, unavailable } from "./ApiError.ts"
import { parseJson } from "./Body.ts"
import { registerExample } from "./Devices.ts"
import { ID } from "./Examples.ts"
import type { Line } from "./Lines.ts"
import { LineSplitter } from "./Lines.ts"
import { route } from "./Route.ts"
import { decoder } from "./Validation.ts"

/** Lines that are registered in one statement. */
const CHUNK = 1000
/** More than any valid device needs. */
const LINE_BYTES = 64 * 1024

const LINE_TYPES = ["application/x-ndjson", "application/ndjson", "application/jsonl"] as const

const LineResult = Schema.Union([
  Schema.Struct({ line: Schema.Int, id: DeviceId, created: Schema.Boolean }),
  Schema.Struct({
    line: Schema.Int,
    error: Schema.Struct({
      code: ErrorBody.fields.error.fields.code,
      message: Schema.String,
      details: ErrorBody.fields.error.fields.details
    })
  })
]).annotate({ identifier: "ImportResult" })

const refused = (line: number, { code, message, details }: ApiError): string =>
  `${JSON.stringify({ line, error: { code, message, details } })}\n`

const decode = decoder(RegisterDevice)

const read = ({ bytes }: Line): Result.Result<RegisterDevice, ApiError> =>
  bytes === null
    ? Result.fail(invalid([{ field: "body", message: `must be at most ${LINE_BYTES} bytes` }]))
    : Result.flatMap(parseJson(bytes), decode)

/**
 * Devices as lines, any number of them. A chunk is read only after the one before is stored and its results are on their
 * way, so memory stays flat and a slow database or a slow reader slows the sender down.
 */
export const importRoutes = Effect.gen(function* () {
  const devices = yield* DeviceStore
  const { importLimit } = yield* HttpSettings

  /** The answers to a chunk, in its order. What the database could not take is told per line: the rest stands. */
  const register = Effect.fnUntraced(function* (appId: AppId, lines: ReadonlyArray<Line>) {
    const results = lines.map(read)
    const good = results.filter(Result.isSuccess).map(({ success }) => success)
    const registered =
      good.length === 0
        ? []
        : yield* devices
            .register(appId, good)
            .pipe(
              Effect.catch((error: StoreError) =>
                Effect.as(Effect.logWarning("Could not store a chunk of an import", error.cause), null)
              )
            )
    let at = 0
    let text = ""
    for (const [i, result] of results.entries()) {
      const line = lines[i]!.number
      if (Result.isFailure(result)) text += refused(line, result.failure)
      else if (registered === null) text += refused(line, unavailable())
      else {
        const { id, created } = registered[at++]!
        text += `{"line":${line},"id":"${id}","created":${created}}\n`
      }
    }
    return Buffer.from(text)
  })

  const tooLarge = new ApiError(
    "payload_too_large",
    `An import has at most ${importLimit} bytes. Send the rest in another.`
  )

  return [
    route({
      method: "POST",
      path: "/api/v1/devices/import",
      access: "secret",
      tag: "Devices",
      summary: "Register many devices",
      description:
        'One device a line, as newline-delimited JSON; any number of lines. The answer has a line for each, in the same order: `{"line", "id", "created"}`, or `{"line", "error"}` for one that was refused, which stops nothing. Results come while you send: read them meanwhile, or a long import stands still.',
      body: {
        schema: RegisterDevice,
        name: "RegisterDevice",
        example: registerExample,
        mediaTypes: LINE_TYPES,
        isStream: true
      },
      success: {
        status: 200,
        description: "A result for each line.",
        schema: LineResult,
        example: { line: 1, id: ID, created: true },
        mediaType: LINE_TYPES[0]
      },
      errors: ["payload_too_large"],
      handler: ({ caller, request }) => {
        if (Number(request.headers["content-length"] ?? 0) > importLimit) return Effect.fail(tooLarge)
        const splitter = new LineSplitter(LINE_BYTES)
        let bytes = 0
        const within = Stream.takeWhile(request.stream, (chunk: Uint8Array) => (bytes += chunk.length) <= importLimit)
        const answers = within.pipe(
          Stream.map((chunk) => splitter.push(chunk)),
          Stream.filter((lines): lines is [Line, ...Array<Line>] => lines.length > 0),
          Stream.flattenArray,
          Stream.concat(Stream.suspend(() => Stream.fromIterable(bytes > importLimit ? [] : splitter.end()))),
          Stream.grouped(CHUNK),
          Stream.mapEffect((lines: ReadonlyArray<Line>) => register(caller.appId, lines)),
          Stream.concat(
            Stream.suspend(() =>
              bytes > importLimit ? Stream.succeed(Buffer.from(refused(splitter.next, tooLarge))) : Stream.empty
            )
          )
        )
        return Effect.succeed(HttpServerResponse.stream(answers, { contentType: LINE_TYPES[0] }))
      }
    })
  ]
})
