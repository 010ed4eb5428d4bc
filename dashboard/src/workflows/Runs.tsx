import { Link } from "@tanstack/react-router"
import { useState } from "react"
import { useAsk, useDo } from "../api/hooks.ts"
import { useApp } from "../frame/viewer.ts"
import { Button, ErrorNotice } from "../parts/form.tsx"
import { Card, Confirm, Loading, TableFrame, When } from "../parts/page.tsx"
import { toast } from "../parts/toasts.tsx"
import { cancelRuns, runs } from "./operations.ts"
import { RunState } from "./RunState.tsx"
import { nameOf, RUN } from "./words.ts"

/** The ways of people through one workflow, newest first. */
export const Runs = ({ workflowId }: { readonly workflowId: string }) => {
  const { appId, may } = useApp()
  const [status, setStatus] = useState<keyof typeof RUN | "">("")
  const [person, setPerson] = useState("")
  const [after, setAfter] = useState<string | null>(null)
  const [isCancelling, setCancelling] = useState(false)
  const userId = person.trim() === "" ? null : person.trim()
  const shown = useAsk(
    runs,
    { appId, workflowId, status: status === "" ? null : status, userId, first: 20, after },
    { keep: true, every: 5_000 }
  )
  const cancelling = useDo(cancelRuns, ({ cancelExecutions: { cancelled, isDone } }) => {
    setCancelling(false)
    toast(isDone ? `${cancelled} cancelled` : `${cancelled} cancelled so far, the rest in the background`)
  })
  const rows = shown.data?.executions.nodes ?? []
  const next = shown.data?.executions.pageInfo
  return (
    <Card
      title="Runs"
      actions={may("CHANGE_WORKFLOWS") && <Button onClick={() => setCancelling(true)}>Cancel those under way…</Button>}
    >
      <div className="filters" role="group" aria-label="Filters of runs">
        <label>
          State
          <select
            value={status}
            onChange={({ target }) => {
              setStatus(target.value as typeof status)
              setAfter(null)
            }}
          >
            <option value="">All</option>
            {Object.entries(RUN).map(([value, [words]]) => (
              <option key={value} value={value}>
                {words}
              </option>
            ))}
          </select>
        </label>
        <label>
          Person, by your own id
          <input
            value={person}
            onChange={({ target }) => {
              setPerson(target.value)
              setAfter(null)
            }}
          />
        </label>
      </div>
      <ErrorNotice error={shown.error} onRetry={() => void shown.refetch()} />
      {shown.data === undefined && !shown.error && <Loading lines={2} />}
      {shown.data !== undefined && rows.length === 0 && (
        <p className="muted">{status === "" && userId === null ? "Nobody has entered yet." : "No run matches."}</p>
      )}
      {rows.length > 0 && (
        <TableFrame label="Runs">
          <thead>
            <tr>
              <th scope="col">Person</th>
              <th scope="col">State</th>
              <th scope="col" className="number">
                At step
              </th>
              <th scope="col" className="number">
                Version
              </th>
              <th scope="col">Begun</th>
              <th scope="col">Goes on, or ended</th>
            </tr>
          </thead>
          <tbody>
            {rows.map((run) => (
              <tr key={run.id}>
                <td>
                  <Link
                    to="/apps/$appId/workflows/$id/runs/$run"
                    params={{ appId, id: workflowId, run: run.id }}
                    className="row-link"
                  >
                    {nameOf(run)}
                  </Link>
                </td>
                <td>
                  <RunState run={run} />
                </td>
                <td className="number">{run.stepOrder ?? "–"}</td>
                <td className="number">{run.version}</td>
                <td>
                  <When at={run.createdAt} />
                </td>
                <td>
                  <When at={run.endedAt ?? run.dueAt} />
                </td>
              </tr>
            ))}
          </tbody>
        </TableFrame>
      )}
      {(after !== null || next?.hasNextPage) && (
        <p className="actions">
          {after !== null && <Button onClick={() => setAfter(null)}>Newest</Button>}
          {next?.hasNextPage && <Button onClick={() => setAfter(next.endCursor)}>Older</Button>}
        </p>
      )}
      {isCancelling && (
        <Confirm
          title="Cancel the runs under way?"
          words="Cancel them"
          isBusy={cancelling.isPending}
          error={<ErrorNotice error={cancelling.error} />}
          onClose={() => setCancelling(false)}
          onConfirm={() =>
            cancelling.mutate({
              appId,
              input: {
                workflowId,
                ...(userId === null ? {} : { userId }),
                ...(status === "WAITING" || status === "RUNNING" ? { status } : {})
              }
            })
          }
        >
          <p>
            {userId === null ? "Everybody" : userId} who is {status === "WAITING" ? "waiting" : "under way"} in this
            workflow gets nothing more from it. What was sent stays sent.
          </p>
        </Confirm>
      )}
    </Card>
  )
}
