import { afterAll, beforeAll, describe, expect, it } from "vitest"
import type { Tenant, TestServer } from "../TestServer.ts"
import { startServer } from "../TestServer.ts"

/* What an application that has templates take long does to the others, and what is said of it. */

let server: TestServer
beforeAll(async () => {
  server = await startServer()
})
afterAll(() => server.stop())

const post = (path: string, body: unknown, { secretKey }: Tenant) =>
  server.call("POST", `/api/v1${path}`, { key: secretKey, body })

/** A list that holds itself twice, forty times over: small, and too long to be ever written out. */
const ENDLESS =
  "{% assign a = '1,2' | split: ',' %}{% for i in (1..40) %}{% assign b = a | slice: 0, 0 | push: a | push: a %}{% assign a = b %}{% endfor %}{{ a }}"
const hello = { content: { title: "Hello {{ name }}" } }
const variables = { name: "Ada" }

describe("an application that keeps trying out templates which take too long", () => {
  it("is told so, and another one's previews, templates and sends succeed meanwhile", async () => {
    const { ours, theirs } = server
    const saved = await post("/templates", { name: "Hello", ...hello }, ours)
    const over = new AbortController()
    const statuses: Array<number> = []
    const greedy = Array.from({ length: 4 }, async () => {
      while (!over.signal.aborted) {
        const answer = await post("/templates/preview", { content: { html: ENDLESS } }, theirs)
        statuses.push(answer.status)
        if (answer.status === 400) expect(answer.json.error.message).toContain("takes too long")
        if (answer.status === 429) expect(answer.headers.get("retry-after")).toMatch(/^[1-9]\d*$/)
      }
    })
    // A thread that was ended has to start again, which on a busy machine may take longer than a request may.
    const persist = async (path: string, body: unknown) => {
      let answer = await post(path, body, ours)
      for (let more = 0; answer.status === 503 && more < 3; more++) answer = await post(path, body, ours)
      return answer
    }
    for (let round = 0; round < 5; round++) {
      const answers = [
        await persist("/templates/preview", { ...hello, variables }),
        await persist(`/templates/${saved.json.id}/preview`, { variables }),
        await persist("/templates", { name: `Hello ${round}`, ...hello }),
        await post("/notifications", { to: { all: true }, template_id: saved.json.id, variables }, ours)
      ]
      expect(answers.map(({ status }) => status)).toEqual([200, 200, 201, 202])
    }
    over.abort()
    await Promise.all(greedy)
    expect(statuses).toContain(400)
    for (const status of statuses) expect([400, 429, 503]).toContain(status)
    expect(server.logs.join("\n")).not.toContain("the database does not answer")
  })
})

describe("a send whose template has no turn in time", () => {
  it("is answered 503 in words about templates, and nothing is said of the database, which goes on", async () => {
    const greedy = await server.makeTenant()
    const ids = await Promise.all(
      Array.from({ length: 7 }, async (_, i) => {
        const made = await post("/templates", { name: `Endless ${i}`, content: { title: ENDLESS } }, greedy)
        return made.json.id as string
      })
    )
    const answers = await Promise.all(
      ids.map((template_id) => post("/notifications", { to: { all: true }, template_id }, greedy))
    )
    const late = answers.filter(({ status }) => status === 503)
    for (const { status } of answers) expect([400, 503]).toContain(status)
    expect(late.length).toBeGreaterThan(0)
    for (const { headers, json } of late) {
      expect(json.error).toMatchObject({
        code: "unavailable",
        message: "Templates wait too long for their turn at the moment. Try again after Retry-After seconds."
      })
      expect(headers.get("retry-after")).toMatch(/^[1-9]\d*$/)
    }
    const said = server.logs.join("\n")
    expect(said).toContain("Answered 503: templates wait too long for their turn")
    expect(said).not.toContain("the database does not answer")
    // As many as ask: the database is not taken for silent.
    const others = await Promise.all(
      Array.from({ length: 20 }, () => server.call("GET", "/api/v1/devices", { key: server.ours.secretKey }))
    )
    expect(new Set(others.map(({ status }) => status))).toEqual(new Set([200]))
  })
})
