import type { ChildProcess } from "node:child_process"
import { subscribe, unsubscribe } from "node:diagnostics_channel"
import { mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from "vitest"
import type { Filled, Loss } from "../../../layers/liquid/Renderer.ts"
import { Renderer, Template } from "../../../layers/liquid/Renderer.ts"

const BROKEN = new URL("./BrokenWorker.ts", import.meta.url)

const templateOf = (text: string, app = text) => new Template(app, [{ field: "content.title", text, isHtml: false }])

let children: Array<ChildProcess> = []
const count = (message: unknown) => void children.push((message as { readonly process: ChildProcess }).process)
const renderers: Array<Renderer> = []

beforeEach(() => {
  children = []
  subscribe("child_process", count)
})
afterEach(async () => {
  unsubscribe("child_process", count)
  await Promise.all(renderers.splice(0).map((renderer) => renderer.close()))
})

/** `deadlineMs`: short where it is to be over; all else may take its time on a slow machine. */
const make = (kind = "alive", deadlineMs = 10_000) => {
  const losses: Array<Loss> = []
  const renderer = new Renderer([kind], deadlineMs, (loss) => losses.push(loss), BROKEN)
  renderers.push(renderer)
  const fill = (template: Template) =>
    new Promise<Filled | string>((resolve) =>
      renderer.add({
        _tag: "fill",
        template,
        request: { isStrict: true, shared: "{}", scopes: "[{}]", kinds: [[0]], kindOf: [0] },
        skipped: null,
        done: resolve,
        broken: (error) => resolve(String(error))
      })
    )
  return { fill, losses, renderer }
}

/** How many threads have begun with the text `wait <file>`. */
const begun = (file: string): number => readFileSync(file, { encoding: "utf8", flag: "a+" }).length

const FILLED = { _tag: "filled", values: ["filled"], count: 1, skipped: null }
const skipped = (message: string) => ({
  ...FILLED,
  values: [],
  skipped: { recipient: 0, problem: { field: "content.title", code: "template_failed", message } }
})

describe("a thread of templates that ends", () => {
  it.each([
    ["loop", "takes too long, and was ended", 2],
    // Others may have taken the memory: it is tried once more before it is blamed.
    ["memory", "needs too much memory, and was ended", 2],
    ["fault", "breaks the template engine, and was ended", 2],
    ["exit", "breaks the template engine, and was ended", 2]
  ])(
    "by %s fails what it had under way, and everything else is done by the next one",
    async (text, message, processes) => {
      const { fill, losses } = make("alive", text === "loop" ? 500 : undefined)
      const first = await fill(templateOf("harmless"))
      const [blamed, ...others] = await Promise.all([
        fill(templateOf(text)),
        ...Array.from({ length: 5 }, () => fill(templateOf("harmless")))
      ])
      expect(blamed).toEqual(skipped(message))
      expect([first, ...others]).toEqual(Array.from({ length: 6 }, () => FILLED))
      expect(children).toHaveLength(processes)
      expect(losses).toHaveLength(1)
    }
  )

  it.each<NodeJS.Signals>(["SIGABRT", "SIGKILL"])(
    "with its process by %s fails what it had under way, and everything else is done by the next one",
    async (signal) => {
      const { fill, losses } = make()
      const first = await fill(templateOf("harmless"))
      const folder = mkdtempSync(join(tmpdir(), "heliograph-renderer-"))
      onTestFinished(() => rmSync(folder, { recursive: true }))
      const file = join(folder, "begun")
      const blamed = fill(templateOf(`wait ${file}`))
      const others = Promise.all(Array.from({ length: 5 }, () => fill(templateOf("harmless"))))
      // Nobody knows what the first process was at. The second is watched, and what it was at comes last in the third.
      for (const processes of [1, 2, 3]) {
        await expect.poll(() => begun(file), { timeout: 60_000 }).toBe(processes)
        if (processes === 3) await others
        children.at(-1)!.kill(signal)
      }
      expect(await blamed).toEqual(skipped("needs too much memory, and was ended"))
      expect([first, ...(await others)]).toEqual(Array.from({ length: 6 }, () => FILLED))
      expect(children).toHaveLength(3)
      expect(losses).toHaveLength(1)
    }
  )

  it("twice by the same template sets it aside, and what waits for it", async () => {
    const { fill } = make()
    const template = templateOf("fault")
    expect(await fill(template)).toEqual(skipped("breaks the template engine, and was ended"))
    const aside = await Promise.all([fill(template), fill(template)])
    for (const each of aside) expect(each).toMatchObject({ _tag: "setAside", problem: { code: "template_failed" } })
    expect(template.setAside?.message).toContain("the template is set aside, because it did so twice")
    expect(children).toHaveLength(2)
  })

  it("before it did anything is not started again for the same work, which breaks with the cause", async () => {
    const { fill } = make("stillborn")
    const all = await Promise.all([fill(templateOf("a")), fill(templateOf("b"))])
    expect(all).toEqual(["Error: no such module", "Error: no such module"])
    expect(children).toHaveLength(1)
  })

  it("before its process did anything is started once more, and not again", async () => {
    const { fill } = make("stillborn process")
    const all = await Promise.all([fill(templateOf("a")), fill(templateOf("b"))])
    const message = "Error: the process that fills templates ended (SIGKILL)"
    expect(all).toEqual([message, message])
    expect(children).toHaveLength(2)
  })

  it("with its process, alone in it, is blamed the second time, and others go on meanwhile", async () => {
    const { fill, losses } = make()
    expect(await fill(templateOf("abort"))).toEqual(skipped("needs too much memory, and was ended"))
    expect(children).toHaveLength(2)
    expect(losses).toEqual([{ app: "abort", cause: "memory", field: "content.title" }])
    expect(await fill(templateOf("harmless"))).toEqual(FILLED)
  })
})

describe("what a thread knows", () => {
  it("is no more than some megabytes of sources, however many templates there are", async () => {
    const { fill } = make()
    const templates = Array.from({ length: 12 }, (_, i) => templateOf(`${i}`.padEnd(500_000)))
    for (const template of [...templates, ...templates]) expect(await fill(template)).toEqual(FILLED)
    expect(children).toHaveLength(1)
  })

  it("is taken back when nobody waits for it any more", async () => {
    const { fill, renderer } = make("alive", 500)
    const template = templateOf("loop")
    const take = renderer.add({
      _tag: "fill",
      template,
      request: { isStrict: true, shared: "{}", scopes: "[{}]", kinds: [[0]], kindOf: [0] },
      skipped: null,
      done: () => expect.unreachable(),
      broken: () => expect.unreachable()
    })
    take()
    expect(template.pending).toBe(0)
    expect(await fill(templateOf("harmless"))).toEqual(FILLED)
  })
})
