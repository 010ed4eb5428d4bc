import type { SchemaAST } from "effect"
import { Result, Schema } from "effect"
import { boundOf } from "./Checks.ts"
import { soundness } from "./PreCheck.ts"

/*
 * A client decides how much is wrong with its body: a decoder that tells all would make an object of each of 300,000
 * mistakes, of which an answer shows 20. So lists and maps that are too long are found before anybody looks into them,
 * and all is told only of an excerpt, in which no more is wrong than can be shown.
 */

type Path = ReadonlyArray<PropertyKey>

/** A list or map with more in it than its schema allows. */
export interface Overlong {
  readonly path: Path
  /** What is expected instead. */
  readonly expected: string
}

/** What an excerpt may still show. */
interface Budget {
  left: number
  isCut: boolean
}

interface Walk {
  /** Finds what is too long, and looks at nothing else. */
  readonly measure: (value: unknown, path: Path, found: Array<Overlong>) => void
  /** The value itself while nothing of it is cut. It is wrong exactly if the whole is, but for what is too long. */
  readonly excerpt: (value: unknown, budget: Budget) => unknown
}

/** Of what has no parts, or parts that nobody looks at. */
const WHOLE: Walk = { measure: () => {}, excerpt: (value) => value }

const ofArrays = (ast: SchemaAST.Arrays): Walk => {
  if (ast.elements.length > 0 || ast.rest.length !== 1) return WHOLE
  const item = ast.rest[0]!
  const { expected, max } = boundOf(ast)
  const walk = walkOf(item)
  const schema = Schema.make<Schema.Decoder<unknown>>(item)
  const isSound = soundness(schema)
  const decode = Schema.decodeUnknownResult(schema, { errors: "first", onExcessProperty: "error" })
  return {
    measure: (value, path, found) => {
      if (!Array.isArray(value)) return
      if (value.length > max) found.push({ path, expected })
      else if (walk !== WHOLE) for (let i = 0; i < value.length; i++) walk.measure(value[i], [...path, i], found)
    },
    excerpt: (value, budget) => {
      if (!Array.isArray(value)) return value
      const end = Math.min(value.length, max)
      const shown: Array<unknown> = []
      for (let i = 0; i < end; i++) {
        const one: unknown = value[i]
        const isRight = isSound(one) || Result.isSuccess(decode(one))
        shown.push(isRight ? one : walk.excerpt(one, budget))
        if (isRight || --budget.left > 0) continue
        budget.isCut = true
        return shown
      }
      return shown
    }
  }
}

const ofObjects = (ast: SchemaAST.Objects): Walk => {
  const { indexSignatures, propertySignatures } = ast
  const { expected, max } = boundOf(ast)
  const fields = new Map(propertySignatures.map(({ name, type }) => [name, walkOf(type)]))
  const [other] = indexSignatures
  const others = other === undefined ? null : walkOf(other.type)
  return {
    measure: (value, path, found) => {
      if (typeof value !== "object" || value === null || Array.isArray(value)) return
      const object = value as Readonly<Record<string, unknown>>
      if (max < Infinity && Object.keys(object).length > max) {
        found.push({ path, expected })
        return
      }
      for (const [name, walk] of fields) {
        if (walk !== WHOLE && Object.hasOwn(object, name)) {
          walk.measure(object[name as string], [...path, name], found)
        }
      }
      if (others === null || others === WHOLE) return
      for (const name in object) if (!fields.has(name)) others.measure(object[name], [...path, name], found)
    },
    excerpt: (value, budget) => {
      if (typeof value !== "object" || value === null || Array.isArray(value)) return value
      const shown: Record<string, unknown> = {}
      let kept = 0
      for (const name in value) {
        const part = value[name as never] as unknown
        const field = fields.get(name)
        if (field !== undefined) {
          shown[name] = field.excerpt(part, budget)
        } else if (others !== null) {
          if (kept++ < max) shown[name] = others.excerpt(part, budget)
        } else if (budget.left > 0) {
          budget.left--
          shown[name] = part
        } else {
          budget.isCut = true
        }
      }
      return shown
    }
  }
}

/** Of what may be several things, the lists and objects; where there are more of one kind, nobody knows which is meant. */
const ofUnion = ({ types }: SchemaAST.Union): Walk => {
  const walks = types.map((type) => ({ tag: encodedOf(type)._tag, walk: walkOf(type) }))
  const only = (tag: SchemaAST.AST["_tag"]) => {
    const [one, another] = walks.filter((each) => each.tag === tag)
    return one === undefined || another !== undefined ? WHOLE : one.walk
  }
  const isDeep = walks.some(({ tag }) => tag === "Union" || tag === "Suspend")
  const [list, object] = isDeep ? [WHOLE, WHOLE] : [only("Arrays"), only("Objects")]
  if (list === WHOLE && object === WHOLE) return WHOLE
  const walkFor = (value: unknown) => (Array.isArray(value) ? list : object)
  return {
    measure: (value, path, found) => walkFor(value).measure(value, path, found),
    excerpt: (value, budget) => walkFor(value).excerpt(value, budget)
  }
}

/** What JSON has to be before it is turned into something else. */
const encodedOf = (ast: SchemaAST.AST): SchemaAST.AST =>
  ast.encoding === undefined ? ast : encodedOf(ast.encoding[ast.encoding.length - 1]!.to)

const walkOf = (given: SchemaAST.AST): Walk => {
  const ast = encodedOf(given)
  switch (ast._tag) {
    case "Arrays":
      return ofArrays(ast)
    case "Objects":
      return ofObjects(ast)
    case "Union":
      return ofUnion(ast)
    default:
      return WHOLE
  }
}

export interface Excerpts {
  /** Lists and maps that are too long: the first ones. Costs next to nothing, as their elements are not looked at. */
  readonly overlong: (json: unknown) => ReadonlyArray<Overlong>
  /** What is to be decoded for all mistakes to be told, `most` of them at most, more or less; whether there were more. */
  readonly of: (json: unknown, most: number) => { readonly json: unknown; readonly isCut: boolean }
}

export const excerpts = (schema: Schema.ConstraintDecoder<unknown>): Excerpts => {
  const walk = walkOf(schema.ast)
  return {
    overlong: (json) => {
      const found: Array<Overlong> = []
      walk.measure(json, [], found)
      return found
    },
    of: (json, most) => {
      const budget: Budget = { left: most, isCut: false }
      const shown = walk.excerpt(json, budget)
      return { json: shown, isCut: budget.isCut }
    }
  }
}
