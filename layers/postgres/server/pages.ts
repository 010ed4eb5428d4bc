import type { Page } from "../../../services/ports/audience/DeviceStore.ts"

/** A page of at most `limit` items, from a query that asked for one more to know whether there is a next one. */
export const pageOf = <A extends { readonly id: string }>(items: ReadonlyArray<A>, limit: number): Page<A> =>
  items.length > limit ? { items: items.slice(0, limit), next: items[limit - 1]?.id ?? null } : { items, next: null }
