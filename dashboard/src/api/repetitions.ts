import { Refusal } from "./request.ts"

/*
 * Keys of what was asked for and had no final answer: asked for again with its key, it is done once. They are kept in this
 * tab, because one reloads a page that does not answer.
 */

/** After so long, the same is meant as another. */
const REPETITION_MS = 600_000

const hash = (text: string): string => {
  let [a, b] = [0x811c9dc5, 0x01000193]
  for (let i = 0; i < text.length; i++) {
    a = Math.imul(a ^ text.charCodeAt(i), 0x01000193)
    b = Math.imul(b ^ text.charCodeAt(i), 0x5bd1e995)
  }
  return `${text.length} ${a >>> 0} ${b >>> 0}`
}

/** Not `randomUUID`, which only pages over TLS have. */
const newKey = (): string =>
  Array.from(crypto.getRandomValues(new Uint32Array(4)), (part) => part.toString(16).padStart(8, "0")).join("")

const placeOf = (operation: string, variables: unknown): string =>
  `repetition ${operation} ${hash(JSON.stringify(variables))}`

const keyAt = (place: string): string => {
  const [key, at] = (sessionStorage.getItem(place) ?? "").split(" ")
  if (key && Date.now() - Number(at) < REPETITION_MS) return key
  const made = newKey()
  try {
    sessionStorage.setItem(place, `${made} ${Date.now()}`)
  } catch {
    // The tab keeps no more, as when a long draft fills it: it is asked for all the same, with a key for this once.
  }
  return made
}

const OPEN: ReadonlySet<string> = new Set([
  "unanswered",
  "not_understood",
  "unavailable",
  "rate_limiter_unavailable",
  "rate_limited",
  "unauthorized",
  "internal_error"
])

/** Another request with the key does the work at the moment: of no other conflict is said when to try again. */
const isAtWork = ({ code, retryAfter }: Refusal): boolean => code === "conflict" && retryAfter !== null

/** Whether the work may still be done, or was. */
const isOpen = (error: unknown): boolean => error instanceof Refusal && (OPEN.has(error.code) || isAtWork(error))

const wordsFor = (error: unknown): unknown => {
  if (!(error instanceof Refusal)) return error
  if (error.code === "unanswered") return new Refusal("unanswered_once", error.message)
  if (isAtWork(error)) return new Refusal("at_work", "The service is still at it.", error)
  return error
}

/** Asks with the key that the same had when it was asked for before without a final answer, or with a new one. */
export const askOnce = async <A>(
  operation: string,
  variables: unknown,
  ask: (key: string) => Promise<A>
): Promise<A> => {
  const place = placeOf(operation, variables)
  try {
    const answer = await ask(keyAt(place))
    sessionStorage.removeItem(place)
    return answer
  } catch (error) {
    if (!isOpen(error)) sessionStorage.removeItem(place)
    throw wordsFor(error)
  }
}
