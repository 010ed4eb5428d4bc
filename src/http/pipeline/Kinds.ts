import type { SchemaAST, SchemaIssue } from "effect"
import type { Detail } from "./ApiError.ts"

/* Of a value that is none of several kinds, the schema's own words name schemas; these say which kinds there are. */

/** The field by which objects of several kinds are told apart. */
const KIND = "type"

/** Beside the path of the value. */
interface Unkind {
  readonly at: ReadonlyArray<string>
  readonly message: string
}

const literalOf = (ast: SchemaAST.AST): unknown => {
  if (ast._tag !== "Objects") return undefined
  const type = ast.propertySignatures.find(({ name }) => name === KIND)?.type
  return type?._tag === "Literal" ? type.literal : undefined
}

const kindsOf = ({ types }: SchemaAST.Union): ReadonlyArray<string> | null => {
  const kinds = types.map(literalOf)
  return kinds.every((kind) => typeof kind === "string") ? kinds : null
}

const unkind = (ast: SchemaAST.Union, value: unknown): Unkind | null => {
  const kinds = kindsOf(ast)
  if (kinds === null) return null
  if (typeof value !== "object" || value === null || Array.isArray(value))
    return { at: [], message: "must be an object" }
  return {
    at: [KIND],
    message: KIND in value ? `must be ${kinds.map((kind) => JSON.stringify(kind)).join(" or ")}` : "is required"
  }
}

/** What to say of values in what was refused that are of no kind, by `nameOf` the paths where they lie. */
export const unkinds = (
  issue: SchemaIssue.Issue,
  value: unknown,
  nameOf: (path: ReadonlyArray<PropertyKey>) => string
): ReadonlyMap<string, Detail> => {
  const found = new Map<string, Detail>()
  const look = (issue: SchemaIssue.Issue, value: unknown, path: ReadonlyArray<PropertyKey>): void => {
    switch (issue._tag) {
      case "Pointer": {
        const inside = issue.path.reduce<unknown>(
          (part, key) => (part as Record<PropertyKey, unknown> | null)?.[key],
          value
        )
        return look(issue.issue, inside, [...path, ...issue.path])
      }
      case "Composite":
        for (const one of issue.issues) look(one, value, path)
        return
      case "Filter":
      case "Encoding":
        return look(issue.issue, value, path)
      case "AnyOf": {
        if (issue.issues.length > 0) return
        const one = unkind(issue.ast, value)
        if (one !== null) found.set(nameOf(path), { field: nameOf([...path, ...one.at]), message: one.message })
        return
      }
      default:
    }
  }
  look(issue, value, [])
  return found
}
