import { StringStream } from "@codemirror/language"
import { describe, expect, it } from "vitest"
import { liquidParser } from "../../../dashboard/src/templates/liquid.ts"

/** What the editor colours, line by line: texts with what they are; what is plain is left out. */
const read = (source: string, isHtml = true): ReadonlyArray<string> => {
  const { startState, token } = liquidParser(isHtml)
  const state = startState!(2)
  const found: Array<string> = []
  for (const line of source.split("\n")) {
    const stream = new StringStream(line, 2, 2)
    while (!stream.eol()) {
      stream.start = stream.pos
      const kind = token(stream, state)
      if (stream.pos === stream.start) throw new Error(`It stands still before ${line.slice(stream.pos)}`)
      if (kind !== null) found.push(`${kind} ${stream.current()}`)
    }
  }
  return found
}

describe("the colours of a source", () => {
  it("tell variables, filters, words and values of Liquid apart", () => {
    expect(read("Hi {{ user.name | default: 'you', 2 }}")).toEqual([
      "brace {{",
      "variableName user",
      "variableName .name",
      "operator |",
      "variableName.function default",
      "operator :",
      "string 'you'",
      "operator ,",
      "number 2",
      "brace }}"
    ])
    expect(read("{%- if a contains 'b' and true -%}x{% endif %}")).toEqual([
      "brace {%-",
      "keyword if",
      "variableName a",
      "keyword contains",
      "string 'b'",
      "keyword and",
      "keyword true",
      "brace -%}",
      "brace {%",
      "keyword endif",
      "brace %}"
    ])
  })

  it("find Liquid in tags, values and comments of HTML, over lines", () => {
    expect(read('<a\n href="x{{ y }}z">t</a><!-- {{ c }}\nd -->')).toEqual([
      "tagName <a",
      "attributeName href",
      'string "',
      "string x",
      "brace {{",
      "variableName y",
      "brace }}",
      "string z",
      'string "',
      "tagName >",
      "tagName </a",
      "tagName >",
      "comment <!--",
      "comment  ",
      "brace {{",
      "variableName c",
      "brace }}",
      "comment d ",
      "comment -->"
    ])
  })

  it("leave alone what Liquid leaves alone, and what is no HTML", () => {
    expect(read("{% raw %}{{ a }}\n{% endraw %}{{ b }}")).toEqual([
      "keyword {% raw %}",
      "keyword {% endraw %}",
      "brace {{",
      "variableName b",
      "brace }}"
    ])
    expect(read("{% comment %}no {% if %}\n{% endcomment %}")).toEqual([
      "keyword {% comment %}",
      "comment no ",
      "comment {%",
      "comment  if %}",
      "keyword {% endcomment %}"
    ])
    expect(read("1 < 2 & <b>", false)).toEqual([])
  })

  it("come to an end whatever is written", () => {
    const pieces = [
      "{{",
      "{%",
      "}}",
      "%}",
      "<",
      "<!--",
      "-->",
      '"',
      "'",
      "|",
      "&amp;",
      "a",
      " ",
      "=",
      "{% raw %}",
      "\n",
      "{"
    ]
    let seed = 7
    const next = (below: number) => (seed = (seed * 48_271) % 2_147_483_647) % below
    for (let i = 0; i < 2_000; i++) {
      const source = Array.from({ length: 12 }, () => pieces[next(pieces.length)]!).join("")
      for (const isHtml of [true, false]) read(source, isHtml)
    }
  })
})
