/* The PHP SDK's: a class for each resource. */

import type { Model, Operation, Struct, Type } from "./Model.ts"
import { camel, HEAD, line, pascal } from "./Model.ts"
import { reference } from "./reference.ts"

/** As static analysers read it; a shape is written where it is used. */
const typeOf = (type: Type, structs: ReadonlyMap<string, Struct>, within: ReadonlyArray<string> = []): string => {
  switch (type.kind) {
    case "string":
      return type.isTime ? "\\DateTimeInterface|string" : "string"
    case "integer":
      return "int"
    case "number":
      return "float"
    case "boolean":
      return "bool"
    case "json":
      return "mixed"
    case "map":
      return "array<string, mixed>"
    case "array":
      return `list<${typeOf(type.of, structs, within)}>`
    case "ref":
      // A shape within itself, or deep within others, is said no further.
      return within.includes(type.name) || within.length > 2
        ? "array<string, mixed>"
        : shapeOf(structs.get(type.name)!.fields, structs, [...within, type.name])
  }
}

const shapeOf = (
  fields: Struct["fields"],
  structs: ReadonlyMap<string, Struct>,
  within: ReadonlyArray<string> = []
): string =>
  `array{${fields
    .map(({ isNullable, isRequired, name, type }) => {
      const of = typeOf(type, structs, within)
      return `${name}${isRequired ? "" : "?"}: ${of}${isNullable && of !== "mixed" ? "|null" : ""}`
    })
    .join(", ")}}`

const plain = (type: Type): string =>
  type.kind === "ref" ? type.name : type.kind === "array" ? `list<${plain(type.of)}>` : type.kind

const METHOD_RESULT = { json: "array", page: "Pages", lines: "\\Generator" }

const methodOf = (operation: Operation, structs: ReadonlyMap<string, Struct>): string => {
  const { answer, body, ids, method, path, query, summary, takesKey } = operation
  const isImport = body?.isLines === true
  const type = typeOf(operation.type, structs)
  const isQueryRequired = query.some(({ isRequired }) => isRequired)
  const result = answer === "page" ? `Pages<${type}>` : answer === "lines" ? `\\Generator<int, ${type}>` : type
  const parameters = [
    ...ids.map((id) => ({ declared: `string $${camel(id)}`, doc: null })),
    ...(isImport
      ? [{ declared: "iterable $lines", doc: `iterable<${typeOf(body.type, structs)}|string> $lines` }]
      : body === null
        ? []
        : [{ declared: `array $body${body.isRequired ? "" : " = []"}`, doc: `${typeOf(body.type, structs)} $body` }]),
    ...(query.length === 0
      ? []
      : [{ declared: `array $query${isQueryRequired ? "" : " = []"}`, doc: `${shapeOf(query, structs)} $query` }]),
    {
      declared: "array $options = []",
      doc: "array{timeout?: float, deadline?: float, max_retries?: int, idempotency_key?: string, headers?: array<string, string>} $options"
    }
  ]
  const docs = [
    `${summary}.`,
    "",
    ...parameters.flatMap(({ doc }) => (doc === null ? [] : [`@param ${doc}`])),
    ...query.flatMap(({ description, name }) => (description === null ? [] : [`  ${name}: ${line(description)}`])),
    `@return ${result}`
  ]
  const target = path.split(/(\{[^}]+\})/).flatMap((part) => {
    if (part === "") return []
    return part.startsWith("{")
      ? [`Transport::segment('${part.slice(1, -1)}', $${camel(part.slice(1, -1))})`]
      : [`'${part}'`]
  })
  const given = [
    `'${method}'`,
    target.join(" . "),
    ...(isImport ? ["$lines"] : []),
    ...(body !== null && !isImport ? ["body: $body"] : []),
    ...(query.length > 0 ? ["query: $query"] : []),
    ...(takesKey ? ["takesKey: true"] : []),
    "options: $options"
  ]
  const function_ = isImport ? "sendLines" : answer === "lines" ? "lines" : answer === "page" ? "pages" : "value"
  return `    /**
${docs.map((text) => `     *${text === "" ? "" : ` ${text.replaceAll("*/", "* /")}`}`).join("\n")}
     */
    public function ${camel(operation.name)}(${parameters.map(({ declared }) => declared).join(", ")}): ${METHOD_RESULT[answer]}
    {
        return $this->transport->${function_}(${given.join(", ")});
    }
`
}

export const phpFiles = (model: Model): Readonly<Record<string, string>> => {
  const structs = new Map(model.structs.map((struct) => [struct.name, struct]))
  const files = model.resources.map(({ name, operations }) => [
    `sdk/php/src/Generated/${pascal(name)}.php`,
    `<?php

// ${HEAD}

declare(strict_types=1);

namespace Heliograph\\Generated;

${operations.some(({ answer }) => answer === "page") ? "use Heliograph\\Pages;\n" : ""}use Heliograph\\Transport;

final class ${pascal(name)}
{
    public function __construct(private readonly Transport $transport)
    {
    }

${operations.map((operation) => methodOf(operation, structs)).join("\n")}}
`
  ])
  return {
    ...Object.fromEntries(files),
    "sdk/php/src/Generated/Resources.php": `<?php

// ${HEAD}

declare(strict_types=1);

namespace Heliograph\\Generated;

use Heliograph\\Transport;

/** Every operation, by resource. */
abstract class Resources
{
${model.resources.map(({ name }) => `    public readonly ${pascal(name)} $${camel(name)};\n`).join("")}
    public function __construct(Transport $transport)
    {
${model.resources.map(({ name }) => `        $this->${camel(name)} = new ${pascal(name)}($transport);\n`).join("")}    }
}
`,
    "sdk/php/REFERENCE.md": reference(model, {
      language: "PHP",
      call: ({ body, ids, name, query, resource }) => {
        const given = [
          ...ids.map((id) => `$${camel(id)}`),
          ...(body === null ? [] : body.isLines ? ["$lines"] : [`$${plain(body.type)}`]),
          ...(query.length === 0 ? [] : [`[${query.map((field) => field.name).join(", ")}]`])
        ]
        return `$client->${camel(resource)}->${camel(name)}(${given.join(", ")})`
      },
      answer: ({ answer, type }) =>
        answer === "page" ? `Pages<${plain(type)}>` : answer === "lines" ? `Generator<${plain(type)}>` : plain(type),
      type: (type, isNullable) => `${plain(type)}${isNullable ? "|null" : ""}`,
      field: (name) => name
    })
  }
}
