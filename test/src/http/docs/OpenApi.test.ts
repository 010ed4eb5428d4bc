import { Validator } from "@seriousme/openapi-schema-validator"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { STATUS } from "../../../../src/http/pipeline/ApiError.ts"
import type { TestServer } from "../TestServer.ts"
import { schemaCompiler, startServer } from "../TestServer.ts"

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

  it("says which tries of a recipient are not counted, in the words of the GraphQL schema", () => {
    const document = JSON.stringify(server.document)
    const schema = readFileSync(join(import.meta.dirname, "../../../../docs/schema.graphql"), "utf8")
    const [inDocument, inSchema] = [document, schema].map((text) =>
      text.match(/Not counted [^"\n]*greylisting[^"\n]*/g)
    )
    expect(inDocument!.length).toBe(2)
    expect(inSchema).toEqual(inDocument)
  })

  it("has what is said of a text that must not hold U+0000", () => {
    const { properties } = server.document.components.schemas["RegisterDevice"]!
    expect(properties!["previous_token"]!.description).toContain("The token that this device had until now")
  })

  it("says what keys and paths of steps may be", () => {
    const text = JSON.stringify(server.document)
    for (const pattern of ["^[a-z][a-z0-9_]{0,63}$", "^(data|steps)(\\.[^.]+)+$"]) {
      expect(text).toContain(JSON.stringify(pattern))
    }
  })

  it("says in which form a time to send at, and a collapse key, are taken", () => {
    const { collapse_key, send_at } = server.document.components.schemas["SendNotification"]!.properties!
    expect(collapse_key!.description).toContain("Printable ASCII without spaces")
    expect(send_at!.description).toContain("2026-12-24T18:00:00.5+02:00")
  })

  it("says of every operation that takes a key what a repetition is answered while the first is at work", () => {
    let operations = 0
    for (const methods of Object.values(server.document.paths)) {
      for (const { parameters = [], responses } of Object.values(methods)) {
        if (!parameters.some(({ name }) => name === "Idempotency-Key")) continue
        operations++
        expect(Object.keys(responses["409"]!.headers!)).toContain("Retry-After")
        expect(responses["409"]!.description).toContain("repeat it with the same key")
      }
    }
    expect(operations).toBeGreaterThan(10)
  })

  it("has patterns that ECMA 262 with and without Unicode, Python and RE2 all read", () => {
    const patterns = new Set<string>()
    JSON.stringify(server.document, (name, value: unknown) => {
      if (name === "pattern" && typeof value === "string") patterns.add(value)
      if (name === "patternProperties") for (const each of Object.keys(value as object)) patterns.add(each)
      return value
    })
    expect(patterns.size).toBeGreaterThan(5)
    for (const pattern of patterns) {
      for (const flags of ["", "u"]) expect(() => new RegExp(pattern, flags), pattern).not.toThrow()
      // Properties of characters, escapes of one of them alone, looking around, references back, possessive and atomic.
      // RE2 repeats nothing more than a thousand times.
      expect(pattern).not.toMatch(/\{(\d+,)?\d{4,}\}/)
      expect(pattern).not.toMatch(/\\[pPukZzAGKXRhHvNCgQE]|\\[1-9]|\\c|\(\?(?!:)|[*+?}]\+|\[\[|&&/)
    }
    const name = [...patterns].find((pattern) => pattern.includes("\u2028"))!
    expect([new RegExp(name).test("a\u2028"), new RegExp(name).test("a\u0085"), new RegExp(name).test("ä 1")]).toEqual([
      false,
      false,
      true
    ])
  })

  it("takes FCM's service account in both forms that the server takes", () => {
    const [put] = Object.entries(server.document.paths).flatMap(([path, methods]) =>
      path === "/api/v1/credentials/fcm" ? [methods["put"]!] : []
    )
    expect(put).toMatchObject({
      requestBody: {
        content: {
          "application/json": {
            schema: {
              anyOf: [
                { $ref: "#/components/schemas/FcmCredential" },
                { $ref: "#/components/schemas/FcmServiceAccountFile" }
              ]
            }
          }
        }
      }
    })
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

  it("has every example of a body accepted by the server that it describes, but for what nobody can have", async () => {
    const key = server.ours.secretKey
    const bodies = Object.entries(server.document.paths).flatMap(([path, methods]) =>
      Object.entries(methods).flatMap(([method, { requestBody }]) =>
        Object.entries(requestBody?.content ?? {}).map(([type, { example }]) => ({ method, path, type, example }))
      )
    )
    const exampleOf = (path: string) =>
      bodies.find((one) => one.method === "post" && one.path === path)!.example as object
    /** Names of hosts are looked up, and there may be nobody to ask. */
    const reachable: Readonly<Record<string, object>> = {
      "/api/v1/webhooks": { url: "http://198.18.7.1/webhook" },
      "/api/v1/credentials/smtp": { url: "smtps://user:password@198.18.7.1:465" }
    }
    /** What there is of each kind, as its own example makes it. */
    const things = {
      contacts: {},
      channels: {},
      templates: {},
      segments: {},
      workflows: {},
      webhooks: reachable["/api/v1/webhooks"],
      "public/devices": {},
      notifications: { send_at: new Date(Date.now() + 3_600_000).toISOString() }
    }
    const ids = new Map<string, string>()
    for (const [kind, more] of Object.entries(things)) {
      const path = `/api/v1/${kind}`
      const { json, status } = await server.call("POST", path, { key, body: { ...exampleOf(path), ...more } })
      expect([kind, status < 300]).toEqual([kind, true])
      ids.set(kind.replace("public/", ""), json.id)
    }
    await server.call("POST", `/api/v1/workflows/${ids.get("workflows")}/activate`, { key })
    const refused: Record<string, ReadonlyArray<string>> = {}
    // What takes something away comes last.
    for (const { example, method, path, type } of bodies.toSorted(
      (a, b) => Number(a.method === "delete") - Number(b.method === "delete")
    )) {
      const id = ids.get(path.split("/")[3]!)!
      const { json, status } = await server.call(
        method.toUpperCase(),
        path.replace("{id}", id).replace("{external_id}", "user-42"),
        {
          key,
          body: path in reachable ? { ...(example as object), ...reachable[path] } : example,
          headers: { "content-type": type }
        }
      )
      if (status >= 300) refused[`${method} ${path}`] = json.error.details.map(({ field }: { field: string }) => field)
    }
    expect(refused).toEqual({
      "put /api/v1/credentials/apns": ["private_key"],
      "put /api/v1/credentials/fcm": ["service_account.private_key"],
      // 404: nobody has been sent anything.
      "post /api/v1/events": [],
      "post /api/v1/track": []
    })
    expect(bodies.length).toBeGreaterThan(45)
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

  it("prints requests that have all that is required, and claim no person without proof", async () => {
    const { text } = await server.call("GET", "/docs")
    const printed = [...text.matchAll(/<pre>curl ([^]*?)<\/pre>/g)].map(([, one]) => one!.replaceAll("&quot;", '"'))
    const inbox = printed.filter((one) => one.includes("/api/v1/public/inbox"))
    expect(inbox.length).toBeGreaterThanOrEqual(5)
    for (const one of inbox) {
      expect(one).toContain('?user_id=$USER_ID"')
      expect(one).toContain('-H "X-Identity-Hash: $IDENTITY_HASH"')
    }
    const imports = printed.filter((one) => one.includes("x-ndjson"))
    expect(imports.length).toBeGreaterThan(1)
    for (const one of imports) expect(one).toContain("--data-binary '")
    const body = /-d '([^']+)'/.exec(printed.find((one) => one.includes("/api/v1/public/devices"))!)![1]!
    const answer = await server.call("POST", "/api/v1/public/devices", { key: server.ours.publicKey, raw: body })
    expect(answer.status).toBe(201)
  })

  it("marks the query parameters that are required", async () => {
    const isRequired = (path: string, name: string) =>
      (path.startsWith("/api/v1/public/inbox") && name === "user_id") ||
      (path === "/api/v1/webhooks/{id}/delivery" && name === "event_id") ||
      (path === "/api/v1/notifications/{id}/webhook-deliveries" && name === "recipient_id")
    for (const [path, methods] of Object.entries(server.document.paths as Record<string, Record<string, any>>))
      for (const { parameters = [] } of Object.values(methods))
        for (const { in: where, name, required } of parameters)
          if (where === "query") expect([path, name, required]).toEqual([path, name, isRequired(path, name)])
  })
})
