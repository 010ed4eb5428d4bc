import { diffLines, diffWordsWithSpace } from "diff"

/*
 * What two texts have in common, line by line. Comparing takes the square of what is different, so that a text that has
 * little in common with the other is taken for all new: somebody may have written it to stop this page.
 */

/** Lines that are removed or added, at most: above it the whole stretch is. */
const MOST_LINES = 600
/** Words of a line, likewise; and lines of a stretch of which words are compared. */
const MOST_WORDS = 100
const MOST_MARKED = 200

/** A part of a line; `isChanged`: the other text's has not got it. */
export interface Piece {
  readonly text: string
  readonly isChanged: boolean
}

export interface Row {
  readonly kind: "same" | "gone" | "new"
  readonly pieces: ReadonlyArray<Piece>
}

interface Part {
  readonly value: string
  readonly added: boolean
  readonly removed: boolean
}

const linesOf = (text: string): ReadonlyArray<string> => (text.endsWith("\n") ? text.slice(0, -1) : text).split("\n")

/** The words of a changed line, those marked that are not in the other. */
const piecesOf = (line: string, other: string, kind: "gone" | "new"): ReadonlyArray<Piece> => {
  const [before, after] = kind === "gone" ? [line, other] : [other, line]
  const parts = diffWordsWithSpace(before, after, { maxEditLength: MOST_WORDS })
  return parts === undefined
    ? [{ text: line, isChanged: true }]
    : parts
        .filter(({ added, removed }) => (kind === "gone" ? !added : !removed))
        .map(({ added, removed, value }) => ({ text: value, isChanged: added || removed }))
}

/** Where comparing takes too long: what both begin and end with, and all between as other. */
const apart = (before: string, after: string): ReadonlyArray<Part> => {
  const [a, b] = [before.split(/(?<=\n)/), after.split(/(?<=\n)/)]
  let head = 0
  while (head < a.length && head < b.length && a[head] === b[head]) head++
  let tail = 0
  while (tail < a.length - head && tail < b.length - head && a.at(-1 - tail) === b.at(-1 - tail)) tail++
  const part = (lines: ReadonlyArray<string>, is: Partial<Part>): Part => ({
    value: lines.join(""),
    added: false,
    removed: false,
    ...is
  })
  return [
    part(a.slice(0, head), {}),
    part(a.slice(head, a.length - tail), { removed: true }),
    part(b.slice(head, b.length - tail), { added: true }),
    part(a.slice(a.length - tail), {})
  ].filter(({ value }) => value !== "")
}

export const rowsOf = (before: string, after: string): ReadonlyArray<Row> => {
  const parts: ReadonlyArray<Part> = diffLines(before, after, { maxEditLength: MOST_LINES }) ?? apart(before, after)
  return parts.flatMap(({ added, removed, value }, i): ReadonlyArray<Row> => {
    const lines = linesOf(value)
    if (!added && !removed) return lines.map((text) => ({ kind: "same", pieces: [{ text, isChanged: false }] }))
    const kind = removed ? "gone" : "new"
    const counterpart = removed ? parts[i + 1] : parts[i - 1]
    const others = counterpart && (removed ? counterpart.added : counterpart.removed) ? linesOf(counterpart.value) : []
    // As many lines on both sides are taken for the same ones, changed.
    const isPaired = others.length === lines.length && lines.length <= MOST_MARKED
    return lines.map((text, at) => ({
      kind,
      pieces: isPaired ? piecesOf(text, others[at]!, kind) : [{ text, isChanged: false }]
    }))
  })
}
