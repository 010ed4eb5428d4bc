import { Effect, Layer } from "effect"
import { hash } from "node:crypto"
import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { promisify } from "node:util"
import { brotliCompress, gzip } from "node:zlib"
import type { BrowserFile } from "../../services/ports/operations/BrowserFiles.ts"
import { BrowserFiles } from "../../services/ports/operations/BrowserFiles.ts"

/** Where `npm run sdk:browser` writes. */
const FOLDER = join(import.meta.dirname, "../../sdk/browser/dist")

const SCRIPTS = ["browser.js", "browser.global.js", "inbox.js", "sw.js"]
const NAMES = SCRIPTS.flatMap((name) => [name, `${name}.map`])

const read = async (folder: string, name: string): Promise<BrowserFile> => {
  const plain = readFileSync(join(folder, name))
  return {
    name,
    contentType: name.endsWith(".map") ? "application/json" : "application/javascript; charset=utf-8",
    plain,
    brotli: await promisify(brotliCompress)(plain),
    gzip: await promisify(gzip)(plain, { level: 9 }),
    etag: `"${hash("sha256", plain, "base64url").slice(0, 27)}"`
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
      const files = yield* Effect.promise(() => Promise.all(names.map((name) => read(folder, name))))
      return { files: new Map(files.map((file) => [file.name, file])) }
    })
  )

export const layer = layerOf(FOLDER)
