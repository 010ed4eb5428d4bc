import type { UseMutationResult, UseQueryResult } from "@tanstack/react-query"
import { keepPreviousData, QueryClient, useMutation, useQueries, useQuery, useQueryClient } from "@tanstack/react-query"
import { useRef } from "react"
import { askOnce } from "./repetitions.ts"
import { ask, Refusal } from "./request.ts"
import type { TypedDocument } from "./typedDocument.ts"
import { nameOf } from "./typedDocument.ts"

/** What may be good again by itself a moment later. */
const PASSING: ReadonlySet<string> = new Set(["unreachable", "unavailable", "rate_limiter_unavailable"])

export const makeQueryClient = (): QueryClient =>
  new QueryClient({
    defaultOptions: {
      queries: {
        staleTime: 5_000,
        // The browser's word for being offline is wrong in both directions: ask, and see.
        networkMode: "always",
        retry: (failures, error) => failures < 2 && error instanceof Refusal && PASSING.has(error.code),
        retryDelay: (failures) => 500 * 2 ** failures
      },
      mutations: { networkMode: "always", retry: false }
    }
  })

export const keyOf = (document: TypedDocument<never, never>, variables: unknown) =>
  [nameOf(document), variables] as const

interface AskOptions<A> {
  readonly enabled?: boolean
  /** Milliseconds, also by what was answered last; not while nobody looks. */
  readonly every?: number | false | ((answer: A | undefined) => number | false)
  /** Shows the answer before while the next one comes: for pages of a list, and for filters. */
  readonly keep?: boolean
}

/** Asks a query, and again when what it shows has changed. */
export const useAsk = <A, V>(
  document: TypedDocument<A, V>,
  variables: V,
  { enabled = true, every = false, keep = false }: AskOptions<A> = {}
): UseQueryResult<A, Error> =>
  useQuery({
    queryKey: keyOf(document as never, variables),
    queryFn: ({ signal }) => ask(document, variables, signal),
    enabled,
    refetchInterval: typeof every === "function" ? ({ state }) => every(state.data) : every,
    placeholderData: keep ? (keepPreviousData as never) : undefined
  })

/** The same query of several things, in their order. */
export const useAskAll = <A, V>(
  document: TypedDocument<A, V>,
  variables: ReadonlyArray<V>
): ReadonlyArray<UseQueryResult<A, Error>> =>
  useQueries({
    queries: variables.map((one) => ({
      queryKey: keyOf(document as never, one),
      queryFn: ({ signal }: { readonly signal: AbortSignal }) => ask(document, one, signal)
    }))
  })

/** How long what was done is shown as being done until what is on the page has been asked for anew. Milliseconds. */
const FRESHENING_MS = 5_000

interface DoOptions {
  /**
   * Doing it twice would do harm, as sending would: it carries a key by which the service does it once, however often it
   * is asked for while no answer comes. Not for what shows a secret, which an answer has once.
   */
  readonly once?: boolean
}

/**
 * Does a mutation. Whatever is shown is asked for again afterwards: changes show where nobody thought of them. What is
 * under way is not begun again: a second press may come before the button shows the first.
 */
export const useDo = <A, V>(
  document: TypedDocument<A, V>,
  onDone?: (answer: A, variables: V) => void,
  { once = false }: DoOptions = {}
): UseMutationResult<A, Error, V> => {
  const client = useQueryClient()
  const underWay = useRef(new Set<string>())
  const mutation = useMutation({
    mutationFn: (variables: V) =>
      once
        ? askOnce(nameOf(document as never), variables, (key) => ask(document, variables, undefined, key))
        : ask(document, variables),
    onSuccess: async (answer, variables) => {
      onDone?.(answer, variables)
      await Promise.race([client.invalidateQueries(), new Promise((resolve) => setTimeout(resolve, FRESHENING_MS))])
    },
    onSettled: (_, __, variables) => void underWay.current.delete(JSON.stringify(variables))
  })
  const mutate: typeof mutation.mutate = (...given) => {
    const about = JSON.stringify(given[0])
    if (underWay.current.has(about)) return
    underWay.current.add(about)
    mutation.mutate(...given)
  }
  return { ...mutation, mutate } as UseMutationResult<A, Error, V>
}
