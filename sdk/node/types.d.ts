import type { Api, ErrorCode } from "./generated/api.js"

export type * from "./generated/api.js"

export interface HeliographOptions {
  /** A secret key (`sk_…`), or a public one for the few operations that take it. A TypeError says that it is missing. */
  readonly apiKey: string | undefined
  /** Where the service is, such as `https://push.example.com`. */
  readonly baseUrl: string
  /** Milliseconds that one attempt may take: 30,000 unless given. */
  readonly timeoutMs?: number
  /** Milliseconds that a call may take with all its attempts and the waiting between them: 90,000 unless given. */
  readonly deadlineMs?: number
  /** Attempts after the first: 4 unless given. */
  readonly maxRetries?: number
  /** Used in place of the global `fetch`. */
  readonly fetch?: typeof fetch
}

export interface RequestOptions {
  readonly signal?: AbortSignal
  readonly timeoutMs?: number
  readonly deadlineMs?: number
  readonly maxRetries?: number
  /** One is made for every call that takes it. Give your own to make calls of different processes one. */
  readonly idempotencyKey?: string
  /** Such as `X-Identity-Hash`. */
  readonly headers?: Readonly<Record<string, string>>
}

export interface Page<T> {
  readonly data: ReadonlyArray<T>
  /** Null on the last page. */
  readonly next_cursor: string | null
}

/** A list: await it for one page, iterate over it for every item, or over `pages()`. */
export interface Pages<T> extends PromiseLike<Page<T>>, AsyncIterable<T> {
  pages(): AsyncIterable<Page<T>>
}

/** Things to be sent as lines: each an object, or a line of JSON. */
export type Lines<T> = Iterable<T | string> | AsyncIterable<T | string>

/** What the running code knows of an operation. */
export interface OperationEntry {
  readonly method: string
  readonly path: string
  readonly ids: number
  readonly body: "json" | "lines" | null
  readonly query: boolean
  readonly takesKey: boolean
  readonly answer: "json" | "page" | "lines"
}

/** The service, by resource and operation. */
export type Heliograph = Api

export declare function createClient(options: HeliographOptions): Heliograph

/** Everything that a call can fail with, but for a signal's own reason. */
export declare class HeliographError extends Error {}

export interface ErrorDetail {
  readonly field: string
  readonly message: string
}

/** The service answered, and refused. */
export declare class HeliographApiError extends HeliographError {
  readonly status: number
  /** `unknown` for an answer that is not the service's own, such as a proxy's. */
  readonly code: ErrorCode | "unknown"
  readonly details: ReadonlyArray<ErrorDetail>
  readonly requestId: string | null
  /** Milliseconds that the service asks to wait; null where it does not. */
  readonly retryAfterMs: number | null
}

/** There was no whole answer: no connection, or one that broke. */
export declare class HeliographConnectionError extends HeliographError {}

/** An attempt took longer than `timeoutMs`, or what was left of the deadline. */
export declare class HeliographTimeoutError extends HeliographError {}

/** A webhook that is not genuine, or too old. */
export declare class WebhookVerificationError extends HeliographError {}

export type EventName =
  | "NOTIFICATION_SENT"
  | "NOTIFICATION_FAILED"
  | "NOTIFICATION_DELIVERED"
  | "NOTIFICATION_OPENED"
  | "NOTIFICATION_CLICKED"
  | "WORKFLOW_COMPLETED"
  | "WORKFLOW_FILTERED"
  | "WORKFLOW_FAILED"
  | "WORKFLOW_CANCELLED"

/** The body of a webhook delivery. */
export interface WebhookEvent {
  /** The same on every attempt: skip what you have seen. */
  readonly id: string
  readonly event: EventName
  readonly appId: string
  readonly timestamp: string
  readonly payload: Readonly<Record<string, string | number | null>>
}

export interface VerifyOptions {
  /** Seconds that the signature's time may differ from the clock, either way: 300 unless given. */
  readonly toleranceSeconds?: number
  /** Unix seconds, in place of the clock's. */
  readonly now?: number
}

/** The `X-Service-Signature` header as frameworks give it. */
export type SignatureHeader = string | ReadonlyArray<string> | null | undefined

/**
 * A secret, or any of several. As it comes from the environment: a TypeError says that it is missing; of several, those
 * that are missing or empty do not count.
 */
export type WebhookSecret = string | ReadonlyArray<string | undefined> | undefined

/** Whether a delivery is genuine: over the raw bytes, in constant time, with one secret or any of several. */
export declare function verifyWebhook(
  rawBody: string | Uint8Array,
  header: SignatureHeader,
  secret: WebhookSecret,
  options?: VerifyOptions
): boolean

/** The same, and the event; throws a WebhookVerificationError. */
export declare function parseWebhook(
  rawBody: string | Uint8Array,
  header: SignatureHeader,
  secret: WebhookSecret,
  options?: VerifyOptions
): WebhookEvent
