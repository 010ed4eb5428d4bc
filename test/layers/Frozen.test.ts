import { fork } from "node:child_process"
import { once } from "node:events"
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { createServer as createHttpServer, type RequestListener, type ServerResponse } from "node:http"
import type { Http2ServerResponse } from "node:http2"
import { createSecureServer as createHttp2Server } from "node:http2"
import { createServer as createHttpsServer } from "node:https"
import type { AddressInfo, Server, Socket } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import { SMTPServer } from "smtp-server"
import { afterAll, describe, it } from "vitest"
import { certificates } from "./http2/RawPeer.ts"

const directory = mkdtempSync(join(tmpdir(), "heliograph-frozen-"))
const caFile = join(directory, "ca.pem")
writeFileSync(caFile, certificates.ca)
afterAll(() => rmSync(directory, { recursive: true }))

/** No more than a pool has connections to a mail server. */
const COUNT = 8
/** The requests' time: what a busy machine needs to send them and to freeze who did. */
const TIMEOUT_MS = 5_000

type Waiting = Pick<ServerResponse | Http2ServerResponse, "end">
type Listener = (request: unknown, response: Waiting) => void

const { cert, key } = certificates
const servers: Readonly<Record<string, (listener: Listener) => Server>> = {
  own: (listener) => createHttp2Server({ cert, key }, listener),
  wrapper: (listener) => createHttp2Server({ cert, key }, listener),
  http1: (listener) => createHttpsServer({ cert, key }, listener as RequestListener),
  webhook: (listener) => createHttpServer(listener as RequestListener),
  smtp: (listener) =>
    new SMTPServer({
      authOptional: true,
      hideSTARTTLS: true,
      // Answers the final dot.
      onData: (stream, _session, answer) => {
        stream.resume().once("end", () => listener(null, { end: () => answer() } as unknown as Waiting))
      }
    }).server
}

/** The state of a process, as the system shows it: T is stopped. */
const stateOf = (pid: number): string => /\) (\S)/.exec(readFileSync(`/proc/${pid}/stat`, "latin1"))![1]!

/** Freezes a client that waits for answers, answers it, and lets it go on when its requests are out of time. */
const freeze = async (kind: string) => {
  const waiting: Array<Waiting> = []
  let full: () => void
  const allThere = new Promise<void>((resolve) => (full = resolve))
  const server = servers[kind]!((_, response) => {
    if (waiting.push(response) === COUNT) full()
  })
  const sockets = new Set<Socket>()
  server.on(kind === "webhook" || kind === "smtp" ? "connection" : "secureConnection", (socket: Socket) => {
    sockets.add(socket.on("error", () => {}))
  })
  server.listen(0, "127.0.0.1")
  await once(server, "listening")
  const { port } = server.address() as AddressInfo
  const script = join(import.meta.dirname, "FrozenClient.ts")
  const child = fork(script, [kind, String(port), String(COUNT), String(TIMEOUT_MS), caFile])
  try {
    await allThere
    child.kill("SIGSTOP")
    while (stateOf(child.pid!) !== "T") await sleep(1)
    for (const response of waiting) response.end("ok")
    // The fault itself: it sleeps beyond the time of every request.
    await sleep(TIMEOUT_MS + 1_000)
    const told = once(child, "message")
    child.kill("SIGCONT")
    return (await told)[0] as unknown
  } finally {
    child.kill("SIGKILL")
    for (const socket of sockets) socket.destroy()
    server.close()
  }
}

describe.skipIf(process.platform !== "linux").concurrent("a process that was frozen beyond its requests' time", () => {
  it.for(Object.keys(servers))(
    "counts every answer that had come to it meanwhile (%s)",
    async (kind, { expect: expectHere }) => {
      expectHere(await freeze(kind)).toEqual({ answered: COUNT, failed: [] })
    }
  )
})
