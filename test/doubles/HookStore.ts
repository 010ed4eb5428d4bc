import { Effect, Layer, Option } from "effect"
import type { Hook } from "../../services/domain/Hook.ts"
import { HOOKS_PER_APPLICATION } from "../../services/domain/Hook.ts"
import type { AppId } from "../../services/domain/Ids.ts"
import type { HookDelivery } from "../../services/ports/HookStore.ts"
import { HookStore, TooManyHooks } from "../../services/ports/HookStore.ts"
import type { Outage } from "./Outage.ts"
import { pageOf } from "./Outage.ts"

type Row = Hook & { readonly secret: string | null }

/** What the API sees of webhooks. Their work is left out: to call it is a defect. */
export class HookTable {
  rows: Array<Row> = []
  /** What the log has of each hook, newest first. */
  readonly deliveries = new Map<string, ReadonlyArray<HookDelivery>>()

  layer(outage: Outage): Layer.Layer<HookStore> {
    const of = (appId: AppId) => this.rows.filter((row) => row.appId === appId)
    return Layer.mock(HookStore, {
      create: (appId, id, { name, url, secret, events, is_active }) =>
        outage
          .run("create", () => of(appId).length)
          .pipe(
            Effect.filterOrFail(
              (count) => count < HOOKS_PER_APPLICATION,
              () => new TooManyHooks({ limit: HOOKS_PER_APPLICATION })
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
      update: (appId, id, change, overlapMs) =>
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
                : change.secret === null || old.secret === null
                  ? null
                  : Date.now() + (change.secret_overlap_seconds ?? overlapMs / 1000) * 1000,
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
