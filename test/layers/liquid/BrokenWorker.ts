import { appendFileSync, writeSync } from "node:fs"
import { serialize } from "node:v8"
import { parentPort, workerData } from "node:worker_threads"
import type { Order, ThreadData } from "../../../layers/liquid/Protocol.ts"
import { NOTES } from "../../../layers/liquid/Protocol.ts"

/* A thread of templates with every fault that one can have. What it does for a recipient is said by the template's text. */

const { notes: shared, notesTo, reserved } = workerData as ThreadData
const notes = new Int32Array(shared)
const [kind] = reserved

if (kind === "stillborn") throw new Error("no such module")
if (kind === "stillborn process") process.kill(process.pid, "SIGKILL")

const kept: Array<unknown> = []
const known = new Map<number, string>()

const does: Readonly<Record<string, (file?: string) => void>> = {
  loop: () => {
    while (true);
  },
  memory: () => {
    while (true) kept.push({ kept: { kept } })
  },
  fault: () => {
    throw new Error("a fault of the library")
  },
  exit: () => process.exit(0),
  // As Node does when a string or a table does not fit into the heap.
  abort: () => {
    process.kill(process.pid, "SIGABRT")
    // The signal may reach another thread first, and what comes next here would be taken for the cause.
    while (true);
  },
  // Says that it has begun, and waits for its process to be ended.
  wait: (file) => {
    appendFileSync(file!, "x")
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0)
  }
}

parentPort!.on("message", (order: Order) => {
  if (order._tag !== "fill") return
  const { job, sources, template } = order
  if (sources !== null) known.set(template, sources[0]!.text)
  Atomics.store(notes, NOTES.job, job)
  Atomics.add(notes, NOTES.turn, 1)
  if (notesTo !== null) writeSync(notesTo, new Uint8Array(new Int32Array(notes).buffer))
  const [what, file] = known.get(template)!.split(" ", 2)
  if (order.skip !== 0) does[what!]?.(file)
  Atomics.store(notes, NOTES.job, 0)
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread, not a window
  parentPort!.postMessage(serialize({ _tag: "fill", job, values: ["filled"], count: 1 }))
})
