import { readFileSync } from "node:fs"
import { describe, expect, it } from "vitest"
import { EventName } from "../../services/domain/webhooks/Event.ts"
import { sampleBody } from "../../services/domain/webhooks/SampleEvent.ts"

const text = readFileSync(new URL("../../docs/webhooks.md", import.meta.url), "utf8")
const sections = new Map(
  text
    .split(/^### /m)
    .slice(1)
    .map((section) => [section.slice(0, section.indexOf("\n")), section] as const)
)

describe("the list of events", () => {
  it("has every event that there is, in a table and in a section of its own, and no other", () => {
    expect([...sections.keys()]).toEqual([...EventName.literals])
    const table = [...text.matchAll(/^\| \[`([A-Z_]+)`\]\(#([a-z_]+)\)/gm)]
    expect(table.map(([, name]) => name)).toEqual([...EventName.literals])
    expect(table.every(([, name, anchor]) => name!.toLowerCase() === anchor)).toBe(true)
  })

  it("says which fields of payloads are no text", () => {
    const others = new Set<string>()
    for (const event of EventName.literals) {
      const { payload } = JSON.parse(sampleBody(event, "", "", 0)) as { readonly payload: Record<string, unknown> }
      for (const [name, value] of Object.entries(payload)) if (typeof value !== "string") others.add(name)
    }
    const row = /^\| `payload` .*$/m.exec(text)![0]
    for (const name of others) expect(row).toContain(`\`${name}\``)
  })

  it.each(EventName.literals)("shows the body of %s as it is sent, and explains each field of its payload", (event) => {
    const section = sections.get(event)!
    const shown = JSON.parse(/```json\n([^]*?)```/.exec(section)![1]!) as Record<string, any>
    const sent = JSON.parse(
      sampleBody(event, shown["id"], shown["appId"], Date.parse(shown["timestamp"]))
    ) as typeof shown
    expect(Object.keys(shown)).toEqual(Object.keys(sent))
    expect(shown["event"]).toBe(event)
    const typesOf = (payload: Record<string, unknown>) =>
      Object.entries(payload).map(([name, value]) => [name, typeof value])
    expect(typesOf(shown["payload"])).toEqual(typesOf(sent["payload"]))
    const explained = [...section.matchAll(/^\| `(\w+)`/gm)].map(([, name]) => name)
    expect(explained).toEqual(Object.keys(sent["payload"]))
  })
})
