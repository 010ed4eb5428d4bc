import { Deferred, Effect, Exit } from "effect"
import { now } from "../../ports/Now.ts"
import { ACCEPTED_LATELY_MS } from "../../ports/sending/CredentialStore.ts"

/*
 * Which credential versions their providers take, as far as this process has seen, or others have noted.
 *
 * States   new       nobody has tried it: one batch tries it, with one message or with one of each of a few services, all
 *                    others wait for what comes of it
 *          tried     that is under way
 *          works     a provider has accepted a message with it, or named a token as dead: everything goes at once
 *          refused   nothing more begins with it, in any batch, until a further probe gets through
 *
 * A version never changes, so what is known of it is never out of date, but for a refusal. What was accepted is noted in
 * the credential's row for all processes; forgetting the rest, as a restart does, costs a message that goes a moment
 * before the others.
 */

const MOST = 100_000
/** How often a process notes that a version is accepted. */
const NOTE_MS = 3_600_000

/** What a probe found: whether the credential is refused, and else whether it surely works. Null: it found nothing. */
export interface Finding {
  readonly refusal: string | null
  readonly isProved: boolean
}

/** A credential version as its batches see it. */
export interface Standing {
  /** Why the credential is refused; null as long as it is not. Asked before messages begin. */
  readonly refusal: () => string | null
  readonly refused: (reason: string) => void
  /** The provider took the credential: whoever waits for a probe goes on. */
  readonly proved: () => void
  /** A message was accepted. */
  readonly accepted: () => void
  /** Whether one was accepted within a day, by this process or by one that noted it. */
  readonly isAcceptedLately: () => boolean
  /** Makes the probe if there is doubt, or waits for the one under way. Answers why the credential is refused. */
  readonly pass: <E>(probe: Effect.Effect<Finding | null, E>) => Effect.Effect<string | null, E>
}

export interface CredentialProbes {
  /**
   * `isDoubted`: somebody has noted that the version is refused, so that it has to be tried again. `acceptedAt`: when
   * somebody noted that it was accepted (epoch ms).
   */
  readonly of: (version: number, isDoubted: boolean, acceptedAt?: number | null) => Standing
  /** Whether everything goes at once with a version that nobody doubts: it is known to work, and no probe is under way. */
  readonly works: (version: number, acceptedAt: number | null) => boolean
  /** Whether a refusal is news: once for each time that it is found. */
  readonly tells: (version: number) => boolean
  /** Whether it is time to note that the version is accepted: once an hour, unless `unnoted` says that it failed. */
  readonly notes: (version: number, acceptedAt: number | null) => boolean
  readonly unnoted: (version: number) => void
}

/** Bounded: what is forgotten is found out again. */
const keep = (map: Map<number, number>, version: number, at: number): void => {
  if (map.size >= MOST) map.clear()
  map.set(version, at)
}

export const makeCredentialProbes = (): CredentialProbes => {
  const working = new Set<number>()
  const refusals = new Map<number, string>()
  const told = new Set<number>()
  const running = new Map<number, Deferred.Deferred<Finding | null>>()
  const accepted = new Map<number, number>()
  const noted = new Map<number, number>()

  const settle = (version: number, finding: Finding | null): void => {
    if (finding === null) return
    if (finding.refusal !== null) {
      refusals.set(version, finding.refusal)
      working.delete(version)
    } else if (finding.isProved) {
      if (working.size >= MOST) working.clear()
      working.add(version)
    }
  }

  const isAccepted = (version: number, acceptedAt: number | null): boolean =>
    now() - Math.max(acceptedAt ?? -Infinity, accepted.get(version) ?? -Infinity) < ACCEPTED_LATELY_MS
  const isKnown = (version: number, acceptedAt: number | null): boolean =>
    working.has(version) || (isAccepted(version, acceptedAt) && !refusals.has(version))
  const works: CredentialProbes["works"] = (version, acceptedAt) =>
    isKnown(version, acceptedAt) && !refusals.has(version) && !running.has(version)

  const pass = Effect.fnUntraced(function* <E>(
    version: number,
    isDoubted: boolean,
    acceptedAt: number | null,
    probe: Effect.Effect<Finding | null, E>
  ) {
    // Of those who wait for a probe that was not made, one makes the next.
    for (let other = running.get(version); other !== undefined; other = running.get(version)) {
      const finding = yield* Deferred.await(other)
      if (finding !== null) return finding.refusal
    }
    if (isKnown(version, acceptedAt) && !isDoubted) return null
    const mine = Deferred.makeUnsafe<Finding | null>()
    running.set(version, mine)
    refusals.delete(version)
    told.delete(version)
    let finding: Finding | null = null
    yield* Effect.ensuring(
      Effect.map(probe, (found) => (finding = found)),
      Effect.suspend(() => {
        if (running.get(version) === mine) running.delete(version)
        settle(version, finding)
        return Deferred.succeed(mine, finding)
      })
    )
    return (finding as Finding | null)?.refusal ?? null
  })

  const of: CredentialProbes["of"] = (version, isDoubted, acceptedAt = null) => {
    return {
      refusal: () => refusals.get(version) ?? null,
      refused: (reason) => {
        if (refusals.size >= MOST) refusals.clear()
        settle(version, { refusal: reason, isProved: false })
      },
      proved: () => {
        // What was under way when it was refused says nothing against that: a further probe does.
        if (refusals.has(version)) return
        const finding: Finding = { refusal: null, isProved: true }
        settle(version, finding)
        const probe = running.get(version)
        if (probe !== undefined) Deferred.doneUnsafe(probe, Exit.succeed(finding))
      },
      accepted: () => keep(accepted, version, now()),
      isAcceptedLately: () => isAccepted(version, acceptedAt),
      pass: (probe) => pass(version, isDoubted, acceptedAt, probe)
    }
  }
  const tells: CredentialProbes["tells"] = (version) => {
    if (told.has(version)) return false
    if (told.size >= MOST) told.clear()
    told.add(version)
    return true
  }
  const notes: CredentialProbes["notes"] = (version, acceptedAt) => {
    const at = now()
    if (at - Math.max(acceptedAt ?? -Infinity, noted.get(version) ?? -Infinity) < NOTE_MS) return false
    keep(noted, version, at)
    return true
  }
  return { of, works, tells, notes, unnoted: (version) => void noted.delete(version) }
}
