import { Effect } from "effect"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { SignIn } from "../../services/engine/people/SignIn.ts"
import { uuidv7 } from "../../services/ports/NewId.ts"
import type { TestServer } from "../src/http/TestServer.ts"
import { startServer } from "../src/http/TestServer.ts"
import type { Operation } from "./Document.ts"
import { readOperations } from "./Document.ts"

/** The REST API takes keys and no sessions, in every operation that its document has (decision 0074). */

let server: TestServer
let operations: ReadonlyArray<Operation>
let token: string
beforeAll(async () => {
  server = await startServer()
  operations = readOperations(server.document).filter(
    ({ access, path }) => access !== "open" && path.startsWith("/api/v1/")
  )
  const code = await server.run(Effect.flatMap(SignIn, (all) => all.codeForOperator("ann@example.com", "sign_in")))
  const begun = await server.run(
    Effect.flatMap(SignIn, (all) => all.verifyCode("ann@example.com", code, { device: null, userAgent: "" }))
  )
  token = begun.token
})
afterAll(() => server.stop())

/** Asks for nothing that is there, with a body that is none: nothing happens, whoever asks. */
const ask = async ({ body, method, path }: Operation, headers: Record<string, string>) => {
  // The one id that a key is held against.
  const filled = path.replace("/apps/{id}", `/apps/${server.ours.appId}`).replace(/\{[^}]+\}/g, uuidv7())
  const answer = await server.call(method, filled, {
    headers: { ...(body === null ? undefined : { "content-type": body.type }), ...headers },
    ...(body === null ? undefined : { raw: "[" })
  })
  const { code = null, message = null } = answer.json?.error ?? {}
  return { status: answer.status, code, message, cookies: answer.headers.getSetCookie() }
}

const fromOurPage = (cookie: string) => ({ cookie, "sec-fetch-site": "same-origin" })

describe("every operation of the REST API", () => {
  it("answers a session's token 401, and says that it takes keys, and GraphQL sessions", async () => {
    expect(operations.length).toBeGreaterThan(60)
    const wrong: Array<unknown> = []
    for (const operation of operations) {
      for (const authorization of [`Bearer ${token}`, `ApiKey ${token}`]) {
        const { code, message, status } = await ask(operation, { authorization })
        const isClear = /This is the token of a session, and REST takes API keys.*GraphQL/.test(message)
        if (status !== 401 || code !== "unauthorized" || !isClear) wrong.push([operation.name, status, code, message])
      }
    }
    expect(wrong).toEqual([])
  })

  it("answers a session's cookie as nothing at all, whatever page it comes from", async () => {
    const wrong: Array<unknown> = []
    for (const operation of operations) {
      const nothing = await ask(operation, {})
      expect([operation.name, nothing]).toMatchObject([
        operation.name,
        { status: 401, code: "unauthorized", message: expect.stringMatching(/missing.*Sessions are good for GraphQL/) }
      ])
      for (const headers of [
        fromOurPage(`service_session=${token}`),
        fromOurPage(`service_session=x; service_session=${token}`),
        { cookie: `service_session=${token}`, "sec-fetch-site": "cross-site" }
      ]) {
        const answer = await ask(operation, headers)
        if (JSON.stringify(answer) !== JSON.stringify(nothing)) wrong.push([operation.name, headers, answer, nothing])
      }
    }
    expect(wrong).toEqual([])
  })

  it("looks at no cookie beside a key, good or bad, and takes none away", async () => {
    const wrong: Array<unknown> = []
    const authorization = `ApiKey ${server.ours.secretKey}`
    for (const operation of operations.filter(({ path }) => !path.endsWith("/stream"))) {
      const alone = await ask(operation, { authorization })
      for (const cookie of [
        `service_session=${token}`,
        "service_session=x.y.z",
        "service_session=a; service_session=b"
      ]) {
        const answer = await ask(operation, { authorization, cookie, "sec-fetch-site": "cross-site" })
        if (JSON.stringify(answer) !== JSON.stringify(alone)) wrong.push([operation.name, cookie, answer, alone])
      }
      if (alone.status === 401 || alone.status === 403 || alone.cookies.length > 0) wrong.push([operation.name, alone])
    }
    expect(wrong).toEqual([])
  })
})
