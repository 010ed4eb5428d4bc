import "./compileCache.js"
import { flushCompileCache } from "node:module"

// Not imported before modules are kept; kept at once, not at the end: workers start soon, and an end may be a crash.
const { run } = await import("./cli/Run.ts")
flushCompileCache()
run()
