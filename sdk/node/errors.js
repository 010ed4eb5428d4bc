/** Everything that a call can fail with, but for a signal's own reason. */
export class HeliographError extends Error {
  /**
   * @param {string} message
   * @param {ErrorOptions} [options]
   */
  constructor(message, options) {
    super(message, options)
    this.name = new.target.name
  }
}

/** The service answered, and refused. */
export class HeliographApiError extends HeliographError {
  /** @param {{ status: number, code: string, message: string, details: ReadonlyArray<{ field: string, message: string }>, requestId: string | null, retryAfterMs: number | null }} answer */
  constructor({ code, details, message, requestId, retryAfterMs, status }) {
    super(`${status} ${code}: ${message}`)
    this.status = status
    this.code = code
    this.details = details
    this.requestId = requestId
    this.retryAfterMs = retryAfterMs
  }
}

export class HeliographConnectionError extends HeliographError {}

export class HeliographTimeoutError extends HeliographError {}

export class WebhookVerificationError extends HeliographError {}

/**
 * Seconds, or a date: both are allowed in HTTP.
 *
 * @param {string | null} header
 * @returns {number | null}
 */
const retryAfterOf = (header) => {
  if (header === null) return null
  // What is no date of HTTP's may be one to Date.parse: 1.5 is in January 2001.
  const date = /^[A-Z][a-z]+[ ,]/.test(header) ? Date.parse(header) : Number.NaN
  const ms = /^\d+$/.test(header) ? Number(header) * 1000 : date - Date.now()
  return Number.isNaN(ms) ? null : Math.max(0, ms)
}

/**
 * @param {Response} response
 * @returns {Promise<HeliographApiError>}
 */
export const errorOf = async (response) => {
  const text = await response.text()
  const { headers, status } = response
  /** @type {any} */
  let body = null
  try {
    body = JSON.parse(text)
  } catch {
    // A proxy's page.
  }
  const error = body?.error ?? {}
  return new HeliographApiError({
    status,
    code: typeof error.code === "string" ? error.code : "unknown",
    message: typeof error.message === "string" ? error.message : response.statusText,
    details: Array.isArray(error.details) ? error.details : [],
    requestId: error.request_id ?? headers.get("x-request-id"),
    retryAfterMs: retryAfterOf(headers.get("retry-after"))
  })
}
