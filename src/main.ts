import "./compileCache.js"
import { flushCompileCache } from "node:module"

// While a service is being loaded it has nothing to end in order: a stop is then what it is later on, and no crash.
const stop = () => process.exit(0)
const isService = ["serve", "simulate"].includes(process.argv[2]!)
if (isService) process.once("SIGTERM", stop)

// Not imported before modules are kept; kept at once, not at the end: workers start soon, and an end may be a crash.
const { run } = await import("./cli/Run.ts")
flushCompileCache()
// Modules load without a pause: a signal that came meanwhile is heard in the first one.
if (isService) await new Promise(setImmediate)
process.off("SIGTERM", stop)
run()
