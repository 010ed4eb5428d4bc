import type { DocumentNode, ExecutionArgs, ExecutionResult, GraphQLSchema } from "graphql"
import {
  execute as executeByGraphqlJs,
  getOperationAST,
  GraphQLError,
  parse as parseByGraphqlJs,
  specifiedRules,
  subscribe as subscribeByGraphqlJs,
  validate as validateByGraphqlJs
} from "graphql"
import { createYoga } from "graphql-yoga"
import type { GraphqlContext } from "./Context.ts"
import { DocumentCache } from "./Documents.ts"
import { literalNumbers } from "./LiteralNumbers.ts"
import { isForAnybody } from "./PeopleFields.ts"
import type { Cost } from "./QueryLimits.ts"
import { measure, TOKENS } from "./QueryLimits.ts"

/*
 * graphql-yoga without its HTTP, which the pipeline of all routes is: `getEnveloped` gives what parses, validates and
 * executes, at a quarter of what `yoga.fetch` costs.
 */

/** Mistakes that an answer tells of, at most. */
const MISTAKES = 20

const parse = (query: string): DocumentNode =>
  parseByGraphqlJs(query, { maxLexicalTokens: TOKENS, maxComments: TOKENS })

const validate: typeof validateByGraphqlJs = (schema, document, rules = specifiedRules) =>
  validateByGraphqlJs(schema, document, [...rules, literalNumbers], { maxErrors: MISTAKES, hideSuggestions: true })

const QUIETLY = { hideSuggestions: true, options: { maxCoercionErrors: MISTAKES } } as const

/** What a request asks. */
export interface GraphqlRequest {
  readonly query: string
  readonly variables: Readonly<Record<string, unknown>>
  readonly operationName: string | null
}

/** A query that may be executed, as often as its cost was charged. */
export interface Prepared {
  readonly document: DocumentNode
  readonly kind: "query" | "mutation" | "subscription"
  readonly cost: Cost
  readonly request: GraphqlRequest
}

export interface Executor {
  /** What there is to execute; errors when nothing is, and none of a query that is not for strangers, if one asks. */
  readonly prepare: (request: GraphqlRequest, isKnown: boolean) => Prepared | ReadonlyArray<GraphQLError>
  readonly execute: (prepared: Prepared, context: GraphqlContext) => ExecutionResult | Promise<ExecutionResult>
  readonly yoga: ReturnType<typeof createYoga>
}

export const makeExecutor = (schema: GraphQLSchema): Executor => {
  const yoga = createYoga({
    schema,
    graphqlEndpoint: "/api/graphql",
    // Errors are put into words here, once for all ways out.
    maskedErrors: false,
    logging: false,
    graphiql: false,
    landingPage: false,
    cors: false,
    multipart: false,
    batching: false,
    // It keeps what is not valid too, whose errors refer to all that validation made: 65 KB of a query of five characters.
    parserAndValidationCache: false,
    plugins: [
      {
        onParse: ({ setParseFn }: { readonly setParseFn: (parse: (query: string) => DocumentNode) => void }) =>
          setParseFn(parse),
        onValidate: ({ setValidationFn }: { readonly setValidationFn: (validation: typeof validate) => void }) =>
          setValidationFn(validate),
        onExecute: ({ setExecuteFn }: { readonly setExecuteFn: (execute: typeof executeByGraphqlJs) => void }) =>
          setExecuteFn((args) => executeByGraphqlJs({ ...args, ...QUIETLY })),
        onSubscribe: ({
          setSubscribeFn
        }: {
          readonly setSubscribeFn: (subscribe: typeof subscribeByGraphqlJs) => void
        }) => setSubscribeFn((args) => subscribeByGraphqlJs({ ...args, ...QUIETLY }))
      }
    ]
  })
  const enveloped = yoga.getEnveloped as unknown as (context: object) => {
    readonly parse: typeof parse
    readonly validate: typeof validate
    readonly execute: (args: ExecutionArgs) => ExecutionResult | Promise<ExecutionResult>
  }
  const { parse: parseAnew, validate: validateAnew } = enveloped({})
  const valid = new DocumentCache<DocumentNode>()

  const read = (request: GraphqlRequest, isKnown: boolean): Prepared | ReadonlyArray<GraphQLError> => {
    const { operationName, query, variables } = request
    const known = valid.get(query)
    const document = known ?? parseAnew(query)
    const operation = getOperationAST(document, operationName)
    if (operation === null || operation === undefined) {
      return [
        new GraphQLError(
          operationName === null
            ? "The query must have one operation, or operationName say which one is meant."
            : `The query has no operation of this operationName.`
        )
      ]
    }
    const cost = measure(schema, document, operation, variables, isKnown)
    if (!isKnown && !isForAnybody(cost.roots)) return []
    if (known === undefined) {
      const mistakes = validateAnew(schema, document)
      if (mistakes.length > 0) return mistakes
      valid.set(query, document)
    }
    return { document, kind: operation.operation, cost, request }
  }
  return {
    yoga: yoga as unknown as Executor["yoga"],
    prepare: (request, isKnown) => {
      try {
        return read(request, isKnown)
      } catch (error) {
        if (error instanceof GraphQLError) return [error]
        throw error
      }
    },
    execute: ({ document, request }, context) =>
      enveloped(context).execute({
        schema,
        document,
        contextValue: context,
        variableValues: request.variables,
        operationName: request.operationName
      })
  }
}
