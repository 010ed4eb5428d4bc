import { Effect, Result } from "effect"
import type { Content } from "../domain/Notification.ts"
import type { Person, Variables } from "../domain/Template.ts"
import type { Outcome, Provider, SendBatch } from "../ports/Provider.ts"
import type { CompiledTemplate, RenderProblem } from "../ports/TemplateEngine.ts"

/** Contents that a batch has under way at once. */
const AT_ONCE = 64
/** Recipients whose contents are rendered before others have their turn. */
const SLICE = 16

const NOBODY: Person = { locale: null, device: {}, contact: { attributes: {} } }

/** The code that a delivery shows, with what it is about. */
export const failureOf = ({ code, field, message }: RenderProblem): Outcome => ({
  _tag: "Fail",
  reason: code === "missing_variable" ? `missing_variable: ${message}` : `template_failed: ${field}: ${message}`
})

type Rendered = Result.Result<Content, RenderProblem>

/** A notification's template, to be filled on the way to its providers. */
export interface Rendering {
  readonly of: (person: Person | null | undefined) => Rendered
  /** Recipients alike in this get the same. Null: each has a content of its own. */
  readonly likeness: (person: Person | null | undefined) => string | null
}

/** What says the same to all who read a language is rendered once for each of them. */
export const makeRendering = (template: CompiledTemplate, variables: Variables): Rendering => {
  const known = new Map<string, Rendered>()
  const languageOf = (person: Person | null | undefined) => template.languageOf(person?.locale ?? null)
  if (template.isPersonal) {
    return {
      of: (person) => {
        const { contact, device } = person ?? NOBODY
        return template.render(languageOf(person), { ...variables, contact, device })
      },
      likeness: () => null
    }
  }
  return {
    of: (person) => {
      const language = languageOf(person)
      let rendered = known.get(language)
      if (rendered === undefined) known.set(language, (rendered = template.render(language, variables)))
      return rendered
    },
    likeness: languageOf
  }
}

/**
 * A provider that fills a template first. Recipients with the same content go together, as they would without a
 * template; the rest is the slow road, on which each message is composed by itself.
 */
export const filling = (provider: Provider, rendering: Rendering): Provider => {
  const send = Effect.fnUntraced(function* (batch: SendBatch, onOutcome: (index: number, outcome: Outcome) => void) {
    const { targets } = batch
    const pass = (content: Content, indexes: ReadonlyArray<number>, isOneOfAKind: boolean) =>
      provider.send(
        {
          ...batch,
          message: { ...batch.message, content },
          targets: indexes.map((index) => targets[index]!),
          isOneOfAKind
        },
        (i, outcome) => onOutcome(indexes[i]!, outcome)
      )

    const alike = new Map<string, Array<number>>()
    const single: Array<number> = []
    for (const [index, { person }] of targets.entries()) {
      const likeness = rendering.likeness(person)
      if (likeness === null) single.push(index)
      else if (alike.has(likeness)) alike.get(likeness)!.push(index)
      else alike.set(likeness, [index])
    }
    const groups = [...alike.values(), ...single.map((index) => [index])]
    let rendered = 0
    yield* Effect.forEach(
      groups,
      Effect.fnUntraced(function* (indexes) {
        if (++rendered % SLICE === 0) yield* Effect.yieldNow
        const content = rendering.of(targets[indexes[0]!]!.person)
        if (Result.isSuccess(content)) return yield* pass(content.success, indexes, single.length > 0)
        const outcome = failureOf(content.failure)
        for (const index of indexes) onOutcome(index, outcome)
      }),
      { concurrency: AT_ONCE, discard: true }
    )
  })
  return { ...provider, send }
}
