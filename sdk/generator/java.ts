/* The Java SDK's: a class with a builder for each shape, and one for each resource. */

import type { Field, Model, Operation, Struct, Type } from "./Model.ts"
import { camel, HEAD, line, pascal, wrap } from "./Model.ts"
import { reference } from "./reference.ts"

const KEYWORDS =
  /^(abstract|assert|boolean|break|byte|case|catch|char|class|const|continue|default|do|double|else|enum|extends|final|finally|float|for|goto|if|implements|import|instanceof|int|interface|long|native|new|package|private|protected|public|return|short|static|strictfp|super|switch|synchronized|this|throw|throws|transient|try|void|volatile|while|true|false|null|hashCode|toString|equals|getClass|notify|wait|build|builder|json)$/
/** A word of the language gets a last letter. */
const safe = (name: string): string => (KEYWORDS.test(name) ? `${name}_` : name)
const javaName = (name: string): string => safe(camel(name))
const methodName = (name: string): string => (name === "import" ? "importAll" : safe(name))

const PACKAGE = "sdk/java/src/main/java/dev/heliograph"

const boxed = (type: Type): string => {
  switch (type.kind) {
    case "string":
      return "String"
    case "integer":
      return "Long"
    case "number":
      return "Double"
    case "boolean":
      return "Boolean"
    case "json":
      return "Object"
    case "map":
      return "Map<String, ? extends @Nullable Object>"
    case "array":
      return `List<${boxed(type.of)}>`
    case "ref":
      return type.name
  }
}

const PLAIN: Readonly<Record<string, string>> = { integer: "long", number: "double", boolean: "boolean" }
const answerType = ({ isNullable, isRequired, type }: Field): string =>
  isRequired && !isNullable ? (PLAIN[type.kind] ?? boxed(type)) : nullable(boxed(type))
const nullable = (type: string): string => `@Nullable ${type}`

const values = (type: Type): string => {
  if (type.kind === "array") return values(type.of)
  return type.kind === "string" && type.values !== null ? `One of: ${type.values.join(", ")}.` : ""
}

const doc = (texts: ReadonlyArray<string | null>, indent: string): string => {
  const said = texts
    .filter((text) => text !== null && text !== "")
    .map((text) => line(text!).replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll("@", "&#64;"))
  if (said.length === 0) return ""
  return `${indent}/**\n${said
    .flatMap((text) => wrap(text, 100))
    .map((text) => `${indent} * ${text}\n`)
    .join("")}${indent} */\n`
}

/** How a field is read of the JSON that a shape is. */
const reader = ({ type }: Field, json: string): string => {
  switch (type.kind) {
    case "string":
      return `text(${json})`
    case "integer":
      return `integer(${json})`
    case "number":
      return `number(${json})`
    case "boolean":
      return `flag(${json})`
    case "json":
      return `any(${json})`
    case "map":
      return `map(${json})`
    case "array":
      return type.of.kind === "ref" ? `list(${json}, ${type.of.name}::new)` : `list(${json})`
    case "ref":
      return `object(${json}, ${type.name}::new)`
  }
}

const structOf = (struct: Struct): string => {
  const { description, fields, isSent } = struct
  const name = struct.name
  const getters = fields.map((field) => {
    const json = JSON.stringify(field.name)
    const isThere = field.isRequired && !field.isNullable
    const read = isThere ? `there(${json}, ${reader(field, json)})` : reader(field, json)
    return `${doc([field.description, values(field.type)], "  ")}  public ${answerType(field)} ${javaName(field.name)}() {
    return ${read};
  }
`
  })
  const setters = fields.map((field) => {
    const type = field.isNullable ? nullable(boxed(field.type)) : (PLAIN[field.type.kind] ?? boxed(field.type))
    return `${doc([field.description, values(field.type)], "    ")}    public Builder ${javaName(field.name)}(${type} value) {
      put(${JSON.stringify(field.name)}, value);
      return this;
    }
`
  })
  const required = fields.filter(({ isRequired }) => isRequired).map(({ name }) => JSON.stringify(name))
  const builder = `
  /** A builder; what it is not given is left out, and null is sent as null. */
  public static Builder builder() {
    return new Builder();
  }

  /** Makes {@link ${name}}. */
  public static final class Builder extends Shape.Builder {
    private Builder() {}

${setters.join("\n")}
    /** Fails with an IllegalArgumentException where something is missing. */
    public ${name} build() {
      return new ${name}(fields(${required.join(", ")}));
    }
  }
`
  const code = getters.join("\n") + (isSent ? builder : "")
  return `// ${HEAD}
package dev.heliograph.model;

${/\bList</.test(code) ? "import java.util.List;\n" : ""}import java.util.Map;
import org.jspecify.annotations.Nullable;

${doc([description ?? `${pascal(struct.name)}, as the API has it.`], "")}public final class ${name} extends Shape {
  /** Of what JSON has; what is not known here is kept. */
  public ${name}(Map<String, ? extends @Nullable Object> json) {
    super(json);
  }

${code}}
`
}

const queryOf = ({ body, query }: Operation, structs: ReadonlyMap<string, Struct>): Operation["query"] => {
  const fields = body?.type.kind === "ref" && !body.isLines ? structs.get(body.type.name)!.fields : []
  return query.filter(({ name }) => !fields.some((field) => field.name === name))
}
const queryName = ({ name, resource }: Operation): string => `${pascal(resource)}${pascal(name)}Query`

/** A query is a shape that is only sent. */
const queryStruct = (operation: Operation, query: Operation["query"]): Struct => ({
  name: queryName(operation),
  description: `What ${operation.resource}.${operation.name} can be asked for.`,
  fields: query,
  isSent: true,
  isAnswered: false
})

interface Shape {
  readonly parameters: ReadonlyArray<{
    readonly declared: string
    readonly name: string
    readonly fallback: string | null
  }>
  readonly result: string
}

const shapeOf = (operation: Operation, structs: ReadonlyMap<string, Struct>): Shape => {
  const { answer, body, ids } = operation
  const type = boxed(operation.type)
  const isImport = body?.isLines === true
  const query = queryOf(operation, structs)
  return {
    parameters: [
      ...ids.map((id) => ({ declared: `String ${javaName(id)}`, name: javaName(id), fallback: null })),
      ...(isImport
        ? [{ declared: `Iterable<? extends ${boxed(body.type)}> lines`, name: "lines", fallback: null }]
        : body === null
          ? []
          : [
              {
                declared: `${boxed(body.type)} body`,
                name: "body",
                fallback: body.isRequired ? null : `${boxed(body.type)}.builder().build()`
              }
            ]),
      ...(query.length === 0
        ? []
        : [
            {
              declared: `${queryName(operation)} query`,
              name: "query",
              fallback: query.some(({ isRequired }) => isRequired) ? null : `${queryName(operation)}.builder().build()`
            }
          ]),
      { declared: "RequestOptions options", name: "options", fallback: "RequestOptions.NONE" }
    ],
    result: answer === "page" ? `Pages<${type}>` : answer === "lines" ? `Lines<${type}>` : type
  }
}

const methodsOf = (operation: Operation, structs: ReadonlyMap<string, Struct>): string => {
  const { answer, body, ids, method, path, summary, takesKey } = operation
  const { parameters, result } = shapeOf(operation, structs)
  const isImport = body?.isLines === true
  const name = methodName(operation.name)
  const call = [
    `Call.of("${method}", "${path}"${ids.map((id) => `, ${javaName(id)}`).join("")})`,
    ...(body !== null && !isImport ? [".body(body)"] : []),
    ...(queryOf(operation, structs).length > 0 ? [".query(query)"] : []),
    ...(takesKey ? [".takesKey()"] : []),
    ".options(options)"
  ].join("")
  const type = operation.type.kind === "ref" ? `${operation.type.name}::new` : "json -> json"
  const function_ = isImport ? "sendLines" : answer === "lines" ? "lines" : answer === "page" ? "pages" : "value"
  const full = `${doc([`${summary}.`], "  ")}  public ${result} ${name}(${parameters.map(({ declared }) => declared).join(", ")}) {
    return transport.${function_}(${call}, ${isImport ? "lines, " : ""}${type});
  }
`
  const optional = parameters.filter(({ fallback }) => fallback !== null)
  const shorter = optional.map((_, i) => {
    const left = optional.slice(i).map(({ name }) => name)
    const kept = parameters.filter(({ name }) => !left.includes(name))
    const given = parameters.map(({ fallback, name }) => (left.includes(name) ? fallback! : name))
    return `${doc([`${summary}.`], "  ")}  public ${result} ${name}(${kept.map(({ declared }) => declared).join(", ")}) {
    return ${name}(${given.join(", ")});
  }
`
  })
  return [...shorter, full].join("\n")
}

const caseOf = (operation: Operation, structs: ReadonlyMap<string, Struct>): string => {
  const { answer, body, ids, name, resource } = operation
  const isImport = body?.isLines === true
  const given = [
    ...ids.map((_, i) => `in.id(${i})`),
    ...(isImport
      ? [`in.lines(${boxed(body.type)}::new)`]
      : body === null
        ? []
        : [`new ${boxed(body.type)}(in.object("body"))`]),
    ...(queryOf(operation, structs).length === 0 ? [] : [`new ${queryName(operation)}(in.object("query"))`]),
    "in.options()"
  ]
  const call = `client.${javaName(resource)}().${methodName(name)}(${given.join(", ")})`
  const run = answer === "page" ? `in.pages(${call})` : answer === "lines" ? `in.lines(${call})` : `in.value(${call})`
  return `      case "${resource}.${name}" -> ${run};\n`
}

export const javaFiles = (model: Model): Readonly<Record<string, string>> => {
  const structs = new Map(model.structs.map((struct) => [struct.name, struct]))
  const operations = model.resources.flatMap((resource) => resource.operations)
  const queries = operations.flatMap((operation) => {
    const query = queryOf(operation, structs)
    return query.length === 0 ? [] : [queryStruct(operation, query)]
  })
  const resources = model.resources.map(({ name, operations }) => {
    const methods = operations.map((operation) => methodsOf(operation, structs)).join("\n")
    return [
      `${PACKAGE}/resources/${pascal(name)}Resource.java`,
      `// ${HEAD}
package dev.heliograph.resources;

import dev.heliograph.Lines;
import dev.heliograph.Pages;
import dev.heliograph.RequestOptions;
import dev.heliograph.internal.Call;
import dev.heliograph.internal.Transport;
import dev.heliograph.model.*;

/** The operations of {@code ${name}}. */
public final class ${pascal(name)}Resource {
  private final Transport transport;

  public ${pascal(name)}Resource(Transport transport) {
    this.transport = transport;
  }

${methods}}
`
    ]
  })
  return {
    ...Object.fromEntries(
      [...model.structs, ...queries].map((struct) => [`${PACKAGE}/model/${struct.name}.java`, structOf(struct)])
    ),
    ...Object.fromEntries(resources),
    [`${PACKAGE}/resources/Resources.java`]: `// ${HEAD}
package dev.heliograph.resources;

import dev.heliograph.internal.Transport;

/** Every operation, by resource. */
public abstract class Resources {
${model.resources.map(({ name }) => `  private final ${pascal(name)}Resource ${javaName(name)};\n`).join("")}
  protected Resources(Transport transport) {
${model.resources.map(({ name }) => `    ${javaName(name)} = new ${pascal(name)}Resource(transport);\n`).join("")}  }
${model.resources.map(({ name }) => `\n  public ${pascal(name)}Resource ${javaName(name)}() {\n    return ${javaName(name)};\n  }\n`).join("")}}
`,
    "sdk/java/src/conformance/java/dev/heliograph/conformance/Operations.java": `// ${HEAD}
package dev.heliograph.conformance;

import dev.heliograph.Heliograph;
import dev.heliograph.model.*;

final class Operations {
  private Operations() {}

  static void run(Heliograph client, String call, Input in) throws InterruptedException {
    switch (call) {
${operations.map((operation) => caseOf(operation, structs)).join("")}      default -> throw new IllegalStateException("no operation " + call);
    }
  }
}
`,
    "sdk/java/REFERENCE.md": reference(model, {
      language: "Java",
      call: (operation) =>
        `client.${javaName(operation.resource)}().${methodName(operation.name)}(${shapeOf(operation, structs)
          .parameters.map(({ declared, fallback }) => (fallback === null ? declared : `[${declared}]`))
          .join(", ")})`,
      answer: (operation) => shapeOf(operation, structs).result,
      type: (type, isNullable) => `${isNullable ? "@Nullable " : ""}${boxed(type).replace("? extends @Nullable ", "")}`,
      field: (name) => `${javaName(name)}()`
    })
  }
}
