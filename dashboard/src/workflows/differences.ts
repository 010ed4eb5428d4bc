import { spanWords } from "./span.ts"
import type { Step } from "./steps.ts"
import { inOrder } from "./steps.ts"

/* What changed from one version of a workflow to another, step by step. Steps are the same by their keys. */

export interface FieldChange {
  /** Its path, as `content.title`. */
  readonly field: string
  /** Null: it was not there. */
  readonly before: string | null
  readonly after: string | null
}

export type Change = "added" | "removed" | "changed" | "moved" | "same"

export interface StepChange {
  readonly key: string
  readonly change: Change
  /** Beside that it may have changed. */
  readonly isMoved: boolean
  readonly left: Step | null
  readonly right: Step | null
  readonly fields: ReadonlyArray<FieldChange>
}

const SPANS = /(?:^|\.)(?:seconds|per_seconds|ttl)$/

/** The values of JSON by their paths; lists of plain values are one. */
const flat = (value: unknown, path: string, into: Map<string, string>): Map<string, string> => {
  const isList = Array.isArray(value)
  if (isList && value.every((one) => typeof one !== "object")) return into.set(path, value.join(", "))
  if (typeof value !== "object" || value === null) {
    const text = typeof value === "string" ? value : JSON.stringify(value)
    return into.set(path, typeof value === "number" && SPANS.test(path) ? spanWords(value) : text)
  }
  for (const [name, one] of Object.entries(value)) {
    flat(one, isList ? `${path}[${name}]` : path === "" ? name : `${path}.${name}`, into)
  }
  return into
}

export const fieldChanges = (left: unknown, right: unknown): ReadonlyArray<FieldChange> => {
  const [before, after] = [flat(left, "", new Map()), flat(right, "", new Map())]
  return [...new Set([...before.keys(), ...after.keys()])]
    .map((field) => ({ field, before: before.get(field) ?? null, after: after.get(field) ?? null }))
    .filter((one) => one.before !== one.after)
}

/** A step's own settings: steps inside it are steps of their own. */
const ownOf = ({ branches, ...rest }: Step): unknown => ({
  ...Object.fromEntries(Object.entries(rest).filter(([name]) => name !== "else" && name !== "key")),
  ...(branches && { branches: branches.map(({ conditions }) => ({ conditions })) })
})

/** The list that each step stands in, by keys: `""` is the outermost. */
const placesOf = (steps: ReadonlyArray<Step>, list = ""): ReadonlyArray<readonly [key: string, list: string]> =>
  steps.flatMap((step) => [
    [step.key, list] as const,
    ...(step.branches ?? []).flatMap((branch, i) => placesOf(branch.steps, `${step.key} ${i}`)),
    ...placesOf(step.else ?? [], `${step.key} else`)
  ])

/** Of keys that both have, the most that stand in the same order: all others have moved. */
const keptInOrder = (left: ReadonlyArray<string>, right: ReadonlyArray<string>): ReadonlySet<string> => {
  const best: Array<ReadonlyArray<string>> = []
  for (const [at, key] of left.entries()) {
    const place = right.indexOf(key)
    const before = best.slice(0, at).filter((one) => right.indexOf(one.at(-1)!) < place)
    best.push([...before.reduce((a, b) => (b.length > a.length ? b : a), [] as ReadonlyArray<string>), key])
  }
  return new Set(best.reduce((a, b) => (b.length > a.length ? b : a), []))
}

/** The steps of both versions: in the order of the right one, what is gone where it stood in the left one. */
export const stepChanges = (left: ReadonlyArray<Step>, right: ReadonlyArray<Step>): ReadonlyArray<StepChange> => {
  const [before, after] = [inOrder(left), inOrder(right)]
  const [was, is] = [new Map(before.map((step) => [step.key, step])), new Map(after.map((step) => [step.key, step]))]
  const [wasIn, isIn] = [new Map(placesOf(left)), new Map(placesOf(right))]
  const stays = (all: ReadonlyArray<Step>) =>
    all.map(({ key }) => key).filter((key) => was.has(key) && is.has(key) && wasIn.get(key) === isIn.get(key))
  const kept = keptInOrder(stays(before), stays(after))
  const order = after.map(({ key }) => key)
  for (const [at, { key }] of before.entries()) {
    if (is.has(key)) continue
    const former = before.slice(0, at).findLast((one) => order.includes(one.key))
    order.splice(former === undefined ? 0 : order.indexOf(former.key) + 1, 0, key)
  }
  return order.map((key) => {
    const [one, other] = [was.get(key) ?? null, is.get(key) ?? null]
    const fields = one && other ? fieldChanges(ownOf(one), ownOf(other)) : []
    const isMoved = one !== null && other !== null && !kept.has(key)
    const change =
      one === null ? "added" : other === null ? "removed" : fields.length > 0 ? "changed" : isMoved ? "moved" : "same"
    return { key, change, isMoved, left: one, right: other, fields }
  })
}
