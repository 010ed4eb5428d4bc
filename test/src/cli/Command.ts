import { Effect } from "effect"
import type { Scope } from "effect"
import { spawn } from "node:child_process"
import { once } from "node:events"
import { mkdtemp, rm } from "node:fs/promises"
import { createServer } from "node:net"
import type { AddressInfo, Socket } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { Client } from "pg"

export const MAIN = fileURLToPath(new URL("../../../src/main.ts", import.meta.url))

/** How a command ended: `code` is null when it had to be killed, because it did not end by itself. */
export interface Ended {
  readonly code: number | null
  readonly out: string
  readonly err: string
}

/** Nothing that a command waits for takes so long; a busy machine has room. */
const TIMEOUT_MS = 150_000

/** Runs a command as users do, in a process of its own, with nothing but these settings, until it ends by itself. */
export const command = (
  args: ReadonlyArray<string>,
  env: Readonly<Record<string, string>>,
  /** Sent once the predicate holds for what it has printed. */
  signal?: { readonly name: NodeJS.Signals; readonly when: (printed: string) => boolean }
): Effect.Effect<Ended> =>
  Effect.promise(async () => {
    const child = spawn(process.execPath, [MAIN, ...args], {
      env: { PATH: process.env["PATH"], ...env },
      stdio: ["ignore", "pipe", "pipe"]
    })
    let out = ""
    let err = ""
    let isTold = false
    const tell = () => {
      if (signal === undefined || isTold || !signal.when(out + err)) return
      isTold = true
      child.kill(signal.name)
    }
    child.stdout.setEncoding("utf8").on("data", (text: string) => {
      out += text
      tell()
    })
    child.stderr.setEncoding("utf8").on("data", (text: string) => {
      err += text
      tell()
    })
    const timer = setTimeout(() => child.kill("SIGKILL"), TIMEOUT_MS)
    const [code, killedBy] = (await once(child, "close")) as [number | null, NodeJS.Signals | null]
    clearTimeout(timer)
    // Ended by the default action of the signal it was sent is what shells call 128 and its number.
    return { code: killedBy === signal?.name && killedBy === "SIGINT" ? 130 : code, out, err }
  })

export const folder: Effect.Effect<string, never, Scope.Scope> = Effect.acquireRelease(
  Effect.promise(() => mkdtemp(join(tmpdir(), "heliograph-command-"))),
  (path) => Effect.promise(() => rm(path, { recursive: true, force: true }))
)

/** A server that takes connections and never says a word; tells the address, and of the first connection. */
export const silentServer = Effect.acquireRelease(
  Effect.promise(async () => {
    const sockets = new Set<Socket>()
    const server = createServer((socket) => sockets.add(socket.on("error", () => {}))).listen(0, "127.0.0.1")
    await once(server, "listening")
    return { server, sockets, port: (server.address() as AddressInfo).port }
  }),
  ({ server, sockets }) =>
    Effect.sync(() => {
      for (const socket of sockets) socket.destroy()
      server.close()
    })
)

/** What a statement answers, as whoever the URL names. */
export const query = (url: string, statement: string) =>
  Effect.promise(async () => {
    const client = new Client(url)
    await client.connect()
    try {
      return (await client.query(statement)).rows as ReadonlyArray<Readonly<Record<string, unknown>>>
    } finally {
      await client.end()
    }
  })
