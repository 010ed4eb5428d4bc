import { Link, useSearch } from "@tanstack/react-router"

/**
 * The way to the first and to the next page of a list, by the address: `after` is a cursor. Lists are read forwards, and
 * the browser's own way back leads to the page before.
 */
export const Pager = ({
  isPart = false,
  page,
  words: [first, next] = ["Newest", "Older"],
  ...rest
}: {
  readonly page: { readonly hasNextPage: boolean; readonly endCursor: string | null } | undefined
  readonly words?: readonly [first: string, next: string]
  /** The list is one of several things on its page, which stays where it was scrolled to. */
  readonly isPart?: boolean
  readonly isFirst?: boolean
}) => {
  const { after } = useSearch({ strict: false }) as { readonly after?: string }
  const { isFirst = !after } = rest
  const hasNext = page?.hasNextPage ?? false
  if (isFirst && !hasNext) return null
  const to = (words: string, cursor: string | undefined) => (
    <Link
      to="."
      search={((before: object) => ({ ...before, after: cursor })) as never}
      resetScroll={!isPart}
      className="button plain"
    >
      {words}
    </Link>
  )
  return (
    <nav className="pager" aria-label="Pages of the list">
      {!isFirst && to(first, undefined)}
      {hasNext && to(next, page?.endCursor ?? undefined)}
    </nav>
  )
}
