import type { Effect } from "effect"
import { Context } from "effect"
import type { AuditFilter } from "../../domain/access/Audit.ts"
import type { OrganizationId } from "../../domain/Ids.ts"
import type { PeopleLogEntry } from "../../domain/people/PeopleLogEntry.ts"
import type { Page } from "../audience/DeviceStore.ts"
import type { StoreError } from "../StoreError.ts"

/** What was changed in an organization, by whom. It is only read here: entries are written by the stores that change. */
export class PeopleLog extends Context.Service<
  PeopleLog,
  {
    /** Newest first. `after`: the id of the last entry of the page before. */
    readonly list: (
      organizationId: OrganizationId,
      filter: AuditFilter,
      after: string | null,
      limit: number
    ) => Effect.Effect<Page<PeopleLogEntry>, StoreError>
  }
>()("heliograph/ports/PeopleLog") {}
