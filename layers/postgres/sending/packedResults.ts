import type { DeliveryStatus } from "../../../services/domain/sending/Delivery.ts"
import { deliveryIdsOf } from "../../../services/domain/sending/DeliveryIds.ts"
import type { ResultChunk } from "../../../services/ports/sending/BatchStore.ts"

/**
 * Results of one chunk that are alike: the same status and error. What differs between them, the ids of recipients and
 * messages, stands side by side in one row.
 */
export interface PackedResults {
  readonly status: DeliveryStatus
  readonly error: string | null
  readonly recipients: ReadonlyArray<string>
  /** The smallest and the largest of the recipients. */
  readonly first: string
  readonly last: string
  readonly messages: string | null
}

export interface Split {
  readonly packed: ReadonlyArray<PackedResults>
  /** What too few are alike in: a row for each. */
  readonly rows: ResultChunk["final"]
}

/**
 * From so many on, one row for all costs less than a row for each. What failed has rows: each may be replayed alone.
 */
export const PACK_FROM = 16

/**
 * Divides the results of a chunk into packed results and rows: the same chunk, the same way, whenever it is asked.
 * Inbox messages are written for just the rows that are written, and cost as much as those: they are never packed.
 */
export const split = ({ final, inbox, notificationId }: ResultChunk): Split => {
  if (inbox !== null) return { packed: [], rows: final }
  const { errors, messageIds, recipients, statuses } = final
  const count = recipients.length
  const rest: Array<number> = []
  const packed: Array<PackedResults> = []
  const take = (indexes: ReadonlyArray<number> | null) => {
    const at = indexes?.[0] ?? 0
    const those = indexes === null ? recipients : indexes.map((i) => recipients[i]!)
    const ids = indexes === null ? messageIds : indexes.map((i) => messageIds[i] ?? null)
    packed.push({
      status: statuses[at]!,
      error: errors[at] ?? null,
      recipients: those,
      ...endsOf(those),
      messages: writeMessages(notificationId, those, ids)
    })
  }

  if (count >= PACK_FROM && statuses[0] !== "failed" && areAlike(statuses, errors)) take(null)
  else {
    const groups = new Map<string, Array<number>>()
    for (let i = 0; i < count; i++) {
      const key = `${statuses[i]!} ${errors[i] ?? ""}`
      const group = groups.get(key)
      if (group) group.push(i)
      else groups.set(key, [i])
    }
    for (const group of groups.values()) {
      if (group.length >= PACK_FROM && statuses[group[0]!] !== "failed") take(group)
      else rest.push(...group)
    }
  }
  return {
    packed,
    rows: {
      recipients: rest.map((i) => recipients[i]!),
      statuses: rest.map((i) => statuses[i]!),
      messageIds: rest.map((i) => messageIds[i] ?? null),
      errors: rest.map((i) => errors[i] ?? null)
    }
  }
}

const areAlike = (statuses: ReadonlyArray<unknown>, errors: ReadonlyArray<unknown>): boolean => {
  for (let i = 1; i < statuses.length; i++) if (statuses[i] !== statuses[0] || errors[i] !== errors[0]) return false
  return true
}

/** Ids sort as their bytes do, so as PostgreSQL sorts them. */
const endsOf = (ids: ReadonlyArray<string>): { readonly first: string; readonly last: string } => {
  let [first, last] = [ids[0]!, ids[0]!]
  for (const id of ids) {
    if (id < first) first = id
    else if (id > last) last = id
  }
  return { first, last }
}

/**
 * Message ids of packed results, as JSON. Some providers let the sender choose, and the engine then chooses ids around
 * the delivery's own: nothing but what is around it has to be kept. Others choose themselves, with a beginning in
 * common.
 */
type Messages =
  | { readonly around: readonly [before: string, after: string]; readonly upper?: true }
  | { readonly start: string; readonly ids: ReadonlyArray<string | null> }

/** Null when there is none. Ids and recipients stand side by side. */
export const writeMessages = (
  notificationId: string,
  recipients: ReadonlyArray<string>,
  ids: ReadonlyArray<string | null>
): string | null => {
  if (ids.every((id) => id === null)) return null
  const around = aroundDeliveries(notificationId, recipients, ids)
  return JSON.stringify(around ?? listOf(ids))
}

/** Whether the ids can be told without a list, whatever the order of recipients. */
export const isWithoutList = (messages: string | null): boolean => messages === null || messages.startsWith('{"around"')

const aroundDeliveries = (
  notificationId: string,
  recipients: ReadonlyArray<string>,
  ids: ReadonlyArray<string | null>
): Messages | null => {
  const sample = ids[0]
  if (sample === null || sample === undefined) return null
  const deliveryIdOf = deliveryIdsOf(notificationId)
  const own = deliveryIdOf(recipients[0]!)
  // Apple writes ids in capitals when it is in the mood.
  const isUpper = !sample.includes(own)
  const at = sample.indexOf(isUpper ? own.toUpperCase() : own)
  if (at === -1) return null
  const [before, after] = [sample.slice(0, at), sample.slice(at + own.length)]
  const isBare = before === "" && after === "" && !isUpper
  for (let i = 1; i < ids.length; i++) {
    const id = deliveryIdOf(recipients[i]!)
    if (ids[i] !== (isBare ? id : before + (isUpper ? id.toUpperCase() : id) + after)) return null
  }
  return { around: [before, after], ...(isUpper ? { upper: true } : {}) }
}

const listOf = (ids: ReadonlyArray<string | null>): Messages => {
  let start: string | null = null
  for (const id of ids) {
    if (id === null) continue
    start ??= id
    while (!id.startsWith(start)) start = start.slice(0, commonLength(start, id))
  }
  const common = start?.length ?? 0
  return { start: start ?? "", ids: ids.map((id) => (id === null ? null : id.slice(common))) }
}

const commonLength = (a: string, b: string): number => {
  let length = 0
  while (length < a.length && a[length] === b[length]) length++
  return length
}

/** The message id of the recipient at `index` of the packed recipients. */
export const readMessages = (
  notificationId: string,
  recipients: ReadonlyArray<string>,
  messages: string | null
): ((index: number) => string | null) => {
  if (messages === null) return () => null
  const read = JSON.parse(messages) as Messages
  if (!("around" in read)) {
    return (index) => {
      const id = read.ids[index] ?? null
      return id === null ? null : read.start + id
    }
  }
  const deliveryIdOf = deliveryIdsOf(notificationId)
  const [before, after] = read.around
  return (index) => {
    const id = deliveryIdOf(recipients[index]!)
    return before + (read.upper ? id.toUpperCase() : id) + after
  }
}
