import { Clock, Effect, Layer } from "effect"
import type { ApnsCredential } from "../../services/domain/sending/Credential.ts"
import type { Environment } from "../../services/domain/audience/Device.ts"
import { deliveryIdOf, deliveryIdsOf } from "../../services/domain/sending/DeliveryIds.ts"
import type { Template } from "../../services/domain/sending/Push.ts"
import { isExpired } from "../../services/domain/sending/Push.ts"
import type { Header, Http2Answer, Http2Origin, Http2Pool } from "../../services/ports/outbound/Http2Client.ts"
import { Http2Client } from "../../services/ports/outbound/Http2Client.ts"
import type { PoolsOfProvider } from "../../services/ports/outbound/PushPools.ts"
import { PUSH_POOL, PushPools } from "../../services/ports/outbound/PushPools.ts"
import type { MismatchesOfBatch, Words } from "../../services/ports/sending/Mismatches.ts"
import { Mismatches } from "../../services/ports/sending/Mismatches.ts"
import type { Outcome, SendBatch, Settled } from "../../services/ports/sending/Provider.ts"
import { ApnsProvider, outcomeOfFailure, outcomeOfRefusal } from "../../services/ports/sending/Provider.ts"
import { verdictOf, WRONG_ENVIRONMENT } from "./ApnsAnswer.ts"
import type { ApnsPayload } from "./ApnsPayload.ts"
import { MAX_PAYLOAD, payloadOf } from "./ApnsPayload.ts"
import { makeProviderTokens, UnusableKey } from "./ProviderToken.ts"

const HOSTS = { production: "https://api.push.apple.com", sandbox: "https://api.sandbox.push.apple.com" } as const

// APNs lets one stream through until it has authenticated the connection.
const POOL = { ...PUSH_POOL, firstStreams: 1, isEnough: (status: number): boolean => status === 200 }
/** Connections are replaced for a 5xx at most this often: in an outage every answer asks for it. */
const RENEW_EVERY_MS = 5_000

const MISMATCH: Words = {
  reason: "device_token_not_for_topic",
  refusal: "APNs 400 DeviceTokenNotForTopic",
  warning:
    "APNs says that all devices it was asked for are another app's (DeviceTokenNotForTopic): is bundle_id the app's?"
}

const other = (environment: Environment): Environment => (environment === "production" ? "sandbox" : "production")

/** A proxy may serve the API under a path of its own. */
const endpointOf = (credential: ApnsCredential, environment: Environment) => {
  const { endpoint, sandbox_endpoint } = credential
  const { origin, pathname } = new URL(
    (environment === "sandbox" ? (sandbox_endpoint ?? endpoint) : endpoint) ?? HOSTS[environment]
  )
  return { origin, path: `${pathname.replace(/\/$/, "")}/3/device/` }
}

/** Parsed once for a credential: the URL of an endpoint takes longer than the rest of a message's making. */
const endpointsOf = (credential: ApnsCredential) => {
  let known = endpointsKnown.get(credential)
  if (known === undefined) {
    known = { production: endpointOf(credential, "production"), sandbox: endpointOf(credential, "sandbox") }
    endpointsKnown.set(credential, known)
  }
  return known
}
const endpointsKnown = new WeakMap<ApnsCredential, Readonly<Record<Environment, ReturnType<typeof endpointOf>>>>()

/** What is known of a recipient on its way: bits of a byte. */
const MOVED = 1
const REFRESHED = 2

/** What all batches share. */
interface Means {
  readonly pools: PoolsOfProvider
  readonly tokens: ReturnType<typeof makeProviderTokens>
  /** When the connections of a pool were last replaced. */
  readonly renewed: WeakMap<Http2Pool, number>
  readonly mismatches: Mismatches
}

/** A batch on its way. */
interface Run extends Means {
  readonly batch: SendBatch
  readonly onOutcome: (index: number, outcome: Outcome) => void
  readonly credential: ApnsCredential
  /** Whose connections it uses: the credential's, in its version. */
  readonly owner: string
  readonly mismatched: MismatchesOfBatch
  readonly sentAt: number
  /** The headers that all share. */
  readonly common: ReadonlyArray<Header>
  /** What the body of a target begins and ends with, and the headers that are its own. */
  readonly template: (index: number) => Template
  readonly headers: (index: number) => ReadonlyArray<Header>
  /** The same for all bodies, where it is. */
  readonly around: readonly [before: string, after: string] | null
  readonly endpoints: Readonly<Record<Environment, ReturnType<typeof endpointOf>>>
  readonly hasTwoEnvironments: boolean
  /** Of each target: its delivery's id, and bits of what is known of it. */
  readonly ids: ReadonlyArray<string>
  readonly state: Uint8Array
}

/** The part of a round that goes to one environment. */
interface Part {
  readonly environment: Environment
  readonly indexes: ReadonlyArray<number>
  readonly jwt: string
  readonly now: number
  /** Who goes again in the next round. */
  readonly again: Array<number>
  /** Whether connections are to be replaced. */
  renew: "no" | "soon" | "now"
  isUnreachable: boolean
  /** The token is renewed: what has not begun with the old one begins with the new one. */
  isStale: boolean
}

const send = Effect.fnUntraced(function* (
  means: Means,
  batch: SendBatch,
  onOutcome: (index: number, outcome: Outcome) => void
) {
  const { each, message, targets } = batch
  if (batch.credential.config.kind !== "apns") return yield* Effect.die(new Error("not a credential of APNs"))
  const credential = batch.credential.config.value
  const sentAt = yield* Clock.currentTimeMillis
  const payloads = (each ?? [message]).map((one) =>
    isExpired(one, sentAt) ? "expired" : payloadOf(one, credential.bundle_id)
  )
  const reasonOf = (payload: (typeof payloads)[number]): string | null =>
    payload === "expired" ? payload : payload.template.bytes > MAX_PAYLOAD ? "payload_too_large" : null
  const reasons = payloads.map(reasonOf)
  const round: Array<number> = []
  for (let index = 0; index < targets.length; index++) {
    const reason = reasons[each === undefined ? 0 : index]!
    if (reason === null) round.push(index)
    else onOutcome(index, { _tag: "Fail", reason })
  }
  if (round.length === 0) return

  const endpoints = endpointsOf(credential)
  const writing = each === undefined ? alike(payloads[0] as ApnsPayload) : unlike(payloads as Array<ApnsPayload>, round)
  const idOf =
    each === undefined
      ? deliveryIdsOf(message.notificationId)
      : (recipient: string, index: number) => deliveryIdOf(each[index]!.notificationId, recipient)
  const owner = `${batch.credential.appId}:${batch.credential.version}`
  const mismatched = means.mismatches.ofBatch(owner)
  yield* sendInRounds(
    {
      ...means,
      batch,
      onOutcome,
      credential,
      owner,
      mismatched,
      sentAt,
      ...writing,
      endpoints,
      hasTwoEnvironments:
        endpoints.production.origin + endpoints.production.path !== endpoints.sandbox.origin + endpoints.sandbox.path,
      ids: targets.map((target, index) => idOf(target.id, index)),
      state: new Uint8Array(targets.length)
    },
    round
  )
  yield* mismatched.judge(batch, sentAt, onOutcome)
})

type Writing = Pick<Run, "around" | "common" | "headers" | "template">

/** One message for all. */
const alike = ({ common, own, template }: ApnsPayload): Writing => ({
  around: [template.before, template.after],
  common: [...common, ...own],
  headers: () => [],
  template: () => template
})

/** Messages of their own, of the targets in `indexes`. */
const unlike = (payloads: ReadonlyArray<ApnsPayload>, indexes: ReadonlyArray<number>): Writing => {
  const first = payloads[indexes[0]!]!.common
  const isOneKind = indexes.every((index) => payloads[index]!.common.every(([, value], i) => value === first[i]![1]))
  return {
    around: null,
    common: isOneKind ? first : [],
    headers: (index) => {
      const { common, own } = payloads[index]!
      return isOneKind ? own : [...common, ...own]
    },
    template: (index) => payloads[index]!.template
  }
}

/** Each recipient moves once and is refreshed once at most, so there are few rounds. */
const sendInRounds = Effect.fnUntraced(function* (run: Run, first: ReadonlyArray<number>) {
  const { credential, onOutcome, tokens } = run
  for (let round = first; round.length > 0;) {
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
    for (const index of round) groups[environmentOf(run, index)].push(index)
    const parts = (["production", "sandbox"] as const)
      .filter((environment) => groups[environment].length > 0)
      .map((environment) => {
        const rest = { renew: "no", isUnreachable: false, isStale: false } as const
        return sendTo(run, { environment, indexes: groups[environment], jwt, now, again, ...rest })
      })
    // Mostly it is one, and needs no fiber of its own.
    yield* parts.length === 1 ? parts[0]! : Effect.all(parts, { concurrency: 2, discard: true })
    round = again
  }
})

const environmentOf = ({ batch, state }: Run, index: number): Environment => {
  const noted = batch.targets[index]!.environment
  return state[index]! & MOVED ? other(noted) : noted
}

const sendTo = (run: Run, part: Part) => {
  const { endpoints, owner, pools } = run
  const { origin } = endpoints[part.environment]
  return pools
    .use(
      owner,
      origin,
      // No generator of its own: V8 makes a new kind of object for each one that is made, in its old generation.
      (pool) =>
        Effect.andThen(
          post(run, part, pool),
          Effect.suspend(() => (isToRenew(run, part, pool) ? pool.renew : Effect.void))
        )
    )
    .pipe(
      Effect.andThen(Effect.suspend(() => (part.isUnreachable ? pools.forget(owner, origin) : Effect.void))),
      Effect.catchTag("OutboundRefused", (refused) =>
        Effect.sync(() => {
          const outcome = outcomeOfRefusal(refused, {
            _tag: "Suspend",
            reason: `the endpoint of the APNs credential may not be called: ${refused.words}`
          })
          for (const index of part.indexes) settle(run, part, index, outcome)
        })
      )
    )
}

const post = (run: Run, part: Part, pool: Http2Pool) => {
  const { around, batch, common, endpoints, headers, ids, template } = run
  const { environment, indexes, jwt } = part
  const { targets } = batch
  return pool.send({
    count: indexes.length,
    mayBegin: () => !part.isStale && batch.mayBegin?.() !== false,
    common,
    credential: [["authorization", `bearer ${jwt}`]],
    base: endpoints[environment].path,
    path: (i) => targets[indexes[i]!]!.address,
    headers: (i) => {
      const index = indexes[i]!
      const own = headers(index)
      const id = ["apns-id", ids[index]!] as const
      return own.length === 0 ? [id] : [...own, id]
    },
    ...(around === null
      ? {
          body: (i: number) => {
            const index = indexes[i]!
            batch.onBegun?.(index)
            const { after, before } = template(index)
            return before + targets[index]!.id + after
          }
        }
      : {
          around,
          body: (i: number) => {
            const index = indexes[i]!
            batch.onBegun?.(index)
            return targets[index]!.id
          }
        }),
    onAnswer: (i, answer) => take(run, part, indexes[i]!, answer),
    onFailure: (i, failure) => {
      if (failure.reason === "connect") part.isUnreachable = true
      if (failure.reason === "withheld" && part.isStale) part.again.push(indexes[i]!)
      else settle(run, part, indexes[i]!, outcomeOfFailure(failure))
    }
  })
}

/** An answer of APNs: the end of a recipient, or another round with a fresh token or in the other environment. */
const take = (run: Run, part: Part, index: number, answer: Http2Answer): void => {
  const { credential, hasTwoEnvironments, ids, onOutcome, sentAt, state, tokens } = run
  const { again, jwt, now } = part
  const verdict = verdictOf(answer, ids[index]!, sentAt, now)
  if (verdict._tag === "Done") {
    if (verdict.renew && part.renew !== "now") part.renew = verdict.outcome._tag === "Slow" ? "now" : "soon"
    settle(run, part, index, verdict.outcome)
  } else if (verdict._tag === "OtherTopic") {
    run.mismatched.refused(index)
  } else if (verdict._tag === "Refresh") {
    if ((state[index]! & REFRESHED) === 0 && tokens.refused(credential, jwt, now)) {
      state[index] = state[index]! | REFRESHED
      part.isStale = true
      again.push(index)
    } else {
      settle(run, part, index, {
        _tag: "Suspend",
        reason: "APNs calls a fresh provider token expired: is this machine's clock right?"
      })
    }
  } else if (hasTwoEnvironments && (state[index]! & MOVED) === 0) {
    state[index] = state[index]! | MOVED
    again.push(index)
  } else {
    onOutcome(index, { _tag: "Drop", reason: "bad_device_token", seenBefore: null })
  }
}

const settle = (
  { mismatched, onOutcome, state }: Run,
  { environment }: Part,
  index: number,
  outcome: Settled
): void => {
  if (outcome._tag === "Ok") mismatched.accepted()
  if ((state[index]! & MOVED) === 0) {
    const isRefused = outcome._tag === "Slow" && outcome.reason === WRONG_ENVIRONMENT
    return onOutcome(
      index,
      isRefused ? { _tag: "Refused", reason: "APNs 403 BadEnvironmentKeyInToken", otherwise: () => outcome } : outcome
    )
  }
  if (outcome._tag === "Ok") return onOutcome(index, { ...outcome, environment })
  // The first environment took the credential and refused the token: a refusal of the credential by the second
  // says only that the token is not one of its own either.
  const isRefusal = outcome._tag === "Suspend" || (outcome._tag === "Slow" && outcome.reason === WRONG_ENVIRONMENT)
  onOutcome(index, isRefusal ? { _tag: "Drop", reason: "bad_device_token", seenBefore: null } : outcome)
}

/** Whether a pool's connections are to be replaced now, which is noted. */
const isToRenew = ({ renewed }: Run, { now, renew }: Part, pool: Http2Pool): boolean => {
  if (renew === "no") return false
  if (renew === "soon" && now - (renewed.get(pool) ?? 0) < RENEW_EVERY_MS) return false
  renewed.set(pool, now)
  return true
}

/** APNs over HTTP/2 with provider tokens. */
export const layer: Layer.Layer<ApnsProvider, never, Http2Client | PushPools> = Layer.effect(
  ApnsProvider,
  Effect.gen(function* () {
    const http2 = yield* Http2Client
    const open = (origin: Http2Origin) => http2.pool({ ...POOL, origin })
    const { make: makePools } = yield* PushPools
    const pools = yield* makePools({ open, trusted: new Set(Object.values(HOSTS)), capacity: 2000 })
    const means: Means = {
      pools,
      tokens: makeProviderTokens(),
      renewed: new WeakMap(),
      mismatches: new Mismatches(MISMATCH)
    }
    return { send: (batch, onOutcome) => send(means, batch, onOutcome), takesEach: true, window: 4000 }
  })
)
