import { setTimeout as sleep } from "node:timers/promises"
import {
  errorOf,
  HeliographApiError,
  HeliographConnectionError,
  HeliographError,
  HeliographTimeoutError
} from "./errors.js"

/**
 * @typedef {object} Call
 * @property {string} method
 * @property {URL} url
 * @property {Record<string, string>} headers
 * @property {string | undefined} body
 * @property {AbortSignal | undefined} signal
 * @property {number} timeoutMs
 * @property {number} deadlineMs
 * @property {number} maxRetries
 */

const FIRST_WAIT_MS = 250
const LONGEST_WAIT_MS = 20_000

/** @param {unknown} error */
const isWorthAnother = (error) => {
  if (!(error instanceof HeliographApiError)) return error instanceof HeliographError
  const { retryAfterMs, status } = error
  // A conflict that says when to come again: the first try of the same call is still at work.
  return status === 429 || status === 408 || status >= 500 || (status === 409 && retryAfterMs !== null)
}

/**
 * What the service asks for, and a little more, so that not all of its clients come back at the same moment; else longer
 * from try to try.
 *
 * @param {unknown} error
 * @param {number} tries
 */
const waitOf = (error, tries) => {
  const asked = error instanceof HeliographApiError ? error.retryAfterMs : null
  if (asked !== null) return asked + Math.random() * Math.min(1000, 100 + asked / 4)
  return (0.5 + Math.random() / 2) * Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** tries)
}

/**
 * What kept a request from its answer, as `fetch` says it: in the cause of its error. Of several addresses that were tried,
 * the first.
 *
 * @param {unknown} error
 */
const reasonOf = (error) => {
  const cause = /** @type {{ cause?: any }} */ (error).cause ?? error
  const { code, message } = cause.errors?.[0] ?? cause
  return code === undefined && !message ? "" : `: ${message || code}`
}

/**
 * One attempt: the answer as `read` makes it, which has to come within the time as well.
 *
 * @template A
 * @param {typeof globalThis.fetch} fetch
 * @param {Call} call
 * @param {number} ms
 * @param {(response: Response) => Promise<A>} read
 * @returns {Promise<A>}
 */
const attempt = async (fetch, call, ms, read) => {
  const { body, headers, method, signal, url } = call
  const timer = new AbortController()
  const timeout = setTimeout(() => timer.abort(), ms)
  try {
    const response = await fetch(url, {
      method,
      headers,
      ...(body === undefined ? {} : { body }),
      redirect: "manual",
      signal: signal === undefined ? timer.signal : AbortSignal.any([signal, timer.signal])
    })
    if (!response.ok) throw await errorOf(response)
    return await read(response)
  } catch (cause) {
    if (cause instanceof HeliographError) throw cause
    signal?.throwIfAborted()
    if (timer.signal.aborted) throw new HeliographTimeoutError(`No answer within ${Math.round(ms)} ms`, { cause })
    throw new HeliographConnectionError(`No answer from ${url.host}${reasonOf(cause)}`, { cause })
  } finally {
    clearTimeout(timeout)
  }
}

/**
 * A call with as many attempts as it needs and may have.
 *
 * @template A
 * @param {typeof globalThis.fetch} fetch
 * @param {Call} call
 * @param {(response: Response) => Promise<A>} read
 * @returns {Promise<A>}
 */
export const send = async (fetch, call, read) => {
  const end = performance.now() + call.deadlineMs
  for (let tries = 0; ; tries++) {
    try {
      return await attempt(fetch, call, Math.min(call.timeoutMs, Math.max(1, end - performance.now())), read)
    } catch (error) {
      const wait = waitOf(error, tries)
      const isLast = tries >= call.maxRetries || performance.now() + wait >= end
      if (isLast || !isWorthAnother(error)) throw error
      await sleep(wait, undefined, call.signal === undefined ? {} : { signal: call.signal }).catch((interruption) => {
        call.signal?.throwIfAborted()
        throw interruption
      })
    }
  }
}
