/*
 * Writes what of the SDK follows from the OpenAPI document: a table of operations for the running code, and their types.
 * `npm run sdk:types` runs it; test/sdk/Generated.test.ts fails when a route was changed without it.
 */

type Json = { readonly [name: string]: any }

interface Operation {
  readonly resource: string
  readonly name: string
  readonly method: string
  readonly path: string
  readonly ids: ReadonlyArray<string>
  readonly summary: string
  readonly body: { readonly type: string; readonly isLines: boolean; readonly isRequired: boolean } | null
  readonly query: string | null
  readonly isQueryRequired: boolean
  readonly takesKey: boolean
  readonly answer: "json" | "page" | "lines"
  readonly type: string
}

const LINES = "application/x-ndjson"
const HEAD = "// Written by `npm run sdk:types` from the OpenAPI document. Do not edit.\n"

const TYPES = 'import type { Lines, Pages, RequestOptions } from "../types.js"\n'

const camel = (...words: ReadonlyArray<string>): string =>
  words
    .flatMap((word) => word.split(/[-_.]/))
    .map((word, i) => (i === 0 ? word : word[0]!.toUpperCase() + word.slice(1)))
    .join("")
const pascal = (word: string): string => (word === "" ? "" : word[0]!.toUpperCase() + word.slice(1))

/** `Error` is a class of the language. */
const typeName = (name: string): string => (name === "Error" ? "ErrorBody" : name)

/** A comment in front of what it is about. */
const about = (text: unknown): string =>
  typeof text === "string" ? `/** ${text.replaceAll("*/", "* /").replaceAll("\n", " ")} */\n` : ""

/** A JSON Schema as a TypeScript type. */
export const typeOf = (schema: Json): string => {
  if (schema["$ref"] !== undefined) return typeName(String(schema["$ref"]).split("/").at(-1)!)
  if (schema["const"] !== undefined) return JSON.stringify(schema["const"])
  if (schema["enum"] !== undefined) return schema["enum"].map((value: unknown) => JSON.stringify(value)).join(" | ")
  const any = schema["anyOf"] ?? schema["oneOf"]
  if (any !== undefined) return [...new Set(any.map(typeOf) as Array<string>)].join(" | ")
  if (Array.isArray(schema["type"])) return schema["type"].map((type) => typeOf({ ...schema, type })).join(" | ")
  switch (schema["type"]) {
    case "string":
      return "string"
    case "integer":
    case "number":
      return "number"
    case "boolean":
      return "boolean"
    case "null":
      return "null"
    case "array":
      return schema["items"] === undefined ? "ReadonlyArray<unknown>" : `ReadonlyArray<${typeOf(schema["items"])}>`
    case "object":
      return objectOf(schema)
  }
  // What an `allOf` adds to a type that stands beside it are rules that types cannot hold.
  return schema["allOf"] === undefined ? "unknown" : schema["allOf"].map(typeOf).join(" & ")
}

const objectOf = ({ properties = {}, required = [], additionalProperties }: Json): string => {
  const fields = Object.entries(properties as Record<string, Json>).map(
    ([name, schema]) =>
      `${about(schema["description"])}readonly ${JSON.stringify(name)}${required.includes(name) ? "" : "?"}: ${typeOf(schema)}`
  )
  if (fields.length > 0) return `{ ${fields.join("\n")} }`
  return additionalProperties === false ? "Record<string, never>" : "Readonly<Record<string, unknown>>"
}

/** `devices.list`, `notifications.cancel`, `webhooks.deliveries`: named after the path, so that a new route needs nobody. */
const nameOf = (method: string, path: string, status: string, isList: boolean, siblings: ReadonlyArray<string>) => {
  const parts = path.replace("/api/v1/", "").split("/")
  const isPublic = parts[0] === "public"
  if (isPublic) parts.shift()
  const [first, ...rest] = parts
  const resource = isPublic ? camel("public", first!) : camel(first!)
  const tail = rest.filter((part) => !part.startsWith("{"))
  if (tail.length === 0) {
    const isOne = rest.length > 0
    const name = {
      get: isOne || !isList ? "get" : "list",
      post: "create",
      put: "set",
      patch: "update",
      delete: "delete"
    }
    return { resource, name: name[method as keyof typeof name] }
  }
  // `/contacts/by-external-id/{external_id}/preferences` is `preferencesByExternalId`.
  const isKind = (part: string) => part.startsWith("by-")
  const suffix = pascal(camel(...tail.filter(isKind)))
  const things = tail.filter((part) => !isKind(part))
  if (things.length === 0) {
    const name = { get: "get", post: "create", put: "set", patch: "update", delete: "delete" }[method]!
    return { resource, name: name + suffix }
  }
  const noun = camel(...things) + suffix
  // `/dead-letters/replays/{id}`: one of a list that has its place within another resource.
  if (method === "get" && rest.at(-1)!.startsWith("{"))
    return { resource, name: `get${pascal(noun.replace(/ies$/, "y").replace(/s$/, ""))}` }
  const verb = {
    get: siblings.includes("put") ? "get" : "",
    post: status === "201" || siblings.includes("get") ? "create" : "",
    put: "set",
    patch: "update",
    delete: "delete"
  }[method]!
  return { resource, name: verb === "" ? noun : verb + pascal(noun) }
}

const operationsOf = (document: Json): ReadonlyArray<Operation> => {
  const operations: Array<Operation> = []
  for (const [path, methods] of Object.entries(document["paths"] as Record<string, Record<string, Json>>)) {
    // What is not of the API, and the reference itself, is for supervisors and people.
    if (!path.startsWith("/api/v1/") || path.endsWith("openapi.json")) continue
    for (const [method, operation] of Object.entries(methods)) {
      const [status, response] = Object.entries(operation["responses"] as Record<string, Json>).find(
        ([status]) => status < "300"
      )!
      const media = Object.entries((response["content"] ?? {}) as Record<string, Json>)[0]
      if (media === undefined || (media[0] !== "application/json" && media[0] !== LINES)) continue
      const [mediaType, { schema }] = media as [string, Json]
      const parameters = (operation["parameters"] ?? []) as ReadonlyArray<Json>
      const query = parameters.filter((parameter) => parameter["in"] === "query")
      const isPage = schema?.properties?.next_cursor !== undefined && schema?.properties?.data !== undefined
      const body = Object.entries((operation["requestBody"]?.content ?? {}) as Record<string, Json>)[0]
      operations.push({
        ...nameOf(method, path, status, isPage || schema?.properties?.data !== undefined, Object.keys(methods)),
        method: method.toUpperCase(),
        path,
        ids: [...path.matchAll(/\{([^}]+)\}/g)].map(([, id]) => id!),
        summary: operation["summary"],
        body:
          body === undefined
            ? null
            : {
                type: typeOf(body[1]["schema"]),
                isLines: body[0] === LINES,
                isRequired: operation["requestBody"].required === true
              },
        query:
          query.length === 0
            ? null
            : `{ ${query
                .map(
                  ({ name, required, schema, description }) =>
                    `${about(description)}readonly ${JSON.stringify(name)}${required ? "" : "?"}: ${typeOf(schema)}`
                )
                .join("\n")} }`,
        isQueryRequired: query.some(({ required }) => required),
        takesKey: parameters.some(({ name }) => name === "Idempotency-Key"),
        answer: mediaType === LINES ? "lines" : isPage ? "page" : "json",
        type: isPage ? typeOf(schema.properties.data.items) : typeOf(schema)
      })
    }
  }
  return operations
}

const signature = ({ answer, body, ids, isQueryRequired, name, query, summary, type }: Operation): string => {
  const bodyType = body?.isLines === true ? `Lines<${body.type}>` : body?.type
  const parameters = [
    ...ids.map((id) => `${camel(id)}: string`),
    ...(body === null ? [] : [`body${body.isRequired ? "" : "?"}: ${bodyType}`]),
    ...(query === null ? [] : [`query${isQueryRequired ? "" : "?"}: ${query}`]),
    "options?: RequestOptions"
  ]
  const result = { json: `Promise<${type}>`, page: `Pages<${type}>`, lines: `AsyncIterable<${type}>` }[answer]
  return `  /** ${summary}. */\n  ${name}(${parameters.join(", ")}): ${result}`
}

/** The two generated files, by name. */
export const generate = (document: Json): Readonly<Record<"api.d.ts" | "operations.js", string>> => {
  const found = operationsOf(document)
  // `/dead-letters/{id}/replay` beside `/dead-letters/replay`: the one about no certain thing is about many.
  const operations = found.map((operation) => {
    const { ids, name, resource } = operation
    const isTwin = found.some((o) => o.resource === resource && o.name === name && o.ids.length > ids.length)
    return isTwin ? { ...operation, name: `${name}Many` } : operation
  })
  const resources = [...new Set(operations.map(({ resource }) => resource))]
  const of = (resource: string) => operations.filter((operation) => operation.resource === resource)
  for (const resource of resources) {
    const names = of(resource).map(({ name }) => name)
    const double = names.find((name, i) => names.indexOf(name) !== i)
    if (double !== undefined) throw new Error(`Two operations would be ${resource}.${double}: see nameOf`)
  }
  const schemas = document["components"].schemas as Record<string, Json>
  const names = Object.keys(schemas).sort()
  const types = names.map((name) => `export type ${typeName(name)} = ${typeOf(schemas[name]!)}\n`)
  const interfaces = resources.map(
    (resource) => `export interface ${pascal(resource)}Resource {\n${of(resource).map(signature).join("\n")}\n}\n`
  )
  const table = resources.map((resource) => {
    const lines = of(resource).map(({ answer, body, ids, method, name, path, query, takesKey }) => {
      const kind = body === null ? null : body.isLines ? "lines" : "json"
      const entry = { method, path, ids: ids.length, body: kind, query: query !== null, takesKey, answer }
      return `    ${name}: ${JSON.stringify(entry)}`
    })
    return `  ${resource}: {\n${lines.join(",\n")}\n  }`
  })
  return {
    "api.d.ts": `${HEAD}${TYPES}
${types.join("\n")}
export type ErrorCode = ErrorBody["error"]["code"]

${interfaces.join("\n")}
export interface Api {
${resources.map((resource) => `  readonly ${resource}: ${pascal(resource)}Resource`).join("\n")}
}
`,
    "operations.js": `${HEAD}
/** @type {Readonly<Record<string, Readonly<Record<string, import('../types.js').OperationEntry>>>>} */
export const operations = {
${table.join(",\n")}
}
`
  }
}
