import type { Effect, Result } from "effect"
import { Context, Schema } from "effect"
import type { AppId } from "../../domain/Ids.ts"
import type { Content } from "../../domain/sending/Notification.ts"
import type { TemplateBody, Variables } from "../../domain/messages/Template.ts"

/** What is wrong with a source: where it stands (`content.title`, `locales.pt-BR.html`), and the place in it, from 1. */
export interface SourceProblem {
  readonly field: string
  readonly line: number
  readonly column: number
  /** Continues the field's name. */
  readonly message: string
}

/** Why a template could not be filled. */
export interface RenderProblem {
  readonly field: string
  /**
   * `missing_variable`: nobody gave it. `template_failed`: a limit, a filter, or a result that is no content. A template
   * that twice had to be ended from outside is set aside: it fails for everybody, until it is saved anew.
   */
  readonly code: "missing_variable" | "template_failed"
  readonly message: string
}

export type Rendered = Result.Result<Content, RenderProblem>

/** For whom a template is filled: in which of its languages, and with what beside the variables that all share. */
export interface FillFor {
  readonly language: string
  /** Nothing, for a template that asks for nothing of its recipients. */
  readonly own: Readonly<Record<string, unknown>>
}

/** The application tries out more at once than it has turns for: some of it waited too long, or too much waits. */
export class TemplatesBusy extends Schema.TaggedError<TemplatesBusy>()("TemplatesBusy", {}) {}

export type Fill<E> = (
  variables: Variables,
  recipients: ReadonlyArray<FillFor>
) => Effect.Effect<ReadonlyArray<Rendered>, E>

/** A template, compiled: it may be used any number of times, by anybody. */
export interface CompiledTemplate {
  /** Whether a source asks for something of the recipient: its device or its contact. */
  readonly isPersonal: boolean
  /** The parts of a content that it fills, in any of its languages. */
  readonly parts: ReadonlyArray<keyof Content>
  /** Of its sources, in the language that has most of them: contents have as many at least, most of them. */
  readonly characters: number
  /** Languages that it has beside the default, as they were written. */
  readonly locales: ReadonlyArray<string>
  /** Which of the languages a locale gets, as a key to tell equal ones by: `pt-br`, or `` for the default. */
  readonly languageOf: (locale: string | null) => string
  /**
   * Fills it for the first of these recipients, in their order: for at least one of them, and for as many as stay together
   * within some megabytes. Takes well under a millisecond for each, and half a second of computing at most: what takes
   * longer is ended and fails alone. Nothing of it is computed in the event loop of the caller. Fails never; a defect where templates
   * cannot be filled at all.
   */
  readonly fill: Fill<never>
  /** The same to look at: what is sent waits for none of it. Half of the computing, and a few at once for an application. */
  readonly sample: Fill<TemplatesBusy>
}

/** Reads and fills templates. Sources cannot reach files, the network or anything but what they are given. */
export class TemplateEngine extends Context.Service<
  TemplateEngine,
  {
    /**
     * Reads a template that is saved, to send with it. Fails with all that is wrong, not only the first. Bounded, and
     * computed elsewhere, as filling is. Applications have turns: none waits for all that another has to be done.
     */
    readonly compile: (
      appId: AppId,
      body: TemplateBody
    ) => Effect.Effect<CompiledTemplate, ReadonlyArray<SourceProblem>>
    /** The same for one that is not saved yet, as `sample` is to `fill`. */
    readonly tryOut: (
      appId: AppId,
      body: TemplateBody
    ) => Effect.Effect<CompiledTemplate, ReadonlyArray<SourceProblem> | TemplatesBusy>
  }
>()("heliograph/ports/TemplateEngine") {}
