import type { Schema, SchemaAST } from "effect"
import { boundOf, flat } from "./Checks.ts"
import { isJsonObject, OPAQUE } from "../../../services/domain/Json.ts"

/*
 * Most bodies have nothing wrong with them, and become what they are already. To see that takes a fifth of the time, and
 * none of the garbage, of decoding them: no copies, no lists of issues. This reads the same schema as the decoder, whose
 * word counts wherever this is not sure.
 */

type Check = (value: unknown) => boolean

const unsure: Check = () => false

/** What a filter is told about how to decode: as the decoder of bodies does. */
const OPTIONS: SchemaAST.ParseOptions = { errors: "all", onExcessProperty: "error" }

/** The checks of a node, behind what it says of the form. */
const checked = (ast: SchemaAST.AST, isFormed: Check): Check => {
  const filters = ast.checks === undefined ? [] : flat(ast.checks)
  if (filters.length === 0) return isFormed
  return (value) => {
    if (!isFormed(value)) return false
    for (let i = 0; i < filters.length; i++) if (filters[i]!.run(value, ast, OPTIONS) !== undefined) return false
    return true
  }
}

interface Field {
  readonly isSound: Check
  readonly isRequired: boolean
}

const ofObjects = ({ indexSignatures, propertySignatures }: SchemaAST.Objects): Check => {
  if (indexSignatures.length > 0) return unsure
  const fields = new Map<string, Field>()
  let required = 0
  for (const { name, type } of propertySignatures) {
    if (typeof name !== "string" || name === "__proto__") return unsure
    const isRequired = type.context?.isOptional !== true
    if (isRequired) required++
    fields.set(name, { isSound: ofNode(type), isRequired })
  }
  return (value) => {
    if (typeof value !== "object" || value === null || Array.isArray(value)) return false
    let found = 0
    for (const name in value) {
      const field = fields.get(name)
      if (field === undefined || !field.isSound((value as Record<string, unknown>)[name])) return false
      if (field.isRequired) found++
    }
    return found === required
  }
}

const ofArrays = (ast: SchemaAST.Arrays): Check => {
  const { elements, rest } = ast
  if (elements.length > 0 || rest.length !== 1) return unsure
  const { max } = boundOf(ast)
  const isSound = ofNode(rest[0]!)
  return (value) => {
    if (!Array.isArray(value) || value.length > max) return false
    for (let i = 0; i < value.length; i++) if (!isSound(value[i])) return false
    return true
  }
}

const ofUnion = ({ options, types }: SchemaAST.Union): Check => {
  if (options?.mode === "oneOf") return unsure
  if (types.every((type) => type._tag === "Literal" && isBare(type))) {
    const literals = new Set<unknown>(types.map((type) => (type as SchemaAST.Literal).literal))
    return (value) => literals.has(value)
  }
  const members = types.map(ofNode)
  return (value) => {
    for (let i = 0; i < members.length; i++) if (members[i]!(value)) return true
    return false
  }
}

const isBare = (ast: SchemaAST.AST): boolean => ast.encoding === undefined && ast.checks === undefined

const formOf = (ast: SchemaAST.AST): Check => {
  switch (ast._tag) {
    case "String":
      return (value) => typeof value === "string"
    case "Boolean":
      return (value) => typeof value === "boolean"
    case "Number":
      return (value) => typeof value === "number"
    case "Null":
      return (value) => value === null
    case "Literal":
      return (value) => value === ast.literal
    case "Objects":
      return ofObjects(ast)
    case "Arrays":
      return ofArrays(ast)
    case "Union":
      return ofUnion(ast)
    case "Declaration":
      return ast.annotations?.[OPAQUE] === true ? isJsonObject : unsure
    default:
      return unsure
  }
}

const ofNode = (ast: SchemaAST.AST): Check => {
  const becomesAnother = ast.encoding !== undefined || ("encodingChecks" in ast && ast.encodingChecks !== undefined)
  return becomesAnother ? unsure : checked(ast, formOf(ast))
}

/**
 * Whether parsed JSON is certainly what the schema asks for and would be decoded into its own like. False says nothing:
 * the value may be wrong, or of a kind that is left to the decoder (records, tuples, transformations).
 */
export const soundness = (schema: Schema.ConstraintDecoder<unknown>): ((json: unknown) => boolean) => ofNode(schema.ast)
