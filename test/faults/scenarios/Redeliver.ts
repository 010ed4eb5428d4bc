import { PgClient } from "@effect/sql-pg"
import { Effect } from "effect"
import type { Cluster } from "../Cluster.ts"
import type { Scenario } from "../Scenario.ts"
import { under } from "../Scenario.ts"
import { until } from "../Until.ts"

const EVENTS = 5_000
const KILLS = 2

interface Redelivery {
  readonly id: string
  readonly status: string
  readonly redelivered: number
}

const call = <A>({ engines, secretKey }: Cluster, method: string, path: string, body?: unknown) =>
  Effect.tryPromise(async () => {
    const engine = engines.find(({ isUp }) => isUp())!
    const response = await fetch(`${engine.url}/api/v1${path}`, {
      method,
      headers: { authorization: `ApiKey ${secretKey}`, "content-type": "application/json" },
      ...(body === undefined ? {} : { body: JSON.stringify(body) })
    })
    if (!response.ok) throw new Error(`${method} ${path} is answered ${response.status}`)
    return (await response.json()) as A
  })

/** How often each event has arrived. */
const arrivals = ({ base: { fleet } }: Cluster) =>
  Effect.promise(async () => [...(await fleet.received(`webhooks/${fleet.description.receivers[0]!.name}`)).values()])

/** Deliveries of the redelivery that are written, and work that has not ended. */
const written = (cluster: Cluster) =>
  cluster.database(
    Effect.map(
      Effect.flatMap(
        PgClient.PgClient,
        (sql) => sql<{ readonly again: number; readonly open: number }>`
          SELECT coalesce(sum(delivered) FILTER (WHERE redelivers), 0)::integer AS again,
            count(*) FILTER (WHERE NOT done)::integer AS open
          FROM webhook_work_items`
      ),
      (rows) => rows[0]!
    )
  )

const again = (times: ReadonlyArray<number>): number => times.filter((count) => count > 1).length

/** What a webhook's receiver missed, sent once more. */
export const redeliver: ReadonlyArray<Scenario> = [
  under(
    {
      name: "redeliver",
      what: `a webhook's ${EVENTS} events are delivered again, and ${KILLS} times a node is killed in the middle: each arrives, and what was in flight may come twice`,
      isSteady: false,
      cluster: { devices: EVENTS, env: () => ({ BATCH_SIZE: "500", PLAN_PAGE: "1000", DISPATCH_CONCURRENCY: "16" }) }
    },
    Effect.fnUntraced(function* (cluster) {
      const { fleet } = cluster.base
      yield* cluster.load.post
      yield* until("all events are posted", arrivals(cluster), ({ length }) => length === EVENTS)
      yield* until("all posts are written", written(cluster), ({ open }) => open === 0)
      const receiver = `webhooks/${fleet.description.receivers[0]!.name}`
      yield* Effect.promise(() => fleet.behave(receiver, { do: "delay", ms: 50 }))
      const { data } = yield* call<{ readonly data: ReadonlyArray<{ readonly id: string }> }>(
        cluster,
        "GET",
        "/webhooks"
      )
      const wish = { status: "delivered" }
      const { id } = yield* call<Redelivery>(cluster, "POST", `/webhooks/${data[0]!.id}/redeliver`, wish)
      let bound = 0
      for (let kill = 1; kill <= KILLS; kill++) {
        const part = (EVENTS * kill) / (KILLS + 2)
        yield* until("a part has arrived again", arrivals(cluster), (times) => again(times) >= part)
        const engine = cluster.engines[kill % cluster.engines.length]!
        yield* engine.kill
        // In this order: what is written between the two questions is counted as in flight, not the other way round.
        const { again: known } = yield* written(cluster)
        bound += Math.max(0, again(yield* arrivals(cluster)) - known)
        yield* engine.launch
        yield* engine.ready
      }
      const follow = call<Redelivery>(cluster, "GET", `/webhooks/redeliveries/${id}`)
      const ended = yield* until("the redelivery is completed", follow, ({ status }) => status === "completed")
      if (ended.redelivered !== EVENTS) {
        return yield* Effect.fail(new Error(`it says that ${ended.redelivered} of ${EVENTS} events were redelivered`))
      }
      yield* until("all posts are written", written(cluster), ({ open }) => open === 0)
      const times = yield* arrivals(cluster)
      const repeated = times.reduce((sum, count) => sum + Math.max(0, count - 2), 0)
      if (times.length !== EVENTS || again(times) !== EVENTS || repeated > bound) {
        const said = `${again(times)} of ${EVENTS} events arrived again, ${repeated} of them more than once`
        return yield* Effect.fail(new Error(`${said}, and the kills explain ${bound}`))
      }
    })
  )
]
