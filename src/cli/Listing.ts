import { Console, Effect } from "effect"
import type { Page } from "../../services/ports/audience/DeviceStore.ts"

const AT_ONCE = 100

/** Prints every item of a list that is read page by page, one JSON object a line, as soon as its page is there. */
export const printAll = Effect.fnUntraced(function* <A, E, R>(
  page: (after: string | null, limit: number) => Effect.Effect<Page<A>, E, R>,
  lineOf: (item: A) => Readonly<Record<string, unknown>>
) {
  let after: string | null = null
  do {
    const { items, next }: Page<A> = yield* page(after, AT_ONCE)
    for (const item of items) yield* Console.log(JSON.stringify(lineOf(item)))
    after = next
  } while (after !== null)
})
