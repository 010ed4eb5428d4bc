import type { Needs } from "./Conditions.ts"
import { needsOf } from "./Conditions.ts"
import type { Conditions } from "./Conditions.ts"
import type { BranchStep, Step } from "./Steps.ts"
import { MOST_STEPS } from "./Steps.ts"

/*
 * A definition as it is run: its steps in one list, in the order of the definition, depth first, each with the place of the
 * one that follows. A run knows its place in the list, and nothing else of the definition.
 */

/** Branches within branches, at most. */
const DEPTH = 5

export interface Place {
  /** From 1. */
  readonly stepOrder: number
  readonly step: Step
  /** The index of what follows; that of the end is the number of steps. */
  readonly next: number
  /** Of a BRANCH: the index at which each branch begins, and `else`. */
  readonly branches: ReadonlyArray<number>
  readonly otherwise: number
}

export interface Program {
  readonly places: ReadonlyArray<Place>
  /** What its conditions ask about. */
  readonly needs: Needs
}

/** What is wrong with a definition, and where. */
export interface Fault {
  /** `steps[2].branches[0].steps[1].key` */
  readonly field: string
  /** Continues the field's name. */
  readonly message: string
}

interface Draft {
  stepOrder: number
  step: Step
  next: number
  branches: Array<number>
  otherwise: number
}

/** Lays the steps out, each list ending at `after`, and answers where the list begins. */
const layOut = (
  steps: ReadonlyArray<Step>,
  drafts: Array<Draft>
): { begin: number; open: Array<(at: number) => void> } => {
  const begin = drafts.length
  let open: Array<(at: number) => void> = []
  for (const step of steps) {
    const at = drafts.length
    for (const close of open) close(at)
    const draft: Draft = { stepOrder: at + 1, step, next: -1, branches: [], otherwise: -1 }
    drafts.push(draft)
    open = step.type === "BRANCH" ? branchesOf(step, draft, drafts) : [(to) => (draft.next = to)]
  }
  return { begin, open }
}

const branchesOf = (step: BranchStep, draft: Draft, drafts: Array<Draft>): Array<(at: number) => void> => {
  const open: Array<(at: number) => void> = [(to) => (draft.next = to)]
  const inner = (steps: ReadonlyArray<Step>, note: (at: number) => void) => {
    if (steps.length === 0) return open.push(note)
    const { begin, open: ends } = layOut(steps, drafts)
    note(begin)
    return open.push(...ends)
  }
  for (const [i, { steps }] of step.branches.entries()) inner(steps, (at) => (draft.branches[i] = at))
  inner(step.else ?? [], (at) => (draft.otherwise = at))
  return open
}

const conditionsIn = (step: Step): ReadonlyArray<Conditions> => {
  if (step.type === "FILTER") return [step.conditions]
  return step.type === "BRANCH" ? step.branches.map(({ conditions }) => conditions) : []
}

export const programOf = (steps: ReadonlyArray<Step>): Program => {
  const places: Array<Draft> = []
  for (const close of layOut(steps, places).open) close(places.length)
  return { places, needs: needsOf(places.flatMap(({ step }) => conditionsIn(step))) }
}

/** What a step has before it on each way that leads to it. */
interface Before {
  readonly sends: ReadonlySet<string>
  readonly bringing: ReadonlySet<string>
}

/** Steps whose `steps.<key>` has something. */
const BRINGS: ReadonlySet<Step["type"]> = new Set(["FETCH", "WAIT_FOR", "DIGEST"])

/** All that is wrong with the steps that their schema does not say, each with its path. */
export const faultsOf = (steps: ReadonlyArray<Step>): ReadonlyArray<Fault> => {
  const faults: Array<Fault> = []
  const keys = new Map<string, string>()
  let count = 0
  const aboutConditions = (conditions: Conditions, field: string, before: Before) => {
    const { any = [], ...own } = conditions
    for (const [path, one] of [[field, own] as const, ...any.map((one, i) => [`${field}.any[${i}]`, one] as const)]) {
      for (const [i, { key }] of (one.steps ?? []).entries()) {
        if (!before.sends.has(key)) {
          faults.push({
            field: `${path}.steps[${i}].key`,
            message: "must be the key of a SEND step that stands before"
          })
        }
      }
      for (const [i, { name }] of (one.data ?? []).entries()) {
        aboutPath(name, `${path}.data[${i}].name`, before)
      }
    }
  }
  const aboutPath = (path: string, field: string, before: Before) => {
    const [root, key] = path.split(".")
    if (root === "steps" && key !== undefined && !before.bringing.has(key)) {
      faults.push({ field, message: "must name a FETCH, WAIT_FOR or DIGEST step that stands before" })
    }
  }
  const walk = (list: ReadonlyArray<Step>, field: string, depth: number, before: Before): Before => {
    let sends = new Set(before.sends)
    let bringing = new Set(before.bringing)
    for (const [i, step] of list.entries()) {
      const path = `${field}[${i}]`
      count++
      const taken = keys.get(step.key)
      if (taken === undefined) keys.set(step.key, path)
      else faults.push({ field: `${path}.key`, message: `must be a key of its own: ${taken} has it` })
      const known: Before = { sends, bringing }
      if (step.type === "FILTER") aboutConditions(step.conditions, `${path}.conditions`, known)
      if ((step.type === "DIGEST" || step.type === "THROTTLE") && step.by !== undefined) {
        aboutPath(step.by, `${path}.by`, known)
      }
      if (step.type === "WAIT_FOR" && step.match !== undefined) aboutPath(step.match.run, `${path}.match.run`, known)
      if (step.type === "BRANCH") {
        if (depth === DEPTH) faults.push({ field: path, message: `must not lie in more than ${DEPTH} branches` })
        const former = new Map<string, number>()
        for (const [j, { conditions, steps: inner }] of step.branches.entries()) {
          aboutConditions(conditions, `${path}.branches[${j}].conditions`, known)
          const text = JSON.stringify(conditions)
          const same = former.get(text)
          if (same !== undefined && inner.length > 0) {
            faults.push({
              field: `${path}.branches[${j}]`,
              message: `is never reached: branches[${same}] has the same conditions and stands before`
            })
          } else former.set(text, j)
        }
        if (depth < DEPTH) {
          const ends = [
            ...step.branches.map(({ steps: inner }, j) =>
              walk(inner, `${path}.branches[${j}].steps`, depth + 1, known)
            ),
            walk(step.else ?? [], `${path}.else`, depth + 1, known)
          ]
          // What only some ways have may be asked about behind them: where it is missing, it does not fit.
          sends = new Set(ends.flatMap((end) => [...end.sends]))
          bringing = new Set(ends.flatMap((end) => [...end.bringing]))
        }
      }
      if (step.type === "SEND") sends.add(step.key)
      if (BRINGS.has(step.type)) bringing.add(step.key)
    }
    return { sends, bringing }
  }
  walk(steps, "steps", 0, { sends: new Set(), bringing: new Set() })
  if (count > MOST_STEPS) faults.push({ field: "steps", message: `must have at most ${MOST_STEPS} steps in all` })
  return faults
}

/** All steps in the order of the definition, depth first, each with its path. */
export const stepsOf = (
  steps: ReadonlyArray<Step>,
  field = "steps"
): ReadonlyArray<{ readonly path: string; readonly step: Step }> =>
  steps.flatMap((step, i) => {
    const path = `${field}[${i}]`
    if (step.type !== "BRANCH") return [{ path, step }]
    return [
      { path, step },
      ...step.branches.flatMap(({ steps: inner }, j) => stepsOf(inner, `${path}.branches[${j}].steps`)),
      ...stepsOf(step.else ?? [], `${path}.else`)
    ]
  })
