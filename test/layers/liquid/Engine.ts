import { Context, Effect, Exit, Layer, Scope } from "effect"
import { afterAll } from "vitest"
import { layer } from "../../../layers/liquid/TemplateEngine.ts"
import type { TemplateBody, Variables } from "../../../services/domain/messages/Template.ts"
import type { CompiledTemplate, FillFor } from "../../../services/ports/messages/TemplateEngine.ts"
import type { AppId } from "../../../services/domain/Ids.ts"
import { uuidv7 } from "../../../services/ports/NewId.ts"
import { TemplateEngine } from "../../../services/ports/messages/TemplateEngine.ts"

/** The engine of templates for a test file; its thread ends with the tests. */
export const makeEngine = async () => {
  const scope = await Effect.runPromise(Scope.make())
  const close = () => Effect.runPromise(Scope.close(scope, Exit.void))
  afterAll(close)
  const { compile, tryOut } = Context.get(await Effect.runPromise(Layer.buildWithScope(layer, scope)), TemplateEngine)
  /** One that has done nothing yet. */
  const anyApp = () => uuidv7() as AppId
  return {
    compile: (body: TemplateBody, app = anyApp()) => Effect.runPromise(compile(app, body)),
    tryCompile: (body: TemplateBody, app = anyApp()) => Effect.runPromise(Effect.result(compile(app, body))),
    tryOut: (body: TemplateBody, app = anyApp()) => Effect.runPromise(Effect.result(tryOut(app, body))),
    fill: (compiled: CompiledTemplate, variables: Variables, recipients: ReadonlyArray<FillFor>) =>
      Effect.runPromise(compiled.fill(variables, recipients)),
    sample: (compiled: CompiledTemplate, variables: Variables, recipients: ReadonlyArray<FillFor>) =>
      Effect.runPromise(compiled.sample(variables, recipients)),
    close
  }
}
