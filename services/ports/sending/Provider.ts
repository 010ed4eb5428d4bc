import type { Effect } from "effect"
import { Context } from "effect"
import type { Environment } from "../../domain/audience/Device.ts"
import type { Message } from "../../domain/sending/Notification.ts"
import type { Target } from "../audience/AudienceStore.ts"
import { tlsFaultOf } from "../outbound/ConnectionFaults.ts"
import type { Http2Failure } from "../outbound/Http2Client.ts"
import type { OutboundRefused } from "../outbound/OutboundPolicy.ts"
import type { Credential } from "./CredentialStore.ts"

/** What became of one message: the outcomes of providers.md, after the layer did what it can do itself (refresh, other environment). */
export type Settled =
  /** Accepted. `environment` is set when it was not the one that the device is noted with. */
  | { readonly _tag: "Ok"; readonly messageId: string | null; readonly environment?: Environment }
  /** The token is dead; with `seenBefore` (epoch ms), unless the device has registered again since. */
  | { readonly _tag: "Drop"; readonly reason: string; readonly seenBefore: number | null }
  /** This message can never be delivered; the recipient stays. */
  | { readonly _tag: "Fail"; readonly reason: string }
  /** Transient. `afterMs`: not before. `isUnknown`: no answer came, and the provider may have taken it. */
  | { readonly _tag: "Retry"; readonly reason: string; readonly afterMs: number | null; readonly isUnknown?: true }
  /** Over a limit of the scope; `recipient` concerns this one alone, everything else the lane. */
  | {
      readonly _tag: "Slow"
      readonly scope: "recipient" | "origin" | "project" | "team" | "server"
      readonly reason: string
      readonly afterMs: number
    }
  /** The credential is refused: nothing of this application goes this way before it is repaired. */
  | { readonly _tag: "Suspend"; readonly reason: string }
  /** Not begun, because `mayBegin` said no: as if this target had not been given. */
  | { readonly _tag: "Withheld" }

/**
 * The sender is refused for this recipient, whom a stranger may have registered (0061). What it means is asked when all of
 * the batch has ended: the credential is refused when nothing was accepted, neither now nor lately, and all else was
 * refused as well.
 */
export interface Refusal {
  readonly _tag: "Refused"
  /** The provider's name, the status and its code: what an operator is told of a suspended credential. */
  readonly reason: string
  /** Whether there were enough in a row to blame the credential; without it, one is. */
  readonly isEnough?: () => boolean
  /** What becomes of the recipient when the credential is not to blame. Asked once at most. */
  readonly otherwise: () => Settled
}

export type Outcome = Settled | Refusal

export interface SendBatch {
  readonly message: Message
  /** Messages of their own, one for each target, instead of `message`. Only for a provider that `takesEach`. */
  readonly each?: ReadonlyArray<Message>
  readonly credential: Credential
  readonly targets: ReadonlyArray<Target>
  /** The content was made for these targets alone: a refusal of it says nothing about them. */
  readonly isOneOfAKind?: boolean
  /**
   * Asked before requests begin, once for what begins together. When it says no, nothing more of this call begins: the
   * outcome of what has not begun is `Withheld`, and the call ends when the rest has its outcome.
   */
  readonly mayBegin?: () => boolean
  /**
   * Told, by providers of push, when the request of a target goes to a connection: from then on it may be taken, whether
   * or not that is heard of. More than once when it goes again.
   */
  readonly onBegun?: (index: number) => void
}

export interface Provider {
  /**
   * Sends one message to each target and calls `onOutcome` exactly once for each index, as answers come. Ends when all
   * have one. Interrupted, it abandons what is under way, of which it may say before it ends that it may have been taken. It
   * never fails: whatever goes wrong is an outcome.
   */
  readonly send: (batch: SendBatch, onOutcome: (index: number, outcome: Outcome) => void) => Effect.Effect<void>
  /**
   * Set where whoever registers a recipient chooses the service that answers for it: that service's name. What one of
   * them says of a token proves nothing of the credential, and its silence is not the others'.
   */
  readonly serviceOf?: (target: Target) => string
  /** Sends messages of their own to the targets of one call, for less than a call each costs. */
  readonly takesEach?: boolean
  /** How much a recipient of this provider may be held in memory and on the wire at once, on this node. */
  readonly window: number
}

/** No answer came. It may have been delivered, unless the failure says that it was not processed. Nobody is dropped for it. */
export const outcomeOfFailure = (
  { message, reason, unprocessed }: Http2Failure,
  afterMs: number | null = null
): Settled => {
  if (reason === "withheld") return { _tag: "Withheld" }
  const fault = reason === "connect" ? tlsFaultOf(message) : null
  const name = fault ?? (reason === "timeout" ? "timeout" : `connection_${reason}`)
  const retry = { _tag: "Retry", reason: name, afterMs } as const
  return unprocessed ? retry : { ...retry, isUnknown: true }
}

/** The address may not be called, which is as `refused` says, or cannot be looked up at the moment. */
export const outcomeOfRefusal = ({ transient }: OutboundRefused, refused: Settled): Settled =>
  transient ? { _tag: "Retry", reason: "endpoint_unresolved", afterMs: null } : refused

export class ApnsProvider extends Context.Service<ApnsProvider, Provider>()("heliograph/ports/ApnsProvider") {}
export class FcmProvider extends Context.Service<FcmProvider, Provider>()("heliograph/ports/FcmProvider") {}
export class WebPushProvider extends Context.Service<WebPushProvider, Provider>()("heliograph/ports/WebPushProvider") {}
export class SmtpProvider extends Context.Service<SmtpProvider, Provider>()("heliograph/ports/SmtpProvider") {}
