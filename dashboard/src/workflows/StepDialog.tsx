import { useState } from "react"
import { AreaField, Button, Form, TextField } from "../parts/form.tsx"
import { Dialog } from "../parts/page.tsx"
import type { Step } from "./steps.ts"
import { TYPE } from "./words.ts"

/** What is set by the canvas, or by a field of its own. */
const APART = new Set(["key", "type", "name", "steps", "else", "content"])
const TEXTS = [
  ["title", "Title"],
  ["body", "Body"],
  ["url", "Leads to"],
  ["subject", "Subject of the e-mail"],
  ["html", "HTML of the e-mail"]
] as const

/** The steps of branches are set on the canvas: here are their conditions alone. */
const settingsOf = (step: Step): Readonly<Record<string, unknown>> => {
  const own = Object.entries(step).filter(([name]) => !APART.has(name) && name !== "branches")
  const branches = step.branches?.map(({ conditions }) => ({ conditions }))
  return { ...Object.fromEntries(own), ...(branches && { branches }) }
}

/** The step with settings as they were typed: a branch keeps its steps by its place. */
const withSettings = (step: Step, settings: Readonly<Record<string, unknown>>): Step => {
  const { branches, ...rest } = settings
  const kept = Object.fromEntries(Object.entries(step).filter(([name]) => APART.has(name)))
  return {
    ...(kept as unknown as Step),
    ...rest,
    key: step.key,
    type: step.type,
    ...(Array.isArray(branches) && {
      branches: branches.map((one: object, i) => ({ ...one, steps: step.branches?.[i]?.steps ?? [] }))
    })
  }
}

export const StepDialog = ({
  onClose,
  onSave,
  step
}: {
  readonly step: Step
  readonly onSave: (step: Step) => void
  readonly onClose: () => void
}) => {
  const [key, setKey] = useState(step.key)
  const [name, setName] = useState(step.name ?? "")
  const [settings, setSettings] = useState(() => JSON.stringify(settingsOf(step), null, 2))
  const given = (step["content"] ?? {}) as Readonly<Record<string, unknown>>
  const [texts, setTexts] = useState<Readonly<Record<string, string>>>(() =>
    Object.fromEntries(TEXTS.map(([field]) => [field, typeof given[field] === "string" ? given[field] : ""]))
  )
  const [fault, setFault] = useState<string | null>(null)
  const isWritten = step.type === "SEND" && step["template_id"] === undefined
  const save = (): void => {
    let parsed: unknown
    try {
      parsed = JSON.parse(settings)
    } catch (error) {
      return setFault(`are no JSON: ${(error as Error).message}`)
    }
    if (typeof parsed !== "object" || parsed === null || Array.isArray(parsed)) return setFault("are a JSON object")
    const next = withSettings({ ...step, key: key.trim() }, parsed as Readonly<Record<string, unknown>>)
    const { content: _, name: __, ...rest } = next
    const filled = Object.fromEntries(Object.entries(texts).filter(([, text]) => text.trim() !== ""))
    // From a template: what was written by hand is gone then.
    const content =
      isWritten && next["template_id"] === undefined ? { content: { ...given, ...cleared(given), ...filled } } : {}
    onSave({ ...rest, ...(name.trim() === "" ? {} : { name: name.trim() }), ...content } as Step)
  }
  return (
    <Dialog title={TYPE[step.type] ?? step.type} onClose={onClose} className="wide">
      <Form onSubmit={save}>
        <div className="grid two">
          <TextField
            label="Key"
            value={key}
            onChange={setKey}
            spellCheck={false}
            hint="Lower-case letters, digits and _."
          />
          <TextField label="Name, for people" value={name} onChange={setName} />
        </div>
        {isWritten &&
          TEXTS.map(([field, label]) =>
            field === "body" || field === "html" ? (
              <AreaField
                key={field}
                label={label}
                value={texts[field]!}
                rows={field === "html" ? 4 : 2}
                onChange={(text) => setTexts({ ...texts, [field]: text })}
              />
            ) : (
              <TextField
                key={field}
                label={label}
                value={texts[field]!}
                onChange={(text) => setTexts({ ...texts, [field]: text })}
              />
            )
          )}
        <AreaField
          label="Settings"
          value={settings}
          rows={Math.min(16, settings.split("\n").length + 1)}
          onChange={setSettings}
          spellCheck={false}
          hint={
            <>
              JSON, as <a href="/docs">the API</a> takes it. Texts are Liquid: <code>{"{{ data.name }}"}</code> is what
              the trigger brought.
            </>
          }
        />
        {fault && (
          <p className="fault" role="alert">
            The settings {fault}
          </p>
        )}
        <div className="dialog-actions">
          <Button onClick={onClose}>Go back</Button>
          <Button type="submit" kind="primary">
            Set
          </Button>
        </div>
      </Form>
    </Dialog>
  )
}

/** Of what was there, the texts that have fields: what is emptied goes. */
const cleared = (given: Readonly<Record<string, unknown>>): Readonly<Record<string, undefined>> =>
  Object.fromEntries(TEXTS.filter(([field]) => typeof given[field] === "string").map(([field]) => [field, undefined]))
