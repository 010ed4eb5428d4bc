import type { Effect } from "effect"
import { Context } from "effect"
import type { Actor, AuditEntry, AuditFilter, AuditNote } from "../../domain/access/Audit.ts"
import type { AppId, AuditEntryId } from "../../domain/Ids.ts"
import type { Page } from "../audience/DeviceStore.ts"
import type { StoreError } from "../StoreError.ts"

/**
 * Who is at work. The stores read it when they write what is audited, in the same transaction as the change; whoever
 * knows the actor (the request pipeline, a command) provides it around the work.
 */
export class CurrentActor extends Context.Reference<Actor>("heliograph/ports/CurrentActor", {
  defaultValue: () => ({ kind: "system", id: null })
}) {}

/** What was changed in an application, by whom. Entries are written by the stores, with the changes that they make. */
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
    /** For what is no change of one store: written down before it is done. Answers the entry's id. */
    readonly record: (appId: AppId, note: AuditNote) => Effect.Effect<AuditEntryId, StoreError>
  }
>()("heliograph/ports/AuditLog") {}
