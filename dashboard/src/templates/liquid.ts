import type { StreamParser, StringStream } from "@codemirror/language"

/*
 * What is what in a source, for its colours alone: Liquid, and HTML around it. A line at a time, as the editor asks; no
 * fault is found here, the service says where they are.
 */

export interface LiquidState {
  /** Within `{{ }}`, within `{% %}`, or in what Liquid does not read. */
  readonly liquid: "" | "output" | "tag" | "comment" | "raw"
  /** Of a tag its name comes next, of a filter its own. */
  readonly next: "" | "tag" | "filter"
  readonly html: "text" | "tag" | "comment"
  /** The quote that ends an attribute's value. */
  readonly quote: string
}

const START: LiquidState = { liquid: "", next: "", html: "text", quote: "" }
const WORDS = /^(true|false|nil|null|blank|empty|and|or|not|contains|in|with|by|limit|offset|reversed)$/
const BEGIN = /^\{[{%]-?/

type Mutable = { -readonly [Key in keyof LiquidState]: LiquidState[Key] }

const inLiquid = (stream: StringStream, state: Mutable): string | null => {
  if (stream.eatSpace()) return null
  if (stream.match(/^-?(\}\}|%\})/)) {
    Object.assign(state, { liquid: "", next: "" })
    return "brace"
  }
  if (stream.match(/^("[^"]*"?|'[^']*'?)/)) return "string"
  if (stream.match(/^-?\d+(\.\d+)?/)) return "number"
  if (stream.eat("|")) {
    state.next = "filter"
    return "operator"
  }
  const word = stream.match(/^[\p{L}_][\p{L}\p{N}_-]*\??/u) as RegExpMatchArray | null
  if (word !== null) {
    const { next } = state
    state.next = ""
    if (next === "tag" || WORDS.test(word[0])) return "keyword"
    return next === "filter" ? "variableName.function" : "variableName"
  }
  if (stream.eat(".")) {
    stream.match(/^[\p{L}\p{N}_-]+/u)
    return "variableName"
  }
  stream.next()
  return "operator"
}

/** Up to where something else begins; to the end of the line where nothing does. */
const upTo = (stream: StringStream, ...ends: ReadonlyArray<string>): void => {
  const rest = stream.string.slice(stream.pos)
  const found = ends.map((end) => rest.indexOf(end)).filter((at) => at >= 0)
  if (found.length === 0) stream.skipToEnd()
  else stream.pos += Math.max(1, Math.min(...found))
}

const inHtml = (stream: StringStream, state: Mutable): string | null => {
  if (state.html === "comment") {
    if (stream.match("-->")) state.html = "text"
    else upTo(stream, "-->", "{{", "{%")
    return "comment"
  }
  if (state.quote !== "") {
    if (stream.eat(state.quote)) state.quote = ""
    else upTo(stream, state.quote, "{{", "{%")
    return "string"
  }
  if (state.html === "tag") {
    if (stream.eatSpace()) return null
    if (stream.match(/^\/?>/)) {
      state.html = "text"
      return "tagName"
    }
    const quote = stream.match(/^["']/) as RegExpMatchArray | null
    if (quote !== null) {
      state.quote = quote[0]
      return "string"
    }
    if (stream.match(/^[^\s"'=<>/{]+/)) return "attributeName"
    stream.next()
    return null
  }
  if (stream.match("<!--")) {
    state.html = "comment"
    return "comment"
  }
  if (stream.match(/^<[/!]?[a-zA-Z][\w:-]*/)) {
    state.html = "tag"
    return "tagName"
  }
  if (stream.match(/^&#?\w+;/)) return "string"
  upTo(stream, "<", "&", "{{", "{%")
  return null
}

/** `isHtml`: whether what is around Liquid is HTML. */
export const liquidParser = (isHtml: boolean): StreamParser<LiquidState> => ({
  name: "liquid",
  startState: () => ({ ...START }),
  copyState: (state) => ({ ...state }),
  token: (stream, given) => {
    const state = given as Mutable
    if (state.liquid === "output" || state.liquid === "tag") return inLiquid(stream, state)
    if (state.liquid !== "") {
      const { liquid } = state
      if (stream.match(new RegExp(`^\\{%-?\\s*end${liquid}\\s*-?%\\}`))) {
        state.liquid = ""
        return "keyword"
      }
      if (!stream.match("{%")) upTo(stream, "{%")
      return liquid === "comment" ? "comment" : null
    }
    const apart = stream.match(/^\{%-?\s*(comment|raw)\s*-?%\}/) as RegExpMatchArray | null
    if (apart !== null) {
      state.liquid = apart[1] as "comment" | "raw"
      return "keyword"
    }
    const begin = stream.match(BEGIN) as RegExpMatchArray | null
    if (begin !== null) {
      const isTag = begin[0].startsWith("{%")
      Object.assign(state, { liquid: isTag ? "tag" : "output", next: isTag ? "tag" : "" })
      return "brace"
    }
    if (isHtml) return inHtml(stream, state)
    upTo(stream, "{{", "{%")
    return null
  }
})
