import { execFileSync } from "node:child_process"
import { existsSync, readFileSync, statSync } from "node:fs"
import { dirname, join, relative, resolve } from "node:path"
import { fileURLToPath } from "node:url"
import { describe, expect, it } from "vitest"

const ROOT = fileURLToPath(new URL("../../", import.meta.url))

/** Every Markdown file of the repository, committed or about to be. */
const files = execFileSync("git", ["ls-files", "--cached", "--others", "--exclude-standard", "*.md"], {
  cwd: ROOT,
  encoding: "utf8"
})
  .split("\n")
  .filter((file) => file !== "" && existsSync(join(ROOT, file)))

/** Without what stands in code, where brackets are no links. */
const prose = (text: string): string =>
  text.replace(/^(```|~~~)[^]*?^\1[^\n]*$/gm, "").replace(/`[^`\n]*`/g, (code) => code.replace(/[[\]()#]/g, "_"))

const linksOf = (text: string): ReadonlyArray<string> => [
  ...[...prose(text).matchAll(/\[(?:[^\][]|\[[^\]]*\])*\]\(\s*<?([^)\s>]+)>?[^)]*\)/g)].map(([, target]) => target!),
  ...[...prose(text).matchAll(/^\[[^\]]+\]:\s*(\S+)/gm)].map(([, target]) => target!),
  ...[...prose(text).matchAll(/(?:href|src)="([^"]+)"/g)].map(([, target]) => target!)
]

/** The anchors that GitHub gives to headings: the second of the same name gets `-1`. */
const anchorsOf = (text: string): ReadonlySet<string> => {
  const seen = new Map<string, number>()
  const headings = text.replace(/^(```|~~~)[^]*?^\1[^\n]*$/gm, "").matchAll(/^#{1,6} +(.+?) *#*$/gm)
  return new Set(
    [...headings].map(([, heading]) => {
      const slug = heading!
        .replace(/\[([^\]]*)\]\([^)]*\)/g, "$1")
        .toLowerCase()
        .replace(/[^\p{L}\p{N}\p{M} _-]/gu, "")
        .replaceAll(" ", "-")
      const before = seen.get(slug) ?? 0
      seen.set(slug, before + 1)
      return before === 0 ? slug : `${slug}-${before}`
    })
  )
}

/** What is wrong with a link of a file; null when it leads somewhere, or out of the repository. */
const problemOf = (file: string, link: string): string | null => {
  if (/^[a-z][a-z0-9+.-]*:/i.test(link)) return null
  const [path = "", anchor] = link.split("#", 2)
  const target = path === "" ? join(ROOT, file) : resolve(ROOT, dirname(file), decodeURIComponent(path))
  if (relative(ROOT, target).startsWith("..")) return "leads out of the repository"
  if (!existsSync(target)) return "is not there"
  if (anchor === undefined || anchor === "" || statSync(target).isDirectory()) return null
  return target.endsWith(".md") && !anchorsOf(readFileSync(target, "utf8")).has(anchor) ? "has no such heading" : null
}

describe("the documentation", () => {
  it.each(files)("%s has no link that leads nowhere", (file) => {
    const broken = linksOf(readFileSync(join(ROOT, file), "utf8")).flatMap((link) => {
      const problem = problemOf(file, link)
      return problem === null ? [] : [`${link} ${problem}`]
    })
    expect(broken).toEqual([])
  })

  it("is looked at whole", () => {
    expect(files).toEqual(expect.arrayContaining(["README.md", "docs/operators.md", "sdk/node/README.md"]))
    expect(files.length).toBeGreaterThan(30)
    expect(linksOf(readFileSync(join(ROOT, "README.md"), "utf8")).length).toBeGreaterThan(20)
  })
})
