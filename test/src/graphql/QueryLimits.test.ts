import { getOperationAST, GraphQLError, parse } from "graphql"
import { describe, expect, it } from "vitest"
import { measure } from "../../../src/graphql/QueryLimits.ts"
import { bareSchema } from "../../../src/graphql/Schema.ts"

const schema = bareSchema()
const APP = `appId: "01890000-0000-7000-8000-000000000000"`

const permitsOf = (query: string, variables: Record<string, unknown> = {}, mayIntrospect = true): number => {
  const document = parse(query)
  return measure(schema, document, getOperationAST(document)!, variables, mayIntrospect).permits
}

const refusalOf = (query: string, variables: Record<string, unknown> = {}, mayIntrospect = true): string => {
  try {
    permitsOf(query, variables, mayIntrospect)
  } catch (error) {
    if (error instanceof GraphQLError) return error.message
    throw error
  }
  return "none"
}

const nested = (levels: number): string => `${"a { ".repeat(levels)}b${" }".repeat(levels)}`

describe("the depth of a query", () => {
  it("is ten levels at most, however they are written", () => {
    expect(refusalOf(`{ ${nested(9)} }`)).toBe("none")
    expect(refusalOf(`{ ${nested(10)} }`)).toBe("The query is 11 levels deep; 10 are answered at most.")
    expect(refusalOf(`{ a { ... { ... on A { ${nested(8)} } } } }`)).toBe("none")
    expect(refusalOf(`{ a { ...F } } fragment F on A { ...G } fragment G on A { ${nested(9)} }`)).toMatch(/11 levels/)
  })

  it("is that of the operation that is meant, and fragments that spread themselves have none", () => {
    expect(refusalOf(`{ ...A } fragment A on Query { a { ...B } } fragment B on A { a { ...A } }`)).toBe(
      'The fragment "A" spreads itself.'
    )
    expect(refusalOf(`{ a } fragment A on Query { a { ...A } }`)).toBe('The fragment "A" spreads itself.')
  })
})

describe("the aliases of a query", () => {
  const aliases = (count: number) => Array.from({ length: count }, (_, i) => `a${i}: __typename`).join(" ")

  it("are fifteen at most, counted wherever a fragment is spread", () => {
    expect(refusalOf(`{ ${aliases(15)} }`)).toBe("none")
    expect(refusalOf(`{ ${aliases(16)} }`)).toMatch(/16 aliases/)
    expect(refusalOf(`{ ...F x { ...F } } fragment F on Query { ${aliases(8)} }`)).toMatch(/16 aliases/)
  })

  it("are known of fragments that double at each level without being written out", () => {
    const levels = 60
    const fragments = Array.from(
      { length: levels },
      (_, i) => `fragment F${i} on Query { ...F${i + 1} ...F${i + 1} }`
    ).join(" ")
    const refusal = refusalOf(`{ ...F0 } ${fragments} fragment F${levels} on Query { a: __typename }`)
    expect(refusal).toContain(String(2 ** levels))
  })
})

describe("the pages of a query", () => {
  it("have 1 to 100 objects each, in whatever way that is said", () => {
    for (const first of ["0", "101", "-1"]) {
      expect(refusalOf(`{ contacts(${APP}, first: ${first}) { nodes { id } } }`)).toBe(
        "first of contacts must be between 1 and 100."
      )
    }
    const query = `query($n: Int) { contacts(${APP}, first: $n) { nodes { id } } }`
    expect(refusalOf(query, { n: 1_000_000 })).toMatch(/first of contacts/)
    expect(refusalOf(query, { n: 1.5 })).toMatch(/first of contacts/)
    expect(refusalOf(query, { n: 100 })).toBe("none")
    expect(refusalOf(query)).toBe("none")
    expect(refusalOf(`query($n: Int = 1000) { contacts(${APP}, first: $n) { nodes { id } } }`)).toMatch(/first of/)
  })

  it("hold 5,000 objects together: the product along each path", () => {
    const query = `query($n: Int, $m: Int!) { contacts(${APP}, first: $n) { nodes { devices(first: $m) { id } } } }`
    expect(refusalOf(query, { n: 100, m: 49 })).toBe("none")
    expect(refusalOf(query, { n: 100, m: 50 })).toMatch(/up to 5100 objects/)
    // 50 unless given.
    expect(refusalOf(query, { m: 99 })).toBe("none")
    expect(refusalOf(query, { m: 100 })).toMatch(/up to 5050 objects/)
    const spread = `query { ...A ...A } fragment A on Query { contacts(${APP}, first: 60) { nodes { ...B } edges { node { ...B } } } } fragment B on Contact { devices(first: 40) { id } }`
    expect(refusalOf(spread)).toMatch(/objects/)
  })
})

describe("a page whose size a variable says", () => {
  const page = (first: string) => `contacts(${APP}, first: ${first}) { nodes { devices(first: 100) { id } } }`

  it("is as large as it will be: null is no page of the variable's default", () => {
    expect(refusalOf(`query($n: Int = 1) { ${page("$n")} }`, { n: null })).toMatch(/up to 5050 objects/)
    expect(refusalOf(`query($n: Int = 1) { ${page("$n")} }`)).toBe("none")
    expect(refusalOf(`query($n: Int = null) { ${page("$n")} }`)).toMatch(/up to 5050 objects/)
    expect(refusalOf(`{ ${page("null")} }`)).toMatch(/up to 5050 objects/)
    // A variable that is not given leaves the argument its own default.
    expect(permitsOf(`query($n: Int) { contacts(${APP}, first: 100) { nodes { devices(first: $n) { id } } } }`)).toBe(
      11
    )
  })

  it("is that of the variable whatever it is called", () => {
    for (const name of ["toString", "constructor", "__proto__", "hasOwnProperty"]) {
      expect(refusalOf(`query($${name}: Int = 100) { ${page(`$${name}`)} }`)).toMatch(/up to 10100 objects/)
    }
  })

  it("is a whole one where its value is none: that is refused before anything is asked", () => {
    expect(permitsOf(`query($n: Int) { contacts(${APP}, first: $n) { nodes { devices { id } } } }`, { n: "1" })).toBe(
      11
    )
    expect(permitsOf(`{ contacts(${APP}, first: $nowhere) { nodes { devices { id } } } }`)).toBeGreaterThan(0)
  })
})

describe("what a query costs", () => {
  it("is a permit for each field of the operation, and for each hundred objects", () => {
    expect(permitsOf("{ __typename }")).toBe(1)
    expect(
      permitsOf(`{ hook(id: "1") { id } a: hook(id: "2") { id } ...F } fragment F on Query { b: hook(id: "3") { id } }`)
    ).toBe(3)
    expect(permitsOf(`{ contacts(${APP}, first: 100) { nodes { id } } }`)).toBe(1)
    // Lists without pages have as many as there may be.
    const lists = Array.from({ length: 10 }, (_, i) => `a${i}: sessions { id } `).join(" ")
    expect(permitsOf(`{ ${lists} organizations { id } }`)).toBeGreaterThanOrEqual(11)
    expect(refusalOf(`{ ${lists.replaceAll(": sessions", ": invitations(organizationId: 1)")} }`)).toBe("none")
    expect(permitsOf(`{ contacts(${APP}, first: 100) { nodes { channels { id } devices { id } } } }`)).toBe(21)
  })
})

describe("what costs much for its length", () => {
  it("is counted by what it costs, and asked for once", () => {
    expect(permitsOf("{ exportMyAccountData me { id } }")).toBe(102)
    expect(permitsOf("{ __schema { types { name } } }")).toBe(51)
    expect(permitsOf(`{ a: __type(name: "Hook") { name } b: __type(name: "Device") { name } }`)).toBe(22)
    const once = /A request has one of .*exportMyAccountData, __schema, .*, once/
    expect(refusalOf("{ exportMyAccountData a: exportMyAccountData }")).toMatch(once)
    expect(refusalOf("{ ...F ...F a: __schema { types { name } } } fragment F on Query { me { id } }")).toBe("none")
    expect(
      refusalOf("{ ...F b: __schema { types { name } } } fragment F on Query { a: __schema { types { name } } }")
    ).toMatch(once)
  })
})

describe("what is read for a query", () => {
  const bytesOf = (query: string): number => {
    const document = parse(query)
    return measure(schema, document, getOperationAST(document)!, {}, true).bytes
  }

  it("is the largest that its objects may be, of a page no more than a page has", () => {
    expect(bytesOf("{ __typename }")).toBe(0)
    expect(bytesOf(`{ template(id: "1") { id } a: template(id: "1") { id } }`)).toBe(2 * 524_288)
    const page = bytesOf(`{ templates(${APP}, first: 100) { nodes { id } edges { node { id } } } }`)
    expect(page).toBe(3 << 20)
    expect(bytesOf(`{ templates(${APP}, first: 1) { nodes { id } } }`)).toBe(524_288)
    expect(bytesOf(`{ contacts(${APP}, first: 50) { nodes { devices(first: 90) { id } } } }`)).toBe(
      50 * 16_000 + 50 * 90 * 10_000
    )
  })
})

describe("what is asked once", () => {
  it("is every attempt at a code, also through aliases and fragments", () => {
    const once =
      /A request has one of requestLoginCode, verifyLoginCode, .*changeEmail, deleteAccount, inviteMember, once/
    expect(refusalOf(`mutation { verifyLoginCode(email: "a", code: "1") { token } }`)).toBe("none")
    expect(
      refusalOf(`mutation { a: verifyLoginCode(email: "a") { token } b: verifyLoginCode(email: "a") { token } }`)
    ).toMatch(once)
    expect(
      refusalOf(`mutation { requestEmailChange(email: "a") changeEmail(code: "1", newCode: "2") { token } }`)
    ).toMatch(once)
    expect(refusalOf(`mutation { a: confirmExternalSignIn(code: "1") { id } deleteAccount(code: "1") }`)).toMatch(once)
    expect(refusalOf(`mutation { a: inviteMember(email: "a") { id } b: inviteMember(email: "a") { id } }`)).toMatch(
      once
    )
    expect(refusalOf(`mutation { ...F ... { ...F } } fragment F on Mutation { deleteAccount(code: "1") }`)).toMatch(
      once
    )
  })
})

describe("the schema", () => {
  it("is shown to known callers, as deep as tools ask for it and no deeper", () => {
    const deep = (levels: number) =>
      `{ __schema { types { fields { type { ${"ofType { ".repeat(levels)}name${" }".repeat(levels)} } } } } }`
    expect(refusalOf(deep(9))).toBe("none")
    expect(refusalOf(deep(40))).toMatch(/The introspection is/)
    expect(refusalOf("{ __schema { types { name } } }", {}, false)).toMatch(/callers with a key or a session/)
    expect(refusalOf(`{ ...F } fragment F on Query { __type(name: "Hook") { name } }`, {}, false)).toMatch(
      /callers with a key/
    )
    expect(refusalOf("{ __typename }", {}, false)).toBe("none")
  })
})
