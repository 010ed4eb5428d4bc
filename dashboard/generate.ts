import { codegen } from "@graphql-codegen/core"
import * as operations from "@graphql-codegen/typescript-operations"
import type { DocumentNode, FragmentDefinitionNode } from "graphql"
import { Kind, parse, print, stripIgnoredCharacters, visit } from "graphql"
import { globSync, readFileSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { format, resolveConfig } from "prettier"

/*
 * Writes what the dashboard asks for as typed constants: each `operations.graphql` gets an `operations.ts` beside it. The
 * texts are sent as they stand here, without a parser in the browser; the types come from docs/schema.graphql.
 */

const ROOT = join(import.meta.dirname, "..")
const SCHEMA = join(ROOT, "docs/schema.graphql")

/** A document together with the fragments that it spreads, at any depth. */
const withFragments = (text: DocumentNode, fragments: ReadonlyMap<string, FragmentDefinitionNode>): string => {
  const found = new Set<FragmentDefinitionNode>()
  const collect = (node: Parameters<typeof visit>[0]): void => {
    visit(node, {
      FragmentSpread: ({ name }) => {
        const fragment = fragments.get(name.value)
        if (fragment === undefined || found.has(fragment)) return
        found.add(fragment)
        collect(fragment)
      }
    })
  }
  collect(text)
  return stripIgnoredCharacters([text, ...found].map(print).join("\n"))
}

const constantsOf = (document: DocumentNode): string => {
  const fragments = new Map(
    document.definitions
      .filter((definition) => definition.kind === Kind.FRAGMENT_DEFINITION)
      .map((fragment) => [fragment.name.value, fragment])
  )
  return document.definitions
    .filter((definition) => definition.kind === Kind.OPERATION_DEFINITION)
    .map((operation) => {
      const name = operation.name!.value
      const kind = operation.operation.charAt(0).toUpperCase() + operation.operation.slice(1)
      const text = withFragments({ kind: Kind.DOCUMENT, definitions: [operation] }, fragments)
      const constant = name.charAt(0).toLowerCase() + name.slice(1)
      return `export const ${constant}: TypedDocument<${name}${kind}, ${name}${kind}Variables> = typed(${JSON.stringify(text)})`
    })
    .join("\n")
}

/** The file that belongs beside an `operations.graphql`. */
const generate = async (source: string): Promise<{ readonly file: string; readonly text: string }> => {
  const document = parse(readFileSync(source, "utf8"))
  const types = await codegen({
    filename: "operations.ts",
    schema: parse(readFileSync(SCHEMA, "utf8")),
    documents: [{ document, location: source }],
    config: {
      enumType: "string-literal",
      immutableTypes: true,
      skipTypename: true,
      scalars: { ID: { input: "string", output: "string" }, JSON: "unknown", DateTime: "string" }
    },
    plugins: [{ operations: {} }],
    pluginMap: { operations }
  })
  const file = join(dirname(source), "operations.ts")
  const text = [
    "// Written by `npm run dashboard:types` from operations.graphql beside it.",
    `import type { TypedDocument } from "../api/typedDocument.ts"\nimport { typed } from "../api/typedDocument.ts"`,
    types.replace(/\/\*\* Internal type\. DO NOT USE DIRECTLY\. \*\/\nexport type Incremental[^\n]*\n/, ""),
    constantsOf(document)
  ].join("\n\n")
  return { file, text: await format(text, { ...(await resolveConfig(file)), filepath: file }) }
}

/** Every generated file, with the text that it should have. */
export const generated = () =>
  Promise.all(
    globSync("src/*/operations.graphql", { cwd: import.meta.dirname })
      .toSorted()
      .map((path) => generate(join(import.meta.dirname, path)))
  )

if (import.meta.main) for (const { file, text } of await generated()) writeFileSync(file, text)
