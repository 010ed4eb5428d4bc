import { Schema } from "effect"

/**
 * The database could not do it: unreachable, restarting, out of space. Nothing was changed, or what was changed is
 * not known to be (a commit whose answer was lost). Callers of the API get 503; workers wait and try again.
 */
export class StoreError extends Schema.TaggedError<StoreError>()("StoreError", {
  operation: Schema.String,
  cause: Schema.Defect()
}) {}
