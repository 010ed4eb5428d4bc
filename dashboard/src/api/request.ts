import type { TypedDocument } from "./typedDocument.ts"

/** What is wrong with a field, as the schema calls it: `input.name`. Of a source also where, from 1. */
export interface Detail {
  readonly field: string
  readonly message: string
  readonly line?: number
  readonly column?: number
}

/** What became of a request that was not answered as it wished. */
export class Refusal extends Error {
  override readonly name = "Refusal"
  /**
   * One of the service's codes; `unreachable`: there was no answer; `unanswered`: nor to a mutation, which may have been
   * done all the same; `not_understood`: the answer was none of the service's.
   */
  readonly code: string
  readonly details: ReadonlyArray<Detail>
  readonly requestId: string | null
  /** Seconds. */
  readonly retryAfter: number | null

  constructor(
    code: string,
    message: string,
    more: Partial<Pick<Refusal, "details" | "requestId" | "retryAfter">> = {}
  ) {
    super(message)
    this.code = code
    this.details = more.details ?? []
    this.requestId = more.requestId ?? null
    this.retryAfter = more.retryAfter ?? null
  }
}

export interface Answer {
  readonly data?: unknown
  readonly errors?: ReadonlyArray<{
    readonly message: string
    /** Of the field that was refused. */
    readonly path?: ReadonlyArray<string | number> | null
    readonly extensions?: {
      readonly code?: string
      readonly details?: Refusal["details"]
      readonly requestId?: string
      readonly retryAfter?: number
    }
  }>
}

/** Who wants to know how requests go: the banner of a lost connection, the dialog of an ended session, live changes. */
type Outcome = "answered" | "unreachable" | "session_ended" | "signed_in"
const listeners = new Set<(outcome: Outcome) => void>()
export const onOutcome = (listener: (outcome: Outcome) => void): (() => void) => {
  listeners.add(listener)
  return () => listeners.delete(listener)
}
export const tell = (outcome: Outcome): void => listeners.forEach((listener) => listener(outcome))

export const PATH = "/api/graphql"

/**
 * The account that this document shows, once that is known. All tabs have one cookie: when somebody else has signed in in
 * another one, the service takes what this one asks for as a stranger's.
 */
let account: string | null = null
export const askFor = (accountId: string): void => {
  account = accountId
}

/** After so long without a whole answer, there is none. The service answers in far less; slow networks take their time. */
const PATIENCE_MS = 60_000

/** Statuses of what stands before a service that it does not reach. */
const UNREACHED: ReadonlySet<number> = new Set([502, 503, 504])

const isMutation = ({ text }: TypedDocument<never, never>): boolean => text.startsWith("mutation")

/** Nothing is known of what became of the request. */
const unanswered = (document: TypedDocument<never, never>, message: string): Refusal => {
  tell("unreachable")
  return new Refusal(isMutation(document) ? "unanswered" : "unreachable", message)
}

/**
 * A body as the service takes it; `accept` says whether one answer is wanted, or events. `key`: by which the service knows
 * a repetition of it.
 */
export const post = async (
  document: TypedDocument<never, never>,
  variables: unknown,
  accept: string,
  signal?: AbortSignal,
  key?: string
): Promise<Response> => {
  try {
    const response = await fetch(PATH, {
      method: "POST",
      headers: {
        "content-type": "application/json",
        accept,
        ...(account === null ? {} : { "x-account-id": account }),
        ...(key === undefined ? {} : { "idempotency-key": key })
      },
      body: JSON.stringify({ query: document.text, variables }),
      credentials: "same-origin",
      signal: signal ?? null
    })
    if (!UNREACHED.has(response.status)) tell("answered")
    return response
  } catch (error) {
    if (signal?.aborted) throw error
    throw unanswered(document, "There is no connection to the service.")
  }
}

/** The service's own words are for programs, which show keys. */
const ENDED = "You were not signed in any more. Once you are, do it again: what you typed is kept."

/** The first error of an answer, which is the one that its status tells of. */
export const refusalIn = (answer: Answer): Refusal | null => {
  const error = answer.errors?.[0]
  if (error === undefined) return null
  const { code = "internal_error", details, requestId, retryAfter } = error.extensions ?? {}
  // A field says so of a code that is wrong; without a session no field is asked.
  const hasEnded = code === "unauthorized" && !error.path
  if (hasEnded) tell("session_ended")
  return new Refusal(code, hasEnded ? ENDED : error.message, {
    details: details ?? [],
    requestId: requestId ?? null,
    retryAfter: retryAfter ?? null
  })
}

/** Whether an answer is the service's: whatever else speaks JSON has other members. */
const isAnswer = (answer: unknown): answer is Answer =>
  typeof answer === "object" && answer !== null && ("data" in answer || "errors" in answer)

/** Whatever stands between browser and service may answer in its place, with a page of its own. */
export const answerIn = async (response: Response, document: TypedDocument<never, never>): Promise<Answer> => {
  const { headers, status } = response
  let answer: unknown = null
  try {
    answer = await response.json()
  } catch (error) {
    if ((error as Error).name === "AbortError") throw error
    if (!(error instanceof SyntaxError)) throw unanswered(document, "The answer broke off on its way.")
  }
  if (isAnswer(answer)) {
    if (UNREACHED.has(status)) tell("answered")
    return answer
  }
  if (UNREACHED.has(status)) throw unanswered(document, `The service cannot be reached (status ${status}).`)
  if (status === 429) {
    throw new Refusal("rate_limited", "Something before the service takes no more requests for now.", {
      retryAfter: Number(headers.get("retry-after")) || null
    })
  }
  throw new Refusal("not_understood", `The answer (status ${status}) did not come from the service.`)
}

/**
 * Asks, and answers the data; anything that failed is thrown, whatever succeeded beside it. `key`: as `post` has it.
 */
export const ask = async <A, V>(
  document: TypedDocument<A, V>,
  variables: V,
  signal?: AbortSignal,
  key?: string
): Promise<A> => {
  const patience = new AbortController()
  const end = (): void => patience.abort()
  const timer = setTimeout(end, PATIENCE_MS)
  signal?.addEventListener("abort", end)
  try {
    const response = await post(document as never, variables, "application/json", patience.signal, key)
    const answer = await answerIn(response, document as never)
    const refusal = refusalIn(answer)
    if (refusal !== null) throw refusal
    return answer.data as A
  } catch (error) {
    if (!patience.signal.aborted || signal?.aborted) throw error
    throw unanswered(document as never, `The service has not answered for ${PATIENCE_MS / 1000} seconds.`)
  } finally {
    clearTimeout(timer)
    signal?.removeEventListener("abort", end)
  }
}
