import { afterAll, beforeAll, describe, expect, it } from "vitest"
import type { TestServer } from "../TestServer.ts"
import { startServer } from "../TestServer.ts"

let server: TestServer
beforeAll(async () => {
  server = await startServer()
})
afterAll(() => server.stop())

describe("GET /", () => {
  it("says what this is, and leads to the documentation, without a key", async () => {
    const { headers, json, status } = await server.call("GET", "/")
    expect(status).toBe(200)
    expect(headers.get("vary")).toContain("Accept")
    expect(json).toMatchObject({ name: "heliograph", version: expect.stringMatching(/^\d+\.\d+\.\d+/) })
    for (const url of [json.docs, json.openapi, json.health]) {
      expect((await server.call("GET", new URL(url).pathname)).status, url).toBe(200)
    }
    expect(json.openapi.startsWith(json.api)).toBe(true)
  })

  it("is a page for browsers, whose links lead somewhere", async () => {
    const { headers, status, text } = await server.call("GET", "/", { headers: { accept: "text/html,*/*;q=0.8" } })
    expect(status).toBe(200)
    expect(headers.get("content-type")).toBe("text/html; charset=utf-8")
    expect(headers.get("content-security-policy")).toContain("default-src 'none'")
    const links = [...text.matchAll(/href="([^"]+)"/g)].map(([, href]) => href!)
    expect(links).toContain("/docs")
    for (const link of links) expect((await server.call("GET", link)).status, link).toBe(200)
  })
})
