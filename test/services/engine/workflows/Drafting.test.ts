import { describe, expect, it } from "vitest"
import { asksRun } from "../../../../services/engine/workflows/Drafting.ts"

describe("whether a message asks for what its run carries", () => {
  it.each([
    ["{{ data.name }}", true],
    ["{% if steps.ask.status == 200 %}yes{% endif %}", true],
    ["{{ contact.name }} and {{ data.name }}", true],
    ["{{ contact.name }}, your data", false],
    ["All data and steps", false],
    ["{{ contact.metadata }}", false]
  ])("is read from %j: %j", (title, asks) => {
    expect(asksRun({ title })).toBe(asks)
  })

  it("is read in one pass, of whatever length the text is", () => {
    expect(asksRun({ html: `{% raw %}${"{".repeat(5_000_000)}{% endraw %}` })).toBe(false)
  })
})
