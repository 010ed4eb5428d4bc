import { Link } from "@tanstack/react-router"
import { useState } from "react"
import { useAsk } from "../api/hooks.ts"
import { useApp } from "../frame/viewer.ts"
import { Button, ErrorNotice } from "../parts/form.tsx"
import { Card, Loading, TableFrame, When } from "../parts/page.tsx"
import { RunState } from "../workflows/RunState.tsx"
import { runs, workflowNames } from "./operations.ts"

/** The person's ways through workflows, newest first. */
export const WorkflowRuns = ({ userId }: { readonly userId: string }) => {
  const { appId } = useApp()
  const [after, setAfter] = useState<string | null>(null)
  const shown = useAsk(runs, { appId, userId, after }, { keep: true })
  const names = useAsk(workflowNames, { appId })
  const nameOf = (id: string) => names.data?.workflows.nodes.find((one) => one.id === id)?.name ?? "A workflow"
  const rows = shown.data?.executions.nodes ?? []
  const next = shown.data?.executions.pageInfo
  return (
    <Card title="Workflow runs">
      <ErrorNotice error={shown.error} onRetry={() => void shown.refetch()} />
      {shown.data === undefined && !shown.error && <Loading lines={2} />}
      {shown.data !== undefined && rows.length === 0 && <p className="muted">The person has entered no workflow.</p>}
      {rows.length > 0 && (
        <TableFrame label="Workflow runs">
          <thead>
            <tr>
              <th scope="col">Workflow</th>
              <th scope="col">State</th>
              <th scope="col" className="number">
                At step
              </th>
              <th scope="col">Begun</th>
              <th scope="col">Goes on, or ended</th>
            </tr>
          </thead>
          <tbody>
            {rows.map((run) => (
              <tr key={run.id}>
                <td className="details">
                  <Link
                    to="/apps/$appId/workflows/$id/runs/$run"
                    params={{ appId, id: run.workflowId, run: run.id }}
                    className="row-link"
                  >
                    {nameOf(run.workflowId)}
                  </Link>{" "}
                  <span className="muted small">version {run.version}</span>
                </td>
                <td>
                  <RunState run={run} />
                </td>
                <td className="number">{run.stepOrder ?? "–"}</td>
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
    </Card>
  )
}
