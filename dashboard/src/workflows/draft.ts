import { useState } from "react"
import type { WorkflowQuery } from "./operations.ts"
import type { Place, Step } from "./steps.ts"
import { lay } from "./steps.ts"
import type { Trigger } from "./trigger.ts"

export type Workflow = NonNullable<WorkflowQuery["workflow"]>

/** A step while it is set. */
export interface Open {
  readonly place: Place
  readonly step: Step
  /** It goes to its place when it is set, and not before. */
  readonly isNew: boolean
  /** The settings as they are typed; null: they are in the fields. */
  readonly json: string | null
}

/** The next version of a workflow while it is written. */
export interface Draft {
  readonly isOpen: boolean
  /** The version that it was made from. */
  readonly basis: number
  readonly name: string
  readonly reentry: Workflow["reentry"]
  readonly trigger: Trigger
  readonly steps: ReadonlyArray<Step>
  /** The step whose dialog is open. */
  readonly open: Open | null
}

export const EMPTY: Draft = {
  isOpen: false,
  basis: 0,
  name: "",
  reentry: "ALWAYS",
  trigger: { type: "api" },
  steps: [],
  open: null
}

const SEALED = "********"

const withoutSecrets = (step: Step): Step => {
  const headers = step["headers"] as Readonly<Record<string, unknown>> | undefined
  const kept = headers && Object.entries(headers).map(([name, value]) => [name, value === SEALED ? value : null])
  return lay(step, {
    headers: kept && Object.fromEntries(kept),
    branches: step.branches?.map((branch) => ({ ...branch, steps: branch.steps.map(withoutSecrets) })),
    else: step.else?.map(withoutSecrets)
  })
}

/** Headers of steps further inside are no settings of a step, but can be typed or pasted among them. */
const withoutSecretsOf = ({ json, step, ...rest }: Open): Open => ({
  ...rest,
  step: withoutSecrets(step),
  json: step.type === "FETCH" || json?.includes('"headers"') ? null : json
})

/** What the tab keeps: values of headers are secrets, and have to be typed again after a reload. */
export const kept = (draft: Draft): Draft => ({
  ...draft,
  steps: draft.steps.map(withoutSecrets),
  open: draft.open && withoutSecretsOf(draft.open)
})

/** What the service gets of it. */
export const contentOf = ({ name, reentry, steps, trigger }: Draft) => ({ name, reentry, trigger, steps })

/** Whether anything was set while a version was on its way to be saved; a dialog that is open may hold what is to be. */
export const isAhead = (draft: Draft, sent: ReturnType<typeof contentOf>): boolean =>
  draft.open !== null || JSON.stringify(contentOf(draft)) !== JSON.stringify(sent)

/** So many changes can be taken back. */
const MOST = 100

interface Done {
  /** The steps as they were on the other side of the change. */
  readonly steps: ReadonlyArray<Step>
  readonly words: string
}

/** Changes of steps, which can be taken back one by one, and done again. */
export const useUndo = (steps: ReadonlyArray<Step>, set: (steps: ReadonlyArray<Step>) => void) => {
  const [past, setPast] = useState<ReadonlyArray<Done>>([])
  const [future, setFuture] = useState<ReadonlyArray<Done>>([])
  const [said, setSaid] = useState("")
  const go = (from: ReadonlyArray<Done>): Done | undefined => {
    const last = from.at(-1)
    if (last !== undefined) set(last.steps)
    return last
  }
  return {
    /** What was done last, for screen readers. */
    said,
    undoable: past.at(-1)?.words ?? null,
    redoable: future.at(-1)?.words ?? null,
    change: (next: ReadonlyArray<Step>, words: string): void => {
      setPast([...past.slice(1 - MOST), { steps, words }])
      setFuture([])
      setSaid(`Done: ${words}`)
      set(next)
    },
    undo: (): void => {
      const last = go(past)
      if (last === undefined) return
      setPast(past.slice(0, -1))
      setFuture([...future, { steps, words: last.words }])
      setSaid(`Taken back: ${last.words}`)
    },
    redo: (): void => {
      const last = go(future)
      if (last === undefined) return
      setFuture(future.slice(0, -1))
      setPast([...past, { steps, words: last.words }])
      setSaid(`Done again: ${last.words}`)
    }
  }
}
