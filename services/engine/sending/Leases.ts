import type { EngineSettings } from "../../ports/EngineSettings.ts"

/** What a lease of webhook work lasts beyond the longest attempt: the time to write its result. */
const LEASE_MARGIN_MS = 2_000

/** An attempt that is under way must not be taken over by another node. */
export const webhookLeaseMs = ({ leaseMs, webhookTimeoutMs }: EngineSettings["Service"]): number =>
  Math.max(leaseMs, webhookTimeoutMs + LEASE_MARGIN_MS)
