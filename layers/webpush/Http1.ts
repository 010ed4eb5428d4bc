import type { Scope } from "effect"
import { Effect } from "effect"
import { isIP, type LookupFunction } from "node:net"
import type { SecureContextOptions } from "node:tls"
import { buildConnector, errors, Pool } from "undici"
import type { Http2Answer, Http2Batch, Http2Failure, Http2Origin, Http2Pool } from "../../services/ports/Http2Client.ts"
import { bodyOf } from "../../services/ports/Http2Client.ts"

const CONNECTIONS = 16
const CONNECT_MS = 10_000
const REQUEST_MS = 30_000
const MAX_BODY = 16_384

const failureOf = (error: unknown): Http2Failure => {
  const { code, message } = error as NodeJS.ErrnoException
  const reason =
    error instanceof errors.ConnectTimeoutError || code === "ECONNREFUSED" || code === "ENOTFOUND"
      ? "connect"
      : error instanceof errors.HeadersTimeoutError || error instanceof errors.BodyTimeoutError
        ? "timeout"
        : error instanceof errors.ResponseExceededMaxSizeError
          ? "too_large"
          : "closed"
  return { reason, message, unprocessed: reason === "connect" }
}

const connectorTo = (origin: Http2Origin, trust: Pick<SecureContextOptions, "ca">): buildConnector.connector => {
  const { address, allows } = origin
  // A literal never reaches a lookup, but then it is itself what was checked.
  const lookup: LookupFunction | undefined =
    address === undefined
      ? undefined
      : (_host, options, found) => {
          const family = isIP(address)
          if (options.all) found(null, [{ address, family }])
          else found(null, address, family)
        }
  const connect = buildConnector({ ...trust, timeout: CONNECT_MS, ...(lookup !== undefined && { lookup }) })
  return (options, done) =>
    connect(options, (...result) => {
      const socket = result[1]
      if (socket !== null && allows !== undefined && !allows(socket.remoteAddress ?? "")) {
        socket.destroy()
        return done(new Error("the address may not be called"), null)
      }
      return done(...result)
    })
}

/** The few push services that do not speak HTTP/2, behind the same face. Redirects are not followed. */
export const http1Pool = (
  origin: Http2Origin,
  trust: Pick<SecureContextOptions, "ca">
): Effect.Effect<Http2Pool, never, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.sync(
      () =>
        new Pool(`https://${origin.host}:${origin.port}`, {
          allowH2: false,
          connections: CONNECTIONS,
          connect: connectorTo(origin, trust),
          headersTimeout: REQUEST_MS,
          bodyTimeout: REQUEST_MS,
          maxResponseSize: MAX_BODY
        })
    ),
    (pool) => Effect.promise(() => pool.destroy())
  ).pipe(Effect.map((pool) => ({ send: (batch) => sendAll(pool, batch), renew: Effect.void })))

const sendAll = (pool: Pool, batch: Http2Batch): Effect.Effect<void> =>
  Effect.callback<void>((resume, signal) => {
    let left = batch.count
    if (left === 0) return resume(Effect.void)
    const end = (defect: unknown) => {
      if (signal.aborted) return
      if (defect !== undefined) resume(Effect.die(defect))
      else if (--left === 0) resume(Effect.void)
    }
    for (let index = 0; index < batch.count; index++) {
      request(pool, batch, index, signal)
        .then(
          (answer) => {
            if (!signal.aborted) batch.onAnswer(index, answer)
          },
          (error: unknown) => {
            if (!signal.aborted) batch.onFailure(index, failureOf(error))
          }
        )
        .then(() => end(undefined), end)
    }
  })

const request = async (pool: Pool, batch: Http2Batch, index: number, signal: AbortSignal): Promise<Http2Answer> => {
  const { statusCode, headers, body } = await pool.request({
    method: "POST",
    path: (batch.base ?? "") + batch.path(index),
    headers: [...batch.common, ...batch.credential, ...batch.headers(index)].flat(),
    body: bodyOf(batch.around, batch.body(index)),
    signal
  })
  const text = await body.text()
  return {
    status: statusCode,
    header: (name) => {
      const value = headers[name]
      return Array.isArray(value) ? value[0] : value
    },
    body: text
  }
}
