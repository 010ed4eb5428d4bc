import { format, resolveConfig } from "prettier"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { generate } from "../../sdk/generate.ts"
import type { TestServer } from "../src/http/TestServer.ts"
import { startServer } from "../src/http/TestServer.ts"

let server: TestServer
beforeAll(async () => {
  server = await startServer()
})
afterAll(() => server.stop())

/** `npm run sdk:types` runs this file with `--update`, and so writes what it compares with. */
describe("what the SDK has from the OpenAPI document", () => {
  it.each(["api.d.ts", "operations.js"] as const)("is what `npm run sdk:types` writes: %s", async (name) => {
    const file = new URL(`../../sdk/node/generated/${name}`, import.meta.url).pathname
    const options = await resolveConfig(file)
    await expect(await format(generate(server.document)[name], { ...options, filepath: file })).toMatchFileSnapshot(
      file
    )
  })

  it("has a method for every operation of the API whose answer is JSON or lines", () => {
    const served = Object.entries(server.document.paths).flatMap(([path, methods]) =>
      Object.entries(methods)
        .filter(([, { responses }]) => {
          const [, success] = Object.entries(responses).find(([status]) => status < "300") ?? []
          return Object.keys(success?.content ?? {}).some((type) => /json/.test(type))
        })
        .map(([method]) => `${method.toUpperCase()} ${path}`)
    )
    const known = generate(server.document)["operations.js"]
    const missing = served.filter((operation) => {
      const [method, path] = operation.split(" ")
      return !known.includes(`"method":"${method}","path":"${path}"`)
    })
    expect(missing).toEqual(["GET /healthz", "GET /readyz", "GET /", "GET /api/v1/openapi.json"])
  })
})
