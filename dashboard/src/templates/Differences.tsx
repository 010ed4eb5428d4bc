import { useMemo } from "react"
import { rowsOf } from "./lines.ts"
import type { Sources } from "./sources.ts"
import { PART, PARTS } from "./sources.ts"

/** Unchanged lines around a change; the others are counted. */
const AROUND = 2

/** Lines that are shown of one text. */
const MOST = 2_000

const SIGN = { same: " ", gone: "−", new: "+" } as const
const WORDS = { same: "", gone: "Removed: ", new: "Added: " } as const

const Lines = ({
  after,
  before,
  label
}: {
  readonly label: string
  readonly before: string
  readonly after: string
}) => {
  const rows = useMemo(() => rowsOf(before, after), [before, after])
  const isNear = rows.map((_, at) =>
    rows.slice(Math.max(0, at - AROUND), at + AROUND + 1).some(({ kind }) => kind !== "same")
  )
  const shown = rows.flatMap((row, at) => {
    if (isNear[at]) return [{ at, row, left: 0 }]
    if (at > 0 && !isNear[at - 1]) return []
    const next = isNear.indexOf(true, at)
    return [{ at, row, left: (next === -1 ? rows.length : next) - at }]
  })
  return (
    <section className="difference" aria-label={label}>
      <h3>{label}</h3>
      <ol className="difference-lines" tabIndex={0} aria-label={`Lines of ${label}`}>
        {shown.slice(0, MOST).map(({ at, left, row }) =>
          left > 0 ? (
            <li key={at} className="difference-left">
              {left} unchanged {left === 1 ? "line" : "lines"}
            </li>
          ) : (
            <li key={at} className={`difference-${row.kind}`}>
              <span aria-hidden="true">{SIGN[row.kind]}</span>
              <span className="unseen">{WORDS[row.kind]}</span>
              <code>
                {row.pieces.map(({ isChanged, text }, i) => (isChanged ? <mark key={i}>{text}</mark> : text))}
              </code>
            </li>
          )
        )}
        {shown.length > MOST && <li className="difference-left">{shown.length - MOST} more lines</li>}
      </ol>
    </section>
  )
}

const MISSING = { ERROR: "Fail that recipient", EMPTY: "Leave the place empty" } as const

/** What is not the same in two states of a template, part by part and line by line. */
export const Differences = ({ after, before }: { readonly before: Sources; readonly after: Sources }) => {
  const languages = [...new Set([...Object.keys(before.locales), ...Object.keys(after.locales)])].toSorted()
  const texts = [null, ...languages].flatMap((language) =>
    PARTS.map((part) => {
      const of = (sources: Sources) => (language === null ? sources.content : sources.locales[language])?.[part] ?? ""
      return {
        label: language === null ? PART[part] : `${PART[part]}, ${language}`,
        before: of(before),
        after: of(after)
      }
    })
  )
  const settings = [
    { label: "Name", before: before.name, after: after.name },
    { label: "Missing variables", before: MISSING[before.missing], after: MISSING[after.missing] },
    { label: "Languages", before: Object.keys(before.locales).join("\n"), after: Object.keys(after.locales).join("\n") }
  ]
  const changed = [...settings, ...texts].filter(({ after, before }) => before !== after)
  if (changed.length === 0) return <p className="muted">They are the same.</p>
  return (
    <div className="stack">
      {changed.map((one) => (
        <Lines key={one.label} {...one} />
      ))}
    </div>
  )
}
