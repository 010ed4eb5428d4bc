import { Effect } from "effect"
import { linkSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs"
import { EmbeddedServerError } from "./EmbeddedBinaries.ts"

/** Nobody works under the lock for longer than a slow start of the database takes. */
const TIMEOUT_MS = 120_000

/**
 * Runs an effect while no other process does so under the same lock file. The file names its holder: one that died
 * left it behind, and it is taken over.
 */
export const withLock = <A, E, R>(
  path: string,
  effect: Effect.Effect<A, E, R>
): Effect.Effect<A, E | EmbeddedServerError, R> =>
  Effect.acquireUseRelease(
    take(path),
    () => effect,
    () => Effect.sync(() => rmSync(path, { force: true }))
  )

const take = Effect.fnUntraced(function* (path: string) {
  const until = Date.now() + TIMEOUT_MS
  // A full disk, for one: an error like others, which passes when there is room again.
  const attempt = Effect.try({
    try: () => tryTake(path),
    catch: (error) => new EmbeddedServerError({ problem: `The lock ${path} cannot be taken: ${String(error)}` })
  })
  while (!(yield* attempt)) {
    if (Date.now() > until) {
      return yield* new EmbeddedServerError({
        problem: `Process ${holderOf(path)?.split(" ")[0] ?? "(unknown)"} has held ${path} for too long. End it, or remove the file if it is not a process of this service.`
      })
    }
    yield* Effect.interruptible(Effect.sleep(25))
  }
})

const tryTake = (path: string): boolean => {
  const mine = `${path}.${process.pid}`
  try {
    // Written apart and linked whole, so that nobody reads a lock without its holder.
    writeFileSync(mine, `${process.pid} ${startOf(process.pid)}`, { mode: 0o600 })
    linkSync(mine, path)
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error
  } finally {
    rmSync(mine, { force: true })
  }
  const holder = holderOf(path)
  if (holder !== null && !isAlive(holder)) putAside(path, holder)
  return false
}

/** Two processes may find the same dead holder: what was moved away is looked at again, and a live lock put back. */
const putAside = (path: string, dead: string): void => {
  const aside = `${path}.dead.${process.pid}`
  try {
    renameSync(path, aside)
    if (holderOf(aside) !== dead) linkSync(aside, path)
  } catch (error) {
    if (!["ENOENT", "EEXIST"].includes((error as NodeJS.ErrnoException).code ?? "")) throw error
  } finally {
    rmSync(aside, { force: true })
  }
}

const holderOf = (path: string): string | null => {
  try {
    return readFileSync(path, "utf8")
  } catch {
    return null
  }
}

const isAlive = (holder: string): boolean => {
  const [pid, start] = holder.split(" ")
  return isProcess(Number(pid)) && startOf(Number(pid)) === start
}

/** Whether a process of that id exists, whoever owns it. */
export const isProcess = (pid: number): boolean => {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM"
  }
}

/** When a process began, in ticks since boot: ids are used again, in containers soon. Empty where there is no /proc. */
const startOf = (pid: number): string => {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8")
    return stat.slice(stat.lastIndexOf(")") + 2).split(" ")[19] ?? ""
  } catch {
    return ""
  }
}
