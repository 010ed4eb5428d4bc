import type { Table } from "./Harness.ts"
import { totalCpu } from "./Harness.ts"

const WIDTH = 760
const LABEL = 250
const BAR = 16
const COLOURS = ["#2f6f9f", "#c9782c", "#5b8c5a", "#8a5a8c", "#777777", "#b04a4a"]

const escaped = (text: string): string =>
  text.replace(/[&<>"]/g, (mark) => ({ "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" })[mark]!)

const text = (x: number, y: number, content: string, more = ""): string =>
  `<text x="${x}" y="${y}" ${more}>${escaped(content)}</text>`

const number = (value: number): string =>
  value >= 1000 ? Math.round(value).toLocaleString("en-US") : value >= 10 ? value.toFixed(1) : value.toFixed(2)

/** Two groups of bars: the rate, and the CPU of each operation, stacked by process. */
export const plot = (table: Table): string => {
  const { rows } = table
  const processes = [...new Set(rows.flatMap((row) => Object.keys(row.cpu)))]
  const height = 84 + rows.length * (BAR + 6) * 2 + 60
  const scale = (WIDTH - LABEL - 110) / Math.max(...rows.map((row) => row.perSecond))
  const cpuScale =
    (WIDTH - LABEL - 110) /
    Math.max(...rows.map((row) => Object.values(row.cpu).reduce((sum, value) => sum + value, 0)))
  const out = [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${WIDTH}" height="${height}" font-family="sans-serif" font-size="12">`,
    `<rect width="100%" height="100%" fill="#ffffff"/>`,
    text(10, 20, table.title, 'font-size="14" font-weight="bold"'),
    text(10, 42, `${table.what} a second`, 'fill="#555555"')
  ]
  let y = 52
  for (const row of rows) {
    out.push(text(LABEL - 8, y + 12, row.name, 'text-anchor="end"'))
    out.push(
      `<rect x="${LABEL}" y="${y}" width="${Math.max(1, row.perSecond * scale).toFixed(1)}" height="${BAR}" fill="${COLOURS[0]}"/>`
    )
    out.push(text(LABEL + row.perSecond * scale + 6, y + 12, number(row.perSecond)))
    y += BAR + 6
  }
  y += 22
  out.push(text(10, y, "CPU, microseconds each, by process", 'fill="#555555"'))
  y += 10
  for (const row of rows) {
    out.push(text(LABEL - 8, y + 12, row.name, 'text-anchor="end"'))
    let x = LABEL
    for (const [index, name] of processes.entries()) {
      const width = (row.cpu[name] ?? 0) * cpuScale
      out.push(
        `<rect x="${x.toFixed(1)}" y="${y}" width="${width.toFixed(1)}" height="${BAR}" fill="${COLOURS[index % COLOURS.length]}"/>`
      )
      x += width
    }
    if (totalCpu(row.cpu) > 0) out.push(text(x + 6, y + 12, number(totalCpu(row.cpu))))
    y += BAR + 6
  }
  let x = LABEL
  for (const [index, name] of processes.entries()) {
    out.push(`<rect x="${x}" y="${y + 6}" width="10" height="10" fill="${COLOURS[index % COLOURS.length]}"/>`)
    out.push(text(x + 14, y + 15, name))
    x += 30 + name.length * 7
  }
  return `${[...out, "</svg>"].join("\n")}\n`
}
