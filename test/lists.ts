import { spawn } from "node:child_process"
import { createRequire } from "node:module"
import { dirname, join } from "node:path"

/* `npm run test:lists`: the tests of lists with a million rows. A process of its own, because not every shell can set a variable. */

const vitest = join(dirname(createRequire(import.meta.url).resolve("vitest/package.json")), "vitest.mjs")
const args = ["run", "--silent=false", "--no-file-parallelism"]
const files = ["test/layers/postgres/Lists.test.ts", "test/contract/Pages.test.ts"]
const child = spawn(process.execPath, [vitest, ...args, ...files, ...process.argv.slice(2)], {
  env: { LISTS_ROWS: "1000000", ...process.env },
  stdio: "inherit"
})
child.once("exit", (code) => process.exit(code ?? 1))
