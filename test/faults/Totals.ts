import { Effect } from "effect"
import type { Counts } from "../../services/domain/sending/Delivery.ts"
import type { Cluster } from "./Cluster.ts"
import { SINKS } from "./Cluster.ts"
import { until } from "./Until.ts"

/** What is held against what: the service's own totals, the sinks' ledgers, and what the customer was answered. */
export interface Totals {
  /** Recipients of everything that was answered 202. */
  readonly accepted: number
  /** Different messages in the sinks. */
  readonly received: number
  /** Recipients that are said to have been sent to, or that have no state at all, and have received nothing. */
  readonly lost: number
  /** Messages that arrived a second, third … time. */
  readonly duplicates: number
  /** Duplicates that the faults may have cost. */
  readonly bound: number
  readonly failed: number
  /** Events that a webhook receiver should have seen and has not. */
  readonly eventsLost: number
  readonly seconds: number
  /** What does not add up, in words. */
  readonly problems: ReadonlyArray<string>
}

interface Shown {
  readonly status: string
  readonly counts: Counts
}

/** How many notifications have all their deliveries read, one by one. */
const READ_WHOLE = 5
/** Notifications that are asked for beside each other. */
const ASKED_AT_ONCE = 8

const get = async <A>({ engines, secretKey }: Cluster, path: string): Promise<A> => {
  for (const { isUp, url } of engines) {
    if (!isUp()) continue
    const response = await fetch(`${url}/api/v1${path}`, {
      headers: { authorization: `ApiKey ${secretKey}` },
      signal: AbortSignal.timeout(5000)
    })
    if (response.ok) return (await response.json()) as A
    throw new Error(`${path} is answered ${response.status}`)
  }
  throw new Error("no node is up")
}

/** Waits until everything accepted is at its end, and compares. */
export const settle = Effect.fnUntraced(function* (cluster: Cluster) {
  const { load, recipients: devices } = cluster
  const { fleet } = cluster.base
  const startedAt = performance.now()
  const problems: Array<string> = []
  const ids = load.accepted.map(({ id }) => id)
  if (new Set(ids).size !== ids.length) problems.push("an id was answered to two different posts")

  const shown = new Map<string, Shown>()
  const untilCompleted = (id: string) => {
    const ask = Effect.tryPromise({ try: () => get<Shown>(cluster, `/notifications/${id}`), catch: String })
    return until(`notification ${id} completes`, ask, (now) => {
      shown.set(id, now)
      return now.status === "completed"
    }).pipe(Effect.catch((error) => Effect.sync(() => problems.push(error.message))))
  }
  yield* Effect.forEach(ids, untilCompleted, { concurrency: ASKED_AT_ONCE, discard: true })
  const seconds = (performance.now() - startedAt) / 1000

  const receipts = new Map<string, number>()
  let received = 0
  let duplicates = 0
  for (const sink of SINKS) {
    for (const [key, times] of yield* Effect.promise(() => fleet.received(sink))) {
      const id = key.slice(0, key.indexOf(":"))
      receipts.set(id, (receipts.get(id) ?? 0) + 1)
      received++
      duplicates += times - 1
    }
  }

  let accepted = 0
  let lost = 0
  let failed = 0
  let sent = 0
  for (const id of ids) {
    const counts = shown.get(id)?.counts
    if (counts === undefined) {
      lost += devices
      problems.push(`notification ${id} was answered 202 and is not there`)
      continue
    }
    const sum = counts.sent + counts.failed + counts.skipped + counts.cancelled + counts.pending
    if (counts.accepted !== sum || counts.accepted !== devices) {
      problems.push(`totals of ${id} do not reconcile: ${JSON.stringify(counts)} for ${devices} devices`)
    }
    accepted += counts.accepted
    failed += counts.failed + counts.skipped + counts.cancelled
    sent += counts.sent
    const arrived = receipts.get(id) ?? 0
    lost += Math.max(0, devices - counts.failed - counts.skipped - counts.cancelled - arrived)
    if (arrived > counts.sent + counts.failed) {
      problems.push(`${arrived} received messages of ${id}, which knows of ${counts.sent} sent`)
    }
    receipts.delete(id)
  }
  if (receipts.size > 0) problems.push(`messages of ${receipts.size} notifications that nobody was answered 202 for`)

  for (const id of ids.slice(-READ_WHOLE)) {
    const problem = yield* Effect.promise(() => readWhole(cluster, id, devices).catch(String))
    if (problem !== null) problems.push(problem)
  }

  const [receiver] = fleet.description.receivers
  const events = Effect.promise(async () => (await fleet.stats())[`webhooks/${receiver!.name}`]!).pipe(
    Effect.map((stats) => stats.accepted - stats.duplicates)
  )
  yield* Effect.ignore(until("all events are posted", events, (posted) => posted >= sent, 60))
  const eventsLost = Math.max(0, sent - (yield* events))

  const totals: Totals = {
    accepted,
    received,
    lost,
    duplicates,
    bound: cluster.bound(),
    failed,
    eventsLost,
    seconds,
    problems
  }
  return totals
})

/** Every recipient has one final state, in the list of deliveries too. */
const readWhole = async (cluster: Cluster, id: string, devices: number): Promise<string | null> => {
  const seen = new Set<string>()
  let rows = 0
  let cursor: string | null = null
  do {
    const query: string = cursor === null ? "" : `&cursor=${encodeURIComponent(cursor)}`
    const page: {
      readonly data: ReadonlyArray<{ readonly device_id: string }>
      readonly next_cursor: string | null
    } = await get(cluster, `/notifications/${id}/deliveries?limit=100${query}`)
    for (const { device_id } of page.data) seen.add(device_id)
    rows += page.data.length
    cursor = page.next_cursor
  } while (cursor !== null)
  return rows === devices && seen.size === devices
    ? null
    : `${id} lists ${rows} deliveries of ${seen.size} devices, not ${devices}`
}
