import { Clock, Effect, Layer } from "effect"
import { isExpired, RefusalRun, REFUSALS_OF_A_CREDENTIAL } from "../../services/domain/sending/Push.ts"
import type { Http2Origin } from "../../services/ports/outbound/Http2Client.ts"
import { Http2Client } from "../../services/ports/outbound/Http2Client.ts"
import type { OutboundPolicy } from "../../services/ports/outbound/OutboundPolicy.ts"
import type { PoolsOfProvider } from "../../services/ports/outbound/PushPools.ts"
import { PUSH_POOL, PushPools } from "../../services/ports/outbound/PushPools.ts"
import type { Outcome, Provider, SendBatch, Settled } from "../../services/ports/sending/Provider.ts"
import { FcmProvider, outcomeOfRefusal } from "../../services/ports/sending/Provider.ts"
import type { Settings } from "../config/Settings.ts"
import { trust } from "../config/Trust.ts"
import type { AccessTokens } from "./AccessToken.ts"
import { makeAccessTokens } from "./AccessToken.ts"
import { outcomeOfFailure, REPAIR_MS, THIRD_PARTY, verdictOf } from "./FcmAnswer.ts"
import { MAX_PAYLOAD, payloadOf } from "./FcmPayload.ts"

const GOOGLE = "https://fcm.googleapis.com"

/** How often a wrong project is worth an operator's time. */
const SAID_MS = 3_600_000

/** The name of an accepted message stands in the body, and is no reason to send it again. */
const POOL = { ...PUSH_POOL, isEnough: (status: number): boolean => status === 200 }

/** What becomes of a recipient whose access token FCM refused. */
interface Again {
  readonly refused: (index: number) => void
  /** Some were: what has not begun begins with the token that comes after. */
  readonly isStale: () => boolean
}

const make = (pools: PoolsOfProvider, tokens: AccessTokens): Provider => {
  /** Sender mismatches in a row, by credential version, and when they were last worth saying. */
  const mismatches = new Map<string, { readonly run: RefusalRun; saidAt: number }>()
  const mismatchesOf = (owner: string) => {
    let known = mismatches.get(owner)
    if (known === undefined) {
      // Bounded: a version that is forgotten only has to be refused as often again.
      if (mismatches.size >= 10_000) mismatches.clear()
      mismatches.set(owner, (known = { run: new RefusalRun(), saidAt: Number.NEGATIVE_INFINITY }))
    }
    return known
  }

  const send = Effect.fnUntraced(function* (batch: SendBatch, onOutcome: (index: number, outcome: Outcome) => void) {
    const { message, targets } = batch
    if (batch.credential.config.kind !== "fcm") return yield* Effect.die(new Error("not a credential of FCM"))
    const { service_account: account, endpoint } = batch.credential.config.value
    const owner = `${batch.credential.appId}:${batch.credential.version}`
    // A proxy may serve the API under a path of its own.
    const { origin: url, pathname } = new URL(endpoint ?? GOOGLE)
    const all = (outcome: Outcome) => targets.forEach((_, index) => onOutcome(index, outcome))

    const start = yield* Clock.currentTimeMillis
    if (isExpired(message, start)) return all({ _tag: "Fail", reason: "expired" })
    const payload = payloadOf(message, start)
    if (payload.bytes > MAX_PAYLOAD) return all({ _tag: "Fail", reason: "payload_too_large" })

    const path = `${pathname.replace(/\/$/, "")}/v1/projects/${encodeURIComponent(account.project_id)}/messages:send`
    const known = mismatchesOf(owner)
    const mismatchRun = known.run
    const invalid: Array<number> = []
    const mismatched: Array<number> = []
    const withheld: Array<number> = []
    let accepted = 0
    let unreachable = false

    const sendTo = (indexes: ReadonlyArray<number>, token: string, now: number, again: Again) =>
      pools
        .use(owner, url, (pool) =>
          pool.send({
            count: indexes.length,
            mayBegin: () => !again.isStale() && batch.mayBegin?.() !== false,
            common: [["content-type", "application/json"]],
            credential: [["authorization", `Bearer ${token}`]],
            path: () => path,
            headers: () => [],
            body: (i) => payload.body(targets[indexes[i]!]!.address, targets[indexes[i]!]!.id),
            onAnswer: (i, answer) => {
              const index = indexes[i]!
              const verdict = verdictOf(answer, now)
              if (verdict._tag === "Refresh") return again.refused(index)
              if (verdict._tag === "InvalidArgument") return void invalid.push(index)
              if (verdict._tag === "SenderMismatch") {
                mismatchRun.refused()
                return void mismatched.push(index)
              }
              if (verdict.outcome._tag === "Ok") {
                accepted++
                mismatchRun.accepted()
              }
              const { outcome } = verdict
              const isThirdParty = outcome._tag === "Slow" && outcome.reason === THIRD_PARTY
              onOutcome(
                index,
                isThirdParty
                  ? { _tag: "Refused", reason: "FCM 401 THIRD_PARTY_AUTH_ERROR", otherwise: () => outcome }
                  : outcome
              )
            },
            onFailure: (i, failure) => {
              if (failure.reason === "connect") unreachable = true
              if (failure.reason === "withheld" && again.isStale()) again.refused(indexes[i]!)
              else if (failure.reason === "withheld") withheld.push(indexes[i]!)
              else onOutcome(indexes[i]!, outcomeOfFailure(failure))
            }
          })
        )
        .pipe(
          Effect.andThen(Effect.suspend(() => (unreachable ? pools.forget(owner, url) : Effect.void))),
          Effect.catchTag("OutboundRefused", (refused) =>
            Effect.sync(() => {
              const outcome = outcomeOfRefusal(refused, {
                _tag: "Suspend",
                reason: `the endpoint of the FCM credential may not be called: ${refused.message}`
              })
              for (const index of indexes) onOutcome(index, outcome)
            })
          )
        )

    const attempt = (indexes: ReadonlyArray<number>, again: Again) =>
      Effect.gen(function* () {
        const token = yield* tokens.get(account)
        yield* sendTo(indexes, token, yield* Clock.currentTimeMillis, again)
        return token
      }).pipe(
        Effect.catchTag("NoToken", ({ outcome }) =>
          Effect.sync(() => {
            for (const index of indexes) onOutcome(index, outcome)
            return null
          })
        )
      )

    const again: Array<number> = []
    const token = yield* attempt(
      targets.map((_, index) => index),
      { refused: (index) => void again.push(index), isStale: () => again.length > 0 }
    )
    if (token !== null && again.length > 0) {
      yield* tokens.refused(account, token)
      yield* attempt(again, {
        refused: (index) =>
          onOutcome(index, { _tag: "Suspend", reason: "FCM does not accept the service account's fresh access token" }),
        isStale: () => false
      })
    }

    // One payload went to all: if FCM accepted it for anybody, its refusals are about the tokens.
    const blamesPayload = batch.isOneOfAKind === true || (accepted === 0 && invalid.length >= REFUSALS_OF_A_CREDENTIAL)
    for (const index of invalid) {
      onOutcome(
        index,
        blamesPayload
          ? { _tag: "Fail", reason: "invalid_argument" }
          : { _tag: "Drop", reason: "invalid_token", seenBefore: null }
      )
    }
    // Nobody's token is dropped when it may be the account that is another project's. It may be a stranger, too, who
    // registered devices of his own project: nobody waits but them.
    if (accepted === 0 && mismatched.length > 0 && mismatchRun.blamesCredential && start - known.saidAt >= SAID_MS) {
      known.saidAt = start
      yield* Effect.logWarning(
        "FCM says that all devices it was asked for are another project's (SENDER_ID_MISMATCH): is it the app's project?"
      ).pipe(Effect.annotateLogs({ app_id: batch.credential.appId, refused: mismatched.length }))
    }
    const waits: Settled = { _tag: "Slow", scope: "recipient", reason: "sender_id_mismatch", afterMs: REPAIR_MS }
    const dropped: Settled = { _tag: "Drop", reason: "sender_id_mismatch", seenBefore: null }
    const isEnough = () => accepted === 0 && mismatchRun.blamesCredential
    for (const index of mismatched) {
      onOutcome(index, {
        _tag: "Refused",
        reason: "FCM 403 SENDER_ID_MISMATCH",
        isEnough,
        otherwise: () => (isEnough() ? waits : dropped)
      })
    }
    for (const index of withheld) onOutcome(index, { _tag: "Withheld" })
  })

  return { send, window: 4000 }
}

/** FCM HTTP v1 with a service account. */
export const layer: Layer.Layer<FcmProvider, never, Http2Client | OutboundPolicy | PushPools | Settings> = Layer.effect(
  FcmProvider,
  Effect.gen(function* () {
    const http2 = yield* Http2Client
    const open = (origin: Http2Origin) => http2.pool({ ...POOL, origin })
    const { make: makePools } = yield* PushPools
    const pools = yield* makePools({ open, trusted: new Set([GOOGLE]), capacity: 2000 })
    return make(pools, yield* makeAccessTokens(yield* trust))
  })
)
