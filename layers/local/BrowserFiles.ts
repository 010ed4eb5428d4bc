import { Effect, Layer } from "effect"
import { hash } from "node:crypto"
import { existsSync } from "node:fs"
import { join } from "node:path"
import type { BrowserFile } from "../../services/ports/operations/BrowserFiles.ts"
import { BrowserFiles } from "../../services/ports/operations/BrowserFiles.ts"
import { readBuilt } from "./BuiltFile.ts"

/** Where `npm run sdk:browser` writes. */
const FOLDER = join(import.meta.dirname, "../../sdk/browser/dist")

const SCRIPTS = ["browser.js", "browser.global.js", "inbox.js", "sw.js"]
const NAMES = SCRIPTS.flatMap((name) => [name, `${name}.map`])

const read = (folder: string, name: string): BrowserFile => {
  const forms = readBuilt(join(folder, name))
  return {
    name,
    contentType: name.endsWith(".map") ? "application/json" : "application/javascript; charset=utf-8",
    ...forms,
    etag: `"${hash("sha256", forms.plain, "base64url").slice(0, 27)}"`
  }
}

/** Everything is read once and kept: it is small, and a build beside a running process changes nothing in it. */
export const layerOf = (folder: string): Layer.Layer<BrowserFiles> =>
  Layer.effect(
    BrowserFiles,
    Effect.gen(function* () {
      const names = NAMES.filter((name) => existsSync(join(folder, name)))
      if (names.length < NAMES.length) {
        yield* Effect.logWarning(
          "The browsers' SDK was not built: /sdk and /sw.js answer 404. Build it with npm run sdk:browser"
        )
      }
      return { files: new Map(names.map((name) => [name, read(folder, name)])) }
    })
  )

export const layer = layerOf(FOLDER)
