/* The Ruby SDK's: the resources, with a keyword for each field. */

import type { Field, Model, Operation, Struct, Type } from "./Model.ts"
import { HEAD, pascal, snake, wrap } from "./Model.ts"
import { reference } from "./reference.ts"

const typeOf = (type: Type): string => {
  switch (type.kind) {
    case "string":
      return type.isTime ? "String, Time" : "String"
    case "integer":
      return "Integer"
    case "number":
      return "Float"
    case "boolean":
      return "Boolean"
    case "json":
      return "Object"
    case "map":
      return "Hash"
    case "array":
      return `Array<${typeOf(type.of)}>`
    case "ref":
      return type.name
  }
}

interface Keyword {
  readonly field: Field
  readonly isBody: boolean
  readonly isNeeded: boolean
}

/** What the body says too is said there. */
const keywordsOf = ({ body, query }: Operation, structs: ReadonlyMap<string, Struct>): ReadonlyArray<Keyword> => {
  const fields = body?.type.kind === "ref" && !body.isLines ? structs.get(body.type.name)!.fields : []
  const all = [
    ...fields.map((field) => ({ field, isBody: true, isNeeded: field.isRequired && body!.isRequired })),
    ...query
      .filter(({ name }) => !fields.some((field) => field.name === name))
      .map((field) => ({ field, isBody: false, isNeeded: field.isRequired }))
  ]
  return [...all.filter(({ isNeeded }) => isNeeded), ...all.filter(({ isNeeded }) => !isNeeded)]
}

const yardType = ({ isNullable, type }: Field): string => `${typeOf(type)}${isNullable ? ", nil" : ""}`
const values = (type: Type): string => {
  if (type.kind === "array") return values(type.of)
  return type.kind === "string" && type.values !== null ? `One of: ${type.values.join(", ")}.` : ""
}

const result = ({ answer, type }: Operation): string =>
  answer === "page" ? `Pages<${typeOf(type)}>` : answer === "lines" ? `Enumerator<${typeOf(type)}>` : typeOf(type)

const methodOf = (operation: Operation, structs: ReadonlyMap<string, Struct>): string => {
  const { answer, body, ids, method, path, summary, takesKey } = operation
  const isImport = body?.isLines === true
  const keywords = keywordsOf(operation, structs)
  const parameters = [
    ...ids,
    ...(isImport ? ["lines"] : []),
    ...keywords.map(({ field, isNeeded }) => `${field.name}:${isNeeded ? "" : " NOT_GIVEN"}`),
    "options: {}"
  ]
  const docs = keywords.flatMap(({ field }) => {
    const said = [field.description ?? "", values(field.type)].filter((text) => text !== "").join(" ")
    return wrap(`@param ${field.name} [${yardType(field)}] ${said}`, 96).map(
      (text, i) => `${i === 0 ? "" : "  "}${text}`
    )
  })
  const hash = (isBody: boolean) => {
    const of = keywords.filter((keyword) => keyword.isBody === isBody)
    return of.length === 0 ? "{}" : `{ ${of.map(({ field }) => `${field.name}: ${field.name}`).join(", ")} }`
  }
  const target = path.replaceAll(/\{([^}]+)\}/g, (_, id: string) => `#{Transport.segment("${id}", ${id})}`)
  const given = [
    JSON.stringify(method),
    `"${target}"`,
    ...(isImport ? ["lines"] : []),
    ...(body !== null && !isImport ? [`body: ${hash(true)}`] : []),
    ...(operation.query.length > 0 ? [`query: ${hash(false)}`] : []),
    ...(takesKey ? ["takes_key: true"] : []),
    "options: options"
  ]
  const function_ = isImport ? "send_lines" : answer === "lines" ? "lines" : answer === "page" ? "pages" : "value"
  const comment = [`${summary}.`, ...docs, `@return [${result(operation)}]`]
  return `${comment.map((text) => `      # ${text}\n`).join("")}      def ${snake(operation.name)}(
${parameters.map((parameter) => `        ${parameter}`).join(",\n")}
      )
        @transport.${function_}(
${given.map((argument) => `          ${argument}`).join(",\n")}
        )
      end
`
}

export const rubyFiles = (model: Model): Readonly<Record<string, string>> => {
  const structs = new Map(model.structs.map((struct) => [struct.name, struct]))
  const classes = model.resources.map(
    ({ name, operations }) => `    class ${pascal(name)}
      def initialize(transport)
        @transport = transport
      end

${operations.map((operation) => methodOf(operation, structs)).join("\n")}    end
`
  )
  return {
    "sdk/ruby/lib/heliograph/generated/resources.rb": `# frozen_string_literal: true

# ${HEAD}
module Heliograph
  # The operations of the service, by resource.
  module Resources
${model.resources
  .map(
    ({ name }) => `    # @return [Resources::${pascal(name)}]
    def ${snake(name)}
      @${snake(name)} ||= ${pascal(name)}.new(@transport)
    end
`
  )
  .join("\n")}
${classes.join("\n")}  end
end
`,
    "sdk/ruby/REFERENCE.md": reference(model, {
      language: "Ruby",
      call: (operation) => {
        const keywords = keywordsOf(operation, structs).map(({ field, isNeeded }) =>
          isNeeded ? `${field.name}:` : `[${field.name}:]`
        )
        const given = [...operation.ids, ...(operation.body?.isLines ? ["lines"] : []), ...keywords]
        return `client.${snake(operation.resource)}.${snake(operation.name)}${given.length === 0 ? "" : `(${given.join(", ")})`}`
      },
      answer: result,
      type: (type, isNullable) => `${typeOf(type)}${isNullable ? ", nil" : ""}`,
      field: (name) => `:${name}`
    })
  }
}
