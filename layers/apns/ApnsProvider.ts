import { Clock, Effect, Layer } from "effect"
import type { ApnsCredential } from "../../services/domain/sending/Credential.ts"
import type { Environment } from "../../services/domain/audience/Device.ts"
import { deliveryIdsOf } from "../../services/domain/sending/DeliveryIds.ts"
import { isExpired } from "../../services/domain/sending/Push.ts"
import type { Http2Origin, Http2Pool } from "../../services/ports/outbound/Http2Client.ts"
import { Http2Client } from "../../services/ports/outbound/Http2Client.ts"
import type { PoolsOfProvider } from "../../services/ports/outbound/PushPools.ts"
import { PUSH_POOL, PushPools } from "../../services/ports/outbound/PushPools.ts"
import type { Outcome, Provider, SendBatch, Settled } from "../../services/ports/sending/Provider.ts"
import { ApnsProvider, outcomeOfFailure, outcomeOfRefusal } from "../../services/ports/sending/Provider.ts"
import { verdictOf, WRONG_ENVIRONMENT } from "./ApnsAnswer.ts"
import { MAX_PAYLOAD, payloadOf } from "./ApnsPayload.ts"
import { makeProviderTokens, UnusableKey } from "./ProviderToken.ts"

const HOSTS = { production: "https://api.push.apple.com", sandbox: "https://api.sandbox.push.apple.com" } as const

// APNs lets one stream through until it has authenticated the connection.
const POOL = { ...PUSH_POOL, firstStreams: 1, isEnough: (status: number): boolean => status === 200 }
/** Connections are replaced for a 5xx at most this often: in an outage every answer asks for it. */
const RENEW_EVERY_MS = 5_000

const other = (environment: Environment): Environment => (environment === "production" ? "sandbox" : "production")

/** A proxy may serve the API under a path of its own. */
const endpointOf = (credential: ApnsCredential, environment: Environment) => {
  const { endpoint, sandbox_endpoint } = credential
  const { origin, pathname } = new URL(
    (environment === "sandbox" ? (sandbox_endpoint ?? endpoint) : endpoint) ?? HOSTS[environment]
  )
  return { origin, path: `${pathname.replace(/\/$/, "")}/3/device/` }
}

/** What is known of a recipient on its way: bits of a byte. */
const MOVED = 1
const REFRESHED = 2

const make = (pools: PoolsOfProvider): Provider => {
  const tokens = makeProviderTokens()
  const renewed = new WeakMap<Http2Pool, number>()

  const send = Effect.fnUntraced(function* (batch: SendBatch, onOutcome: (index: number, outcome: Outcome) => void) {
    const { message, targets } = batch
    if (batch.credential.config.kind !== "apns") return yield* Effect.die(new Error("not a credential of APNs"))
    const credential = batch.credential.config.value
    const owner = `${batch.credential.appId}:${batch.credential.version}`
    const all = (outcome: Outcome) => targets.forEach((_, index) => onOutcome(index, outcome))

    const sentAt = yield* Clock.currentTimeMillis
    if (isExpired(message, sentAt)) return all({ _tag: "Fail", reason: "expired" })
    const { template, headers } = payloadOf(message, credential.bundle_id)
    if (template.bytes > MAX_PAYLOAD) return all({ _tag: "Fail", reason: "payload_too_large" })

    const endpoints = { production: endpointOf(credential, "production"), sandbox: endpointOf(credential, "sandbox") }
    const twoEnvironments =
      endpoints.production.origin + endpoints.production.path !== endpoints.sandbox.origin + endpoints.sandbox.path
    const state = new Uint8Array(targets.length)
    const environmentOf = (index: number): Environment => {
      const noted = targets[index]!.environment
      return state[index]! & MOVED ? other(noted) : noted
    }
    const deliveryIdOf = deliveryIdsOf(message.notificationId)
    const ids = targets.map((target) => deliveryIdOf(target.id))

    const sendTo = (
      environment: Environment,
      indexes: ReadonlyArray<number>,
      jwt: string,
      now: number,
      again: Array<number>
    ) => {
      const { origin: url, path } = endpoints[environment]
      let renew: "no" | "soon" | "now" = "no"
      let unreachable = false
      /** The token is renewed: what has not begun with the old one begins with the new one. */
      let isStale = false

      const settle = (index: number, outcome: Settled) => {
        if ((state[index]! & MOVED) === 0) {
          const isRefused = outcome._tag === "Slow" && outcome.reason === WRONG_ENVIRONMENT
          return onOutcome(
            index,
            isRefused
              ? { _tag: "Refused", reason: "APNs 403 BadEnvironmentKeyInToken", otherwise: () => outcome }
              : outcome
          )
        }
        if (outcome._tag === "Ok") return onOutcome(index, { ...outcome, environment })
        // The first environment took the credential and refused the token: a refusal of the credential by the second
        // says only that the token is not one of its own either.
        const isRefusal =
          outcome._tag === "Suspend" || (outcome._tag === "Slow" && outcome.reason === WRONG_ENVIRONMENT)
        onOutcome(index, isRefusal ? { _tag: "Drop", reason: "bad_device_token", seenBefore: null } : outcome)
      }
      const sending = (pool: Http2Pool) =>
        pool.send({
          count: indexes.length,
          mayBegin: () => !isStale && batch.mayBegin?.() !== false,
          common: headers,
          credential: [["authorization", `bearer ${jwt}`]],
          base: path,
          path: (i) => targets[indexes[i]!]!.address,
          headers: (i) => [["apns-id", ids[indexes[i]!]!]],
          around: [template.before, template.after],
          body: (i) => targets[indexes[i]!]!.id,
          onAnswer: (i, answer) => {
            const index = indexes[i]!
            const verdict = verdictOf(answer, ids[index]!, sentAt, now)
            if (verdict._tag === "Done") {
              if (verdict.renew && renew !== "now") renew = verdict.outcome._tag === "Slow" ? "now" : "soon"
              settle(index, verdict.outcome)
            } else if (verdict._tag === "Refresh") {
              if ((state[index]! & REFRESHED) === 0 && tokens.refused(credential, jwt, now)) {
                state[index] = state[index]! | REFRESHED
                isStale = true
                again.push(index)
              } else {
                settle(index, {
                  _tag: "Suspend",
                  reason: "APNs calls a fresh provider token expired: is this machine's clock right?"
                })
              }
            } else if (twoEnvironments && (state[index]! & MOVED) === 0) {
              state[index] = state[index]! | MOVED
              again.push(index)
            } else {
              onOutcome(index, { _tag: "Drop", reason: "bad_device_token", seenBefore: null })
            }
          },
          onFailure: (i, failure) => {
            if (failure.reason === "connect") unreachable = true
            if (failure.reason === "withheld" && isStale) again.push(indexes[i]!)
            else settle(indexes[i]!, outcomeOfFailure(failure))
          }
        })
      return pools
        .use(
          owner,
          url,
          Effect.fnUntraced(function* (pool) {
            yield* sending(pool)
            if (renew === "no") return
            if (renew === "soon" && now - (renewed.get(pool) ?? 0) < RENEW_EVERY_MS) return
            renewed.set(pool, now)
            yield* pool.renew
          })
        )
        .pipe(
          Effect.andThen(Effect.suspend(() => (unreachable ? pools.forget(owner, url) : Effect.void))),
          Effect.catchTag("OutboundRefused", (refused) =>
            Effect.sync(() => {
              const outcome = outcomeOfRefusal(refused, {
                _tag: "Suspend",
                reason: `the endpoint of the APNs credential may not be called: ${refused.message}`
              })
              for (const index of indexes) settle(index, outcome)
            })
          )
        )
    }

    // Each recipient moves once and is refreshed once at most, so there are few rounds.
    for (let round = targets.map((_, index) => index); round.length > 0;) {
      const now = yield* Clock.currentTimeMillis
      let jwt: string
      try {
        jwt = tokens.current(credential, now)
      } catch (error) {
        if (!(error instanceof UnusableKey)) throw error
        for (const index of round) onOutcome(index, { _tag: "Suspend", reason: error.message })
        return
      }
      const again: Array<number> = []
      const groups = { production: [] as Array<number>, sandbox: [] as Array<number> }
      for (const index of round) groups[environmentOf(index)].push(index)
      yield* Effect.forEach(
        (["production", "sandbox"] as const).filter((environment) => groups[environment].length > 0),
        (environment) => sendTo(environment, groups[environment], jwt, now, again),
        { concurrency: 2, discard: true }
      )
      round = again
    }
  })

  return { send, window: 4000 }
}

/** APNs over HTTP/2 with provider tokens. */
export const layer: Layer.Layer<ApnsProvider, never, Http2Client | PushPools> = Layer.effect(
  ApnsProvider,
  Effect.gen(function* () {
    const http2 = yield* Http2Client
    const open = (origin: Http2Origin) => http2.pool({ ...POOL, origin })
    const { make: makePools } = yield* PushPools
    return make(yield* makePools({ open, trusted: new Set(Object.values(HOSTS)), capacity: 2000 }))
  })
)
