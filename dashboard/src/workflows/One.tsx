import { useQueryClient } from "@tanstack/react-query"
import { Link, useNavigate } from "@tanstack/react-router"
import { useState } from "react"
import { keyOf, useAsk, useDo } from "../api/hooks.ts"
import { useApp, useId } from "../frame/viewer.ts"
import { Button, Check, ErrorNotice, useDraft } from "../parts/form.tsx"
import { Card, Chip, Confirm, Empty, Loading, Page, When } from "../parts/page.tsx"
import { toast } from "../parts/toasts.tsx"
import type { Draft, Workflow } from "./draft.ts"
import { EMPTY, isAhead, kept } from "./draft.ts"
import { DryRun } from "./DryRun.tsx"
import type { Warnings } from "./Editor.tsx"
import { Editor } from "./Editor.tsx"
import { Enter } from "./Enter.tsx"
import { Flow } from "./Flow.tsx"
import { activateWorkflow, archiveWorkflow, deleteWorkflow, stepNumbers, workflow } from "./operations.ts"
import type { Rehearsal } from "./rehearsal.ts"
import { EMPTY as NOT_TRIED } from "./rehearsal.ts"
import { Runs } from "./Runs.tsx"
import type { Step } from "./steps.ts"
import type { Trigger } from "./trigger.ts"
import { REENTRY, STATUS, triggerWords } from "./words.ts"

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

const Shown = ({ one }: { readonly one: Workflow }) => {
  const { appId } = useApp()
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
              {one.version}, of <When at={one.updatedAt} />{" "}
              <Link to="/apps/$appId/workflows/$id/versions" params={{ appId, id: one.id }}>
                All versions
              </Link>
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
  const client = useQueryClient()
  const shown = useAsk(workflow, { id }, { every: 10_000 })
  const [asked, setAsked] = useState<"archive" | "delete" | "trigger" | null>(null)
  const [warnings, setWarnings] = useState<Warnings>([])
  const { change, forget, value: draft } = useDraft<Draft>(`workflow ${id}`, EMPTY, kept)
  const rehearsal = useDraft<Rehearsal>(`dry run ${id}`, NOT_TRIED)
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
      basis: one.version,
      name: one.name,
      reentry: one.reentry,
      trigger: one.trigger as unknown as Trigger,
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
            <Button onClick={() => rehearsal.change({ isOpen: true })}>Make a dry run…</Button>
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
          onConflict={() => void shown.refetch()}
          onSaved={(saved, said, sent) => {
            // At once: who edits it again begins with what was saved just now.
            client.setQueryData(keyOf(workflow as never, { id }), { workflow: saved })
            setWarnings(said)
            if (isAhead(draft, sent)) change({ basis: saved.version })
            else forget()
          }}
        />
      ) : (
        <Shown one={one} />
      )}
      {asked === "trigger" && <Enter one={one} onClose={() => setAsked(null)} />}
      {rehearsal.value.isOpen && canChange && !isEditing && (
        <DryRun
          id={id}
          steps={one.steps as unknown as ReadonlyArray<Step>}
          typed={rehearsal.value}
          change={rehearsal.change}
          onEmpty={() => rehearsal.change({ ...NOT_TRIED, isOpen: true })}
          onClose={() => rehearsal.change({ isOpen: false })}
        />
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
