import { Link, useNavigate, useSearch } from "@tanstack/react-router"
import { useAsk } from "../api/hooks.ts"
import { useApp } from "../frame/viewer.ts"
import { PartsBar } from "../parts/charts.tsx"
import { ErrorNotice } from "../parts/form.tsx"
import { Chip, Empty, Loading, Page, TableFrame, When } from "../parts/page.tsx"
import { Pager } from "../parts/pager.tsx"
import { count, LAST_DAY, percent, startOfDay } from "../parts/time.ts"
import { notifications } from "./operations.ts"
import { Titled } from "./Titled.tsx"
import type { Status, Summary } from "./words.ts"
import { STATUS } from "./words.ts"

type Search = Readonly<Partial<Record<"status" | "from" | "to" | "after", string>>>

export const numbersOf = ({ cancelled, failed, pending, sent, skipped }: Summary["counts"]) => [
  { name: "sent", value: sent, colour: "good" },
  { name: "failed", value: failed, colour: "bad" },
  { name: "skipped", value: skipped, colour: "still" },
  { name: "cancelled", value: cancelled, colour: "still-dark" },
  { name: "to go", value: pending, colour: "waiting" }
]

const Row = ({ appId, one }: { readonly one: Summary; readonly appId: string }) => {
  const [words, tone] = STATUS[one.status]
  const { accepted, failed, machineOpened, opened, pending, sent } = one.counts
  return (
    <tr>
      <td>
        <Link to="/apps/$appId/notifications/$id" params={{ appId, id: one.id }} className="row-link">
          <Titled one={one} />
        </Link>
      </td>
      <td>
        <Chip tone={tone}>{words}</Chip>
      </td>
      <td className="bar-cell">
        <PartsBar
          label={`${count(accepted - pending)} of ${count(accepted)} done`}
          whole={accepted}
          parts={numbersOf(one.counts)}
        />
      </td>
      <td className="number">{count(accepted)}</td>
      <td className="number">{count(sent)}</td>
      <td className="number">{failed > 0 ? <span className="bad-text">{count(failed)}</span> : "0"}</td>
      <td className="number">{percent(opened - machineOpened, sent)}</td>
      <td>
        <When at={one.status === "SCHEDULED" && one.sendAt && one.sendAt.length > 10 ? one.sendAt : one.createdAt} />
      </td>
    </tr>
  )
}

/** Everything that was sent or is to be, newest first. */
export const List = () => {
  const { appId, may } = useApp()
  const search = useSearch({ strict: false }) as Search
  const navigate = useNavigate()
  const filter = (changes: Search): void =>
    void navigate({ to: ".", search: { ...search, after: undefined, ...changes } as never })
  const status = search.status !== undefined && Object.hasOwn(STATUS, search.status) ? (search.status as Status) : null
  const shown = useAsk(
    notifications,
    {
      appId,
      status,
      createdFrom: startOfDay(search.from),
      createdTo: startOfDay(search.to, 1),
      first: 50,
      after: search.after ?? null
    },
    { keep: true, every: 5_000 }
  )
  const isFiltered = status !== null || Boolean(search.from) || Boolean(search.to)
  const rows = shown.data?.notifications.nodes ?? []
  const next = shown.data?.notifications.pageInfo
  const canSend = may("SEND_NOTIFICATIONS")
  const content = () => {
    if (shown.data === undefined) return shown.error ? null : <Loading />
    if (rows.length === 0) {
      return isFiltered ? (
        <Empty title="No notification matches the filters.">
          <button
            type="button"
            className="button plain"
            onClick={() => filter({ status: undefined, from: undefined, to: undefined })}
          >
            Clear the filters
          </button>
        </Empty>
      ) : (
        <Empty title="Nothing was sent yet.">
          {canSend ? (
            <Link to="/apps/$appId/compose" params={{ appId }} className="button primary">
              Write the first one
            </Link>
          ) : (
            <p>Members of the organization send; your role reads.</p>
          )}
        </Empty>
      )
    }
    return (
      <>
        <TableFrame label="Notifications">
          <thead>
            <tr>
              <th scope="col">Title</th>
              <th scope="col">State</th>
              <th scope="col">Progress</th>
              <th scope="col" className="number">
                Recipients
              </th>
              <th scope="col" className="number">
                Sent
              </th>
              <th scope="col" className="number">
                Failed
              </th>
              <th scope="col" className="number">
                Opened
              </th>
              <th scope="col">When</th>
            </tr>
          </thead>
          <tbody>
            {rows.map((one) => (
              <Row key={one.id} one={one} appId={appId} />
            ))}
          </tbody>
        </TableFrame>
        <Pager page={next} />
      </>
    )
  }
  return (
    <Page
      title="Notifications"
      actions={
        canSend && (
          <Link to="/apps/$appId/compose" params={{ appId }} className="button primary">
            Write one
          </Link>
        )
      }
    >
      <div className="filters" role="group" aria-label="Filters">
        <label>
          State
          <select value={status ?? ""} onChange={(event) => filter({ status: event.target.value || undefined })}>
            <option value="">All</option>
            {Object.entries(STATUS).map(([value, [words]]) => (
              <option key={value} value={value}>
                {words}
              </option>
            ))}
          </select>
        </label>
        <label>
          Made from
          <input
            type="date"
            max={LAST_DAY}
            value={search.from ?? ""}
            onChange={(event) => filter({ from: event.target.value || undefined })}
          />
        </label>
        <label>
          to
          <input
            type="date"
            max={LAST_DAY}
            value={search.to ?? ""}
            onChange={(event) => filter({ to: event.target.value || undefined })}
          />
        </label>
      </div>
      <ErrorNotice error={shown.error} onRetry={() => void shown.refetch()} />
      {content()}
    </Page>
  )
}
