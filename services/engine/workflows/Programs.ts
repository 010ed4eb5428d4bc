import { Cache, Context, Effect, Exit, Layer, Option } from "effect"
import type { WorkflowVersionId } from "../../domain/Ids.ts"
import type { Program } from "../../domain/workflows/Program.ts"
import { programOf } from "../../domain/workflows/Program.ts"
import type { StoreError } from "../../ports/StoreError.ts"
import type { WorkflowVersion } from "../../ports/workflows/WorkflowStore.ts"
import { WorkflowStore } from "../../ports/workflows/WorkflowStore.ts"

/** A version with its steps laid out. */
export interface Prepared extends WorkflowVersion {
  readonly program: Program
}

/** Versions that a process keeps, at most. */
const VERSIONS = 500

/** Versions of workflows: read once by each process, because none ever changes. */
export class Programs extends Context.Service<
  Programs,
  {
    /** None: the version is gone. */
    readonly of: (id: WorkflowVersionId) => Effect.Effect<Option.Option<Prepared>, StoreError>
  }
>()("heliograph/engine/Programs") {
  static readonly layer = Layer.effect(
    Programs,
    Effect.gen(function* () {
      const store = yield* WorkflowStore
      const read = Effect.fnUntraced(function* (id: WorkflowVersionId) {
        const version = yield* store.version(id)
        return Option.map(version, (one): Prepared => ({ ...one, program: programOf(one.definition.steps) }))
      })
      const cache = yield* Cache.makeWith(read, {
        capacity: VERSIONS,
        timeToLive: (exit) => (Exit.isSuccess(exit) && Option.isSome(exit.value) ? "1 day" : 0)
      })
      return Programs.of({ of: (id) => Cache.get(cache, id) })
    })
  )
}
