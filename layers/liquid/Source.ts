import type { Template } from "liquidjs"
import { Liquid } from "liquidjs"
import { RESERVED } from "../../services/domain/Template.ts"

/*
 * One text in Liquid. The engine is given no files, and the tags that would ask for any are taken away; a source that
 * runs on is stopped by the number of its steps, which is the same on every machine, and by time as the last resort.
 */

const PARSE_CHARACTERS = 524_288
/** Outputs, tags and texts that are passed in one rendering. */
const STEPS = 20_000
/** Characters and items made on the way. */
const MEMORY = 2_000_000
const MS = 100

const options = {
  strictFilters: true,
  // `if` and `default` may ask for what is not there: that is what they are for.
  lenientIf: true,
  ownPropertyOnly: true,
  timezoneOffset: 0,
  locale: "en-US",
  parseLimit: PARSE_CHARACTERS,
  memoryLimit: MEMORY,
  renderLimit: MS,
  templates: {}
} as const

const make = (more: { readonly outputEscape?: "escape" }): Liquid => {
  const engine = new Liquid({ ...options, ...more })
  for (const tag of ["include", "render", "layout", "block"]) delete engine.tags[tag]
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
  /** With `strict`, a variable that nobody gave is an error. */
  readonly render: (scope: object, strict: boolean) => string
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
  return line.replace(/, line:\d+, col:\d+$/, "").slice(0, MOST)
}

const HAS_LIQUID = /\{[{%]/

/** Throws SourceFailure. */
export const compileSource = (source: string, field: string, isHtml: boolean): Source => {
  if (!HAS_LIQUID.test(source)) return { isPersonal: false, render: () => source }
  const engine = isHtml ? html : text
  let parsed: Array<Template>
  let roots: ReadonlyArray<string>
  try {
    parsed = engine.parse(source)
    roots = engine.globalVariablesSync(parsed)
  } catch (error) {
    const failure = error as LiquidFailure
    const [line, column] = failure.token?.getPosition?.() ?? [1, 1]
    throw new SourceFailure(`cannot be read as Liquid: ${sentence(failure)}`, line, column)
  }
  return {
    isPersonal: roots.some((root) => (RESERVED as ReadonlyArray<string>).includes(root)),
    render: (scope, strictVariables) => {
      try {
        return String(engine.renderSync(parsed, scope, { strictVariables, templateLimit: STEPS }))
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
