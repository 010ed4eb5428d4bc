import type { QueryClient } from "@tanstack/react-query"
import { IMPORTS } from "../imports/kept.ts"

/**
 * Leads from what was somebody's to the sign-in page, by a new document: nothing of theirs stays in memory, and no request
 * of theirs is still under way. Files of imports and exports have people in them, and stay no longer than the session.
 */
export const leave = (client: QueryClient): void => {
  indexedDB.deleteDatabase(IMPORTS)
  client.clear()
  location.assign("/sign-in")
}
