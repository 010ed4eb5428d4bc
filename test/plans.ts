import { spawn } from "node:child_process"
import { createRequire } from "node:module"
import { dirname, join } from "node:path"

/* `npm run test:plans`: the test of plans with a million rows. A process of its own, because not every shell can set a variable. */

const vitest = join(dirname(createRequire(import.meta.url).resolve("vitest/package.json")), "vitest.mjs")
const args = ["run", "--silent=false", "test/layers/postgres/Plans.test.ts"]
const child = spawn(process.execPath, [vitest, ...args, ...process.argv.slice(2)], {
  env: { PLANS_ROWS: "1000000", ...process.env },
  stdio: "inherit"
})
child.once("exit", (code) => process.exit(code ?? 1))
