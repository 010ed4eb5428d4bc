import { Effect } from "effect"
import { StoreError } from "../../services/ports/StoreError.ts"

/** Whatever goes wrong in a statement leaves the room as the ports' one error, with the name of the operation. */
export const storeError = (operation: string) =>
  Effect.mapError((cause: unknown) => new StoreError({ operation, cause }))
