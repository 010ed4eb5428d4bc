import { existsSync, readFileSync } from "node:fs"
import type { DashboardFile } from "../../services/ports/operations/DashboardFiles.ts"

const readIfThere = (path: string): Uint8Array | null => (existsSync(path) ? readFileSync(path) : null)

/** A file of a build with its compressed forms, which the build wrote beside it; null where they save nothing. */
export const readBuilt = (path: string): Pick<DashboardFile, "plain" | "brotli" | "gzip"> => ({
  plain: readFileSync(path),
  brotli: readIfThere(`${path}.br`),
  gzip: readIfThere(`${path}.gz`)
})
