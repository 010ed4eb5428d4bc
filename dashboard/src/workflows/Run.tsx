import { Link } from "@tanstack/react-router"
import { useState } from "react"
import { useAsk, useDo } from "../api/hooks.ts"
import { useApp, useId } from "../frame/viewer.ts"
import { Button, ErrorNotice } from "../parts/form.tsx"
import { Card, Chip, Confirm, Empty, Id, Loading, Page, When } from "../parts/page.tsx"
import { moment } from "../parts/time.ts"
import { toast } from "../parts/toasts.tsx"
import { Flow } from "./Flow.tsx"
import { cancelRun, run, workflow } from "./operations.ts"
import type { Step } from "./steps.ts"
import { inOrder } from "./steps.ts"
import type { Happening } from "./words.ts"
import { nameOf, OUTCOME, REASON, RUN } from "./words.ts"

const shownValue = (value: unknown): string =>
  value === undefined || value === null ? "nothing" : JSON.stringify(value)

/** What a step came to, and by which values. */
export const What = ({ appId, of }: { readonly of: Happening; readonly appId?: string }) => {
  const [words, tone] = OUTCOME[of.outcome]
  return (
    <div className="flow-outcome">
      <p>
        <Chip tone={tone}>{words}</Chip> <When at={of.at} />
        {of.branch !== null && <> {of.branch === 0 ? "Otherwise" : `Way ${of.branch}`}</>}
        {of.until !== null && <> until {moment(of.until)}</>}
        {of.count !== null && <> {of.count} collected</>}{" "}
        {of.notificationId !== null && appId !== undefined && (
          <Link to="/apps/$appId/notifications/$id" params={{ appId, id: of.notificationId }}>
            The message
          </Link>
        )}
      </p>
      {of.detail !== null && <p className="small">{of.detail}</p>}
      {of.findings !== null && of.findings.length > 0 && (
        <ul className="small">
          {of.findings.map(({ about, actual, fits }) => (
            <li key={about}>
              {fits ? "✓" : "✗"} <span className="unseen">{fits ? "fits: " : "does not fit: "}</span>
              <code>{about}</code> is {shownValue(actual)}
            </li>
          ))}
        </ul>
      )}
    </div>
  )
}

/** What happened at each step, in the order in which it did. */
export const pathIn = (history: ReadonlyArray<Happening>, appId?: string) => {
  const byStep = Map.groupBy(history, ({ stepOrder }) => stepOrder)
  return new Map(
    [...byStep].map(([order, all]) => [
      order,
      all.map((of) => <What key={`${of.at} ${of.outcome}`} of={of} {...(appId === undefined ? {} : { appId })} />)
    ])
  )
}

/** One person's way through a workflow, and why it went so. */
export const Run = () => {
  const { appId, may } = useApp()
  const [id, workflowId] = [useId("run"), useId("id")]
  const shown = useAsk(run, { id }, { every: 3_000 })
  const whole = useAsk(workflow, { id: workflowId })
  const [isCancelling, setCancelling] = useState(false)
  const cancelling = useDo(cancelRun, () => {
    setCancelling(false)
    toast("Cancelled")
  })
  const above = (
    <Link to="/apps/$appId/workflows/$id" params={{ appId, id: workflowId }}>
      {whole.data?.workflow?.name ?? "The workflow"}
    </Link>
  )
  const one = shown.data?.execution
  if (!one) {
    return (
      <Page title="A run" above={above}>
        <ErrorNotice error={shown.error} onRetry={() => void shown.refetch()} />
        {shown.data === undefined && !shown.error && <Loading />}
        {shown.data && <Empty title="There is no such run." />}
      </Page>
    )
  }
  const isOpen = one.status === "RUNNING" || one.status === "WAITING"
  const steps = (whole.data?.workflow?.steps ?? []) as ReadonlyArray<Step>
  // Another version may have other steps at these places: then what happened is told as a list.
  const isSame = whole.data?.workflow?.version === one.version && inOrder(steps).length > 0
  return (
    <Page
      title={nameOf(one)}
      above={above}
      beside={<Chip tone={RUN[one.status][1]}>{RUN[one.status][0]}</Chip>}
      actions={isOpen && may("CHANGE_WORKFLOWS") && <Button onClick={() => setCancelling(true)}>Cancel…</Button>}
    >
      <ErrorNotice error={shown.error} />
      {one.error !== null && (
        <p className="notice danger">
          <strong>It failed:</strong> {one.error}
        </p>
      )}
      <Card>
        <dl className="facts">
          <div>
            <dt>Begun</dt>
            <dd>
              <When at={one.createdAt} />
            </dd>
          </div>
          <div>
            <dt>{one.endedAt === null ? "Goes on" : "Ended"}</dt>
            <dd>
              <When at={one.endedAt ?? one.dueAt} /> {one.reason !== null && REASON[one.reason]}
            </dd>
          </div>
          <div>
            <dt>Version</dt>
            <dd>{one.version === 0 ? "of a workflow that is gone" : one.version}</dd>
          </div>
          <div>
            <dt>Id</dt>
            <dd>
              <Id value={one.id} label="run's id" />
            </dd>
          </div>
        </dl>
      </Card>
      <Card title="The way it took">
        {isSame ? (
          <Flow steps={steps} path={pathIn(one.history, appId)} />
        ) : (
          <ol className="flow">
            {one.history.map((of) => (
              <li key={`${of.stepOrder} ${of.at} ${of.outcome}`}>
                <section className="flow-step">
                  <strong>Step {of.stepOrder}</strong>
                  <What of={of} appId={appId} />
                </section>
              </li>
            ))}
          </ol>
        )}
      </Card>
      <Card title="What it knows">
        <pre className="body" tabIndex={0} aria-label="What it knows">
          {JSON.stringify({ data: one.data, steps: one.steps }, null, 2)}
        </pre>
      </Card>
      {isCancelling && (
        <Confirm
          title={`Cancel the run of ${nameOf(one)}?`}
          words="Cancel it"
          isBusy={cancelling.isPending}
          error={<ErrorNotice error={cancelling.error} />}
          onClose={() => setCancelling(false)}
          onConfirm={() => cancelling.mutate({ id })}
        >
          <p>They get nothing more from this run. What was sent stays sent.</p>
        </Confirm>
      )}
    </Page>
  )
}
