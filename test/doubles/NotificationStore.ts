import { Layer, Option } from "effect"
import type { Counts, Delivery } from "../../services/domain/Delivery.ts"
import type { Platform } from "../../services/domain/Device.ts"
import type { AppId, NotificationId } from "../../services/domain/Ids.ts"
import type { Notification } from "../../services/domain/Notification.ts"
import type { Settlement } from "../../services/ports/IdempotencyStore.ts"
import type { NewNotification } from "../../services/ports/NotificationStore.ts"
import { NotificationStore } from "../../services/ports/NotificationStore.ts"
import type { Outage } from "./Outage.ts"

/** What the API sees of notifications. The planner's side is left out: to call it is a defect. */
export class NotificationTable {
  readonly rows: Array<Notification> = []
  /** What `accept` was given. */
  readonly arrivals: Array<NewNotification> = []
  readonly deliveries: Array<Delivery> = []
  readonly counts = new Map<NotificationId, Counts>()

  /** What the accepting transaction does with a settlement. */
  settle: (settlement: Settlement) => void = () => {}

  /** What the accepting transaction finds of a device; undefined where there is none. */
  device: (appId: AppId, id: string) => { readonly platform: Platform; readonly active: boolean } | undefined = () =>
    undefined

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
        createdAt: Date.now(),
        startedAt: null,
        completedAt: null
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
      steer: (appId, id, command) =>
        outage.run("steer", () => {
          const at = this.rows.findIndex((row) => row.id === id && row.appId === appId)
          if (at === -1) return Option.none()
          const { status } = this.rows[at]!
          const isDone = status !== "completed" && (status !== "cancelled" || command === "cancel")
          const to = { cancel: "cancelled", pause: "paused", resume: "sending" } as const
          if (isDone) this.rows[at] = { ...this.rows[at]!, status: to[command] }
          return Option.some({ notification: this.rows[at]!, isDone, plan: true, lanes: ["apns" as const] })
        }),
      list: (appId, before, limit) =>
        outage.run("list", () => {
          const newest = of(appId).sort((a, b) => (a.id < b.id ? 1 : -1))
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
