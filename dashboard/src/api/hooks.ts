import type { UseMutationResult, UseQueryResult } from "@tanstack/react-query"
import { keepPreviousData, QueryClient, useMutation, useQueries, useQuery, useQueryClient } from "@tanstack/react-query"
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

interface AskOptions {
  readonly enabled?: boolean
  /** Milliseconds; not while nobody looks. */
  readonly every?: number | false
  /** Shows the answer before while the next one comes: for pages of a list, and for filters. */
  readonly keep?: boolean
}

/** Asks a query, and again when what it shows has changed. */
export const useAsk = <A, V>(
  document: TypedDocument<A, V>,
  variables: V,
  { enabled = true, every = false, keep = false }: AskOptions = {}
): UseQueryResult<A, Error> =>
  useQuery({
    queryKey: keyOf(document as never, variables),
    queryFn: ({ signal }) => ask(document, variables, signal),
    enabled,
    refetchInterval: every,
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

/** Does a mutation. Whatever is shown is asked for again afterwards: changes show where nobody thought of them. */
export const useDo = <A, V>(
  document: TypedDocument<A, V>,
  onDone?: (answer: A, variables: V) => void
): UseMutationResult<A, Error, V> => {
  const client = useQueryClient()
  return useMutation({
    mutationFn: (variables: V) => ask(document, variables),
    onSuccess: async (answer, variables) => {
      onDone?.(answer, variables)
      await client.invalidateQueries()
    }
  })
}
