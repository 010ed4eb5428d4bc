import { useMemo, useRef } from "react"
import { useAsk } from "../api/hooks.ts"
import { Refusal } from "../api/request.ts"
import { useRested } from "../parts/rested.ts"
import type { TemplateSourcesInput } from "./operations.ts"
import { tryTemplate } from "./operations.ts"
import { faultsIn } from "./sources.ts"

/** The sources are right, and cannot be filled for this person. */
const UNFILLED = /^(asks for|cannot be filled)/

/**
 * What the service says of the sources when typing rests: what is wrong, by place, or how it looks filled. `input`: null
 * where there is nothing to ask about.
 */
export const useTrying = (appId: string, input: TemplateSourcesInput | null) => {
  const rested = useRested(input, 600)
  const shown = useAsk(tryTemplate, { appId, input: rested! }, { enabled: rested !== null, keep: true })
  const { error, isFetching, isPlaceholderData } = shown
  const said = useMemo(() => {
    const details = error instanceof Refusal ? error.details : []
    const [unfilled, wrong] = [
      details.filter(({ message }) => UNFILLED.test(message)),
      details.filter(({ message }) => !UNFILLED.test(message))
    ]
    return { faults: faultsIn(wrong), unfilled: faultsIn(unfilled) }
  }, [error])
  // What was said stays until there is another answer, or faults would blink at every pause.
  const last = useRef(said)
  if (!isFetching && !isPlaceholderData) last.current = said
  return {
    ...last.current,
    error,
    filled: shown.data?.previewTemplateSources ?? null,
    isFetching,
    retry: () => void shown.refetch()
  }
}

export type Trying = ReturnType<typeof useTrying>
