/** The codes of spec 7, and CANCELLED; the service has more, which are passed through as they come. */
export type HeliographCode =
  | "NOT_SUPPORTED"
  | "PERMISSION_DENIED"
  | "VAPID_MISSING"
  | "INVALID_CONFIG"
  | "CANCELLED"
  | "unauthorized"
  | "identity_unverified"
  | "validation_error"
  | "rate_limited"
  | "unavailable"
  | (string & {})

export interface ErrorDetails {
  /** Of the HTTP answer; absent when there was none. */
  readonly status?: number | undefined
  /** What the operator finds in the logs. */
  readonly requestId?: string | undefined
  /** Seconds. */
  readonly retryAfter?: number | undefined
  /** The fields of a validation_error. */
  readonly fields?: ReadonlyArray<{ readonly field: string; readonly message: string }>
  readonly cause?: unknown
}

export class HeliographError extends Error {
  declare readonly name: "HeliographError"
  declare readonly code: HeliographCode
  declare readonly status: number | undefined
  declare readonly requestId: string | undefined
  declare readonly retryAfter: number | undefined
  declare readonly fields: ReadonlyArray<{ readonly field: string; readonly message: string }>

  constructor(
    code: HeliographCode,
    message: string,
    { cause, fields = [], requestId, retryAfter, status }: ErrorDetails = {}
  ) {
    super(message, { cause })
    Object.assign(this, { name: "HeliographError", code, fields, requestId, retryAfter, status })
  }
}

export const asError = (error: unknown): HeliographError =>
  error instanceof HeliographError ? error : new HeliographError("unavailable", String(error), { cause: error })
