import { useState } from "react"
import { Refusal } from "../api/request.ts"
import { AreaField, Button, Choice, Form, TextField } from "../parts/form.tsx"
import { readJson, wrongWithin } from "../parts/json.ts"
import { Dialog, GoBack } from "../parts/page.tsx"
import type { Open } from "./draft.ts"
import type { Fault } from "./faults.ts"
import { nameIn } from "./steps/fields.tsx"
import { gapsOf } from "./steps/gaps.ts"
import { isShown, StepForm } from "./steps/StepForm.tsx"
import type { Step } from "./steps.ts"
import { lay } from "./steps.ts"
import { faultWords, TYPE } from "./words.ts"

/** What is set by the canvas, or by a field of its own. */
const APART = new Set(["key", "type", "name", "else", "branches"])

/** The steps of branches are set on the canvas: here are their conditions alone. */
const settingsOf = (step: Step): string => {
  const own = Object.entries(step).filter(([name]) => !APART.has(name))
  const branches = step.branches?.map((branch) =>
    Object.fromEntries(Object.entries(branch).filter(([name]) => name !== "steps"))
  )
  return JSON.stringify({ ...Object.fromEntries(own), ...(branches && { branches }) }, null, 2)
}

/** The step with settings as they were typed, or why they cannot be read. A branch keeps its steps by its place. */
const withSettings = (step: Step, text: string): { readonly step: Step } | { readonly fault: string } => {
  const { broken, value: settings, wrong } = readJson(text)
  if (broken !== null) return { fault: `are no JSON: ${broken}` }
  if (wrong !== null) return { fault: wrongWithin(wrong) }
  if (typeof settings !== "object" || settings === null || Array.isArray(settings))
    return { fault: "are a JSON object" }
  const { branches, ...rest } = settings as Readonly<Record<string, unknown>>
  const kept = Object.fromEntries(Object.entries(step).filter(([name]) => APART.has(name) && name !== "branches"))
  return {
    step: {
      ...rest,
      ...kept,
      ...(Array.isArray(branches) && {
        branches: branches.map((one: object, i) => ({ ...one, steps: step.branches?.[i]?.steps ?? [] }))
      })
    } as unknown as Step
  }
}

const FaultList = ({ faults }: { readonly faults: ReadonlyArray<Fault> }) =>
  faults.length === 0 ? null : (
    <ul className="notice danger" role="alert">
      {faults.map((fault) => (
        <li key={`${fault.field} ${fault.message}`}>{faultWords(fault)}</li>
      ))}
    </ul>
  )

/** The settings of a step, as a form or as JSON, between which one can go back and forth without losing any. */
export const StepDialog = ({
  earlier,
  faults,
  onChange,
  onClose,
  onSave,
  open
}: {
  readonly open: Open
  /** What the service found wrong with the step as it was saved last. */
  readonly faults: ReadonlyArray<Fault>
  readonly earlier: ReadonlyArray<Step>
  readonly onChange: (changes: Partial<Open>) => void
  readonly onSave: (step: Step) => void
  readonly onClose: () => void
}) => {
  const { json, step } = open
  const [hasTried, setTried] = useState(false)
  const [fault, setFault] = useState<string | null>(null)
  const change = (changes: Readonly<Record<string, unknown>>): void => onChange({ step: lay(step, changes) })
  const gaps = hasTried && json === null ? gapsOf(step) : []
  const all = [...gaps, ...faults]
  const error =
    all.length === 0 && !hasTried
      ? null
      : new Refusal("validation_error", "", {
          details: all.map(({ field, message }) => ({ field: nameIn(field), message }))
        })
  const read = (): Step | null => {
    if (json === null) return step
    const typed = withSettings(step, json)
    setFault("fault" in typed ? typed.fault : null)
    return "fault" in typed ? null : typed.step
  }
  const show = (as: "form" | "json"): void => {
    if (as === "json") return onChange({ json: settingsOf(step) })
    const typed = read()
    if (typed !== null) onChange({ step: typed, json: null })
  }
  const save = (): void => {
    setTried(true)
    const typed = read()
    if (typed === null || (json === null && gapsOf(step).length > 0)) return
    onSave(lay(typed, { key: typed.key.trim() }))
  }
  return (
    <Dialog title={TYPE[step.type] ?? step.type} isKept onClose={onClose} className="wide">
      <Form error={error} onSubmit={save}>
        <FaultList faults={faults.filter(({ field }) => json !== null || !isShown(step.type, field))} />
        <div className="grid two">
          <TextField
            label="Key"
            name={nameIn("key")}
            value={step.key}
            onChange={(key) => change({ key })}
            spellCheck={false}
            hint="Lower-case letters, digits and _."
          />
          <TextField
            label="Name, for people"
            name={nameIn("name")}
            value={step.name ?? ""}
            onChange={(name) => change({ name: name === "" ? undefined : name })}
          />
        </div>
        {json === null ? (
          <StepForm step={step} change={change} earlier={earlier} error={error} />
        ) : (
          <AreaField
            label="Settings"
            value={json}
            rows={Math.min(16, json.split("\n").length + 1)}
            onChange={(text) => onChange({ json: text })}
            spellCheck={false}
            hint={
              <>
                JSON, as <a href="/docs">the API</a> takes it.
              </>
            }
          />
        )}
        {fault && (
          <p className="fault" role="alert">
            The settings {fault}
          </p>
        )}
        <Choice
          label="Settings are shown"
          value={json === null ? "form" : "json"}
          onChange={show}
          options={[
            ["form", "As a form"],
            ["json", "As JSON"]
          ]}
        />
        <div className="dialog-actions">
          <GoBack />
          <Button type="submit" kind="primary">
            Set
          </Button>
        </div>
      </Form>
    </Dialog>
  )
}
