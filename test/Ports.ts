import { Effect } from "effect"
import { lastingPorts } from "../simulators/LastingPorts.ts"

/** Ports of a worker of the tests, or of whatever else runs this, from 20,000 to 29,999; the demo's begin above. */
const OWN = 1_000

/** Test files that run at the same time have ports of their own, and one file gives each of them once. */
const next = lastingPorts(20_000 + (Number(process.env["VITEST_POOL_ID"] ?? 0) % 10) * OWN, OWN)

/** A port on loopback for a server that will be started later, or killed and come back to it. */
export const lastingPort: Effect.Effect<number> = Effect.promise(next)
