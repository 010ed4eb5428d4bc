import { Result, Schema } from "effect"
import { Liquid } from "liquidjs"
import { describe, expect, it } from "vitest"
import type { TemplateBody, TemplateContent, Variables } from "../../../services/domain/messages/Template.ts"
import { CreateTemplate } from "../../../services/domain/messages/Template.ts"
import type { CompiledTemplate } from "../../../services/ports/messages/TemplateEngine.ts"
import { makeEngine } from "./Engine.ts"

const engine = await makeEngine()

const body = (content: TemplateContent, more: Partial<TemplateBody> = {}): TemplateBody => ({
  content,
  locales: {},
  missing_variables: "error",
  ...more
})
const compile = (content: TemplateContent, more?: Partial<TemplateBody>) => engine.compile(body(content, more))
const fill = async (
  compiled: CompiledTemplate,
  language: string,
  { contact, device, ...rest }: Record<string, unknown>
) => {
  const own = { ...(contact !== undefined && { contact }), ...(device !== undefined && { device }) }
  return (await engine.fill(compiled, rest as Variables, [{ language, own }]))[0]!
}
const render = async (content: TemplateContent, scope: Record<string, unknown> = {}, more?: Partial<TemplateBody>) =>
  fill(await compile(content, more), "", scope)
const problems = async (content: TemplateContent, more?: Partial<TemplateBody>) => {
  const compiled = await engine.tryCompile(body(content, more))
  return Result.isFailure(compiled) ? compiled.failure : []
}

describe("what a template says", () => {
  it("fills every part, and the texts inside data", async () => {
    const filled = await render(
      {
        title: "Hi {{ name }}",
        url: "https://example.com/{{ id }}",
        data: { order: "{{ id }}", list: ["{{ name | upcase }}", 5, { deep: "{{ id }}" }], none: null }
      },
      { name: "Ada", id: 42 }
    )
    expect(Result.getOrThrow(filled)).toEqual({
      title: "Hi Ada",
      url: "https://example.com/42",
      data: { order: "42", list: ["ADA", 5, { deep: "42" }], none: null }
    })
  })

  it("escapes what is put into html, and nothing that is put into text", async () => {
    const scope = { name: `<b onclick="x">&'` }
    const filled = await render({ title: "{{ name }}", html: "<p>{{ name }}</p>{{ name | raw }}" }, scope)
    expect(Result.getOrThrow(filled)).toEqual({
      title: scope.name,
      html: `<p>&lt;b onclick=&#34;x&#34;&gt;&amp;&#39;</p>${scope.name}`
    })
  })

  it("has what was captured in html as html, to be put out raw", async () => {
    const html = "{% capture link %}<a>{{ name }}</a>{% endcapture %}{{ link | raw }} {{ link }}"
    const filled = await render({ title: "a", html }, { name: "A&B" })
    expect(Result.getOrThrow(filled)).toMatchObject({
      html: "<a>A&amp;B</a> &lt;a&gt;A&amp;amp;B&lt;/a&gt;"
    })
  })

  it("gives filters that reckon 0 in place of what is missing, where that is left empty", async () => {
    const title = "{{ v }}|{{ v | times: 2 }}|{{ v | plus: 1 }}|{{ v | upcase }}|{{ v | default: 3 | times: 2 }}"
    expect(Result.getOrThrow(await render({ title }, {}, { missing_variables: "empty" }))).toEqual({
      title: "|0|1||6"
    })
    expect(await render({ title: "{{ v | times: 2 }}" })).toMatchObject({ failure: { code: "missing_variable" } })
  })

  it("makes one line of a subject, and no link of an empty one", async () => {
    const filled = await render(
      { subject: "{% if vip %}\nDear {{ name }},\n{% endif %}\r\nBcc: x", url: "{{ link }}" },
      {
        vip: true,
        name: "Ada",
        link: ""
      }
    )
    expect(Result.getOrThrow(filled)).toEqual({ subject: "Dear Ada, Bcc: x" })
  })

  it("is no content when a link is filled with something that runs", async () => {
    const filled = await render({ title: "a", url: "{{ link }}" }, { link: "javascript:alert(1)" })
    expect(filled).toMatchObject({ failure: { code: "template_failed", field: "content.url" } })
  })

  it.each([
    "{% for t in l %}{{ t }}{% unless forloop.last %}, {% endunless %}{% endfor %}",
    "{% for t in l %}{{ forloop.index }}/{{ forloop.length }} {{ forloop.index0 }} {{ forloop.rindex }} {% endfor %}",
    "{% for t in l %}{% if forloop.first %}first {% endif %}{{ forloop.rindex0 }}{{ forloop.name }}{% endfor %}",
    "{% for a in l %}{% for b in l %}{{ b }}{{ forloop.index }} {% endfor %}{{ forloop.index }}{% endfor %}",
    "{% tablerow t in l cols:2 %}{{ tablerowloop.col }}{{ tablerowloop.row }}{{ tablerowloop.last }}{% endtablerow %}",
    "{% for t in l reversed limit:2 offset:1 %}{% cycle 'a', 'b' %}{{ t }}{% else %}none{% endfor %}",
    "{% for pair in o %}{{ pair[0] }}={{ pair[1] }}{% unless forloop.last %};{% endunless %}{% endfor %}",
    "{% for i in (1..3) %}{% if i == 2 %}{% continue %}{% endif %}{{ i }}{{ forloop.last }}{% endfor %}",
    "{% increment n %}{% increment n %}{% decrement n %}{% assign m = l | join: '-' %}{{ m }}",
    "{% case l.first %}{% when 'a', 'b' %}x{% else %}y{% endcase %}{% capture c %}{{ l.size }}{% endcapture %}{{ c }}",
    "{{ o.next }}{{ o.throw }}{% assign p = o %}{{ p.next | plus: 1 }}{{ l | reverse | first }}{{ o | json }}"
  ])("says what the library says: %s", async (title) => {
    const scope = { l: ["a", "b", "c", "d"], o: { next: 1, throw: 2 } }
    expect(Result.getOrThrow(await render({ title }, scope))).toEqual({
      title: new Liquid().parseAndRenderSync(title, scope)
    })
  })

  it("treats what recipients call themselves as text, never as Liquid", async () => {
    expect(Result.getOrThrow(await render({ title: "{{ name }}" }, { name: "{{ secret }}", secret: "s" }))).toEqual({
      title: "{{ secret }}"
    })
  })
})

describe("languages that had another code before", async () => {
  const compiled = await compile(
    { title: "Hello" },
    { locales: { iw: { title: "שלום" }, id: { title: "Halo" }, "fil-PH": { title: "Kumusta" } } }
  )

  it.each([
    ["he-IL", "שלום"],
    ["iw", "שלום"],
    ["in-ID", "Halo"],
    ["tl-ph", "Kumusta"],
    ["i-klingon", "Hello"],
    ["constructor", "Hello"]
  ])("are the same by both: %s", async (locale, title) => {
    expect(Result.getOrThrow(await fill(compiled, compiled.languageOf(locale), {}))).toEqual({ title })
  })

  it("are named once in a template", async () => {
    const decode = Schema.decodeUnknownResult(CreateTemplate)
    const named = (...names: ReadonlyArray<string>) =>
      decode({ name: "x", content: { title: "x" }, locales: Object.fromEntries(names.map((name) => [name, {}])) })._tag
    expect([named("iw", "he"), named("in-ID", "id-id"), named("iw", "he-IL")]).toEqual([
      "Failure",
      "Failure",
      "Success"
    ])
  })
})

describe("languages", async () => {
  const languages = {
    pt: { title: "Olá" },
    "pt-BR": { body: "você" },
    "zh-Hant": { title: "你好" }
  }
  const compiled = await compile({ title: "Hello", body: "you", url: "https://example.com/" }, { locales: languages })

  it.each([
    ["pt-BR", { title: "Olá", body: "você" }],
    ["PT-br", { title: "Olá", body: "você" }],
    ["pt-PT", { title: "Olá", body: "you" }],
    ["zh-Hant-TW", { title: "你好", body: "you" }],
    ["zh", { title: "Hello", body: "you" }],
    ["fr", { title: "Hello", body: "you" }],
    [null, { title: "Hello", body: "you" }]
  ])("fall back from %s part by part to the default", async (locale, expected) => {
    const filled = await fill(compiled, compiled.languageOf(locale), {})
    expect(Result.getOrThrow(filled)).toEqual({ ...expected, url: "https://example.com/" })
  })

  it("are told apart by a key that is the same for all who get the same", async () => {
    expect(compiled.languageOf("pt-PT")).toBe(compiled.languageOf("pt"))
    expect(compiled.languageOf("pt-BR")).not.toBe(compiled.languageOf("pt"))
    expect(compiled.languageOf("xx")).toBe(compiled.languageOf(null))
  })
})

describe("variables", () => {
  it.each([
    "{{ contact.attributes.name }}",
    "{% if device.platform == 'ios' %}x{% endif %}",
    "{% for t in contact.tags %}{{ t }}{% endfor %}"
  ])("of the recipient make a template personal: %s", async (title) => {
    expect((await compile({ title })).isPersonal).toBe(true)
    expect((await compile({ data: { a: [title] } })).isPersonal).toBe(true)
    expect((await compile({ title: "a" }, { locales: { de: { title } } })).isPersonal).toBe(true)
  })

  it.each(["{{ name }}", "contact.name", "{% assign contact = 'x' %}{{ contact }}"])(
    "of the request do not: %s",
    async (title) => {
      expect((await compile({ title })).isPersonal).toBe(false)
    }
  )

  it("that are missing are an error which names them, unless a default or a condition asks", async () => {
    const missing = (title: string) => render({ title }, { contact: { attributes: {} } })
    expect(await missing("{{ contact.attributes.name }}")).toMatchObject({
      failure: { code: "missing_variable", field: "content.title", message: "contact.attributes.name" }
    })
    expect(Result.getOrThrow(await missing("{{ contact.attributes.name | default: 'you' }}"))).toEqual({ title: "you" })
    expect(Result.getOrThrow(await missing("{% if contact.attributes.vip %}a{% else %}b{% endif %}"))).toEqual({
      title: "b"
    })
  })

  it("that are null are missing, wherever they stand", async () => {
    const scope = { name: null, order: { by: null }, list: [null], contact: { attributes: { name: null } } }
    const filled = (title: string) => render({ title }, scope)
    const missing = {
      "{{ name }}": "name",
      "{{ name | upcase }}": "name",
      "{{ order.by }}": "order.by",
      "{{ order.by.name }}": "order.by",
      "{{ list[0] }}": "list.0",
      "{{ list.first }}": "list.first",
      "{{ contact.attributes.name }}": "contact.attributes.name",
      "{% for one in name %}{{ one }}{% endfor %}": "name",
      // Whom `assign` asks for is told of where it is put out.
      "{% assign who = name %}{{ who }}": "who",
      "{% assign who = nobody %}{{ who }}": "who"
    }
    for (const [title, message] of Object.entries(missing)) {
      expect(await filled(title), title).toMatchObject({
        failure: { code: "missing_variable", field: "content.title", message }
      })
    }
    const asked = {
      "{{ name | default: 'you' }}": "you",
      "{{ order.by | default: 'you' }}": "you",
      "{% if name %}a{% else %}b{% endif %}": "b",
      "{% if order.by == nil %}a{% else %}b{% endif %}": "a",
      "{% unless contact.attributes.name %}a{% endunless %}": "a",
      "{% case name %}{% when nil %}a{% else %}b{% endcase %}": "a",
      "{% assign who = name | default: 'you' %}{{ who }}": "you",
      "{{ list | size }}": "1",
      "{{ list | join: ',' }}": ""
    }
    for (const [title, becomes] of Object.entries(asked)) {
      expect(Result.getOrThrow(await filled(title)), title).toEqual({ title: becomes })
    }
    const lenient = await render({ title: "Hi {{ name }}{{ order.by }}!" }, scope, { missing_variables: "empty" })
    expect(Result.getOrThrow(lenient)).toEqual({ title: "Hi !" })
  })

  it("that are missing are empty by the template's setting", async () => {
    const filled = await render({ title: "Hi {{ a.b.c }}!" }, {}, { missing_variables: "empty" })
    expect(Result.getOrThrow(filled)).toEqual({ title: "Hi !" })
  })

  it("show nothing of the machine: no prototypes, no files", async () => {
    for (const title of ["{{ a.constructor }}", "{{ a.__proto__ }}", "{{ a.toString }}"]) {
      expect(Result.isFailure(await render({ title }, { a: {} }))).toBe(true)
    }
  })
})

describe("sources that cannot be read", () => {
  it("are told with their part, line and column, all at once", async () => {
    const found = await problems(
      { title: "a\n  {{ x | nofilter }}", data: { list: ["{% if x %}"] } },
      { locales: { "de-AT": { html: "<p>\n\n{% include '/etc/passwd' %}" } } }
    )
    expect(found).toMatchObject([
      { field: "content.title", line: 2, column: 3, message: expect.stringContaining("undefined filter: nofilter") },
      { field: "content.data.list[0]", line: 1, column: 1, message: expect.stringContaining("not closed") },
      { field: "locales.de-AT.html", line: 3, column: 1, message: expect.stringContaining(`tag "include" not found`) }
    ])
  })

  it.each(["{% render 'x' %}", "{% layout 'x' %}", "{% include 'x' %}", "{% block x %}{% endblock %}"])(
    "are those that ask for other files: %s",
    async (title) => {
      expect(await problems({ title })).toHaveLength(1)
    }
  )
})

describe("limits", () => {
  it.each([
    ["loops in loops", "{% for i in (1..1000) %}{% for j in (1..1000) %}x{% endfor %}{% endfor %}"],
    ["long lists", "{% for i in (1..100000000) %}x{% endfor %}"],
    ["texts that grow", "{% assign a = 'xxxxxxxxxx' %}{% for i in (1..30) %}{% assign a = a | append: a %}{% endfor %}"]
  ])("stop %s with an error", async (_, title) => {
    expect(await render({ title })).toMatchObject({ failure: { code: "template_failed", field: "content.title" } })
  })

  it.each([
    ["title", "{{ '%00' | url_decode }}"],
    ["body", "{{ 'AA==' | base64_decode }}"],
    ["url", "https://example.com/{{ '%00' | url_decode }}x"],
    ["subject", "{{ '😀 Ada' | split: '' | first }}"],
    ["html", "<p>{{ '😀 Ada' | split: '' | first }}</p>"],
    ["data", { initials: [{ first: "{{ '😀 Ada' | split: '' | first }}" }] }]
  ])("stop what no database could keep, and no strict reader of JSON read, in %s", async (name, source) => {
    expect(await render({ title: "Hello", [name]: source })).toMatchObject({
      failure: {
        code: "template_failed",
        field: `content.${name}`,
        message: "must not contain U+0000 or half of a surrogate pair"
      }
    })
  })
})
