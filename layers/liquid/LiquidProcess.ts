import type { FromProcess, ProcessData, ToProcess } from "./Protocol.ts"
import { RenderThread } from "./RenderThread.ts"

/*
 * What the process of RenderProcess.ts runs: it looks after the thread that has the Liquid library, passes on what the
 * thread is given and answers, and says how the thread ended. It ends with the service's process, however that ends.
 */

const { deadlineMs, file, notesTo, reserved } = JSON.parse(process.argv[2]!) as ProcessData

const tell = (message: FromProcess, then?: () => void): void => {
  process.send!(message, undefined, undefined, () => then?.())
}

process.on("disconnect", () => process.exit())
if (!process.connected) process.exit()
// A terminal, or systemd, tells a whole group to end. What is under way in the service still needs its templates.
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, () => {})

const thread = new RenderThread(new URL(file), reserved, deadlineMs, notesTo, tell, ({ error, ...end }) =>
  tell({ _tag: "ended", end, message: error instanceof Error ? error.message : null }, () => process.exit())
)

process.on("message", (message: ToProcess) => {
  switch (message._tag) {
    case "idle":
      return thread.idle()
    case "ask":
      return tell({ _tag: "here" })
    default:
      thread.busy()
      return thread.post(message)
  }
})
