import { Card, Chip } from "../parts/page.tsx"
import type { Tone } from "../parts/page.tsx"
import type { Change, FieldChange, StepChange } from "./differences.ts"
import { fieldChanges, stepChanges } from "./differences.ts"
import type { Step } from "./steps.ts"
import { REENTRY, stepWords, triggerWords, TYPE } from "./words.ts"

/** What a version says, or a draft of one. */
export interface Said {
  /** What it is called. */
  readonly words: string
  readonly trigger: unknown
  readonly reentry: keyof typeof REENTRY
  readonly steps: ReadonlyArray<Step>
}

const CHANGE: Readonly<Record<Change, readonly [words: string, tone: Tone]>> = {
  added: ["Added", "good"],
  removed: ["Removed", "bad"],
  changed: ["Changed", "busy"],
  moved: ["Moved", "waiting"],
  same: ["As before", "still"]
}

const Value = ({ text }: { readonly text: string | null }) =>
  text === null ? <span className="muted">nothing</span> : <code>{text === "" ? "(empty)" : text}</code>

const Fields = ({ fields }: { readonly fields: ReadonlyArray<FieldChange> }) => (
  <ul className="changes">
    {fields.map(({ after, before, field }) => (
      <li key={field}>
        <span className="changes-field">{field}</span>
        <del>
          <span className="unseen">before: </span>
          <Value text={before} />
        </del>
        <span aria-hidden="true">→</span>
        <ins>
          <span className="unseen">now: </span>
          <Value text={after} />
        </ins>
      </li>
    ))}
  </ul>
)

const Side = ({ of, step }: { readonly of: string; readonly step: Step | null }) => (
  <div className={`compared ${step === null ? "missing" : ""}`}>
    <span className="unseen">{of}: </span>
    {step === null ? (
      <span className="muted">not there</span>
    ) : (
      <>
        <strong>{step.name ?? TYPE[step.type] ?? step.type}</strong> <code>{step.key}</code>
        <p className="muted">{stepWords(step)}</p>
      </>
    )}
  </div>
)

const Row = ({ left, one, right }: { readonly one: StepChange; readonly left: string; readonly right: string }) => {
  const [words, tone] = CHANGE[one.change]
  return (
    <li className="comparison" aria-label={`${one.key}: ${words.toLowerCase()}`}>
      <div className="comparison-change">
        <Chip tone={tone}>{words}</Chip> {one.isMoved && one.change === "changed" && <Chip tone="waiting">Moved</Chip>}
      </div>
      <Side of={left} step={one.left} />
      <Side of={right} step={one.right} />
      {one.fields.length > 0 && <Fields fields={one.fields} />}
    </li>
  )
}

/** Two versions side by side, with what changed in each step. */
export const Differences = ({ left, right }: { readonly left: Said; readonly right: Said }) => {
  const steps = stepChanges(left.steps, right.steps)
  const trigger = fieldChanges(left.trigger, right.trigger)
  const count = steps.filter(({ change }) => change !== "same").length
  return (
    <Card title={`From ${left.words} to ${right.words}`}>
      <p role="status">
        {count === 0 && trigger.length === 0 && left.reentry === right.reentry
          ? "They say the same."
          : `${count === 0 ? "No step" : count === 1 ? "One step" : `${count} steps`} changed.`}
      </p>
      <ol className="comparisons">
        <li className="comparison head" aria-hidden="true">
          <span />
          <strong>{left.words}</strong>
          <strong>{right.words}</strong>
        </li>
        {(trigger.length > 0 || left.reentry !== right.reentry) && (
          <li className="comparison" aria-label="Who enters: changed">
            <div className="comparison-change">
              <Chip tone="busy">Changed</Chip>
            </div>
            {[left, right].map(({ reentry, trigger, words }) => (
              <div key={words} className="compared">
                <span className="unseen">{words}: </span>
                <strong>Who enters</strong>
                <p className="muted">
                  by {triggerWords(trigger)}, {REENTRY[reentry]}
                </p>
              </div>
            ))}
            <Fields fields={trigger} />
          </li>
        )}
        {steps.map((one) => (
          <Row key={one.key} one={one} left={left.words} right={right.words} />
        ))}
      </ol>
    </Card>
  )
}
