import { Result, Schema } from "effect"
import { describe, expect, it } from "vitest"
import { RehearseWorkflow } from "../../../services/domain/workflows/Workflow.ts"
import type { Rehearsal } from "../../../dashboard/src/workflows/rehearsal.ts"
import { dataAs, dataOf, EMPTY, faultIn, pathsRead, requestOf } from "../../../dashboard/src/workflows/rehearsal.ts"
import type { Step } from "../../../dashboard/src/workflows/steps.ts"

const STEPS: ReadonlyArray<Step> = [
  { key: "ask", type: "FETCH", url: "https://example.com/{{ data.order.id }}" },
  {
    key: "which",
    type: "BRANCH",
    branches: [
      {
        conditions: { any: [{ data: [{ name: "total", op: "greater", value: 100 }] }] },
        steps: [{ key: "thanks", type: "SEND", content: { title: "Thank you, {{ data.name }}" } }]
      }
    ],
    else: [
      { key: "wait", type: "WAIT_FOR", event: "bought", seconds: 60 },
      { key: "vip", type: "FILTER", conditions: { data: [{ name: "steps.ask.body.vip", op: "equals", value: true }] } }
    ]
  }
]

/** As the API has it: GraphQL calls one field by another name. */
const taken = (typed: Rehearsal) => {
  const { userId, ...rest } = requestOf(typed, STEPS, "ada") as { readonly userId?: string }
  const request = { ...rest, ...(userId !== undefined && { user_id: userId }) }
  expect(Result.isSuccess(Schema.decodeUnknownResult(RehearseWorkflow)(request, { onExcessProperty: "error" }))).toBe(
    true
  )
  return request
}

describe("the form of a dry run", () => {
  it("asks for what the steps read of the trigger's data, in conditions and in texts", () => {
    expect(pathsRead(STEPS).toSorted()).toEqual(["name", "order.id", "total"])
  })

  it("puts fields inside one another by their paths, and leaves out those without a value", () => {
    expect(
      dataOf([
        { name: "order.id", value: "42" },
        { name: "order.lines", value: '["a"]' },
        { name: "name", value: "Ada" },
        { name: "total", value: " " },
        { name: "", value: "lost" }
      ])
    ).toEqual({ order: { id: 42, lines: ["a"] }, name: "Ada" })
  })

  it("shows the same data as JSON and as fields again, and keeps JSON that is no object", () => {
    const typed = {
      ...EMPTY,
      fields: [
        { name: "order.id", value: '"42"' },
        { name: "total", value: "150" }
      ]
    }
    const json = { ...typed, ...dataAs(typed, STEPS, "json") }
    expect(JSON.parse(json.json)).toEqual({ order: { id: "42" }, total: 150 })
    expect(dataAs(json, STEPS, "fields")?.fields).toEqual([...typed.fields, { name: "name", value: "" }])
    expect(dataAs({ ...json, json: "[1]" }, STEPS, "fields")).toBeNull()
  })

  it("asks what the service takes, of steps that are there", () => {
    expect(taken({ ...EMPTY, person: "ada" })).toEqual({ user_id: "ada", data: {} })
    const typed: Rehearsal = {
      ...EMPTY,
      who: "sample",
      tags: "vip, vip, news",
      attributes: [{ name: "plan", value: "pro" }],
      locale: "de",
      dataAs: "json",
      json: '{"total": 5}',
      outcomes: { thanks: "clicked", gone: "failed" },
      answers: { ask: { status: "", body: '{"vip": true}' }, gone: { status: "503", body: "" } },
      events: { wait: "", gone: "{}" }
    }
    expect(taken(typed)).toEqual({
      contact: { tags: ["vip", "news"], attributes: { plan: "pro" }, locale: "de", timezone: null },
      data: { total: 5 },
      outcomes: { thanks: ["sent", "delivered", "opened", "clicked"] },
      answers: { ask: { status: 200, body: { vip: true } } },
      events: { wait: {} }
    })
  })

  it("says in words what cannot be tried", () => {
    const fault = (changes: Partial<Rehearsal>, userId = "ada") => faultIn({ ...EMPTY, ...changes }, STEPS, userId)
    expect(fault({})).toBeNull()
    expect(fault({}, "")).toContain("Choose a contact")
    expect(fault({ who: "sample" }, "")).toBeNull()
    expect(fault({ dataAs: "json", json: "{" })).toContain("no JSON object")
    const row = (name: string) => ({ name, value: "1" })
    expect(fault({ fields: [row("total"), row("total")] })).toContain("total twice")
    expect(fault({ fields: [row("order"), row("order.id")] })).toContain("order and something inside it")
    expect(fault({ events: { wait: "5" } })).toContain("wait")
    const id = "9007199254740993"
    expect(fault({ dataAs: "json", json: `{"order": ${id}}` })).toMatch(
      "What the trigger brings cannot be sent: order is a number beyond 2^53"
    )
    expect(fault({ events: { wait: `{"order": ${id}}` } })).toMatch(
      "What the event of wait brings cannot be sent: order"
    )
    expect(fault({ answers: { ask: { status: "", body: `[${id}]` } } })).toMatch(
      "What ask is answered cannot be sent: [0]"
    )
    expect(dataAs({ ...EMPTY, dataAs: "json", json: `{"order": ${id}}` }, STEPS, "fields")).toBeNull()
    expect(fault({ answers: { ask: { status: "99", body: "" } } })).toContain("200 to 599")
    expect(fault({ events: { gone: "5" } })).toBeNull()
  })
})
