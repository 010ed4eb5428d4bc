import { Link, useNavigate, useSearch } from "@tanstack/react-router"
import { useState } from "react"
import { useAsk, useDo } from "../api/hooks.ts"
import { useApp } from "../frame/viewer.ts"
import { Recipient } from "../notifications/Recipient.tsx"
import { Titled } from "../notifications/Titled.tsx"
import { PROVIDER } from "../notifications/words.ts"
import { Button, ErrorNotice } from "../parts/form.tsx"
import { Chip, Confirm, Empty, Id, Loading, Page, TableFrame, When } from "../parts/page.tsx"
import { Pager } from "../parts/pager.tsx"
import { LAST_DAY, startOfDay } from "../parts/time.ts"
import { toast } from "../parts/toasts.tsx"
import { deadLetter, deadLetters, hookNames, replayMany, replayOne } from "./operations.ts"
import type { DeadLetterFilterInput, Provider } from "./operations.ts"
import { Replays } from "./Replays.tsx"
import type { Letter } from "./words.ts"
import { filterWords, OBSTACLE, whyWords } from "./words.ts"

type Search = Readonly<
  Partial<Record<"kind" | "provider" | "error" | "notification" | "webhook" | "from" | "to" | "after", string>>
>
const FILTERS = ["kind", "provider", "error", "notification", "webhook", "from", "to"] as const
/** Their recipients are devices; those of the others are channels. */
const PUSH: ReadonlySet<string> = new Set(["APNS", "FCM", "WEBPUSH"])
const KINDS: Readonly<Record<Letter["kind"], string>> = { NOTIFICATION: "Messages", WEBHOOK: "Webhook deliveries" }

/** What it was to say, and to whom. */
const Whole = ({ id, isPush }: { readonly id: string; readonly isPush: boolean }) => {
  const shown = useAsk(deadLetter, { id })
  const whole = shown.data?.deadLetter
  if (!whole) return shown.error ? <ErrorNotice error={shown.error} /> : <Loading lines={2} />
  const { content, event, eventId, recipientId, templateId, variables } = whole
  const facts: ReadonlyArray<readonly [string, string | null | undefined]> = [
    ["Title", content?.title],
    ["Body", content?.body],
    ["Subject", content?.subject],
    ["Template", templateId],
    ["Variables", variables ? JSON.stringify(variables) : null]
  ]
  return (
    <>
      {recipientId && <Recipient deviceId={isPush ? recipientId : null} channelId={isPush ? null : recipientId} />}
      <dl className="facts">
        {facts.map(([name, value]) =>
          value ? (
            <div key={name}>
              <dt>{name}</dt>
              <dd>{value}</dd>
            </div>
          ) : null
        )}
      </dl>
      {event !== null && <pre className="body">{JSON.stringify(event, null, 2)}</pre>}
      <p className="small muted">
        {recipientId && (
          <>
            Recipient <Id value={recipientId} label="recipient's id" />,{" "}
          </>
        )}
        {eventId && (
          <>
            event <Id value={eventId} label="event's id" />,{" "}
          </>
        )}
        dead letter <Id value={id} label="dead letter's id" />
      </p>
    </>
  )
}

/** What became of it, or what can. */
const State = ({
  appId,
  canReplay,
  one
}: {
  readonly one: Letter
  readonly appId: string
  readonly canReplay: boolean
}) => {
  const again = useDo(replayOne, () => toast("It goes out again now"))
  if (one.canReplay) {
    return (
      <>
        {canReplay ? (
          <Button isBusy={again.isPending} onClick={() => again.mutate({ id: one.id })}>
            Send it again
          </Button>
        ) : (
          <span className="muted">Can go again</span>
        )}
        <ErrorNotice error={again.error} />
      </>
    )
  }
  if (one.replayedAt !== null) {
    return (
      <Chip tone="good">
        Sent again&nbsp;
        <When at={one.replayedAt} />
      </Chip>
    )
  }
  if (one.kind === "WEBHOOK") {
    return (
      <Link to="/apps/$appId/webhooks/$id" params={{ appId, id: one.webhookId! }}>
        Deliver again there
      </Link>
    )
  }
  return <span className="muted">{OBSTACLE[one.cannotReplayBecause!]}</span>
}

const Row = ({
  appId,
  canReplay,
  hook,
  one
}: {
  readonly one: Letter
  readonly appId: string
  readonly canReplay: boolean
  readonly hook: string | undefined
}) => {
  const [isOpen, setOpen] = useState(false)
  const [means, remedy] = whyWords(one.error)
  return (
    <>
      <tr>
        <td>
          <Button kind="quiet" className="expand" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
            {one.kind === "WEBHOOK" ? "Webhook" : (PROVIDER[one.provider ?? ""] ?? "Message")}
            <span className="unseen">, dead letter {one.id.slice(-6)}</span>
          </Button>
        </td>
        <td>
          {one.kind === "WEBHOOK" ? (
            <Link to="/apps/$appId/webhooks/$id" params={{ appId, id: one.webhookId! }} className="row-link">
              {hook ?? "A webhook that is gone"}
            </Link>
          ) : (
            <Link to="/apps/$appId/notifications/$id" params={{ appId, id: one.notificationId! }} className="row-link">
              {one.notification === null ? "A notification that is gone" : <Titled one={one.notification} />}
            </Link>
          )}
        </td>
        <td className="details">
          <Link to="." search={((before: Search) => ({ ...before, error: one.error, after: undefined })) as never}>
            {means}
          </Link>
        </td>
        <td className="number">{one.attempts}</td>
        <td>
          <When at={one.createdAt} />
        </td>
        <td>
          <State one={one} appId={appId} canReplay={canReplay} />
        </td>
      </tr>
      {isOpen && (
        <tr className="opened">
          <td colSpan={6}>
            <p className="small">
              <code>{one.error}</code> {remedy}
            </p>
            <Whole id={one.id} isPush={PUSH.has(one.provider ?? "")} />
          </td>
        </tr>
      )}
    </>
  )
}

/** Sends again all that the filters describe. */
const SendAll = ({ appId, filter }: { readonly appId: string; readonly filter: DeadLetterFilterInput }) => {
  const [isAsking, setAsking] = useState(false)
  const start = useDo(
    replayMany,
    () => {
      setAsking(false)
      toast("They go out again: how far it is stands above the list")
    },
    { once: true }
  )
  return (
    <>
      <Button kind="primary" onClick={() => setAsking(true)}>
        Send these again…
      </Button>
      {isAsking && (
        <Confirm
          title="Send these again?"
          words="Send them again"
          doing="primary"
          isBusy={start.isPending}
          error={<ErrorNotice error={start.error} />}
          onClose={() => setAsking(false)}
          onConfirm={() => start.mutate({ appId, input: { ...filter, kind: "NOTIFICATION" } })}
        >
          <p>
            <strong>{filterWords(filter as never)}.</strong>
          </p>
          <p>
            Those whose device or channel is gone, and those that went again already, are left out. Nobody who got it
            gets it twice. Mend the cause first, or they fail again.
          </p>
        </Confirm>
      )}
    </>
  )
}

/** What finally failed, why, and what of it can go again. */
export const List = () => {
  const { appId, may } = useApp()
  const search = useSearch({ strict: false }) as Search
  const navigate = useNavigate()
  const filter = (changes: Search): void =>
    void navigate({ to: ".", search: { ...search, after: undefined, ...changes } as never })
  const kind = search.kind !== undefined && Object.hasOwn(KINDS, search.kind) ? (search.kind as Letter["kind"]) : null
  const provider =
    search.provider !== undefined && Object.hasOwn(PROVIDER, search.provider) ? (search.provider as Provider) : null
  const wanted: DeadLetterFilterInput = {
    ...(provider ? { provider } : {}),
    ...(search.error ? { error: search.error } : {}),
    ...(search.notification ? { notificationId: search.notification } : {}),
    ...(startOfDay(search.from) ? { from: startOfDay(search.from)! } : {}),
    ...(startOfDay(search.to, 1) ? { to: startOfDay(search.to, 1)! } : {})
  }
  const shown = useAsk(
    deadLetters,
    {
      appId,
      ...wanted,
      ...(kind ? { kind } : {}),
      ...(search.webhook ? { webhookId: search.webhook } : {}),
      first: 50,
      after: search.after ?? null
    },
    { keep: true, every: search.after ? false : 5_000 }
  )
  const names = useAsk(hookNames, { appId })
  const nameOf = (id: string | null) => names.data?.hooks.nodes.find((one) => one.id === id)?.name
  const rows = shown.data?.deadLetters.nodes ?? []
  const next = shown.data?.deadLetters.pageInfo
  const isFiltered = FILTERS.some((name) => Boolean(search[name]))
  const canReplay = may("REPLAY_DEAD_LETTERS")
  const clear = () => filter(Object.fromEntries(FILTERS.map((name) => [name, undefined])))
  const isOfSends = kind !== "WEBHOOK" && !search.webhook
  return (
    <Page
      title="Dead letters"
      actions={canReplay && isOfSends && rows.some((one) => one.canReplay) && <SendAll appId={appId} filter={wanted} />}
    >
      <p className="muted">
        What finally failed, after every attempt. Messages can be sent again from here; what a webhook missed, on the
        page of the webhook. They are kept as long as results are, and removed by themselves.
      </p>
      <div className="filters" role="group" aria-label="Filters">
        <label>
          What
          <select value={kind ?? ""} onChange={(event) => filter({ kind: event.target.value || undefined })}>
            <option value="">All</option>
            {Object.entries(KINDS).map(([value, words]) => (
              <option key={value} value={value}>
                {words}
              </option>
            ))}
          </select>
        </label>
        <label>
          Provider
          <select value={provider ?? ""} onChange={(event) => filter({ provider: event.target.value || undefined })}>
            <option value="">All</option>
            {Object.entries(PROVIDER).map(([value, words]) => (
              <option key={value} value={value}>
                {words}
              </option>
            ))}
          </select>
        </label>
        <label>
          Failed from
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
        {(
          [
            ["error", search.error && whyWords(search.error)[0]],
            ["notification", "One notification"],
            ["webhook", nameOf(search.webhook ?? null) ?? "One webhook"]
          ] as const
        ).map(([name, words]) =>
          search[name] ? (
            <Button key={name} onClick={() => filter({ [name]: undefined })}>
              {words} <span aria-hidden="true">✕</span>
              <span className="unseen"> remove this filter</span>
            </Button>
          ) : null
        )}
        {isFiltered && (
          <Button kind="quiet" onClick={clear}>
            Clear
          </Button>
        )}
      </div>
      <Replays appId={appId} />
      <ErrorNotice error={shown.error} onRetry={() => void shown.refetch()} />
      {shown.data === undefined && !shown.error && <Loading />}
      {shown.data && rows.length === 0 && (
        <Empty title={isFiltered ? "No dead letter matches the filters." : "No dead letters: nothing finally failed."}>
          {isFiltered && <Button onClick={clear}>Clear the filters</Button>}
        </Empty>
      )}
      {rows.length > 0 && (
        <TableFrame label="Dead letters">
          <thead>
            <tr>
              <th scope="col">Way</th>
              <th scope="col">Of what</th>
              <th scope="col">Why</th>
              <th scope="col" className="number">
                Attempts
              </th>
              <th scope="col">Given up</th>
              <th scope="col">What can be done</th>
            </tr>
          </thead>
          <tbody>
            {rows.map((one) => (
              <Row key={one.id} one={one} appId={appId} canReplay={canReplay} hook={nameOf(one.webhookId)} />
            ))}
          </tbody>
        </TableFrame>
      )}
      <Pager page={next} />
    </Page>
  )
}
