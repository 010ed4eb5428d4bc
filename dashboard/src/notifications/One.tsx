import { Link } from "@tanstack/react-router"
import { useQueryClient } from "@tanstack/react-query"
import { useEffect, useRef, useState } from "react"
import { keyOf, useAsk, useDo } from "../api/hooks.ts"
import { useLive } from "../api/live.ts"
import { Refusal } from "../api/request.ts"
import { nameOf } from "../api/typedDocument.ts"
import { useApp, useId } from "../frame/viewer.ts"
import { Funnel, Line } from "../parts/charts.tsx"
import { Button, ErrorNotice } from "../parts/form.tsx"
import { Card, Chip, Confirm, Empty, Id, Loading, Page, When } from "../parts/page.tsx"
import { count, dayWords, lasting, moment } from "../parts/time.ts"
import { toast } from "../parts/toasts.tsx"
import { Message } from "./Message.tsx"
import type { NotificationQuery } from "./operations.ts"
import {
  byProvider,
  cancel,
  deliveries,
  notification,
  notificationLive,
  outcomes,
  pause,
  resume
} from "./operations.ts"
import { Outcomes } from "./Outcomes.tsx"
import { Progress } from "./Progress.tsx"
import type { Rate } from "./rate.ts"
import { useRate } from "./rate.ts"
import { Recipients } from "./Recipients.tsx"
import { useTitle } from "./Titled.tsx"
import { STATUS } from "./words.ts"

type Shown = NonNullable<NotificationQuery["notification"]>

const SETTLED: ReadonlySet<string> = new Set(["COMPLETED", "CANCELLED"])
/** How often the counts of one that has ended are asked for: people go on opening it. Milliseconds. */
const AFTERWARDS_MS = 15_000
const HALTABLE: ReadonlySet<string> = new Set(["SCHEDULED", "QUEUED", "SENDING"])

/** Whether nothing more goes out: those who failed may be sent to again. */
const isOver = ({ counts, status }: Shown): boolean => SETTLED.has(status) && counts.pending === 0

/** Where it stands, in one sentence. */
const sentence = ({ completedAt, counts, localTime, sendAt, startedAt, status }: Shown, rate: Rate): string => {
  const { accepted, pending } = counts
  const done = `${count(accepted - pending)} of ${count(accepted)}`
  if (status === "SCHEDULED") {
    const day = sendAt === null ? "" : sendAt.length > 10 ? ` at ${moment(sendAt)}` : ` on ${dayWords(sendAt)}`
    return `It goes out${day}${localTime ? `, at ${localTime} on everybody's own clock` : ""}.`
  }
  if (status === "QUEUED") return "It is about to begin."
  if (status === "PAUSED") return `Paused at ${done}. Nobody else gets it until it goes on.`
  if (status === "CANCELLED") return `Cancelled: ${count(counts.sent)} had got it, ${count(counts.cancelled)} did not.`
  if (status === "COMPLETED") {
    const seconds = startedAt && completedAt ? (Date.parse(completedAt) - Date.parse(startedAt)) / 1000 : 0
    const speed = seconds >= 1 ? `, ${count(Math.round(accepted / seconds))} a second` : ""
    return `Everybody is accounted for: ${count(accepted)} in ${lasting(seconds)}${speed}.`
  }
  if (rate.stalledSeconds > 10) {
    return `${done} done. Nothing has moved for ${lasting(rate.stalledSeconds)}: below stands what they wait for, and on Home what needs attention.`
  }
  if (rate.perSecond < 1) return `${done} done.`
  return `${done} done, ${count(Math.round(rate.perSecond))} a second, about ${lasting(pending / rate.perSecond)} left.`
}

const Controls = ({ one }: { readonly one: Shown }) => {
  const [isAsking, setAsking] = useState(false)
  const stop = useDo(pause, () => toast("Paused"))
  const go = useDo(resume, () => toast("Going on"))
  const end = useDo(cancel, () => {
    setAsking(false)
    toast("Cancelled")
  })
  const { appId } = useApp()
  const canHalt = HALTABLE.has(one.status)
  const hasBegun = one.startedAt !== null || !(one.status === "SCHEDULED" || one.status === "PAUSED")
  return (
    <>
      {!hasBegun && (
        <Link to="/apps/$appId/compose" params={{ appId }} search={{ edit: one.id } as never} className="button plain">
          Edit
        </Link>
      )}
      {canHalt && (
        <Button isBusy={stop.isPending} onClick={() => stop.mutate({ id: one.id })}>
          Pause
        </Button>
      )}
      {one.status === "PAUSED" && (
        <Button kind="primary" isBusy={go.isPending} onClick={() => go.mutate({ id: one.id })}>
          Go on
        </Button>
      )}
      {(canHalt || one.status === "PAUSED") && (
        <Button kind="danger" onClick={() => setAsking(true)}>
          Cancel…
        </Button>
      )}
      {isAsking && (
        <Confirm
          title="Cancel this notification?"
          words="Cancel it for good"
          isBusy={end.isPending}
          error={<ErrorNotice error={end.error} />}
          onConfirm={() => end.mutate({ id: one.id })}
          onClose={() => setAsking(false)}
        >
          <p>
            {count(one.counts.sent)} have got it and keep it.{" "}
            {one.counts.pending > 0 ? `${count(one.counts.pending)} get nothing.` : "Nobody else gets it."} A cancelled
            notification cannot go on.
          </p>
        </Confirm>
      )}
      <ErrorNotice error={stop.error ?? go.error} />
    </>
  )
}

/** What is shown beside the counts, and is not asked for again by itself once everything is settled. */
const BESIDE: ReadonlySet<unknown> = new Set([byProvider, outcomes, deliveries].map((one) => nameOf(one as never)))

/** Asks anew for what stands beside the counts when it has ended, and when those who failed are sent to again. */
const useInStep = (one: Shown | null): void => {
  const client = useQueryClient()
  const now = one === null ? null : JSON.stringify([one.status, one.counts])
  const isSettled = one !== null && SETTLED.has(one.status)
  const before = useRef(now)
  useEffect(() => {
    if (isSettled && before.current !== null && before.current !== now) {
      void client.invalidateQueries({ predicate: ({ queryKey: [name] }) => BESIDE.has(name) })
    }
    before.current = now
  }, [client, isSettled, now])
}

/** One notification, live: every recipient accounted for. */
export const One = () => {
  const id = useId("id")
  const { appId, may } = useApp()
  const client = useQueryClient()
  const shown = useAsk(
    notification,
    { id },
    { every: (answer) => (answer?.notification && isOver(answer.notification) ? AFTERWARDS_MS : false) }
  )
  const one = shown.data?.notification ?? null
  const title = useTitle(one)
  const { heard, state: live } = useLive(
    notificationLive,
    { id },
    one !== null && !isOver(one),
    ({ notificationChanged }) => {
      client.setQueryData<NotificationQuery>(keyOf(notification as never, { id }), (before) =>
        before?.notification ? { notification: { ...before.notification, ...notificationChanged } } : before
      )
    }
  )
  useInStep(one)
  const rate = useRate(one?.counts ?? null, one?.status === "SENDING", heard)
  const above = (
    <Link to="/apps/$appId/notifications" params={{ appId }}>
      Notifications
    </Link>
  )
  if (one === null) {
    const isGone = shown.data !== undefined || (shown.error instanceof Refusal && shown.error.code === "not_found")
    return (
      <Page title={isGone ? "No such notification" : "Notification"} above={above}>
        {isGone ? (
          <Empty title="It was removed after its time of keeping, or the address is wrong." />
        ) : shown.error ? (
          <ErrorNotice error={shown.error} onRetry={() => void shown.refetch()} />
        ) : (
          <Loading />
        )}
      </Page>
    )
  }
  const [words, tone] = STATUS[one.status]
  const { clicked, delivered, machineClicked, machineOpened, opened, sent } = one.counts
  const byMachines = (n: number) => (n > 0 ? { note: `and ${count(n)} by machines` } : {})
  return (
    <Page
      title={title}
      above={above}
      beside={
        <>
          <Chip tone={tone}>{words}</Chip>
          <Id value={one.id} label="id of the notification" />
        </>
      }
      actions={
        <>
          {may("SEND_NOTIFICATIONS") && (
            <Link
              to="/apps/$appId/compose"
              params={{ appId }}
              search={{ like: one.id } as never}
              className="button plain"
            >
              Write another like it
            </Link>
          )}
          {may("CONTROL_NOTIFICATIONS") && <Controls one={one} />}
        </>
      }
    >
      <p className="lead" aria-live="polite">
        {sentence(one, rate)}{" "}
        {live === "waiting" && one.status === "SENDING" && (
          <span className="muted">Live changes are away; asking again.</span>
        )}
      </p>
      <Progress one={one} appId={appId} />
      <div className="grid two">
        <Card title="From sent to clicked">
          <Funnel
            steps={[
              { name: "Sent", value: sent },
              { name: "Delivered, as reported", value: delivered },
              { name: "Opened by people", value: opened - machineOpened, ...byMachines(machineOpened) },
              { name: "Clicked by people", value: clicked - machineClicked, ...byMachines(machineClicked) }
            ]}
          />
          <p className="small muted">Delivered is the least that is certain: not every device reports.</p>
        </Card>
        <Card title="Rate">
          {rate.history.length > 1 ? (
            <>
              <Line
                label={`Messages a second while this page was open, at most ${count(Math.round(Math.max(...rate.history)))}`}
                values={rate.history}
              />
              <p className="small muted">
                Messages a second while this page is open; at most {count(Math.round(Math.max(...rate.history)))}.
              </p>
            </>
          ) : (
            <dl className="facts">
              <dt>Accepted</dt>
              <dd>
                <When at={one.createdAt} />
              </dd>
              <dt>Begun</dt>
              <dd>
                <When at={one.startedAt} />
              </dd>
              <dt>Ended</dt>
              <dd>
                <When at={one.completedAt} />
              </dd>
            </dl>
          )}
        </Card>
      </div>
      <Outcomes one={one} appId={appId} canReplay={may("REPLAY_DEAD_LETTERS")} />
      <Recipients one={one} />
      <Message one={one} />
    </Page>
  )
}
