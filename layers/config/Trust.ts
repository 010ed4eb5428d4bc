import { Effect } from "effect"
import { readFileSync } from "node:fs"
import type { SecureContextOptions } from "node:tls"
import { getCACertificates } from "node:tls"
import { Settings } from "./Settings.ts"

/**
 * Whom outbound TLS trusts: Node's own (its roots, NODE_EXTRA_CA_CERTS), widened by `outboundCaFile`.
 * Dies when that file cannot be read.
 */
export const trust: Effect.Effect<Pick<SecureContextOptions, "ca">, never, Settings> = Effect.gen(function* () {
  const { outboundCaFile } = yield* Settings
  if (outboundCaFile === null) return {}
  return { ca: [...getCACertificates("default"), yield* Effect.sync(() => readFileSync(outboundCaFile, "utf8"))] }
})
