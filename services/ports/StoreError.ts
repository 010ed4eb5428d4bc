import { Schema } from "effect"

/**
 * The database could not do it: unreachable, restarting, out of space. Nothing was changed, or what was changed is
 * not known to be (a commit whose answer was lost). Callers of the API get 503; workers wait and try again.
 */
export class StoreError extends Schema.TaggedError<StoreError>()("StoreError", {
  operation: Schema.String,
  cause: Schema.Defect(),
  /**
   * Set when the database refused what it was given for its contents: a value that it cannot hold, a rule that it would
   * break. Nothing was changed, and the same would be refused again.
   */
  refused: Schema.optionalKey(Schema.Boolean),
  /**
   * Set when whoever asked may not do it any more: the organization was deleted, the role or the key taken away, while the
   * request was under way. Nothing was changed. Callers of the API get 403.
   */
  withdrawn: Schema.optionalKey(Schema.Boolean)
}) {}
