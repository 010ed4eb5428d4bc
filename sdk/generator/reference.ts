/* The reference of an SDK: every operation as it is called, and every shape. */

import type { Model, Operation, Struct, Type } from "./Model.ts"
import { HEAD, line } from "./Model.ts"

export interface Words {
  readonly language: string
  /** What the tables do not say, such as where names come from. */
  readonly about?: string
  /** `client.devices.list(platform=…)`. */
  readonly call: (operation: Operation) => string
  readonly answer: (operation: Operation) => string
  readonly type: (type: Type, isNullable: boolean) => string
  /** As the language spells it. */
  readonly field: (name: string) => string
}

const cell = (text: string): string => line(text).replaceAll("|", "\\|")

const valuesOf = (type: Type): string => {
  if (type.kind === "array") return valuesOf(type.of)
  return type.kind === "string" && type.values !== null ? type.values.map((value) => `\`${value}\``).join(" ") : ""
}

const structOf = ({ description, fields, name }: Struct, words: Words): string => {
  const rows = fields.map((field) => {
    const notes = [field.isRequired ? "" : "optional", field.description ?? "", valuesOf(field.type)]
    const type = words.type(field.type, field.isNullable)
    return `| \`${words.field(field.name)}\` | \`${cell(type)}\` | ${cell(notes.filter((note) => note !== "").join("; "))} |`
  })
  return `### ${name}\n\n${description === null ? "" : `${line(description)}\n\n`}| field | type | |\n| --- | --- | --- |\n${rows.join("\n")}\n`
}

export const reference = ({ resources, structs }: Model, words: Words): string => {
  const operations = resources.map(({ name, operations }) => {
    const rows = operations.map(
      (operation) =>
        `| \`${cell(words.call(operation))}\` | ${operation.summary} | \`${cell(words.answer(operation))}\` |`
    )
    return `### ${name}\n\n| call | what it does | answer |\n| --- | --- | --- |\n${rows.join("\n")}\n`
  })
  return `<!-- ${HEAD} -->

# Reference of the ${words.language} SDK
${words.about === undefined ? "" : `\n${words.about}\n`}
## Operations

${operations.join("\n")}
## Shapes

${structs.map((struct) => structOf(struct, words)).join("\n")}`
}
