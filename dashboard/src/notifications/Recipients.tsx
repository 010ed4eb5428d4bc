import { Link, useNavigate, useSearch } from "@tanstack/react-router"
import type { ReactNode } from "react"
import { useState } from "react"
import { useAsk } from "../api/hooks.ts"
import { useApp } from "../frame/viewer.ts"
import { Button, ErrorNotice, Form, TextField } from "../parts/form.tsx"
import { Card, Chip, Empty, Id, Loading, TableFrame, When } from "../parts/page.tsx"
import { Pager } from "../parts/pager.tsx"
import { moment } from "../parts/time.ts"
import { eventWords } from "../webhooks/words.ts"
import type { DeliveriesQuery, DeliveryStatus, NotificationQuery, ToldOfQuery } from "./operations.ts"
import { deliveries, hookNames, personByAddress, toldOf } from "./operations.ts"
import { Recipient } from "./Recipient.tsx"
import { reasonOf } from "./reasons.ts"
import { DELIVERY, PROVIDER } from "./words.ts"

type Delivery = DeliveriesQuery["deliveries"]["nodes"][number]
type Search = Readonly<Partial<Record<"state" | "error" | "user" | "after", string>>>

type Told = ToldOfQuery["recipientHookDeliveries"][number]

/** What became of one event at one webhook. */
const toldWords = ({ attempts, isPaused, nextAttemptAt, reason, responseStatus, status }: Told): string => {
  const answer = responseStatus === null ? (reason ?? "no answer") : `answered ${responseStatus}`
  const after = attempts === 1 ? "" : `, at attempt ${attempts}`
  if (status === "DELIVERED") return `was told, and ${answer}${after}`
  if (status === "EXHAUSTED") return `missed it: ${answer}, after ${attempts} attempts`
  if (isPaused) return "is told once it is enabled"
  if (attempts === 0) return "is about to be told"
  return `did not take it: ${answer}${after}${nextAttemptAt ? `; tried again at ${moment(nextAttemptAt)}` : ""}`
}

/** What happened to one recipient, in order. */
const Timeline = ({
  acceptedAt,
  notificationId,
  one
}: {
  readonly one: Delivery
  readonly acceptedAt: string
  readonly notificationId: string
}) => {
  const { appId } = useApp()
  const told = useAsk(toldOf, { notificationId, recipientId: one.deviceId ?? one.channelId! }, { every: 5_000 })
  const names = useAsk(hookNames, { appId })
  const reason = one.error === null ? null : reasonOf(one.error)
  const provider = PROVIDER[one.provider] ?? one.provider
  const end = {
    SENT: `${provider} took it${one.attempts > 1 ? `, at attempt ${one.attempts}` : ""}${one.messageId ? `, as ${one.messageId}` : ""}`,
    FAILED: `${provider}: ${reason?.[0] ?? one.error ?? "failed"} (${one.error}), after ${one.attempts === 1 ? "one attempt" : `${one.attempts} attempts`}`,
    SKIPPED: `Not sent: ${reason?.[0] ?? one.error}`,
    CANCELLED: "Not sent: the notification was cancelled"
  }[one.status]
  const steps: ReadonlyArray<readonly [at: string | null, words: ReactNode, key: string]> = [
    [acceptedAt, "Accepted", "accepted"],
    [one.completedAt, end, "ended"],
    [one.deliveredAt, "Delivered: the device says so", "delivered"],
    [one.openedAt, "Opened", "opened"],
    [one.clickedAt, "Clicked", "clicked"],
    ...(told.data?.recipientHookDeliveries ?? []).map((delivery) => {
      const name = names.data?.hooks.nodes.find(({ id }) => id === delivery.webhookId)?.name
      const words = (
        <>
          {eventWords(delivery.event)}: webhook{" "}
          <Link to="/apps/$appId/webhooks/$id" params={{ appId, id: delivery.webhookId }}>
            {name ?? delivery.webhookId.slice(-6)}
          </Link>{" "}
          {toldWords(delivery)}
        </>
      )
      return [
        delivery.attemptedAt.at(-1) ?? delivery.eventAt,
        words,
        `${delivery.eventId} ${delivery.webhookId}`
      ] as const
    })
  ]
  const happened = steps.flatMap(([at, words, key]) => (at === null ? [] : [{ at, words, key }]))
  return (
    <ol className="timeline">
      {happened
        .toSorted((a, b) => Date.parse(a.at) - Date.parse(b.at))
        .map(({ at, key, words }) => (
          <li key={key}>
            <time dateTime={at}>{moment(at)}</time> {words}
          </li>
        ))}
      {told.error && (
        <li>
          <ErrorNotice error={told.error} />
        </li>
      )}
      {reason && <li className="muted">{reason[1]}</li>}
    </ol>
  )
}

const Row = ({
  acceptedAt,
  notificationId,
  one
}: {
  readonly one: Delivery
  readonly acceptedAt: string
  readonly notificationId: string
}) => {
  const [isOpen, setOpen] = useState(false)
  const [words, tone] = DELIVERY[one.status]
  const recipient = one.deviceId ?? one.channelId ?? one.id
  return (
    <>
      <tr>
        <td>
          <Button kind="quiet" className="expand" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
            {one.deviceId === null ? "Channel" : "Device"} {recipient.slice(-6)}
          </Button>
        </td>
        <td>
          <Chip tone={tone}>{words}</Chip>
        </td>
        <td>{PROVIDER[one.provider] ?? one.provider}</td>
        <td>{one.error === null ? "" : (reasonOf(one.error)?.[0] ?? one.error)}</td>
        <td className="number">{one.attempts}</td>
        <td>
          <When at={one.completedAt} />
        </td>
      </tr>
      {isOpen && (
        <tr className="opened">
          <td colSpan={6}>
            <Recipient deviceId={one.deviceId} channelId={one.channelId} />
            <Timeline one={one} acceptedAt={acceptedAt} notificationId={notificationId} />
            <p className="small muted">
              {one.deviceId === null ? "Channel" : "Device"} <Id value={recipient} label="recipient's id" />, delivery{" "}
              <Id value={one.id} label="delivery's id" />
            </p>
          </td>
        </tr>
      )}
    </>
  )
}

/** Who: every recipient whose state is final, searched by person, state and reason. */
export const Recipients = ({ one }: { readonly one: NonNullable<NotificationQuery["notification"]> }) => {
  const { appId } = useApp()
  const search = useSearch({ strict: false }) as Search
  const navigate = useNavigate()
  const [user, setUser] = useState(search.user ?? "")
  const filter = (changes: Search): void =>
    void navigate({
      to: ".",
      search: { ...search, after: undefined, ...changes } as never,
      hash: "recipients",
      resetScroll: false
    })
  const status =
    search.state !== undefined && Object.hasOwn(DELIVERY, search.state) ? (search.state as DeliveryStatus) : null
  const { pending } = one.counts
  const wanted = search.user ?? ""
  const isAddress = wanted.includes("@")
  const person = useAsk(personByAddress, { appId, address: wanted }, { enabled: isAddress })
  // An application may call people by their addresses.
  const userId = isAddress
    ? (person.data?.byId.nodes[0]?.externalId ?? person.data?.byAddress.nodes[0]?.contact?.externalId)
    : wanted || undefined
  const isNobodys = person.data !== undefined && isAddress && userId === undefined
  const shown = useAsk(
    deliveries,
    {
      notificationId: one.id,
      ...(status ? { status } : {}),
      ...(search.error ? { error: search.error } : {}),
      ...(userId === undefined ? {} : { userId }),
      first: 20,
      after: search.after ?? null
    },
    {
      enabled: !isAddress || userId !== undefined,
      keep: true,
      every: pending > 0 && one.status === "SENDING" ? 5_000 : false
    }
  )
  const rows = isNobodys ? [] : (shown.data?.deliveries.nodes ?? [])
  const next = isNobodys ? undefined : shown.data?.deliveries.pageInfo
  const isFiltered = status !== null || Boolean(search.error) || wanted !== ""
  return (
    <Card title="Who" className="recipients">
      <div id="recipients" className="filters">
        <Form className="inline" onSubmit={() => filter({ user: user.trim() || undefined })}>
          <TextField label="Your own id, or an e-mail address" value={user} onChange={setUser} placeholder="user-42" />
          <Button type="submit">Find</Button>
        </Form>
        <label>
          State
          <select
            value={status ?? ""}
            onChange={(event) => filter({ state: event.target.value || undefined, error: undefined })}
          >
            <option value="">All</option>
            {Object.entries(DELIVERY).map(([value, [words]]) => (
              <option key={value} value={value}>
                {words}
              </option>
            ))}
          </select>
        </label>
        {search.error && (
          <Button onClick={() => filter({ error: undefined })}>
            {reasonOf(search.error)?.[0] ?? search.error} <span aria-hidden="true">✕</span>
            <span className="unseen"> remove this filter</span>
          </Button>
        )}
        {isFiltered && (
          <Button
            kind="quiet"
            onClick={() => {
              setUser("")
              filter({ state: undefined, error: undefined, user: undefined })
            }}
          >
            Clear
          </Button>
        )}
      </div>
      <ErrorNotice error={person.error ?? shown.error} onRetry={() => void (person.error ? person : shown).refetch()} />
      {isNobodys && (
        <Empty title={`${wanted} is the address of no contact.`}>
          <p>Addresses are compared as a whole. Look for the person by your own id.</p>
        </Empty>
      )}
      {!isNobodys && shown.data === undefined && !person.error && !shown.error && <Loading />}
      {!isNobodys && shown.data !== undefined && rows.length === 0 && (
        <Empty
          title={
            wanted !== ""
              ? `${isAddress && userId !== wanted ? `${userId} (${wanted})` : wanted} is not among those whose state is final.`
              : isFiltered
                ? "Nobody matches the filters."
                : "Nobody's state is final yet."
          }
        >
          {wanted !== "" && (
            <p>
              {pending > 0
                ? `${pending} are still to go: they may be among them.`
                : "Then they were not in the audience when it was sent: no active device or channel, other tags, or unsubscribed before."}
            </p>
          )}
        </Empty>
      )}
      {rows.length > 0 && (
        <TableFrame label="Recipients">
          <thead>
            <tr>
              <th scope="col">Recipient</th>
              <th scope="col">State</th>
              <th scope="col">Provider</th>
              <th scope="col">Why</th>
              <th scope="col" className="number">
                Attempts
              </th>
              <th scope="col">When</th>
            </tr>
          </thead>
          <tbody>
            {rows.map((delivery) => (
              <Row key={delivery.id} one={delivery} acceptedAt={one.createdAt} notificationId={one.id} />
            ))}
          </tbody>
        </TableFrame>
      )}
      <Pager page={next} words={["First", "Next"]} isPart />
    </Card>
  )
}
