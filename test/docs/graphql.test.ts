import { parse, validate } from "graphql"
import { readFileSync } from "node:fs"
import { describe, expect, it } from "vitest"
import { ROLES } from "../../services/domain/people/Role.ts"
import { bareSchema } from "../../src/graphql/Schema.ts"

const guide = readFileSync(new URL("../../docs/graphql.md", import.meta.url), "utf8")
const pages = readFileSync(new URL("../../src/http/endpoints/SignInPages.ts", import.meta.url), "utf8")

describe("docs/graphql.md", () => {
  it("has examples that run as they are: each one operation that the schema knows", () => {
    const examples = [...guide.matchAll(/^```graphql\n([^]*?)^```/gm)].map(([, text]) => text!)
    expect(examples.length).toBeGreaterThan(1)
    for (const example of examples) {
      const document = parse(example)
      expect([example, document.definitions.length]).toEqual([example, 1])
      expect([example, validate(bareSchema(), document)]).toEqual([example, []])
    }
  })

  it("names every role and every outcome of a sign-in with another service", () => {
    const cells = new Set([...guide.matchAll(/^\| `?(\w+)`? +\|/gm)].map(([, cell]) => cell!))
    const outcomes = [...pages.matchAll(/^ {2}(\w+): \{\n {4}title: /gm)].map(([, name]) => name!)
    expect(outcomes.length).toBe(12)
    for (const name of [...ROLES, ...outcomes]) expect(cells).toContain(name)
  })
})
