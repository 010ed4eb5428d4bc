import type { TypedDocument } from "./typedDocument.ts"

/** What became of a request that was not answered as it wished. */
export class Refusal extends Error {
  override readonly name = "Refusal"
  /** One of the service's codes; `unreachable`: there was no answer; `not_understood`: it was none of the service's. */
  readonly code: string
  /** Fields as the schema calls them: `input.name`. */
  readonly details: ReadonlyArray<{ readonly field: string; readonly message: string }>
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

interface Answer {
  readonly data?: unknown
  readonly errors?: ReadonlyArray<{
    readonly message: string
    readonly extensions?: {
      readonly code?: string
      readonly details?: Refusal["details"]
      readonly requestId?: string
      readonly retryAfter?: number
    }
  }>
}

/** Who wants to know how requests go: the banner of a lost connection, the dialog of an ended session. */
type Outcome = "answered" | "unreachable" | "session_ended"
const listeners = new Set<(outcome: Outcome) => void>()
export const onOutcome = (listener: (outcome: Outcome) => void): (() => void) => {
  listeners.add(listener)
  return () => listeners.delete(listener)
}
const tell = (outcome: Outcome): void => listeners.forEach((listener) => listener(outcome))

export const PATH = "/api/graphql"

/** A body as the service takes it; `accept` says whether one answer is wanted, or events. */
export const post = async (
  document: TypedDocument<never, never>,
  variables: unknown,
  accept: string,
  signal?: AbortSignal
): Promise<Response> => {
  try {
    const response = await fetch(PATH, {
      method: "POST",
      headers: { "content-type": "application/json", accept },
      body: JSON.stringify({ query: document.text, variables }),
      credentials: "same-origin",
      signal: signal ?? null
    })
    tell("answered")
    return response
  } catch (error) {
    if (signal?.aborted) throw error
    tell("unreachable")
    throw new Refusal("unreachable", "There is no connection to the service.")
  }
}

/** The first error of an answer, which is the one that its status tells of. */
export const refusalIn = (answer: Answer): Refusal | null => {
  const error = answer.errors?.[0]
  if (error === undefined) return null
  const { code = "internal_error", details, requestId, retryAfter } = error.extensions ?? {}
  if (code === "unauthorized") tell("session_ended")
  return new Refusal(code, error.message, {
    details: details ?? [],
    requestId: requestId ?? null,
    retryAfter: retryAfter ?? null
  })
}

/** Whatever stands between browser and service may answer in its place, with a page of its own. */
export const answerIn = async (response: Response): Promise<Answer> => {
  try {
    return (await response.json()) as Answer
  } catch {
    throw new Refusal("not_understood", `The answer (status ${response.status}) did not come from the service.`)
  }
}

/** Asks, and answers the data; anything that failed is thrown, whatever succeeded beside it. */
export const ask = async <A, V>(document: TypedDocument<A, V>, variables: V, signal?: AbortSignal): Promise<A> => {
  const answer = await answerIn(await post(document as never, variables, "application/json", signal))
  const refusal = refusalIn(answer)
  if (refusal !== null) throw refusal
  return answer.data as A
}
