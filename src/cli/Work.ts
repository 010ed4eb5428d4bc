import { Effect, Layer, Schema } from "effect"
import { Command } from "effect/cli"
import { worker } from "../app.ts"
import { untilStopped } from "./Failure.ts"
import { isForked, untilTold } from "../workers/Processes.ts"

/** The command was given by somebody else than `serve`. */
export class NotForked extends Schema.TaggedError<NotForked>()("NotForked", {}) {
  override get message() {
    return "`work` is for the worker processes that `serve` starts itself; PROCESSES says how many."
  }
}

export const work = Command.make("work", {}, () =>
  Effect.gen(function* () {
    if (!isForked()) return yield* new NotForked()
    yield* untilStopped(untilTold((ready) => Layer.launch(worker(process.env, ready))))
    // Everything has been closed, and somebody waits for the end: no forgotten timer or thread may put it off.
    yield* Effect.sync(() => process.exit(0))
  })
).pipe(Command.withDescription("A worker process of a node; `serve` starts it by itself"))
