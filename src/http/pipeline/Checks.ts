import type { SchemaAST } from "effect"

/** Checks, without the groups they stand in. */
export const flat = (checks: ReadonlyArray<SchemaAST.Check<any>>): ReadonlyArray<SchemaAST.Filter<unknown>> =>
  checks.flatMap((check): ReadonlyArray<SchemaAST.Filter<unknown>> =>
    check._tag === "FilterGroup" ? flat(check.checks) : [check]
  )

interface Bound {
  readonly max: number
  readonly expected: string
}

/** How much a list or a map may have in it: the narrowest of its checks. */
export const boundOf = (ast: SchemaAST.AST): Bound => {
  let bound: Bound = { max: Infinity, expected: "" }
  for (const { annotations } of flat(ast.checks ?? [])) {
    const { maxLength, maxProperties } =
      ((annotations?.["representation"] as { payload?: unknown } | undefined)?.payload as {
        maxLength?: number
        maxProperties?: number
      } | null) ?? {}
    const max = maxLength ?? maxProperties ?? Infinity
    if (max < bound.max) bound = { max, expected: String(annotations?.["expected"]) }
  }
  return bound
}
