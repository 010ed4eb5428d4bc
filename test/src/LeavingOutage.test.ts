import { expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { once } from "node:events"
import { createInterface } from "node:readline"
import { makeNatsServer } from "../NatsServer.ts"
import { makePostgresServer } from "../PostgresServer.ts"
import type { System } from "../System.ts"
import { eventually, makeSystem } from "../System.ts"

const DRAIN_SECONDS = 3
/** docs/operators.md: the end is forced five seconds after the deadline; and what a busy machine takes. */
const FORCED_SECONDS = DRAIN_SECONDS + 5 + 20

const SETTINGS = { DRAIN_TIMEOUT: String(DRAIN_SECONDS), LOG_LEVEL: "info", LEASE_SECONDS: "5" }

/** A mailing is in the node's hands, and its provider takes its time. */
const busy = Effect.fnUntraced(function* (system: System) {
  yield* system.importDevices(50)
  const { apns, apnsSandbox, fcm, webpush } = system.fleet
  for (const simulator of [apns, apnsSandbox, fcm, webpush]) simulator.control.set({ do: "delay", ms: 1000 })
  const id = yield* system.send({ to: { all: true }, content: { title: "Hello" } })
  const arrived = () => [apns, apnsSandbox, fcm, webpush].some((simulator) => simulator.received().size > 0)
  yield* eventually(Effect.sync(arrived), (is) => is)
  return id
})

/** Tells the node to stop, as often as it says. Answers its exit code, what it said since, and the seconds it took. */
const stop = (system: System, signals: number) =>
  Effect.promise(async () => {
    const main = system.engine.process
    const lines: Array<string> = []
    let noticed = (): void => {}
    const isStopping = new Promise<void>((resolve) => (noticed = resolve))
    for (const stream of [main.stdout!, main.stderr!]) {
      createInterface({ input: stream }).on("line", (line) => {
        lines.push(line)
        if (line.includes("The stop waits")) noticed()
      })
    }
    const startedAt = performance.now()
    const ended = once(main, "exit")
    main.kill("SIGTERM")
    // The next one finds it stopping.
    if (signals > 1) await isStopping
    for (let i = 1; i < signals; i++) main.kill("SIGTERM")
    const [code, signal] = (await ended) as [number | null, NodeJS.Signals | null]
    return { code, signal, said: lines.join("\n"), seconds: (performance.now() - startedAt) / 1000 }
  })

it.live.each([
  ["one process", "1", 1],
  ["several processes, told twice", "2", 2]
] as const)(
  "a node ends with code 1 soon after its deadline when PostgreSQL is frozen, and says what is left (%s)",
  ([, processes, signals]) =>
    Effect.gen(function* () {
      const postgres = yield* makePostgresServer()
      const system = yield* makeSystem({ ...SETTINGS, DATABASE_URL: postgres.url, PROCESSES: processes })
      const id = yield* busy(system)
      yield* postgres.freeze
      const { code, said, seconds, signal } = yield* stop(system, signals)
      expect({ code, signal }).toEqual({ code: 1, signal: null })
      expect(seconds).toBeLessThan(FORCED_SECONDS)
      expect(said).toMatch(/The stop waits no longer for batches; what is left is taken over by lease/)
      expect(said).toMatch(/"?left"?[=:] ?[1-9]/)
      // Whoever comes next finishes what was left.
      yield* postgres.thaw
      yield* system.startEngine()
      const shown = yield* system.until(id, ({ status }) => status === "completed")
      expect(shown.counts).toMatchObject({ sent: shown.counts.accepted, failed: 0, pending: 0 })
    }).pipe(Effect.scoped),
  { timeout: 240_000, concurrent: true }
)

it.live.each([
  ["one process", "1"],
  ["several processes", "2"]
] as const)(
  "a node ends with code 0 when NATS is frozen, with everything written that was under way (%s)",
  ([, processes]) =>
    Effect.gen(function* () {
      const nats = yield* makeNatsServer
      const system = yield* makeSystem({ ...SETTINGS, DRAIN_TIMEOUT: "20", NATS_URL: nats.url, PROCESSES: processes })
      const id = yield* busy(system)
      yield* nats.freeze
      const { code, signal } = yield* stop(system, 1)
      expect({ code, signal }).toEqual({ code: 0, signal: null })
      yield* nats.thaw
      yield* system.startEngine()
      const shown = yield* system.until(id, ({ status }) => status === "completed")
      expect(shown.counts).toMatchObject({ sent: shown.counts.accepted, failed: 0, pending: 0 })
      const { apns, apnsSandbox, fcm, webpush } = system.fleet
      const times = [apns, apnsSandbox, fcm, webpush].flatMap((simulator) => [...simulator.received().values()])
      expect(new Set(times)).toEqual(new Set([1]))
    }).pipe(Effect.scoped),
  { timeout: 240_000, concurrent: true }
)
