import { Layer, Option } from "effect"
import type { Counts, Delivery } from "../../../services/domain/sending/Delivery.ts"
import type { Platform } from "../../../services/domain/audience/Device.ts"
import type { AppId, NotificationId } from "../../../services/domain/Ids.ts"
import { uuidTime } from "../../../services/domain/Ids.ts"
import type { Notification } from "../../../services/domain/sending/Notification.ts"
import type { Settlement } from "../../../services/ports/access/IdempotencyStore.ts"
import type { NewNotification, Revision } from "../../../services/ports/sending/NotificationStore.ts"
import { NotificationStore } from "../../../services/ports/sending/NotificationStore.ts"
import type { Outage } from "../Outage.ts"

/** What the API sees of notifications. The planner's side is left out: to call it is a defect. */
export class NotificationTable {
  readonly rows: Array<Notification> = []
  /** What `accept` was given. */
  readonly arrivals: Array<NewNotification> = []
  /** What `revise` carried out. */
  readonly revisions: Array<Revision> = []
  readonly deliveries: Array<Delivery> = []
  readonly counts = new Map<NotificationId, Counts>()

  /** What the accepting transaction does with a settlement. */
  settle: (settlement: Settlement) => void = () => {}

  /** What the accepting transaction finds of a device; undefined where there is none. */
  device: (appId: AppId, id: string) => { readonly platform: Platform; readonly active: boolean } | undefined = () =>
    undefined

  /** Whether its time, as it was accepted or changed last, is still to come. */
  isScheduled(id: NotificationId): boolean {
    const last = [...this.arrivals, ...this.revisions].findLast((one) => one.id === id)
    return (last?.sendAt ?? 0) > Date.now()
  }

  layer(outage: Outage): Layer.Layer<NotificationStore> {
    const of = (appId: AppId) => this.rows.filter((row) => row.appId === appId)
    const accept = (arrival: NewNotification): Notification => {
      const { id, appId, request, sendAt } = arrival
      this.arrivals.push(arrival)
      if (arrival.settlement) this.settle(arrival.settlement)
      const row: Notification = {
        id,
        appId,
        status: sendAt == null ? "queued" : "scheduled",
        request,
        createdAt: uuidTime(id),
        updatedAt: null,
        startedAt: null,
        completedAt: null,
        revision: 0
      }
      this.rows.push(row)
      return row
    }
    return Layer.mock(NotificationStore, {
      accept: (arrival) => outage.run("accept", () => accept(arrival)),
      acceptForDevice: (arrival, { id, batch }) =>
        outage.run("accept", () => {
          const found = this.device(arrival.appId, id)
          if (found === undefined) return null
          if (!found.active) return { notification: accept(arrival), provider: null }
          const provider = ({ ios: "apns", android: "fcm", web: "webpush" } as const)[found.platform]
          return {
            notification: accept({ ...arrival, batches: [{ id: batch, provider, recipients: [id] }] }),
            provider
          }
        }),
      find: (appId, id) => outage.run("find", () => Option.fromUndefinedOr(of(appId).find((row) => row.id === id))),
      control: (appId, id, command) =>
        outage.run("control", () => {
          const at = this.rows.findIndex((row) => row.id === id && row.appId === appId)
          if (at === -1) return Option.none()
          const { revision, startedAt, status } = this.rows[at]!
          const isDone = status !== "completed" && (status !== "cancelled" || command === "cancel")
          const resumed = startedAt === null && this.isScheduled(id) ? ("scheduled" as const) : ("sending" as const)
          const to = { cancel: "cancelled", pause: "paused", resume: resumed } as const
          if (isDone) this.rows[at] = { ...this.rows[at]!, status: to[command], revision: revision + 1 }
          return Option.some({ notification: this.rows[at]!, isDone, plan: true, lanes: ["apns" as const] })
        }),
      revise: ({ appId, id, request, revision, sendAt, ...rest }) =>
        outage.run("revise", () => {
          const at = this.rows.findIndex((row) => row.id === id && row.appId === appId)
          const { startedAt, status } = this.rows[at]!
          const isOpen = (status === "scheduled" || status === "paused") && startedAt === null
          if (!isOpen || this.rows[at]!.revision !== revision) return Option.none()
          this.rows[at] = {
            ...this.rows[at]!,
            request,
            status: status === "paused" ? status : sendAt === null ? "queued" : "scheduled",
            updatedAt: Date.now(),
            revision: revision + 1
          }
          this.revisions.push({ appId, id, request, revision, sendAt, ...rest })
          return Option.some(this.rows[at]!)
        }),
      list: (appId, { createdFrom = 0, createdTo = Infinity, status }, before, limit) =>
        outage.run("list", () => {
          const newest = of(appId)
            .filter((row) => status === undefined || row.status === status)
            .filter(({ createdAt }) => createdAt >= createdFrom && createdAt <= createdTo)
            .sort((a, b) => (a.id < b.id ? 1 : -1))
          const rest = before === null ? newest : newest.filter(({ id }) => id < before)
          const items = rest.slice(0, limit)
          return { items, next: rest.length > limit ? items[limit - 1]!.id : null }
        }),
      counts: (_, ids) =>
        outage.run(
          "counts",
          () => new Map(ids.flatMap((id) => (this.counts.has(id) ? [[id, this.counts.get(id)!] as const] : [])))
        ),
      deliveries: (appId, id, after, limit) =>
        outage.run("deliveries", () => {
          const rows = of(appId).some((row) => row.id === id)
            ? this.deliveries.filter((row) => row.notificationId === id)
            : []
          const rest = rows
            .filter(({ recipientId }) => after === null || recipientId > after)
            .sort((a, b) => (a.recipientId < b.recipientId ? -1 : 1))
          const items = rest.slice(0, limit)
          return { items, next: rest.length > limit ? items[limit - 1]!.recipientId : null }
        })
    })
  }
}
