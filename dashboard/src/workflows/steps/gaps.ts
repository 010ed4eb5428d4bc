import { readJson, wrongWithin } from "../../parts/json.ts"
import { gapOf, pathsOf, rulesOf } from "../conditions.ts"
import type { Fault } from "../faults.ts"
import type { Step } from "../steps.ts"

const unread = (step: Step, fields: ReadonlyArray<string>, wordsOf: (typed: string) => string): ReadonlyArray<Fault> =>
  fields.flatMap((field) => {
    const typed = step[field]
    return typeof typed === "string" ? [{ field, message: wordsOf(typed) }] : []
  })

const noJson = (typed: string): string => {
  const { wrong } = readJson(typed)
  return wrong === null ? "must be JSON" : wrongWithin(wrong)
}

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
  ...unread(step, ["seconds", "per_seconds", "ttl"], () => "must be a length of time, as 3 days 2 hours"),
  ...unread(step, ["at_most"], () => "must be a whole number"),
  ...unread(step, ["variables", "body"], noJson),
  ...inConditions(step["conditions"], "conditions"),
  ...(step.branches ?? []).flatMap(({ conditions }, i) => inConditions(conditions, `branches[${i}].conditions`))
]
