import { Effect } from "effect"
import { spawn } from "node:child_process"
import { once } from "node:events"
import { chmod, mkdtemp, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { lastingPort } from "./Ports.ts"
import { program } from "./Programs.ts"

/** A real PgBouncer, in its default configuration but for the addresses, in front of a server; ends with the scope. */
export const pgBouncer = Effect.fnUntraced(function* (server: string, mode: "session" | "transaction") {
  const { hostname, password, pathname, port: serverPort, username } = new URL(server)
  const port = yield* lastingPort
  const folder = yield* Effect.acquireRelease(
    Effect.promise(() => mkdtemp(join(tmpdir(), "heliograph-pgbouncer-"))),
    (path) => Effect.promise(() => rm(path, { recursive: true, force: true }))
  )
  const child = yield* Effect.acquireRelease(
    Effect.promise(async () => {
      // It does not run as root, and reads its files as another user.
      await chmod(folder, 0o755)
      const ini = [
        "[databases]",
        `* = host=${hostname} port=${serverPort} user=${username}${password === "" ? "" : ` password=${password}`}`,
        "[pgbouncer]",
        "listen_addr = 127.0.0.1",
        `listen_port = ${port}`,
        "unix_socket_dir =",
        "auth_type = any",
        `pool_mode = ${mode}`
      ]
      await writeFile(join(folder, "pgbouncer.ini"), `${ini.join("\n")}\n`)
      const asUser = process.getuid?.() === 0 ? ["--user=nobody"] : []
      const started = spawn(program("pgbouncer", "pgbouncer"), [...asUser, join(folder, "pgbouncer.ini")], {
        stdio: ["ignore", "ignore", "pipe"]
      })
      let said = ""
      await new Promise<void>((resolve, reject) => {
        started.stderr.on("data", (chunk) => {
          said += String(chunk)
          if (/process up/.test(said)) resolve()
        })
        started.on("exit", () => reject(new Error(`pgbouncer ended: ${said}`)))
      })
      return started
    }),
    (running) =>
      Effect.promise(async () => {
        if (running.exitCode !== null) return
        const ended = once(running, "exit")
        running.kill("SIGKILL")
        await ended
      })
  )
  return { url: `postgres://heliograph@127.0.0.1:${port}${pathname}`, pid: child.pid! }
})
