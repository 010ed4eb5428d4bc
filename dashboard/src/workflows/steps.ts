/** A step as the API takes it (docs/workflows.md); what a type has beside these stays as it is. */
export interface Step {
  readonly key: string
  readonly type: StepType
  readonly name?: string
  readonly branches?: ReadonlyArray<{ readonly conditions?: unknown; readonly steps: ReadonlyArray<Step> }>
  readonly else?: ReadonlyArray<Step>
  readonly [more: string]: unknown
}

export const TYPES = [
  "SEND",
  "DELAY",
  "FILTER",
  "BRANCH",
  "DIGEST",
  "THROTTLE",
  "FETCH",
  "UPDATE_CONTACT",
  "WAIT_FOR"
] as const
export type StepType = (typeof TYPES)[number]

/** The way to a list of steps: `[2, "branches", 0]` are those of the first branch of the third step; `[]`: all. */
export type ListPath = ReadonlyArray<number | "branches" | "else">
/** The way to a step: that of its list, and its place there. */
export interface Place {
  readonly list: ListPath
  readonly index: number
}

const within = (
  steps: ReadonlyArray<Step>,
  path: ListPath,
  change: (list: ReadonlyArray<Step>) => ReadonlyArray<Step>
): ReadonlyArray<Step> => {
  const [index, part, branch, ...rest] = path
  if (typeof index !== "number") return change(steps)
  return steps.map((step, i) => {
    if (i !== index) return step
    if (part === "else") return { ...step, else: within(step.else ?? [], path.slice(2), change) }
    const branches = (step.branches ?? []).map((one, b) =>
      b === branch ? { ...one, steps: within(one.steps, rest, change) } : one
    )
    return { ...step, branches }
  })
}

export const insert = (steps: ReadonlyArray<Step>, { index, list }: Place, step: Step) =>
  within(steps, list, (all) => all.toSpliced(index, 0, step))
export const remove = (steps: ReadonlyArray<Step>, { index, list }: Place) =>
  within(steps, list, (all) => all.toSpliced(index, 1))
export const replace = (steps: ReadonlyArray<Step>, { index, list }: Place, step: Step) =>
  within(steps, list, (all) => all.with(index, step))
/** By one place, up (-1) or down (1). */
export const move = (steps: ReadonlyArray<Step>, { index, list }: Place, by: -1 | 1) =>
  within(steps, list, (all) => all.with(index, all[index + by]!).with(index + by, all[index]!))

/** All lists of steps with the way to each, from above to below. */
export const listsOf = (
  steps: ReadonlyArray<Step>,
  list: ListPath = []
): ReadonlyArray<{ readonly list: ListPath; readonly steps: ReadonlyArray<Step> }> => [
  { list, steps },
  ...steps.flatMap((step, i) => [
    ...(step.branches ?? []).flatMap((branch, b) => listsOf(branch.steps, [...list, i, "branches", b])),
    ...(step.type === "BRANCH" ? listsOf(step.else ?? [], [...list, i, "else"]) : [])
  ])
]

const isSame = (a: ListPath, b: ListPath): boolean => a.length === b.length && a.every((part, i) => part === b[i])

export const stepAt = (steps: ReadonlyArray<Step>, { index, list }: Place): Step | undefined =>
  listsOf(steps).find((one) => isSame(one.list, list))?.steps[index]

/** Where a step is by now. */
export const placeOf = (steps: ReadonlyArray<Step>, step: Step): Place | null => {
  for (const { list, steps: all } of listsOf(steps)) {
    const index = all.indexOf(step)
    if (index !== -1) return { list, index }
  }
  return null
}

const isWithin = (list: ListPath, { index, list: above }: Place): boolean =>
  [...above, index].every((part, i) => list[i] === part)

/** The lists that a step can be put into: those inside itself are not. */
export const listsFor = (steps: ReadonlyArray<Step>, from: Place) =>
  listsOf(steps).filter(({ list }) => !isWithin(list, from))

/** To any place that is not inside the step itself. */
export const moveTo = (steps: ReadonlyArray<Step>, from: Place, to: Place): ReadonlyArray<Step> => {
  const step = stepAt(steps, from)!
  // What stands behind the new place is one farther on by then: the step itself, or one that it is inside.
  const path = [...from.list, from.index]
  const depth = to.list.length
  const at = path[depth]
  if (to.list.every((part, i) => path[i] === part) && typeof at === "number" && at >= to.index) path[depth] = at + 1
  return remove(insert(steps, to, step), { list: path.slice(0, -1) as ListPath, index: path.at(-1) as number })
}

/** A step with other values; undefined takes one away. */
export const lay = (step: Step, changes: Readonly<Record<string, unknown>>): Step =>
  Object.fromEntries(
    Object.entries({ ...step, ...changes }).filter(([, value]) => value !== undefined)
  ) as unknown as Step

/** All steps as `stepOrder` counts them: in the order of the definition, depth first. */
export const inOrder = (steps: ReadonlyArray<Step>): ReadonlyArray<Step> =>
  steps.flatMap((step) => [
    step,
    ...(step.branches ?? []).flatMap((branch) => inOrder(branch.steps)),
    ...inOrder(step.else ?? [])
  ])

/** As the service names a step in what it finds wrong: `steps[2].branches[0].steps[1]`. */
export const pathOf = ({ index, list }: Place): string => {
  let path = "steps"
  list.forEach((part, i) => {
    if (part === "branches") path += ".branches"
    else if (part === "else") path += ".else"
    else path += `[${part}]${list[i - 1] === "branches" ? ".steps" : ""}`
  })
  return `${path}[${index}]`
}

const FIRST: Readonly<Record<StepType, Readonly<Record<string, unknown>>>> = {
  SEND: { channels: ["push"], content: { title: "Hello", body: "" } },
  DELAY: { seconds: 3600 },
  FILTER: { conditions: { attributes: [{ name: "plan", op: "equals", value: "pro" }] } },
  BRANCH: { branches: [{ conditions: { tags_any: ["vip"] }, steps: [] }], else: [] },
  DIGEST: { seconds: 600 },
  THROTTLE: { at_most: 3, per_seconds: 86_400 },
  FETCH: { url: "https://" },
  UPDATE_CONTACT: { tags_add: ["welcomed"] },
  WAIT_FOR: { event: "bought", seconds: 86_400 }
}

/** A key that no step has yet. */
const freeKey = (stem: string, taken: ReadonlySet<string>): string => {
  let key = stem
  for (let n = 2; taken.has(key); n++) key = `${stem}_${n}`
  return key
}
const keysOf = (all: ReadonlyArray<Step>) => new Set(inOrder(all).map(({ key }) => key))

/** A step to begin with, whose key no other has. */
export const newStep = (type: StepType, all: ReadonlyArray<Step>): Step => ({
  key: freeKey(type.toLowerCase(), keysOf(all)),
  type,
  ...FIRST[type]
})

/** The same once more, with all that is inside, under keys of its own. */
export const copyOf = (step: Step, all: ReadonlyArray<Step>): Step => {
  const taken = keysOf(all)
  const copy = (one: Step): Step => {
    const key = freeKey(one.key.replace(/_\d+$/, ""), taken)
    taken.add(key)
    return lay(one, {
      key,
      branches: one.branches?.map((branch) => ({ ...branch, steps: branch.steps.map(copy) })),
      else: one.else?.map(copy)
    })
  }
  return copy(step)
}
