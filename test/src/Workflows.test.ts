import { Effect, Exit, Scope } from "effect"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import type { System } from "../System.ts"
import { eventually, makeSystem } from "../System.ts"

/*
 * Workflows as their users meet them: over REST, with a real engine, a real database and devices at the far end.
 */

const scope = Effect.runSync(Scope.make())
let system: System
beforeAll(async () => {
  system = await Effect.runPromise(Scope.provide(makeSystem(), scope))
  await Effect.runPromise(system.importDevices(10))
})
afterAll(() => Effect.runPromise(Scope.close(scope, Exit.void)))

const call = (...args: Parameters<System["call"]>) => Effect.runPromise(system.call(...args))

/** Makes a workflow and activates it. */
const activated = async (draft: Record<string, unknown>): Promise<string> => {
  const made = await call("POST", "/api/v1/workflows", { trigger: { type: "api" }, ...draft })
  expect(made.body).toMatchObject({ status: "draft", version: 1 })
  const active = await call("POST", `/api/v1/workflows/${made.body.id}/activate`)
  expect(active.body).toMatchObject({ status: "active" })
  return made.body.id
}

const trigger = async (id: string, body: unknown) => {
  const { body: answer, status } = await call("POST", `/api/v1/workflows/${id}/trigger`, body)
  expect(answer).toMatchObject({ executions: expect.any(Number) })
  expect(status).toBe(202)
  return answer as { executions: number; execution_id: string }
}

const untilStatus = (id: string, ...statuses: ReadonlyArray<string>) =>
  Effect.runPromise(
    Effect.map(
      eventually(system.call("GET", `/api/v1/executions/${id}`), ({ body }) => statuses.includes(body.status)),
      ({ body }) => body
    )
  )

describe("a workflow", () => {
  it("sends what its steps say, to the person who entered, with the trigger's data", async () => {
    const { body: device } = await call("GET", "/api/v1/devices?limit=1")
    const userId = device.data[0].user_id as string
    const id = await activated({
      name: "Welcome",
      steps: [
        { key: "hello", type: "SEND", channels: ["push"], content: { title: "Hello {{ data.name }}" } },
        { key: "pause", type: "DELAY", seconds: 1 },
        { key: "pro", type: "FILTER", conditions: { data: [{ name: "plan", op: "equals", value: "pro" }] } },
        { key: "more", type: "SEND", channels: ["push"], content: { title: "More" } }
      ]
    })
    const first = await trigger(id, { to: { user_ids: [userId] }, data: { name: "Ada", plan: "pro" } })
    const second = await trigger(id, { to: { user_ids: [userId] }, data: { name: "Bo", plan: "free" } })
    expect(await untilStatus(first.execution_id, "completed")).toMatchObject({
      history: [
        { step_order: 1, outcome: "passed" },
        { step_order: 2, outcome: "waiting" },
        { step_order: 2, outcome: "passed" },
        { step_order: 3, outcome: "passed", findings: [{ about: "data.plan", fits: true, actual: "pro" }] },
        { step_order: 4, outcome: "passed" }
      ]
    })
    // Each SEND tells which message it is, in both ways of asking.
    const { body: whole } = await call("GET", `/api/v1/executions/${first.execution_id}`)
    const sent = whole.history.map((one: any) => one.notification_id)
    expect(sent).toEqual([expect.any(String), undefined, undefined, undefined, expect.any(String)])
    const { body: message } = await call("GET", `/api/v1/notifications/${sent[0]}`)
    const from = { workflow_id: id, workflow_step: "hello" }
    expect(message).toMatchObject({ id: sent[0], to: { user_ids: [userId] }, ...from })
    const query = `query ($id: ID!, $message: ID!) {
      execution(id: $id) { history { outcome notificationId } }
      notification(id: $message) { workflowId workflowStep }
    }`
    const variables = { id: first.execution_id, message: sent[0] }
    const { body: asked } = await call("POST", "/api/graphql", { query, variables })
    expect(asked.data.notification).toEqual({ workflowId: id, workflowStep: "hello" })
    expect(asked.data.execution.history.map((one: any) => one.notificationId ?? undefined)).toEqual(sent)
    expect(await untilStatus(second.execution_id, "filtered")).toMatchObject({ step_order: 3 })
    const { body: list } = await call("GET", "/api/v1/notifications?limit=10")
    expect(list.data.map((one: any) => one.workflow_step).sort()).toEqual(["hello", "hello", "more"])
    for (const { id: notification } of list.data) {
      await Effect.runPromise(system.until(notification, ({ status }) => status === "completed"))
    }
    const { body: all } = await call("GET", "/api/v1/notifications?limit=10")
    expect(all.data.map((one: any) => one.counts.sent)).toEqual([1, 1, 1])
    const { body: statistics } = await call("GET", `/api/v1/workflows/${id}/statistics`)
    expect(statistics.steps).toMatchObject([
      { entered: 2, passed: 2, waiting: 0 },
      { entered: 2, passed: 2, waiting: 0 },
      { entered: 2, passed: 1, stopped: 1, waiting: 0 },
      { entered: 1, passed: 1, waiting: 0 }
    ])
  })
})

describe("what lets people in", () => {
  it("is an event of the application's own, which runs that wait for it hear as well", async () => {
    const id = await activated({
      name: "Cart",
      trigger: { type: "event", event: "cart_filled" },
      steps: [
        { key: "bought", type: "WAIT_FOR", event: "bought", match: { event: "cart", run: "data.cart" }, seconds: 600 },
        { key: "thanks", type: "UPDATE_CONTACT", tags_add: ["buyer"], attributes: { last: "cart" } }
      ]
    })
    for (const cart of [1, 2]) {
      const raised = await call("POST", "/api/v1/events/custom", {
        event: "cart_filled",
        user_id: "u-ev",
        data: { cart }
      })
      expect(raised.status).toBe(202)
    }
    const { body: open } = await Effect.runPromise(
      eventually(
        system.call("GET", `/api/v1/executions?workflow_id=${id}`),
        ({ body }) => body.data.length === 2 && body.data.every((one: any) => one.step_order === 1)
      )
    )
    await call("POST", "/api/v1/events/custom", { event: "bought", user_id: "u-ev", data: { cart: 2 } })
    await Effect.runPromise(
      eventually(
        system.call("GET", `/api/v1/executions?workflow_id=${id}&status=completed`),
        ({ body }) => body.data.length === 1
      )
    )
    const { body: done } = await call("GET", `/api/v1/executions?workflow_id=${id}&status=completed`)
    const { body: whole } = await call("GET", `/api/v1/executions/${done.data[0].id}`)
    expect(whole).toMatchObject({ data: { cart: 2 }, steps: { bought: { data: { cart: 2 }, timed_out: false } } })
    const { body: contact } = await call("GET", "/api/v1/contacts/by-external-id/u-ev")
    expect(contact).toMatchObject({ tags: ["buyer"], attributes: { last: "cart" } })
    expect(open.data).toHaveLength(2)
  })

  it("is a tag that comes, and a segment that is entered, each once", async () => {
    const { body: segment } = await call("POST", "/api/v1/segments", {
      name: "Pro",
      filter: { attributes: [{ name: "plan", op: "equals", value: "pro" }] }
    })
    await call("POST", "/api/v1/contacts", { external_id: "was-pro", attributes: { plan: "pro" } })
    const end = [{ key: "end", type: "FILTER", conditions: { tags_none: ["nobody"] } }]
    const tagged = await activated({ name: "Tag", trigger: { type: "tag_added", tag: "vip" }, steps: end })
    const entered = await activated({
      name: "Segment",
      trigger: { type: "segment_entered", segment_id: segment.id },
      steps: end
    })
    const runs = async (workflow: string) =>
      (await call("GET", `/api/v1/executions?workflow_id=${workflow}`)).body.data.map((one: any) => one.user_id).sort()
    await call("POST", "/api/v1/contacts", { external_id: "t1", tags: ["vip"] })
    await call("POST", "/api/v1/contacts", { external_id: "t1", tags: ["vip", "more"] })
    await call("POST", "/api/v1/contacts", { external_id: "t2", attributes: { plan: "free" } })
    await call("POST", "/api/v1/contacts", { external_id: "t2", attributes: { plan: "pro" } })
    await call("POST", "/api/v1/contacts", { external_id: "was-pro", attributes: { plan: "pro", more: 1 } })
    await Effect.runPromise(
      eventually(
        Effect.promise(() => runs(tagged)),
        (all) => all.length === 1
      )
    )
    await Effect.runPromise(
      eventually(
        Effect.promise(() => runs(entered)),
        (all) => all.length === 1
      )
    )
    expect(await runs(tagged)).toEqual(["t1"])
    expect(await runs(entered)).toEqual(["t2"])
  })
})

describe("steps", () => {
  it("collect what comes for one key into one digest, and let a few through a throttle", async () => {
    const id = await activated({
      name: "Digest",
      trigger: { type: "event", event: "comment" },
      steps: [
        { key: "sum", type: "DIGEST", by: "data.thread", seconds: 3 },
        { key: "cap", type: "THROTTLE", at_most: 1, per_seconds: 600 }
      ]
    })
    await Promise.all(
      Array.from({ length: 40 }, (_, i) =>
        call("POST", "/api/v1/events/custom", { event: "comment", user_id: "u-dig", data: { thread: i % 2, i } })
      )
    )
    await Effect.runPromise(
      eventually(
        system.call("GET", `/api/v1/executions?workflow_id=${id}&limit=100`),
        ({ body }) => body.data.length === 40 && body.data.every((one: any) => one.ended_at !== null)
      )
    )
    const { body: all } = await call("GET", `/api/v1/executions?workflow_id=${id}&limit=100`)
    const wholes = await Promise.all(all.data.map((one: any) => call("GET", `/api/v1/executions/${one.id}`)))
    const digests = wholes.map(({ body }) => body.steps.sum).filter((sum) => sum !== undefined)
    expect(digests.map(({ count }: any) => count)).toEqual([20, 20])
    expect(all.data.filter((one: any) => one.status === "filtered")).toHaveLength(1)
  })
})

describe("a definition", () => {
  it("is refused with the path of each fault", async () => {
    const refused = await call("POST", "/api/v1/workflows", {
      name: "Wrong",
      trigger: { type: "api" },
      steps: [
        { key: "a", type: "FILTER", conditions: { steps: [{ key: "later", is: "opened" }] } },
        { key: "a", type: "SEND", content: { title: "{{ unclosed" } },
        {
          key: "which",
          type: "BRANCH",
          branches: [
            { conditions: { tags_any: ["x"] }, steps: [{ key: "b", type: "DELAY", seconds: 1 }] },
            { conditions: { tags_any: ["x"] }, steps: [{ key: "c", type: "DELAY", seconds: 1 }] }
          ]
        }
      ]
    })
    expect(refused.status).toBe(400)
    expect(refused.body.error.details.map(({ field }: any) => field).sort()).toEqual([
      "steps[0].conditions.steps[0].key",
      "steps[1].content.title",
      "steps[1].key",
      "steps[2].branches[1]"
    ])
    const formless = await call("POST", "/api/v1/workflows", {
      name: "Wrong",
      trigger: { type: "schedule", cron: "61 * * * *", timezone: "Mars/Olympus", to: { all: true } },
      steps: [{ key: "d", type: "DELAY", seconds: 1, until: "09:00" }]
    })
    expect(formless.status).toBe(400)
    expect(formless.body.error.details.map(({ field }: any) => field).sort()).toEqual([
      "steps[0]",
      "trigger.cron",
      "trigger.timezone"
    ])
    const never = await call("POST", "/api/v1/workflows", {
      name: "Wrong",
      trigger: { type: "schedule", cron: "0 0 30 2 *", timezone: "UTC", to: { all: true } },
      steps: [{ key: "d", type: "DELAY", seconds: 1 }]
    })
    expect(never.body.error.details).toEqual([
      { field: "trigger.cron", message: "must be a time that comes: none of its months has such a day" }
    ])
  })

  it("has no headers that belong to a connection, or to the request itself", async () => {
    const saved = (headers: Record<string, string>) =>
      call("POST", "/api/v1/workflows", {
        name: "Ask",
        trigger: { type: "api" },
        steps: [{ key: "ask", type: "FETCH", url: "https://example.com/", headers }]
      })
    const taken = ["Expect", "upgrade", "Keep-Alive", "te", "trailer", "proxy-authorization", "Proxy-Connection"]
    const own = ["connection", "transfer-encoding", "host", "content-length", "http2-settings", "accept-encoding"]
    for (const name of [...taken, ...own]) {
      const { body, status } = await saved({ [name]: "x" })
      expect([name, status, body.error?.details?.[0]?.field]).toEqual([name, 400, `steps[0].headers.${name}`])
    }
    expect((await saved({ "X-Key": "a", "x-key": "b" })).status).toBe(400)
    expect((await saved({ "X-Key": "a", Authorization: "Bearer a", "User-Agent": "Shop" })).status).toBe(201)
  })

  it("wants a body where there is none", async () => {
    const { status, json } = await Effect.runPromise(
      Effect.promise(async () => {
        const url = `${system.url}/api/v1/workflows`
        const answer = await fetch(url, {
          method: "POST",
          headers: { authorization: `ApiKey ${system.app.secretKey}` }
        })
        return { status: answer.status, json: (await answer.json()) as any }
      })
    )
    expect([status, json.error.message]).toEqual([
      415,
      "Send a body, with the header `Content-Type: application/json`."
    ])
  })

  it("can be tried without sending anything", async () => {
    const { body: made } = await call("POST", "/api/v1/workflows", {
      name: "Try",
      trigger: { type: "api" },
      steps: [
        { key: "hello", type: "SEND", channels: ["push"], content: { title: "Hello {{ data.name }}" } },
        { key: "wait", type: "DELAY", until: "09:00" },
        { key: "ask", type: "FETCH", url: "https://example.com/{{ data.name }}" },
        {
          key: "which",
          type: "BRANCH",
          branches: [
            {
              conditions: {
                steps: [{ key: "hello", is: "opened" }],
                data: [{ name: "steps.ask.body.vip", op: "equals", value: true }]
              },
              steps: [{ key: "mark", type: "UPDATE_CONTACT", tags_add: ["vip"] }]
            }
          ],
          else: [{ key: "no", type: "FILTER", conditions: { tags_any: ["never"] } }]
        },
        { key: "end", type: "FILTER", conditions: { tags_any: ["vip"] } }
      ]
    })
    const before = (await call("GET", "/api/v1/notifications?limit=100")).body.data.length
    const tried = await call("POST", `/api/v1/workflows/${made.id}/dry-run`, {
      contact: { attributes: { plan: "pro" } },
      data: { name: "Ada" },
      outcomes: { hello: ["sent", "opened"] },
      answers: { ask: { status: 200, body: { vip: true } } }
    })
    expect(tried.body).toMatchObject({
      status: "completed",
      messages: [{ key: "hello", content: { title: "Hello Ada" } }]
    })
    expect(tried.body.history.map(({ outcome, step_order }: any) => [step_order, outcome])).toEqual([
      [1, "passed"],
      [2, "waiting"],
      [2, "passed"],
      [3, "passed"],
      [4, "passed"],
      [5, "passed"],
      [7, "passed"]
    ])
    const full = await call("POST", `/api/v1/workflows/${made.id}/dry-run`, {
      contact: { tags: Array.from({ length: 100 }, (_, i) => `t${i}`) },
      outcomes: { hello: ["opened"] },
      answers: { ask: { status: 200, body: { vip: true } } }
    })
    expect(full.body).toMatchObject({ status: "failed", error: "contact: tags must be at most 100" })
    // What may pass is asked again, as it is for real, and then the run fails.
    const refused = await call("POST", `/api/v1/workflows/${made.id}/dry-run`, { answers: { ask: { status: 503 } } })
    expect(refused.body).toMatchObject({ status: "failed", error: "fetch: answered 503" })
    expect(refused.body.history.slice(3).map(({ outcome }: any) => outcome)).toEqual(["waiting", "waiting", "failed"])
    const unknown = await call("POST", `/api/v1/workflows/${made.id}/dry-run`, {
      answers: { hello: { status: 200 }, asked: { status: 200 } },
      outcomes: { nobody: ["sent"] },
      events: { wait: {} }
    })
    expect(unknown.body.error.details).toEqual([
      { field: "outcomes.nobody", message: "is no SEND step of the workflow" },
      { field: "events.wait", message: "is no WAIT_FOR step of the workflow" },
      { field: "answers.hello", message: "is no FETCH step of the workflow" },
      { field: "answers.asked", message: "is no FETCH step of the workflow" }
    ])
    const other = await call("POST", `/api/v1/workflows/${made.id}/dry-run`, { contact: {}, data: {} })
    expect(other.body).toMatchObject({ status: "filtered" })
    expect((await call("GET", "/api/v1/notifications?limit=100")).body.data.length).toBe(before)
  })
})

describe("a dry run", () => {
  const tried = async (id: string, body: unknown) => (await call("POST", `/api/v1/workflows/${id}/dry-run`, body)).body

  it("knows the devices of a contact who is there", async () => {
    const { body: devices } = await call("GET", "/api/v1/devices?limit=1")
    const [{ platform, user_id }] = devices.data
    await call("POST", "/api/v1/contacts", { external_id: user_id })
    const { body: made } = await call("POST", "/api/v1/workflows", {
      name: "Devices",
      trigger: { type: "api" },
      steps: [
        { key: "has", type: "FILTER", conditions: { platforms: [platform], last_seen: { within_days: 1 } } },
        { key: "again", type: "FILTER", conditions: { engagement: [{ type: "clicked", within_days: 1, not: true }] } }
      ]
    })
    expect(await tried(made.id, { user_id })).toMatchObject({
      status: "completed",
      history: [{ findings: [{ about: "platforms", fits: true, actual: [platform] }, { about: "last_seen" }] }, {}]
    })
    expect(await tried(made.id, { contact: {} })).toMatchObject({ status: "filtered" })
  })

  it("ends where somebody leaves the segment that let them in before a message, and nobody else does", async () => {
    const { body: segment } = await call("POST", "/api/v1/segments", { name: "New", filter: { tags_any: ["new"] } })
    const { body: made } = await call("POST", "/api/v1/workflows", {
      name: "New",
      trigger: { type: "segment_entered", segment_id: segment.id.toUpperCase() },
      steps: [
        { key: "hello", type: "SEND", channels: ["push"], content: { title: "Hello" } },
        { key: "known", type: "UPDATE_CONTACT", tags_remove: ["new"] },
        { key: "more", type: "SEND", channels: ["push"], content: { title: "More" } }
      ]
    })
    expect(made.trigger).toEqual({ type: "segment_entered", segment_id: segment.id })
    expect(await tried(made.id, { contact: { tags: ["new"] } })).toMatchObject({
      status: "filtered",
      history: [{}, {}, { step_order: 3, outcome: "stopped", detail: "is not in the segment any more" }],
      messages: [{ key: "hello" }]
    })
    expect(await tried(made.id, { contact: {} })).toMatchObject({ status: "completed" })
  })

  it("is told of steps by keys that are their own", async () => {
    const { body: made } = await call("POST", "/api/v1/workflows", {
      name: "Keys",
      trigger: { type: "api" },
      steps: [
        { key: "constructor", type: "WAIT_FOR", event: "bought", seconds: 60 },
        {
          key: "late",
          type: "FILTER",
          conditions: { data: [{ name: "steps.constructor.timed_out", op: "equals", value: true }] }
        }
      ]
    })
    expect(await tried(made.id, { contact: {}, events: {} })).toMatchObject({ status: "completed" })
  })
})

describe("a FETCH", () => {
  it("asks a server by what the run carries, with headers that nobody is shown again", async () => {
    const secret = "Bearer s3cret-of-the-shop"
    const heard: Array<{ readonly path: string; readonly authorization: string | undefined }> = []
    const server = createServer((request, response) => {
      heard.push({ path: request.url!, authorization: request.headers.authorization })
      response.end('{"total":3}')
    })
    await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening))
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    try {
      const ask = { key: "ask", type: "FETCH", url: `${url}/carts/{{ data.cart }}`, headers: { Authorization: secret } }
      const steps = [
        { key: "which", type: "BRANCH", branches: [{ conditions: { tags_any: ["no"] }, steps: [] }], else: [ask] },
        {
          key: "some",
          type: "FILTER",
          conditions: { data: [{ name: "steps.ask.body.total", op: "equals", value: 3 }] }
        }
      ]
      const shown: Array<unknown> = []
      const asked = async (...args: Parameters<typeof call>) => {
        const answer = await call(...args)
        shown.push(answer.body)
        return answer
      }
      const { body: made } = await asked("POST", "/api/v1/workflows", { name: "Ask", trigger: { type: "api" }, steps })
      expect(made.steps[0].else[0].headers).toEqual({ Authorization: "********" })
      const path = `/api/v1/workflows/${made.id}`
      await asked("POST", `${path}/activate`)
      const { body: read } = await asked("GET", path)
      // Written as it was read, it stays what it was; for another URL it has to be given.
      await asked("PATCH", path, { name: "Asked", steps: read.steps })
      const [{ else: inner, ...which }, some] = read.steps
      const elsewhere = [{ ...which, else: [{ ...inner[0], url: "https://elsewhere.example.com/" }] }, some]
      const refused = await asked("PATCH", path, { steps: elsewhere })
      expect(refused.body.error.details).toMatchObject([{ field: "steps[0].else[0].headers.Authorization" }])
      const { execution_id } = await trigger(made.id, { to: { user_ids: ["asker"] }, data: { cart: 7 } })
      shown.push(await untilStatus(execution_id, "completed"))
      expect(heard).toEqual([{ path: "/carts/7", authorization: secret }])
      await asked("GET", "/api/v1/workflows")
      await asked("POST", `${path}/dry-run`, { data: { cart: 1 } })
      const query = `{ workflow(id: "${made.id}") { version steps } execution(id: "${execution_id}") { history { detail } steps } }`
      const { body: graph } = await asked("POST", "/api/graphql", { query })
      expect(graph.data.workflow).toMatchObject({ version: 2, steps: read.steps })
      expect(JSON.stringify(shown)).not.toContain("s3cret")
      const faulty = await trigger(made.id, { to: { user_ids: ["asker"] }, data: { cart: "a\nb" } })
      expect(await untilStatus(faulty.execution_id, "failed")).toMatchObject({
        error: "fetch: url must be one line without control characters"
      })
    } finally {
      server.close()
    }
  })
})

describe("versions", () => {
  it("stay to be read, with who made them and how many runs are on each", async () => {
    const ask = { key: "ask", type: "FETCH", url: "https://example.com/", headers: { "X-Key": "s3cret" } }
    const later = { key: "later", type: "DELAY", seconds: 3600 }
    const id = await activated({ name: "Past", steps: [later, ask] })
    await trigger(id, { to: { user_ids: ["past-1", "past-2"] } })
    await call("PATCH", `/api/v1/workflows/${id}`, { steps: [later], reentry: "once" })
    const { execution_id } = await trigger(id, { to: { user_ids: ["past-3"] } })
    const { body: page } = await call("GET", `/api/v1/workflows/${id}/versions?limit=1`)
    expect(page.data).toMatchObject([
      { version: 2, runs: 1, actor: { kind: "key", id: expect.any(String), email: null } }
    ])
    const rest = await call("GET", `/api/v1/workflows/${id}/versions?cursor=${page.next_cursor}`)
    expect(rest.body).toMatchObject({ data: [{ version: 1, runs: 2 }], next_cursor: null })

    const first = await call("GET", `/api/v1/workflows/${id}/version?version=1`)
    expect(first.body).toMatchObject({
      version: 1,
      runs: 2,
      trigger: { type: "api" },
      steps: [later, { ...ask, headers: { "X-Key": "********" } }],
      reentry: "always"
    })
    await call("POST", `/api/v1/executions/${execution_id}/cancel`)
    const second = await call("GET", `/api/v1/workflows/${id}/version?version=2`)
    expect(second.body).toMatchObject({ version: 2, runs: 0, steps: [later], reentry: "once" })
    // What was sealed for a version that is not the latest any more has to be given anew.
    const taken = await call("PATCH", `/api/v1/workflows/${id}`, { steps: first.body.steps })
    expect(taken.body.error.details).toMatchObject([{ field: "steps[1].headers.X-Key" }])

    expect((await call("GET", `/api/v1/workflows/${id}/version?version=3`)).status).toBe(404)
    expect((await call("GET", `/api/v1/workflows/${id}/version`)).body).toEqual(second.body)
    await call("DELETE", `/api/v1/workflows/${id}`)
    expect((await call("GET", `/api/v1/workflows/${id}/versions`)).status).toBe(404)
    expect((await call("GET", `/api/v1/workflows/${id}/version?version=1`)).status).toBe(404)
  })

  it("are not written over by who has not seen them", async () => {
    const { body: made } = await call("POST", "/api/v1/workflows", {
      name: "Shared",
      trigger: { type: "api" },
      steps: [{ key: "later", type: "DELAY", seconds: 60 }]
    })
    const change = (name: string, version: number) => call("PATCH", `/api/v1/workflows/${made.id}`, { name, version })
    expect((await change("Mine", 1)).body).toMatchObject({ name: "Mine", version: 2 })
    const late = await change("Theirs", 1)
    expect([late.status, late.body.error.code]).toEqual([409, "conflict"])
    expect((await call("GET", `/api/v1/workflows/${made.id}`)).body).toMatchObject({ name: "Mine", version: 2 })
    const both = await Promise.all([change("One", 2), change("Two", 2)])
    expect(both.map(({ status }) => status).toSorted()).toEqual([200, 409])
  })
})

describe("runs under way", () => {
  const waiting = [{ key: "long", type: "DELAY", seconds: 86_400 }]

  it("are cancelled one by one, and all when their workflow is archived or deleted", async () => {
    const id = await activated({ name: "Long", steps: waiting })
    const { execution_id: one } = await trigger(id, { to: { user_ids: ["c1"] } })
    const { executions } = await trigger(id, { to: { user_ids: ["c2", "c3", "c2"] } })
    expect(executions).toBe(2)
    const cancelled = await call("POST", `/api/v1/executions/${one}/cancel`)
    expect(cancelled.body).toMatchObject({ status: "cancelled", reason: "operator" })
    expect((await call("POST", `/api/v1/executions/${one}/cancel`)).status).toBe(200)
    expect((await call("POST", `/api/v1/workflows/${id}/archive`)).body).toMatchObject({ status: "archived" })
    const { body } = await Effect.runPromise(
      eventually(system.call("GET", `/api/v1/executions?workflow_id=${id}`), ({ body }) =>
        body.data.every((run: any) => run.status === "cancelled")
      )
    )
    expect(body.data.map(({ reason }: any) => reason).sort()).toEqual(["archived", "archived", "operator"])
    expect((await call("POST", `/api/v1/workflows/${id}/trigger`, { to: { user_ids: ["c4"] } })).status).toBe(409)
  })

  it("stay on the version that they entered, and one person enters once where the workflow says so", async () => {
    const id = await activated({ name: "Once", reentry: "once", steps: waiting })
    const first = await trigger(id, { to: { user_ids: ["o1"] } })
    await call("PATCH", `/api/v1/workflows/${id}`, { steps: [{ key: "short", type: "DELAY", seconds: 5 }] })
    const again = await trigger(id, { to: { user_ids: ["o1", "o2"] } })
    expect(again.executions).toBe(1)
    const { body: old } = await call("GET", `/api/v1/executions/${first.execution_id}`)
    const { body: young } = await call("GET", `/api/v1/executions/${again.execution_id}`)
    expect([old.version, young.version, young.user_id]).toEqual([1, 2, "o2"])
    const races = await Promise.all(Array.from({ length: 20 }, () => trigger(id, { to: { user_ids: ["o3"] } })))
    expect(races.map(({ executions }) => executions).reduce((sum, n) => sum + n)).toBe(1)
  })
})
