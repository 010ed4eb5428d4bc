import { Effect } from "effect"
import type { AccountId, OrganizationId } from "../../services/domain/Ids.ts"
import type { Person } from "../../services/domain/people/Account.ts"
import type { Page } from "../../services/ports/audience/DeviceStore.ts"
import { ApiError, invalid } from "../http/pipeline/ApiError.ts"
import { refusalOfJson } from "../http/pipeline/Body.ts"
import { page } from "../http/pipeline/Page.ts"
import { within } from "../http/pipeline/WaitLimiter.ts"
import type { GraphqlContext } from "./Context.ts"
import { sentenceFromRest } from "./Names.ts"
import type { PeopleRefusal } from "./PeopleRefusals.ts"
import { inWords } from "./PeopleRefusals.ts"
import { connectionOf } from "./RelayConnection.ts"

/* How fields about people run: as whom, with which ids, and what becomes of a refusal. */

export const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i

/** An id as it was given; what is none is that of nothing. */
export const idIn = <Id extends string>(text: string, what: string): Effect.Effect<Id, ApiError> =>
  UUID.test(text)
    ? Effect.succeed(text.toLowerCase() as Id)
    : Effect.fail(new ApiError("not_found", `There is no such ${what}, or it is none of yours.`))

export const organizationId = (text: string) => idIn<OrganizationId>(text, "organization")
export const accountId = (text: string) => idIn<AccountId>(text, "member")

type Failure = ApiError | PeopleRefusal

const asPerson = ({ caller, person }: GraphqlContext): Effect.Effect<Person, ApiError> => {
  if (person !== null) return Effect.succeed(person)
  return Effect.fail(
    caller === null
      ? new ApiError("unauthorized", "Sign in first.")
      : new ApiError("forbidden", "A secret key has no rights over people: this needs a session.")
  )
}

/** Runs the work of a field, with whatever the engine refuses in the words of the API. */
export const run = <A>(context: GraphqlContext, args: object, work: Effect.Effect<A, Failure>): A | Promise<A> => {
  const wrong = refusalOfJson(args, true, 1)
  return context.run(
    wrong !== null
      ? Effect.fail(wrong)
      : Effect.mapError(within(context.waits(), work), (error) => (error instanceof ApiError ? error : inWords(error)))
  )
}

/** The same for whoever is signed in. */
export const runAs = <A>(
  context: GraphqlContext,
  args: object,
  work: (person: Person) => Effect.Effect<A, Failure>
): A | Promise<A> => run(context, args, Effect.flatMap(asPerson(context), work))

interface Paging {
  readonly first?: number | null | undefined
  readonly after?: string | null | undefined
}

const cursorInWords = sentenceFromRest(new Set())

/** A page of a store, as a connection. */
export const pageOf = <A, B>(
  list: string,
  { after, first }: Paging,
  load: (after: string | null, limit: number) => Effect.Effect<Page<A>, PeopleRefusal>,
  show: (item: A) => B
) =>
  Effect.map(
    page(
      list,
      { ...(first == null ? undefined : { limit: first }), ...(after == null ? undefined : { cursor: after }) },
      load,
      show
    ),
    (found) => connectionOf(found, after != null)
  ).pipe(
    Effect.mapError((error) =>
      error instanceof ApiError && error.details[0]?.field === "cursor"
        ? invalid([{ field: "after", message: cursorInWords(error.details[0].message) }])
        : error
    )
  )
