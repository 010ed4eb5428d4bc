import type { Cause } from "effect"
import { Effect, Exit } from "effect"
import { cannot } from "../../domain/workflows/Interpreter.ts"
import { StoreError } from "../../ports/StoreError.ts"
import type { Carry, OpenRun } from "../../ports/workflows/ExecutionStore.ts"
import { failing } from "./Carrying.ts"

/*
 * Runs that move together fail together: one that breaks what moves it, or that the database refuses, would hold up its
 * whole page, in every round. Such a page is tried in smaller ones, down to the run at fault, which ends and says why.
 */

/** By how much a page grows smaller with each try. */
const PARTS = 8

/**
 * The error of a run for what would happen again however often it is tried; null for all else. A database that could not do
 * it just now may have left defects beside that: what lasts of them is there in the next try.
 */
const lastingFault = (cause: Cause.Cause<StoreError>): string | null => {
  let lasting: string | null = null
  for (const reason of cause.reasons) {
    if (reason._tag === "Interrupt") continue
    const error = reason._tag === "Die" ? reason.defect : reason.error
    if (!(error instanceof StoreError)) lasting ??= cannot(error)
    else if (error.refused === true) lasting ??= cannot("the database refuses what it would write")
    else return null
  }
  return lasting
}

/** The run as it will be known by the next try. Of those that enter, each try makes new ones. */
type KeyOf = (run: OpenRun) => string
export const byId: KeyOf = ({ id }) => id
export const byPerson: KeyOf = ({ contactId, workflowId }) => `${workflowId} ${contactId}`

export interface Paged<A> {
  /** Null: it could not be done, and would not be by trying again. It is logged. */
  readonly value: A | null
  /** The runs of it, or of the last try. */
  readonly carried: ReadonlyArray<OpenRun>
  /** How large a page could be done. */
  readonly limit: number
}

/** Does a page of up to `most`, or a smaller one. Fails where it may be done later on. */
export const inParts = Effect.fnUntraced(function* <A>(
  most: number,
  keyOf: KeyOf,
  carry: Carry,
  page: (limit: number, carry: Carry) => Effect.Effect<A, StoreError>
): Effect.fn.Return<Paged<A>, StoreError> {
  const atFault = new Map<string, string>()
  for (let limit = most; ; limit = Math.ceil(limit / PARTS)) {
    let carried: ReadonlyArray<OpenRun> = []
    const guarded: Carry = (runs, tools) => {
      carried = runs
      const error = runs.length === 1 ? atFault.get(keyOf(runs[0]!)) : undefined
      return error === undefined ? carry(runs, tools) : Effect.succeed(failing(runs, error))
    }
    const exit = yield* Effect.exit(page(limit, guarded))
    if (Exit.isSuccess(exit)) return { value: exit.value, carried, limit }
    const fault = lastingFault(exit.cause)
    if (fault === null) return yield* Effect.failCause(exit.cause)
    if (limit > 1) continue
    const [only] = carried
    if (only === undefined || carried.length > 1 || atFault.has(keyOf(only))) {
      yield* Effect.logError("Workflows: something cannot be carried out, and holds up what comes after it", exit.cause)
      return { value: null, carried, limit }
    }
    yield* Effect.logError("A run cannot be carried on, and has failed", exit.cause).pipe(
      Effect.annotateLogs({ app_id: only.appId, workflow_id: only.workflowId, execution_id: only.id })
    )
    atFault.set(keyOf(only), fault)
  }
})
