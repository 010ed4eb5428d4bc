import type { Effect } from "effect"
import { Context } from "effect"
import type { Environment } from "../domain/Device.ts"
import type { Message } from "../domain/Notification.ts"
import type { Target } from "./AudienceStore.ts"
import type { Credential } from "./CredentialStore.ts"

/** What became of one message: the outcomes of providers.md, after the layer did what it can do itself (refresh, other environment). */
export type Outcome =
  /** Accepted. `environment` is set when it was not the one that the device is noted with. */
  | { readonly _tag: "Ok"; readonly messageId: string | null; readonly environment?: Environment }
  /** The token is dead; with `seenBefore` (epoch ms), unless the device has registered again since. */
  | { readonly _tag: "Drop"; readonly reason: string; readonly seenBefore: number | null }
  /** This message can never be delivered; the recipient stays. */
  | { readonly _tag: "Fail"; readonly reason: string }
  /** Transient. `afterMs`: not before. */
  | { readonly _tag: "Retry"; readonly reason: string; readonly afterMs: number | null }
  /** Over a limit of the scope; `recipient` concerns this one alone, everything else the lane. */
  | {
      readonly _tag: "Slow"
      readonly scope: "recipient" | "origin" | "project" | "team" | "server"
      readonly reason: string
      readonly afterMs: number
    }
  /** The credential is refused: nothing of this application goes this way before it is repaired. */
  | { readonly _tag: "Hold"; readonly reason: string }

export interface SendBatch {
  readonly message: Message
  readonly credential: Credential
  readonly targets: ReadonlyArray<Target>
  /** The content was made for these targets alone: a refusal of it says nothing about them. */
  readonly isOneOfAKind?: boolean
}

export interface Provider {
  /**
   * Sends one message to each target and calls `onOutcome` exactly once for each index, as answers come. Ends when all
   * have one. Interrupted, it abandons what is under way. It never fails: whatever goes wrong is an outcome.
   */
  readonly send: (batch: SendBatch, onOutcome: (index: number, outcome: Outcome) => void) => Effect.Effect<void>
  /** How much a recipient of this provider may be held in memory and on the wire at once, on this node. */
  readonly window: number
}

export class ApnsProvider extends Context.Service<ApnsProvider, Provider>()("heliograph/ports/ApnsProvider") {}
export class FcmProvider extends Context.Service<FcmProvider, Provider>()("heliograph/ports/FcmProvider") {}
export class WebPushProvider extends Context.Service<WebPushProvider, Provider>()("heliograph/ports/WebPushProvider") {}
export class SmtpProvider extends Context.Service<SmtpProvider, Provider>()("heliograph/ports/SmtpProvider") {}
