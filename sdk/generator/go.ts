/* The Go SDK's: structs with what writes them, the resources, and the operations of the conformance suite's command. */

import type { Field, Model, Operation, Struct, Type } from "./Model.ts"
import { words, wrap } from "./Model.ts"
import { reference } from "./reference.ts"

const INITIALS = /^(id|url|html|api|ttl|http|json|fcm|apns|smtp)$/
const goName = (name: string): string =>
  words(name)
    .map((word) =>
      word === "ids" ? "IDs" : INITIALS.test(word) ? word.toUpperCase() : word[0]!.toUpperCase() + word.slice(1)
    )
    .join("")

const typeOf = (type: Type): string => {
  switch (type.kind) {
    case "string":
      return "string"
    case "integer":
      return "int64"
    case "number":
      return "float64"
    case "boolean":
      return "bool"
    case "json":
      return "any"
    case "map":
      return "map[string]any"
    case "array":
      return `[]${typeOf(type.of)}`
    case "ref":
      return goName(type.name)
  }
}

/** Has a value that says that nothing is there. */
const hasNil = (type: Type): boolean => /^(array|map|json)$/.test(type.kind)

const fieldType = (field: Field, isSent: boolean): string => {
  const type = typeOf(field.type)
  if (isSent && field.isNullable && !field.isRequired) return `Nullable[${type}]`
  if (hasNil(field.type) || (field.isRequired && !field.isNullable)) return type
  return `*${type}`
}

const values = (type: Type): string => {
  if (type.kind === "array") return values(type.of)
  return type.kind === "string" && type.values !== null ? `One of: ${type.values.join(", ")}.` : ""
}

const comment = (texts: ReadonlyArray<string | null>, indent: string): string =>
  texts
    .filter((text) => text !== null && text !== "")
    .flatMap((text) => wrap(text!, 100))
    .map((line) => `${indent}// ${line}\n`)
    .join("")

// A blank line after each: else gofmt would align them.
const fieldsOf = (fields: ReadonlyArray<Field>, type: (field: Field) => string, omits: boolean): string =>
  fields
    .map((field) => {
      const tag = `json:"${field.name}${omits && !field.isRequired ? ",omitempty" : ""}"`
      return `${comment([field.description, values(field.type)], "\t")}\t${goName(field.name)} ${type(field)} \`${tag}\`\n`
    })
    .join("\n")

const marshal = ({ fields, name }: Struct): string => {
  const puts = fields.map((field) => {
    const [json, at] = [`"${field.name}"`, `v.${goName(field.name)}`]
    if (fieldType(field, true).startsWith("Nullable[")) return `\tif ${at}.IsSet() {\n\t\to.put(${json}, ${at})\n\t}\n`
    if (!field.isRequired) return `\tif ${at} != nil {\n\t\to.put(${json}, ${at})\n\t}\n`
    if (field.type.kind === "array" && !field.isNullable) return `\to.put(${json}, orEmpty(${at}))\n`
    return `\to.put(${json}, ${at})\n`
  })
  return `
// MarshalJSON leaves out what is not given, and writes empty lists as lists.
func (v ${goName(name)}) MarshalJSON() ([]byte, error) {
	var o object
${puts.join("")}	return o.bytes()
}
`
}

const structOf = (struct: Struct): string => {
  const { description, fields, isSent, name } = struct
  const text = comment([`${goName(name)} is a shape of the API.`, description], "").trimEnd()
  return `${text}
type ${goName(name)} struct {
${fieldsOf(fields, (field) => fieldType(field, isSent), !isSent)}}
${isSent ? marshal(struct) : ""}`
}

/** What the body says too is said there. */
const queryOf = ({ body, query }: Operation, structs: ReadonlyMap<string, Struct>): Operation["query"] => {
  const fields = body?.type.kind === "ref" && !body.isLines ? structs.get(body.type.name)!.fields : []
  return query.filter(({ name }) => !fields.some((field) => field.name === name))
}

const paramsName = ({ name, resource }: Operation): string => `${goName(resource)}${goName(name)}Params`
const paramsType = (field: Field): string => (field.type.kind === "boolean" ? "*bool" : typeOf(field.type))

const paramsOf = (operation: Operation, query: Operation["query"]): string => {
  const name = paramsName(operation)
  const adds = query.map((field) => {
    const [json, at] = [`"${field.name}"`, `p.${goName(field.name)}`]
    switch (field.type.kind) {
      case "array":
        return `\tfor _, one := range ${at} {\n\t\tq.Add(${json}, text(one))\n\t}\n`
      case "boolean":
        return `\tif ${at} != nil {\n\t\tq.Add(${json}, text(*${at}))\n\t}\n`
      case "integer":
        return `\tif ${at} != 0 {\n\t\tq.Add(${json}, text(${at}))\n\t}\n`
      default:
        return `\tif ${at} != "" {\n\t\tq.Add(${json}, text(${at}))\n\t}\n`
    }
  })
  return `// ${name} is what ${goName(operation.resource)}.${goName(operation.name)} can be asked for; what is empty is left out.
type ${name} struct {
${fieldsOf(query, paramsType, false)}}

func (p *${name}) query() url.Values {
	q := url.Values{}
	if p == nil {
		return q
	}
${adds.join("")}	return q
}
`
}

const GO_WORDS = /^(type|func|range|map|import|var|const|package|select|case|default|go|interface|struct)$/
const idName = (id: string): string => {
  const [first, ...rest] = words(id)
  const name = first! + rest.map(goName).join("")
  return GO_WORDS.test(name) ? `${name}_` : name
}

interface Shape {
  readonly parameters: ReadonlyArray<string>
  readonly result: string
}

const shapeOf = (operation: Operation, structs: ReadonlyMap<string, Struct>): Shape => {
  const { answer, body, ids } = operation
  const type = typeOf(operation.type)
  const isImport = body?.isLines === true
  return {
    parameters: [
      ...(answer === "page" ? [] : ["ctx context.Context"]),
      ...ids.map((id) => `${idName(id)} string`),
      ...(isImport
        ? [`lines func(yield func(${typeOf(body.type)}) bool)`]
        : body === null
          ? []
          : [`body ${typeOf(body.type)}`]),
      ...(queryOf(operation, structs).length === 0 ? [] : [`params *${paramsName(operation)}`]),
      "options ...Option"
    ],
    result:
      answer === "page"
        ? `*Pages[${type}]`
        : answer === "lines"
          ? `func(yield func(${type}, error) bool)`
          : `(*${type}, error)`
  }
}

const methodOf = (operation: Operation, structs: ReadonlyMap<string, Struct>): string => {
  const { answer, body, ids, method, name, path, resource, summary, takesKey } = operation
  const { parameters, result } = shapeOf(operation, structs)
  const isImport = body?.isLines === true
  const entries = [
    `method: "${method}"`,
    `path: "${path}"`,
    ...(ids.length === 0 ? [] : [`ids: []string{${ids.map(idName).join(", ")}}`]),
    ...(queryOf(operation, structs).length === 0 ? [] : ["query: params.query()"]),
    ...(body === null || isImport ? [] : ["body: body"]),
    ...(takesKey ? ["takesKey: true"] : []),
    "options: options"
  ]
  const request = `request{${entries.join(", ")}}`
  const type = typeOf(operation.type)
  const call = isImport
    ? `sendLines(ctx, r.client, ${request}, lines, func(result *${type}) *int64 { return &result.Line })`
    : answer === "page"
      ? `newPages[${type}](r.client, ${request})`
      : answer === "lines"
        ? `readLines[${type}](ctx, r.client, ${request})`
        : `value[${type}](ctx, r.client, ${request})`
  return `
// ${goName(name)}: ${summary}.
func (r *${goName(resource)}Resource) ${goName(name)}(${parameters.join(", ")}) ${result} {
	return ${call}
}
`
}

const caseOf = (operation: Operation, structs: ReadonlyMap<string, Struct>): string => {
  const { answer, body, ids, name, resource } = operation
  const call = `c.${goName(resource)}.${goName(name)}`
  const query = queryOf(operation, structs)
  const isImport = body?.isLines === true
  const lines = [
    ...(body === null || isImport ? [] : [`var body heliograph.${typeOf(body.type)}`, "in.decode(in.Body, &body)"]),
    ...(query.length === 0 ? [] : [`var params heliograph.${paramsName(operation)}`, "in.decode(in.Query, &params)"])
  ]
  const given = [
    ...(answer === "page" ? [] : ["ctx"]),
    ...ids.map((_, i) => `in.IDs[${i}]`),
    ...(isImport ? [`lines[heliograph.${typeOf(body.type)}](in)`] : body === null ? [] : ["body"]),
    ...(query.length === 0 ? [] : ["&params"]),
    "in.options()..."
  ]
  const run =
    answer === "page"
      ? `return runPages(ctx, ${call}(${given.join(", ")}), in, out)`
      : answer === "lines"
        ? `return runLines(${call}(${given.join(", ")}), in, out)`
        : `return runValue(out)(${call}(${given.join(", ")}))`
  return `\tcase "${resource}.${name}":\n${[...lines, run].map((line) => `\t\t${line}\n`).join("")}`
}

export const goFiles = (model: Model): Readonly<Record<string, string>> => {
  const structs = new Map(model.structs.map((struct) => [struct.name, struct]))
  const { resources } = model
  const operations = resources.flatMap((resource) => resource.operations)
  const params = operations.flatMap((operation) => {
    const query = queryOf(operation, structs)
    return query.length === 0 ? [] : [paramsOf(operation, query)]
  })
  const head = `// Code generated by \`npm run sdk:types\` from the OpenAPI document. DO NOT EDIT.\n`
  return {
    "sdk/go/types.go": `${head}
package heliograph

${model.structs.map(structOf).join("\n")}`,
    "sdk/go/resources.go": `${head}
package heliograph

import (
	"context"
	"net/url"
)

// Resources has every operation, by resource.
type Resources struct {
${resources.map(({ name }) => `\t${goName(name)} *${goName(name)}Resource\n`).join("\n")}}

func newResources(client *transport) Resources {
	return Resources{
${resources.map(({ name }) => `\t\t&${goName(name)}Resource{client},\n`).join("")}	}
}
${resources
  .map(
    ({ name, operations }) => `
// ${goName(name)}Resource has the operations below ${name}.
type ${goName(name)}Resource struct{ client *transport }
${operations.map((operation) => methodOf(operation, structs)).join("")}`
  )
  .join("")}
${params.join("\n")}`,
    "sdk/go/conformance/operations.go": `${head}
package main

import (
	"context"
	"fmt"

	heliograph "github.com/heliograph/heliograph/sdk/go"
)

func dispatch(ctx context.Context, c *heliograph.Client, in *input, out *output) error {
	switch in.Call {
${operations.map((operation) => caseOf(operation, structs)).join("")}	}
	return fmt.Errorf("no operation %s", in.Call)
}
`,
    "sdk/go/REFERENCE.md": reference(model, {
      language: "Go",
      call: (operation) => {
        const { parameters } = shapeOf(operation, structs)
        return `client.${goName(operation.resource)}.${goName(operation.name)}(${parameters.slice(0, -1).join(", ")})`
      },
      answer: (operation) => shapeOf(operation, structs).result,
      type: (type, isNullable) => (isNullable && !hasNil(type) ? `*${typeOf(type)}` : typeOf(type)),
      field: goName
    })
  }
}
