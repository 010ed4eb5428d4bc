import { buildSchema, findSchemaChanges } from "graphql"
import { readFileSync } from "node:fs"
import { describe, expect, it } from "vitest"

const read = (name: string): string => readFileSync(new URL(`../../../${name}`, import.meta.url), "utf8")

/** The release that is being made: the first section. */
const unreleased = (changelog: string): string => changelog.split(/^## /m)[1] ?? ""

const isBreaking = ({ type }: { readonly type: string }): boolean =>
  /REMOVED|CHANGED_KIND|REQUIRED|^IMPLEMENTED/.test(type)

/** What would break clients of the schema `before`, and no line of the changelog names. */
const unnamed = (before: string, after: string, changelog: string): ReadonlyArray<string> => {
  const said = unreleased(changelog)
    .split("\n")
    .filter((line) => line.startsWith("- GraphQL, breaking:"))
    .join("\n")
  return findSchemaChanges(buildSchema(before), buildSchema(after))
    .filter(isBreaking)
    .map(({ description }) => description)
    .filter((description) => {
      const names = description.match(/\b[A-Z]\w*(?:\.\w+)?/g) ?? []
      return !names.some((name) => new RegExp(`\\b${name.replace(".", "\\.")}\\b`).test(said))
    })
}

describe("the schema", () => {
  it("breaks no client of the last release without a line in the changelog", () => {
    expect(unnamed(read("docs/schema.released.graphql"), read("docs/schema.graphql"), read("CHANGELOG.md"))).toEqual([])
  })

  it("may have more in it than before, and lose what the changelog names", () => {
    const before = "type Query { a: Int, hook(id: ID!): Hook } type Hook { id: ID! name: String! }"
    const more =
      "type Query { a: Int, b: Int, hook(id: ID!, more: Int): Hook } type Hook { id: ID! name: String! url: String }"
    const less = "type Query { a: Int, hook(id: ID!): Hook } type Hook { id: ID! }"
    const stricter = "type Query { a: Int, hook(id: ID!, more: Int!): Hook } type Hook { id: ID! name: String }"
    expect(unnamed(before, more, "## 1")).toEqual([])
    expect(unnamed(before, less, "## 1\n- Other")).toHaveLength(1)
    expect(unnamed(before, less, "## 1\n- GraphQL, breaking: `Hook.name` is gone.\n")).toEqual([])
    expect(unnamed(before, less, "## 2\n- Other\n## 1\n- GraphQL, breaking: `Hook.name` is gone.\n")).toHaveLength(1)
    expect(unnamed(before, stricter, "## 1")).toHaveLength(2)
  })
})
