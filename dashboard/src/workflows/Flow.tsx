import type { ReactNode } from "react"
import { useState } from "react"
import { Button } from "../parts/form.tsx"
import { count } from "../parts/time.ts"
import type { Fault } from "./faults.ts"
import type { StepNumbersQuery } from "./operations.ts"
import type { ListPath, Place, Step, StepType } from "./steps.ts"
import { inOrder, pathOf, TYPES } from "./steps.ts"
import { conditionWords, faultWords, stepWords, TYPE } from "./words.ts"

export type Numbers = StepNumbersQuery["workflowStatistics"]["steps"][number]

/** What may be done to the steps; left out where they are only shown. */
export interface Editing {
  readonly onAdd: (place: Place, type: StepType) => void
  readonly onEdit: (place: Place, step: Step) => void
  readonly onMove: (place: Place, by: -1 | 1) => void
  /** To where, is asked for. */
  readonly onMoveAway: (place: Place, step: Step) => void
  readonly onCopy: (place: Place, step: Step) => void
  readonly onRemove: (place: Place, step: Step) => void
  /** What is wrong, by the key of the step. */
  readonly faults: ReadonlyMap<string, ReadonlyArray<Fault>>
}

interface FlowProps {
  readonly steps: ReadonlyArray<Step>
  /** By `stepOrder`; of the version that is shown. */
  readonly numbers?: ReadonlyMap<number, Numbers>
  readonly editing?: Editing
  /** The steps that a run has been at, by `stepOrder`; what to say of each. */
  readonly path?: ReadonlyMap<number, ReactNode>
}

const Add = ({
  id,
  onAdd,
  where
}: {
  readonly id: string
  readonly onAdd: (type: StepType) => void
  readonly where: string
}) => {
  const [isOpen, setOpen] = useState(false)
  return (
    <div className="flow-add">
      <Button id={id} kind="quiet" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
        + Add a step<span className="unseen"> {where}</span>
      </Button>
      {isOpen && (
        <ul>
          {TYPES.map((type) => (
            <li key={type}>
              <Button
                onClick={() => {
                  setOpen(false)
                  onAdd(type)
                }}
              >
                {TYPE[type]}
              </Button>
            </li>
          ))}
        </ul>
      )}
    </div>
  )
}

const Figures = ({ of }: { readonly of: Numbers }) => (
  <dl className="flow-figures">
    {(["entered", "passed", "stopped", "failed", "waiting"] as const).map((name) => (
      <div key={name} className={name === "failed" && of.failed > 0 ? "bad-text" : ""}>
        <dt>{name}</dt>
        <dd>{count(of[name])}</dd>
      </div>
    ))}
  </dl>
)

/** The lists of steps inside a BRANCH, each with what leads there. */
export const waysOf = (step: Step, place: Place) => [
  ...(step.branches ?? []).map((branch, i) => ({
    list: [...place.list, place.index, "branches", i] as ListPath,
    steps: branch.steps,
    words: `If ${conditionWords(branch.conditions)}`
  })),
  {
    list: [...place.list, place.index, "else"] as ListPath,
    steps: step.else ?? [],
    words: "Otherwise"
  }
]

/** Ids of the controls that the focus goes to after a step was moved, set or removed. */
export const editId = (place: Place): string => `edit ${pathOf(place)}`.replaceAll(" ", "-")
export const addId = (place: Place): string => `add ${pathOf(place)}`.replaceAll(" ", "-")

const Controls = ({
  editing,
  isFirst,
  isLast,
  place,
  step
}: {
  readonly editing: Editing
  readonly step: Step
  readonly place: Place
  readonly isFirst: boolean
  readonly isLast: boolean
}) => (
  <div className="actions">
    <Button kind="quiet" aria-disabled={isFirst || undefined} onClick={() => !isFirst && editing.onMove(place, -1)}>
      ↑<span className="unseen"> Move {step.key} up</span>
    </Button>
    <Button kind="quiet" aria-disabled={isLast || undefined} onClick={() => !isLast && editing.onMove(place, 1)}>
      ↓<span className="unseen"> Move {step.key} down</span>
    </Button>
    <Button id={editId(place)} onClick={() => editing.onEdit(place, step)}>
      Edit…<span className="unseen"> {step.key}</span>
    </Button>
    <Button kind="quiet" onClick={() => editing.onMoveAway(place, step)}>
      Move…<span className="unseen"> {step.key} elsewhere</span>
    </Button>
    <Button kind="quiet" onClick={() => editing.onCopy(place, step)}>
      Copy<span className="unseen"> {step.key}</span>
    </Button>
    <Button kind="quiet" onClick={() => editing.onRemove(place, step)}>
      Remove<span className="unseen"> {step.key}</span>
    </Button>
  </div>
)

/** A workflow from above to below, branches beside each other. */
export const Flow = ({ editing, numbers, path, steps }: FlowProps) => {
  const orders = new Map(inOrder(steps).map((step, i) => [step, i + 1]))
  const listOf = (list: ListPath, all: ReadonlyArray<Step>, where: string): ReactNode => (
    <ol className="flow">
      {all.map((step, index) => {
        const place = { list, index }
        const order = orders.get(step)!
        const faults = editing?.faults.get(step.key) ?? []
        // Of steps with one key, which is a fault, each still is one of its own.
        const twins = all.slice(0, index).filter(({ key }) => key === step.key).length
        const of = numbers?.get(order)
        const was = path?.get(order)
        return (
          <li key={`${step.key} ${twins}`}>
            {editing && (
              <Add id={addId(place)} where={`before ${step.key}`} onAdd={(type) => editing.onAdd(place, type)} />
            )}
            <section
              className={`flow-step ${path && was === undefined ? "unreached" : ""} ${faults.length > 0 ? "wrong" : ""}`}
              aria-label={`Step ${order}: ${step.name ?? step.key}`}
            >
              <div className="flow-head">
                <span className="flow-order" aria-hidden="true">
                  {order}
                </span>
                <div>
                  <strong>{step.name ?? TYPE[step.type] ?? step.type}</strong> <code>{step.key}</code>
                  <p className="muted">{stepWords(step)}</p>
                </div>
                {editing && (
                  <Controls
                    editing={editing}
                    step={step}
                    place={place}
                    isFirst={index === 0}
                    isLast={index === all.length - 1}
                  />
                )}
              </div>
              {faults.map((fault) => (
                <p key={`${fault.field} ${fault.message}`} className="fault" role="alert">
                  {faultWords(fault)}
                </p>
              ))}
              {of && <Figures of={of} />}
              {was}
            </section>
            {step.type === "BRANCH" && (
              <div className="flow-ways">
                {waysOf(step, place).map((way) => (
                  <div key={way.list.join(" ")} className="flow-way">
                    <p className="small">{way.words}</p>
                    {listOf(way.list, way.steps, `at the end of ${way.words.toLowerCase()}`)}
                  </div>
                ))}
              </div>
            )}
          </li>
        )
      })}
      {editing && (
        <li>
          <Add
            id={addId({ list, index: all.length })}
            where={where}
            onAdd={(type) => editing.onAdd({ list, index: all.length }, type)}
          />
        </li>
      )}
      {!editing && all.length === 0 && <li className="muted small">Nothing more: the run goes on below.</li>}
    </ol>
  )
  return listOf([], steps, "at the end")
}
