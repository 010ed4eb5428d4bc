import { createHash, randomUUID } from "node:crypto"
import { existsSync, globSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { compress } from "../sdk/browser/compress.ts"

/*
 * Builds the dashboard into dashboard/dist, unless what is there was made of the same sources: `npm start` runs this
 * first. Two that run at once do the work twice, and each leaves a whole folder behind.
 */

const HERE = import.meta.dirname
const DIST = join(HERE, "dist")
const STAMP = "sources.txt"

/** Of all that the result depends on. */
const stampOf = (): string => {
  const sources = globSync(["src/**/*", "*.{ts,json,html}"], { cwd: HERE, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .toSorted()
  const hash = createHash("sha256").update(process.version)
  for (const path of [...sources, join(HERE, "../sdk/browser/compress.ts"), join(HERE, "../package-lock.json")]) {
    hash.update(`${path.slice(HERE.length)}\n`).update(readFileSync(path))
  }
  return hash.digest("hex")
}

const stamp = stampOf()
const stampFile = join(DIST, STAMP)
if (!existsSync(stampFile) || readFileSync(stampFile, "utf8") !== stamp) {
  const began = performance.now()
  // As its packages are: a development that is set elsewhere would build React's slow half.
  process.env["NODE_ENV"] = "production"
  const { build } = await import("vite")
  const made = join(HERE, `.dist-${randomUUID()}`)
  try {
    await build({
      configFile: join(HERE, "vite.config.ts"),
      logLevel: "error",
      build: { outDir: made, emptyOutDir: true }
    })
    await Promise.all(globSync("assets/*.{js,css,svg}", { cwd: made }).map((name) => compress(join(made, name))))
    writeFileSync(join(made, STAMP), stamp)
    rmSync(DIST, { recursive: true, force: true })
    renameSync(made, DIST)
  } finally {
    rmSync(made, { recursive: true, force: true })
  }
  const seconds = ((performance.now() - began) / 1000).toFixed(1)
  process.stdout.write(`Built the dashboard in ${seconds} s: its sources had changed\n`)
}
