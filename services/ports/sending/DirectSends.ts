import type { Scope } from "effect"
import { Context, Effect } from "effect"
import type { AppId } from "../../domain/Ids.ts"
import type { Message, Priority } from "../../domain/sending/Notification.ts"
import type { Target } from "../audience/AudienceStore.ts"
import type { HolderId } from "../operations/HolderStore.ts"
import type { ClaimedBatch } from "./BatchStore.ts"

/** A message to a device that was claimed by the statement which accepted it, with all that it takes to send it. */
export interface DirectBatch {
  readonly batch: ClaimedBatch
  readonly message: Message
  readonly target: Target
  /** How many other batches of its notification were claimed with it, and given to the same taker in the same turn. */
  readonly siblings: number
  /** When it was claimed, or earlier (of `performance.now()`): from then on it is the taker's for a lease. */
  readonly askedAt: number
}

/**
 * Messages that go from the one who accepts them to the one who sends them, in processes of one node, without a look at
 * the database. It carries what is claimed already: what is lost on the way comes due again when its holder has ended, or
 * its lease.
 */
export interface DirectSendsShape {
  /**
   * Who would send a message of this application now, as the holder of its lease; null where nobody does, and it is left
   * to whoever claims it. Asked before it is accepted.
   */
  readonly taker: (appId: AppId, priority: Priority) => HolderId | null
  /** Hands a message to the one who was named. Returns at once. */
  readonly give: (taker: HolderId, direct: DirectBatch) => void
  /**
   * Takes messages of this process until the scope closes. `isFree`: whether the application's messages may come at the
   * moment.
   */
  readonly take: (
    receive: (direct: DirectBatch) => void,
    isFree: (appId: AppId, priority: Priority) => boolean
  ) => Effect.Effect<void, never, Scope.Scope>
}

/**
 * Messages that go from the one who accepts them to the one who sends them, in processes of one node, without a look at
 * the database. It carries what is claimed already: what is lost on the way comes due again when its holder has ended, or
 * its lease. Where nothing carries any, all messages are left to whoever claims them.
 */
export class DirectSends extends Context.Reference<DirectSendsShape>("heliograph/ports/DirectSends", {
  defaultValue: () => ({ taker: () => null, give: () => {}, take: () => Effect.void })
}) {}
