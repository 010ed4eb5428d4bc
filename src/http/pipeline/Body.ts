import { ByteSize, Effect, Fiber, Result } from "effect"
import { HttpServerRequest } from "effect/http"
import { isUtf8 } from "node:buffer"
import { Readable } from "node:stream"
import { isStorable, UNSTORABLE } from "../../../services/domain/Text.ts"
import { CHANGED, isLarge, parseWritten } from "../../../services/domain/WrittenNumbers.ts"
import { ApiError, invalid } from "./ApiError.ts"
import type { Incoming } from "./Incoming.ts"
import type { Unfinished } from "./UnfinishedBodies.ts"
import { ended, grew } from "./UnfinishedBodies.ts"

/** Levels of objects and arrays inside each other, at most. */
export const DEPTH = 32
/** How long a body that came in part may take to come whole. */
export const BODY_MS = 30_000

const tooLarge = (limit: number) =>
  new ApiError("payload_too_large", `The body is larger than ${limit} bytes. Send less in one request.`)

/** Who is as slow as that is not waited for again: the connection ends with the answer. */
export const tooSlow = (message: string) => new ApiError("request_timeout", message, [], { connection: "close" })

const late = () => tooSlow(`The body did not arrive within ${BODY_MS / 1000} seconds.`)

const crowdedOut = () =>
  tooSlow("The body did not arrive while there was room for unfinished ones. Send it again, in less time.")

export type BodyError = ApiError<"payload_too_large" | "request_timeout" | "validation_error">

/**
 * The fast path into a body: the bytes of the socket, without the streams, caches and decoders in between (they cost
 * more than everything else an accept does). `done` is called once, and not any more after what this answers was
 * called. `announced`: bytes, 0 where nobody said. `owner`: who it is counted for while it is on its way.
 */
export const readBytes = (
  source: Readable,
  announced: number,
  limit: number,
  owner: string,
  done: (read: Buffer | BodyError) => void
): (() => void) => {
  const chunks: Array<Buffer> = []
  let size = 0
  let isDone = false
  let deadline: NodeJS.Timeout | undefined
  const unfinished: Unfinished = { owner, bytes: 0, crowdOut: () => fail(crowdedOut()) }
  const stop = () => {
    isDone = true
    clearTimeout(deadline)
    ended(unfinished)
  }
  // The listeners stay: what they hear after the end of a body is heeded no more, and goes with the request.
  const succeed = () => {
    if (isDone) return
    stop()
    done(chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks))
  }
  const fail = (error: BodyError) => {
    if (isDone) return
    stop()
    source.off("data", onData).pause()
    done(error)
  }
  const onData = (chunk: Buffer) => {
    if (isDone) return
    size += chunk.length
    if (size > limit) return fail(tooLarge(limit))
    chunks.push(chunk)
    // The parser of HTTP lets through no more than was announced: the stream's own end comes a turn later.
    if (announced > 0 && size === announced) return succeed()
    // Most bodies come in one chunk and need no timer; where none comes at all, the silent connection is closed.
    deadline ??= setTimeout(() => fail(late()), BODY_MS)
    grew(unfinished, chunk.length, limit)
  }
  const onCut = () => fail(invalid([{ field: "body", message: "ended before it was complete" }]))
  source.on("data", onData).on("end", succeed).on("error", onCut).on("close", onCut)
  return stop
}

const readSource = (
  source: Readable,
  announced: number,
  limit: number,
  owner: string
): Effect.Effect<Buffer, BodyError> =>
  Effect.callback((resume) =>
    Effect.sync(
      readBytes(source, announced, limit, owner, (read) =>
        resume(read instanceof ApiError ? Effect.fail(read) : Effect.succeed(read))
      )
    )
  )

/** Reads a body of at most `limit` bytes. */
export const readBody = (request: Incoming, limit: number, owner = ""): Effect.Effect<Buffer, BodyError> => {
  const { headers, source } = request
  const announced = Number(headers["content-length"] ?? 0)
  if (announced > limit) return Effect.fail(tooLarge(limit))
  // A client that waits for `100 Continue` gets it from the router only.
  if (source instanceof Readable && headers.expect === undefined) return readSource(source, announced, limit, owner)
  const whole = (request as HttpServerRequest.HttpServerRequest).arrayBuffer.pipe(
    Effect.provideService(HttpServerRequest.MaxBodySize, ByteSize.bytes(limit)),
    Effect.map((bytes) => Buffer.from(bytes)),
    Effect.mapError((error) =>
      error.reason._tag === "RequestParseError" && error.reason.reason === "BodyTooLarge"
        ? tooLarge(limit)
        : invalid([{ field: "body", message: "could not be read" }])
    )
  )
  // On a fiber of its own, which ends with the connection: interrupted, it would end that before the answer.
  return Effect.flatMap(Effect.forkDetach(whole), (fiber) =>
    Effect.timeoutOrElse(Fiber.join(fiber), { duration: BODY_MS, orElse: () => Effect.fail(late()) })
  )
}

interface Problem {
  readonly path: Array<string>
  readonly message: string
}

/** Stands for a number that is not what was written. */
const OTHER = Symbol("other number")

/** Whether the JSON that was looked through last has a number that may be another than what was written. */
let hasLarge = false

/**
 * What a schema would let through and a database or a careless merge would not: nesting without end, `__proto__`, numbers
 * that are not what was written, and the characters that JSON can escape but UTF-8 text in PostgreSQL cannot hold.
 */
const problemIn = (value: unknown, depth: number, hasEscapes: boolean): Problem | null => {
  if (typeof value === "string") {
    return hasEscapes && !isStorable(value) ? { path: [], message: UNSTORABLE } : null
  }
  if (typeof value === "number") {
    if (!Number.isFinite(value)) return { path: [], message: "must be a number below 1.8e308" }
    if (isLarge(value)) hasLarge = true
    return null
  }
  if (value === OTHER) return { path: [], message: CHANGED }
  if (typeof value !== "object" || value === null) return null
  if (depth === 0) return { path: [], message: `must not be nested deeper than ${DEPTH} levels` }
  if (Array.isArray(value)) {
    for (let i = 0; i < value.length; i++) {
      const problem = problemIn(value[i], depth - 1, hasEscapes)
      if (problem !== null) return { ...problem, path: [`[${i}]`, ...problem.path] }
    }
    return null
  }
  for (const key in value) {
    const name = key.length > 100 ? `${key.slice(0, 100)}…` : key
    if (key === "__proto__") return { path: [name], message: "is not allowed as a field name" }
    const problem = problemIn(value[key as never], depth - 1, hasEscapes) ?? problemIn(key, depth, hasEscapes)
    if (problem !== null) return { ...problem, path: [name, ...problem.path] }
  }
  return null
}

/** UTF-8's byte order mark, which some programs put in front of every text. */
const isMarked = (bytes: Uint8Array): boolean => bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf

/**
 * Parses JSON that the engine can take. The messages quote nothing of the body: it may hold secrets. `envelope`: levels
 * around what may be nested as deep as anything.
 */
export const parseJson = (given: Uint8Array, envelope = 0): Result.Result<unknown, ApiError<"validation_error">> => {
  const bytes = isMarked(given) ? given.subarray(3) : given
  if (bytes.length === 0) return Result.fail(invalid([{ field: "body", message: "is empty; send a JSON object" }]))
  if (!isUtf8(bytes)) return Result.fail(invalid([{ field: "body", message: "must be UTF-8" }]))
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString("utf8")
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (error) {
    const [where] = /at position \d+( \(line \d+ column \d+\))?/.exec(String(error)) ?? []
    return Result.fail(
      invalid([{ field: "body", message: `is not valid JSON${where === undefined ? "" : ` ${where}`}` }])
    )
  }
  const hasEscapes = text.includes("\\u")
  hasLarge = false
  let refusal = refusalOfJson(value, hasEscapes, envelope)
  if (refusal === null && hasLarge) {
    // To look at how numbers are written costs more than all the rest of a body.
    const written = parseWritten(text, () => OTHER)
    refusal = refusalOfJson(written, hasEscapes, envelope)
  }
  return refusal === null ? Result.succeed(value) : Result.fail(refusal)
}

/**
 * What the engine cannot take of a value that looks like JSON; null: nothing. `hasEscapes`: texts may hold any character.
 * `envelope`: as of a body.
 */
export const refusalOfJson = (
  value: unknown,
  hasEscapes: boolean,
  envelope: number
): ApiError<"validation_error"> | null => {
  const problem = problemIn(value, DEPTH + envelope, hasEscapes)
  if (problem === null) return null
  const field = problem.path.length === 0 ? "body" : problem.path.join(".").replaceAll(".[", "[").slice(0, 500)
  return invalid([{ field, message: problem.message }])
}

const CHARSET = /;\s*charset\s*=\s*"?([^\s";]*)/gi

/** Whether a media type's parameters name no encoding but UTF-8, which JSON is in (RFC 8259). */
const isInUtf8 = (parameters: string): boolean =>
  [...parameters.matchAll(CHARSET)].every(([, charset]) => /^utf-?8$/i.test(charset!))

/**
 * Refuses what is not one of the media types, what is compressed, and what is said to be in another encoding than
 * UTF-8.
 */
export const checkMediaType = (
  headers: Readonly<Record<string, string | undefined>>,
  accepted: ReadonlyArray<string>
): ApiError<"unsupported_media_type"> | null => {
  const given = headers["content-type"]
  const end = given?.indexOf(";") ?? -1
  const type = (end === -1 ? (given ?? "") : given!.slice(0, end)).trim().toLowerCase()
  if (given === undefined) {
    return new ApiError("unsupported_media_type", `Send a body, with the header \`Content-Type: ${accepted[0]}\`.`)
  }
  if (!accepted.includes(type)) {
    return new ApiError("unsupported_media_type", `Send the body with the header \`Content-Type: ${accepted[0]}\`.`)
  }
  if (end !== -1 && !isInUtf8(given!.slice(end))) {
    return new ApiError("unsupported_media_type", "Send the body as UTF-8, and name no other charset.")
  }
  const encoding = headers["content-encoding"]
  return encoding === undefined || encoding === "identity"
    ? null
    : new ApiError("unsupported_media_type", "Send the body without a Content-Encoding; it is not decompressed.")
}
