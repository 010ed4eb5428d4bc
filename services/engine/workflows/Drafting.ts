import { Effect, Option, Schema } from "effect"
import { CredentialStore } from "../../ports/sending/CredentialStore.ts"
import { SegmentStore } from "../../ports/audience/SegmentStore.ts"
import type { StoreError } from "../../ports/StoreError.ts"
import { uuidv7 } from "../../ports/NewId.ts"
import type { AppId, SegmentId, TemplateVersionId } from "../../domain/Ids.ts"
import type { TemplateBody, TemplateContent } from "../../domain/messages/Template.ts"
import type { Content } from "../../domain/sending/Notification.ts"
import type { FetchHeaders } from "../../domain/workflows/FetchHeaders.ts"
import { partHeaders } from "../../domain/workflows/FetchHeaders.ts"
import type { Fault } from "../../domain/workflows/Program.ts"
import { faultsOf, stepsOf } from "../../domain/workflows/Program.ts"
import type { SendStep } from "../../domain/workflows/Steps.ts"
import type { Definition, Trigger } from "../../domain/workflows/Workflow.ts"
import { segmentOf } from "../../domain/workflows/Workflow.ts"
import type { StepTemplate, WorkflowDraft } from "../../ports/workflows/WorkflowStore.ts"
import type { TemplatesBusy } from "../../ports/messages/TemplateEngine.ts"
import { hasEmail, hasPush, hasText } from "../sending/Reach.ts"
import { Templates } from "../messages/Templates.ts"

/** A definition that cannot be run: all that is wrong with it. */
export class WorkflowInvalid extends Schema.TaggedError<WorkflowInvalid>()("WorkflowInvalid", {
  faults: Schema.Array(Schema.Struct({ field: Schema.String, message: Schema.String }))
}) {}

/** A definition that can be run, and what its author may have overlooked. */
export interface Drafted {
  readonly draft: WorkflowDraft
  readonly warnings: ReadonlyArray<Fault>
}

/**
 * Whether sources ask for what a run carries. Too often is harmless: it costs room in the message. Looked for between one
 * closing tag and the next, because a single expression would begin anew at each of a million opening ones.
 */
export const asksRun = (sources: unknown): boolean =>
  JSON.stringify(sources)
    .split(/%\}|\}\}/)
    .some((part) => {
      const tag = part.search(/\{[{%]/)
      return tag !== -1 && /\b(?:data|steps)\b/.test(part.slice(tag))
    })

const bodyOf = (content: TemplateContent): TemplateBody => ({ content, locales: {}, missing_variables: "empty" })

const contentOf = (parts: ReadonlyArray<keyof Content>): Content =>
  Object.fromEntries(parts.map((part) => [part, part === "data" ? {} : "…"]))

const canonical = (trigger: Trigger): Trigger =>
  trigger.type === "segment_entered" ? { ...trigger, segment_id: segmentOf(trigger) } : trigger

/** Checks definitions against what the application has, and makes the templates that their versions keep. */
export const makeDrafting = Effect.gen(function* () {
  const templates = yield* Templates
  const segments = yield* SegmentStore
  const credentials = yield* CredentialStore

  const hasSegment = (appId: AppId, id: SegmentId) => Effect.map(segments.find(appId, id), Option.isSome)

  return Effect.fnUntraced(function* (
    appId: AppId,
    given: Definition,
    kept: FetchHeaders
  ): Effect.fn.Return<Drafted, WorkflowInvalid | TemplatesBusy | StoreError> {
    const parted = partHeaders(given.steps, kept)
    const definition = { ...given, trigger: canonical(given.trigger), steps: parted.steps }
    const faults: Array<Fault> = [...faultsOf(definition.steps), ...parted.faults]
    const warnings: Array<Fault> = []
    const made: Record<string, StepTemplate> = {}
    const bodies: Array<{ readonly id: TemplateVersionId; readonly body: TemplateBody }> = []

    const keep = Effect.fnUntraced(function* (key: string, field: string, content: TemplateContent) {
      const body = bodyOf(content)
      const compiled = yield* templates.tryOut(appId, body).pipe(
        Effect.catchTag("TemplateInvalid", ({ problems }) => {
          for (const { column, field: part, line, message } of problems) {
            const path = part.replace(/^content(?:\.data\.body\b)?/, (of) =>
              of === "content" ? field : `${field}.body`
            )
            faults.push({ field: path, message: `${message} (line ${line}, column ${column})` })
          }
          return Effect.succeed(null)
        })
      )
      if (compiled === null) return null
      const id = uuidv7() as TemplateVersionId
      bodies.push({ id, body })
      return (made[key] = { version: id, parts: compiled.parts, asksRun: asksRun(content) })
    })

    const ways = new Set<string>()
    const aboutSend = Effect.fnUntraced(function* (step: SendStep, path: string) {
      let template: StepTemplate | null = null
      if (step.content !== undefined) template = yield* keep(step.key, `${path}.content`, step.content)
      else {
        const found = yield* templates
          .latest(appId, step.template_id!)
          .pipe(Effect.catchTag("TemplateInvalid", () => Effect.succeed(Option.none())))
        if (Option.isNone(found)) {
          faults.push({ field: `${path}.template_id`, message: "is no template of this application that can be read" })
        } else {
          // What it asks for is not looked through again: a message of a workflow brings the run along.
          template = { version: found.value.version, parts: found.value.compiled.parts, asksRun: true }
          made[step.key] = template
        }
      }
      if (template === null) return
      const content = contentOf(template.parts)
      const field = step.content === undefined ? `${path}.template_id` : `${path}.content`
      const wanted = step.channels ?? (["push", "email"] as const)
      const has = {
        push: hasPush(content),
        email: hasEmail(content) || (step.channels !== undefined && hasText(content)),
        inbox: hasText(content)
      }
      for (const way of wanted) {
        if (has[way]) ways.add(way)
        else if (step.channels !== undefined) faults.push({ field, message: `has nothing to say by ${way}` })
      }
      if (!wanted.some((way) => has[way])) {
        faults.push({ field, message: "needs a title, body, data, subject or html" })
      }
    })

    for (const { path, step } of stepsOf(definition.steps)) {
      if (step.type === "SEND") yield* aboutSend(step, path)
      else if (step.type === "FETCH" && (asksAnything(step.url) || asksAnything(step.body))) {
        // A message that has nothing but a URL would not be one.
        yield* keep(step.key, path, { url: step.url, data: step.body === undefined ? {} : { body: step.body } })
      }
    }
    const { trigger } = definition
    if (trigger.type === "segment_entered" && !(yield* hasSegment(appId, trigger.segment_id))) {
      faults.push({ field: "trigger.segment_id", message: "is no segment of this application" })
    }
    if (
      trigger.type === "schedule" &&
      trigger.to.segment_id !== undefined &&
      !(yield* hasSegment(appId, trigger.to.segment_id))
    ) {
      faults.push({ field: "trigger.to.segment_id", message: "is no segment of this application" })
    }
    if (faults.length > 0) return yield* new WorkflowInvalid({ faults })

    const kinds = new Set<string>((yield* credentials.summaries(appId)).map(({ kind }) => kind))
    if (ways.has("push") && !["apns", "fcm", "webpush"].some((kind) => kinds.has(kind))) {
      warnings.push({ field: "steps", message: "send push messages, and the application has no credential for any" })
    }
    if (ways.has("email") && !kinds.has("smtp")) {
      warnings.push({ field: "steps", message: "send e-mail, and the application has no credential for it (smtp)" })
    }
    return { draft: { definition, headers: parted.headers, templates: made, bodies }, warnings }
  })
})

const asksAnything = (value: unknown): boolean => value !== undefined && /\{[{%]/.test(JSON.stringify(value))
