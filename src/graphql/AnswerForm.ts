import type { Reply } from "../http/pipeline/Reply.ts"

/*
 * What an answer is written as. Clients say it by `Accept`; where they name nothing that there is, it is JSON. Behind this
 * every answer has one form: that of the JSON, which is also what is kept for repetitions.
 */

/** `response`: as the specification of GraphQL over HTTP has it. `json`: with REST's `error` beside `errors`. */
export type AnswerForm = "json" | "response" | "events"

const JSON_TYPE = "application/json"
const RESPONSE = "application/graphql-response+json"
export const EVENTS = "text/event-stream"
const FORMS: Readonly<Record<string, AnswerForm>> = {
  [JSON_TYPE]: "json",
  [RESPONSE]: "response",
  [EVENTS]: "events"
}
const WILDCARDS: ReadonlySet<string> = new Set(["*/*", "application/*"])

interface Range {
  readonly type: string
  /** 0 to 1: how much it is wanted. 0 is not at all. */
  readonly quality: number
}

const rangesOf = (accept: string): ReadonlyArray<Range> =>
  accept
    .toLowerCase()
    .split(",")
    .map((range) => {
      const [type, ...parameters] = range.split(";").map((part) => part.trim())
      const quality = parameters.find((parameter) => /^q\s*=/.test(parameter))?.split("=")[1]
      return { type: type!, quality: quality === undefined ? 1 : Number(quality) || 0 }
    })

/** What a client wants most; of what it wants as much, what it names first, and a name before a wildcard. */
export const answerFormOf = (accept: string | undefined): AnswerForm => {
  if (accept === undefined || accept === "*/*" || accept === JSON_TYPE) return "json"
  let form: AnswerForm = "json"
  let most = 0
  const ranges = rangesOf(accept)
  const named = ranges.filter(({ type }) => type in FORMS)
  for (const { quality, type } of named) {
    if (quality > most) [form, most] = [FORMS[type]!, quality]
  }
  const names = new Set(named.map(({ type }) => type))
  const isMore = ranges.some(({ quality, type }) => WILDCARDS.has(type) && quality > most)
  return isMore && !names.has(JSON_TYPE) ? "json" : form
}

/** Whether a client takes a stream of events, if only after other forms. */
export const takesEvents = (accept: string | undefined): boolean =>
  accept !== undefined && rangesOf(accept).some(({ quality, type }) => type === EVENTS && quality > 0)

/** Of streams: what stands between must neither change them nor keep them back. */
export const EVENT_HEADERS = { "cache-control": "no-store, no-transform", "x-accel-buffering": "no" } as const

export const COMPLETE = "event: complete\ndata: \n\n"
/** `answer`: JSON. */
export const nextEvent = (answer: string): string => `event: next\ndata: ${answer}\n\n`

/** Statuses that tell of a request which was never read, or is worth another try: nothing of it was executed. */
const UNREAD: ReadonlySet<number> = new Set([401, 403, 405, 408, 413, 415, 429, 503])

interface Body {
  readonly error: unknown
  readonly errors: unknown
  readonly data?: unknown
}

/** A refusal as GraphQL has it, whose response map knows no `error`. `hasData`: fields are null, each with its error. */
const asResponseMap = (body: string): { readonly hasData: boolean; readonly body: string } => {
  const { error, ...map } = JSON.parse(body) as Body
  return {
    hasData: map.data !== null && map.data !== undefined,
    body: JSON.stringify({ ...map, extensions: { error } })
  }
}

/** `worded`: makes REST's body of a refusal that was made before the query was read into that of GraphQL. */
export const inForm = (
  reply: Reply,
  accept: string | undefined,
  worded: (body: string) => { readonly body: string; readonly wasRead: boolean }
): Reply => {
  const isRefusal = reply.status >= 400
  const { body, wasRead } = isRefusal ? worded(reply.body) : { body: reply.body, wasRead: true }
  const form = answerFormOf(accept)
  if (form === "response") {
    const contentType = `${RESPONSE}; charset=utf-8`
    if (!isRefusal) return { ...reply, contentType }
    const map = asResponseMap(body)
    return { ...reply, status: map.hasData ? 200 : reply.status, body: map.body, contentType }
  }
  // A client of events takes any other answer for a connection that broke, and asks again: nothing may have been done.
  if (form === "json" || (!wasRead && UNREAD.has(reply.status))) return isRefusal ? { ...reply, body } : reply
  return {
    ...reply,
    status: 200,
    body: `${nextEvent(isRefusal ? asResponseMap(body).body : body)}${COMPLETE}`,
    contentType: EVENTS,
    headers: { ...reply.headers, ...EVENT_HEADERS }
  }
}
