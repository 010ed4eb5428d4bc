import { Effect, Option, Result, Schema } from "effect"
import type { AppId } from "../../domain/Ids.ts"
import type { KeptRequest, SendNotification } from "../../domain/sending/Notification.ts"
import type { Variables } from "../../domain/messages/Template.ts"
import { SegmentStore } from "../../ports/audience/SegmentStore.ts"
import type { CompiledTemplate, Rendered, RenderProblem } from "../../ports/messages/TemplateEngine.ts"
import { MessageRooms, withContents } from "./MessageRooms.ts"
import type { TemplateInvalid } from "../messages/Templates.ts"
import { Templates } from "../messages/Templates.ts"

/** A request that is well-formed and cannot be carried out: what it names is not there, or does not fit. */
export class RequestRefused extends Schema.TaggedError<RequestRefused>()("RequestRefused", {
  field: Schema.String,
  /** Continues the field's name. */
  message: Schema.String
}) {}

const refuse = (field: string, message: string) => Effect.fail(new RequestRefused({ field, message }))

/** What was missing, or went wrong, in words for whoever sent the variables. */
export const unfilled = ({ code, field, message }: RenderProblem): string =>
  code === "missing_variable" ? `lack ${message}, which ${field} asks for` : `cannot fill ${field}: ${message}`

/** A template that was saved by a release which could read it. */
const unreadable = ({ problems: [first] }: TemplateInvalid): string =>
  `is a template that cannot be read any longer, and has to be changed: ${first!.field} ${first!.message}`

/** Fills every language of a template that says nothing of its recipient: what can go wrong, goes wrong here. */
const fillEach = Effect.fnUntraced(function* (compiled: CompiledTemplate, variables: Variables) {
  const languages = ["", ...compiled.locales.map((locale) => compiled.languageOf(locale))]
  const recipients = languages.map((language) => ({ language, own: {} }))
  let first: Rendered | undefined
  for (let at = 0; at < recipients.length;) {
    const some = yield* compiled.fill(variables, recipients.slice(at))
    const failed = some.find(Result.isFailure)
    if (failed !== undefined) return failed
    first ??= some[0]!
    at += some.length
  }
  return first!
})

/**
 * Turns a request into what is kept of it: its segment's conditions and its template as they are at this moment. A
 * template that says the same to everybody is filled at once, and costs nothing afterwards.
 */
export const makeResolving = Effect.gen(function* () {
  const templates = yield* Templates
  const segments = yield* SegmentStore
  const { accepts } = yield* MessageRooms

  return Effect.fnUntraced(function* (appId: AppId, request: SendNotification) {
    let kept: KeptRequest = request
    const { segment_id } = request.to
    if (segment_id !== undefined) {
      const segment = yield* segments.find(appId, segment_id)
      if (Option.isNone(segment)) return yield* refuse("to.segment_id", "is no segment of this application")
      kept = { ...kept, to: { ...request.to, filter: segment.value.filter } }
    }
    if (request.template_id === undefined) return kept
    const found = yield* templates
      .latest(appId, request.template_id)
      .pipe(Effect.catchTag("TemplateInvalid", (error) => refuse("template_id", unreadable(error))))
    if (Option.isNone(found)) return yield* refuse("template_id", "is no template of this application")
    const { compiled, version } = found.value
    const { isPersonal, locales, parts } = compiled
    const resolved: KeptRequest = { ...kept, template: { version, parts } }
    if (isPersonal) return resolved
    const filling = fillEach(compiled, request.variables ?? {})
    const filled = yield* withContents(accepts, appId, compiled.characters, 1 + locales.length)(filling)
    if (Result.isFailure(filled)) return yield* refuse("variables", unfilled(filled.failure))
    if (locales.length > 0) return resolved
    // The variables stay to be shown: nothing is filled with them any more.
    return { ...kept, content: filled.success }
  })
})
