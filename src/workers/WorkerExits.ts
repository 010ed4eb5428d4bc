import { Effect, Fiber, FiberSet, Layer, Schedule } from "effect"
import type { Scope } from "effect"
import type { ChildProcess } from "node:child_process"
import { readFileSync } from "node:fs"
import type { Ending, HolderId } from "../../services/ports/operations/HolderStore.ts"
import { HolderStore } from "../../services/ports/operations/HolderStore.ts"
import { LeaseHolder } from "../../services/ports/operations/LeaseHolder.ts"
import type { Channel } from "./Metering.ts"

/*
 * How a worker ended is known to the main process alone: the database sees a session that ends, and takes a crash for a
 * kill. So each worker says which of the processes that hold leases it is, and the main process says how it ended.
 *
 *   worker → main   { holder: number }
 */

const ANNOUNCE = "200 millis"
/** How long the start of the next worker waits for the end of this one to be told. */
const PATIENCE = "2 seconds"
/**
 * How often, and for how long, it is told to a database that is away: one that begins anew gives those who lost their
 * sessions ten seconds before it takes them for dead. Whom nobody speaks of is missed, and taken for killed.
 */
const AGAIN = "200 millis"
const GIVE_UP = "60 seconds"

const holderIn = (message: unknown): HolderId | null => {
  const holder = typeof message === "object" && message !== null ? (message as { holder?: unknown }).holder : undefined
  return typeof holder === "number" ? (holder as HolderId) : null
}

/** A worker tells its number as soon as it has one: where the database is there, before the layer is. */
export const announceLayer = (channel: Channel): Layer.Layer<never, never, LeaseHolder> =>
  Layer.effectDiscard(
    Effect.gen(function* () {
      const { id } = yield* LeaseHolder
      const announce = Effect.suspend(() => {
        const holder = id()
        if (holder !== null) channel.send({ holder })
        return Effect.succeed(holder !== null)
      })
      if (yield* announce) return
      yield* Effect.forkScoped(
        Effect.repeat(announce, { schedule: Schedule.spaced(ANNOUNCE), until: (isSaid) => isSaid })
      )
    })
  )

/** Processes that this machine has killed for their memory, as far as the system says. */
const memoryKills = (): number => {
  try {
    return Number(/^oom_kill (\d+)$/m.exec(readFileSync("/proc/vmstat", "utf8"))?.[1] ?? 0)
  } catch {
    return 0
  }
}

/** Signals that a process gets for what it does itself. V8 aborts when its heap is full. */
const OWN_FAULT: ReadonlySet<string> = new Set(["SIGABRT", "SIGBUS", "SIGFPE", "SIGILL", "SIGSEGV", "SIGTRAP"])

/** How often the system's count is noted while a worker lives. */
const NOTE_MS = 1_000

/**
 * A count as it was a moment ago, one to two notes back: what the system killed hours before a worker got its `SIGKILL`
 * says nothing of that. `note` is to be called regularly.
 */
export class CountBefore {
  readonly #count: () => number
  #older: number
  #newer: number

  constructor(count: () => number) {
    this.#count = count
    this.#older = this.#newer = count()
  }

  note(): void {
    this.#older = this.#newer
    this.#newer = this.#count()
  }

  get value(): number {
    return this.#older
  }
}

/** `killsBefore`: `memoryKills` a moment before the end. A `SIGKILL` may be the kernel's, which wanted its memory. */
export const endingOf = (
  { exitCode, signalCode }: Pick<ChildProcess, "exitCode" | "signalCode">,
  killsBefore: number,
  killsNow: number
): Ending => {
  if (signalCode === null) return exitCode === 0 ? "killed" : "crashed"
  return OWN_FAULT.has(signalCode) || (signalCode === "SIGKILL" && killsNow > killsBefore) ? "crashed" : "killed"
}

/** Tells how each worker ended, when it does so by itself before its scope closes. */
export const make: Effect.Effect<
  (child: ChildProcess, channel: Channel) => Effect.Effect<void, never, Scope.Scope>,
  never,
  HolderStore | Scope.Scope
> = Effect.gen(function* () {
  const holders = yield* HolderStore
  const tellings = yield* FiberSet.make()
  const tell = (holder: HolderId, how: Ending) =>
    holders.ended(holder, how).pipe(Effect.retry(Schedule.spaced(AGAIN)), Effect.timeout(GIVE_UP), Effect.ignore)
  return (child, channel) =>
    Effect.gen(function* () {
      const kills = new CountBefore(memoryKills)
      const noting = setInterval(() => kills.note(), NOTE_MS).unref()
      let holder: HolderId | null = null
      yield* Effect.acquireRelease(
        Effect.sync(() =>
          channel.onMessage((message) => {
            holder = holderIn(message) ?? holder
          })
        ),
        (stop) =>
          Effect.gen(function* () {
            stop()
            clearInterval(noting)
            if (holder === null || (child.exitCode === null && child.signalCode === null)) return
            const telling = yield* FiberSet.run(tellings, tell(holder, endingOf(child, kills.value, memoryKills())))
            yield* Effect.timeoutOption(Fiber.await(telling), PATIENCE)
          })
      )
    })
})
