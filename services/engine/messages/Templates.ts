import { Cache, Context, Effect, Equal, Exit, Layer, Option, Result, Schema } from "effect"
import type { AppId, TemplateId, TemplateVersionId } from "../../domain/Ids.ts"
import type { CreateTemplate, Template, TemplateBody, UpdateTemplate } from "../../domain/messages/Template.ts"
import type { CompiledTemplate, SourceProblem, TemplatesBusy } from "../../ports/messages/TemplateEngine.ts"
import { TemplateEngine } from "../../ports/messages/TemplateEngine.ts"
import type { StoreError } from "../../ports/StoreError.ts"
import { TemplateStore } from "../../ports/messages/TemplateStore.ts"
import { makeTurns } from "../operations/ChangesInTurn.ts"

/** Sources that cannot be read. */
export class TemplateInvalid extends Schema.TaggedError<TemplateInvalid>()("TemplateInvalid", {
  problems: Schema.Array(
    Schema.Struct({ field: Schema.String, line: Schema.Int, column: Schema.Int, message: Schema.String })
  )
}) {}

/** It is another version by now than the one that was to be changed. */
export class TemplateConflict extends Schema.TaggedError<TemplateConflict>()("TemplateConflict", {
  version: Schema.Int
}) {}

/** Compiled versions that a process keeps, at most. */
const VERSIONS = 200

export const bodyOf = ({ content, locales, missing_variables }: Omit<CreateTemplate, "name">): TemplateBody => ({
  content,
  locales: locales ?? {},
  missing_variables: missing_variables ?? "error"
})

/** Templates: checked when they are saved, compiled once for each version and process. */
export class Templates extends Context.Service<
  Templates,
  {
    readonly create: (
      appId: AppId,
      draft: CreateTemplate
    ) => Effect.Effect<Template, TemplateInvalid | TemplatesBusy | StoreError>
    /** None: the application has no such template. What it says already makes no version, whichever was to be changed. */
    readonly update: (
      appId: AppId,
      id: TemplateId,
      change: UpdateTemplate
    ) => Effect.Effect<Option.Option<Template>, TemplateInvalid | TemplatesBusy | TemplateConflict | StoreError>
    /** Compiles what is not saved. */
    readonly tryOut: (
      appId: AppId,
      body: TemplateBody
    ) => Effect.Effect<CompiledTemplate, TemplateInvalid | TemplatesBusy>
    /** The latest version of a template. */
    readonly latest: (
      appId: AppId,
      id: TemplateId
    ) => Effect.Effect<
      Option.Option<{ readonly version: TemplateVersionId; readonly compiled: CompiledTemplate }>,
      /** This release cannot read it: one before did. */
      TemplateInvalid | StoreError
    >
    /** None: there is no such version, or this release cannot read it. */
    readonly version: (
      appId: AppId,
      version: TemplateVersionId
    ) => Effect.Effect<Option.Option<CompiledTemplate>, StoreError>
  }
>()("heliograph/engine/Templates") {
  static readonly layer = Layer.effect(
    Templates,
    Effect.gen(function* () {
      const store = yield* TemplateStore
      const engine = yield* TemplateEngine
      const inTurn = makeTurns()

      const invalid = (problems: ReadonlyArray<SourceProblem>) => new TemplateInvalid({ problems: [...problems] })

      const tryOut = (appId: AppId, body: TemplateBody) =>
        Effect.mapError(engine.tryOut(appId, body), (error) => ("_tag" in error ? error : invalid(error)))

      const compiled = yield* Cache.makeWith(
        Effect.fnUntraced(function* (key: string) {
          const [appId, version] = key.split(" ") as [AppId, TemplateVersionId]
          const body = yield* store.body(version)
          if (Option.isNone(body)) return Option.none<Result.Result<CompiledTemplate, TemplateInvalid>>()
          return Option.some(yield* Effect.result(Effect.mapError(engine.compile(appId, body.value), invalid)))
        }),
        {
          capacity: VERSIONS,
          // A version never changes; a database that did not answer will.
          timeToLive: (exit) => (Exit.isSuccess(exit) && Option.isSome(exit.value) ? "1 day" : 0)
        }
      )
      const recall = (appId: AppId, version: TemplateVersionId) => Cache.get(compiled, `${appId} ${version}`)
      const version = (appId: AppId, id: TemplateVersionId) =>
        Effect.map(recall(appId, id), Option.flatMap(Result.getSuccess))

      const create = Effect.fnUntraced(function* (appId: AppId, draft: CreateTemplate) {
        const body = bodyOf(draft)
        yield* tryOut(appId, body)
        return yield* store.create(appId, draft.name, body)
      })

      const changeOne = Effect.fnUntraced(function* (appId: AppId, id: TemplateId, change: UpdateTemplate) {
        // Begun again where another process came first, until the request's time is over.
        for (;;) {
          const found = yield* store.find(appId, id)
          if (Option.isNone(found)) return found
          const { body: before, name, version } = found.value
          const body = bodyOf({ ...before, ...change })
          // No new version of what is the same; it may even be one that this release would refuse.
          if ((change.name ?? name) === name && Equal.equals(body, before)) return found
          if (change.version !== undefined && change.version !== version)
            return yield* new TemplateConflict({ version })
          yield* tryOut(appId, body)
          const updated = yield* store.update(appId, id, version, change.name ?? name, body)
          if (Option.isSome(updated)) return updated
        }
      })
      const update: Templates["Service"]["update"] = (appId, id, change) => inTurn(id, changeOne(appId, id, change))

      const latest = Effect.fnUntraced(function* (appId: AppId, id: TemplateId) {
        const found = yield* store.latest(appId, id)
        if (Option.isNone(found)) return Option.none()
        const read = yield* recall(appId, found.value)
        if (Option.isNone(read)) return Option.none()
        return Option.some({ version: found.value, compiled: yield* Effect.fromResult(read.value) })
      })

      return Templates.of({ create, update, tryOut, latest, version })
    })
  )
}
