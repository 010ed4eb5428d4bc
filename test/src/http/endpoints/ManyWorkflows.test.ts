import { afterAll, beforeAll, expect, it } from "vitest"
import { MOST_TRIGGERED } from "../../../../services/ports/workflows/WorkflowStore.ts"
import { startServer, type TestServer } from "../TestServer.ts"

let server: TestServer
beforeAll(async () => {
  server = await startServer()
})
afterAll(() => server.stop())

it("A workflow that begins by an event into which as many lead as may is not activated, in words that say what to do.", async () => {
  const key = server.ours.secretKey
  const body = {
    name: "One more",
    trigger: { type: "event", event: "boom" },
    steps: [{ key: "pause", type: "DELAY", seconds: 60 }]
  }
  const { id } = (await server.call("POST", "/api/v1/workflows", { key, body })).json
  await server.sql`
    INSERT INTO workflows (id, app_id, name, status, version_id, trigger_type, trigger_value)
    SELECT gen_random_uuid(), app_id, name, 'active', version_id, trigger_type, trigger_value
    FROM workflows, generate_series(1, ${MOST_TRIGGERED}) WHERE id = ${id}`
  const message =
    "There are 1000 active workflows that begin by the event boom, as many as there may be. Archive one, or let one do the work of several, with BRANCH."
  const refused = await server.call("POST", `/api/v1/workflows/${id}/activate`, { key })
  expect([refused.status, refused.json.error]).toMatchObject([409, { code: "conflict", message }])
  const query = `mutation { activateWorkflow(id: "${id}") { id } }`
  const asked = await server.call("POST", "/api/graphql", { key, body: { query } })
  expect([asked.status, asked.json.error]).toMatchObject([409, { code: "conflict", message }])
  expect((await server.call("GET", `/api/v1/workflows/${id}`, { key })).json.status).toBe("draft")
})
