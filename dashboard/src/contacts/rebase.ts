import type { TypedAttribute } from "./attributes.ts"
import { valueOf } from "./attributes.ts"

/*
 * What one has typed over a contact, put on top of what others have made of it meanwhile: tags and attributes are written
 * whole, and would take back whatever came in between.
 */

/** A contact in the fields of its form. */
export interface TypedContact {
  readonly externalId: string
  readonly email: string
  readonly locale: string
  readonly timezone: string
  /** One a line: a tag may have commas in it. */
  readonly tags: string
  readonly attributes: ReadonlyArray<TypedAttribute>
}

export const linesOf = (text: string): ReadonlyArray<string> => [
  ...new Set(
    text
      .split("\n")
      .map((line) => line.trim())
      .filter(Boolean)
  )
]

const FIELDS = { email: "the e-mail address", locale: "the language", timezone: "the time zone" } as const

export interface Rebased {
  readonly typed: TypedContact
  /** What both have changed, and not alike, in words; of it stands what was typed here. */
  readonly clashes: ReadonlyArray<string>
}

const textsOf = (rows: ReadonlyArray<TypedAttribute>): ReadonlyMap<string, string> =>
  new Map(rows.filter(({ name }) => name.trim() !== "").map(({ name, value }) => [name.trim(), value]))

/** Whether two fields say the same, or are both not there. */
const isAlike = (one: string | undefined, other: string | undefined): boolean =>
  one === other ||
  (one !== undefined && other !== undefined && JSON.stringify(valueOf(one)) === JSON.stringify(valueOf(other)))

export const rebase = (before: TypedContact, typed: TypedContact, theirs: TypedContact): Rebased => {
  const clashes: Array<string> = []
  const fields = { email: typed.email, locale: typed.locale, timezone: typed.timezone }
  for (const field of ["email", "locale", "timezone"] as const) {
    const [was, mine, now] = [before[field].trim(), typed[field].trim(), theirs[field].trim()]
    if (mine === was) fields[field] = theirs[field]
    else if (now !== was && now !== mine) clashes.push(FIELDS[field])
  }

  const [hadTags, myTags] = [linesOf(before.tags), linesOf(typed.tags)]
  const kept = linesOf(theirs.tags).filter((tag) => myTags.includes(tag) || !hadTags.includes(tag))
  const added = myTags.filter((tag) => !hadTags.includes(tag) && !kept.includes(tag))

  const [had, mine, now] = [textsOf(before.attributes), textsOf(typed.attributes), textsOf(theirs.attributes)]
  const attributes: Array<TypedAttribute> = []
  for (const row of typed.attributes) {
    const name = row.name.trim()
    const [was, is] = [had.get(name), now.get(name)]
    const isMine = !isAlike(row.value, was)
    if (isMine && !isAlike(is, was) && !isAlike(is, row.value)) clashes.push(name)
    if (isMine || name === "") attributes.push(row)
    else if (is !== undefined) attributes.push({ name, value: is })
  }
  for (const [name, value] of now) {
    if (mine.has(name)) continue
    // What was taken away here stays away.
    if (!had.has(name)) attributes.push({ name, value })
    else if (!isAlike(value, had.get(name))) clashes.push(name)
  }
  return {
    typed: { externalId: typed.externalId, ...fields, tags: [...kept, ...added].join("\n"), attributes },
    clashes
  }
}
