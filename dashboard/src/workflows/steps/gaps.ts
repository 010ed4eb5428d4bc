import { gapOf, pathsOf, rulesOf } from "../conditions.ts"
import type { Fault } from "../faults.ts"
import type { Step } from "../steps.ts"

const unread = (step: Step, fields: ReadonlyArray<string>, message: string): ReadonlyArray<Fault> =>
  fields.filter((field) => typeof step[field] === "string").map((field) => ({ field, message }))

const inConditions = (conditions: unknown, field: string): ReadonlyArray<Fault> => {
  const rules = rulesOf(conditions)
  if (rules === null) return []
  return [[field, rules.all] as const, ...rules.any.map((group, i) => [`${field}.any[${i}]`, group] as const)].flatMap(
    ([at, all]) => {
      const paths = pathsOf(all)
      return all.flatMap((rule, i) => {
        const message = gapOf(rule)
        return message === null ? [] : [{ field: `${at}.${paths[i]}`, message }]
      })
    }
  )
}

/** What of a step was not typed to its end, or cannot be read. All else is judged by the service. */
export const gapsOf = (step: Step): ReadonlyArray<Fault> => [
  ...unread(step, ["seconds", "per_seconds", "ttl"], "must be a length of time, as 3 days 2 hours"),
  ...unread(step, ["at_most"], "must be a whole number"),
  ...unread(step, ["variables", "body"], "must be JSON"),
  ...inConditions(step["conditions"], "conditions"),
  ...(step.branches ?? []).flatMap(({ conditions }, i) => inConditions(conditions, `branches[${i}].conditions`))
]
