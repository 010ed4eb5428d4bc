/* The Node SDK's: a table of operations for the running code, and their types. */

import type { Json, Model, Operation, Type } from "./Model.ts"
import { camel, HEAD, isTime, pascal } from "./Model.ts"
import { reference } from "./reference.ts"

const TYPES = 'import type { Lines, Pages, RequestOptions } from "../types.js"\n'

/** `Error` is a class of the language. */
const typeName = (name: string): string => (name === "Error" ? "ErrorBody" : name)

/** A comment in front of what it is about. */
const about = (text: unknown): string =>
  typeof text === "string" ? `/** ${text.replaceAll("*/", "* /").replaceAll("\n", " ")} */\n` : ""

/** A JSON Schema as a TypeScript type. What is sent may have a `Date` where a moment is. */
const typeOf = (schema: Json, isSent: boolean): string => {
  const of = (one: Json) => typeOf(one, isSent)
  if (schema["$ref"] !== undefined) return typeName(String(schema["$ref"]).split("/").at(-1)!)
  if (schema["const"] !== undefined) return JSON.stringify(schema["const"])
  if (schema["enum"] !== undefined) return schema["enum"].map((value: unknown) => JSON.stringify(value)).join(" | ")
  const any = schema["anyOf"] ?? schema["oneOf"]
  if (any !== undefined) return [...new Set(any.map(of) as Array<string>)].join(" | ")
  if (Array.isArray(schema["type"])) return schema["type"].map((type) => of({ ...schema, type })).join(" | ")
  switch (schema["type"]) {
    case "string":
      return isSent && isTime(schema) ? "string | Date" : "string"
    case "integer":
    case "number":
      return "number"
    case "boolean":
      return "boolean"
    case "null":
      return "null"
    case "array":
      return schema["items"] === undefined ? "ReadonlyArray<unknown>" : `ReadonlyArray<${of(schema["items"])}>`
    case "object":
      return objectOf(schema, isSent)
  }
  // What an `allOf` adds to a type that stands beside it are rules that types cannot hold.
  return schema["allOf"] === undefined ? "unknown" : schema["allOf"].map(of).join(" & ")
}

const objectOf = ({ properties = {}, required = [], additionalProperties }: Json, isSent: boolean): string => {
  const fields = Object.entries(properties as Record<string, Json>).map(
    ([name, schema]) =>
      `${about(schema["description"])}readonly ${JSON.stringify(name)}${required.includes(name) ? "" : "?"}: ${typeOf(schema, isSent)}`
  )
  if (fields.length > 0) return `{ ${fields.join("\n")} }`
  return additionalProperties === false ? "Record<string, never>" : "Readonly<Record<string, unknown>>"
}

/** What an operation takes in its query, as one object. */
const queryOf = ({ query }: Operation): string =>
  `{ ${query
    .map(
      ({ description, isRequired, name, schema }) =>
        `${about(description)}readonly ${JSON.stringify(name)}${isRequired ? "" : "?"}: ${typeOf(schema, true)}`
    )
    .join("\n")} }`

const signature = (operation: Operation): string => {
  const { answer, body, ids, name, query, schema, summary } = operation
  const bodyType =
    body?.isLines === true ? `Lines<${typeOf(body.schema, true)}>` : body === null ? "" : typeOf(body.schema, true)
  const isQueryRequired = query.some(({ isRequired }) => isRequired)
  const parameters = [
    ...ids.map((id) => `${camel(id)}: string`),
    ...(body === null ? [] : [`body${body.isRequired ? "" : "?"}: ${bodyType}`]),
    ...(query.length === 0 ? [] : [`query${isQueryRequired ? "" : "?"}: ${queryOf(operation)}`]),
    "options?: RequestOptions"
  ]
  const type = typeOf(schema, false)
  const result = { json: `Promise<${type}>`, page: `Pages<${type}>`, lines: `AsyncIterable<${type}>` }[answer]
  return `  /** ${summary}. */\n  ${name}(${parameters.join(", ")}): ${result}`
}

/** A type by its name, for the reference. */
const plain = (type: Type): string => {
  switch (type.kind) {
    case "ref":
      return type.name
    case "array":
      return `Array<${plain(type.of)}>`
    case "integer":
      return "number"
    case "json":
      return "unknown"
    case "string":
      return type.isTime ? "string | Date" : "string"
    case "map":
      return "Record<string, unknown>"
    default:
      return type.kind
  }
}

const ANSWER = { json: "", page: "Pages", lines: "AsyncIterable" }

export const nodeFiles = (model: Model, document: Json): Readonly<Record<string, string>> => {
  const { resources, structs } = model
  const schemas = document["components"].schemas as Record<string, Json>
  const names = Object.keys(schemas).sort()
  // No shape that is answered as well has times in it: the model would have refused it.
  const sent = new Set(structs.filter(({ isAnswered }) => !isAnswered).map(({ name }) => name))
  const types = names.map((name) => `export type ${typeName(name)} = ${typeOf(schemas[name]!, sent.has(name))}\n`)
  const interfaces = resources.map(
    ({ name, operations }) => `export interface ${pascal(name)}Resource {\n${operations.map(signature).join("\n")}\n}\n`
  )
  const table = resources.map(({ name, operations }) => {
    const lines = operations.map(({ answer, body, ids, method, name, path, query, takesKey }) => {
      const kind = body === null ? null : body.isLines ? "lines" : "json"
      const entry = { method, path, ids: ids.length, body: kind, query: query.length > 0, takesKey, answer }
      return `    ${name}: ${JSON.stringify(entry)}`
    })
    return `  ${name}: {\n${lines.join(",\n")}\n  }`
  })
  return {
    "sdk/node/generated/api.d.ts": `// ${HEAD}
${TYPES}
${types.join("\n")}
export type ErrorCode = ErrorBody["error"]["code"]

${interfaces.join("\n")}
export interface Api {
${resources.map(({ name }) => `  readonly ${name}: ${pascal(name)}Resource`).join("\n")}
}
`,
    "sdk/node/generated/operations.js": `// ${HEAD}

/** @type {Readonly<Record<string, Readonly<Record<string, import('../types.js').OperationEntry>>>>} */
export const operations = {
${table.join(",\n")}
}
`,
    "sdk/node/REFERENCE.md": reference(model, {
      language: "Node",
      about:
        'The last argument of every call may be its `RequestOptions`. The package exports the types of request bodies and of what has an address of its own, such as `SendNotification` and `Device`, by these names; what stands within another is written there, so `Audience` is `SendNotification["to"]`.',
      call: ({ body, ids, name, query, resource }) => {
        const type = body === null ? "" : plain(body.type)
        const given = [
          ...ids.map(camel),
          ...(body === null
            ? []
            : [body.isLines ? `lines: Lines<${type}>` : `body${body.isRequired ? "" : "?"}: ${type}`]),
          ...(query.length === 0
            ? []
            : [`{ ${query.map((field) => `${field.name}${field.isRequired ? "" : "?"}`).join(", ")} }`])
        ]
        return `client.${resource}.${name}(${given.join(", ")})`
      },
      answer: ({ answer, type }) => (ANSWER[answer] === "" ? plain(type) : `${ANSWER[answer]}<${plain(type)}>`),
      type: (type, isNullable) => `${plain(type)}${isNullable ? " | null" : ""}`,
      field: (name) => name
    })
  }
}
