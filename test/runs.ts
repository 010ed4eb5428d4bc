import { spawn } from "node:child_process"
import { createRequire } from "node:module"
import { dirname, join } from "node:path"

/* `npm run test:runs`: 400 random workflows, 34,000 runs. A process of its own, because not every shell can set a variable. */

const vitest = join(dirname(createRequire(import.meta.url).resolve("vitest/package.json")), "vitest.mjs")
const files = ["test/layers/postgres/workflows/RandomRuns.test.ts"]
const child = spawn(process.execPath, [vitest, "run", ...files, ...process.argv.slice(2)], {
  env: { RUNS_SEEDS: "1:400", ...process.env },
  stdio: "inherit"
})
child.once("exit", (code) => process.exit(code ?? 1))
