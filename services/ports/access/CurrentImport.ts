import { Context } from "effect"
import type { AuditEntryId } from "../../domain/Ids.ts"

/**
 * The import that is under way, by its entry in the audit log: the stores add to that what they write, in the same
 * transaction, and note nothing of each row. Null: what is written is no part of one.
 */
export class CurrentImport extends Context.Reference<AuditEntryId | null>("heliograph/ports/CurrentImport", {
  defaultValue: () => null
}) {}
