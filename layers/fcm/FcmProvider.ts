import { Clock, Effect, Layer } from "effect"
import type { FcmCredential } from "../../services/domain/sending/Credential.ts"
import { isExpired, REFUSALS_OF_A_CREDENTIAL } from "../../services/domain/sending/Push.ts"
import type { Http2Origin, Http2Pool } from "../../services/ports/outbound/Http2Client.ts"
import { Http2Client } from "../../services/ports/outbound/Http2Client.ts"
import type { PoolsOfProvider } from "../../services/ports/outbound/PushPools.ts"
import { PUSH_POOL, PushPools } from "../../services/ports/outbound/PushPools.ts"
import type { SmallRequests } from "../../services/ports/outbound/SmallRequests.ts"
import type { MismatchesOfBatch, Words } from "../../services/ports/sending/Mismatches.ts"
import { Mismatches } from "../../services/ports/sending/Mismatches.ts"
import type { Outcome, SendBatch } from "../../services/ports/sending/Provider.ts"
import { FcmProvider, outcomeOfRefusal } from "../../services/ports/sending/Provider.ts"
import type { AccessTokens } from "./AccessToken.ts"
import { makeAccessTokens } from "./AccessToken.ts"
import { outcomeOfFailure, THIRD_PARTY, verdictOf } from "./FcmAnswer.ts"
import { LatestPayload, MAX_PAYLOAD } from "./FcmPayload.ts"

const GOOGLE = "https://fcm.googleapis.com"

const MISMATCH: Words = {
  reason: "sender_id_mismatch",
  refusal: "FCM 403 SENDER_ID_MISMATCH",
  warning:
    "FCM says that all devices it was asked for are another project's (SENDER_ID_MISMATCH): is it the app's project?"
}

/** The name of an accepted message stands in the body, and is no reason to send it again. */
const POOL = { ...PUSH_POOL, isEnough: (status: number): boolean => status === 200 }

/** What becomes of a recipient whose access token FCM refused. */
interface Again {
  readonly refused: (index: number) => void
  /** Some were: what has not begun begins with the token that comes after. */
  readonly isStale: () => boolean
}

/** What all batches share. */
interface Means {
  readonly pools: PoolsOfProvider
  readonly tokens: AccessTokens
  readonly mismatches: Mismatches
}

/** A batch on its way. */
interface Run extends Means {
  readonly batch: SendBatch
  readonly clock: Clock.Clock
  readonly onOutcome: (index: number, outcome: Outcome) => void
  readonly account: FcmCredential["service_account"]
  /** Whose connections it uses: the credential's, in its version. */
  readonly owner: string
  readonly origin: string
  readonly path: string
  /** One for all targets, or one for each. */
  readonly payloads: ReadonlyArray<LatestPayload>
  /** Those who can be sent to. */
  readonly indexes: ReadonlyArray<number>
  readonly mismatched: MismatchesOfBatch
  /** Told when all have been asked. */
  readonly invalid: Array<number>
  readonly withheld: Array<number>
  accepted: number
  isUnreachable: boolean
}

const send = Effect.fnUntraced(function* (
  means: Means,
  batch: SendBatch,
  onOutcome: (index: number, outcome: Outcome) => void
) {
  const { credential, each, message, targets } = batch
  if (credential.config.kind !== "fcm") return yield* Effect.die(new Error("not a credential of FCM"))
  const { service_account: account, endpoint } = credential.config.value
  const clock = yield* Clock.Clock
  const start = clock.currentTimeMillisUnsafe()
  const messages = each ?? [message]
  const payloads = messages.map((one) => new LatestPayload(one, start))
  const reasons = messages.map((one, i) =>
    isExpired(one, start) ? "expired" : payloads[i]!.at(start).bytes > MAX_PAYLOAD ? "payload_too_large" : null
  )
  const indexes: Array<number> = []
  for (let index = 0; index < targets.length; index++) {
    const reason = reasons[each === undefined ? 0 : index]!
    if (reason === null) indexes.push(index)
    else onOutcome(index, { _tag: "Fail", reason })
  }
  if (indexes.length === 0) return

  const owner = `${credential.appId}:${credential.version}`
  // A proxy may serve the API under a path of its own.
  const { origin, pathname } = new URL(endpoint ?? GOOGLE)
  const run: Run = {
    ...means,
    batch,
    clock,
    onOutcome,
    account,
    owner,
    origin,
    path: `${pathname.replace(/\/$/, "")}/v1/projects/${encodeURIComponent(account.project_id)}/messages:send`,
    payloads,
    indexes,
    mismatched: means.mismatches.ofBatch(owner),
    invalid: [],
    withheld: [],
    accepted: 0,
    isUnreachable: false
  }
  yield* sendAll(run)
  judgeInvalid(run)
  yield* run.mismatched.judge(batch, start, onOutcome)
  for (const index of run.withheld) onOutcome(index, { _tag: "Withheld" })
})

/** With the access token at hand; and with a fresh one to those for whom it was refused. */
const sendAll = Effect.fnUntraced(function* (run: Run) {
  const { account, indexes, onOutcome, tokens } = run
  const again: Array<number> = []
  const token = yield* attempt(run, indexes, {
    refused: (index) => void again.push(index),
    isStale: () => again.length > 0
  })
  if (token === null || again.length === 0) return
  yield* tokens.refused(account, token)
  yield* attempt(run, again, {
    refused: (index) =>
      onOutcome(index, { _tag: "Suspend", reason: "FCM does not accept the service account's fresh access token" }),
    isStale: () => false
  })
})

/** Answers the token that was used; null when there is none. */
const attempt = (run: Run, indexes: ReadonlyArray<number>, again: Again) =>
  Effect.gen(function* () {
    const token = yield* run.tokens.get(run.account)
    yield* sendTo(run, indexes, token, yield* Clock.currentTimeMillis, again)
    return token
  }).pipe(
    Effect.catchTag("NoToken", ({ outcome }) =>
      Effect.sync(() => {
        for (const index of indexes) run.onOutcome(index, outcome)
        return null
      })
    )
  )

const sendTo = (run: Run, indexes: ReadonlyArray<number>, token: string, now: number, again: Again) => {
  const { onOutcome, origin, owner, pools } = run
  return pools
    .use(owner, origin, (pool) => post(run, pool, indexes, token, now, again))
    .pipe(
      Effect.andThen(Effect.suspend(() => (run.isUnreachable ? pools.forget(owner, origin) : Effect.void))),
      Effect.catchTag("OutboundRefused", (refused) =>
        Effect.sync(() => {
          const outcome = outcomeOfRefusal(refused, {
            _tag: "Suspend",
            reason: `the endpoint of the FCM credential may not be called: ${refused.words}`
          })
          for (const index of indexes) onOutcome(index, outcome)
        })
      )
    )
}

const post = (run: Run, pool: Http2Pool, indexes: ReadonlyArray<number>, token: string, now: number, again: Again) => {
  const { batch, clock, invalid, mismatched, onOutcome, path, payloads, withheld } = run
  const { targets } = batch
  return pool.send({
    count: indexes.length,
    mayBegin: () => !again.isStale() && batch.mayBegin?.() !== false,
    common: [["content-type", "application/json"]],
    credential: [["authorization", `Bearer ${token}`]],
    path: () => path,
    headers: () => [],
    body: (i) => {
      const index = indexes[i]!
      batch.onBegun?.(index)
      const { address, id } = targets[index]!
      return payloads[payloads.length === 1 ? 0 : index]!.at(clock.currentTimeMillisUnsafe()).body(address, id)
    },
    onAnswer: (i, answer) => {
      const index = indexes[i]!
      const verdict = verdictOf(answer, now)
      if (verdict._tag === "Refresh") return again.refused(index)
      if (verdict._tag === "InvalidArgument") return void invalid.push(index)
      if (verdict._tag === "SenderMismatch") return mismatched.refused(index)
      if (verdict.outcome._tag === "Ok") {
        run.accepted++
        mismatched.accepted()
      }
      const { outcome } = verdict
      const isThirdParty = outcome._tag === "Slow" && outcome.reason === THIRD_PARTY
      onOutcome(
        index,
        isThirdParty ? { _tag: "Refused", reason: "FCM 401 THIRD_PARTY_AUTH_ERROR", otherwise: () => outcome } : outcome
      )
    },
    onFailure: (i, failure) => {
      if (failure.reason === "connect") run.isUnreachable = true
      if (failure.reason === "withheld" && again.isStale()) again.refused(indexes[i]!)
      else if (failure.reason === "withheld") withheld.push(indexes[i]!)
      else onOutcome(indexes[i]!, outcomeOfFailure(failure))
    }
  })
}

/** Where one payload went to all, and FCM accepted it for anybody, its refusals are about the tokens. */
const judgeInvalid = ({ accepted, batch, invalid, onOutcome }: Run): void => {
  const isRefusedByAll = batch.each === undefined && accepted === 0 && invalid.length >= REFUSALS_OF_A_CREDENTIAL
  const blamesPayload = batch.isOneOfAKind === true || isRefusedByAll
  for (const index of invalid) {
    onOutcome(
      index,
      blamesPayload
        ? { _tag: "Fail", reason: "invalid_argument" }
        : { _tag: "Drop", reason: "invalid_token", seenBefore: null }
    )
  }
}

/** FCM HTTP v1 with a service account. */
export const layer: Layer.Layer<FcmProvider, never, Http2Client | PushPools | SmallRequests> = Layer.effect(
  FcmProvider,
  Effect.gen(function* () {
    const http2 = yield* Http2Client
    const open = (origin: Http2Origin) => http2.pool({ ...POOL, origin })
    const { make: makePools } = yield* PushPools
    const pools = yield* makePools({ open, trusted: new Set([GOOGLE]), capacity: 2000 })
    const means: Means = { pools, tokens: yield* makeAccessTokens, mismatches: new Mismatches(MISMATCH) }
    return { send: (batch, onOutcome) => send(means, batch, onOutcome), takesEach: true, window: 4000 }
  })
)
