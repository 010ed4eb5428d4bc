import { ownOf } from "../Json.ts"
import type { Fault } from "./Program.ts"
import type { FetchStep, Step } from "./Steps.ts"

/*
 * The headers of FETCH steps hold tokens of other services. Their values are kept apart from the definition, sealed, and
 * given to nobody but the server that is asked: a definition that is read has a mask in their place.
 */

/** What stands for a header's value; written, it means the value that is kept. */
export const MASK = "********"

type Headers = Readonly<Record<string, string>>

/** Values of headers by the key of their step, with the URL that they are meant for. */
export type FetchHeaders = Readonly<Record<string, { readonly url: string; readonly headers: Headers }>>

export interface Parted {
  readonly steps: ReadonlyArray<Step>
  readonly headers: FetchHeaders
  readonly faults: ReadonlyArray<Fault>
}

/**
 * The steps with masks, and what these stand for. A value that was masked before stays what it was (`kept`), as long as its
 * step asks the same URL: whoever may change a workflow, but knows no token, cannot have it sent elsewhere.
 */
export const partHeaders = (steps: ReadonlyArray<Step>, kept: FetchHeaders): Parted => {
  const headers: Record<string, { readonly url: string; readonly headers: Headers }> = {}
  const faults: Array<Fault> = []

  const masked = (step: FetchStep, field: string): FetchStep => {
    if (step.headers === undefined) return step
    const known = ownOf(kept, step.key)
    const former = known?.url === step.url ? known.headers : {}
    const values: Record<string, string> = {}
    for (const [name, value] of Object.entries(step.headers)) {
      if (value !== MASK) values[name] = value
      else if (Object.hasOwn(former, name)) values[name] = former[name]!
      else {
        faults.push({
          field: `${field}.headers.${name}`,
          message: "must be given anew: no value is kept for a step with this key and url"
        })
      }
    }
    headers[step.key] = { url: step.url, headers: values }
    return { ...step, headers: Object.fromEntries(Object.keys(step.headers).map((name) => [name, MASK])) }
  }
  const walk = (list: ReadonlyArray<Step>, field: string): ReadonlyArray<Step> =>
    list.map((step, i): Step => {
      const path = `${field}[${i}]`
      if (step.type === "FETCH") return masked(step, path)
      if (step.type !== "BRANCH") return step
      const branches = step.branches.map((branch, j) => ({
        ...branch,
        steps: walk(branch.steps, `${path}.branches[${j}].steps`)
      }))
      return { ...step, branches, ...(step.else === undefined ? {} : { else: walk(step.else, `${path}.else`) }) }
    })

  return { steps: walk(steps, "steps"), headers, faults }
}
