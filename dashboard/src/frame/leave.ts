import type { QueryClient } from "@tanstack/react-query"
import { askFor } from "../api/request.ts"
import { IMPORTS, setUnderWay } from "../imports/kept.ts"

/* What a browser keeps is one person's: drafts in each tab, and for all of them the files of imports and exports. */

const OWNER = "account"
/** Written by the tab in which somebody signs out, and by the one in which what others show goes. */
const [LEFT, GONE] = ["left", "gone"] as const

/** Other tabs hear of it by its being written, not by what stands there. */
const tell = (what: typeof LEFT | typeof GONE): void => {
  localStorage.setItem(what, sessionStorage.getItem(OWNER) ?? "")
  localStorage.removeItem(what)
}

/**
 * Says whose this browser is now, before anything that it keeps is shown. What somebody else has left behind, whose session
 * ended without a word, is removed.
 */
export const belongTo = (accountId: string): void => {
  askFor(accountId)
  if (sessionStorage.getItem(OWNER) !== accountId) {
    sessionStorage.clear()
    sessionStorage.setItem(OWNER, accountId)
  }
  const before = localStorage.getItem(OWNER)
  if (before === accountId) return
  if (before !== null) {
    indexedDB.deleteDatabase(IMPORTS)
    setUnderWay(false)
  }
  localStorage.setItem(OWNER, accountId)
}

/** Drops what this tab keeps: a draft that its page cannot show would stop it again after each reload. */
export const dropDrafts = (): void => {
  sessionStorage.clear()
  location.reload()
}

/** By a new document: nothing stays in memory, and no request is still under way. */
const clear = (client: QueryClient): void => {
  sessionStorage.clear()
  client.clear()
  location.assign("/sign-in")
}

/**
 * Leads from what was somebody's to the sign-in page, in all of their tabs. Drafts, and files of imports and exports, have
 * people in them, and stay no longer than the session.
 */
export const leave = (client: QueryClient): void => {
  indexedDB.deleteDatabase(IMPORTS)
  tell(LEFT)
  clear(client)
}

/** Says to the other tabs that an application, or an organization, is no longer there for the person. */
export const tellGone = (): void => tell(GONE)

/** Leaves when the same person has left in another tab, and looks after what has gone there; answers how to stop that. */
export const leaveTogether = (client: QueryClient, onGone: () => void): (() => void) => {
  const hear = ({ key, newValue }: StorageEvent): void => {
    if (newValue === null || newValue !== sessionStorage.getItem(OWNER)) return
    if (key === LEFT) clear(client)
    if (key === GONE) onGone()
  }
  addEventListener("storage", hear)
  return () => removeEventListener("storage", hear)
}

/**
 * A browser that goes back shows a page as it was left, whoever has signed out since: it is hidden as it is left, and asked
 * for anew. Drafts outlive that.
 */
export const hideWhenLeft = (): void => {
  addEventListener("pagehide", ({ persisted }) => {
    if (persisted) document.documentElement.hidden = true
  })
  addEventListener("pageshow", ({ persisted }) => {
    if (persisted) location.reload()
  })
}
