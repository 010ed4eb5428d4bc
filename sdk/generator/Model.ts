/*
 * What the SDKs of all languages have from the OpenAPI document: operations with their names, and the shapes of what
 * goes in and out. Each language has a file beside this one that writes it down in its own way.
 */

export type Json = { readonly [name: string]: any }

export type Type =
  | {
      readonly kind: "string"
      readonly values: ReadonlyArray<string> | null
      /** A moment that is sent: languages that write bodies from their own values take their own for it. */
      readonly isTime: boolean
    }
  | { readonly kind: "integer" | "number" | "boolean" | "json" | "map" }
  | { readonly kind: "array"; readonly of: Type }
  | { readonly kind: "ref"; readonly name: string }

export interface Field {
  readonly name: string
  readonly type: Type
  readonly isRequired: boolean
  readonly isNullable: boolean
  readonly description: string | null
}

/** An object. Alternatives are one of them: what only some of them have is optional. */
export interface Struct {
  readonly name: string
  readonly description: string | null
  readonly fields: ReadonlyArray<Field>
  /** Whether requests, or answers, have it in them. */
  readonly isSent: boolean
  readonly isAnswered: boolean
}

export interface Operation {
  readonly resource: string
  readonly name: string
  readonly method: string
  readonly path: string
  readonly ids: ReadonlyArray<string>
  readonly summary: string
  /** The schema itself is for languages that write shapes where they are used. */
  readonly body: {
    readonly schema: Json
    readonly type: Type
    readonly isLines: boolean
    readonly isRequired: boolean
  } | null
  readonly query: ReadonlyArray<Field & { readonly schema: Json }>
  readonly takesKey: boolean
  readonly answer: "json" | "page" | "lines"
  readonly schema: Json
  readonly type: Type
}

export interface Model {
  readonly resources: ReadonlyArray<{ readonly name: string; readonly operations: ReadonlyArray<Operation> }>
  /** Those that an operation uses, by name. */
  readonly structs: ReadonlyArray<Struct>
  readonly errorCodes: ReadonlyArray<string>
}

export const HEAD = "Written by `npm run sdk:types` from the OpenAPI document. Do not edit."

const LINES = "application/x-ndjson"

/** Names for shapes that stand in several places, by one of them; all others are called after where they stand. */
const SHARED: Readonly<Record<string, string>> = {
  "SendNotification.to": "Audience",
  "SendNotification.to.attributes": "AttributeCondition",
  "SendNotification.content": "Content",
  "SendNotification.overrides": "Overrides",
  "SendNotification.track": "Tracking",
  "CreateSegment.filter": "SegmentFilter",
  "Contact.preferences": "Preferences",
  "ImportResult.error": "ItemError",
  "ImportResult.error.details": "ItemErrorDetail",
  "webhooks.delete": "Deleted",
  "notifications.create": "AcceptedNotification"
}

export const words = (name: string): ReadonlyArray<string> =>
  name
    .replaceAll(/([a-z0-9])([A-Z])/g, "$1_$2")
    .split(/[-_. ]/)
    .filter((word) => word !== "")
    .map((word) => word.toLowerCase())
export const snake = (name: string): string => words(name).join("_")
export const pascal = (name: string): string =>
  words(name)
    .map((word) => word[0]!.toUpperCase() + word.slice(1))
    .join("")
export const camel = (name: string): string => {
  const [first = "", ...rest] = words(name)
  return first + rest.map((word) => word[0]!.toUpperCase() + word.slice(1)).join("")
}

/** One line of a comment, without what would end it. */
export const line = (text: string): string => text.replaceAll("*/", "* /").replaceAll(/\s+/g, " ").trim()

/** Lines of at most so many characters. */
export const wrap = (text: string, width: number): ReadonlyArray<string> => {
  const lines: Array<string> = []
  for (const word of line(text).split(" ")) {
    const last = lines.at(-1)
    if (last !== undefined && last.length + 1 + word.length <= width) lines[lines.length - 1] = `${last} ${word}`
    else lines.push(word)
  }
  return lines
}

const capital = (word: string): string => (word === "" ? "" : word[0]!.toUpperCase() + word.slice(1))
const join = (...parts: ReadonlyArray<string>): string =>
  parts
    .flatMap((part) => part.split(/[-_.]/))
    .map((part, i) => (i === 0 ? part : capital(part)))
    .join("")

/** `devices.list`, `notifications.cancel`, `webhooks.deliveries`: named after the path, so that a new route needs nobody. */
const nameOf = (method: string, path: string, status: string, isList: boolean, siblings: ReadonlyArray<string>) => {
  const parts = path.replace("/api/v1/", "").split("/")
  const isPublic = parts[0] === "public"
  if (isPublic) parts.shift()
  const [first, ...rest] = parts
  const resource = isPublic ? join("public", first!) : join(first!)
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
  const suffix = capital(join(...tail.filter(isKind)))
  const things = tail.filter((part) => !isKind(part))
  if (things.length === 0) {
    const name = { get: "get", post: "create", put: "set", patch: "update", delete: "delete" }[method]!
    return { resource, name: name + suffix }
  }
  const noun = join(...things) + suffix
  // `/dead-letters/replays/{id}`: one of a list that has its place within another resource.
  if (method === "get" && rest.at(-1)!.startsWith("{"))
    return { resource, name: `get${capital(noun.replace(/ies$/, "y").replace(/s$/, ""))}` }
  const isCreated = status === "201" || siblings.includes("get")
  // `/credentials/apns/check`: what is done with one of a few.
  if (method === "post" && !isCreated && things.length === 2 && things.length === rest.length)
    return { resource, name: things[1]! + capital(join(things[0]!)) }
  const verb = {
    get: siblings.includes("put") ? "get" : "",
    post: isCreated ? "create" : "",
    put: "set",
    patch: "update",
    delete: "delete"
  }[method]!
  return { resource, name: verb === "" ? noun : verb + capital(noun) }
}

/** Without what only says more about values. */
const shapeOf = (schema: Json): Json => {
  const { additionalProperties: _, allOf: __, description: ___, ...rest } = schema
  const kept = Object.entries(rest).filter(([name]) =>
    /^(type|properties|items|anyOf|oneOf|enum|required|\$ref)$/.test(name)
  )
  return Object.fromEntries(
    kept.map(([name, value]) => {
      if (name === "properties") {
        const fields = Object.entries(value as Json).map(([field, of]) => [field, shapeOf(of)])
        return [name, Object.fromEntries(fields)]
      }
      if (name === "items") return [name, shapeOf(value)]
      return [name, Array.isArray(value) && typeof value[0] === "object" ? value.map(shapeOf) : value]
    })
  )
}

const LONGEST_TIME = 40

/**
 * The document has no format for moments, as `send_at` may be a day. They are the texts of this length, which no others
 * have: the test of what is generated lists them.
 */
export const isTime = (schema: Json): boolean => schema["type"] === "string" && schema["maxLength"] === LONGEST_TIME

const isNull = (schema: Json): boolean => schema["type"] === "null"

/** The alternatives but for null, and whether that was one. */
const withoutNull = (schema: Json): { readonly schema: Json; readonly isNullable: boolean } => {
  const any = (schema["anyOf"] ?? schema["oneOf"]) as ReadonlyArray<Json> | undefined
  if (any?.some(isNull)) {
    const rest = any.filter((one) => !isNull(one))
    return { schema: rest.length === 1 ? rest[0]! : { anyOf: rest }, isNullable: true }
  }
  if (Array.isArray(schema["type"]) && schema["type"].includes("null")) {
    const types = schema["type"].filter((type) => type !== "null")
    return { schema: { ...schema, type: types.length === 1 ? types[0] : types }, isNullable: true }
  }
  return { schema, isNullable: false }
}

class Shapes {
  readonly structs = new Map<string, { schema: string; struct: Struct }>()
  private readonly shared = new Map<string, string>()
  private readonly components: Readonly<Record<string, Json>>
  constructor(components: Readonly<Record<string, Json>>) {
    this.components = components
  }

  /** Shapes equal to the one that `place` has are called `name`. */
  share(place: string, schema: Json) {
    const name = SHARED[place]
    if (name !== undefined) this.shared.set(JSON.stringify(shapeOf(schema)), name)
  }

  typeOf(given: Json, place: ReadonlyArray<string>, use: "isSent" | "isAnswered"): Type {
    const { schema } = withoutNull(given)
    if (schema["$ref"] !== undefined) {
      const name = String(schema["$ref"]).split("/").at(-1)!
      const component = this.components[name]!
      const isObject = component["properties"] !== undefined || component["anyOf"] !== undefined
      return isObject ? this.struct(name, component, [name], use) : this.typeOf(component, [name], use)
    }
    if (schema["const"] !== undefined)
      return this.typeOf({ enum: [schema["const"]], type: typeof schema["const"] }, place, use)
    const values = schema["enum"] as ReadonlyArray<unknown> | undefined
    if (values?.every((value) => typeof value === "string"))
      return { kind: "string", values: values as Array<string>, isTime: false }
    const any = (schema["anyOf"] ?? schema["oneOf"]) as ReadonlyArray<Json> | undefined
    if (any !== undefined) {
      const resolved = any.map((one) => this.resolve(one))
      if (resolved.every((one) => one["properties"] !== undefined))
        return this.struct(this.nameOf(place, schema), schema, place, use)
      return { kind: "json" }
    }
    switch (schema["type"]) {
      case "string":
        return { kind: "string", values: null, isTime: use === "isSent" && isTime(schema) }
      case "integer":
      case "number":
      case "boolean":
        return { kind: schema["type"] }
      case "array":
        return { kind: "array", of: this.typeOf(schema["items"] ?? {}, place, use) }
      case "object":
        if (Object.keys(schema["properties"] ?? {}).length === 0) return { kind: "map" }
        return this.struct(this.nameOf(place, schema), schema, place, use)
    }
    // A text with rules that stand in an `allOf`.
    return { kind: "json" }
  }

  fieldOf(
    name: string,
    given: Json,
    isRequired: boolean,
    place: ReadonlyArray<string>,
    use: "isSent" | "isAnswered"
  ): Field {
    const { isNullable, schema } = withoutNull(given)
    const description = (given["description"] ?? schema["description"] ?? null) as string | null
    return { name, isRequired, isNullable, description, type: this.typeOf(schema, [...place, name], use) }
  }

  private resolve(schema: Json): Json {
    return schema["$ref"] === undefined ? schema : this.components[String(schema["$ref"]).split("/").at(-1)!]!
  }

  private nameOf(place: ReadonlyArray<string>, schema: Json): string {
    const shared = this.shared.get(JSON.stringify(shapeOf(schema)))
    if (shared !== undefined) return shared
    return place.map((part) => pascal(part)).join("")
  }

  private struct(name: string, schema: Json, place: ReadonlyArray<string>, use: "isSent" | "isAnswered"): Type {
    const key = JSON.stringify(shapeOf(schema))
    const known = this.structs.get(name)
    if (known !== undefined && known.schema !== key) throw new Error(`Two shapes would be ${name}: see SHARED`)
    if (known?.struct[use]) return { kind: "ref", name }
    const before = known?.struct
    const start = {
      name,
      description: schema["description"] ?? null,
      fields: [],
      isSent: false,
      isAnswered: false,
      ...before,
      [use]: true
    }
    // Before its fields, which may have it in them.
    this.structs.set(name, { schema: key, struct: start })
    const parts = (schema["anyOf"] ?? schema["oneOf"] ?? [schema]) as ReadonlyArray<Json>
    const alternatives = parts.map((part) => this.resolve(part))
    const fields = new Map<string, Field>()
    // Within a shared shape, places are called after it.
    const inner = name === place.map((part) => pascal(part)).join("") ? place : [name]
    for (const { properties, required = [] } of alternatives) {
      for (const [field, of] of Object.entries(properties as Json)) {
        const isAlways = alternatives.every((one) => one["required"]?.includes(field))
        const next = this.fieldOf(field, of, isAlways && required.includes(field), inner, use)
        const earlier = fields.get(field)
        fields.set(field, earlier === undefined ? next : { ...next, type: mergeTypes(earlier.type, next.type) })
      }
    }
    const made = [...fields.values()]
    if (before !== undefined && JSON.stringify(before.fields) !== JSON.stringify(made))
      throw new Error(`${name} is sent with times, and answered: what is answered needs a shape of its own`)
    this.structs.set(name, { schema: key, struct: { ...start, fields: made } })
    return { kind: "ref", name }
  }
}

const mergeTypes = (a: Type, b: Type): Type => {
  if (JSON.stringify(a) === JSON.stringify(b)) return a
  if (a.kind === "string" && b.kind === "string") {
    const values = a.values && b.values ? [...new Set([...a.values, ...b.values])] : null
    return { kind: "string", values, isTime: a.isTime && b.isTime }
  }
  return { kind: "json" }
}

interface Found {
  readonly path: string
  readonly method: string
  readonly operation: Json
  readonly resource: string
  readonly name: string
  readonly schema: Json
  readonly mediaType: string
  readonly isPage: boolean
  readonly ids: ReadonlyArray<string>
}

const findOperations = (document: Json): ReadonlyArray<Found> => {
  const found: Array<Found> = []
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
      const isPage = schema?.properties?.next_cursor !== undefined && schema?.properties?.data !== undefined
      const isList = isPage || schema?.properties?.data !== undefined
      found.push({
        ...nameOf(method, path, status, isList, Object.keys(methods)),
        path,
        method,
        operation,
        schema,
        mediaType,
        isPage,
        ids: [...path.matchAll(/\{([^}]+)\}/g)].map(([, id]) => id!)
      })
    }
  }
  // `/dead-letters/{id}/replay` beside `/dead-letters/replay`: the one about no certain thing is about many.
  return found.map((one) => {
    const isTwin = found.some(
      (o) => o.resource === one.resource && o.name === one.name && o.ids.length > one.ids.length
    )
    return isTwin ? { ...one, name: `${one.name}Many` } : one
  })
}

export const modelOf = (document: Json): Model => {
  const components = document["components"].schemas as Record<string, Json>
  const found = findOperations(document)
  const shapes = new Shapes(components)
  for (const place of Object.keys(SHARED)) {
    const [first, ...fields] = place.split(".")
    let schema = components[first!]
    if (schema === undefined) {
      schema = found.find(({ name, resource }) => `${resource}.${name}` === place)?.schema
    } else {
      for (const field of fields) {
        const parts: ReadonlyArray<Json> = schema?.["anyOf"] ?? [schema]
        const at: Json | undefined = parts.find((part) => part?.["properties"]?.[field])?.["properties"][field]
        schema = at === undefined ? undefined : (withoutNull(at).schema["items"] ?? withoutNull(at).schema)
      }
    }
    if (schema === undefined) throw new Error(`${place} of SHARED is not in the document`)
    shapes.share(place, schema)
  }
  const operations = found.map(
    ({ ids, isPage, mediaType, method, name, operation, path, resource, schema }): Operation => {
      const parameters = (operation["parameters"] ?? []) as ReadonlyArray<Json>
      const place = [resource, name]
      const body = Object.entries((operation["requestBody"]?.content ?? {}) as Record<string, Json>)[0]
      const answered: Json = isPage ? schema["properties"].data.items : schema
      return {
        resource,
        name,
        method: method.toUpperCase(),
        path,
        ids,
        summary: operation["summary"],
        body:
          body === undefined
            ? null
            : {
                schema: body[1]["schema"],
                type: shapes.typeOf(body[1]["schema"], [...place, "body"], "isSent"),
                isLines: body[0] === LINES,
                isRequired: operation["requestBody"].required === true
              },
        query: parameters
          .filter((parameter) => parameter["in"] === "query")
          .map(({ description, name, required, schema }) => ({
            ...shapes.fieldOf(name, { ...schema, description }, required === true, [...place, "query"], "isSent"),
            schema
          })),
        takesKey: parameters.some(({ name }) => name === "Idempotency-Key"),
        answer: mediaType === LINES ? "lines" : isPage ? "page" : "json",
        schema: answered,
        type: shapes.typeOf(answered, isPage ? [...place, "item"] : [...place, "result"], "isAnswered")
      }
    }
  )
  const resources = [...new Set(operations.map(({ resource }) => resource))].map((name) => ({
    name,
    operations: operations.filter(({ resource }) => resource === name)
  }))
  for (const { name, operations } of resources) {
    const names = operations.map((operation) => operation.name)
    const double = names.find((one, i) => names.indexOf(one) !== i)
    if (double !== undefined) throw new Error(`Two operations would be ${name}.${double}: see nameOf`)
  }
  const structs = [...shapes.structs.values()].map(({ struct }) => struct)
  return {
    resources,
    structs: structs.sort((a, b) => (a.name < b.name ? -1 : 1)),
    errorCodes: components["Error"]!["properties"].error.properties.code.enum
  }
}

/** What of the document SDKs are made of: without examples, headers and refusals, which are the same everywhere. */
export const essence = (document: Json): Json => {
  const strip = (value: any): any => {
    if (Array.isArray(value)) return value.map(strip)
    if (value === null || typeof value !== "object") return value
    const kept = Object.entries(value).filter(([name]) => !/^(example|examples|headers)$/.test(name))
    return Object.fromEntries(
      kept.map(([name, of]) => [name, name === "properties" ? properties(of as Json) : strip(of)])
    )
  }
  // Fields may have any name.
  const properties = (of: Json): Json =>
    Object.fromEntries(Object.entries(of).map(([name, schema]) => [name, strip(schema)]))
  const paths = Object.entries(document["paths"] as Json).filter(([path]) => path.startsWith("/api/v1/"))
  return {
    openapi: document["openapi"],
    info: { title: document["info"].title, version: document["info"].version },
    paths: Object.fromEntries(
      paths.map(([path, methods]) => [
        path,
        Object.fromEntries(
          Object.entries(methods as Json).map(
            ([method, { operationId, parameters, requestBody, responses, summary }]) => [
              method,
              strip({
                operationId,
                summary,
                parameters,
                requestBody,
                responses: Object.fromEntries(Object.entries(responses as Json).filter(([status]) => status < "300"))
              })
            ]
          )
        )
      ])
    ),
    components: { schemas: strip(document["components"].schemas) }
  }
}
