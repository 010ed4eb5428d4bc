import { spawnSync } from "node:child_process"
import { versions } from "./Browsers.ts"

/*
 * npm run test:browsers: the tests of this folder, in real browsers. Names after it choose files, as with `npm test`.
 * `--long`: a thousand messages to Firefox, where the usual run has 250.
 * `--pictures`: only what takes pictures, of the dashboard and of the inbox, into docs/pictures or the folder that PICTURES names.
 */
process.stdout.write(`${versions()}\n`)
const given = process.argv.slice(2)
const names = given.filter((name) => name !== "--long")
const isForPictures = names.includes("--pictures")
const form = given.includes("--long") ? { BROWSERS_LONG: "1" } : {}
const { status } = spawnSync(
  "vitest",
  [
    "run",
    "--config",
    "test/browsers/vitest.config.ts",
    ...(isForPictures ? ["Pictures", "browsers/Inbox.browser"] : names)
  ],
  { stdio: "inherit", env: { ...(isForPictures ? { PICTURES: "docs/pictures" } : {}), ...form, ...process.env } }
)
process.exit(status ?? 1)
