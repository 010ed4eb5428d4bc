import { Effect, Exit, Scope } from "effect"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { isJsonObject } from "../../services/domain/Json.ts"
import type { System } from "../System.ts"
import { makeSystem } from "../System.ts"
import type { Operation } from "./Document.ts"
import { readOperations } from "./Document.ts"
import type { Tenant } from "./Tenant.ts"
import { makeTenant, thingOf } from "./Tenant.ts"

const scope = Effect.runSync(Scope.make())
let system: System
let operations: ReadonlyArray<Operation>
let ours: Tenant
beforeAll(async () => {
  system = await Effect.runPromise(Scope.provide(makeSystem({ ROLES: "api" }), scope))
  operations = readOperations((await (await fetch(`${system.url}/api/v1/openapi.json`)).json()) as never)
  ours = await makeTenant(system, operations)
})
afterAll(() => Effect.runPromise(Scope.close(scope, Exit.void)))

const AT_ONCE = 20

/** Examples that are another one for each request, so that each has something to write. */
const bodyOf = ({ body, path }: Operation, i: number): unknown => {
  const kind = path.split("/").at(-1)!
  const given = path.includes("/credentials/")
    ? (system.fleet.description.credentials as Record<string, unknown>)[kind]
    : body!.example
  // Without a version the last one wins.
  const { version: _version, ...example } = given as Record<string, unknown>
  if (typeof example["name"] === "string") return { ...example, name: `${example["name"]} ${i}` }
  if (isJsonObject(example["content"])) return { ...example, content: { ...example["content"], title: `Title ${i}` } }
  return Array.isArray(example["tags"]) ? { ...example, tags: [`t${i}`] } : example
}

describe("twenty changes of one thing at once", () => {
  it("are all made, whatever the thing is, where none names a version", async () => {
    const wrong: Array<unknown> = []
    const changes = operations.filter(({ access, method }) => access === "secret" && /^(?:PATCH|PUT)$/.test(method))
    for (const operation of changes) {
      const ids = { id: ours.things.get(thingOf(operation.path)) ?? "" }
      const answers = await Promise.all(
        Array.from({ length: AT_ONCE }, (_, i) =>
          ours.ask(operation, { ids, body: JSON.stringify(bodyOf(operation, i)) })
        )
      )
      const refused = answers.filter(({ status }) => status !== 200)
      if (refused.length > 0) wrong.push([operation.name, refused.length, refused[0]!.status, refused[0]!.text])
    }
    expect(wrong).toEqual([])
    expect(changes.length).toBeGreaterThan(12)
  })
})
