/*
 * Rows out of a file, a slice at a time: CSV as RFC 4180 has it, with commas, semicolons or tabs, or a JSON object a line.
 * Each row says where it ends, so that reading can go on from there after a reload.
 */

import { readJson, wrongAt } from "../parts/json.ts"
import { ownOf } from "../parts/own.ts"

export type Format = "csv" | "ndjson"

export interface Shape {
  readonly format: Format
  /** Of CSV. */
  readonly delimiter: string
  readonly columns: ReadonlyArray<string>
}

/** The values are in the order of the columns; `fault`: what is wrong with the row as a whole. */
export interface Row {
  readonly line: number
  readonly values: ReadonlyArray<unknown>
  readonly fault: string | null
  /** Bytes of the file up to the next row, and its line. */
  readonly end: number
  readonly nextLine: number
}

export interface Place {
  readonly position: number
  readonly line: number
}

const encoder = new TextEncoder()

/** Bytes that are read at once. A row is no longer than the most. */
const SLICE = 1 << 18
const MOST = 1 << 23

interface Cells {
  readonly cells: ReadonlyArray<string>
  /** Characters up to the next row, and lines in between. */
  readonly length: number
  readonly lines: number
  /** A quotation mark was opened and never closed: whatever stood behind it is in the cell. */
  readonly isOpen: boolean
}

/** One row of CSV from a place on; null when the text ends within it. */
const cellsAt = (text: string, from: number, delimiter: string, isEnd: boolean): Cells | null => {
  const cells: Array<string> = []
  let at = from
  let lines = 0
  let isOpen = false
  for (;;) {
    let cell = ""
    if (text[at] === '"') {
      let close = at + 1
      for (;;) {
        close = text.indexOf('"', close)
        if (close === -1) {
          if (!isEnd) return null
          close = text.length
          isOpen = true
        } else if (text[close + 1] === '"') {
          close += 2
          continue
        }
        break
      }
      cell = text.slice(at + 1, close).replaceAll('""', '"')
      lines += cell.split("\n").length - 1
      at = Math.min(close + 1, text.length)
    }
    let end = at
    while (end < text.length && text[end] !== "\n" && text[end] !== delimiter) end++
    if (end === text.length && !isEnd) return null
    cells.push(cell + text.slice(at, end).replace(/\r$/, ""))
    if (end < text.length && text[end] === delimiter) {
      at = end + 1
      continue
    }
    return { cells, length: Math.min(end + 1, text.length) - from, lines: lines + 1, isOpen }
  }
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/** Rows of a text that begins at a place of the file; what is left behind the last whole one is read again. */
export const rowsOf = (text: string, place: Place, shape: Shape, isEnd: boolean): ReadonlyArray<Row> => {
  const rows: Array<Row> = []
  let { line, position } = place
  let at = 0
  while (at < text.length) {
    if (shape.format === "ndjson") {
      const end = text.indexOf("\n", at)
      if (end === -1 && !isEnd) break
      const part = text.slice(at, end === -1 ? text.length : end + 1)
      at += part.length
      position += encoder.encode(part).length
      if (part.trim() !== "") {
        const { value, wrong } = readJson(part)
        rows.push({
          line,
          // What is not what was written is neither shown nor kept.
          values: isObject(value) && wrong === null ? shape.columns.map((name) => ownOf(value, name)) : [],
          fault: !isObject(value) ? "is not a JSON object" : wrong === null ? null : wrongAt(wrong),
          end: position,
          nextLine: line + 1
        })
      }
      line++
      continue
    }
    const found = cellsAt(text, at, shape.delimiter, isEnd)
    if (found === null) break
    position += encoder.encode(text.slice(at, at + found.length)).length
    at += found.length
    const { cells } = found
    if (cells.length > 1 || cells[0]!.trim() !== "") {
      const surplus = cells.length > shape.columns.length
      const many = `has ${cells.length} cells, and the first line ${shape.columns.length}`
      rows.push({
        line,
        values: cells,
        fault: found.isOpen ? "has a quotation mark that is not closed" : surplus ? many : null,
        end: position,
        nextLine: line + found.lines
      })
    }
    line += found.lines
  }
  return rows
}

/** What a file cannot be read for. */
export class Unreadable extends Error {}

const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true })
const decode = (bytes: Uint8Array): string => {
  try {
    return decoder.decode(bytes)
  } catch {
    throw new Unreadable("The file is not UTF-8. Save it as CSV UTF-8, and choose it again.")
  }
}

/** The next rows of a file; none: it has been read. */
export const readRows = async (file: Blob, place: Place, shape: Shape): Promise<ReadonlyArray<Row>> => {
  for (let size = SLICE; size <= MOST; size *= 4) {
    const bytes = new Uint8Array(await file.slice(place.position, place.position + size).arrayBuffer())
    const isEnd = place.position + bytes.length >= file.size
    // A line's end is never within a character.
    const whole = isEnd ? bytes : bytes.subarray(0, bytes.lastIndexOf(10) + 1)
    const rows = rowsOf(decode(whole), place, shape, isEnd)
    if (rows.length > 0 || isEnd) return rows
  }
  throw new Unreadable(`Line ${place.line} does not end: a quotation mark may be missing.`)
}

const DELIMITERS = [",", ";", "\t"]
/** Each is a choice on the page. */
const MOST_COLUMNS = 300
const readable = <Names extends ReadonlyArray<string>>(columns: Names): Names => {
  if (columns.length <= MOST_COLUMNS) return columns
  throw new Unreadable(`It has ${columns.length} columns, and ${MOST_COLUMNS} are read: leave some out of the file.`)
}

/** Lines of NDJSON in which columns are looked for. */
const SAMPLE = 100

/** What a file is: by its first line, whatever its name ends with. */
export const shapeOf = async (file: Blob): Promise<{ readonly shape: Shape; readonly start: Place }> => {
  const bytes = new Uint8Array(await file.slice(0, SLICE).arrayBuffer())
  const isEnd = bytes.length >= file.size
  const raw = decode(isEnd ? bytes : bytes.subarray(0, bytes.lastIndexOf(10) + 1))
  const mark = raw.startsWith("\uFEFF") ? 1 : 0
  const text = raw.slice(mark)
  const before = mark * 3
  if (text.trim() === "") throw new Unreadable("There is nothing in it.")
  if (text.trimStart().startsWith("{")) {
    const columns = new Set<string>()
    for (const line of text.split("\n").slice(0, SAMPLE)) {
      const { value } = readJson(line)
      if (isObject(value)) Object.keys(value).forEach((name) => columns.add(name))
    }
    if (columns.size === 0) throw new Unreadable("Its first lines are no JSON objects, one a line.")
    return {
      shape: { format: "ndjson", delimiter: "", columns: readable([...columns]) },
      start: { position: before, line: 1 }
    }
  }
  const [first = ""] = text.split("\n")
  const delimiter = DELIMITERS.toSorted((a, b) => first.split(b).length - first.split(a).length)[0]!
  const head = cellsAt(text, 0, delimiter, true)!
  const columns = readable(head.cells.map((cell, i) => cell.trim() || `Column ${i + 1}`))
  return {
    shape: { format: "csv", delimiter, columns },
    start: { position: before + encoder.encode(text.slice(0, head.length)).length, line: 1 + head.lines }
  }
}

/** What a spreadsheet would take for a formula: a quotation mark in front keeps it a text. */
const FORMULA = /^[=+\-@\t\r]/
export const isQuotedFormula = (text: string): boolean => text.startsWith("'") && FORMULA.test(text.slice(1))

/** A cell of CSV. Numbers stay numbers, below zero too. */
export const cellOf = (value: unknown): string => {
  if (value === null || value === undefined) return ""
  const plain = typeof value === "string" ? value : JSON.stringify(value)
  const safe = typeof value === "string" && FORMULA.test(plain) ? `'${plain}` : plain
  return /[",;\n\r\t]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}

export const csvLine = (values: ReadonlyArray<unknown>): string => `${values.map(cellOf).join(",")}\r\n`
