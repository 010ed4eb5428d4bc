import { spawn, spawnSync } from "node:child_process"
import { subscribe, unsubscribe } from "node:diagnostics_channel"
import { once } from "node:events"
import { Result } from "effect"
import { describe, expect, it } from "vitest"
import { makeEngine } from "./Engine.ts"

/* Templates that were written to stop the process. Whatever becomes of them, the event loop goes on. */

const engine = await makeEngine()

const NUMBERS = Array.from({ length: 20_000 }, (_, i) => i % 10)
const TEXT = "x".repeat(60_000)
const VARIABLES = { numbers: NUMBERS, objects: NUMBERS.slice(0, 2000).map((a) => ({ a: { a } })), text: TEXT, o: {} }

/** A list that holds itself twice, forty times over: small, and too long to be ever written out. */
const NESTED =
  "{% assign a = '1,2' | split: ',' %}{% for i in (1..40) %}{% assign b = a | slice: 0, 0 | push: a | push: a %}{% assign a = b %}{% endfor %}"
const DOUBLED =
  "{% capture a %}{{ text }}{% endcapture %}{% for i in (1..12) %}{% capture a %}{{ a | raw }}{{ a | raw }}{% endcapture %}{% endfor %}"

const bodyOf = (html: string) => ({ content: { html }, locales: {}, missing_variables: "empty" as const })

/** What becomes of a source, and how often the event loop came round meanwhile. */
const attempt = async (html: string) => {
  let rounds = 0
  const beat = setInterval(() => rounds++, 1)
  const read = await engine.tryCompile({ content: { html }, locales: {}, missing_variables: "empty" })
  const filled = Result.isFailure(read)
    ? null
    : (
        await engine.fill(read.success, VARIABLES, [{ language: "", own: { device: {}, contact: { attributes: {} } } }])
      )[0]!
  clearInterval(beat)
  return { problem: Result.isFailure(read) ? read.failure[0] : null, filled, rounds }
}

describe("filters that take an expression as text", () => {
  it.each(["where_exp", "reject_exp", "group_by_exp", "has_exp", "find_exp", "find_index_exp"])(
    "are refused by their name when a template is read: %s",
    async (name) => {
      const { problem } = await attempt(
        `{% assign e = "numbers | has_exp: 'y', 'y == 2'" %}\n{{ numbers | ${name}: "x", e }}`
      )
      expect(problem).toEqual({
        field: "content.html",
        line: 2,
        column: 1,
        message: `cannot be read as Liquid: undefined filter: ${name} (filters that take an expression as text are not offered)`
      })
    }
  )

  it("do not come back as the names of properties", async () => {
    for (const path of ["a".repeat(129), "(1..1000000)", "a[a[a]]", "a | size"]) {
      for (const name of [
        "where",
        "reject",
        "group_by",
        "has",
        "find",
        "find_index",
        "map",
        "sort",
        "sort_natural",
        "sum"
      ]) {
        const { filled } = await attempt(`{{ objects | ${name}: "${path}" }}`)
        expect(filled).toMatchObject({
          failure: { message: expect.stringContaining(`${name} takes the name of a property`) }
        })
      }
    }
    expect((await attempt("{{ objects | map: 'a' | map: 'a' | slice: 0, 3 | join }}")).filled).toMatchObject({
      success: { html: "0 1 2" }
    })
  })
})

describe("what goes on too long is stopped", () => {
  const MADE = "makes more than 2000000 characters and elements on the way"
  const STEPS = "takes more than 20000 steps"
  it.each([
    ["a range without end", "{% for i in (1..1000000000) %}x{% endfor %}", MADE],
    ["a loop around nothing", "{% for i in (1..1900000) %}{% endfor %}", STEPS],
    ["loops in loops", "{% for i in (1..1300) %}{% for j in (1..1300) %}{% endfor %}{% endfor %}", STEPS],
    ["a table", "{% tablerow i in (1..1000000) cols:1 %}{% endtablerow %}", STEPS],
    ["a counter", "{% for i in (1..19999) %}{% increment __proto__ %}{% endfor %}", STEPS],
    ["a chain of filters", `{{ text | replace: 'x', '%' ${"| url_encode ".repeat(150)} }}`, MADE],
    ["a text put between its own letters", "{{ text | replace: '', text }}", MADE],
    ["texts that grow", `{% assign a = text %}${"{% assign a = a | append: a %}".repeat(9)}`, MADE],
    ["a text in base64 of base64", `{% assign a = text %}${"{% assign a = a | base64_encode %}".repeat(20)}`, MADE],
    ["digests of long texts", "{% for i in (1..200) %}{{ text | sha256 }}{% endfor %}", MADE],
    ["a wide date", "{{ 'now' | date: '%999999999d' }}", MADE],
    ["many wide dates", "{% assign f = text | replace: 'x', '%9999d' %}{{ 'now' | date: f }}", MADE],
    ["JSON of what holds itself", `${NESTED}{{ a | json }}`, MADE],
    ["a long list that is grouped", "{{ (1..1900000) | group_by: 'a' }}", "group_by takes at most 50000 elements"],
    ["a long list that is sorted", "{{ (1..1900000) | sort }}", "sort takes at most 50000 elements"],
    [
      "a list joined to itself",
      `{% assign a = numbers %}${"{% assign a = a | concat: a %}".repeat(9)}`,
      "concat takes at most 50000 elements"
    ],
    ["an output that doubles", `${DOUBLED}{{ a | raw }}`, "becomes longer than 1000000 characters"]
  ])("%s", async (_, source, message) => {
    expect((await attempt(source)).filled).toMatchObject({ failure: { code: "template_failed", message } })
  })

  it.each([
    ["tags that never open", "{% assign f = text | replace: 'x', '<script' %}{{ f | strip_html | size }}"],
    [
      "digits of a date that never ends",
      "{% assign f = text | replace: 'x', '0' | prepend: '%' %}{{ 'now' | date: f | size }}"
    ],
    ["prototypes", "{{ o.__proto__ }}{{ o.constructor }}{% assign __proto__ = text %}{{ o.x }}"],
    ["a text without end that is searched", `${DOUBLED}{% if a contains 'y' %}y{% endif %}`]
  ])("and what only looks so is filled: %s", async (_, source) => {
    expect(Result.isSuccess((await attempt(source)).filled!)).toBe(true)
  })

  it.each([
    ["written out", `${NESTED}{{ a }}`],
    ["joined", `${NESTED}{{ a | join }}`],
    ["appended", `${NESTED}{{ 'x' | append: a }}`],
    ["compared", `${NESTED}${NESTED.replaceAll(" a ", " c ").replaceAll(": a", ": c")}{% if a == c %}{% endif %}`]
  ])("with its thread, where nothing inside can see it: a list that holds itself, %s", async (_, source) => {
    const { filled, rounds } = await attempt(source)
    expect(filled).toEqual(
      Result.fail({ field: "content.html", code: "template_failed", message: "takes too long, and was ended" })
    )
    // A while of it, in which the loop would not have come round at all.
    expect(rounds).toBeGreaterThan(20)
    expect((await attempt("{{ text | size }}")).filled).toMatchObject({ success: { html: "60000" } })
  })

  it.each([
    ["variables", "{{contact}}".repeat(20_000)],
    ["outputs", "{{a}}".repeat(52_000)]
  ])("while it is read: thousands of %s", async (_, source) => {
    const { problem, rounds } = await attempt(source)
    expect(problem).toMatchObject({ field: "content.html", message: "cannot be read as Liquid: it takes too long" })
    expect(rounds).toBeGreaterThan(20)
  })
})

describe("a template that wants more memory than there is", () => {
  const listOf = (doublings: number) =>
    `{% assign l = text | split: ',' %}{% for i in (1..${doublings}) %}{% assign l = l | concat: l %}{% endfor %}`
  const TOO_MUCH = { code: "template_failed", message: "needs too much memory, and was ended" }

  it.each([
    ["a list of long texts that is put together twice", `${listOf(12)}{{ l | append: l | size }}`],
    ["a list of long texts that is looked for in itself", `${listOf(12)}{{ l | replace: l, l | size }}`]
  ])("ends its process and not this one: %s", async (_, source) => {
    const others = Array.from({ length: 3 }, (_, i) => attempt(`{{ text | size }} ${i}`))
    const { filled, rounds } = await attempt(source)
    expect(filled).toMatchObject({ failure: TOO_MUCH })
    expect(rounds).toBeGreaterThan(20)
    for (const [i, { filled }] of (await Promise.all(others)).entries()) {
      expect(filled).toMatchObject({ success: { html: `60000 ${i}` } })
    }
  })

  it("and is only tried out, costs what is sent nothing", async () => {
    const read = Result.getOrThrow(await engine.tryOut(bodyOf(`${listOf(12)}{{ l | append: l | size }}`)))
    const sent = await engine.compile(bodyOf("Hi {{ text | size }}"))
    const everybody = [{ language: "", own: { device: {}, contact: { attributes: {} } } }]
    const trying = engine.sample(read, VARIABLES, everybody)
    expect((await engine.fill(sent, VARIABLES, everybody))[0]).toMatchObject({ success: { html: "Hi 60000" } })
    expect((await trying)[0]).toMatchObject({ failure: TOO_MUCH })
  })
})

describe("values of many small pieces", () => {
  it("fill a template in the same process, however many of them wait", async () => {
    const children: Array<unknown> = []
    const count = (message: unknown) => void children.push(message)
    const busy = await makeEngine()
    subscribe("child_process", count)
    try {
      const one = await busy.compile(bodyOf("{{ all | size }}"))
      // A list of 20,000 objects takes more than a megabyte where it is read.
      const all = Array.from({ length: 20_000 }, () => ({}))
      const filled = await Promise.all(
        Array.from({ length: 250 }, () => busy.fill(one, { all }, [{ language: "", own: {} }]))
      )
      expect(new Set(filled.map(([first]) => Result.getOrThrow(first!).html))).toEqual(new Set(["20000"]))
      expect(children).toHaveLength(1)
    } finally {
      unsubscribe("child_process", count)
    }
  })
})

describe("a template that was ended", () => {
  const source = `{% if contact.attributes.bad %}${NESTED}{{ a }}{% endif %}Hi {{ contact.attributes.name }}`
  const compile = (html = source) => engine.compile({ content: { html }, locales: {}, missing_variables: "empty" })
  const people = (bad: ReadonlyArray<number>) =>
    Array.from({ length: 20 }, (_, i) => ({
      language: "",
      own: { device: {}, contact: { attributes: { name: i, bad: bad.includes(i) } } }
    }))
  const ended = { failure: { code: "template_failed", message: "takes too long, and was ended" } }

  it("fails the recipient alone for whom it took so long; others in the same thread get theirs", async () => {
    const [one, other] = [await compile(), await compile("Hello {{ contact.attributes.name }}")]
    const [filled, others] = await Promise.all([
      engine.fill(one, {}, people([7])),
      engine.fill(other, {}, people([])),
      engine.compile({ content: { title: "{{ a }}" }, locales: {}, missing_variables: "empty" })
    ])
    expect(filled).toHaveLength(20)
    for (const [i, each] of filled.entries()) {
      expect(each).toMatchObject(i === 7 ? ended : { success: { html: `Hi ${i}` } })
    }
    expect(others.map((each) => Result.getOrThrow(each).html)).toEqual(others.map((_, i) => `Hello ${i}`))
  })

  it("is set aside after the second time, with a reason, and ends no third thread", async () => {
    const one = await compile()
    expect((await engine.fill(one, {}, people([3])))[3]).toMatchObject(ended)
    const message = "takes too long, and was ended; the template is set aside, because it did so twice"
    const aside = Array.from({ length: 20 }, () =>
      Result.fail({ field: "content.html", code: "template_failed" as const, message })
    )
    expect(await engine.fill(one, {}, people([5]))).toEqual(aside)
    expect(await engine.fill(one, {}, people([]))).toEqual(aside)
    expect((await engine.fill(await compile(), {}, people([])))[0]).toMatchObject({ success: { html: "Hi 0" } })
  })
})

describe("the process of the thread", () => {
  /** Starts a script with an engine of its own. */
  const start = (script: string) => {
    const root = new URL("../../../", import.meta.url).href
    const setUp = `
      import { Context, Effect, Exit, Layer, Scope } from "effect"
      import { layer } from "${root}layers/liquid/TemplateEngine.ts"
      import { TemplateEngine } from "${root}services/ports/messages/TemplateEngine.ts"
      const scope = Effect.runSync(Scope.make())
      const engine = Context.get(Effect.runSync(Layer.buildWithScope(layer, scope)), TemplateEngine)
      const compile = (title) => Effect.runPromise(engine.compile("app", { content: { title }, locales: {}, missing_variables: "error" }))
    `
    const child = spawn(process.execPath, ["--input-type=module", "--eval", setUp + script], {
      cwd: new URL(root),
      stdio: ["ignore", "pipe", "inherit"]
    })
    let printed = ""
    child.stdout.on("data", (chunk: Buffer) => (printed += chunk.toString()))
    return { child, printed: () => printed, closed: once(child, "close") as Promise<[number | null]> }
  }

  /** Runs a script to its end; answers its exit code and what it printed. */
  const run = async (script: string) => {
    const { closed, printed } = start(script)
    const [code] = await closed
    return { code, printed: printed() }
  }

  const isThere = (pid: number): boolean => {
    try {
      const { stdout } = spawnSync("ps", ["-o", "stat=", "-p", `${pid}`], { encoding: "utf8" })
      return stdout.trim() !== "" && !stdout.trim().startsWith("Z")
    } catch {
      return false
    }
  }

  it("keeps no process alive: neither warm, nor after its scope has closed", async () => {
    const use = `
      const one = await compile("Hi {{ a }}")
      const [filled] = await Effect.runPromise(one.fill({ a: "Ada" }, [{ language: "", own: {} }]))
      console.log(filled.success.title)
    `
    expect(await run(use)).toEqual({ code: 0, printed: "Hi Ada\n" })
    expect(await run(`${use} await Effect.runPromise(Scope.close(scope, Exit.void))`)).toEqual({
      code: 0,
      printed: "Hi Ada\n"
    })
  })

  it("is ended with its scope, whatever it is at", async () => {
    const script = `
      import { subscribe } from "node:diagnostics_channel"
      let child
      subscribe("child_process", ({ process }) => (child = process))
      const one = await compile(${JSON.stringify(`${NESTED}{{ a }}`)})
      // Asked right behind the order, the process answers when it has given that to its thread.
      const begun = new Promise((resolve) => {
        const send = child.send.bind(child)
        child.send = (message, ...rest) => {
          const isSent = send(message, ...rest)
          if (message._tag === "fill") send({ _tag: "ask" })
          return isSent
        }
        child.on("message", ({ _tag }) => _tag === "here" && resolve())
      })
      Effect.runFork(one.fill({}, [{ language: "", own: {} }]))
      await begun
      await Effect.runPromise(Scope.close(scope, Exit.void))
      console.log("closed")
    `
    expect(await run(script)).toEqual({ code: 0, printed: "closed\n" })
  })

  it.each<NodeJS.Signals>(["SIGKILL", "SIGTERM"])(
    "is gone with the service that %s ends, whatever it is at",
    async (signal) => {
      const script = `
      import { subscribe } from "node:diagnostics_channel"
      subscribe("child_process", ({ process }) => setImmediate(() => console.log("child " + process.pid)))
      const one = await compile(${JSON.stringify(`${NESTED}{{ a }}`)})
      Effect.runFork(one.fill({}, [{ language: "", own: {} }]))
      console.log("filling")
    `
      const { child, closed, printed } = start(script)
      await expect.poll(printed, { timeout: 60_000 }).toContain("filling")
      child.kill(signal)
      await closed
      const pid = Number(/child (\d+)/.exec(printed())![1])
      // One that nobody has taken note of yet (Z) is gone as well.
      await expect.poll(() => isThere(pid), { timeout: 60_000 }).toBe(false)
    }
  )

  it("starts with the first source in Liquid, and is one for all of them", async () => {
    let started = 0
    const count = () => started++
    subscribe("child_process", count)
    const own = await makeEngine()
    const compile = (title: string) => own.compile({ content: { title }, locales: {}, missing_variables: "error" })
    const [filled] = await own.fill(await compile("Hello { you }"), {}, [{ language: "", own: {} }])
    expect([started, Result.getOrThrow(filled!)]).toEqual([0, { title: "Hello { you }" }])
    await Promise.all(["{{ a }}", "{{ b }}", "{{ c }}"].map(compile))
    expect(started).toBe(1)
    unsubscribe("child_process", count)
  })
})
