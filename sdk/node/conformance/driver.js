/* The conformance suite's command (sdk/conformance): a request a line in, an answer a line out. */

import { createInterface } from "node:readline"
import {
  createClient,
  HeliographApiError,
  HeliographConnectionError,
  HeliographTimeoutError,
  parseWebhook,
  verifyWebhook,
  WebhookVerificationError
} from "../heliograph.js"

/** @param {any} error */
const failureOf = (error) => {
  const message = String(error?.message ?? error)
  if (error instanceof HeliographApiError) {
    const { code, details, requestId, retryAfterMs, status } = error
    return { kind: "api", message, status, code, details, request_id: requestId, retry_after_ms: retryAfterMs }
  }
  if (error instanceof HeliographTimeoutError) return { kind: "timeout", message }
  if (error instanceof HeliographConnectionError) return { kind: "connection", message }
  if (error instanceof WebhookVerificationError) return { kind: "webhook", message }
  if (error?.name === "AbortError" || error?.name === "TimeoutError") return { kind: "cancelled", message }
  return { kind: error instanceof TypeError ? "usage" : "other", message }
}

/** @type {Readonly<Record<string, unknown>>} */
const ODD = { nan: Number.NaN, infinity: Number.POSITIVE_INFINITY, text: "\ud800", other: 1n }

/** @param {string} _ @param {any} value */
const revive = (_, value) => {
  if (typeof value?.$odd === "string") return ODD[value.$odd]
  return typeof value?.$time === "string" ? new Date(value.$time) : value
}

/** Lines so long that those of a large import do not fit into the memory that a small one needs. */
const TAIL = "x".repeat(300)

/** @param {number} count */
function* made(count) {
  for (let i = 0; i < count; i++) yield { token: `made-${i}-${TAIL}`, platform: "android" }
}

/** @param {any} request @param {any} answer */
const run = async (request, answer) => {
  const { call, client: settings, options = {}, query } = request
  const bytes = Buffer.from(request.body_base64 ?? "", "base64")
  const how = { now: request.now, toleranceSeconds: request.tolerance_seconds }
  if (call === "verify") return verifyWebhook(bytes, request.header, request.secrets, how)
  if (call === "parse") return parseWebhook(bytes, request.header, request.secrets, how)
  const client = createClient({
    apiKey: settings.api_key,
    baseUrl: settings.base_url,
    ...(settings.timeout_ms === undefined ? {} : { timeoutMs: settings.timeout_ms }),
    ...(settings.deadline_ms === undefined ? {} : { deadlineMs: settings.deadline_ms }),
    ...(settings.max_retries === undefined ? {} : { maxRetries: settings.max_retries })
  })
  const [resource, name] = call.split(".")
  const lines = request.lines ?? (request.generate === undefined ? undefined : made(request.generate))
  const body = request.body ?? lines
  /** @type {any} */
  const resources = client
  const result = resources[resource][name](
    ...(request.ids ?? []),
    ...(body === undefined ? [] : [body]),
    ...(query === undefined ? [] : [query]),
    {
      idempotencyKey: options.idempotency_key,
      headers: options.headers,
      timeoutMs: options.timeout_ms,
      deadlineMs: options.deadline_ms,
      maxRetries: options.max_retries,
      signal: request.cancel_after_ms === undefined ? undefined : AbortSignal.timeout(request.cancel_after_ms)
    }
  )
  if (request.as === "count") {
    answer.count = 0
    answer.errors = 0
    for await (const item of result) {
      answer.count++
      if (item.error !== undefined) answer.errors++
    }
    return undefined
  }
  if (request.as === "items" || request.as === "pages") {
    answer.items = []
    for await (const item of request.as === "pages" ? result.pages() : result) {
      answer.items.push(item)
      if (answer.items.length === request.take) break
    }
    return undefined
  }
  return result
}

for await (const line of createInterface({ input: process.stdin })) {
  /** @type {any} */
  const answer = {}
  try {
    answer.value = await run(JSON.parse(line, revive), answer)
  } catch (error) {
    answer.error = failureOf(error)
  }
  process.stdout.write(`${JSON.stringify(answer)}\n`)
}
