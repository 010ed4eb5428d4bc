import { Effect, Layer } from "effect"
import { existsSync, globSync, readFileSync } from "node:fs"
import { extname, join } from "node:path"
import type { BuiltDashboard } from "../../services/ports/operations/DashboardFiles.ts"
import { DashboardFiles } from "../../services/ports/operations/DashboardFiles.ts"
import { readBuilt } from "./BuiltFile.ts"

/** Where `npm run dashboard:build` writes. */
const FOLDER = join(import.meta.dirname, "../../dashboard/dist")

const TYPES: Readonly<Record<string, string>> = {
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".svg": "image/svg+xml",
  ".html": "text/html; charset=utf-8",
  ".woff2": "font/woff2"
}

/** Everything is read once and kept: it is small, and a build beside a running process changes nothing in it. */
const read = (folder: string): BuiltDashboard | null => {
  const page = join(folder, "index.html")
  if (!existsSync(page)) return null
  const names = globSync("assets/*", { cwd: folder }).filter((name) => extname(name) in TYPES)
  return {
    page: readFileSync(page, "utf8"),
    files: names.toSorted().map((name) => ({
      name,
      contentType: TYPES[extname(name)]!,
      ...readBuilt(join(folder, name))
    }))
  }
}

export const layerOf = (folder: string): Layer.Layer<DashboardFiles> =>
  Layer.effect(
    DashboardFiles,
    Effect.sync(() => ({ built: read(folder) }))
  )

export const layer = layerOf(FOLDER)
