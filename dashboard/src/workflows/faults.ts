import { Refusal } from "../api/request.ts"
import { spanWords } from "./span.ts"
import type { Step } from "./steps.ts"
import { listsOf, pathOf } from "./steps.ts"

/** What is wrong with a step: where within it (empty: with all of it), and what, as continues the field's name. */
export interface Fault {
  readonly field: string
  readonly message: string
}

/** The deepest step that a path leads to, and what follows: `conditions.steps[0].key` is of the step before it. */
const OF_STEP = /^(?:input\.)?(steps\[\d+\](?:\.(?:branches\[\d+\]\.steps|else)\[\d+\])*)\.?(.*)$/

/** Whether all that is wrong stands at a field or a step: then no sentence about paths has to be read. */
export const isPlaced = (error: unknown): boolean =>
  error instanceof Refusal &&
  error.code === "validation_error" &&
  error.details.every(({ field }) => OF_STEP.test(field) || /^input\.(?:name$|trigger\.)/.test(field))

const SPANS = /(?:^|\.)(?:seconds|per_seconds|ttl)$/

/** Bounds of times in words. */
const humane = (field: string, message: string): string =>
  SPANS.test(field) ? message.replaceAll(/\d+/g, (seconds) => spanWords(Number(seconds))) : message

/** What the service found wrong with steps, by their keys, which stay theirs where they are moved. */
export const faultsOf = (error: unknown, steps: ReadonlyArray<Step>): ReadonlyMap<string, ReadonlyArray<Fault>> => {
  const found = new Map<string, ReadonlyArray<Fault>>()
  if (!(error instanceof Refusal)) return found
  const keys = new Map(
    listsOf(steps).flatMap(({ list, steps: all }) => all.map(({ key }, index) => [pathOf({ list, index }), key]))
  )
  for (const { field: path, message } of error.details) {
    const [, at, field = ""] = OF_STEP.exec(path) ?? []
    const key = at === undefined ? undefined : keys.get(at)
    if (key !== undefined) found.set(key, [...(found.get(key) ?? []), { field, message: humane(field, message) }])
  }
  return found
}
