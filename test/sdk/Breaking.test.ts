import { readFileSync } from "node:fs"
import { describe, expect, it } from "vitest"
import { unnamed } from "../../sdk/generator/breaking.ts"
import type { Json } from "../../sdk/generator/Model.ts"

const read = (name: string): string => readFileSync(new URL(`../../${name}`, import.meta.url), "utf8")
const before = JSON.parse(read("sdk/openapi.released.json")) as Json

/** The released document, changed. */
const changed = (change: (document: any) => void): Json => {
  const document = structuredClone(before) as any
  change(document)
  return document
}

describe("the REST API", () => {
  it("breaks no client of the last release without a line in the changelog", () => {
    expect(unnamed(before, JSON.parse(read("sdk/openapi.json")), read("CHANGELOG.md"))).toEqual([])
  })

  it("may have more in it than before", () => {
    const more = changed(({ components, paths }) => {
      paths["/api/v1/more"] = paths["/api/v1/devices"]
      components.schemas.Device.properties.more = { type: "string" }
      components.schemas.Device.properties.status.enum.push("new")
      components.schemas.Device.properties.token.maxLength = 10
      components.schemas.CreateWebhook.properties.name.maxLength = 500
      components.schemas.UpdateDevice.properties.more = { type: "string" }
      components.schemas.UpdateDevice.properties.tags = { anyOf: [{ type: "null" }, { type: "array", items: {} }] }
    })
    expect(unnamed(before, more, "## 1")).toEqual([])
  })

  it.each<[string, (document: any) => void]>([
    ["DELETE /api/v1/devices/{id} is gone", ({ paths }) => delete paths["/api/v1/devices/{id}"].delete],
    ["Device.token is no longer answered", ({ components }) => delete components.schemas.Device.properties.token],
    ["Device.token is no longer always there", ({ components }) => components.schemas.Device.required.splice(2, 1)],
    [
      "UpdateDevice.tags is no longer taken",
      ({ components }) => delete components.schemas.UpdateDevice.properties.tags
    ],
    [
      "CreateChannel.address is required",
      ({ components }) => components.schemas.CreateChannel.required.push("address")
    ],
    [
      "CreateChannel.kind no longer takes inbox",
      ({ components }) => (components.schemas.CreateChannel.properties.kind.enum = ["email"])
    ],
    [
      "Device.status no longer answers invalid",
      ({ components }) => (components.schemas.Device.properties.status.enum = ["active"])
    ],
    [
      "CreateWebhook.name has a maxLength of 20, had 120",
      ({ components }) => (components.schemas.CreateWebhook.properties.name.maxLength = 20)
    ],
    [
      "SendNotification.ttl has a minimum of 60, had 0",
      ({ components }) => (components.schemas.SendNotification.properties.ttl.minimum = 60)
    ],
    [
      "CreateWebhook.url has the pattern ^https:",
      ({ components }) => (components.schemas.CreateWebhook.properties.url.pattern = "^https:")
    ],
    [
      "Delivery.attempts was integer, is string",
      ({ components }) => (components.schemas.Delivery.properties.attempts.type = "string")
    ],
    [
      "Device.created_at was string, is string or null",
      ({ components }) => (components.schemas.Device.properties.created_at.type = ["string", "null"])
    ],
    [
      "GET /api/v1/devices no longer takes platform",
      ({ paths }) => (paths["/api/v1/devices"].get.parameters = paths["/api/v1/devices"].get.parameters.slice(1))
    ],
    [
      "GET /api/v1/stats from was string, is integer",
      ({ paths }) => (paths["/api/v1/stats"].get.parameters[0].schema = { type: "integer" })
    ]
  ])("is told of what would break: %s", (said, change) => {
    const after = changed(change)
    const name = said.replace(/ (is|was|has|no longer) .*/, "")
    expect(unnamed(before, after, "## 1")).toEqual([said])
    expect(unnamed(before, after, `## 1\n- REST, breaking: \`${name}\` is another.\n`)).toEqual([])
    expect(unnamed(before, after, `## 2\n- Other\n## 1\n- REST, breaking: \`${name}\` is another.\n`)).toEqual([said])
  })
})
