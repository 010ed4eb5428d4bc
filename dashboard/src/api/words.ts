import { Refusal } from "./request.ts"

/** What to say of an error beside its own message: what to do now. */
const ADVICE: Readonly<Record<string, string>> = {
  unreachable: "What you typed is kept. It is tried again as soon as the service answers.",
  unanswered: "It may have been done all the same: look before you do it again. What you typed is kept.",
  unanswered_once:
    "What you typed is kept. Do it again when there is a connection: what was done already is not done twice.",
  at_work: "Try again in a moment: what was done already is not done twice.",
  unavailable: "The service is there, but cannot do this at the moment. Try again in some seconds.",
  rate_limiter_unavailable: "The service is there, but cannot do this at the moment. Try again in some seconds.",
  rate_limited: "That was more than your budget of requests. Wait a moment, and try again.",
  forbidden: "Your role in this organization does not allow it. An owner can give you another one.",
  conflict: "Somebody may have changed it in the meantime. Look at it as it is now, then decide.",
  transfer_ownership_first: "Both are on the page of its team.",
  organization_has_payments: "Its financial records have to be kept. Write to those who run this service.",
  internal_error:
    "Something broke in the service. Try again; if it happens again, tell those who run it, with the request id.",
  not_understood: "Something between this browser and the service answered instead, as a proxy that restarts does."
}

/** Messages name fields of the API for programs, `(transferOwnership)`: people find them by the words before. */
const inWords = (message: string): string => message.replace(/ \([a-z]+(?:[A-Z][a-z]+)+\)/g, "")

export interface Words {
  readonly message: string
  readonly advice: string | null
  readonly requestId: string | null
}

export const wordsOf = (error: unknown): Words => {
  if (!(error instanceof Refusal)) {
    return { message: "This page did something wrong.", advice: String(error), requestId: null }
  }
  return { message: inWords(error.message), advice: ADVICE[error.code] ?? null, requestId: error.requestId }
}

/** What an error says of one field of a form, by the last part of its path. */
export const faultOf = (error: unknown, field: string): string | null => {
  if (!(error instanceof Refusal)) return null
  const found = error.details.find((detail) => detail.field === field || detail.field.endsWith(`.${field}`))
  return found?.message ?? null
}
