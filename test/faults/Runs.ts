import { PgClient } from "@effect/sql-pg"
import type { Scope } from "effect"
import { Effect, Fiber } from "effect"
import type { Cluster } from "./Cluster.ts"
import { SINKS } from "./Cluster.ts"
import { makePosting } from "./Load.ts"
import type { Totals } from "./Totals.ts"
import { until } from "./Until.ts"

/*
 * A customer whose people go through workflows: some that send and wait, a digest, one that waits for a day, one that fails.
 * What the runs should have done is held against what has arrived at the sinks, person by person.
 */

export interface Runs {
  /** Lets people in until it is stopped, a few at a time. */
  readonly start: Effect.Effect<void, never, Scope.Scope>
  /** Waits for what was posted to be accepted, ends the workflow that waits for a day, and compares. */
  readonly settle: Effect.Effect<Totals, Error>
}

const SENDERS = 2
/** Between two posts of one sender. */
const PACE_MS = 80
/** People whom one post lets in. */
const AT_ONCE = 5
const THREADS = 4
/** Every so many posts let everybody in. */
const MAILING_EVERY = 25

const ENDS = ["WORKFLOW_COMPLETED", "WORKFLOW_FILTERED", "WORKFLOW_FAILED", "WORKFLOW_CANCELLED"]
const hello = (title: string) => ({ type: "SEND", channels: ["push"], content: { title } })

const WORKFLOWS = {
  welcome: {
    trigger: { type: "api" },
    steps: [
      { key: "kept", type: "FILTER", conditions: { data: [{ name: "keep", op: "equals", value: true }] } },
      { key: "hello", ...hello("Hello {{ data.number }}") },
      { key: "later", type: "DELAY", seconds: 1 },
      { key: "mark", type: "UPDATE_CONTACT", tags_add: ["welcomed"] },
      { key: "again", ...hello("Again"), wait_for_outcome: true }
    ]
  },
  digest: {
    trigger: { type: "event", event: "commented" },
    steps: [
      { key: "sum", type: "DIGEST", by: "data.thread", seconds: 1 },
      { key: "news", ...hello("{{ steps.sum.count }} comments") }
    ]
  },
  waiting: { trigger: { type: "api" }, steps: [{ key: "day", type: "DELAY", seconds: 86_400 }] },
  failing: {
    trigger: { type: "api" },
    steps: [{ key: "ask", type: "FETCH", url: "http://{{ data.host }}/" }]
  }
} as const
type Name = keyof typeof WORKFLOWS
const NAMES = Object.keys(WORKFLOWS) as ReadonlyArray<Name>
/** A network that the rules for what goes out refuse. */
const REFUSED = "10.255.255.1"

interface Ended {
  readonly workflow_id: string
  readonly status: string
  readonly count: number
}

interface PersonRow {
  readonly recipient_id: string
  readonly messages: number
}

const call = (cluster: Cluster, method: string, path: string, body?: unknown) =>
  Effect.tryPromise({
    try: async () => {
      const engine = cluster.engines.find(({ isUp }) => isUp())!
      const response = await fetch(`${engine.url}/api/v1${path}`, {
        method,
        headers: { authorization: `ApiKey ${cluster.secretKey}`, "content-type": "application/json" },
        ...(body === undefined ? {} : { body: JSON.stringify(body) })
      })
      if (!response.ok) throw new Error(`${method} ${path} is answered ${response.status} ${await response.text()}`)
      return (await response.json()) as any
    },
    catch: (error) => error as Error
  })

/** Makes a workflow, lets people in from now on, and answers its id. */
export const activated = Effect.fnUntraced(function* (cluster: Cluster, draft: object) {
  const { id } = yield* call(cluster, "POST", "/workflows", draft)
  yield* call(cluster, "POST", `/workflows/${id}/activate`)
  return id as string
})

export const makeRuns = Effect.fnUntraced(function* (cluster: Cluster): Effect.fn.Return<Runs, Error> {
  const { fleet } = cluster.base
  const posting = makePosting(cluster.engines, cluster.secretKey)
  const ids = {} as Record<Name, string>
  for (const name of NAMES) {
    ids[name] = yield* activated(cluster, { name, reentry: "always", ...WORKFLOWS[name] })
  }
  const receiver = fleet.description.receivers[1]!
  const { name, secret, url } = receiver
  yield* call(cluster, "POST", "/webhooks", { name, url, secret, events: ENDS })

  const entered: Record<Name, number> = { welcome: 0, digest: 0, waiting: 0, failing: 0 }
  const user = (number: number) => `user-${number % cluster.devices}`
  const trigger = Effect.fnUntraced(function* (workflow: Name, to: object, data: object) {
    const { executions } = yield* posting.post(`/workflows/${ids[workflow]}/trigger`, { to, data })
    entered[workflow] += executions
  })
  const someFrom = (number: number) => ({
    user_ids: Array.from({ length: AT_ONCE }, (_, i) => user(number * AT_ONCE + i))
  })
  // From now on everybody is a contact.
  yield* trigger("waiting", { user_ids: Array.from({ length: cluster.devices }, (_, i) => user(i)) }, {})

  const post = Effect.fnUntraced(function* (number: number) {
    if (number % MAILING_EVERY === MAILING_EVERY - 1)
      return yield* trigger("welcome", { all: true }, { keep: true, number })
    switch (number % 5) {
      case 0:
      case 1:
        return yield* trigger("welcome", someFrom(number), { keep: number % 4 !== 0, number })
      case 2:
        return yield* trigger("waiting", someFrom(number), {})
      case 3:
        // A request that was under way when its node died is made again when its minute is over: too long for the short form.
        if (!cluster.base.isLong) return
        return yield* trigger("failing", someFrom(number), { host: REFUSED })
      default: {
        // Of few people and threads, so that many meet in one digest.
        const event = { event: "commented", user_id: user(number % 3), data: { thread: number % THREADS, number } }
        yield* posting.post("/events/custom", event)
        entered.digest++
      }
    }
  })

  let count = 0
  let goesOn = (): boolean => false
  let fibers: ReadonlyArray<Fiber.Fiber<void>> = []
  const sender = Effect.gen(function* () {
    while (goesOn()) {
      yield* post(count++)
      yield* Effect.sleep(PACE_MS)
    }
  })

  const rows = <A extends object>(query: (sql: PgClient.PgClient) => Effect.Effect<ReadonlyArray<A>, unknown>) =>
    cluster.database(Effect.flatMap(PgClient.PgClient, query))
  const openBut = (workflow: string | null) =>
    rows<{ readonly open: number }>(
      (sql) => sql`
        SELECT (SELECT count(*) FROM executions WHERE ended_at IS NULL AND workflow_id IS DISTINCT FROM ${workflow}::uuid)::integer
          + (SELECT count(*) FROM workflow_entries)::integer
          + (SELECT count(*) FROM custom_events WHERE NOT is_done)::integer AS open`
    )
  const isNone = ([row]: ReadonlyArray<{ readonly open: number }>) => row!.open === 0

  const settle = Effect.gen(function* () {
    goesOn = () => false
    yield* Effect.forEach(fibers, Fiber.join, { discard: true })
    const startedAt = performance.now()
    const problems: Array<string> = []
    yield* until("every run ends but those that wait for a day", openBut(ids.waiting), isNone)
    yield* call(cluster, "POST", `/workflows/${ids.waiting}/archive`)
    yield* until("every run ends", openBut(null), isNone)
    yield* until(
      "every message is completed",
      rows<{ readonly open: number }>(
        (sql) => sql`SELECT count(*)::integer AS open FROM notifications WHERE completed_at IS NULL`
      ),
      isNone
    )
    const seconds = (performance.now() - startedAt) / 1000

    const statuses = yield* rows<Ended>(
      (sql) => sql`
        SELECT workflow_id, status, count(*)::integer AS count FROM executions GROUP BY workflow_id, status`
    )
    const expected: Record<Name, ReadonlyArray<string>> = {
      welcome: ["completed", "filtered"],
      digest: ["completed"],
      waiting: ["cancelled"],
      failing: ["failed"]
    }
    let all = 0
    for (const name of NAMES) {
      const own = statuses.filter(({ workflow_id }) => workflow_id === ids[name])
      const sum = own.reduce((total, { count }) => total + count, 0)
      all += sum
      if (sum !== entered[name] || own.some(({ status }) => !expected[name].includes(status))) {
        const said = own.map(({ count, status }) => `${count} ${status}`).join(", ")
        problems.push(`of ${entered[name]} runs of ${name} there are: ${said}`)
      }
      const { steps } = yield* call(cluster, "GET", `/workflows/${ids[name]}/statistics`)
      const [first] = steps
      if (first.entered !== entered[name] || steps.some((step: { waiting: number }) => step.waiting !== 0)) {
        problems.push(`the statistics of ${name}, which ${entered[name]} have entered: ${JSON.stringify(steps)}`)
      }
    }
    const [digests] = yield* rows<{ readonly counted: number; readonly wrong: number }>(
      (sql) => sql`
        WITH openers AS (
          SELECT id, (steps::json -> 'sum' ->> 'count')::integer AS said FROM executions
          WHERE workflow_id = ${ids.digest} AND steps <> '{}'
        ), merged AS (
          SELECT substring(history from '"mergedInto":"([^"]*)"')::uuid AS opener, count(*)::integer AS count
          FROM executions WHERE workflow_id = ${ids.digest} AND steps = '{}' GROUP BY 1
        )
        SELECT coalesce(sum(o.said), 0)::integer AS counted,
          count(*) FILTER (WHERE o.said <> 1 + coalesce(m.count, 0))::integer AS wrong
        FROM openers o LEFT JOIN merged m ON m.opener = o.id`
    )
    if (digests!.counted !== entered.digest || digests!.wrong > 0) {
      problems.push(`of ${entered.digest} events, ${digests!.counted} are in digests; ${digests!.wrong} count wrongly`)
    }

    // Of each person's device, how many messages their runs should have sent.
    const people = yield* rows<PersonRow>(
      (sql) => sql`
        SELECT d.id AS recipient_id, coalesce(sum(CASE WHEN e.workflow_id = ${ids.welcome} THEN 2 ELSE 1 END), 0)::integer AS messages
        FROM devices d LEFT JOIN executions e ON e.user_id = d.user_id AND e.status = 'completed' AND (
          e.workflow_id = ${ids.welcome} OR (e.workflow_id = ${ids.digest} AND e.steps <> '{}')
        ) GROUP BY d.id`
    )
    const receipts = new Map<string, number>()
    let received = 0
    let duplicates = 0
    for (const sink of SINKS) {
      for (const [key, times] of yield* Effect.promise(() => fleet.received(sink))) {
        const device = key.slice(key.indexOf(":") + 1)
        receipts.set(device, (receipts.get(device) ?? 0) + 1)
        received++
        duplicates += times - 1
      }
    }
    let accepted = 0
    let lost = 0
    for (const { messages, recipient_id } of people) {
      const arrived = receipts.get(recipient_id) ?? 0
      accepted += messages
      lost += Math.max(0, messages - arrived)
      if (arrived > messages)
        problems.push(`${recipient_id} has received ${arrived} messages; their runs sent ${messages}`)
    }

    const events = Effect.promise(async () => (await fleet.stats())[`webhooks/${receiver.name}`]!).pipe(
      Effect.map((stats) => stats.accepted - stats.duplicates)
    )
    yield* Effect.ignore(until("all events are posted", events, (posted) => posted >= all, 60))
    const posted = yield* events
    if (posted > all) problems.push(`${posted} events tell of the end of ${all} runs`)
    const totals: Totals = {
      accepted,
      received,
      lost,
      duplicates,
      bound: cluster.bound(),
      failed: 0,
      eventsLost: Math.max(0, all - posted),
      seconds,
      problems
    }
    return totals
  })

  return {
    start: Effect.gen(function* () {
      goesOn = () => true
      fibers = yield* Effect.forEach(Array.from({ length: SENDERS }), () => Effect.forkScoped(sender))
    }),
    settle
  }
})
