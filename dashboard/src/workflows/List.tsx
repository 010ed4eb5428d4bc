import { Link, useNavigate, useSearch } from "@tanstack/react-router"
import { useState } from "react"
import { useAsk, useDo } from "../api/hooks.ts"
import { useApp } from "../frame/viewer.ts"
import { Button, Choice, ErrorNotice, Form, TextField } from "../parts/form.tsx"
import { Chip, Dialog, Empty, GoBack, Loading, Page, TableFrame, When } from "../parts/page.tsx"
import { Pager } from "../parts/pager.tsx"
import { createWorkflow, workflows } from "./operations.ts"
import { STATUS, triggerWords } from "./words.ts"

type Search = Readonly<Partial<Record<"status" | "after", string>>>
type Trigger = "api" | "event" | "tag_added"

/** A workflow to begin with: one step, which is changed on its page. */
const NewWorkflow = ({ appId, onClose }: { readonly appId: string; readonly onClose: () => void }) => {
  const [name, setName] = useState("")
  const [type, setType] = useState<Trigger>("event")
  const [value, setValue] = useState("")
  const navigate = useNavigate()
  const making = useDo(
    createWorkflow,
    ({ createWorkflow: { id } }) => {
      void navigate({ to: "/apps/$appId/workflows/$id", params: { appId, id } })
    },
    { once: true }
  )
  const trigger = type === "api" ? { type } : type === "event" ? { type, event: value } : { type, tag: value }
  const steps = [{ key: "send", type: "SEND", channels: ["push"], content: { title: name, body: "" } }]
  return (
    <Dialog title="New workflow" onClose={onClose}>
      <Form error={making.error} onSubmit={() => making.mutate({ appId, input: { name, trigger, steps } })}>
        <TextField label="Name" name="name" value={name} onChange={setName} autoFocus placeholder="Welcome" />
        <Choice
          label="People enter by"
          value={type}
          onChange={setType}
          options={[
            ["event", "An event of yours"],
            ["tag_added", "A tag"],
            ["api", "A call of the API"]
          ]}
        />
        {type === "event" && (
          <TextField label="Event" name="event" value={value} onChange={setValue} placeholder="signed_up" />
        )}
        {type === "tag_added" && (
          <TextField label="Tag" name="tag" value={value} onChange={setValue} placeholder="vip" />
        )}
        <p className="muted small">
          It is a draft at first: nobody enters before you activate it. Segments and times can be set on its page.
        </p>
        <ErrorNotice error={making.error} />
        <div className="dialog-actions">
          <GoBack />
          <Button type="submit" kind="primary" isBusy={making.isPending}>
            Make the draft
          </Button>
        </div>
      </Form>
    </Dialog>
  )
}

/** What happens to people, step by step. */
export const List = () => {
  const { appId, may } = useApp()
  const search = useSearch({ strict: false }) as Search
  const navigate = useNavigate()
  const [isNew, setNew] = useState(false)
  const status =
    search.status !== undefined && Object.hasOwn(STATUS, search.status) ? (search.status as keyof typeof STATUS) : null
  const shown = useAsk(
    workflows,
    { appId, status, first: 50, after: search.after ?? null },
    { keep: true, every: 10_000 }
  )
  const rows = shown.data?.workflows.nodes ?? []
  const canChange = may("CHANGE_WORKFLOWS")
  return (
    <Page
      title="Workflows"
      actions={
        canChange && (
          <Button kind="primary" onClick={() => setNew(true)}>
            New workflow…
          </Button>
        )
      }
    >
      <div className="filters" role="group" aria-label="Filters">
        <label>
          State
          <select
            value={status ?? ""}
            onChange={({ target }) =>
              void navigate({ to: ".", search: { status: target.value || undefined } as never, replace: true })
            }
          >
            <option value="">All</option>
            {Object.entries(STATUS).map(([value, [words]]) => (
              <option key={value} value={value}>
                {words}
              </option>
            ))}
          </select>
        </label>
      </div>
      <ErrorNotice error={shown.error} onRetry={() => void shown.refetch()} />
      {shown.data === undefined && !shown.error && <Loading />}
      {shown.data && rows.length === 0 && (
        <Empty title={status === null ? "No workflow yet." : "No workflow is in this state."}>
          {status === null && (
            <p>
              A welcome that waits a day and asks whether it was opened, a digest, a reminder that ends when somebody
              buys.
            </p>
          )}
        </Empty>
      )}
      {rows.length > 0 && (
        <TableFrame label="Workflows">
          <thead>
            <tr>
              <th scope="col">Name</th>
              <th scope="col">State</th>
              <th scope="col">People enter by</th>
              <th scope="col" className="number">
                Version
              </th>
              <th scope="col">Changed</th>
            </tr>
          </thead>
          <tbody>
            {rows.map((one) => (
              <tr key={one.id}>
                <td>
                  <Link to="/apps/$appId/workflows/$id" params={{ appId, id: one.id }} className="row-link">
                    {one.name}
                  </Link>
                </td>
                <td>
                  <Chip tone={STATUS[one.status][1]}>{STATUS[one.status][0]}</Chip>
                </td>
                <td className="details">{triggerWords(one.trigger)}</td>
                <td className="number">{one.version}</td>
                <td>
                  <When at={one.updatedAt} />
                </td>
              </tr>
            ))}
          </tbody>
        </TableFrame>
      )}
      <Pager page={shown.data?.workflows.pageInfo} />
      {isNew && <NewWorkflow appId={appId} onClose={() => setNew(false)} />}
    </Page>
  )
}
