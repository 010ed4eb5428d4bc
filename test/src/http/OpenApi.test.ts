import { Validator } from "@seriousme/openapi-schema-validator"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { STATUS } from "../../../src/http/ApiError.ts"
import type { TestServer } from "./TestServer.ts"
import { schemaCompiler, startServer } from "./TestServer.ts"

let server: TestServer
beforeAll(async () => {
  server = await startServer()
})
afterAll(() => server.stop())

describe("GET /api/v1/openapi.json", () => {
  it("is valid OpenAPI 3.1 in the eyes of an independent validator", async () => {
    const validator = new Validator()
    const { valid, errors } = await validator.validate({ ...structuredClone(server.document) })
    expect(errors).toBeUndefined()
    expect(valid).toBe(true)
    expect(validator.version).toBe("3.1")
  })

  it("gives examples that its own schemas accept", () => {
    const compile = schemaCompiler(server.document)
    let examples = 0
    for (const [path, methods] of Object.entries(server.document.paths)) {
      for (const [method, { requestBody, responses }] of Object.entries(methods)) {
        const media = [requestBody, ...Object.values(responses)].flatMap((part) => Object.values(part?.content ?? {}))
        for (const { schema, example } of media) {
          if (example === undefined) continue
          const validate = compile(schema)
          expect(validate(example), `${method} ${path}: ${JSON.stringify(validate.errors)}`).toBe(true)
          examples++
        }
      }
    }
    expect(examples).toBeGreaterThan(40)
  })

  it("gives each operation a name of its own", () => {
    const names = Object.values(server.document.paths).flatMap((methods) =>
      Object.values(methods).map((operation) => (operation as unknown as { operationId: string }).operationId)
    )
    expect(new Set(names).size).toBe(names.length)
  })

  it("says of every operation with a key that it may answer 401, and 403 where the key must be secret", () => {
    for (const methods of Object.values(server.document.paths)) {
      for (const { security, responses } of Object.values(methods)) {
        if (security.length > 0) expect(Object.keys(responses)).toContain("401")
        if (security.length === 1) expect(Object.keys(responses)).toContain("403")
        expect(Object.keys(responses)).toContain("500")
      }
    }
  })

  it("says of every answer what is left of the rate limit, and of every counted operation that it may be refused", () => {
    for (const [path, methods] of Object.entries(server.document.paths)) {
      const isForSupervisors = ["/healthz", "/readyz", "/metrics"].includes(path)
      for (const { responses } of Object.values(methods)) {
        for (const { headers } of Object.values(responses)) {
          expect(Object.keys(headers!)).toEqual(
            expect.arrayContaining(["X-Request-Id", "X-RateLimit-Limit", "X-RateLimit-Remaining", "X-RateLimit-Reset"])
          )
        }
        if (isForSupervisors) expect(responses["429"]).toBeUndefined()
        else
          for (const status of ["429", "503"]) expect(Object.keys(responses[status]!.headers!)).toContain("Retry-After")
      }
    }
  })

  it("knows every error code", () => {
    const text = JSON.stringify(server.document.components.schemas["Error"])
    for (const code of Object.keys(STATUS)) expect(text).toContain(`"${code}"`)
  })

  it("has every example of a body accepted by the server that it describes", async () => {
    const accepted: Record<string, number> = {}
    for (const [path, methods] of Object.entries(server.document.paths)) {
      for (const [method, { requestBody }] of Object.entries(methods)) {
        // Keys, addresses and deliveries of an example are not real ones.
        if (
          requestBody === undefined ||
          path.includes("{id}") ||
          /credentials\/(apns|fcm|smtp)|webhooks|v1\/(events|track)/.test(path)
        )
          continue
        const [type, { example }] = Object.entries(requestBody.content)[0]!
        const { status } = await server.call(method.toUpperCase(), path, {
          key: server.ours.secretKey,
          body: example,
          headers: { "content-type": type }
        })
        accepted[`${method} ${path}`] = status
      }
    }
    expect(
      Object.values(accepted).every((status) => status < 300),
      JSON.stringify(accepted)
    ).toBe(true)
    expect(Object.keys(accepted).length).toBeGreaterThanOrEqual(5)
  })
})

describe("GET /docs", () => {
  it("shows every operation on a page that loads and runs nothing", async () => {
    const answer = await server.call("GET", "/docs")
    expect(answer.status).toBe(200)
    expect(answer.headers.get("content-type")).toBe("text/html; charset=utf-8")
    expect(answer.headers.get("content-security-policy")).toContain("default-src 'none'")
    expect(answer.text).not.toMatch(/<script|src=|@import/)
    for (const path of Object.keys(server.document.paths)) expect(answer.text).toContain(path)
  })
})
