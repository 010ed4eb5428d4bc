import { enableCompileCache, registerHooks } from "node:module"
import { join } from "node:path"

// Modules are kept as they were compiled, types stripped, where only who installed the packages writes: a later process
// starts 0.3 s earlier. Where that cannot be written, nothing is kept. Plain JavaScript, and imported before main.ts by
// a flag: the type stripper, 20 MB, would be loaded for the first module with types. docs/decisions/0031
enableCompileCache(join(import.meta.dirname, "../node_modules/.cache/heliograph"))

/** What our modules import of packages, which is the same for all of them, as it was found. */
const found = new Map()

// Finding 1,200 modules took a quarter of the time of a start: node asks the disk for each whether it is there, where it
// really is, and which package.json is above it. What is named by a path and an ending leaves nothing to find out.
registerHooks({
  resolve(specifier, context, next) {
    const { conditions, parentURL } = context
    if (parentURL === undefined || conditions.includes("require")) return next(specifier, context)
    if (specifier.startsWith("node:")) return { url: specifier, format: "builtin", shortCircuit: true }
    const isOurs = !parentURL.includes("/node_modules/")
    if (specifier.startsWith(".")) {
      const format =
        isOurs && specifier.endsWith(".ts")
          ? "module-typescript"
          : specifier.endsWith(".js") && parentURL.includes("/node_modules/effect/dist/")
            ? "module"
            : null
      return format === null
        ? next(specifier, context)
        : { url: new URL(specifier, parentURL).href, format, shortCircuit: true }
    }
    if (!isOurs) return next(specifier, context)
    let known = found.get(specifier)
    if (known === undefined) found.set(specifier, (known = next(specifier, context)))
    return { ...known, shortCircuit: true }
  }
})
