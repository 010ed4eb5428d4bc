import { Effect } from "effect"
import type { IncomingMessage, Server } from "node:http"
import { ServerResponse } from "node:http"
import { Server as NetServer } from "node:net"
import { endRest } from "./Connections.ts"
import { Unwritten } from "./Unwritten.ts"

/*
 * How a server takes leave of its clients, within one deadline that begins with the signal:
 *
 *   begun    every answer carries `Connection: close`; whoever comes is still answered, while the node's work drains
 *   closed   nobody is let in any more, connections without a request are closed, and requests under way are finished;
 *            at the latest when RESERVE_MS are left, so that there is time for them
 *   over     whatever is still open is cut
 *
 * A client that keeps its connection busy is told to leave with its next answer, and is not cut in between: connections
 * are not closed for being idle before LINGER_MS are over, from the signal, and again from the closing of the door.
 */

/** For requests under way after the door is closed; a quarter of the time where that is less. */
const RESERVE_MS = 5_000
/** Longer than clients who send one request after the other take between two. */
const LINGER_MS = 250
/** Between two looks at what is still open. */
const LOOK_MS = 25
/** For the last answers to go out. */
const FLUSH_MS = 500

export class GracefulShutdown {
  #beganAt: number | null = null
  #endsAt = Infinity
  #open = 0
  #closedAt = Infinity
  #server: Server<typeof IncomingMessage> | null = null

  get hasBegun(): boolean {
    return this.#beganAt !== null
  }

  /** Answers of this class say goodbye once it has begun, leave no half a request behind, and are counted until they are read. */
  responses(unwritten = new Unwritten()): typeof ServerResponse<IncomingMessage> {
    const hasBegun = () => this.hasBegun
    return class extends ServerResponse<IncomingMessage> {
      override writeHead(status: number, ...more: ReadonlyArray<unknown>): this {
        if (hasBegun()) this.shouldKeepAlive = false
        endRest(this.req, this)
        return super.writeHead(status, ...(more as []))
      }

      override write(...rest: ReadonlyArray<unknown>): boolean {
        const last = rest.at(-1)
        const told = typeof last === "function" ? last : undefined
        const written = (error?: Error | null) => {
          unwritten.written(this)
          told?.(error)
        }
        const chunk = told === undefined ? rest : rest.slice(0, -1)
        const isTaken = super.write(...([...chunk, written] as ReadonlyArray<unknown> as [string]))
        unwritten.noteStream(this)
        return isTaken
      }

      override end(...rest: ReadonlyArray<unknown>): this {
        super.end(...(rest as []))
        unwritten.note(this)
        return this
      }
    }
  }

  watch(server: Server<typeof IncomingMessage>): void {
    this.#server = server
    server.on("connection", (socket) => {
      this.#open++
      socket.once("close", () => this.#open--)
    })
  }

  /** Milliseconds until everything has to be over. */
  begin(ms: number): void {
    if (this.hasBegun) return
    this.#beganAt = performance.now()
    this.#endsAt = this.#beganAt + ms
    setTimeout(() => this.#close(), ms - Math.min(RESERVE_MS, ms / 4)).unref()
  }

  /** Resolves when nobody is there any more, or time is up. */
  readonly end = (ms: number): Effect.Effect<void> =>
    Effect.callback((resume) => {
      this.begin(ms)
      const look = () => {
        const now = performance.now()
        if (this.#open === 0 || now - this.#beganAt! >= LINGER_MS) this.#close()
        // What has come to a connection while the process was busy is read first: it is not idle then.
        if (now - this.#closedAt >= LINGER_MS) setImmediate(() => this.#server!.closeIdleConnections())
        if (this.#open > 0 && now < this.#endsAt) return
        clearInterval(timer)
        setTimeout(() => this.#server!.closeAllConnections(), FLUSH_MS).unref()
        resume(Effect.void)
      }
      const timer = setInterval(look, LOOK_MS)
      look()
      return Effect.sync(() => clearInterval(timer))
    })

  #close(): void {
    if (!this.#server!.listening) return
    this.#closedAt = performance.now()
    // As a server of connections: as one of HTTP it would cut those whose request has not been read yet.
    NetServer.prototype.close.call(this.#server)
  }
}
