import { expect, it } from "vitest"
import { EMPTY, kept } from "../../../dashboard/src/workflows/draft.ts"
import type { Step } from "../../../dashboard/src/workflows/steps.ts"

const ask = (key: string): Step => ({
  key,
  type: "FETCH",
  headers: { authorization: "Bearer secret", accept: "********" }
})
const which: Step = {
  key: "which",
  type: "BRANCH",
  branches: [{ steps: [ask("a"), { key: "inner", type: "BRANCH", branches: [{ steps: [ask("b")] }] }] }],
  else: [ask("c")]
}
const place = { list: [], index: 0 }

it("keeps values of headers in no tab, however deep their step is, in the open dialog as well", () => {
  const json = '{"headers": {"authorization": "Bearer secret"}}'
  for (const open of [
    { place, step: which, isNew: false, json: null },
    { place, step: which, isNew: false, json },
    { place, step: ask("a"), isNew: true, json }
  ]) {
    const text = JSON.stringify(kept({ ...EMPTY, steps: [which], open }))
    expect(text).not.toContain("secret")
    expect(text).toContain('"accept":"********"')
  }
})

it("keeps the settings of a step without headers as they are typed", () => {
  const open = { place, step: which, isNew: false, json: '{"branches": [' }
  expect(kept({ ...EMPTY, open }).open?.json).toBe(open.json)
})
