import { useQueryClient } from "@tanstack/react-query"
import { useMemo, useState } from "react"
import { keyOf } from "../api/hooks.ts"
import { keepInTab } from "../parts/form.tsx"
import type { TemplateQuery } from "./operations.ts"
import { template } from "./operations.ts"
import type { Sources } from "./sources.ts"
import { isSame, sourcesOf } from "./sources.ts"

export type Template = NonNullable<TemplateQuery["template"]>

interface Kept {
  /** The version that is edited: another may have been saved since. */
  readonly version: number
  readonly sources: Sources
}

const read = (key: string): Kept | null => {
  try {
    return JSON.parse(sessionStorage.getItem(key) ?? "null") as Kept | null
  } catch {
    return null
  }
}

/**
 * What is typed into a template. As long as nothing is, what is shown follows the service; from then on it is kept in this
 * tab, with the version that it is a change of.
 */
export const useTemplateDraft = (one: Template) => {
  const key = `template ${one.id}`
  const [kept, setKept] = useState(() => read(key))
  const client = useQueryClient()
  const saved = useMemo(() => sourcesOf(one), [one])
  const keep = (next: (before: Kept | null) => Kept | null): void =>
    setKept((before) => {
      const after = next(before)
      if (after === null) sessionStorage.removeItem(key)
      else keepInTab(key, JSON.stringify(after))
      return after
    })
  return {
    saved,
    sources: kept?.sources ?? saved,
    version: kept?.version ?? one.version,
    isChanged: kept !== null,
    change: (changeOf: (before: Sources) => Partial<Sources>): void =>
      keep((before) => {
        const sources = before?.sources ?? saved
        const after = { version: before?.version ?? one.version, sources: { ...sources, ...changeOf(sources) } }
        return after.version === one.version && isSame(after.sources, saved) ? null : after
      }),
    drop: (): void => keep(() => null),
    /** What was sent is the template now; what was typed while it was under way is a change of that. */
    settle: (now: Template, sent: Sources): void => {
      client.setQueryData(keyOf(template as never, { id: one.id }), { template: now })
      keep((before) =>
        before === null || isSame(before.sources, sent) ? null : { version: now.version, sources: before.sources }
      )
    }
  }
}

export type TemplateDraft = ReturnType<typeof useTemplateDraft>
