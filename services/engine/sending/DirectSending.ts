import { Cache, Effect, Option } from "effect"
import type { DirectBatch } from "../../ports/sending/DirectSends.ts"
import type { Outcome, Provider } from "../../ports/sending/Provider.ts"
import type { Means } from "./SendingMeans.ts"
import { noteAcceptance } from "./SendingMeans.ts"

/** Messages of one lane to one device each, which were claimed as they were accepted. One at least. */
export type DirectGroup<A extends DirectBatch = DirectBatch> = readonly [A, ...ReadonlyArray<A>]

/** What becomes of each message of a group: one call for each. */
export interface DirectEnds<A extends DirectBatch> {
  readonly sent: (direct: A, messageId: string | null) => void
  /** Its request goes to the provider, which may take it from then on. */
  readonly begun: (direct: A) => void
  /** Anything else: it goes on as any other batch does, with the provider's answer where there is one. */
  readonly other: (direct: A, outcome: Outcome | null) => void
}

/**
 * Hands the messages of a group to their provider together, where nothing speaks against it: the credential works, and
 * what is sent can be written. Fails never.
 */
export const sendTogether = Effect.fnUntraced(function* <A extends DirectBatch>(
  means: Means,
  group: DirectGroup<A>,
  ends: DirectEnds<A>
) {
  const [{ batch }] = group
  const { appId, provider: kind } = batch
  const { acceptedAt, version } = batch.credential!
  const found = yield* Cache.get(means.versions, `${appId}:${kind}:${version}`).pipe(
    Effect.catch(() => Effect.succeed(Option.none()))
  )
  const heldSince = Math.min(...group.map(({ askedAt }) => askedAt))
  const heldUntil = heldSince + means.settings.leaseMs
  const { gate, probes } = means
  const mayBegin = () =>
    performance.now() < heldUntil && probes.works(version, acceptedAt) && gate.mayBegin(batch.id, heldSince)
  if (kind === "inbox" || Option.isNone(found) || !mayBegin()) {
    for (const direct of group) ends.other(direct, null)
    return
  }
  const credential = found.value
  const provider = means.providers[kind]
  const standing = probes.of(version, false, acceptedAt)
  const startedAt = performance.now()
  let isAccepted = false
  const end = (direct: A, outcome: Outcome): void => {
    if (outcome._tag !== "Ok" || outcome.environment !== undefined) {
      return ends.other(direct, outcome._tag === "Withheld" ? null : outcome)
    }
    if (!isAccepted) {
      isAccepted = true
      standing.accepted()
      standing.proved()
    }
    means.metrics.observe("heliograph_batch_seconds", LABELS[kind], (performance.now() - startedAt) / 1000)
    ends.sent(direct, outcome.messageId)
  }
  means.calls++
  yield* Effect.ensuring(
    provider.takesEach === true
      ? sendEach(provider, { credential, mayBegin }, group, ends.begun, end)
      : Effect.forEach(
          group,
          (direct) =>
            provider.send(
              {
                message: direct.message,
                credential,
                targets: [direct.target],
                mayBegin,
                onBegun: () => ends.begun(direct)
              },
              (_, outcome) => end(direct, outcome)
            ),
          { concurrency: "unbounded", discard: true }
        ),
    Effect.sync(() => means.calls--)
  )
  if (isAccepted) yield* noteAcceptance(means, credential, acceptedAt)
})

const sendEach = <A extends DirectBatch>(
  provider: Provider,
  shared: Pick<Parameters<Provider["send"]>[0], "credential" | "mayBegin">,
  group: DirectGroup<A>,
  begun: DirectEnds<A>["begun"],
  end: (direct: A, outcome: Outcome) => void
) =>
  provider.send(
    {
      ...shared,
      message: group[0].message,
      each: group.map(({ message }) => message),
      targets: group.map(({ target }) => target),
      onBegun: (index) => begun(group[index]!)
    },
    (index, outcome) => end(group[index]!, outcome)
  )

const LABELS = {
  apns: { provider: "apns", outcome: "ok" },
  fcm: { provider: "fcm", outcome: "ok" },
  webpush: { provider: "webpush", outcome: "ok" },
  smtp: { provider: "smtp", outcome: "ok" }
} as const
