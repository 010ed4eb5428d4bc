import { Effect, Result } from "effect"
import type { Room } from "../../domain/operations/Room.ts"
import type { Person, Variables } from "../../domain/messages/Template.ts"
import type { Content } from "../../domain/sending/Notification.ts"
import type { Outcome, Provider, SendBatch, Settled } from "../../ports/sending/Provider.ts"
import type { CompiledTemplate, Fill, FillFor, Rendered, RenderProblem } from "../../ports/messages/TemplateEngine.ts"
import type { StoreError } from "../../ports/StoreError.ts"
import { withContents } from "./MessageRooms.ts"

/** Contents that a batch has under way at once. */
const AT_ONCE = 64
/** Characters of a template whose contents nobody remembers. */
const LONG = 16_384
/** How long the database is left alone where it did not say what a message is. */
const UNREAD_MS = 1000
/** Messages that are begun before others have their turn. */
const SLICE = 16

const NOBODY: Person = { locale: null, device: {}, contact: { attributes: {} } }

/** The code that a delivery shows, with what it is about. */
export const failureOf = ({ code, field, message }: RenderProblem): Settled => ({
  _tag: "Fail",
  reason: code === "missing_variable" ? `missing_variable: ${message}` : `template_failed: ${field}: ${message}`
})

/** Fills a template for all of these. */
const fillAll = Effect.fnUntraced(function* <E>(
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
  /** That a content has, about. */
  readonly characters: number
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

/** What a template is filled with. */
export interface Values {
  readonly variables: Variables
  readonly own?: Own | undefined
}

/** How to come by it. Much of it is there only while it is used. */
export interface Source<E> {
  /** Whether each person has something of their own. */
  readonly hasOwn: boolean
  readonly use: <A, F>(use: (values: Values) => Effect.Effect<A, F>) => Effect.Effect<A, E | F>
}

/** Of values that are there. */
export const sourceOf = (values: Values): Source<never> => ({
  hasOwn: values.own !== undefined,
  use: (use) => use(values)
})

/**
 * What says the same to all who read a language is filled once for each of them: once for all batches, unless that would be
 * much to remember.
 */
export const makeRendering = <E, F>(
  template: Pick<CompiledTemplate, "characters" | "isPersonal" | "languageOf"> & { readonly fill: Fill<E> },
  { hasOwn, use }: Source<F>
): Rendering<E | F> => {
  const { characters } = template
  const languageOf = (person: Someone) => template.languageOf(person?.locale ?? null)
  if (template.isPersonal || hasOwn) {
    const recipientOf = (person: Someone, own: Own | undefined): FillFor => {
      const { contact, device } = person ?? NOBODY
      const theirs = own === undefined ? undefined : ownOf(own, person ?? NOBODY)
      return { language: languageOf(person), own: { ...theirs, contact, device } }
    }
    const contentsOf = (people: ReadonlyArray<Someone>) =>
      use(({ own, variables }) =>
        template.fill(
          variables,
          people.map((person) => recipientOf(person, own))
        )
      )
    return { characters, contentsOf, likeness: () => null }
  }
  if (characters > LONG) {
    const contentsOf = (people: ReadonlyArray<Someone>) =>
      use(({ variables }) =>
        template.fill(
          variables,
          people.map((person) => ({ language: languageOf(person), own: {} }))
        )
      )
    return { characters, contentsOf, likeness: languageOf }
  }
  const known = new Map<string, Rendered>()
  const contentsOf = Effect.fnUntraced(function* (people: ReadonlyArray<Someone>) {
    const languages = people.map(languageOf)
    const unknown = [...new Set(languages)].filter((language) => !known.has(language))
    const recipients = unknown.map((language) => ({ language, own: {} }))
    const filled = yield* use(({ variables }) => fillAll(template, variables, recipients))
    for (const [i, language] of unknown.entries()) known.set(language, filled[i]!)
    return languages.map((language) => known.get(language)!)
  })
  return { characters, contentsOf, likeness: languageOf }
}

/** These have not begun, and may, as soon as what they are to get can be read. */
export const withhold = (indexes: ReadonlyArray<number>, onOutcome: (index: number, outcome: Outcome) => void) =>
  Effect.map(Effect.sleep(UNREAD_MS), () => {
    for (const index of indexes) onOutcome(index, { _tag: "Withheld" })
  })

/**
 * A provider that fills a template first. Recipients with the same content go together, as they would without a
 * template; the rest takes the slow path, on which each message is composed by itself.
 */
export const filling = (provider: Provider, rendering: Rendering<StoreError>, room: Room): Provider => {
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
    const sendSome = Effect.fnUntraced(function* (rest: typeof groups) {
      const contents = yield* rendering.contentsOf(rest.map(([first]) => targets[first!]!.person))
      yield* Effect.forEach(contents, (content, i) => begin(content, rest[i]!, i), {
        concurrency: AT_ONCE,
        discard: true
      })
      return contents.length
    })
    // Filled together; in parts only where so much would not fit into memory.
    for (let at = 0; at < groups.length;) {
      const rest = groups.slice(at)
      const some = withContents(room, batch.message.appId, rendering.characters, rest.length)(sendSome(rest))
      const sent = yield* Effect.catch(some, () => Effect.succeed(0))
      if (sent === 0) return yield* withhold(rest.flat(), onOutcome)
      at += sent
    }
  })
  return { ...provider, send }
}
