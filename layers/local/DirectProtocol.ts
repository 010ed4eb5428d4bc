import type { AppId } from "../../services/domain/Ids.ts"
import type { Priority } from "../../services/domain/sending/Notification.ts"
import type { HolderId } from "../../services/ports/operations/HolderStore.ts"
import type { DirectBatch } from "../../services/ports/sending/DirectSends.ts"

/*
 * What a process that accepts and a worker process that sends say to each other. Other parties talk over the same
 * channel: everything here bears the mark `direct`.
 */

/** A direct send as it travels: moments of `performance.now()` are of one process alone, so it is the machine's clock. */
export interface OnWire extends Omit<DirectBatch, "askedAt"> {
  /** Milliseconds of the machine's monotonic clock. */
  readonly claimedAt: number
}

/** From the one who accepts. */
export type Order = { readonly direct: "take"; readonly list: ReadonlyArray<OnWire> }

/** How often a worker says that it is ready, and after how long a silent one is passed by. */
export const READY_MS = 500
export const SILENT_MS = 2_000

/** From a worker. */
export type Report =
  /** Said again every `READY_MS`. */
  | { readonly direct: "ready"; readonly holder: HolderId }
  /** It takes nothing of this application for a moment. */
  | { readonly direct: "busy"; readonly appId: AppId; readonly priority: Priority }
  /** It takes no more, or has no session at the database at the moment. */
  | { readonly direct: "gone" }

const isOurs = (message: unknown): message is Order | Report =>
  typeof message === "object" && message !== null && "direct" in message

export const isReport = (message: unknown): message is Report => isOurs(message) && message.direct !== "take"
export const isOrder = (message: unknown): message is Order => isOurs(message) && message.direct === "take"

const machineNow = (): number => Number(process.hrtime.bigint()) / 1e6

export const toWire = ({ askedAt, ...direct }: DirectBatch): OnWire => ({
  ...direct,
  claimedAt: machineNow() - (performance.now() - askedAt)
})

export const fromWire = ({ claimedAt, ...direct }: OnWire): DirectBatch => ({
  ...direct,
  askedAt: performance.now() - (machineNow() - claimedAt)
})
