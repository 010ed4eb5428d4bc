/* The C# SDK's: a class for each shape, and one for each resource. */

import type { Field, Model, Operation, Struct, Type } from "./Model.ts"
import { camel, HEAD, line, pascal } from "./Model.ts"
import { reference } from "./reference.ts"

const typeOf = (type: Type): string => {
  switch (type.kind) {
    case "string":
      return "string"
    case "integer":
      return "long"
    case "number":
      return "double"
    case "boolean":
      return "bool"
    case "json":
      return "object"
    case "map":
      return "IReadOnlyDictionary<string, object?>"
    case "array":
      return `IReadOnlyList<${typeOf(type.of)}>`
    case "ref":
      return type.name
  }
}

const isThere = ({ isNullable, isRequired }: Field): boolean => isRequired && !isNullable
const fieldType = (field: Field): string => `${typeOf(field.type)}${isThere(field) ? "" : "?"}`

/** No member can be called as its class is, or as what all shapes have. */
const propertyName = (name: string, struct: string): string =>
  pascal(name) === struct || /^(Fields|Equals|GetType|ToString)$/.test(pascal(name))
    ? `${pascal(name)}Value`
    : pascal(name)

const values = (type: Type): string => {
  if (type.kind === "array") return values(type.of)
  return type.kind === "string" && type.values !== null ? `One of: ${type.values.join(", ")}.` : ""
}

const escape = (text: string): string =>
  line(text).replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;")
const doc = (texts: ReadonlyArray<string | null>, indent: string): string => {
  const said = texts.filter((text) => text !== null && text !== "").map((text) => escape(text!))
  return said.length === 0 ? "" : `${indent}/// <summary>${said.join(" ")}</summary>\n`
}

const reader = (field: Field): string => {
  const json = JSON.stringify(field.name)
  const suffix = isThere(field) ? "" : "OrNull"
  switch (field.type.kind) {
    case "string":
      return `ReadText${suffix}(${json})`
    case "integer":
      return `ReadInteger${suffix}(${json})`
    case "number":
      return `ReadNumber${suffix}(${json})`
    case "boolean":
      return `ReadFlag${suffix}(${json})`
    case "json":
      return `ReadAny${suffix}(${json})`
    case "map":
      return `ReadMap${suffix}(${json})`
    case "array":
      return field.type.of.kind === "ref"
        ? `ReadList${suffix}(${json}, fields => new ${field.type.of.name}(fields))`
        : `ReadList${suffix}<${typeOf(field.type.of)}>(${json})`
    case "ref":
      return `ReadObject${suffix}(${json}, fields => new ${field.type.name}(fields))`
  }
}

const structOf = ({ description, fields, name }: Struct): string => {
  const properties = fields.map(
    (
      field
    ) => `${doc([field.description, values(field.type)], "        ")}        public ${fieldType(field)} ${propertyName(field.name, name)}
        {
            get => ${reader(field)};
            init => Put(${JSON.stringify(field.name)}, value);
        }
`
  )
  return `${doc([description ?? `${name}, as the API has it.`], "    ")}    public sealed class ${name} : Shape
    {
        public ${name}()
        {
        }

        internal ${name}(IDictionary<string, object?> fields)
            : base(fields)
        {
        }

${properties.join("\n")}    }
`
}

const queryOf = ({ body, query }: Operation, structs: ReadonlyMap<string, Struct>): Operation["query"] => {
  const fields = body?.type.kind === "ref" && !body.isLines ? structs.get(body.type.name)!.fields : []
  return query.filter(({ name }) => !fields.some((field) => field.name === name))
}
const queryName = ({ name, resource }: Operation): string => `${pascal(resource)}${pascal(name)}Query`
const methodName = ({ answer, name }: Operation): string => (answer === "page" ? pascal(name) : `${pascal(name)}Async`)

interface Signature {
  readonly parameters: ReadonlyArray<string>
  readonly result: string
}

const signatureOf = (operation: Operation, structs: ReadonlyMap<string, Struct>): Signature => {
  const { answer, body, ids } = operation
  const type = typeOf(operation.type)
  const query = queryOf(operation, structs)
  const isQueryRequired = query.some(({ isRequired }) => isRequired)
  return {
    parameters: [
      ...ids.map((id) => `string ${camel(id)}`),
      ...(body === null
        ? []
        : body.isLines
          ? [`IAsyncEnumerable<${typeOf(body.type)}> lines`]
          : [`${typeOf(body.type)}${body.isRequired ? "" : "?"} body${body.isRequired ? "" : " = null"}`]),
      ...(query.length === 0
        ? []
        : [`${queryName(operation)}${isQueryRequired ? "" : "?"} query${isQueryRequired ? "" : " = null"}`]),
      "RequestOptions? options = null",
      ...(answer === "page" ? [] : ["CancellationToken cancellationToken = default"])
    ],
    result: answer === "page" ? `Pages<${type}>` : answer === "lines" ? `IAsyncEnumerable<${type}>` : `Task<${type}>`
  }
}

const methodOf = (operation: Operation, structs: ReadonlyMap<string, Struct>): string => {
  const { answer, body, ids, method, path, summary, takesKey } = operation
  const { parameters, result } = signatureOf(operation, structs)
  const isImport = body?.isLines === true
  const target = path.replaceAll(/\{([^}]+)\}/g, (_, id: string) => `{Transport.Segment("${camel(id)}", ${camel(id)})}`)
  const call = [
    `Method = "${method}"`,
    `Path = ${ids.length > 0 ? "$" : ""}"${ids.length > 0 ? target : path}"`,
    ...(body !== null && !isImport ? [`Body = body${body.isRequired ? "" : ` ?? new ${typeOf(body.type)}()`}`] : []),
    ...(queryOf(operation, structs).length > 0 ? ["Query = query"] : []),
    ...(takesKey ? ["TakesKey = true"] : []),
    "Options = options"
  ]
  const read = `fields => new ${typeOf(operation.type)}(fields)`
  const given = [
    `new Call { ${call.join(", ")} }`,
    ...(isImport ? ["lines"] : []),
    read,
    ...(answer === "page" ? [] : ["cancellationToken"])
  ]
  const function_ = isImport
    ? "SendLinesAsync"
    : answer === "lines"
      ? "LinesAsync"
      : answer === "page"
        ? "Pages"
        : "ValueAsync"
  return `${doc([`${summary}.`], "        ")}        public ${result} ${methodName(operation)}(${parameters.join(", ")}) =>
            _transport.${function_}(${given.join(", ")});
`
}

const caseOf = (operation: Operation, structs: ReadonlyMap<string, Struct>): string => {
  const { answer, body, ids, name, resource } = operation
  const isImport = body?.isLines === true
  const given = [
    ...ids.map((_, i) => `input.Id(${i})`),
    ...(body === null
      ? []
      : isImport
        ? [`input.Lines(fields => new ${typeOf(body.type)}(fields))`]
        : [`new ${typeOf(body.type)}(input.Object("body"))`]),
    ...(queryOf(operation, structs).length === 0 ? [] : [`new ${queryName(operation)}(input.Object("query"))`]),
    "input.Options()",
    ...(answer === "page" ? [] : ["token"])
  ]
  const call = `client.${pascal(resource)}.${methodName(operation)}(${given.join(", ")})`
  const run = answer === "page" ? "PagesAsync" : answer === "lines" ? "CollectAsync" : "ValueAsync"
  return `                case "${resource}.${name}": return input.${run}(${call}${answer === "json" ? "" : ", token"});\n`
}

const file = (
  using: ReadonlyArray<string>,
  namespace: string,
  text: string
): string => `// <auto-generated>${HEAD}</auto-generated>
#nullable enable
${using.map((name) => `using ${name};\n`).join("")}
namespace ${namespace}
{
${text}}
`

export const csharpFiles = (model: Model): Readonly<Record<string, string>> => {
  const structs = new Map(model.structs.map((struct) => [struct.name, struct]))
  const operations = model.resources.flatMap((resource) => resource.operations)
  const queries = operations.flatMap((operation): ReadonlyArray<Struct> => {
    const fields = queryOf(operation, structs)
    const description = `What ${operation.resource}.${operation.name} can be asked for.`
    return fields.length === 0
      ? []
      : [{ name: queryName(operation), description, fields, isSent: true, isAnswered: false }]
  })
  const resources = model.resources.map(
    ({ name, operations }) => `    /// <summary>The operations of ${name}.</summary>
    public sealed class ${pascal(name)}Resource
    {
        private readonly Transport _transport;

        internal ${pascal(name)}Resource(Transport transport) => _transport = transport;

${operations.map((operation) => methodOf(operation, structs)).join("\n")}    }
`
  )
  const group = `    /// <summary>Every operation, by resource.</summary>
    public abstract class Resources
    {
        private protected Resources(Transport transport)
        {
${model.resources.map(({ name }) => `            ${pascal(name)} = new ${pascal(name)}Resource(transport);\n`).join("")}        }

${model.resources.map(({ name }) => `        public ${pascal(name)}Resource ${pascal(name)} { get; }\n`).join("\n")}    }
`
  return {
    "sdk/dotnet/Heliograph/Generated/Shapes.cs": file(
      ["System.Collections.Generic"],
      "Heliograph",
      [...model.structs, ...queries].map(structOf).join("\n")
    ),
    "sdk/dotnet/Heliograph/Generated/Resources.cs": file(
      ["System.Collections.Generic", "System.Threading", "System.Threading.Tasks"],
      "Heliograph",
      [group, ...resources].join("\n")
    ),
    "sdk/dotnet/Conformance/Operations.cs": file(
      ["System", "System.Threading", "System.Threading.Tasks"],
      "Heliograph.Conformance",
      `    internal static class Operations
    {
        internal static Task RunAsync(HeliographClient client, string call, Input input, CancellationToken token)
        {
            switch (call)
            {
${operations.map((operation) => caseOf(operation, structs)).join("")}                default: throw new InvalidOperationException("no operation " + call);
            }
        }
    }
`
    ),
    "sdk/dotnet/REFERENCE.md": reference(model, {
      language: "C#",
      call: (operation) =>
        `client.${pascal(operation.resource)}.${methodName(operation)}(${signatureOf(operation, structs)
          .parameters.filter((parameter) => !/^(RequestOptions|CancellationToken)/.test(parameter))
          .join(", ")})`,
      answer: (operation) => signatureOf(operation, structs).result,
      type: (type, isNullable) => `${typeOf(type)}${isNullable ? "?" : ""}`,
      field: pascal
    })
  }
}
