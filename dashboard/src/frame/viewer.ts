import type { QueryClient } from "@tanstack/react-query"
import { useQueries, useQueryClient } from "@tanstack/react-query"
import { useNavigate, useParams } from "@tanstack/react-router"
import { createContext, use } from "react"
import { keyOf, useAsk } from "../api/hooks.ts"
import { ask } from "../api/request.ts"
import { nameOf } from "../api/typedDocument.ts"
import { tellGone } from "./leave.ts"
import type { ApplicationsQuery, Operation, ViewerQuery } from "./operations.ts"
import { applications, viewer } from "./operations.ts"

export type Organization = ViewerQuery["organizations"][number]
export type ListedApplication = ApplicationsQuery["applications"]["nodes"][number]

/** Who is signed in, and where they belong. */
export const useViewer = () => useAsk(viewer, {})

/** All applications of an organization: 1,000 at most. */
const allApplications = async (
  organizationId: string,
  signal: AbortSignal
): Promise<ReadonlyArray<ListedApplication>> => {
  const found: Array<ListedApplication> = []
  for (let after: string | null = null; ;) {
    const { nodes, pageInfo }: ApplicationsQuery["applications"] = (
      await ask(applications, { organizationId, after }, signal)
    ).applications
    found.push(...nodes)
    if (!pageInfo.hasNextPage) return found
    after = pageInfo.endCursor
  }
}

/** The applications of every organization that the person belongs to. */
export const useApplications = (organizations: ReadonlyArray<Organization>) =>
  useQueries({
    queries: organizations.map(({ id }) => ({
      queryKey: keyOf(applications as never, { organizationId: id }),
      queryFn: ({ signal }: { readonly signal: AbortSignal }) => allApplications(id, signal),
      staleTime: 60_000
    })),
    combine: (answers) => ({
      isPending: answers.some(({ isPending }) => isPending),
      error: answers.find(({ error }) => error !== null)?.error ?? null,
      groups: organizations.map((organization, i) => ({
        organization,
        applications: answers[i]?.data ?? []
      }))
    })
  })

export interface CurrentApplication {
  readonly application: ListedApplication
  readonly organization: Organization
}
export const Current = createContext<CurrentApplication | null>(null)

/** Whether the person's role allows an operation. What it does not allow is not offered. */
const allows =
  ({ may }: Organization) =>
  (operation: Operation): boolean =>
    may.includes(operation)

/** The application that the address names; pages below it always have one. */
export const useApp = () => {
  const current = use(Current)!
  return { appId: current.application.id, ...current, may: allows(current.organization) }
}

/** The organization that the address names; undefined: it names none of the person's. */
export const useNamedOrganization = (): Organization | undefined => {
  const { organizationId } = useParams({ strict: false }) as { readonly organizationId?: string }
  return useViewer().data?.organizations.find(({ id }) => id === organizationId)
}

/** The organization that a page is about, which has an application in its address or not. */
export const useOrganization = () => {
  const named = useNamedOrganization()
  const organization = use(Current)?.organization ?? named!
  return { organization, may: allows(organization) }
}

/** Asks anew which organizations and applications there are for the person. */
export const lookAgain = async (client: QueryClient): Promise<void> => {
  await Promise.all(
    [viewer, applications].map((query) => client.invalidateQueries({ queryKey: [nameOf(query as never)] }))
  )
}

/** Goes to the front, from what is no longer there for the person; their other tabs show it no longer either. */
export const useLeaveHere = () => {
  const client = useQueryClient()
  const navigate = useNavigate()
  return async (): Promise<void> => {
    tellGone()
    // The front leads on to where one was last, as long as that is thought to be there.
    await lookAgain(client)
    await navigate({ to: "/" })
  }
}

/** An id of the address. Pages are shown under the addresses of router.tsx alone, so that it is there. */
export const useId = (name: string): string => (useParams({ strict: false }) as Readonly<Record<string, string>>)[name]!
