import type { ASTNode, ASTVisitFn, FloatValueNode, IntValueNode, ValidationRule } from "graphql"
import { getNamedType, Kind } from "graphql"
import { CHANGED, isChanged } from "../../services/domain/WrittenNumbers.ts"
import { invalid } from "../http/pipeline/ApiError.ts"
import { graphqlError } from "./GraphqlErrors.ts"

/** A node, or a list of some, with the key of what was gone into. */
type Step = readonly [at: ASTNode | ReadonlyArray<ASTNode> | undefined, key: string | number | undefined]

/** Where a value stands, as the details of a refusal say it: `input.data.ids[0]`. */
const placeOf = (steps: ReadonlyArray<Step>): string => {
  let place = ""
  for (const [i, [at, key]] of steps.entries()) {
    if (at === undefined || !("kind" in at)) continue
    if (at.kind === Kind.ARGUMENT || at.kind === Kind.OBJECT_FIELD) place += `${place && "."}${at.name.value}`
    else if (at.kind === Kind.VARIABLE_DEFINITION) place = at.variable.name.value
    else if (at.kind === Kind.LIST && key === "values") place += `[${steps[i + 1]?.[1]}]`
  }
  return place
}

/**
 * Numbers in the text of a query are what those in a body are, which the engine's parser does not know: it has made
 * another of one by the time that anybody sees it. Where the schema wants an Int, it says so itself.
 */
export const literalNumbers: ValidationRule = (context) => {
  const look: ASTVisitFn<FloatValueNode | IntValueNode> = (node, _key, parent, path, ancestors) => {
    const type = getNamedType(context.getInputType())
    if ((type !== undefined && type.name !== "JSON") || !isChanged(node.value)) return
    const within = [...ancestors, parent]
    const field = placeOf(path.map((name, i) => [within[i], name]))
    context.reportError(graphqlError(invalid([{ field, message: CHANGED }])))
  }
  return { IntValue: look, FloatValue: look }
}
