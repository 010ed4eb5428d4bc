import { Effect } from "effect"
import { isSqlError } from "effect/sql/SqlError"
import { StoreError } from "../../../services/ports/StoreError.ts"

/** Classes of SQLSTATE that say that the data are at fault: their number, their values, a constraint, a limit of size. */
const CONTENTS = /^(21|22|23|54)/

/** The SQLSTATE of a failure; empty when PostgreSQL did not get to say one. */
export const sqlStateOf = (error: unknown): string =>
  isSqlError(error) ? String((error.reason.cause as { readonly code?: unknown } | null)?.code ?? "") : ""

/** The client refuses what has no place in a parameter's type before PostgreSQL can. */
const isUnsayable = (error: unknown): boolean =>
  isSqlError(error) && (error.reason.cause as { readonly _tag?: unknown } | null)?._tag === "PgTypesCodecError"

/** The error of an operation within another one says the same of both. */
const isAboutContents = (error: unknown): boolean =>
  error instanceof StoreError ? error.refused === true : CONTENTS.test(sqlStateOf(error)) || isUnsayable(error)

/** Whatever goes wrong in a statement leaves the room as the ports' one error, with the name of the operation. */
export const storeError = (operation: string) =>
  Effect.mapError((cause: unknown) =>
    cause instanceof StoreError && cause.withdrawn === true
      ? cause
      : new StoreError({ operation, cause, ...(isAboutContents(cause) ? { refused: true } : {}) })
  )
