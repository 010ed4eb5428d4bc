import { Cache, Context, Effect, Exit, Layer, Option, Schema } from "effect"
import type { AppId, TemplateId, TemplateVersionId } from "../domain/Ids.ts"
import type { CreateTemplate, Template, TemplateBody, UpdateTemplate } from "../domain/Template.ts"
import type { CompiledTemplate, SourceProblem } from "../ports/TemplateEngine.ts"
import { TemplateEngine } from "../ports/TemplateEngine.ts"
import type { StoreError } from "../ports/StoreError.ts"
import { TemplateStore } from "../ports/TemplateStore.ts"

/** Sources that cannot be read. */
export class TemplateInvalid extends Schema.TaggedError<TemplateInvalid>()("TemplateInvalid", {
  problems: Schema.Array(
    Schema.Struct({ field: Schema.String, line: Schema.Int, column: Schema.Int, message: Schema.String })
  )
}) {}

/** Compiled versions that a process keeps, at most. */
const VERSIONS = 200
/** Times that a change is tried again which met another one. */
const RETRIES = 5

export const bodyOf = ({ content, locales, missing_variables }: Omit<CreateTemplate, "name">): TemplateBody => ({
  content,
  locales: locales ?? {},
  missing_variables: missing_variables ?? "error"
})

/** Templates: checked when they are saved, compiled once for each version and process. */
export class Templates extends Context.Service<
  Templates,
  {
    readonly create: (appId: AppId, draft: CreateTemplate) => Effect.Effect<Template, TemplateInvalid | StoreError>
    /** None: the application has no such template. */
    readonly update: (
      appId: AppId,
      id: TemplateId,
      change: UpdateTemplate
    ) => Effect.Effect<Option.Option<Template>, TemplateInvalid | StoreError>
    /** Compiles what is not saved. */
    readonly compile: (body: TemplateBody) => Effect.Effect<CompiledTemplate, TemplateInvalid>
    /** The latest version of a template. */
    readonly latest: (
      appId: AppId,
      id: TemplateId
    ) => Effect.Effect<
      Option.Option<{ readonly version: TemplateVersionId; readonly compiled: CompiledTemplate }>,
      StoreError
    >
    /** None: there is no such version, or this release cannot read it. */
    readonly version: (version: TemplateVersionId) => Effect.Effect<Option.Option<CompiledTemplate>, StoreError>
  }
>()("heliograph/engine/Templates") {
  static readonly layer = Layer.effect(
    Templates,
    Effect.gen(function* () {
      const store = yield* TemplateStore
      const engine = yield* TemplateEngine

      const compile = (body: TemplateBody) =>
        Effect.fromResult(engine.compile(body)).pipe(
          Effect.mapError((problems: ReadonlyArray<SourceProblem>) => new TemplateInvalid({ problems: [...problems] }))
        )

      const compiled = yield* Cache.makeWith(
        Effect.fnUntraced(function* (version: TemplateVersionId) {
          const body = yield* store.body(version)
          return Option.isNone(body) ? Option.none<CompiledTemplate>() : yield* Effect.option(compile(body.value))
        }),
        {
          capacity: VERSIONS,
          // A version never changes; a database that did not answer will.
          timeToLive: (exit) => (Exit.isSuccess(exit) && Option.isSome(exit.value) ? "1 day" : 0)
        }
      )
      const version = (id: TemplateVersionId) => Cache.get(compiled, id)

      const create = Effect.fnUntraced(function* (appId: AppId, draft: CreateTemplate) {
        const body = bodyOf(draft)
        yield* compile(body)
        return yield* store.create(appId, draft.name, body)
      })

      const update = Effect.fnUntraced(function* (appId: AppId, id: TemplateId, change: UpdateTemplate) {
        for (let attempt = 0; attempt <= RETRIES; attempt++) {
          const found = yield* store.find(appId, id)
          if (Option.isNone(found)) return found
          const { body: before, name, version } = found.value
          const body: TemplateBody = {
            content: change.content ?? before.content,
            locales: change.locales ?? before.locales,
            missing_variables: change.missing_variables ?? before.missing_variables
          }
          yield* compile(body)
          const updated = yield* store.update(appId, id, version, change.name ?? name, body)
          if (Option.isSome(updated)) return updated
        }
        return Option.none()
      })

      const latest = Effect.fnUntraced(function* (appId: AppId, id: TemplateId) {
        const found = yield* store.latest(appId, id)
        if (Option.isNone(found)) return Option.none()
        return Option.map(yield* version(found.value), (template) => ({ version: found.value, compiled: template }))
      })

      return Templates.of({ create, update, compile, latest, version })
    })
  )
}
