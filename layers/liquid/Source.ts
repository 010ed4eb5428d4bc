import type { Template } from "liquidjs"
import { Context, Liquid } from "liquidjs"
import { boundFilters, whyNot } from "./Filters.ts"
import type { Limits } from "./Limits.ts"
import type { SourceText } from "./Protocol.ts"

/*
 * One text in Liquid. The engine is given no files, and the tags that would ask for any are taken away; a source that
 * runs on is stopped by the number of its steps, which is the same on every machine, and by time. What neither sees, in
 * the middle of a filter or while a source is read, ends with the thread: RenderThread.ts.
 */

const PARSE_CHARACTERS = 524_288
/** Characters that a source may become. */
const FILLED = 1_000_000

const options = {
  strictFilters: true,
  // `if` and `default` may ask for what is not there: that is what they are for.
  lenientIf: true,
  ownPropertyOnly: true,
  timezoneOffset: 0,
  locale: "en-US",
  parseLimit: PARSE_CHARACTERS,
  templates: {}
} as const

const make = (more: { readonly outputEscape?: "escape" }): Liquid => {
  const engine = new Liquid({ ...options, ...more })
  for (const tag of ["include", "render", "layout", "block"]) delete engine.tags[tag]
  boundFilters(engine)
  return engine
}

const text = make({})
/** Whatever is put out is escaped, unless its filters end with `raw`. */
const html = make({ outputEscape: "escape" })

/** A source that cannot be read. */
export class SourceFailure extends Error {
  readonly line: number
  readonly column: number
  constructor(message: string, line: number, column: number) {
    super(message)
    this.line = line
    this.column = column
  }
}

/** A source that cannot be filled. */
export class RenderFailure extends Error {
  readonly field: string
  readonly code: "missing_variable" | "template_failed"
  constructor(field: string, code: RenderFailure["code"], message: string) {
    super(message)
    this.field = field
    this.code = code
  }
}

export interface Source {
  /** Whether it asks for something of the recipient. */
  readonly isPersonal: boolean
  /** With `isStrict`, a variable that nobody gave is an error. Throws RenderFailure. */
  readonly render: (scope: object, isStrict: boolean, limits: Limits) => string
}

/** What the library's errors carry beside their message. */
interface LiquidFailure {
  readonly message?: string
  readonly token?: { readonly getPosition?: () => [line: number, column: number] }
  readonly originalError?: { readonly message?: string; readonly variableName?: string }
}

const MOST = 200

/** Without the place, which is told apart. */
const sentence = ({ message, originalError }: LiquidFailure): string => {
  const line = (originalError?.message ?? message ?? "cannot be read").split("\n", 1)[0]!
  const plain = line.replace(/, line:\d+, col:\d+$/, "").slice(0, MOST)
  const reason = whyNot(plain)
  return reason === null ? plain : `${plain} (${reason})`
}

/** Generators that wait for what they have yielded, one for each level of the rendering under way. */
interface Running {
  readonly next: (value?: unknown) => IteratorResult<unknown>
  readonly throw: (error: unknown) => IteratorResult<unknown>
}

/** Data are JSON: nothing but the library's own generators has these functions. Its `forloop` has a `next` as well. */
const isRunning = (value: unknown): value is Running =>
  typeof value === "object" &&
  value !== null &&
  typeof (value as Partial<Running>).throw === "function" &&
  typeof (value as Partial<Running>).next === "function"

/** The library's steps, one in another. Its own `renderSync` does the same at twice the cost. */
const finish = (value: unknown): unknown => {
  if (!isRunning(value)) return value
  let step = value.next()
  while (step.done !== true) {
    let inner: unknown = step.value
    if (isRunning(inner)) {
      try {
        inner = finish(inner)
      } catch (error) {
        step = value.throw(error)
        continue
      }
    }
    step = value.next(inner)
  }
  return finish(step.value)
}

/** Where variables are read. What is null is missing, as what nobody gave: the library tells these apart. */
class VariableContext extends Context {
  override *_getFromScope(
    scope: unknown,
    paths: Parameters<Context["_getFromScope"]>[1],
    isStrict = this.strictVariables
  ): IterableIterator<unknown> {
    if (!isStrict || typeof paths === "string") return yield* super._getFromScope(scope, paths, isStrict)
    let value = scope
    for (const [place, key] of paths.entries()) {
      value = yield this.readProperty(value as Parameters<Context["readProperty"]>[0], key)
      // Nothing is named so: the library's own error, with the path as far as it leads.
      if (value === undefined || value === null) {
        return yield* super._getFromScope({}, [paths.slice(0, place + 1).join(".")], isStrict)
      }
    }
    return value
  }
}

/** The library asks for its own class; what it calls is here. */
const bounds = ({ memoryLimit, renderLimit }: Limits) =>
  ({ memoryLimit, renderLimit }) as unknown as Pick<Context, "memoryLimit" | "renderLimit">

/** Without these words, and without escapes that could spell them, no look at the variables can find them. */
const mayName = (source: string, names: ReadonlyArray<string>): boolean =>
  source.includes("\\") || names.some((name) => source.includes(name))

/** `reserved`: the variables that are the recipient's own; without them they are not looked for. Throws SourceFailure. */
export const compileSource = (
  { field, isHtml, text: source }: SourceText,
  reserved: ReadonlyArray<string> | null
): Source => {
  const engine = isHtml ? html : text
  let parsed: Array<Template>
  let isPersonal = false
  try {
    parsed = engine.parse(source)
    // Quadratic in the number of variables: only where it can find any.
    if (reserved !== null && mayName(source, reserved)) {
      isPersonal = engine.globalVariablesSync(parsed).some((root) => reserved.includes(root))
    }
  } catch (error) {
    const failure = error as LiquidFailure
    const [line, column] = failure.token?.getPosition?.() ?? [1, 1]
    throw new SourceFailure(`cannot be read as Liquid: ${sentence(failure)}`, line, column)
  }
  return {
    isPersonal,
    render: (scope, strictVariables, limits) => {
      try {
        const context = new VariableContext(
          scope,
          engine.options,
          { sync: true, strictVariables },
          { ...bounds(limits), liquid: engine }
        )
        const filled = String(finish(engine._render(parsed, context, {})))
        // Longer than any part of a content may be, and not copied to where it would be refused.
        if (filled.length > FILLED) throw new Error(`becomes longer than ${FILLED} characters`)
        return filled
      } catch (error) {
        const failure = error as LiquidFailure
        const missing = failure.originalError?.variableName
        throw missing === undefined
          ? new RenderFailure(field, "template_failed", sentence(failure))
          : new RenderFailure(field, "missing_variable", missing.slice(0, MOST))
      }
    }
  }
}
