import type { Effect } from "effect"
import { Context } from "effect"
import type { Actor, AuditEntry, AuditFilter } from "../../domain/access/Audit.ts"
import type { AppId } from "../../domain/Ids.ts"
import type { Page } from "../audience/DeviceStore.ts"
import type { StoreError } from "../StoreError.ts"

/**
 * Who is at work. The stores read it when they write what is audited, in the same transaction as the change; whoever
 * knows the actor (the request pipeline, a command) provides it around the work.
 */
export class CurrentActor extends Context.Reference<Actor>("heliograph/ports/CurrentActor", {
  defaultValue: () => ({ kind: "system", id: null })
}) {}

/** What was changed in an application, by whom. It is only read here: entries are written by the stores that change. */
export class AuditLog extends Context.Service<
  AuditLog,
  {
    /** Newest first. `after`: the id of the last entry of the page before. */
    readonly list: (
      appId: AppId,
      after: string | null,
      limit: number,
      filter?: AuditFilter
    ) => Effect.Effect<Page<AuditEntry>, StoreError>
  }
>()("heliograph/ports/AuditLog") {}
