import { useQuery } from "@tanstack/react-query"
import { keyOf } from "../api/hooks.ts"
import { ask } from "../api/request.ts"
import type { TypedDocument } from "../api/typedDocument.ts"
import { segmentChoices, templateChoices } from "./operations.ts"

/** What one of a list is chosen by. */
export interface Choosable {
  readonly id: string
  readonly name: string
}

interface ChoosablePage {
  readonly nodes: ReadonlyArray<Choosable>
  readonly pageInfo: { readonly hasNextPage: boolean; readonly endCursor: string | null }
}

/** More are found by nobody in a menu. Pages of 100. */
const PAGES = 20

const useAll = <A>(
  document: TypedDocument<A, { appId: string; after?: string | null }>,
  appId: string,
  pageOf: (answer: A) => ChoosablePage
) =>
  useQuery({
    queryKey: keyOf(document as never, { appId }),
    queryFn: async ({ signal }): Promise<ReadonlyArray<Choosable>> => {
      const found: Array<Choosable> = []
      let after: string | null = null
      for (let page = 0; page < PAGES; page++) {
        const { nodes, pageInfo }: ChoosablePage = pageOf(await ask(document, { appId, after }, signal))
        found.push(...nodes)
        if (!pageInfo.hasNextPage) break
        after = pageInfo.endCursor
      }
      return found
    }
  })

/** All segments of an application, 2,000 at most, the newest first. */
export const useSegments = (appId: string) => useAll(segmentChoices, appId, ({ segments }) => segments)

/** All templates of an application, 2,000 at most, the newest first. */
export const useTemplates = (appId: string) => useAll(templateChoices, appId, ({ templates }) => templates)
