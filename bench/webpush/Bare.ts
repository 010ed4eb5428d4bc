import { diffieHellman, generateKeyPairSync } from "node:crypto"
import { parentPort } from "node:worker_threads"

/* Nothing but key agreements on P-256, most of what a message costs: they share no memory and leave next to nothing. */

const pair = () => generateKeyPairSync("ec", { namedCurve: "P-256" })
const { privateKey } = pair()
const { publicKey } = pair()

/** Makes as many agreements as there are messages from number `from` up to `to`. */
export const agree = (from: number, to: number): void => {
  for (let n = from; n < to; n++) diffieHellman({ privateKey, publicKey })
}

parentPort?.on("message", ({ from, to }: { readonly from: number; readonly to: number }) => {
  agree(from, to)
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread, not a window
  parentPort!.postMessage(null)
})
