import { Clock, Effect, Layer } from "effect"
import { isExpired } from "../../services/domain/Push.ts"
import type { Http2Origin, Http2Pool } from "../../services/ports/Http2Client.ts"
import { Http2Client } from "../../services/ports/Http2Client.ts"
import type { OutboundPolicy } from "../../services/ports/OutboundPolicy.ts"
import type { Outcome, Provider, SendBatch } from "../../services/ports/Provider.ts"
import { WebPushProvider } from "../../services/ports/Provider.ts"
import type { PushPools } from "../../services/ports/PushPools.ts"
import { makePushPools, outcomeOfFailure, outcomeOfRefusal, PUSH_POOL } from "../../services/ports/PushPools.ts"
import { Settings } from "../config/Settings.ts"
import { trust } from "../config/Trust.ts"
import { verdictOf } from "./Answer.ts"
import { MOST_PLAINTEXT } from "./Encryption.ts"
import { http1Pool } from "./Http1.ts"
import { headersOf, payloadOf } from "./Payload.ts"
import { PushServices } from "./PushServices.ts"
import type { Sealer } from "./Sealer.ts"
import { makeSealer } from "./Sealer.ts"

const POOL = { ...PUSH_POOL, connections: 4 }
/** Messages encrypted before the first of them is sent: encrypting the rest overlaps with the network. */
const SLICE = 64
const SLICES_AT_ONCE = 4
const SERVICES_AT_ONCE = 8

const REFUSED: Outcome = { _tag: "Fail", reason: "endpoint_refused" }

const slices = (indexes: ReadonlyArray<number>): ReadonlyArray<ReadonlyArray<number>> =>
  Array.from({ length: Math.ceil(indexes.length / SLICE) }, (_, i) => indexes.slice(i * SLICE, (i + 1) * SLICE))

const make = (sealer: Sealer, http2: PushPools, http1: PushPools): Provider => {
  const services = new PushServices()

  const send = Effect.fnUntraced(function* (batch: SendBatch, onOutcome: (index: number, outcome: Outcome) => void) {
    const { message, targets } = batch
    if (batch.credential.config.kind !== "webpush") return yield* Effect.die(new Error("not a credential of Web Push"))
    const keys = batch.credential.config.value
    const owner = `${batch.credential.appId}:${batch.credential.version}`
    const all = (outcome: Outcome) => targets.forEach((_, index) => onOutcome(index, outcome))

    const sentAt = yield* Clock.currentTimeMillis
    if (isExpired(message, sentAt)) return all({ _tag: "Fail", reason: "expired" })
    const template = payloadOf(message)
    if (template.bytes > MOST_PLAINTEXT) return all({ _tag: "Fail", reason: "payload_too_large" })
    const headers = headersOf(message, sentAt)

    const paths: Array<string> = []
    const byOrigin = new Map<string, Array<number>>()
    for (const [index, target] of targets.entries()) {
      if (services.suspended(target.id, target.seenAt, sentAt)) {
        onOutcome(index, { _tag: "Fail", reason: "subscription_refused" })
        continue
      }
      const url = URL.parse(target.address)
      if (url === null || url.protocol !== "https:" || url.username !== "" || url.password !== "") {
        onOutcome(index, REFUSED)
        continue
      }
      paths[index] = url.pathname + url.search
      const group = byOrigin.get(url.origin)
      if (group === undefined) byOrigin.set(url.origin, [index])
      else group.push(index)
    }

    const sendTo = Effect.fnUntraced(function* (origin: string, indexes: ReadonlyArray<number>) {
      const pause = services.pause(owner, origin, sentAt)
      if (pause > 0) {
        const outcome: Outcome = { _tag: "Slow", scope: "recipient", reason: "throttled", afterMs: pause }
        for (const index of indexes) onOutcome(index, outcome)
        return
      }
      let authorization: string
      try {
        authorization = services.authorization(owner, origin, keys, sentAt)
      } catch {
        const outcome: Outcome = { _tag: "Hold", reason: "the VAPID keys of the credential are not a pair of P-256" }
        for (const index of indexes) onOutcome(index, outcome)
        return
      }
      let accepted = 0
      let unreachable = false
      const refused: Array<readonly [index: number, what: string]> = []

      const sendSlice = (
        pool: Http2Pool,
        slice: ReadonlyArray<number>,
        bodies: ReadonlyArray<Uint8Array>,
        notHttp2: (i: number) => void
      ) =>
        Effect.flatMap(Clock.currentTimeMillis, (now) =>
          pool.send({
            count: slice.length,
            common: headers,
            credential: [["authorization", authorization]],
            path: (i) => paths[slice[i]!]!,
            headers: () => [],
            body: (i) => bodies[i]!,
            onAnswer: (i, answer) => {
              const index = slice[i]!
              const verdict = verdictOf(answer, sentAt, now)
              if (verdict._tag === "Refused") {
                services.refused(owner, origin)
                refused.push([index, verdict.what])
              } else if (verdict._tag === "Throttled") {
                onOutcome(index, services.throttled(owner, origin, verdict.afterMs, now))
              } else {
                if (verdict.outcome._tag === "Ok") {
                  accepted++
                  services.accepted(owner, origin, targets[index]!.id, now)
                }
                onOutcome(index, verdict.outcome)
              }
            },
            onFailure: (i, failure) => {
              if (failure.reason === "not_http2") return notHttp2(i)
              if (failure.reason === "connect") unreachable = true
              onOutcome(slice[i]!, outcomeOfFailure(failure))
            }
          })
        )

      const viaHttp1 = (slice: ReadonlyArray<number>, bodies: ReadonlyArray<Uint8Array>) =>
        http1.use(owner, origin, (pool) =>
          sendSlice(pool, slice, bodies, (i) =>
            onOutcome(slice[i]!, { _tag: "Retry", reason: "connection_not_http2", afterMs: null })
          )
        )

      const work = Effect.fnUntraced(function* (part: ReadonlyArray<number>) {
        const sealed = yield* sealer.seal(
          template,
          part.map((index) => targets[index]!),
          message.priority === "high"
        )
        const slice: Array<number> = []
        const bodies: Array<Uint8Array> = []
        for (const [i, body] of sealed.entries()) {
          if (body === null) onOutcome(part[i]!, { _tag: "Drop", reason: "invalid_keys", seenBefore: sentAt })
          else {
            slice.push(part[i]!)
            bodies.push(body)
          }
        }
        const again: Array<number> = []
        yield* Effect.gen(function* () {
          if (services.isHttp1(origin, sentAt)) return yield* viaHttp1(slice, bodies)
          yield* http2.use(owner, origin, (pool) => sendSlice(pool, slice, bodies, (i) => again.push(i)))
          if (again.length === 0) return
          services.speaksHttp1(origin, sentAt)
          yield* viaHttp1(
            again.map((i) => slice[i]!),
            again.map((i) => bodies[i]!)
          )
        }).pipe(
          Effect.catchTag("OutboundRefused", (refused) =>
            Effect.sync(() => {
              const outcome = outcomeOfRefusal(refused, REFUSED)
              for (const index of again.length > 0 ? again.map((i) => slice[i]!) : slice) onOutcome(index, outcome)
            })
          )
        )
      })

      yield* Effect.forEach(slices(indexes), work, { concurrency: SLICES_AT_ONCE, discard: true })
      if (unreachable) {
        yield* http2.forget(owner, origin)
        yield* http1.forget(owner, origin)
      }
      for (const [index, what] of refused) {
        onOutcome(index, services.judge(owner, origin, accepted, what, targets[index]!.id, sentAt))
      }
    })

    yield* Effect.forEach(byOrigin, ([origin, indexes]) => sendTo(origin, indexes), {
      concurrency: SERVICES_AT_ONCE,
      discard: true
    })
  })

  return { send, window: 2000 }
}

/** Web Push: VAPID and aes128gcm, to whatever public push service a subscription names. */
export const layer: Layer.Layer<WebPushProvider, never, Http2Client | OutboundPolicy | Settings> = Layer.effect(
  WebPushProvider,
  Effect.gen(function* () {
    const client = yield* Http2Client
    const trusted = yield* trust
    const sealer = yield* makeSealer((yield* Settings).webpushThreads)
    const none = new Set<string>()
    const http2 = yield* makePushPools({
      open: (origin: Http2Origin) => client.pool({ ...POOL, origin }),
      trusted: none,
      capacity: 2000
    })
    const http1 = yield* makePushPools({ open: (origin) => http1Pool(origin, trusted), trusted: none, capacity: 200 })
    return make(sealer, http2, http1)
  })
)
