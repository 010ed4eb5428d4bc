import { Cause, Effect, Exit, Fiber, FiberSet } from "effect"
import type { Scope } from "effect"
import type { ChildProcess } from "node:child_process"
import { fork } from "node:child_process"

/*
 * A node of several processes: the main one, which serves the API, and the workers that it forks and keeps. They talk
 * over the channel of the fork:
 *
 *   worker → main   { node: "ready" }   the worker has subscribed to its work
 *   main → worker   { node: "stop" }    drain and end
 *   channel closes                      the main process is gone, however it ended: drain shortly and end
 *
 * Signals are for the main process. Those that a terminal or a supervisor sends to the whole group make the workers
 * drain as well, which the main process then finds them doing.
 */

const WORD = { ready: { node: "ready" }, stop: { node: "stop" } } as const

const isWord = (message: unknown, word: keyof typeof WORD): boolean =>
  typeof message === "object" && message !== null && (message as { node?: unknown }).node === word

export interface ProcessesOptions {
  readonly count: number
  /** The module and the arguments that make a worker, which calls `untilTold`. */
  readonly module: string | URL
  readonly args: ReadonlyArray<string>
  readonly env: NodeJS.ProcessEnv
  /** How long a worker may take to drain before it is killed. */
  readonly drainMs: number
  /** Waits before a worker that died is started again: the first one, doubled each time up to the last one. */
  readonly backOffMs?: { readonly first: number; readonly most: number }
  /** Connects a new worker to what it needs of this process, until the scope closes. */
  readonly attach: (child: ChildProcess) => Effect.Effect<void, never, Scope.Scope>
}

export interface Processes {
  /** Workers that are ready for work now. */
  readonly ready: () => number
}

/** A worker that was up for so long was not broken from the start: the next one need not wait long. */
const STEADY_MS = 30_000
/** Between the end of draining, for which workers have the same time, and their end: closing what they hold. */
const GRACE_MS = 2_000

const hasEnded = (child: ChildProcess): boolean => child.exitCode !== null || child.signalCode !== null

const end = (child: ChildProcess): Effect.Effect<string> =>
  Effect.callback((resume) => {
    const done = () => resume(Effect.succeed(child.signalCode ?? `code ${child.exitCode}`))
    if (hasEnded(child)) return done()
    child.once("exit", done)
    // It could not even be started.
    child.once("error", (error) => resume(Effect.succeed(error.message)))
  })

/** Asks a worker to drain, and sees to it that it ends. */
const stop = (child: ChildProcess, timeoutMs: number) =>
  Effect.gen(function* () {
    if (hasEnded(child)) return
    // Without a channel it knows already.
    if (child.connected) child.send(WORD.stop, () => {})
    const how = yield* Effect.timeoutOption(end(child), timeoutMs)
    if (how._tag === "Some") return
    yield* Effect.logWarning("A worker process did not drain in time and is killed").pipe(
      Effect.annotateLogs({ pid: child.pid })
    )
    child.kill("SIGKILL")
    yield* end(child)
  })

/** Keeps `count` workers running until the scope closes; then they drain, all at once. */
export const keep = Effect.fnUntraced(function* (
  options: ProcessesOptions
): Effect.fn.Return<Processes, never, Scope.Scope> {
  const { attach, count, drainMs } = options
  const { first, most } = options.backOffMs ?? { first: 200, most: 10_000 }
  const ready = new Set<ChildProcess>()

  /** One worker from its start to its end. Answers how it ended. */
  const life = Effect.scoped(
    Effect.gen(function* () {
      const child = yield* Effect.acquireRelease(
        Effect.sync(() => {
          const forked = fork(options.module, [...options.args], {
            env: options.env,
            stdio: ["ignore", "inherit", "inherit", "ipc"]
          })
          forked.on("message", (message) => {
            if (isWord(message, "ready")) ready.add(forked)
          })
          // An `error` that nobody hears would end this process.
          forked.on("error", () => {})
          return forked
        }),
        (forked) => stop(forked, drainMs + GRACE_MS)
      )
      yield* attach(child)
      return yield* Effect.ensuring(
        Effect.map(end(child), (how) => ({ how, pid: child.pid })),
        Effect.sync(() => ready.delete(child))
      )
    })
  )

  const slot = Effect.gen(function* () {
    let waitMs = first
    while (true) {
      const startedAt = Date.now()
      const { how, pid } = yield* life
      if (Date.now() - startedAt > STEADY_MS) waitMs = first
      // What a group's signal ended is not missed when the main process has heard it as well, a moment later.
      yield* Effect.sleep(waitMs)
      yield* Effect.logWarning("A worker process ended and is started again").pipe(Effect.annotateLogs({ pid, how }))
      waitMs = Math.min(most, waitMs * 2)
    }
  })

  const slots = yield* FiberSet.make()
  for (let started = 0; started < count; started++) yield* FiberSet.run(slots, slot)
  return { ready: () => ready.size }
})

/** An orphan finishes the batches under way, so that they need not go twice, but has nobody to answer to for long. */
const ORPHAN_MS = 5_000

/** What a process needs to be somebody's worker. */
export const isForked = (): boolean => process.send !== undefined && process.connected

/**
 * A worker's life: runs the effect, which calls `ready` when it is, until the main process says stop or is gone, or a
 * signal interrupts it. Then the effect is interrupted, and waited for.
 */
export const untilTold = <E, R>(
  run: (ready: Effect.Effect<void>) => Effect.Effect<never, E, R>
): Effect.Effect<void, E, R> =>
  Effect.gen(function* () {
    const ready = Effect.sync(() => {
      if (process.connected) process.send?.(WORD.ready, undefined, undefined, () => {})
    })
    const fiber = yield* Effect.forkDetach(run(ready))
    const onMessage = (message: unknown) => {
      if (isWord(message, "stop")) fiber.interruptUnsafe()
    }
    const onDisconnect = () => {
      fiber.interruptUnsafe()
      setTimeout(() => process.exit(1), ORPHAN_MS).unref()
    }
    process.on("message", onMessage)
    process.once("disconnect", onDisconnect)
    if (!process.connected) onDisconnect()
    const exit = yield* Fiber.await(fiber).pipe(
      Effect.onInterrupt(() => Fiber.interrupt(fiber)),
      Effect.ensuring(
        Effect.sync(() => {
          process.off("message", onMessage)
          process.off("disconnect", onDisconnect)
          // An open channel would keep a process alive that has nothing left to do.
          if (process.connected) process.disconnect?.()
        })
      )
    )
    if (Exit.isFailure(exit) && !Cause.hasInterruptsOnly(exit.cause)) return yield* Effect.failCause(exit.cause)
  })
