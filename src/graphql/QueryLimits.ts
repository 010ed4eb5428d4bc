import type {
  DocumentNode,
  FieldNode,
  FragmentDefinitionNode,
  GraphQLArgument,
  GraphQLField,
  GraphQLNamedType,
  GraphQLSchema,
  OperationDefinitionNode,
  SelectionSetNode
} from "graphql"
import {
  getArgumentValues,
  getNamedType,
  getNullableType,
  getVariableValues,
  GraphQLError,
  isInterfaceType,
  isListType,
  isObjectType,
  Kind
} from "graphql"
import { SESSIONS_PER_ACCOUNT } from "../../services/domain/people/Account.ts"
import { VERSIONS_KEPT } from "../../services/domain/messages/Template.ts"
import { OPEN_INVITATIONS, ORGANIZATIONS_PER_ACCOUNT } from "../../services/domain/people/Organization.ts"

/*
 * What one request may ask for. The query is measured between parsing and validation: before anything whose cost grows
 * faster than the query's length. A fragment is measured once, and counted wherever it is spread: what a query expands to
 * is known without expanding it. Variables are filled in.
 */

/** Bytes of the body of somebody who is not known. */
export const BODY_BYTES = 64 * 1024
/** Of a key or a session: a template with all its languages is half of it. */
export const KNOWN_BODY_BYTES = 1024 * 1024
/** Characters of the query: what is long are its variables. */
export const QUERY_CHARACTERS = 64 * 1024
export const TOKENS = 1000
const DEPTH = 10
/** What GraphiQL and code generators ask of a schema is deeper than any query of data. */
const INTROSPECTION_DEPTH = 16
const ALIASES = 15
const PAGE = 100
const DEFAULT_PAGE = 50
const NODES = 5000

/** Bytes of an object as it is read, at most, where these are many. */
const ROW_BYTES: Readonly<Record<string, number>> = {
  Template: 524_288,
  TemplateVersion: 524_288,
  Notification: 1 << 20,
  DeadLetterWithContent: 1 << 20,
  Segment: 1 << 20,
  NotificationSummary: 18_000,
  Contact: 16_000,
  Device: 10_000,
  Channel: 8_000
}
const OTHER_ROW_BYTES = 2_000
/** Of a page of the largest. */
const PAGE_BYTES = 3 << 20

/** Fields that a request may have once: each is an attempt at a code, a mail to somebody, or much work. */
const ONCE: ReadonlySet<string> = new Set([
  "requestLoginCode",
  "verifyLoginCode",
  "exportMyAccountData",
  "__schema",
  "requestExternalSignInCode",
  "confirmExternalSignIn",
  "requestEmailChange",
  "changeEmail",
  "deleteAccount",
  "inviteMember"
])

/** Permits beside the field's own, for what costs more than the objects that it asks for. */
const EXTRA_PERMITS: Readonly<Record<string, number>> = { exportMyAccountData: 100, __schema: 50, __type: 10 }

/** Objects of lists that have no pages, at most. */
const UNPAGED: Readonly<Record<string, number>> = {
  sessions: SESSIONS_PER_ACCOUNT,
  organizations: ORGANIZATIONS_PER_ACCOUNT,
  invitations: OPEN_INVITATIONS,
  templateVersions: VERSIONS_KEPT
}

/** Of a selection set, everything that its fragments spread included. */
interface Measure {
  /** Levels of fields. */
  readonly depth: number
  readonly introspectionDepth: number
  readonly aliases: number
  /** Objects in pages, at most. */
  readonly nodes: number
  /** What is read for it, at most. */
  readonly bytes: number
  readonly extraPermits: number
  /** Fields of this very level. */
  readonly fields: number
  /** Of them, those of `ONCE`. */
  readonly once: number
}

const NOTHING: Measure = {
  depth: 0,
  introspectionDepth: 0,
  aliases: 0,
  nodes: 0,
  bytes: 0,
  extraPermits: 0,
  fields: 0,
  once: 0
}

const both = (a: Measure, b: Measure): Measure => ({
  depth: Math.max(a.depth, b.depth),
  introspectionDepth: Math.max(a.introspectionDepth, b.introspectionDepth),
  aliases: a.aliases + b.aliases,
  nodes: a.nodes + b.nodes,
  bytes: a.bytes + b.bytes,
  extraPermits: a.extraPermits + b.extraPermits,
  fields: a.fields + b.fields,
  once: a.once + b.once
})

/** What a request is worth, as the rate limit counts: one permit for each operation that REST would have been asked for. */
export interface Cost {
  readonly permits: number
  /** What is read for it, at most. */
  readonly bytes: number
  /** The names of the operation's own fields. */
  readonly roots: ReadonlySet<string>
}

type VariableValues = NonNullable<Parameters<typeof getArgumentValues>[2]>

const refuse = (message: string, node?: FieldNode | FragmentDefinitionNode): never => {
  throw new GraphQLError(message, node === undefined ? {} : { nodes: node })
}

class Measuring {
  readonly #schema: GraphQLSchema
  readonly #operation: OperationDefinitionNode
  readonly #variables: Readonly<Record<string, unknown>>
  readonly #fragments = new Map<string, FragmentDefinitionNode>()
  /** Null: under way. */
  readonly #measured = new Map<string, Measure | null>()
  hasIntrospection = false

  constructor(
    schema: GraphQLSchema,
    document: DocumentNode,
    operation: OperationDefinitionNode,
    variables: Readonly<Record<string, unknown>>
  ) {
    this.#schema = schema
    this.#operation = operation
    this.#variables = variables
    for (const definition of document.definitions) {
      if (definition.kind === Kind.FRAGMENT_DEFINITION) this.#fragments.set(definition.name.value, definition)
    }
  }

  whole(): Measure {
    // Those that nothing spreads are validated all the same.
    for (const name of this.#fragments.keys()) this.#fragment(name)
    return this.#selections(this.#operation.selectionSet, this.#schema.getRootType(this.#operation.operation))
  }

  /** The operation's own fields, those of fragments included. */
  roots(): ReadonlySet<string> {
    const names = new Set<string>()
    const seen = new Set<string>()
    const look = (set: SelectionSetNode | undefined): void => {
      for (const selection of set?.selections ?? []) {
        if (selection.kind === Kind.FIELD) names.add(selection.name.value)
        else if (selection.kind === Kind.INLINE_FRAGMENT) look(selection.selectionSet)
        else if (!seen.has(selection.name.value)) {
          seen.add(selection.name.value)
          look(this.#fragments.get(selection.name.value)?.selectionSet)
        }
      }
    }
    look(this.#operation.selectionSet)
    return names
  }

  #fragment(name: string): Measure {
    const before = this.#measured.get(name)
    if (before !== undefined && before !== null) return before
    const fragment = this.#fragments.get(name)
    if (fragment === undefined) return NOTHING
    if (before === null) return refuse(`The fragment "${name}" spreads itself.`, fragment)
    this.#measured.set(name, null)
    const measure = this.#selections(fragment.selectionSet, this.#schema.getType(fragment.typeCondition.name.value))
    this.#measured.set(name, measure)
    return measure
  }

  #selections(set: SelectionSetNode | undefined, type: GraphQLNamedType | null | undefined): Measure {
    let sum = NOTHING
    for (const selection of set?.selections ?? []) {
      if (selection.kind === Kind.FIELD) sum = both(sum, this.#field(selection, type))
      else if (selection.kind === Kind.FRAGMENT_SPREAD) sum = both(sum, this.#fragment(selection.name.value))
      else {
        const condition = selection.typeCondition?.name.value
        const on = condition === undefined ? type : this.#schema.getType(condition)
        sum = both(sum, this.#selections(selection.selectionSet, on))
      }
    }
    return sum
  }

  #field(node: FieldNode, type: GraphQLNamedType | null | undefined): Measure {
    const name = node.name.value
    const own = {
      aliases: node.alias === undefined ? 0 : 1,
      fields: name === "__typename" ? 0 : 1,
      once: ONCE.has(name) ? 1 : 0
    }
    const extraPermits = Object.hasOwn(EXTRA_PERMITS, name) ? EXTRA_PERMITS[name]! : 0
    if (name === "__schema" || name === "__type") {
      this.hasIntrospection = true
      const below = this.#selections(node.selectionSet, null)
      return {
        ...NOTHING,
        ...own,
        extraPermits,
        introspectionDepth: below.depth + 1,
        aliases: own.aliases + below.aliases
      }
    }
    const field = isObjectType(type) || isInterfaceType(type) ? type.getFields()[name] : undefined
    const below = this.#selections(node.selectionSet, field === undefined ? null : getNamedType(field.type))
    const page = field === undefined ? null : this.#pageOf(node, field)
    return {
      depth: below.depth + 1,
      introspectionDepth: below.introspectionDepth,
      aliases: own.aliases + below.aliases,
      nodes: page === null ? below.nodes : page * (1 + below.nodes),
      bytes: bytesOf(type, field, page) + (page ?? 1) * below.bytes,
      extraPermits: extraPermits + below.extraPermits,
      fields: own.fields,
      once: own.once
    }
  }

  /** How many objects a field of several answers at most; null where it is none. */
  #pageOf(node: FieldNode, field: GraphQLField<unknown, unknown>): number | null {
    const known = field.args.find(({ name }) => name === "first")
    if (known === undefined) return isUnpaged(field) ? UNPAGED[field.name]! : null
    const first = this.#valueOf(node, known)
    if (first === null) return DEFAULT_PAGE
    // Of another type, or missing where it must be: it is refused before it is asked.
    if (typeof first !== "number") return PAGE
    return Number.isInteger(first) && first >= 1 && first <= PAGE
      ? first
      : refuse(`first of ${field.name} must be between 1 and ${PAGE}.`, node)
  }

  /** An argument as the resolver will have it, null where it says nothing: by graphql-js, which decides. */
  #valueOf(node: FieldNode, argument: GraphQLArgument): unknown {
    const given = node.arguments?.find(({ name }) => name.value === argument.name)?.value
    try {
      if (given?.kind !== Kind.VARIABLE) return argumentOf(node, argument)
      const definitions = this.#operation.variableDefinitions?.filter(
        ({ variable }) => variable.name.value === given.name.value
      )
      const { variableValues } = getVariableValues(this.#schema, definitions ?? [], this.#variables, { maxErrors: 1 })
      return variableValues === undefined
        ? this.#variables[given.name.value]
        : argumentOf(node, argument, variableValues)
    } catch {
      return undefined
    }
  }
}

/** What is read for a field itself: of a page once, wherever its objects are shown. */
const bytesOf = (
  parent: GraphQLNamedType | null | undefined,
  field: GraphQLField<unknown, unknown> | undefined,
  page: number | null
): number => {
  if (field === undefined || /(?:Connection|Edge)$/.test(parent?.name ?? "")) return 0
  const { name } = getNamedType(field.type)
  if (page === null) return ROW_BYTES[name] ?? 0
  return Math.min(page * (ROW_BYTES[name.replace("Connection", "")] ?? OTHER_ROW_BYTES), PAGE_BYTES)
}

const isUnpaged = ({ name, type }: GraphQLField<unknown, unknown>): boolean =>
  Object.hasOwn(UNPAGED, name) && isListType(getNullableType(type))

const argumentOf = (node: FieldNode, argument: GraphQLArgument, variables?: VariableValues): unknown =>
  getArgumentValues({ args: [argument] } as unknown as GraphQLField<unknown, unknown>, node, variables)[
    argument.name
  ] ?? null

/** Measures a query. Throws a GraphQLError where it asks for more than is answered at once. */
export const measure = (
  schema: GraphQLSchema,
  document: DocumentNode,
  operation: OperationDefinitionNode,
  variables: Readonly<Record<string, unknown>>,
  mayIntrospect: boolean
): Cost => {
  const measuring = new Measuring(schema, document, operation, variables)
  const { aliases, bytes, depth, extraPermits, fields, introspectionDepth, nodes, once } = measuring.whole()
  if (depth > DEPTH) refuse(`The query is ${depth} levels deep; ${DEPTH} are answered at most.`)
  if (introspectionDepth > INTROSPECTION_DEPTH) {
    refuse(`The introspection is ${introspectionDepth} levels deep; ${INTROSPECTION_DEPTH} are answered at most.`)
  }
  if (aliases > ALIASES)
    refuse(`The query has ${aliases} aliases, counted wherever fragments are spread; ${ALIASES} are answered at most.`)
  if (nodes > NODES)
    refuse(`The query asks for up to ${nodes} objects; ${NODES} are answered at most. Ask for smaller pages (first).`)
  if (once > 1) refuse(`A request has one of ${[...ONCE].join(", ")}, once.`)
  if (measuring.hasIntrospection && !mayIntrospect)
    refuse("The schema is shown to callers with a key or a session only.")
  return { permits: Math.max(1, fields, Math.ceil(nodes / PAGE)) + extraPermits, bytes, roots: measuring.roots() }
}
