import { Link, useSearch } from "@tanstack/react-router"

/**
 * The way to the first and to the next page of a list, by the address: `after`, or whatever it is called there, is a cursor.
 * Lists are read forwards, and the browser's own way back leads to the page before.
 */
export const Pager = ({
  by = "after",
  isPart = false,
  label = "Pages of the list",
  page,
  words: [first, next] = ["Newest", "Older"],
  ...rest
}: {
  readonly page: { readonly hasNextPage: boolean; readonly endCursor: string | null } | undefined
  readonly words?: readonly [first: string, next: string]
  /** The list is one of several things on its page, which stays where it was scrolled to. */
  readonly isPart?: boolean
  readonly isFirst?: boolean
  /** Where a page has several lists, what tells them apart: in the address, and for whoever hears them. */
  readonly by?: string
  readonly label?: string
}) => {
  const { [by]: after } = useSearch({ strict: false }) as Readonly<Record<string, string | undefined>>
  const { isFirst = !after } = rest
  const hasNext = page?.hasNextPage ?? false
  if (isFirst && !hasNext) return null
  const to = (words: string, cursor: string | undefined) => (
    <Link
      to="."
      search={((before: object) => ({ ...before, [by]: cursor })) as never}
      resetScroll={!isPart}
      className="button plain"
    >
      {words}
    </Link>
  )
  return (
    <nav className="pager" aria-label={label}>
      {!isFirst && to(first, undefined)}
      {hasNext && to(next, page?.endCursor ?? undefined)}
    </nav>
  )
}
