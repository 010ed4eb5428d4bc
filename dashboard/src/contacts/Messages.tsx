import { Link } from "@tanstack/react-router"
import { useState } from "react"
import { useAsk, useAskAll } from "../api/hooks.ts"
import { PLATFORM } from "../devices/words.ts"
import { useApp } from "../frame/viewer.ts"
import { reasonOf } from "../notifications/reasons.ts"
import { Titled } from "../notifications/Titled.tsx"
import { DELIVERY, PROVIDER } from "../notifications/words.ts"
import { Button, ErrorNotice } from "../parts/form.tsx"
import { Card, Chip, Loading, TableFrame, When } from "../parts/page.tsx"
import { counted } from "../parts/time.ts"
import type { ContactQuery, DeliveriesOfOneQuery, LatestNotificationsQuery } from "./operations.ts"
import { deliveriesOfOne, latestNotifications } from "./operations.ts"

type Contact = NonNullable<ContactQuery["contact"]>
type Notification = LatestNotificationsQuery["notifications"]["nodes"][number]
type Delivery = DeliveriesOfOneQuery["deliveries"]["nodes"][number]

const followed = ({ clickedAt, deliveredAt, openedAt }: Delivery): string | null =>
  clickedAt !== null ? "clicked" : openedAt !== null ? "opened" : deliveredAt !== null ? "delivered" : null

const Row = ({
  notification,
  one,
  recipients
}: {
  readonly notification: Notification
  readonly one: Delivery
  readonly recipients: ReadonlyMap<string, string>
}) => {
  const { appId } = useApp()
  const [words, tone] = DELIVERY[one.status]
  const more = followed(one)
  return (
    <tr>
      <td className="details">
        <Link to="/apps/$appId/notifications/$id" params={{ appId, id: notification.id }} className="row-link">
          <Titled one={notification} />
        </Link>
      </td>
      <td>
        <Chip tone={tone}>{more === null ? words : `${words}, ${more}`}</Chip>
        {one.error !== null && <span className="muted small block">{reasonOf(one.error)?.[0] ?? one.error}</span>}
      </td>
      <td className="details">
        {PROVIDER[one.provider] ?? one.provider}
        <span className="muted small block">
          {recipients.get(one.deviceId ?? one.channelId ?? "") ?? "removed since"}
        </span>
      </td>
      <td>
        <When at={one.completedAt} />
      </td>
    </tr>
  )
}

/** Notifications that are looked through unasked as long as none was for the person: runs of workflows send many to others. */
const UNASKED = 50

/** Ten notifications more, and of them what was for the person. */
const Looked = ({
  after,
  found,
  one,
  recipients,
  seen
}: {
  readonly one: Contact
  readonly after: string | null
  /** How many notifications were looked through before these. */
  readonly seen: number
  /** How many messages of the person were among those. */
  readonly found: number
  readonly recipients: ReadonlyMap<string, string>
}) => {
  const { appId } = useApp()
  const [isFurther, setFurther] = useState(false)
  const shown = useAsk(latestNotifications, { appId, after })
  const nodes = shown.data?.notifications.nodes ?? []
  const answers = useAskAll(
    deliveriesOfOne,
    nodes.map(({ id }) => ({ notificationId: id, userId: one.externalId }))
  )
  const isPending = shown.data === undefined || answers.some(({ data }) => data === undefined)
  const error = shown.error ?? answers.find((answer) => answer.error !== null)?.error ?? null
  if (isPending)
    return error ? <ErrorNotice error={error} onRetry={() => void shown.refetch()} /> : <Loading lines={2} />
  const rows = nodes.flatMap((notification, i) =>
    answers[i]!.data!.deliveries.nodes.map((delivery) => ({ notification, delivery }))
  )
  const { endCursor, hasNextPage } = shown.data!.notifications.pageInfo
  const total = seen + nodes.length
  const isUnasked = found + rows.length === 0 && hasNextPage && total < UNASKED
  return (
    <>
      {rows.length > 0 && (
        <TableFrame label={seen === 0 ? "Messages" : `Messages, from the ${seen + 1}th notification on`}>
          <thead>
            <tr>
              <th scope="col">Message</th>
              <th scope="col">Outcome</th>
              <th scope="col">By</th>
              <th scope="col">When</th>
            </tr>
          </thead>
          <tbody>
            {rows.map(({ delivery, notification }) => (
              <Row key={delivery.id} one={delivery} notification={notification} recipients={recipients} />
            ))}
          </tbody>
        </TableFrame>
      )}
      {!isUnasked && rows.length === 0 && total > 0 && (
        <p className="muted">
          None of the{" "}
          {found === 0 ? counted(total, "newest notification") : `${counted(nodes.length, "notification")} before`} was
          for this person: another audience, unsubscribed by then, or its state is not final yet.
        </p>
      )}
      {nodes.length === 0 && seen === 0 && <p className="muted">Nothing was sent yet.</p>}
      {isFurther || isUnasked ? (
        <Looked after={endCursor} one={one} recipients={recipients} seen={total} found={found + rows.length} />
      ) : (
        hasNextPage && (
          <p className="small muted">
            Looked through the {counted(total, "newest notification")}.{" "}
            <Button onClick={() => setFurther(true)}>Look further back</Button>
          </p>
        )
      )}
    </>
  )
}

/** What the person got, and what not, of the newest notifications. */
export const Messages = ({ one }: { readonly one: Contact }) => {
  const recipients = new Map([
    ...one.devices.map(({ id, platform }) => [id, `${PLATFORM[platform]} …${id.slice(-6)}`] as const),
    ...one.channels.map(({ address, id }) => [id, address ?? "Inbox"] as const)
  ])
  return (
    <Card title="Messages">
      <Looked after={null} one={one} recipients={recipients} seen={0} found={0} />
    </Card>
  )
}
