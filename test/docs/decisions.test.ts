import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "vitest"

const FOLDER = join(import.meta.dirname, "../../docs/decisions")
const index = readFileSync(join(FOLDER, "README.md"), "utf8")
const decisions = readdirSync(FOLDER)
  .filter((file) => file !== "README.md")
  .map((file) => ({ file, number: file.slice(0, 4), lines: readFileSync(join(FOLDER, file), "utf8").split("\n") }))

const LINKS = String.raw`\[\d{4}\]\([\w-]+\.md\)(?:, \[\d{4}\]\([\w-]+\.md\))*`
const STATUS = new RegExp(
  String.raw`^Status: (?:accepted|replaced by \[\d{4}\]\([\w-]+\.md\)), \d{4}-\d\d-\d\d\.` +
    String.raw`(?: Extends (?<extends>${LINKS})\.)?(?: Changed by (?<changedBy>${LINKS})\.)?$`
)

const numbersIn = (links: string | undefined): ReadonlyArray<string> =>
  [...(links ?? "").matchAll(/\[(\d{4})\]/g)].map(([, number]) => number!)

const statusOf = ({ lines }: (typeof decisions)[number]) => {
  const groups = STATUS.exec(lines[2]!)?.groups
  return { extended: numbersIn(groups?.["extends"]), changing: numbersIn(groups?.["changedBy"]) }
}

describe("a decision", () => {
  it("has a number of its own", () => {
    const numbers = decisions.map(({ number }) => number)
    expect(numbers.filter((number, i) => numbers.indexOf(number) !== i)).toEqual([])
  })

  it.each(decisions)("has a title, and its status and date below: $file", ({ lines }) => {
    expect(lines[0]).toMatch(/^# \S/)
    expect(lines.slice(1).filter((line) => line.startsWith("# "))).toEqual([])
    expect(lines[2]).toMatch(STATUS)
  })

  it("that extends another is named there, and the other way round", () => {
    const pairs = (of: "extended" | "changing") =>
      decisions
        .flatMap((decision) =>
          statusOf(decision)[of].map((other) =>
            of === "extended" ? `${decision.number} changes ${other}` : `${other} changes ${decision.number}`
          )
        )
        .toSorted()
    expect(pairs("extended").length).toBeGreaterThan(0)
    expect(pairs("extended")).toEqual(pairs("changing"))
  })

  it("stands in the index once, under its title", () => {
    const named = [...index.matchAll(/^\| \[(\d{4}): (.+?)\]\(([\w-]+\.md)\) +\| \S/gm)].map(
      ([, number, title, file]) => `${number} ${file} # ${title}`
    )
    expect(named.toSorted()).toEqual(decisions.map(({ file, lines, number }) => `${number} ${file} ${lines[0]}`))
  })
})
