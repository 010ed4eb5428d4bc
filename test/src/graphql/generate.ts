import { codegen } from "@graphql-codegen/core"
import * as typescript from "@graphql-codegen/typescript"
import * as typescriptResolvers from "@graphql-codegen/typescript-resolvers"
import { lexicographicSortSchema, parse, printSchema } from "graphql"
import { bareSchema } from "../../../src/graphql/Schema.ts"

/** Types whose objects are not what the schema says of them while a query runs: src/graphql/Parents.ts. */
const PARENTS = [
  "Account",
  "Application",
  "Channel",
  "Contact",
  "DeadLetter",
  "Device",
  "NotificationSummary",
  "WriteError",
  "WriteResult"
]

/** The schema as one document, as clients see it. */
export const schemaDocument = (): string => {
  const printed = printSchema(lexicographicSortSchema(bareSchema()))
  // Of no use to anybody outside.
  return printed.replace(/(?:"""[^"]*"""\n)?directive @rest[^\n]*\n\n/, "")
}

/** The types of resolvers, from the schema. */
export const resolverTypes = (): Promise<string> => {
  const schema = bareSchema()
  return codegen({
    filename: "resolvers.ts",
    schema: parse(printSchema(schema)),
    schemaAst: schema,
    documents: [],
    config: {
      enumType: "string-literal",
      enumsAsTypes: true,
      useTypeImports: true,
      immutableTypes: true,
      skipTypename: true,
      contextType: "../Context.ts#GraphqlContext",
      mappers: Object.fromEntries(PARENTS.map((name) => [name, `../Parents.ts#${name}Parent`])),
      scalars: { ID: { input: "string", output: "string" }, JSON: "unknown", DateTime: "string" }
    },
    plugins: [{ typescript: {} }, { "typescript-resolvers": {} }],
    pluginMap: { typescript, "typescript-resolvers": typescriptResolvers }
  })
}
