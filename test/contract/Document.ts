import type { ValidateFunction } from "ajv"
import { schemaCompiler } from "../src/http/TestServer.ts"

/** The OpenAPI document as the service serves it, and what it says of an answer. */

export type Schema = { readonly [name: string]: any }

export interface Media {
  readonly schema: Schema
  readonly example?: unknown
}

export interface Parameter {
  readonly name: string
  readonly in: "path" | "query" | "header"
  readonly required?: boolean
  readonly schema: Schema
}

export interface Operation {
  /** `GET /api/v1/devices/{id}` */
  readonly name: string
  readonly method: string
  readonly path: string
  readonly ids: ReadonlyArray<string>
  readonly query: ReadonlyArray<Parameter>
  readonly body: (Media & { readonly type: string; readonly isStream: boolean }) | null
  readonly access: "secret" | "public" | "open"
  readonly takesKey: boolean
  readonly responses: Readonly<Record<string, { readonly content?: Readonly<Record<string, Media>> }>>
}

export interface Answer {
  readonly status: number
  readonly headers: Headers
  readonly text: string
}

export const readOperations = (document: Schema): ReadonlyArray<Operation> =>
  Object.entries(document["paths"] as Record<string, Record<string, Schema>>).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]): Operation => {
      const parameters = (operation["parameters"] ?? []) as ReadonlyArray<Parameter>
      const [type, media] = Object.entries((operation["requestBody"]?.content ?? {}) as Record<string, Media>)[0] ?? []
      const keys = (operation["security"] as ReadonlyArray<object>).flatMap((scheme) => Object.keys(scheme))
      return {
        name: `${method.toUpperCase()} ${path}`,
        method: method.toUpperCase(),
        path,
        ids: [...path.matchAll(/\{([^}]+)\}/g)].map(([, id]) => id!),
        query: parameters.filter((parameter) => parameter.in === "query"),
        body: media === undefined ? null : { ...media, type: type!, isStream: type !== "application/json" },
        access: keys.length === 0 ? "open" : keys.includes("publicKey") ? "public" : "secret",
        takesKey: parameters.some(({ name }) => name === "Idempotency-Key"),
        responses: operation["responses"]
      }
    })
  )

const LINES = "application/x-ndjson"

/** Says what of an answer the document does not foresee; nothing when all is well. */
export const contractOf = (document: Schema) => {
  const compile = schemaCompiler(document as never)
  const compiled = new Map<Schema, ValidateFunction>()
  const validatorOf = (schema: Schema): ValidateFunction => {
    const known = compiled.get(schema)
    if (known !== undefined) return known
    const made = compile(schema)
    compiled.set(schema, made)
    return made
  }
  const problemIn = (schema: Schema, text: string): string | null => {
    let value: unknown
    try {
      value = JSON.parse(text)
    } catch {
      return `no JSON: ${text.slice(0, 200)}`
    }
    const validate = validatorOf(schema)
    return validate(value) ? null : `${JSON.stringify(validate.errors)} in ${text.slice(0, 500)}`
  }
  return {
    /** Whether the document would have the body refused. */
    accepts: (schema: Schema, value: unknown): boolean => validatorOf(schema)(value) as boolean,
    problemOf: ({ responses }: Operation, { headers, status, text }: Answer): string | null => {
      if (status >= 500) return `answered ${status}: ${text.slice(0, 300)}`
      const documented = responses[status]
      if (documented === undefined) return `answered ${status}, which is not documented: ${text.slice(0, 300)}`
      if (!/^[0-9a-f-]{36}$/.test(headers.get("x-request-id") ?? "")) return "has no X-Request-Id"
      const type = (headers.get("content-type") ?? "").split(";", 1)[0]!
      const content = documented.content ?? {}
      const media = content[type]
      if (media === undefined) {
        return Object.keys(content).length === 0
          ? null
          : `is ${type}, documented are ${Object.keys(content).join(", ")}`
      }
      if (type === "application/json") return problemIn(media.schema, text)
      if (type !== LINES) return null
      for (const line of text.split("\n")) {
        const problem = line === "" ? null : problemIn(media.schema, line)
        if (problem !== null) return problem
      }
      return null
    }
  }
}
export type Contract = ReturnType<typeof contractOf>
