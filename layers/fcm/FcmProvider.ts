import { Clock, Effect, Layer } from "effect"
import { isExpired, RefusalRun, REFUSALS_OF_A_CREDENTIAL } from "../../services/domain/Push.ts"
import type { Http2Origin } from "../../services/ports/Http2Client.ts"
import { Http2Client } from "../../services/ports/Http2Client.ts"
import type { OutboundPolicy } from "../../services/ports/OutboundPolicy.ts"
import type { Outcome, Provider, SendBatch } from "../../services/ports/Provider.ts"
import { FcmProvider } from "../../services/ports/Provider.ts"
import type { PushPools } from "../../services/ports/PushPools.ts"
import { makePushPools, outcomeOfRefusal, PUSH_POOL } from "../../services/ports/PushPools.ts"
import type { Settings } from "../config/Settings.ts"
import { trust } from "../config/Trust.ts"
import type { AccessTokens } from "./AccessToken.ts"
import { makeAccessTokens } from "./AccessToken.ts"
import { outcomeOfFailure, verdictOf } from "./Answer.ts"
import { MAX_PAYLOAD, payloadOf } from "./Payload.ts"

const GOOGLE = "https://fcm.googleapis.com"

const make = (pools: PushPools, tokens: AccessTokens): Provider => {
  /** Sender mismatches in a row, by credential version. */
  const mismatches = new Map<string, RefusalRun>()
  const mismatchesOf = (owner: string): RefusalRun => {
    let run = mismatches.get(owner)
    if (run === undefined) {
      // Bounded: a version that is forgotten only has to be refused as often again.
      if (mismatches.size >= 10_000) mismatches.clear()
      mismatches.set(owner, (run = new RefusalRun()))
    }
    return run
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
    const mismatchRun = mismatchesOf(owner)
    const invalid: Array<number> = []
    const mismatched: Array<number> = []
    let accepted = 0
    let unreachable = false

    const sendTo = (indexes: ReadonlyArray<number>, token: string, now: number, refused: (index: number) => void) =>
      pools
        .use(owner, url, (pool) =>
          pool.send({
            count: indexes.length,
            common: [["content-type", "application/json"]],
            credential: [["authorization", `Bearer ${token}`]],
            path: () => path,
            headers: () => [],
            body: (i) => payload.body(targets[indexes[i]!]!.address, targets[indexes[i]!]!.id),
            onAnswer: (i, answer) => {
              const index = indexes[i]!
              const verdict = verdictOf(answer, now)
              if (verdict._tag === "Refresh") return refused(index)
              if (verdict._tag === "InvalidArgument") return void invalid.push(index)
              if (verdict._tag === "SenderMismatch") {
                mismatchRun.refused()
                return void mismatched.push(index)
              }
              if (verdict.outcome._tag === "Ok") {
                accepted++
                mismatchRun.accepted()
              }
              onOutcome(index, verdict.outcome)
            },
            onFailure: (i, failure) => {
              if (failure.reason === "connect") unreachable = true
              onOutcome(indexes[i]!, outcomeOfFailure(failure))
            }
          })
        )
        .pipe(
          Effect.andThen(Effect.suspend(() => (unreachable ? pools.forget(owner, url) : Effect.void))),
          Effect.catchTag("OutboundRefused", (refused) =>
            Effect.sync(() => {
              const outcome = outcomeOfRefusal(refused, {
                _tag: "Hold",
                reason: `the endpoint of the FCM credential may not be called: ${refused.message}`
              })
              for (const index of indexes) onOutcome(index, outcome)
            })
          )
        )

    const attempt = (indexes: ReadonlyArray<number>, refused: (index: number) => void) =>
      Effect.gen(function* () {
        const token = yield* tokens.get(account)
        yield* sendTo(indexes, token, yield* Clock.currentTimeMillis, refused)
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
      (index) => again.push(index)
    )
    if (token !== null && again.length > 0) {
      yield* tokens.refused(account, token)
      yield* attempt(again, (index) =>
        onOutcome(index, { _tag: "Hold", reason: "FCM does not accept the service account's fresh access token" })
      )
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
    const blamesCredential = accepted === 0 && mismatchRun.blamesCredential
    for (const index of mismatched) {
      onOutcome(
        index,
        blamesCredential
          ? { _tag: "Hold", reason: "FCM says of every token that it is another project's (SENDER_ID_MISMATCH)" }
          : { _tag: "Drop", reason: "sender_id_mismatch", seenBefore: null }
      )
    }
  })

  return { send, window: 4000 }
}

/** FCM HTTP v1 with a service account. */
export const layer: Layer.Layer<FcmProvider, never, Http2Client | OutboundPolicy | Settings> = Layer.effect(
  FcmProvider,
  Effect.gen(function* () {
    const http2 = yield* Http2Client
    const open = (origin: Http2Origin) => http2.pool({ ...PUSH_POOL, origin })
    const pools = yield* makePushPools({ open, trusted: new Set([GOOGLE]), capacity: 2000 })
    return make(pools, yield* makeAccessTokens(yield* trust))
  })
)
