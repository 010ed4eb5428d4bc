import { spawnSync } from "node:child_process"
import { versions } from "./Browsers.ts"

/*
 * npm run test:browsers: the tests of this folder, in real browsers. Names after it choose files, as with `npm test`.
 */
process.stdout.write(`${versions()}\n`)
const { status } = spawnSync(
  "vitest",
  ["run", "--config", "test/browsers/vitest.config.ts", ...process.argv.slice(2)],
  { stdio: "inherit" }
)
process.exit(status ?? 1)
