import { subscribe, unsubscribe } from "node:diagnostics_channel"
import { Result } from "effect"
import { describe, expect, it } from "vitest"
import { MOST_WAITING } from "../../../layers/liquid/Tries.ts"
import type { AppId } from "../../../services/domain/Ids.ts"
import { uuidv7 } from "../../../services/ports/NewId.ts"
import { makeEngine } from "./Engine.ts"

/* What one application does with templates, and what others notice of it. */

const engine = await makeEngine()

const anyApp = () => uuidv7() as AppId
const bodyOf = (html: string) => ({ content: { html }, locales: {}, missing_variables: "empty" as const })
/** Takes seconds to read. */
const SLOW = bodyOf("{{contact}}".repeat(23_000))
const EVERYBODY = [{ language: "", own: { device: {}, contact: { attributes: {} } } }]

describe("templates of one application that take long to read", () => {
  it("delay nobody else: others try theirs out and fill what is saved while they have not even ended", async () => {
    const [greedy, other] = [anyApp(), anyApp()]
    const saved = await engine.compile(bodyOf("Hello {{ name }}"), other)
    const order: Array<string> = []
    const slow = Array.from({ length: 4 }, async () => {
      const read = await engine.tryOut(SLOW, greedy)
      // Those that waited too long, as they do on a slow machine, were never read.
      if (!Result.isFailure(read) || !("_tag" in read.failure)) order.push("slow")
      return read
    })
    const tried = engine.tryOut(bodyOf("Hi {{ name }}"), other).then((read) => {
      order.push("tried")
      return read
    })
    const filled = engine.fill(saved, { name: "Ada" }, EVERYBODY).then((all) => {
      order.push("filled")
      return all
    })
    expect((await filled)[0]).toMatchObject({ success: { html: "Hello Ada" } })
    expect(Result.isSuccess(await tried)).toBe(true)
    // At most the one that was under way came before the other application's, and none before what is sent.
    expect(order[0]).toBe("filled")
    expect(order.indexOf("tried")).toBeLessThanOrEqual(2)
    const [first, ...rest] = await Promise.all(slow)
    expect(first).toMatchObject({
      failure: [{ field: "content.html", message: "cannot be read as Liquid: it takes too long" }]
    })
    // The application rests after each; on a slow machine the last ones wait for too long, and are told so.
    for (const each of rest) expect(Result.isFailure(each)).toBe(true)
  })

  it("are read alone, as many as may wait do, and the rest is refused at once", async () => {
    const app = anyApp()
    const all = await Promise.all(
      Array.from({ length: MOST_WAITING + 3 }, (_, i) => engine.tryOut(bodyOf(`{{ n${i} }}`), app))
    )
    expect(all.filter(Result.isSuccess)).toHaveLength(MOST_WAITING + 1)
    expect(all.slice(-2)).toMatchObject([
      { failure: { _tag: "TemplatesBusy" } },
      { failure: { _tag: "TemplatesBusy" } }
    ])
    expect(Result.isSuccess(await engine.tryOut(bodyOf("{{ again }}"), app))).toBe(true)
  })
})

describe("mailings of many applications whose templates are dear to fill", () => {
  it("delay somebody's small one by a turn or two, and not by a turn of each application", async () => {
    const DEAR = bodyOf("{% assign all = (1..20000) %}{{ all | where: 'a' | size }}{{ contact.external_id }}")
    const people = Array.from({ length: 6 }, () => EVERYBODY[0]!)
    const greedy = await Promise.all(Array.from({ length: 20 }, () => engine.compile(DEAR, anyApp())))
    const other = await engine.compile(bodyOf("Hello {{ name }}"), anyApp())
    let ended = 0
    const all = greedy.map((one) => engine.fill(one, {}, people).then(() => ended++))
    await engine.fill(other, { name: "Ada" }, EVERYBODY)
    // As many as the others have recipients each.
    for (const _ of people) await engine.fill(other, { name: "Ada" }, EVERYBODY)
    expect(ended).toBeLessThan(greedy.length / 2)
    await Promise.all(all)
    expect(ended).toBe(greedy.length)
  })
})

describe("the thread of templates that are tried out", () => {
  it("is apart from that of templates that are sent, and starts when there is something to try out", async () => {
    let started = 0
    const count = () => started++
    subscribe("child_process", count)
    const own = await makeEngine()
    const saved = await own.compile(bodyOf("{{ a }}"))
    await own.fill(saved, { a: 1 }, EVERYBODY)
    expect(started).toBe(1)
    expect((await own.sample(saved, { a: 1 }, EVERYBODY))[0]).toMatchObject({ success: { html: "1" } })
    expect(started).toBe(2)
    await own.tryOut(bodyOf("{{ b }}"))
    expect(started).toBe(2)
    unsubscribe("child_process", count)
  })
})

describe("many languages of one template", () => {
  it("are read in turns, and not as one that takes too long", async () => {
    const html = "{{contact.attributes.name}} and some more words of a longer mail. ".repeat(250)
    const locales = Object.fromEntries(["de", "fr", "it", "es", "pt", "nl"].map((name) => [name, { html }]))
    const read = await engine.tryOut({ content: { html }, locales, missing_variables: "empty" })
    expect(Result.getOrThrow(read).isPersonal).toBe(true)
  })
})
