import { listed } from "./draft.ts"

/** As the service takes them in one request; more people are imported, and meant by a tag or a segment. */
export const MOST = 10_000
const MOST_BYTES = 4_000_000

/** What heads the first column of files that others write. */
const HEADINGS = /^"?(id|ids|user|user[ _-]?ids?|external[ _-]?ids?|e-?mail( address)?|address(es)?)"?$/i

/** The ids or addresses of a file: one a line, or the first column of a table. In words what is wrong with it. */
export const idsIn = async (
  file: File
): Promise<{ readonly ids: ReadonlyArray<string> } | { readonly fault: string }> => {
  if (file.size > MOST_BYTES) return { fault: `${file.name} is too large: import the people instead, with a tag.` }
  const text = (await file.text()).replace(/^\uFEFF/, "")
  if (text.includes("\u0000")) return { fault: `${file.name} is no text file: save it as CSV.` }
  const cells = text.split(/\r?\n/).map((line) => line.split(/[,;\t]/, 1)[0]!.trim())
  if (HEADINGS.test(cells[0] ?? "")) cells.shift()
  const ids = listed(cells.map((cell) => cell.replace(/^"(.*)"$/, "$1")).join("\n"))
  if (ids.length === 0) return { fault: `${file.name} has nobody in its first column.` }
  if (ids.length > MOST) {
    return {
      fault: `${file.name} names ${ids.length.toLocaleString("en")} people: above 10,000 import them, with a tag.`
    }
  }
  return { ids }
}
