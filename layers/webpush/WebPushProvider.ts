import { Clock, Effect, Layer } from "effect"
import { isExpired } from "../../services/domain/sending/Push.ts"
import type { Http2Origin, Http2Pool } from "../../services/ports/outbound/Http2Client.ts"
import { Http2Client } from "../../services/ports/outbound/Http2Client.ts"
import type { PoolsOfProvider } from "../../services/ports/outbound/PushPools.ts"
import { PUSH_POOL, PushPools } from "../../services/ports/outbound/PushPools.ts"
import type { Outcome, Provider, SendBatch, Settled } from "../../services/ports/sending/Provider.ts"
import { outcomeOfFailure, outcomeOfRefusal, WebPushProvider } from "../../services/ports/sending/Provider.ts"
import { Settings } from "../config/Settings.ts"
import { trust } from "../config/Trust.ts"
import { isEnough, verdictOf } from "./WebPushAnswer.ts"
import { MOST_PLAINTEXT } from "./Encryption.ts"
import { http1Pool } from "./Http1.ts"
import { headersOf, payloadOf, ttlOf } from "./WebPushPayload.ts"
import { PushServices } from "./PushServices.ts"
import type { VapidKeys } from "./Vapid.ts"
import type { Sealer } from "./Sealer.ts"
import { makeSealer } from "./Sealer.ts"

/** A service is chosen by whoever registers a subscription: little of what it says is of use, and no more is kept. */
const POOL = { ...PUSH_POOL, connections: 4, maxBody: 4096, isEnough }
/** Messages encrypted before the first of them is sent: encrypting the rest overlaps with the network. */
const SLICE = 64
const SLICES_AT_ONCE = 4
const SERVICES_AT_ONCE = 8

/** What an operator is told: no word of a service that a stranger may have chosen. */
const reasonOf = (status: number): string => `Web Push ${status}${status === 400 ? " UnauthorizedRegistration" : ""}`

const serviceOf: Provider["serviceOf"] = ({ address }) => URL.parse(address)?.origin ?? ""

const REFUSED: Settled = { _tag: "Fail", reason: "endpoint_refused" }

const slices = (indexes: ReadonlyArray<number>): ReadonlyArray<ReadonlyArray<number>> =>
  Array.from({ length: Math.ceil(indexes.length / SLICE) }, (_, i) => indexes.slice(i * SLICE, (i + 1) * SLICE))

/** What all batches share. */
interface Means {
  readonly sealer: Sealer
  readonly http2: PoolsOfProvider
  readonly http1: PoolsOfProvider
  readonly services: PushServices
}

/** A batch on its way. */
interface Run extends Means {
  readonly batch: SendBatch
  readonly onOutcome: (index: number, outcome: Outcome) => void
  /** Whose pools, keys and standing at services it uses: the credential's, in its version. */
  readonly owner: string
  readonly sentAt: number
  readonly template: ReturnType<typeof payloadOf>
  readonly headers: ReturnType<typeof headersOf>
  readonly ttl: ReturnType<typeof ttlOf>
  /** Of each target's address. */
  readonly paths: ReadonlyArray<string>
}

/** The part of a batch that goes to one service. */
interface ServiceRun {
  readonly run: Run
  readonly origin: string
  readonly authorization: string
  accepted: number
  isUnreachable: boolean
  /** Asked of all, however many it refuses: those who registered first may be strangers. */
  readonly refused: Array<{ readonly index: number; readonly reason: string }>
}

const send = Effect.fnUntraced(function* (
  means: Means,
  batch: SendBatch,
  onOutcome: (index: number, outcome: Outcome) => void
) {
  const { credential, message, targets } = batch
  if (credential.config.kind !== "webpush") return yield* Effect.die(new Error("not a credential of Web Push"))
  const keys = credential.config.value
  const all = (outcome: Outcome) => targets.forEach((_, index) => onOutcome(index, outcome))

  const sentAt = yield* Clock.currentTimeMillis
  if (isExpired(message, sentAt)) return all({ _tag: "Fail", reason: "expired" })
  const template = payloadOf(message)
  if (template.bytes > MOST_PLAINTEXT) return all({ _tag: "Fail", reason: "payload_too_large" })
  const headers = headersOf(message)
  const ttl = ttlOf(message)
  const owner = `${credential.appId}:${credential.version}`
  const paths: Array<string> = []
  const run: Run = { ...means, batch, onOutcome, owner, sentAt, template, headers, ttl, paths }
  yield* Effect.forEach(byService(run, paths), ([origin, indexes]) => sendToService(run, keys, origin, indexes), {
    concurrency: SERVICES_AT_ONCE,
    discard: true
  })
})

/** Which targets have their subscription at which service; notes their paths. What may not be asked gets its outcome. */
const byService = (
  { batch, onOutcome, owner, sentAt, services }: Run,
  paths: Array<string>
): ReadonlyMap<string, ReadonlyArray<number>> => {
  const byOrigin = new Map<string, Array<number>>()
  for (const [index, target] of batch.targets.entries()) {
    if (services.suspended(owner, target.id, target.seenAt, sentAt)) {
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
  return byOrigin
}

const sendToService = Effect.fnUntraced(function* (
  run: Run,
  keys: VapidKeys,
  origin: string,
  indexes: ReadonlyArray<number>
) {
  const { http1, http2, onOutcome, owner, sentAt, services } = run
  const permit = services.permit(owner, origin, sentAt)
  if (permit._tag === "Paused") return putOff(run, indexes, permit.afterMs)
  const authorization = yield* services.authorization(owner, origin, keys, sentAt)
  if (authorization === null) {
    const outcome: Outcome = { _tag: "Suspend", reason: "the VAPID keys of the credential are not a pair of P-256" }
    for (const index of indexes) onOutcome(index, outcome)
    return
  }
  const service: ServiceRun = { run, origin, authorization, accepted: 0, isUnreachable: false, refused: [] }
  const left = permit._tag === "Probe" ? yield* probeOne(service, indexes) : indexes
  yield* Effect.forEach(slices(left), (slice) => sendSlice(service, slice), {
    concurrency: SLICES_AT_ONCE,
    discard: true
  })
  if (service.isUnreachable) {
    yield* http2.forget(owner, origin)
    yield* http1.forget(owner, origin)
  }
  if (service.refused.length > 0) yield* judgeRefused(service)
})

const putOff = ({ onOutcome }: Run, indexes: ReadonlyArray<number>, afterMs: number): void => {
  const outcome: Outcome = { _tag: "Slow", scope: "recipient", reason: "throttled", afterMs }
  for (const index of indexes) onOutcome(index, outcome)
}

/** Sends one message to a service that throttled. Answers who is left: nobody, when it does so again. */
const probeOne = Effect.fnUntraced(function* (service: ServiceRun, indexes: ReadonlyArray<number>) {
  const { origin, run } = service
  // Anybody: the first of them may be a stranger's again and again.
  const one = indexes[Math.floor(Math.random() * indexes.length)]!
  const left = indexes.filter((index) => index !== one)
  yield* sendSlice(service, [one])
  const after = run.services.permit(run.owner, origin, run.sentAt)
  if (after._tag !== "Paused") return left
  putOff(run, left, after.afterMs)
  return []
})

/** Encrypts some messages and posts them. */
const sendSlice = Effect.fnUntraced(function* (service: ServiceRun, part: ReadonlyArray<number>) {
  const { batch, onOutcome, sealer, sentAt, template } = service.run
  const { message, targets } = batch
  // What will not be sent now need not be encrypted now.
  if (batch.mayBegin?.() === false) return part.forEach((index) => onOutcome(index, { _tag: "Withheld" }))
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
  yield* postSlice(service, slice, bodies)
})

/** Over HTTP/2; over HTTP/1.1 where a service speaks nothing else. */
const postSlice = Effect.fnUntraced(function* (
  service: ServiceRun,
  slice: ReadonlyArray<number>,
  bodies: ReadonlyArray<Uint8Array>
) {
  const again: Array<number> = []
  yield* Effect.catchTag(postWhole(service, slice, bodies, again), "OutboundRefused", (refused) =>
    Effect.sync(() => {
      const outcome = outcomeOfRefusal(refused, REFUSED)
      for (const index of again.length > 0 ? again.map((i) => slice[i]!) : slice) service.run.onOutcome(index, outcome)
    })
  )
})

/** Notes in `again` what goes over HTTP/1.1 after a service refused HTTP/2. */
const postWhole = Effect.fnUntraced(function* (
  service: ServiceRun,
  slice: ReadonlyArray<number>,
  bodies: ReadonlyArray<Uint8Array>,
  again: Array<number>
) {
  const { origin, run } = service
  const { http2, owner, sentAt, services } = run
  if (services.isHttp1(origin, sentAt)) return yield* postViaHttp1(service, slice, bodies)
  yield* http2.use(owner, origin, (pool) => post(service, pool, slice, bodies, (i) => again.push(i)))
  if (again.length === 0) return
  services.speaksHttp1(origin, sentAt)
  yield* postViaHttp1(
    service,
    again.map((i) => slice[i]!),
    again.map((i) => bodies[i]!)
  )
})

const postViaHttp1 = (service: ServiceRun, slice: ReadonlyArray<number>, bodies: ReadonlyArray<Uint8Array>) => {
  const { http1, onOutcome, owner } = service.run
  return http1.use(owner, service.origin, (pool) =>
    post(service, pool, slice, bodies, (i) =>
      onOutcome(slice[i]!, { _tag: "Retry", reason: "connection_not_http2", afterMs: null })
    )
  )
}

/** `notHttp2`: told of those whose service turned out to speak no HTTP/2. */
const post = (
  service: ServiceRun,
  pool: Http2Pool,
  slice: ReadonlyArray<number>,
  bodies: ReadonlyArray<Uint8Array>,
  notHttp2: (i: number) => void
) =>
  Effect.flatMap(Clock.Clock, (clock) => {
    const now = clock.currentTimeMillisUnsafe()
    const { authorization, origin, refused, run } = service
    const { batch, headers, onOutcome, owner, paths, sentAt, services, ttl } = run
    return pool.send({
      count: slice.length,
      mayBegin: () => batch.mayBegin?.() !== false,
      common: headers,
      credential: [["authorization", authorization]],
      path: (i) => paths[slice[i]!]!,
      headers: () => ttl(clock.currentTimeMillisUnsafe()),
      body: (i) => {
        batch.onBegun?.(slice[i]!)
        return bodies[i]!
      },
      onAnswer: (i, answer) => {
        const index = slice[i]!
        const verdict = verdictOf(answer, sentAt, now)
        if (verdict._tag === "Refused") {
          services.refused(owner, origin)
          refused.push({ index, reason: reasonOf(answer.status) })
        } else if (verdict._tag === "Throttled") {
          onOutcome(index, services.throttled(owner, origin, verdict.afterMs, now))
        } else {
          if (verdict.outcome._tag === "Ok") {
            service.accepted++
            services.accepted(owner, origin, batch.targets[index]!.id)
          }
          onOutcome(index, verdict.outcome)
        }
      },
      onFailure: (i, failure) => {
        if (failure.reason === "not_http2") return notHttp2(i)
        if (failure.reason === "connect") service.isUnreachable = true
        onOutcome(slice[i]!, outcomeOfFailure(failure))
      }
    })
  })

/** Whether the credential or a subscription is to blame is known when all have been asked. */
const judgeRefused = Effect.fnUntraced(function* ({ accepted, origin, refused, run }: ServiceRun) {
  const { batch, onOutcome, owner, sentAt, services } = run
  if (services.isWorthSaying(owner, origin, accepted, sentAt)) {
    yield* Effect.logWarning(
      "A push service refuses all subscriptions that it was asked for: are they made for this VAPID key?"
    ).pipe(Effect.annotateLogs({ app_id: batch.credential.appId, service: origin, refused: refused.length }))
  }
  for (const { index, reason } of refused) {
    const otherwise = () => services.judge(owner, origin, accepted, batch.targets[index]!.id, sentAt)
    onOutcome(index, { _tag: "Refused", reason, otherwise })
  }
})

/** Web Push: VAPID and aes128gcm, to whatever public push service a subscription names. */
export const layer: Layer.Layer<WebPushProvider, never, Http2Client | PushPools | Settings> = Layer.effect(
  WebPushProvider,
  Effect.gen(function* () {
    const client = yield* Http2Client
    const trusted = yield* trust
    const sealer = yield* makeSealer((yield* Settings).webpushThreads)
    const none = new Set<string>()
    const { make: makePools } = yield* PushPools
    const http2 = yield* makePools({
      open: (origin: Http2Origin) => client.pool({ ...POOL, origin }),
      trusted: none,
      capacity: 2000
    })
    const http1 = yield* makePools({ open: (origin) => http1Pool(origin, trusted), trusted: none, capacity: 200 })
    const means: Means = { sealer, http2, http1, services: new PushServices() }
    return { send: (batch, onOutcome) => send(means, batch, onOutcome), serviceOf, window: 2000 }
  })
)
