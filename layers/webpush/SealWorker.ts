import { parentPort } from "node:worker_threads"
import type { Slice } from "./Slice.ts"
import { bodyBytes, Sealing } from "./Slice.ts"

/* What a thread of SealThread.ts runs: it encrypts slice after slice, and makes keys ahead when there is none. */

const sealing = new Sealing()
sealing.senders.refill()

parentPort!.on("message", (slice: Slice) => {
  const sealed = new Uint8Array(slice.count * bodyBytes(slice))
  for (let index = 0; index < slice.count; index++) sealing.seal(slice, index, sealed)
  parentPort!.postMessage(sealed, [sealed.buffer])
  sealing.senders.refill()
})
