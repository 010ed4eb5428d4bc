import { spawnSync } from "node:child_process"
import { versions } from "./Browsers.ts"

/*
 * npm run test:browsers: the tests of this folder, in real browsers. Names after it choose files, as with `npm test`.
 * `--pictures`: only what takes the pictures of the dashboard, into docs/pictures or the folder that PICTURES names.
 */
process.stdout.write(`${versions()}\n`)
const names = process.argv.slice(2)
const isForPictures = names.includes("--pictures")
const { status } = spawnSync(
  "vitest",
  ["run", "--config", "test/browsers/vitest.config.ts", ...(isForPictures ? ["Pictures"] : names)],
  { stdio: "inherit", env: { ...(isForPictures ? { PICTURES: "docs/pictures" } : {}), ...process.env } }
)
process.exit(status ?? 1)
