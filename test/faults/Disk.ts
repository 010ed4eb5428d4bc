import type { Scope } from "effect"
import { Effect } from "effect"
import { execFileSync } from "node:child_process"
import { chmodSync, closeSync, mkdtempSync, openSync, rmdirSync, rmSync, statfsSync, writeSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"

/** A small disk in memory, to be filled to its last block and freed again. Only root may mount one. */
export interface Disk {
  readonly path: string
  /** Takes all the room but so many bytes. */
  readonly fill: (but?: number) => Effect.Effect<void>
  readonly free: Effect.Effect<void>
}

export const makeDisk = (megabytes: number): Effect.Effect<Disk, never, Scope.Scope> =>
  Effect.gen(function* () {
    const path = yield* Effect.acquireRelease(
      Effect.sync(() => {
        const path = mkdtempSync(join(tmpdir(), "heliograph-disk-"))
        execFileSync("mount", ["-t", "tmpfs", "-o", `size=${megabytes}m`, "tmpfs", path])
        chmodSync(path, 0o777)
        return path
      }),
      (path) =>
        Effect.sync(() => {
          // Lazily: a process that is on its way out may still hold a file.
          execFileSync("umount", ["-l", path])
          rmdirSync(path)
        })
    )
    const ballast = join(path, "ballast")
    const free = Effect.sync(() => rmSync(ballast, { force: true }))
    return {
      path,
      free,
      fill: (but = 0) =>
        Effect.sync(() => {
          const file = openSync(ballast, "a")
          const block = Buffer.alloc(65_536, 1)
          try {
            while (true) {
              const { bavail, bsize } = statfsSync(path)
              const room = bavail * bsize - but
              if (room <= 0) break
              writeSync(file, block, 0, Math.min(room, block.length))
            }
          } catch (error) {
            // Somebody else took the last block, which is as good.
            if ((error as NodeJS.ErrnoException).code !== "ENOSPC") throw error
          } finally {
            closeSync(file)
          }
        })
    }
  })
