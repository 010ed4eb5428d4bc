import { useNavigate, useSearch } from "@tanstack/react-router"
import { useState } from "react"
import { useAsk, useDo } from "../api/hooks.ts"
import { Button, ErrorNotice } from "../parts/form.tsx"
import { Card, Chip, Empty, Id, Loading, TableFrame, When } from "../parts/page.tsx"
import { Pager } from "../parts/pager.tsx"
import { moment } from "../parts/time.ts"
import { toast } from "../parts/toasts.tsx"
import { hookDeliveries, hookDelivery, redeliver } from "./operations.ts"
import { Redeliver, RedeliveryProgress } from "./Redeliver.tsx"
import type { Hook, HookDelivery } from "./words.ts"
import { answerWords, attemptWords, DELIVERY, eventWords, EVENTS } from "./words.ts"

type Search = Readonly<Partial<Record<"after" | "event" | "state" | "redelivery", string>>>

type Status = HookDelivery["status"]

const ENDED: ReadonlySet<string> = new Set(["DELIVERED", "EXHAUSTED"])

const Attempts = ({ one }: { readonly one: HookDelivery }) => (
  <ol className="timeline">
    <li>
      <time dateTime={one.eventAt}>{moment(one.eventAt)}</time> {EVENTS[one.event]?.[1] ?? one.event}
    </li>
    {one.attemptedAt.map((at, i) => (
      <li key={at}>
        <time dateTime={at}>{moment(at)}</time> {attemptWords(i + 1, one.answers[i])}
      </li>
    ))}
    {one.nextAttemptAt !== null && (
      <li>
        <time dateTime={one.nextAttemptAt}>{moment(one.nextAttemptAt)}</time> The next attempt
      </li>
    )}
    {one.isPaused && <li className="muted">Kept until the webhook is enabled.</li>}
    {one.status === "EXHAUSTED" && <li className="muted">All attempts failed. It can be delivered again from here.</li>}
  </ol>
)

/** What was posted, as it stands there. */
const Request = ({ eventId, hookId }: { readonly hookId: string; readonly eventId: string }) => {
  const shown = useAsk(hookDelivery, { hookId, eventId })
  const body = shown.data?.hookDelivery?.body
  if (shown.error) return <ErrorNotice error={shown.error} onRetry={() => void shown.refetch()} />
  return body === undefined ? <Loading lines={3} /> : <pre className="body">{JSON.stringify(body, null, 2)}</pre>
}

const Row = ({
  canChange,
  hook,
  one
}: {
  readonly one: HookDelivery
  readonly hook: Hook
  readonly canChange: boolean
}) => {
  const [isOpen, setOpen] = useState(false)
  const again = useDo(redeliver, () => toast("It goes out again now"))
  const [words, tone] = DELIVERY[one.status]
  return (
    <>
      <tr>
        <td>
          <Button kind="quiet" className="expand" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
            {eventWords(one.event)} <span className="unseen">, event {one.eventId.slice(-6)}</span>
          </Button>
        </td>
        <td>
          <Chip tone={one.isPaused ? "waiting" : tone}>{one.isPaused ? "Waiting until it is enabled" : words}</Chip>
        </td>
        <td>{answerWords(one)}</td>
        <td className="number">{one.attempts}</td>
        <td className="number">{one.latencyMs === null ? "–" : `${one.latencyMs} ms`}</td>
        <td>
          <When at={one.eventAt} />
        </td>
      </tr>
      {isOpen && (
        <tr className="opened">
          <td colSpan={6}>
            <div className="stack">
              <Attempts one={one} />
              <Request hookId={hook.id} eventId={one.eventId} />
              <p className="small muted">
                Event <Id value={one.eventId} label="event's id" />, the <code>id</code> of what is posted
              </p>
              {canChange && hook.isActive && ENDED.has(one.status) && (
                <Button
                  isBusy={again.isPending}
                  onClick={() => again.mutate({ id: hook.id, input: { deliveryId: one.eventId } })}
                >
                  Deliver it again
                </Button>
              )}
              <ErrorNotice error={again.error} />
            </div>
          </td>
        </tr>
      )}
    </>
  )
}

/** Every event that the webhook had, with what its receiver answered. */
export const Deliveries = ({ canChange, hook }: { readonly hook: Hook; readonly canChange: boolean }) => {
  const search = useSearch({ strict: false }) as Search
  const navigate = useNavigate()
  const [isAsking, setAsking] = useState(false)
  const filter = (changes: Search): void =>
    void navigate({ to: ".", search: { ...search, after: undefined, ...changes } as never, resetScroll: false })
  const status = search.state !== undefined && Object.hasOwn(DELIVERY, search.state) ? (search.state as Status) : null
  const event = search.event !== undefined && Object.hasOwn(EVENTS, search.event) ? search.event : null
  const isFiltered = status !== null || event !== null
  const clear = () => filter({ event: undefined, state: undefined })
  const shown = useAsk(
    hookDeliveries,
    { hookId: hook.id, event, status, first: 25, after: search.after ?? null },
    { keep: true, every: search.after ? false : 3_000 }
  )
  const rows = shown.data?.hookDeliveries.nodes ?? []
  const next = shown.data?.hookDeliveries.pageInfo
  return (
    <Card
      title="Deliveries"
      actions={canChange && hook.isActive && <Button onClick={() => setAsking(true)}>Deliver again…</Button>}
    >
      {search.redelivery && <RedeliveryProgress id={search.redelivery} />}
      <div className="filters" role="group" aria-label="Filters">
        <label>
          State
          <select value={status ?? ""} onChange={(event) => filter({ state: event.target.value || undefined })}>
            <option value="">All</option>
            {Object.entries(DELIVERY).map(([value, [words]]) => (
              <option key={value} value={value}>
                {words}
              </option>
            ))}
          </select>
        </label>
        <label>
          Event
          <select value={event ?? ""} onChange={(event) => filter({ event: event.target.value || undefined })}>
            <option value="">All</option>
            {Object.entries(EVENTS).map(([value, [words]]) => (
              <option key={value} value={value}>
                {words}
              </option>
            ))}
          </select>
        </label>
        {isFiltered && (
          <Button kind="quiet" onClick={clear}>
            Clear
          </Button>
        )}
      </div>
      <ErrorNotice error={shown.error} onRetry={() => void shown.refetch()} />
      {shown.data === undefined && !shown.error && <Loading />}
      {shown.data && rows.length === 0 && (
        <Empty
          title={
            next?.hasNextPage
              ? "None among the latest thousands."
              : isFiltered
                ? "No delivery matches the filters."
                : "Nothing was delivered yet."
          }
        >
          {next?.hasNextPage ? (
            <p>There are older ones: look further back.</p>
          ) : isFiltered ? (
            <Button onClick={clear}>Clear the filters</Button>
          ) : (
            <p>Events are listed here as they happen. A test shows its answer at once, and is not listed.</p>
          )}
        </Empty>
      )}
      {rows.length > 0 && (
        <TableFrame label="Deliveries">
          <thead>
            <tr>
              <th scope="col">Event</th>
              <th scope="col">State</th>
              <th scope="col">Answer</th>
              <th scope="col" className="number">
                Attempts
              </th>
              <th scope="col" className="number">
                Took
              </th>
              <th scope="col">Happened</th>
            </tr>
          </thead>
          <tbody>
            {rows.map((one) => (
              <Row key={one.eventId} one={one} hook={hook} canChange={canChange} />
            ))}
          </tbody>
        </TableFrame>
      )}
      <Pager page={next} isPart />
      {isAsking && <Redeliver hook={hook} onClose={() => setAsking(false)} />}
    </Card>
  )
}
