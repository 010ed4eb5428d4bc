import "./compileCache.js"
import { flushCompileCache } from "node:module"

// While a service is being loaded it has nothing to end in order: a stop is then what it is later on, and no crash.
const stop = () => process.exit(0)
if (["serve", "simulate"].includes(process.argv[2]!)) process.once("SIGTERM", stop)

// Not imported before modules are kept; kept at once, not at the end: workers start soon, and an end may be a crash.
const { run } = await import("./cli/Run.ts")
flushCompileCache()
run()
process.off("SIGTERM", stop)
