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

/** Versions that a process keeps, at most, and characters of their definitions. */
const VERSIONS = 2_000
const CHARACTERS = 16_000_000

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
      /** Of those that are kept, and what was dropped for their number; the first that was read comes first. */
      const sizes = new Map<WorkflowVersionId, number>()
      let characters = 0
      /** Makes room by those that were read first. The newest stays, however long it is. */
      const keep = Effect.fnUntraced(function* (id: WorkflowVersionId, { definition }: Prepared) {
        const size = JSON.stringify(definition).length
        characters += size - (sizes.get(id) ?? 0)
        sizes.delete(id)
        sizes.set(id, size)
        for (const [first, size] of sizes) {
          if (first === id || (characters <= CHARACTERS && sizes.size <= VERSIONS)) return
          sizes.delete(first)
          characters -= size
          yield* Cache.invalidate(cache, first)
        }
      })
      const of = Effect.fnUntraced(function* (id: WorkflowVersionId) {
        const found = yield* Cache.get(cache, id)
        if (Option.isSome(found) && !sizes.has(id)) yield* keep(id, found.value)
        return found
      })
      return Programs.of({ of })
    })
  )
}
