import { enableCompileCache } from "node:module"
import { join } from "node:path"

// Modules are kept as they were compiled, types stripped, where only who installed the packages writes: a later process
// starts 0.3 s earlier. Where that cannot be written, nothing is kept. Plain JavaScript, and imported before main.ts by
// a flag: the type stripper, 20 MB, would be loaded for the first module with types. docs/decisions/0031
enableCompileCache(join(import.meta.dirname, "../node_modules/.cache/heliograph"))
