/* The Python SDK's: shapes as TypedDicts, and the resources of the blocking and of the asynchronous client. */

import type { Field, Model, Operation, Struct, Type } from "./Model.ts"
import { HEAD, pascal, snake, wrap } from "./Model.ts"
import { reference } from "./reference.ts"

const KEYWORDS =
  /^(False|None|True|and|as|assert|async|await|break|class|continue|def|del|elif|else|except|finally|for|from|global|if|import|in|is|lambda|nonlocal|not|or|pass|raise|return|try|while|with|yield)$/
const safe = (name: string): string => (KEYWORDS.test(name) ? `${name}_` : name)

const typeOf = (type: Type): string => {
  switch (type.kind) {
    case "string":
      if (type.isTime) return "Union[datetime, str]"
      return type.values === null ? "str" : `Literal[${type.values.map((value) => JSON.stringify(value)).join(", ")}]`
    case "integer":
      return "int"
    case "number":
      return "float"
    case "boolean":
      return "bool"
    case "json":
      return "Any"
    case "map":
      return "Dict[str, Any]"
    case "array":
      return `List[${typeOf(type.of)}]`
    case "ref":
      return type.name
  }
}

const optional = (type: string, isOptional: boolean): string =>
  isOptional && type !== "Any" ? `Optional[${type}]` : type
const fieldType = ({ isNullable, type }: Field): string => optional(typeOf(type), isNullable)

/** A literal list that is long stands on lines of its own. */
const broken = (text: string, indent: string): string => {
  if (text.length + indent.length <= 110) return text
  return text.replace(/Literal\[(.*?)\]/, (_, values: string) => {
    const lines = values.split(", ").map((value) => `${indent}    ${value},`)
    return `Literal[\n${lines.join("\n")}\n${indent}]`
  })
}

const comment = (text: string | null, indent: string): string =>
  text === null
    ? ""
    : wrap(text, 100 - indent.length)
        .map((line) => `${indent}# ${line}\n`)
        .join("")

const body = (fields: ReadonlyArray<Field>): string =>
  fields.length === 0
    ? "    pass\n"
    : fields
        .map(
          (field) =>
            `${comment(field.description, "    ")}    ${broken(`${field.name}: ${fieldType(field)}`, "    ")}\n`
        )
        .join("")

const functional = (name: string, fields: ReadonlyArray<Field>, isTotal: boolean): string => {
  const entries = fields.map((field) => {
    const type = `'${fieldType(field)}'`
    const indent = "        "
    return `${comment(field.description, indent)}${indent}${JSON.stringify(field.name)}: ${type},\n`
  })
  return `${name} = TypedDict(\n    "${name}",\n    {\n${entries.join("")}    },\n    total=${isTotal ? "True" : "False"},\n)\n`
}

const structOf = ({ description, fields, name }: Struct): string => {
  const required = fields.filter(({ isRequired }) => isRequired)
  const rest = fields.filter(({ isRequired }) => !isRequired)
  const text = description === null ? "" : `    """${wrap(description, 96).join("\n    ")}"""\n\n`
  // No class can have a field that is a word of the language.
  if (fields.some((field) => safe(field.name) !== field.name)) {
    if (rest.length === 0) return functional(name, required, true)
    if (required.length === 0) return functional(name, rest, false)
    const bases = `${functional(`_${name}`, required, true)}\n${functional(`_${name}Options`, rest, false)}`
    return `${bases}\n\nclass ${name}(_${name}, _${name}Options):\n${text === "" ? "    pass\n" : text.trimEnd() + "\n"}`
  }
  if (required.length === 0) return `class ${name}(TypedDict, total=False):\n${text}${body(rest)}`
  if (rest.length === 0) return `class ${name}(TypedDict):\n${text}${body(required)}`
  return `class _${name}(TypedDict):\n${body(required)}\n\nclass ${name}(_${name}, total=False):\n${text}${body(rest)}`
}

interface Parameter {
  readonly field: Field
  readonly name: string
  readonly isBody: boolean
}

const parametersOf = (operation: Operation, structs: ReadonlyMap<string, Struct>): ReadonlyArray<Parameter> => {
  const { body, query } = operation
  const fields = body !== null && !body.isLines && body.type.kind === "ref" ? structs.get(body.type.name)!.fields : []
  const all = [
    ...fields.map((field) => ({ field, name: safe(field.name), isBody: true })),
    // What both can say is said by the body.
    ...query
      .filter(({ name }) => !fields.some((field) => field.name === name))
      .map((field) => ({ field, name: safe(field.name), isBody: false }))
  ]
  // Those without a default first.
  const isNeeded = ({ field: { isRequired }, isBody }: Parameter) => isRequired && (!isBody || body!.isRequired)
  return [...all.filter(isNeeded), ...all.filter((parameter) => !isNeeded(parameter))].map((parameter) => ({
    ...parameter,
    field: { ...parameter.field, isRequired: isNeeded(parameter) }
  }))
}

const declared = ({ field, isBody, name }: Parameter): string => {
  if (field.isRequired) return `${name}: ${fieldType(field)}`
  if (isBody) return `${name}: Union[${fieldType(field)}, NotGiven] = NOT_GIVEN`
  return `${name}: ${optional(typeOf(field.type), true)} = None`
}

const methodOf = (operation: Operation, structs: ReadonlyMap<string, Struct>, isAsync: boolean): string => {
  const { answer, body, ids, method, path, query, summary, takesKey } = operation
  const prefix = isAsync ? "Async" : ""
  const type = typeOf(operation.type)
  const isImport = body?.isLines === true
  const parameters = parametersOf(operation, structs)
  const lines = isAsync ? "Union[Iterable[Line], AsyncIterable[Line]]" : "Iterable[Line]"
  const positional = [
    "self",
    ...ids.map((id) => `${safe(id)}: str`),
    ...(isImport ? [`lines: ${lines.replaceAll("Line]", `Union[${typeOf(body.type)}, str]]`)}`] : [])
  ]
  const named = [...parameters.map(declared), "options: Optional[RequestOptions] = None"]
  const result =
    isImport || answer === "lines"
      ? `${isAsync ? "AsyncIterator" : "Iterator"}[${type}]`
      : answer === "page"
        ? `${prefix}Pages[${type}]`
        : type
  const target = path.replaceAll(/\{([^}]+)\}/g, (_, id: string) => `{segment("${id}", ${safe(id)})}`)
  const object = (isBody: boolean) => {
    const of = parameters.filter((parameter) => parameter.isBody === isBody)
    return `{${of.map(({ field, name }) => `${JSON.stringify(field.name)}: ${name}`).join(", ")}}`
  }
  const given = [
    JSON.stringify(method),
    ids.length > 0 ? `f${JSON.stringify(target).replaceAll('\\"', "'")}` : JSON.stringify(path),
    ...(isImport ? ["lines"] : []),
    ...(body !== null && !isImport ? [`body=${object(true)}`] : []),
    ...(query.length > 0 ? [`query=${object(false)}`] : []),
    ...(takesKey ? ["takes_key=True"] : []),
    "options=options"
  ]
  const function_ = isImport ? "_send_lines" : answer === "lines" ? "_lines" : answer === "page" ? "_pages" : "_value"
  const isAwaited = isAsync && function_ === "_value"
  // Called by its name alone, `list` would be the method.
  const notes = parameters.filter(({ field }) => field.description !== null)
  const documented = notes.flatMap(({ field, name }) =>
    wrap(`${name}: ${field.description!}`, 88).map((text, i) => `        ${i === 0 ? "" : "    "}${text}`)
  )
  const doc =
    documented.length === 0
      ? `        """${summary}."""\n`
      : `        """${summary}.\n\n${documented.join("\n")}\n        """\n`
  return `    ${isAwaited ? "async " : ""}def ${safe(snake(operation.name))}(
${[...positional, "*", ...named].map((parameter) => `        ${broken(parameter, "        ")},\n`).join("")}    ) -> ${result}:
${doc}        return ${isAwaited ? "await " : ""}self._client.${function_}(
${given.map((argument) => `            ${argument},\n`).join("")}        )
`
}

const names = (text: string): ReadonlyArray<string> => [
  ...new Set([...text.matchAll(/\b[A-Z]\w+\b/g)].map(([name]) => name))
]
const TYPING = /^(Any|AsyncIterable|AsyncIterator|Dict|Iterable|Iterator|List|Literal|Optional|TypedDict|Union)$/

const datetime = (text: string): string => (/\bdatetime\b/.test(text) ? "from datetime import datetime\n" : "")

const typing = (text: string): string =>
  names(text)
    .filter((name) => TYPING.test(name))
    .sort()
    .join(", ")

const resourcesOf = (model: Model, structs: ReadonlyMap<string, Struct>, isAsync: boolean): string => {
  const prefix = isAsync ? "Async" : ""
  const client = isAsync ? "AsyncTransport" : "Transport"
  const classes = model.resources.map(
    ({ name, operations }) => `class ${prefix}${pascal(name)}Resource:
    def __init__(self, client: "${client}") -> None:
        self._client = client

${operations.map((operation) => methodOf(operation, structs, isAsync)).join("\n")}`
  )
  const group = `class ${prefix}Resources:
    """Every operation, by resource."""

    def __init__(self, client: "${client}") -> None:
${model.resources.map(({ name }) => `        self.${snake(name)} = ${prefix}${pascal(name)}Resource(client)\n`).join("")}`
  const code = [...classes, group].join("\n\n")
  const used = names(code)
    .filter((name) => structs.has(name))
    .sort()
  return `# ${HEAD}
from __future__ import annotations

${datetime(code)}from typing import TYPE_CHECKING, ${typing(code)}

from .._core import NOT_GIVEN, NotGiven, RequestOptions, segment
from .._pages import ${prefix}Pages
from .types import (
${used.map((name) => `    ${name},\n`).join("")})

if TYPE_CHECKING:
    from .._${isAsync ? "async" : "sync"} import ${client}


${code}`
}

export const pythonFiles = (model: Model): Readonly<Record<string, string>> => {
  const structs = new Map(model.structs.map((struct) => [struct.name, struct]))
  const types = model.structs.map(structOf).join("\n\n")
  const errorCode = `ErrorCode = Literal[\n${model.errorCodes.map((code) => `    "${code}",\n`).join("")}    "unknown",\n]\n`
  return {
    "sdk/python/heliograph/_generated/__init__.py": `# ${HEAD}\n`,
    "sdk/python/heliograph/_generated/types.py": `# ${HEAD}
from __future__ import annotations

${datetime(types)}from typing import ${typing(types + errorCode)}

${errorCode}

${types}`,
    "sdk/python/heliograph/_generated/resources.py": resourcesOf(model, structs, false),
    "sdk/python/heliograph/_generated/async_resources.py": resourcesOf(model, structs, true),
    "sdk/python/REFERENCE.md": reference(model, {
      language: "Python",
      call: (operation) => {
        const parameters = parametersOf(operation, structs).map(({ field, name }) =>
          field.isRequired ? `${name}=` : `[${name}=]`
        )
        const given = [...operation.ids, ...(operation.body?.isLines ? ["lines"] : []), ...parameters]
        return `client.${snake(operation.resource)}.${safe(snake(operation.name))}(${given.join(", ")})`
      },
      answer: ({ answer, body, type }) => {
        const text = typeOf(type)
        return body?.isLines || answer === "lines" ? `Iterator[${text}]` : answer === "page" ? `Pages[${text}]` : text
      },
      type: (type, isNullable) => optional(typeOf(type).replace(/Literal\[.*\]/, "str"), isNullable),
      field: (name) => name
    })
  }
}
