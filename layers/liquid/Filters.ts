import type { Liquid } from "liquidjs"

/*
 * The library's filters, with bounds of their own: what runs inside a filter is seen neither by the count of steps nor,
 * in some of them, by the count of characters.
 */

type Handler = (this: FilterThis, value: unknown, ...args: ReadonlyArray<unknown>) => unknown

interface FilterThis {
  readonly context: {
    readonly renderLimit: { check: (at: number) => void }
    readonly memoryLimit: { use: (count: number) => void }
  }
}

/** They read a text as an expression, once for each element of a list: work that multiplies, out of sight of every limit. */
const EXPRESSIONS = /_exp$/

/** Their second argument names a property of each element. */
const BY_PROPERTY: ReadonlySet<string> = new Set([
  "find",
  "find_index",
  "group_by",
  "has",
  "map",
  "reject",
  "sort",
  "sort_natural",
  "sum",
  "where"
])
/** Texts that they make are counted here, because the library does not. */
const UNCOUNTED: ReadonlySet<string> = new Set(["cgi_escape", "slugify", "uri_escape", "url_decode", "url_encode"])

/** Elements of a list that a filter takes. */
const ELEMENTS = 50_000
/** Characters of a property's path. */
const PATH = 128
/** What would make the path an expression: a part in brackets, a range, a text. */
const NO_PATH = /[[\]()'"|]/

const checkList = (name: string, value: unknown): void => {
  if (Array.isArray(value) && value.length > ELEMENTS) throw new Error(`${name} takes at most ${ELEMENTS} elements`)
}

const checkPath = (name: string, path: unknown): void => {
  if (path === undefined || path === null) return
  const text = String(path)
  if (text.length > PATH || NO_PATH.test(text)) {
    throw new Error(`${name} takes the name of a property, of at most ${PATH} characters`)
  }
}

const bounded = (name: string, handler: Handler): Handler =>
  function (value, ...args) {
    this.context.renderLimit.check(performance.now())
    checkList(name, value)
    for (const arg of args) checkList(name, arg)
    if (BY_PROPERTY.has(name)) checkPath(name, args[0])
    const result = handler.call(this, value, ...args)
    if (UNCOUNTED.has(name)) this.context.memoryLimit.use(String(result).length)
    return result
  }

/** Takes filters that read expressions away from an engine, and bounds the others. */
export const boundFilters = (engine: Liquid): void => {
  for (const [name, filter] of Object.entries(engine.filters)) {
    if (EXPRESSIONS.test(name)) delete engine.filters[name]
    // `raw` decides by being there whether what it ends is escaped.
    else if (typeof filter === "function") engine.registerFilter(name, bounded(name, filter as Handler))
  }
}

/** Why a filter of the library is not offered; null for what is none, or is. */
export const whyNot = (message: string): string | null =>
  /^undefined filter: \w+_exp$/.test(message) ? "filters that take an expression as text are not offered" : null
