import { jetstreamManager } from "@nats-io/jetstream"
import { connect } from "@nats-io/transport-node"
import { expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { describe } from "vitest"
import type { NatsServer } from "../NatsServer.ts"
import { makeNatsCluster } from "../NatsServer.ts"
import { lastingPort } from "../Ports.ts"
import { eventually, makeSystem, reconciles } from "../System.ts"

const DEVICES = 2000

/** On how many servers each stream lies, and is up to date. */
const copies = (servers: ReadonlyArray<NatsServer>) =>
  Effect.promise(async () => {
    const nc = await connect({ servers: servers.map(({ url }) => url) })
    try {
      const manager = await jetstreamManager(nc, { checkAPI: false })
      const counts: Array<number> = []
      for await (const { cluster } of manager.streams.list()) {
        const current = (cluster?.replicas ?? []).filter((replica) => replica.current && !replica.offline)
        counts.push((cluster?.leader ? 1 : 0) + current.length)
      }
      return counts
    } catch {
      // No leader yet.
      return []
    } finally {
      await nc.close()
    }
  })

/** Messages that a node has sent, by its own account. */
const sentBy = (url: string) =>
  Effect.promise(async () => {
    const text = await (await fetch(`${url}/metrics`)).text()
    return [...text.matchAll(/^heliograph_recipients_total\{.*outcome="sent".*\} (\d+)$/gm)].reduce(
      (sum, [, count]) => sum + Number(count),
      0
    )
  })

describe("two nodes on a cluster of three NATS servers", () => {
  it.live(
    "share a mailing, and when one node and one NATS server are killed the others finish it",
    () =>
      Effect.gen(function* () {
        const servers = yield* makeNatsCluster
        const system = yield* makeSystem({
          NATS_URL: servers.map(({ url }) => url).join(","),
          NATS_REPLICAS: "3",
          LEASE_SECONDS: "3",
          BATCH_SIZE: "50",
          PLAN_PAGE: "200",
          DISPATCH_CONCURRENCY: "2"
        })
        const port = yield* lastingPort
        const other = `http://127.0.0.1:${port}`
        const node = yield* system.startEngine({ PORT: String(port), BASE_URL: other })
        yield* eventually(copies(servers), (counts) => counts.length > 0 && counts.every((count) => count === 3))
        yield* system.importDevices(DEVICES)

        const { apns, apnsSandbox, fcm, webpush } = system.fleet
        const sinks = [apns, apnsSandbox, fcm, webpush]
        // Long enough that one node cannot have done it all before the other hears of it.
        for (const sink of sinks) sink.control.set({ do: "delay", ms: 1000 })
        const id = yield* system.send({ to: { all: true }, content: { title: "Hello" } })
        yield* eventually(Effect.all([sentBy(system.url), sentBy(other)]), (sent) => sent.every((count) => count > 0))

        const receipts = () => sinks.flatMap((sink) => [...sink.received().values()])
        yield* node.kill
        yield* servers[0]!.kill
        const early = yield* system.until(id, () => true)
        const inFlight = receipts().length - early.counts.sent
        expect(early.status).not.toBe("completed")
        for (const sink of sinks) sink.control.set()

        const shown = yield* system.until(id, ({ status }) => status === "completed")
        expect(reconciles(shown)).toBe(true)
        expect(shown.counts).toMatchObject({ accepted: DEVICES, sent: DEVICES, failed: 0, pending: 0 })
        const received = receipts()
        expect(received.length).toBe(DEVICES)
        // Twice at most, and only what nobody had written down when the node was killed.
        expect(received.every((count) => count <= 2)).toBe(true)
        expect(received.filter((count) => count === 2).length).toBeLessThanOrEqual(Math.max(0, inFlight))

        // Two of three are enough to go on with, by the queue itself.
        const next = yield* system.send({ to: { all: true }, content: { title: "Hello again" } })
        const second = yield* system.until(next, ({ status }) => status === "completed")
        expect(second.counts).toMatchObject({ accepted: DEVICES, sent: DEVICES, pending: 0 })
      }),
    240_000
  )
})
