import { useQueryClient } from "@tanstack/react-query"
import { Link } from "@tanstack/react-router"
import { useEffect, useState } from "react"
import { keyOf, useAsk, useDo } from "../api/hooks.ts"
import { untilDone } from "../api/pace.ts"
import { Button, ErrorNotice } from "../parts/form.tsx"
import { Card, Confirm, TableFrame } from "../parts/page.tsx"
import { count, counted, moment } from "../parts/time.ts"
import type { NotificationQuery } from "./operations.ts"
import type { RetriesQuery } from "./operations.ts"
import { byProvider, notification, outcomes, replayFailed, replayProgress, retries } from "./operations.ts"
import { reasonOf } from "./reasons.ts"
import { PROVIDER } from "./words.ts"

type Shown = NonNullable<NotificationQuery["notification"]>

const SETTLED: ReadonlySet<string> = new Set(["COMPLETED", "CANCELLED"])

/** Sends again to those who failed, and says how far it is. */
const SendAgain = ({ appId, one }: { readonly one: Shown; readonly appId: string }) => {
  const [isAsking, setAsking] = useState(false)
  const [replayId, setReplayId] = useState<string | null>(null)
  const [failedBefore, setFailedBefore] = useState(0)
  const start = useDo(
    replayFailed,
    ({ replayDeadLetters }) => {
      setReplayId(replayDeadLetters.id)
      setAsking(false)
    },
    { once: true }
  )
  const progress = useAsk(
    replayProgress,
    { id: replayId! },
    { enabled: replayId !== null, every: (answer) => untilDone(answer?.replay?.status) }
  )
  const replay = progress.data?.replay
  const isRunning = replay?.status === "RUNNING"
  const client = useQueryClient()
  const moved = replay ? `${replay.status} ${replay.replayed}` : null
  // One that had ended is followed live again once somebody in it waits.
  useEffect(() => {
    if (moved !== null) void client.invalidateQueries({ queryKey: keyOf(notification as never, { id: one.id }) })
  }, [client, moved, one.id])
  // Those whose device or channel is gone are not among the ones that it looks at.
  const left = !replay || isRunning ? 0 : Math.max(replay.skipped, failedBefore - replay.replayed)
  return (
    <>
      {replay && (
        <span role="status">
          {isRunning ? "Sending again…" : "Sent again:"} {counted(replay.replayed, "person", "people")}
          {left > 0 && `; ${count(left)} cannot get it any more, as their device or address is gone`}
        </span>
      )}
      {!isRunning && one.counts.failed > 0 && (
        <Button onClick={() => setAsking(true)}>Send again to those who failed…</Button>
      )}
      {isAsking && (
        <Confirm
          title="Send again to those who failed?"
          words="Send again"
          doing="primary"
          isBusy={start.isPending}
          error={<ErrorNotice error={start.error} />}
          onConfirm={() => {
            setFailedBefore(one.counts.failed)
            start.mutate({ appId, notificationId: one.id })
          }}
          onClose={() => setAsking(false)}
        >
          <p>
            Up to {counted(one.counts.failed, "person", "people")}: those whose device or channel is gone are left out.
            Nobody who got it gets it twice. Mend the cause first, or they fail again.
          </p>
        </Confirm>
      )}
    </>
  )
}

/** A 4xx of a mail server is named as the end of many tries, where it is the end. */
const whyNotYet = (error: string): string =>
  error.startsWith("smtp_4") ? "The mail server puts it off" : (reasonOf(error)?.[0] ?? error)

/** Those who were tried and are not final: after what, and when they are tried again. */
const Waiting = ({ attempts, error, nextAt, provider, recipients }: RetriesQuery["retries"][number]) => {
  return (
    <li>
      <strong>{count(recipients)}</strong> not yet: {error === null ? "Held back" : whyNotYet(error)}{" "}
      <span className="muted small">
        {PROVIDER[provider] ?? provider}
        {error !== null && (
          <>
            , <code>{error}</code>
          </>
        )}
      </span>
      <p className="small">
        {attempts > 0 && `Tried ${counted(attempts, "time")}. `}
        {nextAt === null
          ? "Goes on once the credential is accepted again, or another one is set."
          : `Tried again at ${moment(nextAt)}.`}
      </p>
    </li>
  )
}

/** By provider, and why recipients did not get it, with what helps. */
export const Outcomes = ({
  appId,
  canReplay,
  one
}: {
  readonly one: Shown
  readonly appId: string
  readonly canReplay: boolean
}) => {
  const { failed, skipped } = one.counts
  const isSettled = SETTLED.has(one.status)
  const reasons = useAsk(
    outcomes,
    { notificationId: one.id },
    { enabled: failed + skipped > 0, every: isSettled ? false : 10_000 }
  )
  const isUnderWay = one.counts.pending > 0 && !isSettled
  const tried = useAsk(retries, { notificationId: one.id }, { enabled: isUnderWay, every: 5_000 })
  const waiting = isUnderWay ? (tried.data?.retries ?? []) : []
  const providers = useAsk(byProvider, { notificationId: one.id }, { every: isSettled ? false : 2_000 })
  const wrong = (failed + skipped === 0 ? [] : (reasons.data?.outcomes ?? [])).filter(
    ({ error, status }) => error !== null && status !== "SENT"
  )
  return (
    <div className="grid two">
      <Card title="By provider">
        <ErrorNotice error={providers.error} />
        <TableFrame label="By provider">
          <thead>
            <tr>
              <th scope="col">Provider</th>
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
                To go
              </th>
            </tr>
          </thead>
          <tbody>
            {(providers.data?.notificationStats ?? []).map(({ accepted, failed, pending, provider, sent }) => (
              <tr key={provider}>
                <th scope="row">{PROVIDER[provider] ?? provider}</th>
                <td className="number">{count(accepted)}</td>
                <td className="number">{count(sent)}</td>
                <td className="number">{count(failed)}</td>
                <td className="number">{count(pending)}</td>
              </tr>
            ))}
          </tbody>
        </TableFrame>
      </Card>
      <Card title="Why not" actions={canReplay && <SendAgain one={one} appId={appId} />}>
        <ErrorNotice
          error={reasons.error ?? tried.error}
          onRetry={() => void (reasons.error ? reasons : tried).refetch()}
        />
        {waiting.length > 0 && (
          <ul className="reasons" aria-label="Not yet">
            {waiting.map((one) => (
              <Waiting key={`${one.provider} ${one.error}`} {...one} />
            ))}
          </ul>
        )}
        {wrong.length === 0 ? (
          <p className="muted">
            {failed + skipped > 0 ? "Counting…" : waiting.length > 0 ? "Nobody failed for good." : "Nobody failed."}
          </p>
        ) : (
          <ul className="reasons">
            {wrong.map(({ count: n, error, provider, status }) => {
              const reason = reasonOf(error!)
              return (
                <li key={`${provider} ${status} ${error}`}>
                  <Link
                    to="/apps/$appId/notifications/$id"
                    params={{ appId, id: one.id }}
                    search={{ state: status, error } as never}
                    hash="recipients"
                    resetScroll={false}
                  >
                    <strong>{count(n)}</strong> {reason?.[0] ?? error}
                  </Link>{" "}
                  <span className="muted small">
                    {PROVIDER[provider] ?? provider}, <code>{error}</code>
                  </span>
                  {reason && <p className="small">{reason[1]}</p>}
                </li>
              )
            })}
          </ul>
        )}
        {failed > 0 && (
          <p className="small">
            <Link to="/apps/$appId/dead-letters" params={{ appId }} search={{ notification: one.id } as never}>
              Dead letters of this notification
            </Link>
          </p>
        )}
      </Card>
    </div>
  )
}
