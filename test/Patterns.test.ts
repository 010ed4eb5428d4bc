import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { check } from "recheck"
import { parseSync } from "vite"
import { expect, it } from "vitest"

/*
 * A pattern that can match a text in many ways tries all of them before it refuses: with some, a request of a hundred
 * bytes kept a node's only thread busy for ever. recheck looks for a text that does this to a pattern.
 */

const ROOT = join(import.meta.dirname, "..")

/** Patterns that take more than linear time, and only read what is short or our own. */
const ALLOWED: ReadonlyMap<string, string> = new Map([
  ["/by-[a-z-]+\\/(?=:)/", "paths of our own routes"],
  ["/^[ \\t]+|[ \\t]+$/g", "behind a bound of 508 characters"],
  ["/^.+_.+(?=_[^_]+$)/", "names of environment variables"],
  ["/^\\s*([!#$%&'*+.^_`|~0-9A-Za-z-]+)\\s*=\\s*([\\x21-\\x7e]*)\\s*$/", "a setting"],
  ["/\\beyJ[\\w-]{8,}\\.[\\w-]+\\.[\\w-]*/g", "a line of the log"],
  ["/^ *-- \\[([\\w, ]+)\\]\\n([\\s\\S]*?)^ *-- \\[end\\]\\n/gm", "our own statements"],
  [
    "/pre-existing shared memory|lock file .* already exists|Address already in use/",
    "what PostgreSQL wrote of its start"
  ]
])

/** Every pattern that is written in a file, with where it stands. */
const patternsOf = (file: string): ReadonlyArray<{ readonly pattern: string; readonly flags: string }> => {
  const found: Array<{ pattern: string; flags: string }> = []
  const visit = (node: unknown): void => {
    if (typeof node !== "object" || node === null) return
    if (Array.isArray(node)) return node.forEach(visit)
    const { regex, type } = node as { readonly type?: string; readonly regex?: { pattern: string; flags: string } }
    if (type === "Literal" && regex !== undefined) found.push(regex)
    Object.values(node).forEach(visit)
  }
  visit(parseSync(file, readFileSync(join(ROOT, file), "utf8")).program)
  return found
}

const written = new Map<string, { readonly pattern: string; readonly flags: string; readonly files: Array<string> }>()
for (const folder of ["layers", "services", "src"]) {
  for (const name of readdirSync(join(ROOT, folder), { encoding: "utf8", recursive: true })) {
    if (!name.endsWith(".ts")) continue
    for (const { flags, pattern } of patternsOf(join(folder, name))) {
      const key = `/${pattern}/${flags}`
      const known = written.get(key)
      if (known === undefined) written.set(key, { pattern, flags, files: [join(folder, name)] })
      else known.files.push(join(folder, name))
    }
  }
}

it("no pattern takes long to refuse a text, but for those that read short ones", { timeout: 240_000 }, async () => {
  expect(written.size).toBeGreaterThan(150)
  const slow: Array<string> = []
  for (const [key, { files, flags, pattern }] of written) {
    const found = await check(pattern, flags, { timeout: 20_000 })
    if (found.status === "safe" || ALLOWED.has(key)) continue
    const why = found.status === "vulnerable" ? found.complexity.summary : found.error.kind
    slow.push(`${key} in ${files.join(", ")}: ${why}`)
  }
  expect(slow).toEqual([])
})

it("every exception is one of a pattern that is there", () => {
  expect([...ALLOWED.keys()].filter((key) => !written.has(key))).toEqual([])
})
