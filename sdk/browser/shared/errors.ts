/** The codes of spec 7; the service has more, which are passed through as they come. */
export type HeliographCode =
  | "NOT_SUPPORTED"
  | "PERMISSION_DENIED"
  | "VAPID_MISSING"
  | "INVALID_CONFIG"
  | "unauthorized"
  | "identity_unverified"
  | "validation_error"
  | "rate_limited"
  | "unavailable"
  | (string & {})

export interface ErrorDetails {
  /** Of the HTTP answer; absent when there was none. */
  readonly status?: number
  /** What the operator finds in the logs. */
  readonly requestId?: string
  /** Seconds. */
  readonly retryAfter?: number
  /** The fields of a validation_error. */
  readonly fields?: ReadonlyArray<{ readonly field: string; readonly message: string }>
  readonly cause?: unknown
}

export class HeliographError extends Error {
  override readonly name = "HeliographError"
  readonly code: HeliographCode
  readonly status: number | undefined
  readonly requestId: string | undefined
  readonly retryAfter: number | undefined
  readonly fields: ReadonlyArray<{ readonly field: string; readonly message: string }>

  constructor(code: HeliographCode, message: string, details: ErrorDetails = {}) {
    super(message, { cause: details.cause })
    this.code = code
    this.status = details.status
    this.requestId = details.requestId
    this.retryAfter = details.retryAfter
    this.fields = details.fields ?? []
  }
}
