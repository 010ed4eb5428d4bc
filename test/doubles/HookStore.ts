import { Effect, Layer, Option } from "effect"
import type { Hook } from "../../services/domain/Hook.ts"
import { HOOKS_PER_APPLICATION } from "../../services/domain/Hook.ts"
import type { AppId } from "../../services/domain/Ids.ts"
import { HookStore, TooManyHooks } from "../../services/ports/HookStore.ts"
import type { Outage } from "./Outage.ts"
import { pageOf } from "./Outage.ts"

type Row = Hook & { readonly secret: string | null }

/** What the API sees of webhooks. Their work is left out: to call it is a defect. */
export class HookTable {
  rows: Array<Row> = []

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
            events: change.events ?? old.events,
            isActive: change.is_active ?? old.isActive,
            disabledReason: change.is_active === true ? null : old.disabledReason,
            updatedAt: Date.now()
          }
          this.rows = this.rows.map((other) => (other.id === id ? row : other))
          return Option.some(row)
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
