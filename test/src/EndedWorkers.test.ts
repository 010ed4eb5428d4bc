import { expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { execFileSync } from "node:child_process"
import { PgClient } from "@effect/sql-pg"
import { pool } from "../../layers/postgres/server/Database.ts"
import { lastingPort } from "../Ports.ts"
import { makePostgresServer } from "../PostgresServer.ts"
import { eventually, makeSystem } from "../System.ts"

/** The one worker of a node. */
const workerOf = (main: number): number | undefined => {
  const lines = execFileSync("ps", ["-A", "-o", "pid=,ppid=,stat=,args="], { encoding: "utf8" }).split("\n")
  const found = lines
    .map((line) => /^\s*(\d+)\s+(\d+)\s+(\S+)\s+(.*)$/.exec(line))
    .find((match) => match?.[2] === String(main) && !match[3]!.startsWith("Z") && match[4]!.endsWith("main.ts work"))
  return found === undefined ? undefined : Number(found?.[1])
}

/** Whether a process runs; one that has ended may not have been waited for yet. */
const isRunning = (pid: number): boolean => {
  try {
    return !execFileSync("ps", ["-o", "stat=", "-p", String(pid)], { encoding: "utf8" }).startsWith("Z")
  } catch {
    return false
  }
}

/** How many requests of a notification have come. A process that sends the batch makes one, or several. */
const arrivedOf = (received: ReadonlyMap<string, number>, notification: string): number =>
  [...received].reduce((sum, [key, count]) => sum + (key.startsWith(notification) ? count : 0), 0)

it.live(
  "sets a batch aside that crashed its worker twice, and sends the batches that were beside it",
  () =>
    Effect.gen(function* () {
      const system = yield* makeSystem({ PROCESSES: "2", LEASE_SECONDS: "60" })
      const { apns, apnsSandbox, fcm } = system.fleet
      yield* system.importDevices(200)
      // One provider's answers never come, and each time that it has been sent to, the worker crashes, as it would of
      // an answer that fills its memory. Another's take a while, so that its batches are in the worker's hands as well.
      fcm.control.set({ do: "hang", accept: true })
      for (const sink of [apns, apnsSandbox]) sink.control.set({ do: "delay", ms: 1000 })
      const main = system.engine.process.pid!
      const content = { title: "Hello" }
      const innocent = yield* system.send({ to: { platforms: ["ios"] }, content })
      const guilty = yield* system.send({ to: { platforms: ["android"] }, content })
      const arrived = () => arrivedOf(fcm.received(), guilty)
      let seen = 0
      for (let deaths = 0; deaths < 2; deaths++) {
        yield* eventually(Effect.sync(arrived), (count) => count > seen)
        const worker = workerOf(main)!
        process.kill(worker, "SIGABRT")
        yield* eventually(
          Effect.sync(() => isRunning(worker)),
          (is) => !is
        )
        seen = arrived()
        yield* eventually(
          Effect.sync(() => workerOf(main)),
          (now) => now !== undefined && now !== worker
        )
      }
      const aside = yield* system.until(guilty, ({ status }) => status === "completed")
      expect(aside.counts).toMatchObject({ sent: 0, failed: aside.counts.accepted, pending: 0 })
      expect(arrived()).toBe(seen)
      const sent = yield* system.until(innocent, ({ status }) => status === "completed")
      expect(sent.counts).toMatchObject({ sent: sent.counts.accepted, failed: 0 })

      const { body: deliveries } = yield* system.call("GET", `/api/v1/notifications/${guilty}/deliveries?limit=1`)
      expect(deliveries.data).toMatchObject([{ status: "failed", error: "worker_ended" }])
      const metrics = Effect.promise(async () => (await fetch(`${system.url}/metrics`)).text())
      // A worker tells its numbers every second.
      yield* eventually(metrics, (text) => text.includes('heliograph_batches_set_aside_total{provider="fcm"} 1'))

      // Whoever has mended what was at fault sends it again.
      fcm.control.set()
      yield* system.call("POST", "/api/v1/dead-letters/replay", { notification_id: guilty })
      const replayed = yield* system.until(guilty, ({ counts }) => counts.sent === counts.accepted)
      expect(replayed.counts).toMatchObject({ failed: 0, pending: 0 })
    }).pipe(Effect.scoped),
  { timeout: 240_000, concurrent: true }
)

it.live(
  "lets a batch end three workers at most, of two nodes, though one is killed and PostgreSQL starts anew in between",
  () =>
    Effect.gen(function* () {
      const postgres = yield* makePostgresServer()
      const system = yield* makeSystem({ DATABASE_URL: postgres.url, PROCESSES: "2", LEASE_SECONDS: "60" })
      const port = yield* lastingPort
      const there = { PORT: String(port), BASE_URL: `http://127.0.0.1:${port}` }
      const other = yield* system.startEngine(there)
      const { apns, apnsSandbox, fcm } = system.fleet
      yield* system.importDevices(200)
      fcm.control.set({ do: "hang", accept: true })
      for (const sink of [apns, apnsSandbox]) sink.control.set({ do: "delay", ms: 1000 })
      const content = { title: "Hello" }
      const innocent = yield* system.send({ to: { platforms: ["ios"] }, content })
      const guilty = yield* system.send({ to: { platforms: ["android"] }, content })
      /** The process that has the batch, whose number is in its name, and how much the batch is suspected. */
      const batch = Effect.flatMap(
        PgClient.PgClient,
        (sql) => sql<{ readonly name: string | null; readonly suspicion: number }>`
          SELECT h.name, b.suspicion FROM batches b LEFT JOIN holders h ON h.id = b.lease_holder
          WHERE b.notification_id = ${guilty} AND NOT b.done`
      ).pipe(
        Effect.map(([row]) => ({ pid: Number(/\d+/.exec(row?.name ?? "")?.[0] ?? 0), suspicion: row?.suspicion ?? 0 })),
        Effect.provide(PgClient.layerFrom(pool(postgres.url, 1))),
        Effect.catchCause(() => Effect.succeed({ pid: 0, suspicion: 0 }))
      )
      const isOver = system
        .call("GET", `/api/v1/notifications/${guilty}`)
        .pipe(Effect.map(({ body }) => body?.status === "completed"))
      const killed = new Set<number>()
      let seen = 0
      let deaths = 0
      while (true) {
        /** The next process that has sent the batch. One that had it may have gone with its node. */
        const next = yield* eventually(
          Effect.gen(function* () {
            if (yield* isOver) return "over"
            const { pid } = yield* batch
            const hasSent = arrivedOf(fcm.received(), guilty) > seen
            return hasSent && pid > 0 && !killed.has(pid) && isRunning(pid) ? pid : null
          }),
          (is) => is !== null
        )
        if (next === "over" || next === null) break
        process.kill(next, "SIGABRT")
        killed.add(next)
        deaths++
        yield* eventually(
          Effect.sync(() => isRunning(next)),
          (is) => !is
        )
        seen = arrivedOf(fcm.received(), guilty)
        if (deaths === 1) {
          // Its own node tells how it ended, which may be the one that goes now.
          yield* eventually(batch, ({ suspicion }) => suspicion > 0)
          yield* other.killAll
          yield* system.startEngine(there)
        }
        if (deaths === 2) {
          yield* postgres.kill
          yield* Effect.orDie(postgres.start)
        }
        expect(deaths).toBeLessThanOrEqual(3)
      }
      const sent = yield* system.until(innocent, ({ status }) => status === "completed")
      expect(sent.counts).toMatchObject({ sent: sent.counts.accepted, failed: 0 })
      const aside = yield* system.until(guilty, ({ status }) => status === "completed")
      expect(aside.counts).toMatchObject({ sent: 0, failed: aside.counts.accepted, pending: 0 })
    }).pipe(Effect.scoped),
  { timeout: 240_000, concurrent: true }
)
