import type { ChildProcess } from "node:child_process"
import type { MessagePort } from "node:worker_threads"

/** A pipe between two processes, or threads, that carries plain values in order, until either end closes. */
export interface Channel {
  /** Tells when the value is on its way, or that it never will be. */
  readonly send: (message: unknown, sent?: (error: Error | null) => void) => void
  /** Answers how to stop listening. */
  readonly onMessage: (listener: (message: unknown) => void) => () => void
  /** Called once; at once, when it is closed already. */
  readonly onClose: (listener: () => void) => void
}

/** The channel of `child_process.fork`, from either side: a child for the parent, `process` for the child. */
export const ofProcess = (other: ChildProcess | NodeJS.Process): Channel => ({
  send: (message, sent = () => {}) => {
    if (!other.connected) return sent(new Error("the other process has closed the channel"))
    other.send!(message as object, undefined, undefined, (error: Error | null) => sent(error))
  },
  onMessage: (listener) => {
    other.on("message", listener)
    return () => void other.off("message", listener)
  },
  onClose: (listener) => {
    if (!other.connected) return listener()
    other.once("disconnect", listener)
  }
})

/** A `MessageChannel`'s end, for threads and tests. */
export const ofPort = (port: MessagePort): Channel => {
  let isClosed = false
  port.once("close", () => (isClosed = true))
  return {
    send: (message, sent = () => {}) => {
      if (isClosed) return sent(new Error("the channel is closed"))
      port.postMessage(message)
      sent(null)
    },
    onMessage: (listener) => {
      port.on("message", listener)
      return () => void port.off("message", listener)
    },
    onClose: (listener) => {
      if (isClosed) listener()
      else port.once("close", listener)
    }
  }
}
