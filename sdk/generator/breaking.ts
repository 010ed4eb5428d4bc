/* What of a document would break clients that were made from an earlier one. */

import type { Json } from "./Model.ts"

interface Change {
  /** What a line of the changelog has to name: `GET /api/v1/devices`, `Device.token`. */
  readonly name: string
  readonly what: string
}

type Use = "sent" | "answered"

/** Limits of what is taken, and whether a greater one is wider. */
const LIMITS: Readonly<Record<string, boolean>> = {
  maxLength: true,
  maxItems: true,
  maxProperties: true,
  maximum: true,
  exclusiveMaximum: true,
  minLength: false,
  minItems: false,
  minProperties: false,
  minimum: false,
  exclusiveMinimum: false
}

/** Limits by name, those that stand in an `allOf` too. */
const limitsOf = (schema: Json): ReadonlyMap<string, number> => {
  const found = new Map<string, number>()
  for (const part of [schema, ...((schema["allOf"] ?? []) as ReadonlyArray<Json>)]) {
    for (const [limit, isWiderAbove] of Object.entries(LIMITS)) {
      const value = part[limit]
      if (typeof value !== "number") continue
      const other = found.get(limit)
      found.set(limit, other === undefined ? value : isWiderAbove ? Math.min(other, value) : Math.max(other, value))
    }
  }
  return found
}

const patternsOf = (schema: Json): ReadonlyArray<string> =>
  [schema, ...((schema["allOf"] ?? []) as ReadonlyArray<Json>)].flatMap(({ pattern }) =>
    typeof pattern === "string" ? [pattern] : []
  )

/** Null and alternatives apart, as a list of plain schemas. */
const alternatives = (schema: Json): ReadonlyArray<Json> => {
  const any = (schema["anyOf"] ?? schema["oneOf"]) as ReadonlyArray<Json> | undefined
  if (any !== undefined) return any.flatMap(alternatives)
  return Array.isArray(schema["type"]) ? schema["type"].map((type) => ({ ...schema, type })) : [schema]
}

const kindOf = (schema: Json): string => schema["$ref"] ?? schema["type"] ?? "anything"

class Comparison {
  readonly changes: Array<Change> = []
  private readonly seen = new Set<string>()
  private readonly before: Json
  private readonly after: Json
  constructor(before: Json, after: Json) {
    this.before = before["components"].schemas
    this.after = after["components"].schemas
  }

  add(name: string, what: string) {
    if (!this.changes.some((change) => change.name === name && change.what === what)) this.changes.push({ name, what })
  }

  schemas(before: Json, after: Json, name: string, use: Use): void {
    if (before["$ref"] !== undefined && before["$ref"] === after["$ref"]) {
      const component = String(before["$ref"]).split("/").at(-1)!
      if (this.seen.has(`${component} ${use}`)) return
      this.seen.add(`${component} ${use}`)
      return this.schemas(this.before[component], this.after[component] ?? {}, component, use)
    }
    const [from, to] = [alternatives(before), alternatives(after)]
    const [kinds, nextKinds] = [from.map(kindOf), to.map(kindOf)]
    // What was taken has to be taken still; of what was answered nothing new may come.
    const [has, had] = use === "sent" ? [nextKinds, kinds] : [kinds, nextKinds]
    if (!has.includes("anything") && had.some((kind) => !has.includes(kind))) {
      return this.add(name, `was ${[...new Set(kinds)].join(" or ")}, is ${[...new Set(nextKinds)].join(" or ")}`)
    }
    for (const [i, one] of from.entries()) {
      const other =
        from.length === to.length && kindOf(to[i]!) === kindOf(one) ? to[i] : to.find((o) => kindOf(o) === kindOf(one))
      if (other !== undefined) this.one(one, other, name, use)
    }
  }

  private one(before: Json, after: Json, name: string, use: Use) {
    if (before["$ref"] !== undefined) return this.schemas(before, after, name, use)
    // Answers may have new values: clients are told to expect them.
    const gone = (before["enum"] ?? []).filter(
      (value: unknown) => after["enum"] !== undefined && !after["enum"].includes(value)
    )
    if (gone.length > 0) this.add(name, `no longer ${use === "sent" ? "takes" : "answers"} ${gone.join(", ")}`)
    if (use === "sent" && before["enum"] === undefined && after["enum"] !== undefined)
      this.add(name, "takes certain values only")
    if (use === "sent") this.limits(before, after, name)
    if (before["items"] !== undefined) this.schemas(before["items"], after["items"] ?? {}, name, use)
    const [fields, next] = [before["properties"] ?? {}, after["properties"] ?? {}] as [Json, Json]
    const [required, nextRequired] = [before["required"] ?? [], after["required"] ?? []] as [
      Array<string>,
      Array<string>
    ]
    for (const [field, schema] of Object.entries(fields)) {
      const place = `${name}.${field}`
      if (next[field] === undefined) this.add(place, use === "sent" ? "is no longer taken" : "is no longer answered")
      else this.schemas(schema, next[field], place, use)
      if (use === "answered" && required.includes(field) && next[field] !== undefined && !nextRequired.includes(field))
        this.add(place, "is no longer always there")
    }
    if (use === "sent") {
      for (const field of nextRequired.filter((one) => !required.includes(one)))
        this.add(`${name}.${field}`, "is required")
    }
  }

  /** What was taken has to be within what is taken now. */
  private limits(before: Json, after: Json, name: string) {
    const was = limitsOf(before)
    for (const [limit, value] of limitsOf(after)) {
      const former = was.get(limit)
      if (former === undefined || (LIMITS[limit] ? value < former : value > former))
        this.add(name, `has a ${limit} of ${value}${former === undefined ? "" : `, had ${former}`}`)
    }
    const known = patternsOf(before)
    for (const pattern of patternsOf(after)) if (!known.includes(pattern)) this.add(name, `has the pattern ${pattern}`)
  }

  operation(before: Json, after: Json, name: string) {
    for (const next of (after["parameters"] ?? []) as ReadonlyArray<Json>) {
      const was = (before["parameters"] ?? []).find(
        (one: Json) => one["name"] === next["name"] && one["in"] === next["in"]
      )
      if (next["required"] && !was?.["required"]) this.add(name, `requires ${next["name"]}`)
    }
    for (const was of (before["parameters"] ?? []) as ReadonlyArray<Json>) {
      const next = (after["parameters"] ?? []).find(
        (one: Json) => one["name"] === was["name"] && one["in"] === was["in"]
      )
      if (next === undefined) this.add(name, `no longer takes ${was["name"]}`)
      else this.schemas(was["schema"], next["schema"], `${name} ${was["name"]}`, "sent")
    }
    const [body, nextBody] = [before["requestBody"], after["requestBody"]] as [Json | undefined, Json | undefined]
    if (body !== undefined && nextBody === undefined) this.add(name, "no longer takes a body")
    if (nextBody?.["required"] && !body?.["required"]) this.add(name, "requires a body")
    for (const [media, { schema }] of Object.entries((body?.["content"] ?? {}) as Record<string, Json>)) {
      const next = nextBody?.["content"]?.[media]
      if (next !== undefined) this.schemas(schema, next.schema, name, "sent")
      else if (nextBody !== undefined) this.add(name, `no longer takes ${media}`)
    }
    for (const [status, response] of Object.entries(before["responses"] as Record<string, Json>)) {
      const next = after["responses"][status]
      if (next === undefined) this.add(name, `no longer answers ${status}`)
      for (const [media, { schema }] of Object.entries((response["content"] ?? {}) as Record<string, Json>)) {
        const nextSchema = next?.content?.[media]?.schema
        if (nextSchema !== undefined && schema !== undefined) this.schemas(schema, nextSchema, name, "answered")
        else if (next !== undefined && schema !== undefined) this.add(name, `no longer answers ${media}`)
      }
    }
  }
}

export const breakingChanges = (before: Json, after: Json): ReadonlyArray<Change> => {
  const comparison = new Comparison(before, after)
  for (const [path, methods] of Object.entries(before["paths"] as Record<string, Json>)) {
    for (const [method, operation] of Object.entries(methods)) {
      const name = `${method.toUpperCase()} ${path}`
      const next = after["paths"][path]?.[method]
      if (next === undefined) comparison.add(name, "is gone")
      else comparison.operation(operation as Json, next, name)
    }
  }
  return comparison.changes
}

/** Those that no line of the changelog's first section, the release that is being made, names. */
export const unnamed = (before: Json, after: Json, changelog: string): ReadonlyArray<string> => {
  const said = (changelog.split(/^## /m)[1] ?? "").split("\n").filter((line) => line.startsWith("- REST, breaking:"))
  return breakingChanges(before, after)
    .filter(({ name }) => !said.some((line) => line.includes(`\`${name}\``)))
    .map(({ name, what }) => `${name} ${what}`)
}
