import { existsSync, readFileSync } from "node:fs"

const readIfThere = (path: string): Uint8Array | null => (existsSync(path) ? readFileSync(path) : null)

/** A file of a build with its compressed forms, which the build wrote beside it; null where they save nothing. */
export const readBuilt = (
  path: string
): { readonly plain: Uint8Array; readonly brotli: Uint8Array | null; readonly gzip: Uint8Array | null } => ({
  plain: readFileSync(path),
  brotli: readIfThere(`${path}.br`),
  gzip: readIfThere(`${path}.gz`)
})
