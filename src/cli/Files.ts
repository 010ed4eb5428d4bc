import { existsSync, mkdirSync } from "node:fs"
import { dirname, resolve } from "node:path"

const WORDS: Readonly<Record<string, string>> = {
  ENOENT: "there is no such file",
  EACCES: "this process may not read or write there",
  EPERM: "this process may not read or write there",
  EISDIR: "this is a folder, not a file",
  ENOTDIR: "this is in no folder",
  EEXIST: "this is a file, not a folder",
  EROFS: "its file system is read-only",
  ENOSPC: "its disk is full",
  EMFILE: "this process has too many files open (ulimit -n)"
}

/** What a file system has against us, in words; null for an error that is about something else. */
export const fileFault = (error: unknown): string | null => {
  const { code, syscall } = error as NodeJS.ErrnoException
  return syscall === undefined || code === undefined ? null : (WORDS[code] ?? (error as Error).message)
}

/**
 * Makes a folder and those that it is in. One by one: Node's own way to do so goes on for ever where the system says of
 * a folder that is there that it is not, as /proc does.
 */
export const makeFolder = (path: string): void => {
  const whole = resolve(path)
  const missing: Array<string> = []
  for (let at = whole; !existsSync(at) && at !== dirname(at); at = dirname(at)) missing.unshift(at)
  for (const at of missing) mkdirSync(at)
}
