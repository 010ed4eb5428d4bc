import { Effect, Schedule } from "effect"
import type { Scope } from "effect"
import { access, constants, mkdir, open, readdir, rename, stat, unlink } from "node:fs/promises"
import { dirname, join } from "node:path"
import { isoTime } from "../../services/domain/Time.ts"
import { now } from "../../services/ports/Now.ts"
import type { OwnMail } from "../../services/ports/people/ServiceMailer.ts"

/*
 * Mails as files, where there is no server to send them: a text and an HTML each, named by the moment and the mail's id.
 * They name people and hold codes, so they stay no longer than an invitation is good, and no more of them than somebody
 * who tries the service out looks at. Whatever else lies in the folder is not ours.
 */

/** The folder of DATA_DIR with the mails that would be sent if there were a server. */
export const FOLDER = "mail"

/** How long a mail is kept: as long as the longest of what mails are good for, an invitation. */
export const KEPT_MS = 7 * 86_400_000
/** Mails that are kept, at most; each is some kilobytes. */
export const KEPT_MAILS = 1_000

const SWEEP = "1 hour"

/** What ends the name of a file that is not whole yet. */
const PART = ".part"

const OURS =
  /^(\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d-\d{3}Z-[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})\.(?:txt|html)(?:\.part)?$/

const stampOf = (at: number): string => isoTime(at).replace(/[:.]/g, "-")

/** As text, with the few lines of a head that people look at. */
export const shown = ({ subject, text, to }: OwnMail): string => `To: ${to}\nSubject: ${subject}\n\n${text}`

const write = async (path: string, text: string): Promise<void> => {
  // Whoever reads it signs in as somebody else. The id keeps attempts apart: another one finds its own file.
  const file = await open(path, "w", 0o600)
  await file.writeFile(text).finally(() => file.close())
}

/** Both files or none, and never a part of one under its name: a disk may be full. */
const writeBoth = async (path: string, mail: OwnMail): Promise<void> => {
  const files = [`${path}.txt`, `${path}.html`] as const
  try {
    await write(`${files[0]}${PART}`, shown(mail))
    await write(`${files[1]}${PART}`, mail.html)
    for (const file of files) await rename(`${file}${PART}`, file)
  } catch (error) {
    for (const file of files.flatMap((file) => [file, `${file}${PART}`])) await unlink(file).catch(() => {})
    throw error
  }
}

/** Removes what is too old, and the oldest of what is too many. Nodes that share the folder may do so at once. */
export const sweep = async (folder: string): Promise<void> => {
  const files = (await readdir(folder, { withFileTypes: true })).filter((file) => file.isFile())
  const names = new Set(files.flatMap(({ name }) => OURS.exec(name)?.[1] ?? []))
  const oldest = stampOf(now() - KEPT_MS)
  const kept = new Set(
    [...names]
      .filter((name) => name >= oldest)
      .toSorted()
      .slice(-KEPT_MAILS)
  )
  for (const { name } of files) {
    const mail = OURS.exec(name)?.[1]
    if (mail !== undefined && !kept.has(mail)) await unlink(join(folder, name)).catch(() => {})
  }
}

/** Keeps a mail; answers the path of its text. */
export const keep = async (folder: string, mail: OwnMail): Promise<string> => {
  const path = join(folder, `${stampOf(now())}-${mail.id}`)
  await mkdir(folder, { recursive: true, mode: 0o700 })
  await writeBoth(path, mail)
  // It is kept, whatever comes of the others.
  await sweep(folder).catch(() => {})
  return `${path}.txt`
}

/** Why nothing can be written there, in words. */
const wordsOf = (at: string, error: unknown): string => {
  const { code, message } = error as NodeJS.ErrnoException
  switch (code) {
    case "EROFS":
      return `the file system of ${at} is read-only`
    case "EACCES":
    case "EPERM":
      return `the user of this process (id ${process.getuid?.()}) may not write to ${at}`
    case "ENOTDIR":
      return `${at} is not in a folder`
    default:
      return message
  }
}

/**
 * Why no mail can be kept in a folder, which may not be there yet; null when it can. Makes nothing. Of a folder that cannot be
 * made because what it would be in is read-only, the attempt itself says that it is not there.
 */
export const whyNotKept = async (folder: string): Promise<string | null> => {
  for (let at = folder; ; at = dirname(at)) {
    try {
      if (!(await stat(at)).isDirectory()) return `${at} is no folder`
      await access(at, constants.W_OK | constants.X_OK)
      return null
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "ENOENT" || dirname(at) === at) return wordsOf(at, error)
    }
  }
}

/** Sweeps at once, and every hour: also where a server sends the mails by now, and nothing is added any more. */
export const sweeping = (folder: string): Effect.Effect<unknown, never, Scope.Scope> =>
  Effect.promise(() => sweep(folder).catch(() => {})).pipe(Effect.repeat(Schedule.spaced(SWEEP)), Effect.forkScoped)
