import { Effect, Layer, Option } from "effect"
import type { Webhook } from "../../../services/domain/webhooks/Webhook.ts"
import { WEBHOOKS_PER_APPLICATION } from "../../../services/domain/webhooks/Webhook.ts"
import type { AppId } from "../../../services/domain/Ids.ts"
import type { WebhookDelivery } from "../../../services/ports/webhooks/WebhookStore.ts"
import { WebhookStore, TooManyWebhooks } from "../../../services/ports/webhooks/WebhookStore.ts"
import type { Outage } from "../Outage.ts"
import { pageOf } from "../Outage.ts"

type Row = Webhook & { readonly secret: string | null }

/** What the API sees of webhooks. Their work is left out: to call it is a defect. */
export class WebhookTable {
  rows: Array<Row> = []
  /** What the log has of each webhook, newest first. */
  readonly deliveries = new Map<string, ReadonlyArray<WebhookDelivery>>()

  layer(outage: Outage): Layer.Layer<WebhookStore> {
    const of = (appId: AppId) => this.rows.filter((row) => row.appId === appId)
    return Layer.mock(WebhookStore, {
      create: (appId, id, { name, url, secret, events, is_active }) =>
        outage
          .run("create", () => of(appId).length)
          .pipe(
            Effect.filterOrFail(
              (count) => count < WEBHOOKS_PER_APPLICATION,
              () => new TooManyWebhooks({ limit: WEBHOOKS_PER_APPLICATION })
            ),
            Effect.map(() => {
              const at = Date.now()
              const row: Row = {
                id,
                appId,
                name,
                url,
                secret: secret ?? null,
                isSigned: (secret ?? null) !== null,
                overlapUntil: null,
                events: events ?? [],
                isActive: is_active ?? true,
                disabledReason: null,
                createdAt: at,
                updatedAt: at
              }
              this.rows.push(row)
              return row
            })
          ),
      find: (appId, id) => outage.run("find", () => Option.fromUndefinedOr(of(appId).find((row) => row.id === id))),
      list: (appId, after, limit) => outage.run("list", () => pageOf(of(appId), after, limit)),
      update: (appId, id, change) =>
        outage.run("update", () => {
          const old = of(appId).find((row) => row.id === id)
          if (old === undefined) return Option.none()
          const row: Row = {
            ...old,
            name: change.name ?? old.name,
            url: change.url ?? old.url,
            secret: change.secret === undefined ? old.secret : change.secret,
            isSigned: (change.secret === undefined ? old.secret : change.secret) !== null,
            events: change.events ?? old.events,
            isActive: change.is_active ?? old.isActive,
            overlapUntil:
              change.secret === undefined
                ? old.overlapUntil
                : old.secret === null || !change.secret_overlap_seconds
                  ? null
                  : Date.now() + change.secret_overlap_seconds * 1000,
            disabledReason: change.is_active === true ? null : old.disabledReason,
            updatedAt: Date.now()
          }
          this.rows = this.rows.map((other) => (other.id === id ? row : other))
          return Option.some(row)
        }),
      target: (appId, id) =>
        outage.run("target", () =>
          Option.map(Option.fromUndefinedOr(of(appId).find((row) => row.id === id)), ({ secret, url }) => ({
            id,
            appId,
            url,
            secrets: secret === null ? [] : [secret],
            epoch: 1
          }))
        ),
      deliveries: (_, id, after, limit) =>
        outage.run("deliveries", () => {
          const all = this.deliveries.get(id) ?? []
          const rest = after === null ? all : all.slice(all.findIndex((delivery) => delivery.id === after) + 1)
          const items = rest.slice(0, limit)
          return { items, next: rest.length > limit ? items[limit - 1]!.id : null }
        }),
      remove: (appId, id) =>
        outage.run("remove", () => {
          const isThere = of(appId).some((row) => row.id === id)
          if (isThere) this.rows = this.rows.filter((row) => row.id !== id)
          return isThere
        })
    })
  }
}
