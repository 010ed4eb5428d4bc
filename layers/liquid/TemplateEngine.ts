import { Effect, Layer, Result } from "effect"
import type { AppId } from "../../services/domain/Ids.ts"
import type { Content } from "../../services/domain/sending/Notification.ts"
import type { TemplateBody } from "../../services/domain/messages/Template.ts"
import { localeChain, RESERVED } from "../../services/domain/messages/Template.ts"
import type {
  CompiledTemplate,
  Fill,
  RenderProblem,
  Rendered,
  SourceProblem
} from "../../services/ports/messages/TemplateEngine.ts"
import { TemplateEngine } from "../../services/ports/messages/TemplateEngine.ts"
import { waitingFor } from "../../services/ports/operations/OtherWaits.ts"
import { checkContent } from "./Filled.ts"
import type { Language } from "./Parts.ts"
import { build, languagesOf } from "./Parts.ts"
import type { SourceText } from "./Protocol.ts"
import type { Filled, Loss, Work } from "./Renderer.ts"
import { Renderer, Template } from "./Renderer.ts"
import { makeTries } from "./Tries.ts"

/** Milliseconds of computing for one recipient, or one source: what is sent was tried out before, in half of that. */
const SENDING_MS = 500
const TRYING_MS = 250

const waitingForTemplates = waitingFor("templates")

/** Work that is taken back when nobody waits for it any more. */
const ask = <A>(renderer: Renderer, workOf: (done: (answer: A) => void) => Omit<Work, "broken">) =>
  Effect.callback<A>((resume) => {
    const take = renderer.add({
      ...workOf((answer) => resume(Effect.succeed(answer))),
      broken: (error) =>
        resume(Effect.die(new Error("the process that fills templates cannot be had", { cause: error })))
    } as Work)
    return Effect.sync(take)
  })

const read = (renderer: Renderer, app: AppId, sources: ReadonlyArray<SourceText>) =>
  sources.length === 0
    ? Effect.succeed({ problems: [], isPersonal: false })
    : ask<Parameters<Extract<Work, { _tag: "read" }>["done"]>[0]>(renderer, (done) => ({
        _tag: "read",
        app,
        sources,
        done
      }))

/** A recipient's content, of the texts that come next. */
const contentOf = ({ parts }: Language, next: () => string): Result.Result<Content, RenderProblem> =>
  checkContent(Object.fromEntries(parts.map(([name, part]) => [name, build(part, next)])))

/** What the thread answered, as contents of their recipients. */
const assemble = (filled: Filled, languages: ReadonlyArray<Language>): ReadonlyArray<Rendered> => {
  if (filled._tag === "setAside") return languages.map(() => Result.fail(filled.problem))
  const { count, skipped, values } = filled
  let at = 0
  const next = () => values[at++] as string
  return languages.slice(0, count).map((language, index) => {
    if (index === skipped?.recipient) return Result.fail(skipped.problem)
    const first = values[at]
    if (language.sources.length === 0 || typeof first === "string") return contentOf(language, next)
    at++
    return Result.fail(first!)
  })
}

/** How a template's texts come to its recipients, by one of the threads. */
const fillingBy = (renderer: Renderer, app: AppId, body: TemplateBody): Fill<never> => {
  const { languages, sources } = languagesOf(body)
  const template = new Template(app, sources)
  const base = languages.get("")!
  const isStrict = body.missing_variables === "error"

  return (variables, recipients) =>
    Effect.suspend(() => {
      const theirs = recipients.map(({ language }) => languages.get(language) ?? base)
      if (template.setAside !== null) return Effect.succeed(theirs.map(() => Result.fail(template.setAside!)))
      if (theirs.every(({ sources }) => sources.length === 0)) {
        return Effect.succeed(theirs.map((language) => contentOf(language, () => "")))
      }
      const kinds = [...new Set(theirs)]
      const places = new Map(kinds.map((language, place) => [language, place]))
      const request = {
        isStrict,
        shared: JSON.stringify(variables),
        scopes: JSON.stringify(recipients.map(({ own }) => own)),
        kinds: kinds.map(({ sources }) => sources),
        kindOf: theirs.map((language) => places.get(language)!)
      }
      return ask<Filled>(renderer, (done) => ({ _tag: "fill", template, request, done, skipped: null })).pipe(
        Effect.map((filled) => assemble(filled, theirs))
      )
    })
}

/** What reads and fills a template: for those who wait for mail to be sent, and for those who try one out. */
interface Threads {
  readonly sending: Renderer
  readonly trying: Renderer
  readonly inTurn: ReturnType<typeof makeTries>
}

type ReadBy<E> = (sources: ReadonlyArray<SourceText>) => Effect.Effect<Effect.Success<ReturnType<typeof read>>, E>

const compileBy = <E>({ inTurn, sending, trying }: Threads, app: AppId, body: TemplateBody, readBy: ReadBy<E>) =>
  Effect.gen(function* () {
    const { languages, sources } = languagesOf(body)
    const { isPersonal, problems } = yield* waitingForTemplates(readBy(sources))
    if (problems.length > 0) {
      return yield* Effect.fail<ReadonlyArray<SourceProblem>>(
        problems.map(({ column, line, message, source }) => ({ field: sources[source]!.field, line, column, message }))
      )
    }
    const fill = fillingBy(sending, app, body)
    const sample = fillingBy(trying, app, body)

    return {
      isPersonal,
      parts: [...new Set([...languages.values()].flatMap(({ parts }) => parts.map(([name]) => name)))],
      characters: Math.max(
        ...[...languages.values()].map((language) =>
          language.sources.reduce((sum, source) => sum + sources[source]!.text.length, 0)
        )
      ),
      locales: Object.keys(body.locales),
      languageOf: (locale) => (locale === null ? "" : (localeChain(locale).find((key) => languages.has(key)) ?? "")),
      fill: (variables, recipients) => waitingForTemplates(fill(variables, recipients)),
      sample: (variables, recipients) => waitingForTemplates(inTurn(app, sample(variables, recipients)))
    } satisfies CompiledTemplate
  })

const make = Effect.gen(function* () {
  const run = Effect.runForkWith(yield* Effect.context<never>())
  const onLoss = ({ app, cause, field }: Loss) =>
    run(
      Effect.logWarning("A template ended the thread that fills templates").pipe(
        Effect.annotateLogs({ app_id: app, cause, field })
      )
    )
  const rendererWithin = (deadlineMs: number) =>
    Effect.acquireRelease(
      Effect.sync(() => new Renderer(RESERVED, deadlineMs, onLoss)),
      (made) => Effect.promise(() => made.close())
    )
  const sending = yield* rendererWithin(SENDING_MS)
  const trying = yield* rendererWithin(TRYING_MS)
  const inTurn = makeTries()
  const threads: Threads = { sending, trying, inTurn }
  return TemplateEngine.of({
    compile: (appId, body) => compileBy(threads, appId, body, (sources) => read(sending, appId, sources)),
    tryOut: (appId, body) => compileBy(threads, appId, body, (sources) => inTurn(appId, read(trying, appId, sources)))
  })
})

/**
 * Templates in Liquid, in two processes that start when they have something to do and end when they are idle: one for what
 * is sent, one for what is tried out.
 */
export const layer: Layer.Layer<TemplateEngine> = Layer.effect(TemplateEngine, make)
