import type { Result } from "effect"
import { Context } from "effect"
import type { Content } from "../domain/Notification.ts"
import type { TemplateBody } from "../domain/Template.ts"

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
  /** `missing_variable`: nobody gave it. `template_failed`: a limit, a filter, or a result that is no content. */
  readonly code: "missing_variable" | "template_failed"
  readonly message: string
}

/** A template, compiled: it may be used any number of times, by anybody. */
export interface CompiledTemplate {
  /** Whether a source asks for something of the recipient: its device or its contact. */
  readonly isPersonal: boolean
  /** The parts of a content that it fills, in any of its languages. */
  readonly parts: ReadonlyArray<keyof Content>
  /** Languages that it has beside the default, as they were written. */
  readonly locales: ReadonlyArray<string>
  /** Which of the languages a locale gets, as a key to tell equal ones by: `pt-br`, or `` for the default. */
  readonly languageOf: (locale: string | null) => string
  /** Fills it for a language. Takes well under a millisecond, a tenth of a second at most. */
  readonly render: (language: string, scope: Readonly<Record<string, unknown>>) => Result.Result<Content, RenderProblem>
}

/** Reads and fills templates. Sources cannot reach files, the network or anything but what they are given. */
export class TemplateEngine extends Context.Service<
  TemplateEngine,
  {
    /** All that is wrong, not only the first. */
    readonly compile: (body: TemplateBody) => Result.Result<CompiledTemplate, ReadonlyArray<SourceProblem>>
  }
>()("heliograph/ports/TemplateEngine") {}
