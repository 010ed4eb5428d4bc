import { format, resolveConfig } from "prettier"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { generate } from "../../sdk/generator/Files.ts"
import type { Field } from "../../sdk/generator/Model.ts"
import { modelOf } from "../../sdk/generator/Model.ts"
import type { TestServer } from "../src/http/TestServer.ts"
import { startServer } from "../src/http/TestServer.ts"

let server: TestServer
let files: Readonly<Record<string, string>>
beforeAll(async () => {
  server = await startServer()
  files = generate(server.document)
})
afterAll(() => server.stop())

/** `npm run sdk:types` runs this file with `--update`, and so writes what it compares with. */
describe("what the SDKs have from the OpenAPI document", () => {
  it("is what `npm run sdk:types` writes, in every language", async () => {
    for (const [path, text] of Object.entries(files)) {
      const file = new URL(`../../${path}`, import.meta.url).pathname
      // What the formatter of the repository knows follows its rules.
      const isOurs = /\.(js|ts)$/.test(path)
      const formatted = isOurs ? await format(text, { ...(await resolveConfig(file)), filepath: file }) : text
      await expect(formatted).toMatchFileSnapshot(file)
    }
  })

  it("has a method for every operation of the API whose answer is JSON or lines", async () => {
    const served = Object.entries(server.document.paths).flatMap(([path, methods]) =>
      Object.entries(methods)
        .filter(([, { responses }]) => {
          const [, success] = Object.entries(responses).find(([status]) => status < "300") ?? []
          return Object.keys(success?.content ?? {}).some((type) => /json/.test(type))
        })
        .map(([method]) => `${method.toUpperCase()} ${path}`)
    )
    const { operations } = (await import("../../sdk/node/generated/operations.js")) as {
      readonly operations: Readonly<Record<string, Readonly<Record<string, { method: string; path: string }>>>>
    }
    const known = Object.values(operations).flatMap((of) => Object.values(of).map((o) => `${o.method} ${o.path}`))
    const missing = served.filter((operation) => !known.includes(operation))
    expect(missing).toEqual(["GET /healthz", "GET /readyz", "GET /", "GET /api/v1/openapi.json"])
  })

  it("knows which of what is sent are moments, and takes nothing else for one", () => {
    const model = modelOf(server.document)
    const isMoment = ({ type }: Field) => type.kind === "string" && type.isTime
    const sent = model.structs.flatMap(({ fields, name }) =>
      fields.filter(isMoment).map((field) => `${name} ${field.name}`)
    )
    const asked = model.resources.flatMap(({ operations }) =>
      operations.flatMap(({ name, query, resource }) =>
        query.filter(isMoment).map((field) => `${resource}.${name} ${field.name}`)
      )
    )
    const ofDevices = ["created_before", "created_from", "last_seen_before", "last_seen_from"]
    expect([...sent, ...asked].sort()).toEqual([
      "RedeliverWebhook from",
      "RedeliverWebhook to",
      "ReplayDeadLetters from",
      "ReplayDeadLetters to",
      "SendNotification send_at",
      "UpdateNotification send_at",
      "auditLog.list from",
      "auditLog.list to",
      "deadLetters.list from",
      "deadLetters.list to",
      ...ofDevices.map((name) => `devices.export ${name}`),
      ...ofDevices.map((name) => `devices.list ${name}`),
      "notifications.list created_from",
      "notifications.list created_to"
    ])
  })

  it("needs nothing but the file beside the SDKs", () => {
    expect(generate(JSON.parse(files["sdk/openapi.json"]!))).toEqual(files)
  })
})
