import { Effect, Layer } from "effect"
import { existsSync, globSync, readFileSync } from "node:fs"
import { extname, join } from "node:path"
import type { BuiltDashboard } from "../../services/ports/operations/DashboardFiles.ts"
import { DashboardFiles } from "../../services/ports/operations/DashboardFiles.ts"

/** Where `npm run dashboard:build` writes. */
const FOLDER = join(import.meta.dirname, "../../dashboard/dist")

const TYPES: Readonly<Record<string, string>> = {
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".svg": "image/svg+xml",
  ".html": "text/html; charset=utf-8",
  ".woff2": "font/woff2"
}

const readIfThere = (path: string): Uint8Array | null => (existsSync(path) ? readFileSync(path) : null)

/** Everything is read once and kept: it is small, and a build beside a running process changes nothing in it. */
const read = (folder: string): BuiltDashboard | null => {
  const page = readIfThere(join(folder, "index.html"))
  if (page === null) return null
  const names = globSync("assets/*", { cwd: folder }).filter((name) => extname(name) in TYPES)
  return {
    page: new TextDecoder().decode(page),
    files: names.toSorted().map((name) => ({
      name,
      contentType: TYPES[extname(name)]!,
      plain: readFileSync(join(folder, name)),
      brotli: readIfThere(join(folder, `${name}.br`)),
      gzip: readIfThere(join(folder, `${name}.gz`))
    }))
  }
}

export const layerOf = (folder: string): Layer.Layer<DashboardFiles> =>
  Layer.effect(
    DashboardFiles,
    Effect.sync(() => ({ built: read(folder) }))
  )

export const layer = layerOf(FOLDER)
