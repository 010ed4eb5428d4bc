import { Effect, Result } from "effect"
import type { Person, Variables } from "../../domain/messages/Template.ts"
import type { Content } from "../../domain/sending/Notification.ts"
import type { Outcome, Provider, SendBatch, Settled } from "../../ports/sending/Provider.ts"
import type { CompiledTemplate, Fill, FillFor, Rendered, RenderProblem } from "../../ports/messages/TemplateEngine.ts"

/** Contents that a batch has under way at once. */
const AT_ONCE = 64
/** Messages that are begun before others have their turn. */
const SLICE = 16

const NOBODY: Person = { locale: null, device: {}, contact: { attributes: {} } }

/** The code that a delivery shows, with what it is about. */
export const failureOf = ({ code, field, message }: RenderProblem): Settled => ({
  _tag: "Fail",
  reason: code === "missing_variable" ? `missing_variable: ${message}` : `template_failed: ${field}: ${message}`
})

/** Fills a template for all of these, however much that is. */
export const fillAll = Effect.fnUntraced(function* <E>(
  { fill }: { readonly fill: Fill<E> },
  variables: Variables,
  recipients: ReadonlyArray<FillFor>
) {
  const filled: Array<Rendered> = []
  while (filled.length < recipients.length) filled.push(...(yield* fill(variables, recipients.slice(filled.length))))
  return filled
})

type Someone = Person | null | undefined

/** A notification's template, to be filled on the way to its providers. */
export interface Rendering<E = never> {
  /** What the first of these people get: at least one of them, and as many as fit into memory together. */
  readonly contentsOf: (people: ReadonlyArray<Someone>) => Effect.Effect<ReadonlyArray<Rendered>, E>
  /** Recipients alike in this get the same. Null: each has a content of its own. */
  readonly likeness: (person: Someone) => string | null
}

/** What is a person's own beside the variables that all share, by `user_id`. */
type Own = Readonly<Record<string, Readonly<Record<string, unknown>>>>

const ownOf = (own: Own, { contact, device }: Person): Readonly<Record<string, unknown>> | undefined => {
  const userId = contact["external_id"] ?? device["user_id"]
  return typeof userId === "string" && Object.hasOwn(own, userId) ? own[userId] : undefined
}

/** What says the same to all who read a language is filled once for each of them. */
export const makeRendering = <E>(
  template: Pick<CompiledTemplate, "isPersonal" | "languageOf"> & { readonly fill: Fill<E> },
  variables: Variables,
  own?: Own
): Rendering<E> => {
  const languageOf = (person: Someone) => template.languageOf(person?.locale ?? null)
  if (template.isPersonal || own !== undefined) {
    const recipientOf = (person: Someone): FillFor => {
      const { contact, device } = person ?? NOBODY
      const theirs = own === undefined ? undefined : ownOf(own, person ?? NOBODY)
      return { language: languageOf(person), own: { ...theirs, contact, device } }
    }
    return { contentsOf: (people) => template.fill(variables, people.map(recipientOf)), likeness: () => null }
  }
  const known = new Map<string, Rendered>()
  const contentsOf = Effect.fnUntraced(function* (people: ReadonlyArray<Someone>) {
    const languages = people.map(languageOf)
    const unknown = [...new Set(languages)].filter((language) => !known.has(language))
    const filled = yield* fillAll(
      template,
      variables,
      unknown.map((language) => ({ language, own: {} }))
    )
    for (const [i, language] of unknown.entries()) known.set(language, filled[i]!)
    return languages.map((language) => known.get(language)!)
  })
  return { contentsOf, likeness: languageOf }
}

/**
 * A provider that fills a template first. Recipients with the same content go together, as they would without a
 * template; the rest takes the slow path, on which each message is composed by itself.
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
    const goOn = (content: Rendered, indexes: ReadonlyArray<number>) => {
      if (Result.isSuccess(content)) return pass(content.success, indexes, single.length > 0)
      const outcome = failureOf(content.failure)
      return Effect.sync(() => {
        for (const index of indexes) onOutcome(index, outcome)
      })
    }
    const begin = (content: Rendered, indexes: ReadonlyArray<number>, place: number) =>
      place % SLICE === SLICE - 1
        ? Effect.flatMap(Effect.yieldNow, () => goOn(content, indexes))
        : goOn(content, indexes)
    // Filled together; in parts only where so much would not fit into memory.
    for (let at = 0; at < groups.length;) {
      const rest = groups.slice(at)
      const contents = yield* rendering.contentsOf(rest.map(([first]) => targets[first!]!.person))
      yield* Effect.forEach(contents, (content, i) => begin(content, rest[i]!, i), {
        concurrency: AT_ONCE,
        discard: true
      })
      at += contents.length
    }
  })
  return { ...provider, send }
}
