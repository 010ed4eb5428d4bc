import { createHash, randomUUID } from "node:crypto"
import { existsSync, globSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs"
import { spawnSync } from "node:child_process"
import { join } from "node:path"
import { compress } from "./compress.ts"

/*
 * Builds the SDK into sdk/browser/dist, unless what is there was made of the same sources. With `--types`, type
 * declarations too, for the package. Two that run at once do the work twice, and each leaves a whole folder behind.
 */

const HERE = import.meta.dirname
const DIST = join(HERE, "dist")
const STAMP = "sources.txt"

const BUNDLES = [
  { input: "page/client.ts", file: "browser.js", format: "es" },
  { input: "page/global.ts", file: "browser.global.js", format: "iife" },
  { input: "worker/worker.ts", file: "sw.js", format: "iife" },
  { input: "inbox/element.ts", file: "inbox.js", format: "es" },
  { input: "inbox/react.ts", file: "react.js", format: "es" },
  { input: "inbox/vue.ts", file: "vue.js", format: "es" }
] as const

/** The wrappers load the component's file, so that a page has its class once. */
const besideWrappers = {
  name: "beside-wrappers",
  resolveId: (source: string, importer: string | undefined) =>
    source === "./element.ts" && /(react|vue)\.ts$/.test(importer ?? "")
      ? { id: "./inbox.js", external: true }
      : undefined
}

const stampOf = (isTyped: boolean): string => {
  const hash = createHash("sha256").update(isTyped ? "typed" : "")
  for (const name of globSync("{shared,page,worker,inbox}/*", { cwd: HERE }).toSorted()) {
    hash.update(`${name}\n`).update(readFileSync(join(HERE, name)))
  }
  return hash
    .update(readFileSync(join(HERE, "build.ts")))
    .update(readFileSync(join(HERE, "compress.ts")))
    .update(readFileSync(join(HERE, "package.json")))
    .digest("hex")
}

const declare = (folder: string): void => {
  const options = ["--noEmit", "false", "--declaration", "--emitDeclarationOnly", "--outDir", join(folder, "types")]
  const { status, stdout } = spawnSync("tsc", ["-p", HERE, ...options], {
    encoding: "utf8"
  })
  if (status !== 0) throw new Error(`The types were not written: ${stdout}`)
  // Declarations name their neighbours as the sources do, which stay here.
  for (const path of globSync(join(folder, "types/**/*.d.ts"))) {
    writeFileSync(path, readFileSync(path, "utf8").replaceAll(/(from "\.[^"]*)\.ts"/g, '$1.js"'))
  }
}

const isTyped = process.argv.includes("--types")
const stampFile = join(DIST, STAMP)
const present = existsSync(stampFile) ? readFileSync(stampFile, "utf8") : ""
if (present !== stampOf(true) && (isTyped || present !== stampOf(false))) {
  const began = performance.now()
  const { build } = await import("rolldown")
  const made = join(HERE, `.dist-${randomUUID()}`)
  try {
    for (const { file, format, input } of BUNDLES) {
      await build({
        input: join(HERE, input),
        external: ["react", "vue"],
        plugins: [besideWrappers],
        logLevel: "warn",
        output: { file: join(made, file), format, minify: true, sourcemap: true, comments: false }
      })
    }
    await Promise.all(globSync("*.{js,map}", { cwd: made }).map((name) => compress(join(made, name))))
    if (isTyped) declare(made)
    writeFileSync(join(made, STAMP), stampOf(isTyped))
    // Whoever reads the folder meanwhile finds it, but for a moment.
    if (existsSync(DIST)) renameSync(DIST, `${made}-before`)
    renameSync(made, DIST)
  } finally {
    rmSync(made, { recursive: true, force: true })
    rmSync(`${made}-before`, { recursive: true, force: true })
  }
  process.stdout.write(`Built the browsers' SDK in ${((performance.now() - began) / 1000).toFixed(1)} s\n`)
}
