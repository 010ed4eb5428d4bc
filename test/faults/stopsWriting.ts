import { existsSync, rmSync } from "node:fs"

/*
 * Loaded before a process of the engine: once the file STOP_WRITING is there, it stops itself (SIGSTOP) among the requests
 * that it writes for a provider in one go, after some of them and before the socket has any. The file is gone by then.
 */
const flag = process.env["STOP_WRITING"]!
/** Pages of what goes to a provider are no smaller (layers/http2/Output.ts). */
const PAGE = 1 << 15
/** Some are written before, and more than it come in a batch. */
const NTH = 5

type Write = (this: Buffer, text: string, ...rest: ReadonlyArray<unknown>) => number

const write = Buffer.prototype.write as unknown as Write
let inOneGo = 0
const stopping: Write = function (text, ...rest) {
  if (this.length >= PAGE) {
    if (inOneGo++ === 0) setImmediate(() => (inOneGo = 0))
    if (inOneGo === NTH && existsSync(flag)) {
      rmSync(flag)
      process.kill(process.pid, "SIGSTOP")
    }
  }
  return write.call(this, text, ...rest)
}
Object.assign(Buffer.prototype, { write: stopping })
