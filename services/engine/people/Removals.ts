import { Effect } from "effect"
import { OrganizationStore } from "../../ports/people/OrganizationStore.ts"

/** How often it is looked for organizations that were deleted, and the pause between two parts of one. */
const LOOK = "5 seconds"
const PAUSE = "20 millis"

/**
 * Removes what deleted organizations have left behind, for as long as the scope is open. Any node may, and one that starts
 * goes on where another ended.
 */
export const run: Effect.Effect<never, never, OrganizationStore> = Effect.flatMap(OrganizationStore, (store) =>
  Effect.forever(
    store.removeDeleted.pipe(
      Effect.catchTag("StoreError", (error) =>
        Effect.as(Effect.logWarning("What a deleted organization left behind stays for a while more", error), 0)
      ),
      // Whatever broke, what is left is looked at again: nobody else would do it.
      Effect.catchDefect((defect) => Effect.as(Effect.logError("Removing a deleted organization broke", defect), 0)),
      Effect.flatMap((removed) => Effect.sleep(removed === 0 ? LOOK : PAUSE))
    )
  )
)
