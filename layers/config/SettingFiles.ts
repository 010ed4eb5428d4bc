import { X509Certificate } from "node:crypto"
import { readFileSync } from "node:fs"

export type Environment = Readonly<Record<string, string | undefined>>

const UNREADABLE: Readonly<Record<string, string>> = {
  ENOENT: "names a file that does not exist",
  EACCES: "names a file that this process may not read",
  EISDIR: "names a directory, not a file"
}

/** Reads settings that name files, and checks these before anything starts. All problems are told at once. */
export class SettingFiles {
  readonly problems: Array<string> = []
  readonly #env: Environment

  constructor(env: Environment) {
    this.#env = env
  }

  text(name: string): string | undefined {
    const text = this.#env[name]?.trim()
    return text === "" ? undefined : text
  }

  /** What stands in the file that a setting names; undefined without the setting, or with a problem. */
  content(name: string): string | undefined {
    const path = this.text(name)
    if (path === undefined) return undefined
    try {
      return readFileSync(path, "utf8")
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException
      this.problems.push(`${name} ${UNREADABLE[code ?? ""] ?? `cannot be read (${code})`}: ${path}`)
      return undefined
    }
  }

  /** Says that a file is something else. Never what stands in it. */
  check<A>(name: string, what: string, read: (content: string) => A | undefined): A | undefined {
    const content = this.content(name)
    if (content === undefined) return undefined
    try {
      const value = read(content)
      if (value !== undefined) return value
    } catch {
      // Told below.
    }
    this.problems.push(`${name} must name ${what}: ${this.text(name)} is none`)
    return undefined
  }
}

/**
 * The certificates of a PEM file; undefined where it has none. Throws when one of them cannot be read: TLS would pass over
 * it, and over all that follow, without a word.
 */
export const authoritiesIn = (pem: string): ReadonlyArray<X509Certificate> | undefined => {
  const found = pem
    .split(/(?=-----BEGIN )/)
    .filter((part) => /^-----BEGIN (?:X509 |TRUSTED )?CERTIFICATE-----/.test(part))
    // What follows the certificate's end, such as a comment on the next one, is passed over.
    .map((part) => new X509Certificate(part))
  return found.length === 0 ? undefined : found
}
