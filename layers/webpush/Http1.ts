import type { Scope } from "effect"
import { Effect } from "effect"
import { isIP, type LookupFunction } from "node:net"
import { createSecureContext, type SecureContextOptions, TLSSocket } from "node:tls"
import { buildConnector, Pool } from "undici"
import { Deadline } from "../../services/ports/outbound/Deadline.ts"
import type {
  Http2Answer,
  Http2Batch,
  Http2Failure,
  Http2Origin,
  Http2Pool
} from "../../services/ports/outbound/Http2Client.ts"
import { bodyOf } from "../../services/ports/outbound/Http2Client.ts"
import { guardAnswers } from "../../services/ports/outbound/AnswerBytes.ts"
import { isEnough } from "./WebPushAnswer.ts"
import { Http1Exchange } from "./Http1Exchange.ts"

const CONNECTIONS = 16
const CONNECT_MS = 10_000
const REQUEST_MS = 30_000
const MAX_BODY = 4096

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
  const secureContext = createSecureContext(trust)
  // Of this pool only. Undici's own memory of sessions ends with the next collection of memory.
  let session: Buffer | undefined
  return (options, done) =>
    buildConnector({
      secureContext,
      timeout: CONNECT_MS,
      maxCachedSessions: 0,
      ...(lookup !== undefined && { lookup }),
      ...(session !== undefined && { session })
    })(options, (...result) => {
      const [error, socket] = result
      // After an error there is no socket, not even null.
      if (error !== null) {
        session = undefined
        return done(...result)
      }
      guardAnswers(socket)
      if (socket instanceof TLSSocket) socket.on("session", (it) => (session = it))
      else session = undefined
      if (allows !== undefined && !allows(socket.remoteAddress ?? "")) {
        socket.destroy()
        return done(new Error("the address may not be called"), null)
      }
      return done(...result)
    })
}

/** The requests that are being written or answered, oldest first: all have the same time, and one timer. */
class Open {
  private readonly exchanges = new Map<Http1Exchange, number>()
  private readonly requestMs: number
  private timer: Deadline | undefined = undefined

  constructor(requestMs: number) {
    this.requestMs = requestMs
  }

  add(exchange: Http1Exchange): void {
    this.exchanges.set(exchange, performance.now() + this.requestMs)
    this.arm()
  }

  remove(exchange: Http1Exchange): void {
    this.exchanges.delete(exchange)
  }

  private arm(): void {
    const [first] = this.exchanges.values()
    if (this.timer !== undefined || first === undefined) return
    const expire = () => {
      this.timer = undefined
      const now = performance.now()
      for (const [exchange, deadline] of this.exchanges) {
        if (deadline > now) break
        this.exchanges.delete(exchange)
        exchange.expire()
      }
      this.arm()
    }
    this.timer = new Deadline(Math.max(1, Math.ceil(first - performance.now())), expire, false)
  }
}

/**
 * The few push services that do not speak HTTP/2, behind the same face. Redirects are not followed.
 * `requestMs`: one deadline for each request, from its writing to the end of its answer.
 */
export const http1Pool = (
  origin: Http2Origin,
  trust: Pick<SecureContextOptions, "ca">,
  requestMs = REQUEST_MS
): Effect.Effect<Http2Pool, never, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.sync(
      () =>
        new Pool(`https://${origin.host}:${origin.port}`, {
          allowH2: false,
          connections: CONNECTIONS,
          connect: connectorTo(origin, trust),
          // The deadline of the request covers these.
          headersTimeout: 0,
          bodyTimeout: 0
        })
    ),
    (pool) => Effect.promise(() => pool.destroy())
  ).pipe(
    Effect.map((pool) => {
      const open = new Open(requestMs)
      return { send: (batch) => sendAll(pool, open, batch), renew: Effect.void }
    })
  )

const WITHHELD: Http2Failure = { reason: "withheld", message: "the sender begins no more", unprocessed: true }

const sendAll = (pool: Pool, open: Open, batch: Http2Batch): Effect.Effect<void> =>
  Effect.callback<void>((resume) => {
    if (batch.count === 0) return resume(Effect.void)
    const underWay = new Set<Http1Exchange>()
    const state = { next: 0, left: batch.count, isLive: true, isFilling: false }
    const stop = () => {
      state.isLive = false
      for (const exchange of underWay) {
        open.remove(exchange)
        exchange.abandon()
      }
    }
    const settle = (index: number, result: Http2Answer | Http2Failure) => {
      if ("status" in result) batch.onAnswer(index, result)
      else batch.onFailure(index, result)
      if (--state.left > 0) return
      state.isLive = false
      resume(Effect.void)
    }
    const begin = (index: number) => {
      const exchange = new Http1Exchange({
        maxBody: MAX_BODY,
        isEnough,
        onStart: (exchange) => open.add(exchange),
        onEnd: (exchange, result) => {
          open.remove(exchange)
          underWay.delete(exchange)
          attempt(() => settle(index, result))
          fill()
        }
      })
      underWay.add(exchange)
      const request = {
        method: "POST",
        path: (batch.base ?? "") + batch.path(index),
        headers: [...batch.common, ...batch.credential, ...batch.headers(index)].flat(),
        body: bodyOf(batch.around, batch.body(index))
      } as const
      pool.dispatch(request, exchange)
    }
    /** What a function of the batch throws is the caller's defect, and ends the batch. */
    const attempt = (act: () => void) => {
      if (!state.isLive) return
      try {
        act()
      } catch (defect) {
        stop()
        resume(Effect.die(defect))
      }
    }
    /** No more than the connections carry: what waits in a pool of undici's cannot be taken back. */
    const fill = () => {
      // An end at once, within `begin`, must not fill from within: the stack would grow with every one of them.
      if (state.isFilling) return
      state.isFilling = true
      while (state.isLive && underWay.size < CONNECTIONS && state.next < batch.count) {
        const index = state.next++
        attempt(() => (batch.mayBegin?.() === false ? settle(index, WITHHELD) : begin(index)))
      }
      state.isFilling = false
    }
    fill()
    return Effect.sync(stop)
  })
