import { Effect, Schema } from "effect"
import { randomBytes } from "node:crypto"
import { existsSync } from "node:fs"
import { link, mkdir, open, readFile, unlink } from "node:fs/promises"
import { join } from "node:path"
import { MASTER_KEY_WANTED, masterKeyOf, Settings } from "../config/Settings.ts"

/**
 * The master key seals every secret at rest. It is MASTER_KEY, or else the file `master.key` of the data directory,
 * made on first use. The file has one key a line, as MASTER_KEY may be given; a line that begins with `#` is a comment, and so
 * is what follows a space and a `#`. The first key seals, all of them open: to rotate, put a new line on top.
 */
export const FILE_NAME = "master.key"

/** The key file cannot be read, made, or understood. Its content is never part of the message. */
export class MasterKeyUnusable extends Schema.TaggedError<MasterKeyUnusable>()("MasterKeyUnusable", {
  path: Schema.String,
  problem: Schema.String
}) {
  override get message() {
    return `The master key file ${this.path} is not usable: ${this.problem}`
  }
}

const isCode = (error: unknown, code: string): boolean => (error as NodeJS.ErrnoException).code === code

const problemOf = (error: unknown): string => {
  const { code, message } = error as NodeJS.ErrnoException
  return code === "EACCES" || code === "EPERM" || code === "EROFS"
    ? `${message}. The folder is the one that DATA_DIR names; the user of this process (id ${process.getuid?.()}) must be able to read and write there.`
    : message
}

/** A text may have a `#` in it; digits have none. */
const withoutComment = (line: string): string => {
  const text = line.trim()
  if (text.startsWith("#")) return ""
  const at = text.search(/\s#/)
  const key = at === -1 ? text : text.slice(0, at).trim()
  return /^[0-9a-fA-F]{64}#/.test(key) ? key.slice(0, 64) : key
}

const parse = (text: string): ReadonlyArray<Uint8Array> => {
  const lines = text
    .split(/\r?\n/)
    .map(withoutComment)
    .filter((line) => line !== "")
  if (lines.length === 0) throw new Error("it has no key")
  return lines.map((line) => {
    // A line that was cut off is no text that somebody has thought of.
    const isCut = /^[0-9a-fA-F]+$/.test(line) && line.length !== 64
    const key = isCut ? null : masterKeyOf(line)
    if (key === null) throw new Error(`each line must be ${MASTER_KEY_WANTED}`)
    return key
  })
}

const read = async (path: string): Promise<ReadonlyArray<Uint8Array> | null> => {
  try {
    return parse(await readFile(path, "utf8"))
  } catch (error) {
    if (isCode(error, "ENOENT")) return null
    throw error
  }
}

/**
 * Written and synced under a name of its own, then linked to the real one: the link either makes the whole file
 * appear at once or fails because another process was first, whose key then counts.
 */
const make = async (directory: string, path: string): Promise<void> => {
  await mkdir(directory, { recursive: true, mode: 0o700 })
  const draft = `${path}.${randomBytes(8).toString("hex")}`
  try {
    const file = await open(draft, "wx", 0o600)
    try {
      await file.writeFile(`${randomBytes(32).toString("hex")}\n`)
      await file.sync()
    } finally {
      await file.close()
    }
    await link(draft, path).catch((error: unknown) => {
      if (!isCode(error, "EEXIST")) throw error
    })
  } finally {
    await unlink(draft).catch(() => {})
  }
  // Secrets sealed from now on are worth nothing without this file: its name must survive a power cut too.
  const folder = await open(directory, "r")
  await folder.sync().finally(() => folder.close())
}

/** The keys that open what is sealed, the one that seals first. Never empty. Keys are 32 bytes. */
export const masterKeys: Effect.Effect<ReadonlyArray<Uint8Array>, MasterKeyUnusable, Settings> = Effect.gen(
  function* () {
    const settings = yield* Settings
    const path = join(settings.dataDir, FILE_NAME)
    return yield* Effect.tryPromise({
      try: async () => {
        let inFile = await read(path)
        // A key given by MASTER_KEY seals; what was sealed before by the file's still opens.
        if (settings.masterKey !== null) return [settings.masterKey, ...(inFile ?? [])]
        if (inFile === null) {
          await make(settings.dataDir, path)
          inFile = await read(path)
        }
        if (inFile === null) throw new Error("it disappeared while it was made")
        return inFile
      },
      catch: (error) => new MasterKeyUnusable({ path, problem: problemOf(error) })
    })
  }
)

/** Whether there is a key, given or in the data directory, without making one. */
export const hasMasterKey = ({ dataDir, masterKey }: Settings["Service"]): boolean =>
  masterKey !== null || existsSync(join(dataDir, FILE_NAME))
