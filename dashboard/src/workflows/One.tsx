import { Link, useNavigate } from "@tanstack/react-router"
import { useState } from "react"
import { useAsk, useDo } from "../api/hooks.ts"
import { Refusal } from "../api/request.ts"
import { useApp, useId } from "../frame/viewer.ts"
import { AreaField, Button, Check, ErrorNotice, Form, SelectField, TextField, useDraft } from "../parts/form.tsx"
import { Card, Chip, Confirm, Dialog, Empty, Loading, Page, When } from "../parts/page.tsx"
import { toast } from "../parts/toasts.tsx"
import { listed } from "../compose/draft.ts"
import { DryRun } from "./DryRun.tsx"
import { Flow } from "./Flow.tsx"
import type { WorkflowQuery } from "./operations.ts"
import {
  activateWorkflow,
  archiveWorkflow,
  deleteWorkflow,
  saveWorkflow,
  stepNumbers,
  triggerWorkflow,
  workflow
} from "./operations.ts"
import { Runs } from "./Runs.tsx"
import { StepDialog } from "./StepDialog.tsx"
import type { Place, Step } from "./steps.ts"
import { insert, move, newStep, remove, replace } from "./steps.ts"
import { REENTRY, STATUS, triggerWords } from "./words.ts"

type Workflow = NonNullable<WorkflowQuery["workflow"]>
type Warnings = ReadonlyArray<{ readonly field: string; readonly message: string }>

interface Edited {
  readonly isOpen: boolean
  readonly name: string
  readonly reentry: Workflow["reentry"]
  readonly trigger: string
  readonly steps: ReadonlyArray<Step>
}

/** Where a fault belongs, and what it is: `input.steps[2].seconds` is of the step at `steps[2]`. */
const faultsIn = (error: unknown): ReadonlyMap<string, ReadonlyArray<string>> => {
  const faults = new Map<string, Array<string>>()
  if (!(error instanceof Refusal)) return faults
  for (const { field, message } of error.details) {
    const [, at, rest = ""] = /^(?:input\.)?(steps\[.*\])(.*)$/.exec(field) ?? []
    if (at === undefined) continue
    faults.set(at, [...(faults.get(at) ?? []), `${rest.replace(/^\./, "")} ${message}`.trim()])
  }
  return faults
}

const Trigger = ({ onClose, one }: { readonly one: Workflow; readonly onClose: () => void }) => {
  const [people, setPeople] = useState("")
  const [data, setData] = useState("{}")
  const [fault, setFault] = useState<string | null>(null)
  const going = useDo(triggerWorkflow, ({ triggerWorkflow: { executions } }) => {
    toast(executions === 1 ? "One run has begun" : `${executions} runs have begun`)
    onClose()
  })
  const start = (): void => {
    try {
      going.mutate({ id: one.id, input: { to: { user_ids: listed(people) }, data: JSON.parse(data) } })
      setFault(null)
    } catch (error) {
      setFault((error as Error).message)
    }
  }
  return (
    <Dialog title={`Let people into ${one.name}`} onClose={onClose}>
      <Form error={going.error} onSubmit={start}>
        <AreaField
          label="Their ids, as your application calls them"
          name="to"
          value={people}
          onChange={setPeople}
          rows={3}
        />
        <AreaField
          label="What they bring, as JSON"
          name="data"
          value={data}
          onChange={setData}
          rows={3}
          spellCheck={false}
        />
        {fault && <p className="fault">What they bring is no JSON: {fault}</p>}
        <ErrorNotice error={going.error} />
        <div className="dialog-actions">
          <Button onClick={onClose}>Go back</Button>
          <Button type="submit" kind="primary" isBusy={going.isPending}>
            Let them in
          </Button>
        </div>
      </Form>
    </Dialog>
  )
}

const WarningList = ({ warnings }: { readonly warnings: Warnings }) =>
  warnings.length === 0 ? null : (
    <ul className="notice warning" role="status">
      {warnings.map(({ field, message }) => (
        <li key={`${field} ${message}`}>
          {field}: {message}
        </li>
      ))}
    </ul>
  )

/** The canvas: steps are added, moved and set, and become the next version when they are saved. */
const Editor = ({
  draft,
  onChange,
  onClose,
  onSaved,
  one
}: {
  readonly one: Workflow
  readonly draft: Edited
  readonly onChange: (changes: Partial<Edited>) => void
  readonly onClose: () => void
  readonly onSaved: (warnings: Warnings) => void
}) => {
  const [edited, setEdited] = useState<{ readonly place: Place; readonly step: Step } | null>(null)
  const [fault, setFault] = useState<string | null>(null)
  const saving = useDo(saveWorkflow, ({ updateWorkflow: { version, warnings } }) => {
    toast(`Saved as version ${version}`)
    onSaved(warnings)
  })
  const { steps } = draft
  const save = (): void => {
    let trigger: unknown
    try {
      trigger = JSON.parse(draft.trigger)
    } catch (error) {
      return setFault((error as Error).message)
    }
    setFault(null)
    const { name, reentry } = draft
    saving.mutate({ id: one.id, input: { name, reentry, trigger, steps: steps as never } })
  }
  return (
    <>
      <Form error={saving.error} onSubmit={save}>
        <Card title={`Version ${one.version + 1}`}>
          <div className="grid two">
            <TextField label="Name" name="name" value={draft.name} onChange={(name) => onChange({ name })} />
            <SelectField
              label="A person may enter"
              name="reentry"
              value={draft.reentry}
              onChange={(reentry) => onChange({ reentry })}
              options={Object.entries(REENTRY) as never}
            />
          </div>
          <AreaField
            label="What lets people in"
            name="trigger"
            value={draft.trigger}
            onChange={(trigger) => onChange({ trigger })}
            rows={2}
            spellCheck={false}
            hint={
              <>
                <code>{'{"type": "api"}'}</code>, or <code>event</code>, <code>tag_added</code>,{" "}
                <code>segment_entered</code>, <code>schedule</code>.
              </>
            }
          />
          {fault && <p className="fault">What lets people in is no JSON: {fault}</p>}
        </Card>
        <Card title="Steps">
          <Flow
            steps={steps}
            editing={{
              faults: faultsIn(saving.error),
              onAdd: (place, type) => {
                const step = newStep(type, steps)
                onChange({ steps: insert(steps, place, step) })
                setEdited({ place, step })
              },
              onEdit: (place, step) => setEdited({ place, step }),
              onMove: (place, by) => onChange({ steps: move(steps, place, by) }),
              onRemove: (place) => onChange({ steps: remove(steps, place) })
            }}
          />
        </Card>
        <p className="muted">Who enters from now on has the new version; who is under way stays on theirs.</p>
        <ErrorNotice error={saving.error} />
        <div className="actions">
          <Button onClick={onClose}>Drop the changes</Button>
          <Button type="submit" kind="primary" isBusy={saving.isPending}>
            Save as version {one.version + 1}
          </Button>
        </div>
      </Form>
      {edited && (
        <StepDialog
          step={edited.step}
          onClose={() => setEdited(null)}
          onSave={(step) => {
            onChange({ steps: replace(steps, edited.place, step) })
            setEdited(null)
          }}
        />
      )}
    </>
  )
}

const Shown = ({ one }: { readonly one: Workflow }) => {
  const [isWithNumbers, setWithNumbers] = useState(true)
  const numbers = useAsk(stepNumbers, { id: one.id }, { every: 5_000 })
  const steps = one.steps as unknown as ReadonlyArray<Step>
  const counted = new Map(numbers.data?.workflowStatistics.steps.map((of) => [of.stepOrder, of]))
  return (
    <>
      <Card>
        <dl className="facts">
          <div>
            <dt>People enter by</dt>
            <dd>{triggerWords(one.trigger)}</dd>
          </div>
          <div>
            <dt>A person may enter</dt>
            <dd>{REENTRY[one.reentry]}</dd>
          </div>
          <div>
            <dt>Version</dt>
            <dd>
              {one.version}, of <When at={one.updatedAt} />
            </dd>
          </div>
        </dl>
      </Card>
      <Card title="Steps" actions={<Check label="With numbers" isChecked={isWithNumbers} onChange={setWithNumbers} />}>
        <ErrorNotice error={numbers.error} />
        <Flow steps={steps} {...(isWithNumbers && { numbers: counted })} />
        {isWithNumbers && <p className="small muted">Numbers are of version {one.version}.</p>}
      </Card>
      <Runs workflowId={one.id} />
    </>
  )
}

/** A workflow: what it does, what it has done, and its next version. */
export const One = () => {
  const { appId, may } = useApp()
  const id = useId("id")
  const navigate = useNavigate()
  const shown = useAsk(workflow, { id }, { every: 10_000 })
  const [asked, setAsked] = useState<"archive" | "delete" | "trigger" | "dry" | null>(null)
  const [warnings, setWarnings] = useState<Warnings>([])
  const {
    change,
    forget,
    value: draft
  } = useDraft<Edited>(`workflow ${id}`, {
    isOpen: false,
    name: "",
    reentry: "ALWAYS",
    trigger: "{}",
    steps: []
  })
  const activating = useDo(activateWorkflow, ({ activateWorkflow: one }) => {
    setWarnings(one.warnings)
    toast("People can enter now")
  })
  const archiving = useDo(archiveWorkflow, () => {
    setAsked(null)
    toast("Archived: its runs are being cancelled")
  })
  const deleting = useDo(deleteWorkflow, () => {
    toast("Deleted")
    void navigate({ to: "/apps/$appId/workflows", params: { appId } })
  })
  const above = (
    <Link to="/apps/$appId/workflows" params={{ appId }}>
      Workflows
    </Link>
  )
  const one = shown.data?.workflow
  if (!one) {
    return (
      <Page title="Workflow" above={above}>
        <ErrorNotice error={shown.error} onRetry={() => void shown.refetch()} />
        {shown.data === undefined && !shown.error && <Loading />}
        {shown.data && <Empty title="There is no such workflow." />}
      </Page>
    )
  }
  const canChange = may("CHANGE_WORKFLOWS")
  const isEditing = draft.isOpen && canChange && one.status !== "ARCHIVED"
  const edit = (): void =>
    change({
      isOpen: true,
      name: one.name,
      reentry: one.reentry,
      trigger: JSON.stringify(one.trigger),
      steps: one.steps as unknown as ReadonlyArray<Step>
    })
  return (
    <Page
      title={one.name}
      above={above}
      beside={<Chip tone={STATUS[one.status][1]}>{STATUS[one.status][0]}</Chip>}
      actions={
        canChange &&
        !isEditing && (
          <>
            {one.status !== "ARCHIVED" && <Button onClick={edit}>Edit the steps</Button>}
            <Button onClick={() => setAsked("dry")}>Make a dry run…</Button>
            {one.status === "DRAFT" && (
              <Button kind="primary" isBusy={activating.isPending} onClick={() => activating.mutate({ id })}>
                Make it active
              </Button>
            )}
            {one.status === "ACTIVE" && <Button onClick={() => setAsked("trigger")}>Add people…</Button>}
            {one.status === "ACTIVE" && (
              <Button kind="quiet" onClick={() => setAsked("archive")}>
                Take out of use…
              </Button>
            )}
            {one.status !== "ACTIVE" && (
              <Button kind="quiet" onClick={() => setAsked("delete")}>
                Delete…
              </Button>
            )}
          </>
        )
      }
    >
      <ErrorNotice error={shown.error ?? activating.error} />
      <WarningList warnings={warnings} />
      {isEditing ? (
        <Editor
          one={one}
          draft={draft}
          onChange={change}
          onClose={forget}
          onSaved={(said) => {
            setWarnings(said)
            forget()
          }}
        />
      ) : (
        <Shown one={one} />
      )}
      {asked === "trigger" && <Trigger one={one} onClose={() => setAsked(null)} />}
      {asked === "dry" && (
        <DryRun id={id} steps={one.steps as unknown as ReadonlyArray<Step>} onClose={() => setAsked(null)} />
      )}
      {asked === "archive" && (
        <Confirm
          title={`Take ${one.name} out of use?`}
          words="Archive it"
          isBusy={archiving.isPending}
          error={<ErrorNotice error={archiving.error} />}
          onClose={() => setAsked(null)}
          onConfirm={() => archiving.mutate({ id })}
        >
          <p>
            Nobody enters any more, and whoever is under way gets nothing more from it. It cannot be made active again.
          </p>
        </Confirm>
      )}
      {asked === "delete" && (
        <Confirm
          title={`Delete ${one.name}?`}
          words="Delete it"
          isBusy={deleting.isPending}
          error={<ErrorNotice error={deleting.error} />}
          onClose={() => setAsked(null)}
          onConfirm={() => deleting.mutate({ id })}
        >
          <p>Its runs are cancelled, and it is gone. The runs' histories stay for as long as they are kept.</p>
        </Confirm>
      )}
    </Page>
  )
}
