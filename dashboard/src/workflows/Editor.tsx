import { Link } from "@tanstack/react-router"
import type { KeyboardEvent } from "react"
import { useEffect, useRef, useState } from "react"
import { useDo } from "../api/hooks.ts"
import { Refusal } from "../api/request.ts"
import { useApp } from "../frame/viewer.ts"
import { Button, ErrorNotice, Form, SelectField, TextField } from "../parts/form.tsx"
import { Card } from "../parts/page.tsx"
import { toast } from "../parts/toasts.tsx"
import type { Draft, Workflow } from "./draft.ts"
import { contentOf, useUndo } from "./draft.ts"
import type { Fault } from "./faults.ts"
import { faultsOf, isPlaced } from "./faults.ts"
import { addId, editId, Flow } from "./Flow.tsx"
import { MoveDialog } from "./MoveDialog.tsx"
import { saveWorkflow } from "./operations.ts"
import { StepDialog } from "./StepDialog.tsx"
import type { Place, Step } from "./steps.ts"
import { copyOf, inOrder, insert, move, moveTo, newStep, pathOf, placeOf, remove, replace, stepAt } from "./steps.ts"
import { TriggerForm } from "./TriggerForm.tsx"
import { REENTRY } from "./words.ts"

export type Warnings = ReadonlyArray<{ readonly field: string; readonly message: string }>

const NO_FAULTS: ReadonlyArray<Fault> = []

/** The steps that stand before a place. */
const before = (steps: ReadonlyArray<Step>, place: Place): ReadonlyArray<Step> => {
  const mark: Step = { key: "", type: "DELAY" }
  const all = inOrder(insert(steps, place, mark))
  return all.slice(0, all.indexOf(mark))
}

/** Takes the focus to a control after the next change of the page, where the one that had it is gone. */
const useFocus = (): ((id: string) => void) => {
  const wanted = useRef<string | null>(null)
  useEffect(() => {
    if (wanted.current === null) return
    document.getElementById(wanted.current)?.focus()
    wanted.current = null
  })
  return (id) => {
    wanted.current = id
  }
}

/** Somebody else has saved meanwhile: nothing of either is lost, and one sees both before one goes on. */
const Others = ({
  basis,
  onGoOn,
  one
}: {
  readonly one: Workflow
  readonly basis: number
  readonly onGoOn: () => void
}) => {
  const { appId } = useApp()
  const between = (left: number, right: string) => ({
    to: "/apps/$appId/workflows/$id/versions" as const,
    params: { appId, id: one.id },
    search: { left: String(left), right } as never
  })
  return (
    <div className="notice warning" role="alert">
      <p>
        <strong>
          Version {one.version} was saved since you began with version {basis}.
        </strong>{" "}
        What you have done is kept in this tab, and nothing was written over. Look at both, then go on; or drop yours.
      </p>
      <div className="actions">
        <Link {...between(basis, String(one.version))} className="button plain">
          What they changed
        </Link>
        <Link {...between(one.version, "draft")} className="button plain">
          Theirs beside mine
        </Link>
        <Button onClick={onGoOn}>Put mine after theirs</Button>
      </div>
    </div>
  )
}

const Failed = ({ error }: { readonly error: unknown }) =>
  isPlaced(error) ? (
    <div className="notice danger" role="alert">
      <p>
        <strong>Not saved.</strong> What is wrong stands at its place above.
      </p>
    </div>
  ) : (
    <ErrorNotice error={error} />
  )

/** The canvas: steps are added, moved and set, and become the next version when they are saved. */
export const Editor = ({
  draft,
  onChange,
  onClose,
  onConflict,
  onSaved,
  one
}: {
  readonly one: Workflow
  readonly draft: Draft
  readonly onChange: (changes: Partial<Draft>) => void
  readonly onClose: () => void
  /** `sent`: what was saved. More may have been set since. */
  readonly onSaved: (saved: Workflow, warnings: Warnings, sent: ReturnType<typeof contentOf>) => void
  /** Others may have saved: the workflow is to be read again. */
  readonly onConflict: () => void
}) => {
  const { open, steps } = draft
  const [moved, setMoved] = useState<{ readonly place: Place; readonly step: Step } | null>(null)
  /** Keys of steps that were set since the faults were found. */
  const [mended, setMended] = useState<ReadonlySet<string>>(new Set())
  const focus = useFocus()
  const undo = useUndo(steps, (steps) => onChange({ steps }))
  const sent = useRef(contentOf(draft))
  const saving = useDo(saveWorkflow, ({ updateWorkflow: { warnings, ...saved } }) => {
    toast(`Saved as version ${saved.version}`)
    onSaved(saved, warnings, sent.current)
  })
  const found = faultsOf(saving.error, (saving.variables?.input.steps ?? []) as ReadonlyArray<Step>)
  const faults = new Map([...found].filter(([key]) => !mended.has(key)))
  const save = (): void => {
    sent.current = contentOf(draft)
    setMended(new Set())
    saving.mutate(
      { id: one.id, input: { ...sent.current, version: draft.basis } },
      { onError: (error) => error instanceof Refusal && error.code === "conflict" && onConflict() }
    )
  }
  const openStep = (place: Place, step: Step, isNew = false): void =>
    onChange({ open: { place, step, isNew, json: null } })
  const setStep = (place: Place, step: Step, isNew: boolean): void => {
    const former = isNew ? undefined : stepAt(steps, place)
    onChange({ open: null })
    if (former !== undefined) setMended(new Set([...mended, former.key]))
    undo.change(
      isNew ? insert(steps, place, step) : replace(steps, place, step),
      `${isNew ? "added" : "set"} ${step.key}`
    )
    focus(editId(place))
  }
  const step = (place: Place, by: -1 | 1): void => {
    undo.change(move(steps, place, by), `moved ${stepAt(steps, place)!.key} ${by === 1 ? "down" : "up"}`)
  }
  const onKeyDown = (event: KeyboardEvent): void => {
    if (!(event.ctrlKey || event.metaKey) || event.key.toLowerCase() !== "z") return
    if ((event.target as Element).closest("input, textarea, select, dialog")) return
    event.preventDefault()
    if (event.shiftKey) undo.redo()
    else undo.undo()
  }
  return (
    <div onKeyDown={onKeyDown}>
      <Form error={saving.error} onSubmit={save}>
        <Card title={`Version ${one.version + 1}`}>
          <div className="grid two">
            <TextField label="Name" name="input.name" value={draft.name} onChange={(name) => onChange({ name })} />
            <SelectField
              label="A person may enter"
              name="reentry"
              value={draft.reentry}
              onChange={(reentry) => onChange({ reentry })}
              options={Object.entries(REENTRY) as never}
            />
          </div>
          <TriggerForm trigger={draft.trigger} onChange={(trigger) => onChange({ trigger })} />
        </Card>
        <Card
          title="Steps"
          actions={
            <>
              <Button
                kind="quiet"
                aria-disabled={undo.undoable === null || undefined}
                title={undo.undoable ?? undefined}
                onClick={undo.undo}
              >
                Undo
              </Button>
              <Button
                kind="quiet"
                aria-disabled={undo.redoable === null || undefined}
                title={undo.redoable ?? undefined}
                onClick={undo.redo}
              >
                Redo
              </Button>
            </>
          }
        >
          <p className="unseen" role="status">
            {undo.said}
          </p>
          <Flow
            steps={steps}
            editing={{
              faults,
              onAdd: (place, type) => openStep(place, newStep(type, steps), true),
              onEdit: (place, step) => openStep(place, step),
              onMove: step,
              onMoveAway: (place, step) => setMoved({ place, step }),
              onCopy: (place, step) => {
                const next = { ...place, index: place.index + 1 }
                undo.change(insert(steps, next, copyOf(step, steps)), `copied ${step.key}`)
                focus(editId(next))
              },
              onRemove: (place, step) => {
                undo.change(remove(steps, place), `removed ${step.key}`)
                focus(addId(place))
              }
            }}
          />
        </Card>
        <p className="muted">Who enters from now on has the new version; who is under way stays on theirs.</p>
        {one.version === draft.basis ? (
          <Failed error={saving.error} />
        ) : (
          <Others one={one} basis={draft.basis} onGoOn={() => onChange({ basis: one.version })} />
        )}
        <div className="actions">
          <span className="muted small">Not saved yet; kept in this tab.</span>
          <Button onClick={onClose}>Drop the changes</Button>
          <Button type="submit" kind="primary" isBusy={saving.isPending}>
            Save as version {one.version + 1}
          </Button>
        </div>
      </Form>
      {open && (
        <StepDialog
          key={pathOf(open.place)}
          open={open}
          faults={open.isNew ? NO_FAULTS : (faults.get(stepAt(steps, open.place)?.key ?? "") ?? NO_FAULTS)}
          earlier={before(steps, open.place)}
          onChange={(changes) => onChange({ open: { ...open, ...changes } })}
          onClose={() => onChange({ open: null })}
          onSave={(step) => setStep(open.place, step, open.isNew)}
        />
      )}
      {moved && (
        <MoveDialog
          step={moved.step}
          from={moved.place}
          steps={steps}
          onClose={() => setMoved(null)}
          onMove={(to) => {
            const next = moveTo(steps, moved.place, to)
            undo.change(next, `moved ${moved.step.key}`)
            setMoved(null)
            const place = placeOf(next, moved.step)
            if (place !== null) focus(editId(place))
          }}
        />
      )}
    </div>
  )
}
