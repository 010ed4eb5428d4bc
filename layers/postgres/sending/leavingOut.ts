import type { PgTypes } from "@effect/sql-pg"
import type { SqlClient } from "effect/sql"

/*
 * Statements that are written out whole, to be read and pasted into psql, and sent without what there is nothing to do for:
 * a part that does nothing costs PostgreSQL up to a tenth of a millisecond (docs/decisions/0069-statements-in-parts.md).
 * A part stands between a line `-- [name]` and a line `-- [end]`; none stands within another.
 */

const PART = /^ *-- \[([\w, ]+)\]\n([\s\S]*?)^ *-- \[end\]\n/gm
const PARAMETER = /\$(\d+)\b/g

/** Each asked for its value where it is needed. */
export type Parameters = ReadonlyArray<() => PgTypes.Parameter>

interface Cut {
  readonly text: string
  /** Which of the whole statement's parameters it has, in its own order. */
  readonly parameters: ReadonlyArray<number>
}

const cut = (statement: string, parts: Readonly<Record<string, boolean>>): Cut => {
  const left = statement.replaceAll(PART, (_, name: string, part: string) => (parts[name] === true ? part : ""))
  const parameters = [...new Set([...left.matchAll(PARAMETER)].map(([, number]) => Number(number)))]
  const text = left.replaceAll(PARAMETER, (_, number: string) => `$${parameters.indexOf(Number(number)) + 1}`)
  return { text, parameters }
}

/**
 * Sends a statement with those of its parts alone that are named `true`, and the parameters that stand in it. What
 * each combination of parts leaves is made once.
 */
export const leavingOut = <Row extends object>(statement: string) => {
  const known = new Map<string, Cut>()
  return (sql: SqlClient.SqlClient, parts: Readonly<Record<string, boolean>>, parameters: Parameters) => {
    const key = Object.values(parts).join()
    let left = known.get(key)
    if (left === undefined) known.set(key, (left = cut(statement, parts)))
    return sql.unsafe<Row>(
      left.text,
      left.parameters.map((number) => parameters[number - 1]!())
    )
  }
}
