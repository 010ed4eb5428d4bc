import { Console, Effect } from "effect"
import { Command, Flag } from "effect/cli"
import { runBrowserDemo } from "../demo/BrowserDemo.ts"
import { runDemo } from "../demo/Demo.ts"
import { DemoError } from "../demo/DemoProcesses.ts"
import { bar, problemsOf, table } from "../demo/Report.ts"
import { wholeNumber } from "./Flags.ts"

/** Redraws one line on a terminal; elsewhere, one line for each tenth. */
const makeProgress = () => {
  let shown = ""
  let drawnAt = 0
  return (label: string, done: number, all: number): void => {
    const isEnd = done >= all
    if (process.stderr.isTTY) {
      const now = Date.now()
      if (!isEnd && now - drawnAt < 50) return
      drawnAt = now
      process.stderr.write(`\r\u001b[K${bar(label, done, all)}${isEnd ? "\n" : ""}`)
      return
    }
    const step = `${label} ${Math.floor((done / Math.max(1, all)) * 10)}`
    if (step === shown) return
    shown = step
    process.stderr.write(`${bar(label, done, all)}\n`)
  }
}

export const demo = Command.make(
  "demo",
  {
    devices: wholeNumber("devices", { minimum: 1, maximum: 10_000_000 }).pipe(
      Flag.withDescription("Recipients of the mailing, 10000 by default; one of ten is an e-mail address"),
      Flag.withDefault(10_000)
    ),
    json: Flag.Boolean("json").pipe(
      Flag.withDescription("Print the result as one JSON object on the last line"),
      Flag.withDefault(false)
    ),
    split: Flag.Boolean("split").pipe(
      Flag.withDescription("Use two engine processes, --roles api and --roles dispatch,webhooks; needs NATS_URL"),
      Flag.withDefault(false)
    ),
    browser: Flag.Boolean("browser").pipe(
      Flag.withDescription(
        "Instead of the mailing, open a page in Firefox on which one allows notifications and sees one arrive"
      ),
      Flag.withDefault(false)
    ),
    kill: Flag.Boolean("kill").pipe(
      Flag.withDescription("Kill the sending engine in the middle of the mailing (SIGKILL) and start it again"),
      Flag.withDefault(false)
    )
  },
  ({ browser, devices, json, kill, split }) =>
    Effect.scoped(
      Effect.gen(function* () {
        if (browser) return yield* runBrowserDemo((line) => process.stderr.write(`${line}\n`))
        const report = yield* runDemo({
          devices,
          isSplit: split,
          isKilled: kill,
          say: (line) => process.stderr.write(`${line}\n`),
          progress: makeProgress()
        })
        yield* Console.log(json ? JSON.stringify(report) : `\n${table(report)}`)
        const problems = problemsOf(report, kill)
        if (problems.length > 0) return yield* new DemoError({ message: problems.join("\n") })
      })
    )
).pipe(
  Command.withDescription(
    "The main job on simulators: one mailing over APNs, FCM, Web Push and SMTP, with two webhooks, and its totals"
  )
)
