import { Link, useNavigate } from "@tanstack/react-router"
import { useState } from "react"
import { useAsk, useDo } from "../api/hooks.ts"
import { useApp } from "../frame/viewer.ts"
import { Button, ErrorNotice } from "../parts/form.tsx"
import { Chip, Empty, Loading, Page, TableFrame, When } from "../parts/page.tsx"
import { toast } from "../parts/toasts.tsx"
import { NewHook } from "./Edit.tsx"
import { hooks, updateHook } from "./operations.ts"
import { Receiver } from "./Receiver.tsx"
import type { Hook } from "./words.ts"
import { disabledWords, eventsWords, hookState } from "./words.ts"

const Row = ({
  appId,
  canChange,
  one
}: {
  readonly one: Hook
  readonly appId: string
  readonly canChange: boolean
}) => {
  const [words, tone] = hookState(one)
  const enable = useDo(updateHook, () => toast(`${one.name} is enabled: what waited for it goes out now`))
  return (
    <tr>
      <td>
        <Link to="/apps/$appId/webhooks/$id" params={{ appId, id: one.id }} className="row-link">
          {one.name}
        </Link>
      </td>
      <td className="details">
        <div className="stack tight state">
          <Chip tone={tone}>{words}</Chip>
          {one.disabledReason !== null && <p className="small">{disabledWords(one.disabledReason)}</p>}
          {canChange && !one.isActive && (
            <Button isBusy={enable.isPending} onClick={() => enable.mutate({ id: one.id, input: { isActive: true } })}>
              Enable<span className="unseen"> {one.name}</span>
            </Button>
          )}
        </div>
        <ErrorNotice error={enable.error} />
      </td>
      <td className="details">
        <code>{one.url}</code>
      </td>
      <td className="details">{eventsWords(one.events)}</td>
      <td>
        <When at={one.updatedAt} />
      </td>
    </tr>
  )
}

/** Where the events of the application go. */
export const List = () => {
  const { appId, may } = useApp()
  const navigate = useNavigate()
  const [isNew, setNew] = useState(false)
  const shown = useAsk(hooks, { appId }, { every: 5_000 })
  const canChange = may("CHANGE_WEBHOOKS")
  const rows = shown.data?.hooks.nodes ?? []
  return (
    <Page
      title="Webhooks"
      actions={
        canChange && (
          <Button kind="primary" onClick={() => setNew(true)}>
            New webhook…
          </Button>
        )
      }
    >
      <ErrorNotice error={shown.error} onRetry={() => void shown.refetch()} />
      {shown.data === undefined && !shown.error && <Loading />}
      {shown.data && rows.length === 0 && (
        <Empty title="No webhook yet.">
          <p>
            A webhook tells a server of yours what becomes of every message, as it happens.
            {!canChange && " Administrators of the organization make them; your role reads."}
          </p>
        </Empty>
      )}
      {rows.length > 0 && (
        <TableFrame label="Webhooks">
          <thead>
            <tr>
              <th scope="col">Name</th>
              <th scope="col">State</th>
              <th scope="col">Address</th>
              <th scope="col">Is told</th>
              <th scope="col">Changed</th>
            </tr>
          </thead>
          <tbody>
            {rows.map((one) => (
              <Row key={one.id} one={one} appId={appId} canChange={canChange} />
            ))}
          </tbody>
        </TableFrame>
      )}
      <Receiver />
      {isNew && (
        <NewHook
          appId={appId}
          onClose={(id) => {
            setNew(false)
            if (id !== undefined) void navigate({ to: "/apps/$appId/webhooks/$id", params: { appId, id } })
          }}
        />
      )}
    </Page>
  )
}
