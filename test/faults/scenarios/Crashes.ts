import { Effect } from "effect"
import { execFileSync } from "node:child_process"
import { rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { Counts } from "../../../services/domain/sending/Delivery.ts"
import type { Engine } from "../Engine.ts"
import type { Cluster } from "../Cluster.ts"
import { SINKS } from "../Cluster.ts"
import type { Scenario } from "../Scenario.ts"
import { under } from "../Scenario.ts"
import { until } from "../Until.ts"

const KILLS = { short: 4, long: 50 }
const DRAINS = { short: 2, long: 10 }

/** Answers take a moment, so that there is always something in flight. */
const slowly = ({ base: { fleet } }: Cluster, ms: number) =>
  Effect.promise(async () => {
    for (const sink of SINKS) await fleet.behave(sink, { do: "delay", ms })
  })

/** Longer than a provider has for an answer: every deadline of the frozen node is over when it goes on. */
const FROZEN_SECONDS = 40

const call = (engine: Engine, secretKey: string, method: string, path: string, body?: unknown) =>
  Effect.tryPromise(async () => {
    const response = await fetch(`${engine.url}/api/v1${path}`, {
      method,
      headers: { authorization: `ApiKey ${secretKey}`, "content-type": "application/json" },
      ...(body === undefined ? {} : { body: JSON.stringify(body) })
    })
    if (!response.ok) throw new Error(`${method} ${path} is answered ${response.status}`)
    return (await response.json()) as { readonly id: string; readonly counts: Counts }
  })

/** Messages of one notification that the sinks have accepted. */
const receivedOf = ({ base: { fleet } }: Cluster, id: string) =>
  Effect.promise(async () => {
    let count = 0
    for (const sink of SINKS) for (const [key] of await fleet.received(sink)) if (key.startsWith(`${id}:`)) count++
    return count
  })

const pick = <A>(items: ReadonlyArray<A>): A => items[Math.floor(Math.random() * items.length)]!

const STOPS_WRITING = new URL("../stopsWriting.ts", import.meta.url)
/** The file that has it stop. */
const STOP_WRITING = join(tmpdir(), `heliograph-faults-stop-${process.pid}`)

/** A node stands still, after `stop`, until the other one has sent all that it had in hand. */
const overtaken = (stop: (stalled: Engine) => Effect.Effect<void, unknown>) =>
  Effect.fnUntraced(function* (cluster: Cluster) {
    const [stalled, other] = cluster.engines
    yield* slowly(cluster, 50)
    for (let stall = 0; stall < (cluster.base.isLong ? 5 : 1); stall++) {
      yield* cluster.untilReceived(cluster.devices / 2)
      // What the frozen one had on the wire, answered or not, is the other's when the lease is over. Of the rest of
      // what it had claimed it begins nothing when it goes on: by then its lease is over by its own clock too. The other
      // one is frozen as well while that is counted: on a slow machine it has some of it before the count is at its end.
      yield* stop(stalled!)
      yield* other!.freeze
      cluster.mayRepeat(yield* cluster.unwrittenOf(stalled!))
      yield* other!.thaw
      const before = cluster.load.accepted.map(({ id }) => id)
      // All that was accepted by now is sent by the other one, what the frozen one had in hand included.
      const isEnded = (id: string) =>
        Effect.promise(async () => {
          const response = await fetch(`${other!.url}/api/v1/notifications/${id}`, {
            headers: { authorization: `ApiKey ${cluster.secretKey}` }
          })
          return ((await response.json()) as { readonly status: string }).status
        })
      for (const id of before) {
        yield* until(`${id} is completed by the other node`, isEnded(id), (status) => status === "completed")
      }
      yield* stalled!.thaw
      yield* stalled!.ready
    }
  })

/** Processes that end without warning, and such that are told to. */
export const crashes: ReadonlyArray<Scenario> = [
  under(
    { name: "kill-9", what: `a random node of two is killed, ${KILLS.short} or ${KILLS.long} times, under load` },
    Effect.fnUntraced(function* (cluster) {
      yield* slowly(cluster, 20)
      for (let kill = 0; kill < (cluster.base.isLong ? KILLS.long : KILLS.short); kill++) {
        const engine = pick(cluster.engines)
        yield* cluster.untilReceived(cluster.devices / 2)
        yield* cluster.crash(engine)
        yield* engine.launch
        yield* engine.ready
      }
    })
  ),
  under(
    {
      name: "power-cut",
      what: "all nodes, each of several processes, are killed at once",
      cluster: { env: () => ({ PROCESSES: "3" }) },
      isShort: false
    },
    Effect.fnUntraced(function* (cluster) {
      yield* slowly(cluster, 20)
      for (let cut = 0; cut < 3; cut++) {
        yield* cluster.untilReceived(cluster.devices)
        yield* Effect.forEach(cluster.engines, (engine) => engine.kill, { concurrency: "unbounded", discard: true })
        cluster.mayRepeat(yield* cluster.inFlight)
        for (const engine of cluster.engines) yield* engine.launch
        for (const engine of cluster.engines) yield* engine.ready
      }
    })
  ),
  under(
    { name: "drain", what: "nodes are stopped with SIGTERM under load and started again: nothing goes twice" },
    Effect.fnUntraced(function* (cluster) {
      yield* slowly(cluster, 20)
      for (let drain = 0; drain < (cluster.base.isLong ? DRAINS.long : DRAINS.short); drain++) {
        const engine = cluster.engines[drain % cluster.engines.length]!
        yield* cluster.untilReceived(cluster.devices / 2)
        const code = yield* engine.stop
        if (code !== 0) return yield* Effect.fail(new Error(`${engine.name} ended with code ${code}`))
        yield* engine.launch
        yield* engine.ready
      }
    })
  ),
  under(
    { name: "stall", what: "a node is frozen until its leases are over and the other has its work, then goes on" },
    overtaken(({ freeze }) => freeze)
  ),
  under(
    {
      name: "stall-writing",
      what: "the same, and what the node is frozen over is requests that it writes: it sends none of them when it goes on",
      cluster: {
        env: (node) => (node === 0 ? { NODE_OPTIONS: `--import=${STOPS_WRITING.href}`, STOP_WRITING } : {})
      },
      isShort: false
    },
    overtaken(({ name, pid }) =>
      Effect.gen(function* () {
        writeFileSync(STOP_WRITING, "")
        const state = Effect.sync(() => execFileSync("ps", ["-o", "stat=", "-p", String(pid())], { encoding: "utf8" }))
        yield* until(`${name} stops over requests`, state, (stat) => stat.startsWith("T"))
      }).pipe(Effect.ensuring(Effect.sync(() => rmSync(STOP_WRITING, { force: true }))))
    )
  ),
  under(
    {
      name: "frozen-cancelled",
      what: `a node is frozen for ${FROZEN_SECONDS} s, its mailing is cancelled, and it goes on: every answer that had come to it counts`,
      isShort: false,
      isSteady: false,
      cluster: {
        devices: 10_000,
        env: () => ({ BATCH_SIZE: "1000", PLAN_PAGE: "5000", DISPATCH_CONCURRENCY: "16" })
      }
    },
    Effect.fnUntraced(function* (cluster) {
      const [frozen, other] = cluster.engines
      const { secretKey } = cluster
      yield* slowly(cluster, 1500)
      const mailing = { to: { all: true }, content: { title: "Cancelled", body: "While its node is frozen" } }
      const { id } = yield* call(other!, secretKey, "POST", "/notifications", mailing)
      yield* cluster.untilReceived(cluster.devices / 10)
      yield* frozen!.freeze
      yield* call(other!, secretKey, "POST", `/notifications/${id}/cancel`)
      yield* Effect.sleep(FROZEN_SECONDS * 1000)
      yield* frozen!.thaw
      const known = Effect.gen(function* () {
        const { counts } = yield* call(other!, secretKey, "GET", `/notifications/${id}`)
        return { pending: counts.pending, sent: counts.sent, received: yield* receivedOf(cluster, id) }
      })
      yield* until("all late results count", known, ({ pending, received, sent }) => pending === 0 && sent === received)
      // What is accounted for below is the next mailing: the node is as healthy as before.
      yield* Effect.promise(() => cluster.base.fleet.reset())
      yield* frozen!.ready
      yield* cluster.load.post
    })
  )
]
